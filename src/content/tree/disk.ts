/**
 * A tree over a folder on disk: nothing outside it is read, whatever names and links say.
 *
 * Every name is resolved first, compared with the root, and then opened by its resolved name; a link that leads out
 * of the root is refused and remembered. A file has one name here, on every system: see `isAlias`.
 */
import { fail } from "../../base/errors.ts";
import { baseName, joinPath, normalizePath, parentPath } from "./paths.ts";
import type { Tree, TreeItem } from "./tree.ts";

/** The largest file that is served when nothing else is said. */
export const MAX_FILE_BYTES = 8 << 20;

const SEPARATOR = Deno.build.os === "windows" ? "\\" : "/";

/** Whether an absolute resolved path is a folder or lies below it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(SEPARATOR) ? folder : folder + SEPARATOR);
}

/** Systems on whose disks a file answers to other spellings of its name. */
const HAS_ALIASES = Deno.build.os === "windows" || Deno.build.os === "darwin";

/**
 * Whether a path that leads elsewhere than it says does so without any link: `Config.yaml`, `CONFIG~1.YAM` or
 * `config.yaml.` for `config.yaml`, on disks that take these for one. Such a spelling finds nothing, as it does on
 * Linux: what is done with a file, such as removing secrets, goes by its name.
 */
export function isAlias(path: string, root: string, isLink: (name: string) => boolean): boolean {
  const parts = path.split("/");
  return !parts.some((_, at) => isLink(`${root}${SEPARATOR}${parts.slice(0, at + 1).join(SEPARATOR)}`));
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
  const unreadable = new Set<string>();
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
    if (real !== undefined && !isInside(real, root)) {
      refused.add(clean);
      return undefined;
    }
    return real !== undefined && real !== name && isAlias(clean, root, isLink) ? undefined : real;
  };

  return {
    location: folder,
    list: (dir) => {
      const clean = normalizePath(dir) ?? "";
      const real = plain.get(clean) ?? resolve(dir);
      if (real === undefined) return [];
      const isLinked = real !== nameOf(clean);
      const names = ifThere(() => [...Deno.readDirSync(real)], () => unreadable.add(clean)) ?? [];
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
      if (folder === undefined || HAS_ALIASES) return this.stat(path) !== undefined;
      const facts = ifThere(() => Deno.lstatSync(`${folder}${SEPARATOR}${baseName(clean)}`));
      return facts?.isSymlink ? this.stat(path) !== undefined : facts?.isFile === true;
    },
    read: (path) => {
      const real = resolve(path);
      if (real !== undefined) {
        const { bytes, written } = readPlainFile(real, path, maxBytes, () => unreadable.add(path));
        newest = Math.max(newest, written);
        return bytes;
      }
      const clean = normalizePath(path);
      if (clean === undefined || refused.has(clean)) fail({ code: "outside-root", path });
      return fail({ code: "not-found", what: "file", name: path });
    },
    refused: () => [...refused],
    unreadable: () => [...unreadable],
    stamp: (path) => {
      const name = nameOf(normalizePath(path) ?? "");
      const facts = name && statOf(name);
      if (!facts) return undefined;
      const [written, changed] = [facts.mtime?.getTime() ?? 0, facts.ctime?.getTime() ?? 0];
      return {
        time: Math.max(written, changed),
        // Told in whole seconds; as a rule it was the writing that changed it.
        changedBy: written >= changed && written <= changed + 999 ? written : changed + 999,
        mark: `${facts.ino} ${facts.size} ${written} ${changed}`,
      };
    },
    newestRead: () => newest,
  };
}

/** A file's bytes and when they had been written. */
function readPlainFile(
  real: string,
  path: string,
  maxBytes: number,
  refused: () => void,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly written: number } {
  // Opening a pipe waits for its other end.
  const before = statOf(real);
  if (before !== undefined && !before.isFile && !before.isDirectory) fail({ code: "outside-root", path });
  using file = open(real, path, refused);
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

function open(real: string, path: string, refused: () => void): Deno.FsFile {
  try {
    return Deno.openSync(real, { read: true });
  } catch (error) {
    if (isMissing(error)) return fail({ code: "not-found", what: "file", name: path });
    if (isRefused(error)) refused();
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

function isLink(name: string): boolean {
  return ifThere(() => Deno.lstatSync(name))?.isSymlink === true;
}

function realPath(path: string): string | undefined {
  return ifThere(() => Deno.realPathSync(path));
}

function statOf(path: string): Deno.FileInfo | undefined {
  return ifThere(() => Deno.statSync(path));
}

/** What the system says of a name; undefined when there is none, or none for us, of which `refused` is told. */
function ifThere<T>(ask: () => T, refused?: () => void): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (!isRefused(error)) throw error;
    refused?.();
    return undefined;
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
