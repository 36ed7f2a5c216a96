/**
 * What a tree is, and what can be done with any of them: on disk or embedded.
 */
import { BmadError } from "../../base/errors.ts";
import { baseName, joinPath, parentPath } from "./paths.ts";

/** One name in a folder. Links are shown as what they lead to. */
export interface TreeItem {
  /** Without the folder before it: `SKILL.md`. */
  readonly name: string;
  /** When false it is a plain file: pipes and devices are not shown. */
  readonly isDirectory: boolean;
}

/** What is known of a file without reading it. */
export interface FileFacts {
  /** In bytes. A file above the limit is shown, but reading it fails. */
  readonly size: number;
  /** Milliseconds since the epoch; embedded files have none. */
  readonly modified?: number;
}

/** What tells one state of a file or folder from a later one. */
export interface Stamp {
  /** When it last changed, in milliseconds since the epoch; a folder changes when a name in it comes or goes. */
  readonly time: number;
  /** The last moment at which it can have changed by the system's own clock: copies and archives set `time` as they like. */
  readonly changedBy: number;
  /** The same as long as nothing has changed. */
  readonly mark: string;
}

/** A folder that can be read from, and nothing above it. */
export interface Tree {
  /** Where the tree is, for people. */
  readonly location: string;
  /** The names in a folder, sorted; none when there is no such folder. */
  list(dir: string): readonly TreeItem[];
  /** Facts about a file; undefined when there is none. */
  stat(path: string): FileFacts | undefined;
  /** Whether there is a file; for asking often: the folder above its own should have been listed before. */
  hasFile(path: string): boolean;
  /** A file's bytes. Fails with not-found, outside-root or invalid-input. */
  read(path: string): Uint8Array<ArrayBuffer>;
  /** Links that were refused so far because they lead out of the root. */
  refused(): readonly string[];
  /** Folders and files that were met so far and that the system does not let us read. */
  unreadable(): readonly string[];
  /** The present state of a file or folder, links followed; undefined when it is missing or never changes. */
  stamp(path: string): Stamp | undefined;
  /** When the youngest of the files that were read so far had been written; 0 when none can have changed. */
  newestRead(): number;
}

/** A file as text; undefined when it is not UTF-8 text. A byte order mark stays, so that text is the file. */
export function decodeText(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A file's text, or undefined when it is missing, refused, too large or not text. */
export function findText(tree: Tree, path: string): string | undefined {
  const bytes = findBytes(tree, path);
  return bytes && decodeText(bytes);
}

/** A file's bytes, or undefined when it is missing, refused or too large. */
export function findBytes(tree: Tree, path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return tree.read(path);
  } catch (error) {
    if (error instanceof BmadError) return undefined;
    throw error;
  }
}

/** Every file below a folder, in order, without the folders that `skip` names. */
export function* walkFiles(tree: Tree, dir: string, skip: (path: string) => boolean): Generator<string> {
  for (const item of tree.list(dir)) {
    const path = joinPath(dir, item.name);
    if (skip(path)) continue;
    if (item.isDirectory) yield* walkFiles(tree, path, skip);
    else yield path;
  }
}

/**
 * The same tree, in which a folder is listed once: for a look around that ends before anything can change. What a
 * listing does not show is not asked for: to learn from the system that a file is missing takes ten times as long.
 */
export function rememberLists(tree: Tree): Tree {
  const folders = new Map<
    string,
    { readonly items: readonly TreeItem[]; readonly names: ReadonlyMap<string, TreeItem> }
  >();
  const folderAt = (dir: string) => {
    const known = folders.get(dir);
    if (known !== undefined) return known;
    const items = dir === "" || itemAt(dir)?.isDirectory ? tree.list(dir) : [];
    const folder = { items, names: new Map(items.map((item) => [item.name, item])) };
    folders.set(dir, folder);
    return folder;
  };
  const itemAt = (path: string): TreeItem | undefined => folderAt(parentPath(path)).names.get(baseName(path));
  return {
    ...tree,
    list: (dir) => folderAt(dir).items,
    stat: (path) => itemAt(path)?.isDirectory === false ? tree.stat(path) : undefined,
    hasFile: (path) =>
      (parentPath(path) === "" || itemAt(parentPath(path))?.isDirectory === true) && tree.hasFile(path),
  };
}
