/** Nothing outside a folder on disk is read, whatever names and links say, and no secret renamed. */
import { isDenied, isMissing } from "../../base/absence.ts";
import { fail, failMissing, failOutside, forbid } from "../../base/errors.ts";
import { liesIn } from "../../base/paths.ts";
import { tellRead } from "../../base/work.ts";
import { LIMITS } from "../limits.ts";
import {
  isDatabase,
  isInside,
  isSecretFile,
  joinPath,
  normalizePath,
  parentPath,
  SEPARATOR,
} from "./paths.ts";
import { currentRound, isRecording, noteRead } from "./reads.ts";
import { byName, isSettled, type Stamp, type Tree, type TreeItem } from "./tree.ts";

interface DiskOptions {
  readonly maxBytes?: number;
  /** A folder that must contain this one, links followed; otherwise nothing is read. */
  readonly within?: string;
  /** Folders in it, as clean paths, into which no link leads. */
  readonly closed?: readonly string[];
  /** Milliseconds since the epoch. Without a clock, nothing computed from this tree is used for another request. */
  now?(): number;
}

export function diskTree(
  folder: string,
  { maxBytes = LIMITS.tree.fileBytes, within, closed, now }: DiskOptions = {},
): Tree {
  const { nameOf, resolve, refused } = openResolver(folder, within, closed);
  const unreadable = new Set<string>();
  /** Folders that a listing showed not to be links, with its time: their names need not be resolved again. */
  const plain = new Map<string, number>();
  /** A folder may become a link later, which must not give another name to what is kept back. */
  const isPlain = (clean: string) => performance.now() - (plain.get(clean) ?? -Infinity) < LISTED_MS;
  let newest = 0;
  const unknown = { folder: "", at: -Infinity, round: -1, isMissing: false };
  let latest = unknown;
  const isLatest = (folder: string) =>
    folder === latest.folder && currentRound() === latest.round && performance.now() - latest.at < MISSING_MS;
  /** One look at a missing folder does for what one request wants of it right after each other. */
  const isGone = (folder: string): boolean => latest.isMissing && isLatest(folder);
  /** What is there is resolved each time: its folder may have become a link. */
  const find = (path: string): string | undefined => {
    const clean = normalizePath(path) ?? "";
    const folder = parentPath(clean);
    if (isGone(folder)) return undefined;
    const real = resolve(path);
    if (real === undefined && folder !== "" && !refused.has(clean) && !isLatest(folder)) {
      const name = nameOf(folder);
      const isMissing = name !== undefined && realPath(name) === undefined;
      latest = { folder, at: performance.now(), round: currentRound(), isMissing };
    }
    return real;
  };
  /** Links followed. In a plain folder one look is enough, unless it finds a link. */
  const factsAt = (path: string): Deno.FileInfo | undefined => {
    const clean = normalizePath(path) ?? "";
    if (isPlain(parentPath(clean)) && !HAS_ALIASES) {
      const facts = askDisk(() => Deno.lstatSync(nameOf(clean)!));
      if (!facts?.isSymlink) return facts;
    }
    const real = find(path);
    return real === undefined ? undefined : statOf(real);
  };
  const isFinal = (stamp: Stamp) => now !== undefined && isSettled(stamp, now());
  const note = (path: string, stampAt: (clean: string) => Stamp | undefined) => {
    const clean = isRecording() ? normalizePath(path) : undefined;
    if (clean !== undefined) noteRead(tree, clean, stampAt(clean), isFinal);
  };
  const fileAt = (path: string): Deno.FileInfo | undefined => {
    const facts = factsAt(path);
    note(path, () => facts && stampOf(facts));
    return facts?.isFile ? facts : undefined;
  };
  const tree: Tree = {
    location: folder,
    list: (dir) => {
      note(dir, tree.stamp);
      const clean = normalizePath(dir) ?? "";
      const known = isPlain(clean);
      const real = known ? nameOf(clean) : resolve(dir);
      if (real === undefined) return [];
      // What is listed is there.
      latest = unknown;
      const isLinked = real !== nameOf(clean);
      const looked = known ? plain.get(clean)! : performance.now();
      const names = askDisk(() => [...Deno.readDirSync(real)], () => unreadable.add(clean)) ?? [];
      const items: TreeItem[] = [];
      for (const { name, isDirectory, isFile, isSymlink } of names) {
        if (!isPlainName(name)) continue;
        if (isFile || isDirectory) items.push({ name, isDirectory });
        const path = joinPath(clean, name);
        if (isDirectory && !isLinked) plain.set(path, looked);
        if (!isSymlink) continue;
        if (plain.delete(path)) {
          for (const below of plain.keys()) if (below.startsWith(`${path}/`)) plain.delete(below);
        }
        const target = resolve(path);
        const facts = target === undefined ? undefined : statOf(target);
        // Through one link at most and never below itself: cycles of links would have no end.
        if (facts?.isDirectory && (isLinked || isInside(real, target!))) continue;
        if (facts?.isFile || facts?.isDirectory) items.push({ name, isDirectory: facts.isDirectory });
      }
      return byName(items);
    },
    unlisted: (dir) => {
      const listed = new Set(tree.list(dir).map(({ name }) => name));
      const real = resolve(dir);
      const names = real === undefined ? [] : askDisk(() => [...Deno.readDirSync(real)]) ?? [];
      return byName(
        names.filter(({ name }) => !listed.has(name)).flatMap(({ name, isSymlink }) => {
          const path = joinPath(normalizePath(dir) ?? "", name);
          const target = isPlainName(name) ? resolve(path) : undefined;
          return refused.has(path) ? [] : [{ name, reason: whyUnlisted(name, isSymlink, target) }];
        }),
      );
    },
    stat: (path) => {
      const facts = fileAt(path);
      return facts && { size: facts.size, modified: facts.mtime?.getTime() };
    },
    hasFile: (path) => fileAt(path) !== undefined,
    read: (path) => {
      const real = find(path);
      const before = real === undefined ? undefined : askDisk(() => Deno.lstatSync(real));
      note(path, () => before && stampOf(before));
      if (real !== undefined) {
        const onRefusal = () => unreadable.add(path);
        const { bytes, written, stamp } = readRegularFile(real, path, { maxBytes, before, onRefusal });
        newest = Math.max(newest, written);
        readStamps.set(bytes, stamp);
        tellRead(path, folder);
        return bytes;
      }
      const clean = normalizePath(path);
      if (clean === undefined || refused.has(clean)) failOutside(path);
      return failMissing("file", path);
    },
    refused: () => [...refused],
    unreadable: () => [...unreadable],
    stamp: (path) => {
      const clean = normalizePath(path) ?? "";
      if (isGone(clean)) return undefined;
      const name = nameOf(clean);
      const facts = name && statOf(name);
      return facts ? stampOf(facts) : undefined;
    },
    newestRead: () => newest,
  };
  return tree;
}

