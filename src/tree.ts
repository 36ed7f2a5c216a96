/**
 * Reading inside one folder and never outside it.
 *
 * A `Tree` lists, measures and reads files by a path relative to its root, on disk or in the embedded content.
 * Every name is resolved first, compared with the root, and then opened by its resolved name; a link that
 * leads out of the root is refused and remembered. What the files mean is left to others.
 */
import { BmadError, fail } from "./errors.ts";

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
  /** The present state of a file or folder, links followed; undefined when it is missing or never changes. */
  stamp(path: string): Stamp | undefined;
  /** When the youngest of the files that were read so far had been written; 0 when none can have changed. */
  newestRead(): number;
}

/** The largest file that is served when nothing else is said. */
export const MAX_FILE_BYTES = 8 << 20;

const UNTIDY = /(?:^|\/)\.{0,2}(?:\/|$)|[\\\0]/;

/** `a/./b/../c` → `a/c`; undefined when the path leads above its root or can be no path at all. */
export function normalizePath(path: string): string | undefined {
  // Nearly every path is clean already.
  if (!UNTIDY.test(path)) return path;
  if (path.includes("\0")) return undefined;
  const kept: string[] = [];
  for (const part of path.replaceAll("\\", "/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.pop() === undefined) return undefined;
  }
  return kept.join("/");
}

/** Joins parts of a path inside a tree. Empty parts vanish. */
export function joinPath(...parts: readonly string[]): string {
  let path = "";
  for (const part of parts) if (part !== "") path = path === "" ? part : `${path}/${part}`;
  return path;
}

/** The folder part of a path inside a tree; "" for a name at the top. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
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
  try {
    return decodeText(tree.read(path));
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

/** How a folder on disk is read. */
export interface DiskOptions {
  /** The largest file that is served. */
  readonly maxBytes?: number;
  /** A folder that the tree's own must lie in, links followed; otherwise nothing is read. */
  readonly within?: string;
}

/** A tree over a folder on disk. The folder need not exist yet. */
export function diskTree(folder: string, { maxBytes = MAX_FILE_BYTES, within }: DiskOptions = {}): Tree {
  const findRoot = () => {
    const real = realPath(folder);
    const outer = within === undefined ? undefined : realPath(within);
    return real === undefined || within === undefined || (outer !== undefined && isInside(real, outer))
      ? real
      : undefined;
  };
  let root = findRoot();
  let newest = 0;
  const refused = new Set<string>();
  /** Folders that a listing showed as plain ones: their names need not be resolved again. */
  const plain = new Map<string, string>();

  /** The absolute name of a clean path; undefined when there is no root. */
  const nameOf = (clean: string): string | undefined => {
    root ??= findRoot();
    return clean === "" ? root : root && `${root}${SEPARATOR}${clean.replaceAll("/", SEPARATOR)}`;
  };

  /** The resolved absolute name of a path, undefined when it does not exist or leads out. */
  const resolve = (path: string): string | undefined => {
    const clean = normalizePath(path);
    const name = clean === undefined ? undefined : nameOf(clean);
    if (clean === undefined || name === undefined || root === undefined) return undefined;
    const real = realPath(name);
    if (real === undefined || isInside(real, root)) return real;
    refused.add(clean);
    return undefined;
  };

  return {
    location: folder,
    list: (dir) => {
      const clean = normalizePath(dir) ?? "";
      const real = plain.get(clean) ?? resolve(dir);
      if (real === undefined) return [];
      const isLinked = real !== nameOf(clean);
      const names = ifThere(() => [...Deno.readDirSync(real)]) ?? [];
      const items: TreeItem[] = [];
      for (const { name, isDirectory, isFile, isSymlink } of names) {
        if (isFile || isDirectory) items.push({ name, isDirectory });
        if (isDirectory && !isLinked) plain.set(joinPath(clean, name), `${real}${SEPARATOR}${name}`);
        else if (isSymlink) {
          const target = resolve(joinPath(clean, name));
          const facts = target === undefined ? undefined : statOf(target);
          // A folder is shown by one link only and never below itself: circles of links would have no end.
          if (facts?.isDirectory && (isLinked || isInside(real, target!))) continue;
          if (facts?.isFile || facts?.isDirectory) items.push({ name, isDirectory: facts.isDirectory });
        }
      }
      return items.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    stat: (path) => {
      const real = resolve(path);
      const facts = real === undefined ? undefined : statOf(real);
      return facts?.isFile ? { size: facts.size, modified: facts.mtime?.getTime() } : undefined;
    },
    hasFile(path) {
      const clean = normalizePath(path) ?? "";
      const folder = plain.get(parentPath(clean));
      if (folder === undefined) return this.stat(path) !== undefined;
      const facts = ifThere(() => Deno.lstatSync(`${folder}${SEPARATOR}${baseName(clean)}`));
      return facts?.isSymlink ? this.stat(path) !== undefined : facts?.isFile === true;
    },
    read: (path) => {
      const real = resolve(path);
      if (real !== undefined) {
        const { bytes, written } = readPlainFile(real, path, maxBytes);
        newest = Math.max(newest, written);
        return bytes;
      }
      const clean = normalizePath(path);
      if (clean === undefined || refused.has(clean)) fail({ code: "outside-root", path });
      return fail({ code: "not-found", what: "file", name: path, near: [] });
    },
    refused: () => [...refused],
    stamp: (path) => {
      const name = nameOf(normalizePath(path) ?? "");
      const facts = name && statOf(name);
      if (!facts) return undefined;
      const [written, changed] = [facts.mtime?.getTime() ?? 0, facts.ctime?.getTime() ?? 0];
      return {
        time: Math.max(written, changed),
        mark: `${facts.ino} ${facts.size} ${written} ${changed}`,
      };
    },
    newestRead: () => newest,
  };
}

/** The files of a pack: by folder, each name with the hash that its bytes are stored under and its size. */
export type PackFiles = Readonly<
  Record<string, Readonly<Record<string, readonly [hash: string, size: number]>>>
>;

/**
 * A tree over embedded content, whose files are stored once each under the hash of their bytes. The list of files
 * is read when it is first needed: a start does without.
 */
export function embeddedTree(location: string, readFiles: () => PackFiles, blobDir: string): Tree {
  let known: PackFiles | undefined;
  const files = () => known ??= readFiles();
  let folders: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  // Looked up as own keys only: "constructor" is a name like any other.
  const namesIn = (dir: string) => Object.hasOwn(files(), dir) ? files()[dir]! : {};
  const find = (path: string): readonly [string, number] | undefined => {
    const clean = normalizePath(path);
    if (clean === undefined) return undefined;
    const names = namesIn(parentPath(clean));
    return Object.hasOwn(names, baseName(clean)) ? names[baseName(clean)] : undefined;
  };
  return {
    location,
    list: (dir) => {
      const clean = normalizePath(dir);
      if (clean === undefined) return [];
      const items = [...(folders ??= foldersOf(files())).get(clean) ?? []].map((name) => ({
        name,
        isDirectory: true,
      }));
      for (const name of Object.keys(namesIn(clean))) items.push({ name, isDirectory: false });
      return items.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    stat: (path) => {
      const found = find(path);
      return found === undefined ? undefined : { size: found[1] };
    },
    hasFile: (path) => find(path) !== undefined,
    read: (path) => {
      const found = find(path);
      if (found !== undefined) return Deno.readFileSync(`${blobDir}${SEPARATOR}${found[0]}`);
      if (normalizePath(path) === undefined) fail({ code: "outside-root", path });
      return fail({ code: "not-found", what: "file", name: path, near: [] });
    },
    refused: () => [],
    stamp: () => undefined,
    newestRead: () => 0,
  };
}

/** The folders in each folder of a pack. */
function foldersOf(files: PackFiles): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const dir of Object.keys(files)) {
    for (let at = dir; at !== ""; at = parentPath(at)) {
      const names = folders.get(parentPath(at)) ?? new Set();
      folders.set(parentPath(at), names.add(baseName(at)));
    }
  }
  return folders;
}

const SEPARATOR = Deno.build.os === "windows" ? "\\" : "/";

/** Whether an absolute resolved path is a folder or lies below it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(SEPARATOR) ? folder : folder + SEPARATOR);
}

/** A file's bytes and when they had been written. */
function readPlainFile(
  real: string,
  path: string,
  maxBytes: number,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly written: number } {
  // Opening a pipe waits for its other end.
  const before = statOf(real);
  if (before !== undefined && !before.isFile && !before.isDirectory) fail({ code: "outside-root", path });
  using file = open(real, path);
  const facts = file.statSync();
  if (facts.isDirectory) {
    fail({
      code: "invalid-input",
      field: "path",
      problem: `"${path}" is a folder`,
      hint: "Name a file in it",
    });
  }
  // The name was resolved a moment ago: if it is a link now, somebody swapped it.
  if (!facts.isFile || Deno.lstatSync(real).isSymlink) fail({ code: "outside-root", path });
  if (facts.size > maxBytes) {
    const problem =
      `"${path}" has ${facts.size} bytes, more than the ${maxBytes} that are served (--max-file)`;
    fail({ code: "invalid-input", field: "path", problem });
  }
  const bytes = new Uint8Array(facts.size);
  let read = 0;
  for (let n; read < bytes.length && (n = file.readSync(bytes.subarray(read))); read += n);
  const isWhole = read === bytes.length;
  // A file that is shorter than it said is being written now.
  const { mtime } = isWhole ? facts : file.statSync();
  return { bytes: isWhole ? bytes : bytes.slice(0, read), written: mtime?.getTime() ?? 0 };
}

function open(real: string, path: string): Deno.FsFile {
  try {
    return Deno.openSync(real, { read: true });
  } catch (error) {
    if (isMissing(error)) return fail({ code: "not-found", what: "file", name: path, near: [] });
    if (error instanceof Deno.errors.NotCapable) return fail({ code: "outside-root", path });
    if (error instanceof Deno.errors.PermissionDenied) {
      return fail({
        code: "not-allowed",
        what: `read "${path}"`,
        hint: "the system refuses it to this user",
      });
    }
    throw error;
  }
}

function realPath(path: string): string | undefined {
  return ifThere(() => Deno.realPathSync(path));
}

function statOf(path: string): Deno.FileInfo | undefined {
  return ifThere(() => Deno.statSync(path));
}

/** What the system says of a name; undefined when there is none, or none for us. */
function ifThere<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (isMissing(error) || isRefused(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    error instanceof Deno.errors.FilesystemLoop ||
    (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG");
}

function isRefused(error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied;
}
