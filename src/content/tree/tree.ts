/** One folder that can be read, on disk or embedded, and nothing outside it. */
import { attempt, recover } from "../../base/absence.ts";
import { BmadError, failMissing } from "../../base/errors.ts";
import { baseName, joinPath, parentPath } from "./paths.ts";

export interface TreeItem {
  readonly name: string;
  /** When false it is a regular file: pipes and devices are not listed. */
  readonly isDirectory: boolean;
}

interface Unlisted {
  readonly name: string;
  readonly reason: string;
}

export interface FileFacts {
  /** In bytes. A file above the limit is listed, but reading it fails. */
  readonly size: number;
  readonly modified?: number;
}

export interface Stamp {
  /** When it last changed, in milliseconds since the epoch; a folder changes when a name is added or removed. */
  readonly time: number;
  /** The latest time it can have changed by the system's own clock: copies and archives set `time` as they like. */
  readonly changedBy: number;
  readonly mark: string;
}

/** How far a file's time may lag behind the clock; the second is for times that are two seconds apart. */
const LAG_MS = 50;
const COARSE_LAG_MS = 2_000;

/** A change that keeps the time of writing shows only in ctime, whose clock of whole seconds must have moved on. */
export function isSettled({ time, changedBy }: Stamp, now: number): boolean {
  const isExact = time === changedBy && time % 1_000 !== 0;
  if (!isExact) return now - changedBy > COARSE_LAG_MS;
  return now - LAG_MS > changedBy - changedBy % 1_000 + 1_000;
}

export interface Tree {
  readonly location: string;
  list(dir: string): readonly TreeItem[];
  unlisted(dir: string): readonly Unlisted[];
  stat(path: string): FileFacts | undefined;
  /** Does not count as reading it: a later change of the file goes unnoticed. */
  hasFile(path: string): boolean;
  /** Fails with not-found, outside-root, not-allowed or invalid-input. */
  read(path: string): Uint8Array<ArrayBuffer>;
  refused(): readonly string[];
  unreadable(): readonly string[];
  /** Links followed; undefined when it is missing or never changes. */
  stamp(path: string): Stamp | undefined;
  /** When the newest of the files read so far was written; 0 when none of them can change. */
  newestRead(): number;
}

export function byName<T extends { readonly name: string }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const [DECODER, STRICT] = [false, true].map((fatal) => new TextDecoder("utf-8", { fatal, ignoreBOM: true }));

/** Undefined when it is not UTF-8. A byte order mark stays, so that the text equals the file. */
export function decodeText(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  // Takes a sixth of the time, and leaves a sign where it had to replace something.
  const decoded = DECODER!.decode(bytes);
  const text = decoded.includes("\uFFFD") ? attempt(() => STRICT!.decode(bytes)) : decoded;
  return text?.includes("\0") ? undefined : text;
}

export function textFault(tree: Tree, path: string): { readonly message: string; readonly fix?: string } {
  const bytes = findBytes(tree, path);
  if (bytes === undefined) return { message: "the file is too large" };
  const encoding = otherEncoding(bytes);
  if (encoding === undefined) return { message: "the file is not text" };
  return { message: `the file is not UTF-8, but seems to be ${encoding}`, fix: "Save it as UTF-8" };
}

function otherEncoding(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return "UTF-16";
  const head = bytes.subarray(0, 4_096);
  const zeros = head.filter((byte) => byte === 0).length;
  if (head.some((byte) => byte !== 0 && byte < 32 && ![9, 10, 12, 13, 27].includes(byte))) return undefined;
  // Every other byte of most texts in UTF-16.
  if (zeros > head.length / 3) {
    const isEveryOther = [0, 1].some((odd) => head.every((byte, at) => byte !== 0 || at % 2 === odd));
    return isEveryOther ? "UTF-16" : undefined;
  }
  return zeros === 0 ? "Latin-1 or Windows-1252" : undefined;
}

export function findText(tree: Tree, path: string): string | undefined {
  const bytes = findBytes(tree, path);
  return bytes && decodeText(bytes);
}

export function findBytes(tree: Tree, path: string): Uint8Array<ArrayBuffer> | undefined {
  return recover(BmadError, () => tree.read(path));
}

/** Systems and programs write accented letters in two ways, composed or not. Undefined if nothing is there. */
export function spelledOnDisk(tree: Tree, path: string, folder = ""): string | undefined {
  let at: string | undefined = folder;
  for (const part of path.split("/")) {
    const names = tree.list(at).map(({ name }) => name);
    const name = names.find((name) => name === part) ??
      names.find((name) => name.normalize() === part.normalize());
    if (name === undefined) return undefined;
    at = joinPath(at, name);
  }
  return at;
}

export function* walkFiles(tree: Tree, dir: string, skip: (path: string) => boolean): Generator<string> {
  for (const item of tree.list(dir)) {
    const path = joinPath(dir, item.name);
    if (skip(path)) continue;
    if (item.isDirectory) yield* walkFiles(tree, path, skip);
    else yield path;
  }
}

/** A folder may have thousands of files: to list them takes as long as thousands of misses. */
const ASKED_MISSES = 4;

/** For a scan that ends before anything can change. Asking the system for a missing file takes ten times as long. */
export function cacheListings(tree: Tree): Tree {
  const readFolder = (dir: string) => {
    const items = dir === "" || itemAt(dir)?.isDirectory ? tree.list(dir) : [];
    return { items, names: new Map(items.map((item) => [item.name, item])) };
  };
  const folders = new Map<string, ReturnType<typeof readFolder>>();
  const misses = new Map<string, number>();
  /** Where some are missing, others are: these names tell only that, as some of them may not be looked at. */
  const lacking = new Map<string, ReturnType<typeof readFolder>>();
  const folderAt = (dir: string) =>
    folders.getOrInsertComputed(dir, () => lacking.get(dir) ?? readFolder(dir));
  const itemAt = (path: string): TreeItem | undefined => folderAt(parentPath(path)).names.get(baseName(path));
  return {
    ...tree,
    list: (dir) => folderAt(dir).items,
    stat: (path) => itemAt(path)?.isDirectory === false ? tree.stat(path) : undefined,
    hasFile: (path) => {
      const folder = parentPath(path);
      if (folder === "" || folders.has(folder)) return itemAt(path)?.isDirectory === false;
      if (itemAt(folder)?.isDirectory !== true) return false;
      if (lacking.get(folder)?.names.has(baseName(path)) === false) return false;
      if (tree.hasFile(path)) return true;
      const count = (misses.get(folder) ?? 0) + 1;
      misses.set(folder, count);
      if (count !== ASKED_MISSES) return false;
      const found = readFolder(folder);
      // Without names it may be one that this user can enter, but not list.
      if (found.items.length > 0) lacking.set(folder, found);
      return false;
    },
    read: (path) => {
      const isMissing = folders.get(parentPath(path))?.names.has(baseName(path)) === false;
      return isMissing ? failMissing("file", path) : tree.read(path);
    },
  };
}