function whyUnlisted(name: string, isSymlink: boolean, target: string | undefined): string {
  if (!isPlainName(name)) return "its name cannot be part of a path";
  if (isSymlink && target === undefined) return "the link is broken";
  return isSymlink && statOf(target!)?.isDirectory
    ? "the folder that the link leads to is shown in another place"
    : "it is neither a file nor a folder";
}

function isPlainName(name: string): boolean {
  return normalizePath(name) === name;
}

const readStamps = new WeakMap<Uint8Array, Stamp>();

/** The state of a file before these bytes were read from it; undefined if they are not from a disk. */
export function stampBefore(bytes: Uint8Array): Stamp | undefined {
  return readStamps.get(bytes);
}

function stampOf({ ino, mode, size, mtime, ctime }: Deno.FileInfo): Stamp {
  const written = mtime?.getTime() ?? 0;
  const changed = ctime?.getTime() ?? written;
  return {
    time: Math.max(written, changed),
    // ctime comes in whole seconds, and as a rule it was the writing that changed it.
    changedBy: written >= changed && written <= changed + 999 ? written : changed + 999,
    // Rights that are taken and given back within one second show in nothing else.
    mark: `${ino} ${mode} ${size} ${written} ${changed}`,
  };
}

/** For so long a missing folder is not looked for again: a process that makes it takes longer. */
const MISSING_MS = 1;

/** For so long a folder stays what its listing showed. */
const LISTED_MS = 1_000;

interface ReadOptions {
  readonly maxBytes: number;
  readonly before: Deno.FileInfo | undefined;
  onRefusal(): void;
}

function readRegularFile(real: string, path: string, { maxBytes, before, onRefusal }: ReadOptions) {
  const refuse = (problem: string, hint?: string) =>
    fail({ code: "invalid-input", field: "path", problem: `"${path}" ${problem}`, ...(hint && { hint }) });
  if (isDatabase(real)) refuse("is a database");
  // Opening a pipe would block until its other end is opened. The name was resolved a moment ago: if it is a link
  // now, it was swapped.
  if (before !== undefined && !before.isFile && !before.isDirectory) failOutside(path);
  using file = open(real, path, onRefusal);
  const facts = file.statSync();
  if (facts.isDirectory) refuse("is a folder", "Name a file in it");
  const isSame = facts.ino !== null && facts.ino === before?.ino && facts.dev === before.dev;
  if (!facts.isFile || (!isSame && Deno.lstatSync(real).isSymlink)) failOutside(path);
  if (facts.size > maxBytes) {
    refuse(`has ${facts.size} bytes, more than the maximum file size of ${maxBytes}`);
  }
  const bytes = new Uint8Array(facts.size);
  let read = 0;
  for (let n; read < bytes.length && (n = file.readSync(bytes.subarray(read))); read += n);
  const isWhole = read === bytes.length;
  // A file that is shorter than its size is being written right now.
  const { mtime } = isWhole ? facts : file.statSync();
  return {
    bytes: isWhole ? bytes : bytes.slice(0, read),
    written: mtime?.getTime() ?? 0,
    stamp: stampOf(facts),
  };
}

function open(real: string, path: string, onRefusal: () => void): Deno.FsFile {
  try {
    return Deno.openSync(real, { read: true });
  } catch (error) {
    if (leadsNowhere(error)) return failMissing("file", path);
    if (isDenied(error)) onRefusal();
    if (error instanceof Deno.errors.NotCapable) return failOutside(path);
    if (error instanceof Deno.errors.PermissionDenied) {
      return forbid(`read "${path}"`, "the system denies it to this user");
    }
    throw error;
  }
}

const HAS_ALIASES = Deno.build.os === "windows" || Deno.build.os === "darwin";

export function realPath(name: string): string | undefined {
  return askDisk(() => Deno.realPathSync(name));
}

function statOf(name: string): Deno.FileInfo | undefined {
  return askDisk(() => Deno.statSync(name));
}

function isLink(name: string): boolean {
  return askDisk(() => Deno.lstatSync(name))?.isSymlink === true;
}

/** The system's answer about a name; undefined for a broken link, or for what this process may not see. */
export function askDisk<T>(ask: () => T, onDenied?: () => void): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (leadsNowhere(error)) return undefined;
    if (!isDenied(error)) throw error;
    onDenied?.();
    return undefined;
  }
}

function leadsNowhere(error: unknown): boolean {
  return isMissing(error) || error instanceof Deno.errors.FilesystemLoop ||
    (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG");
}

/** `CONFIG~1.YAM` for `config.yaml`: it finds nothing, as on Linux, because secrets are removed by a file's name. */
export function isAlias(path: string, root: string, isLink: (name: string) => boolean): boolean {
  const parts = path.split("/");
  return !parts.some((_, at) => isLink(`${root}${SEPARATOR}${parts.slice(0, at + 1).join(SEPARATOR)}`));
}

/** `folder` need not exist yet, and must lie in `within`, links followed. No link leads into a `closed` folder. */
function openResolver(folder: string, within: string | undefined, closed: readonly string[] = []) {
  const refused = new Set<string>();
  const findRoot = () => {
    const real = realPath(folder);
    if (real === undefined || within === undefined) return real;
    const outer = realPath(within);
    return outer !== undefined && isInside(real, outer) ? real : undefined;
  };
  let root: string | undefined;
  const nameOf = (clean: string): string | undefined => {
    // A folder that is gone, or out of reach behind a link, may come back under its own name.
    if (root === undefined || (clean === "" && realPath(root) === undefined)) root = findRoot();
    if (clean === "" || root === undefined) return root;
    return `${root}${SEPARATOR}${SEPARATOR === "/" ? clean : clean.replaceAll("/", SEPARATOR)}`;
  };
  const resolve = (path: string): string | undefined => {
    const clean = normalizePath(path);
    const name = clean === undefined ? undefined : nameOf(clean);
    if (clean === undefined || name === undefined || root === undefined) return undefined;
    const real = realPath(name);
    // A link must not give another name to a file that is kept back because of its own.
    const own = real !== undefined && real !== name && isInside(real, root)
      ? real.slice(root.length).replaceAll(SEPARATOR, "/")
      : undefined;
    const isKept = own !== undefined && (isSecretFile(own) || closed.some((each) => liesIn(own, `/${each}`)));
    if (real !== undefined && (isKept || !isInside(real, root))) {
      refused.add(clean);
      return undefined;
    }
    return real !== undefined && real !== name && isAlias(clean, root, isLink) ? undefined : real;
  };
  return { nameOf, resolve, refused: refused as ReadonlySet<string> };
}
