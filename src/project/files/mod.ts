import { findConflict } from "../../base/conflicts.ts";
import { BmadError, fail, failFile, failOutside, forbid } from "../../base/errors.ts";
import type { SharedPlan } from "../../settings/plan/mod.ts";
import type { Work } from "../../base/work.ts";
import { withLock } from "../../process/lock.ts";
import {
  askDisk,
  decodeText,
  diskTree,
  findText,
  insidePath,
  isInside,
  isSecretFile,
  joinPath,
  normalizePath,
  realPath,
  type Tree,
} from "../../content/tree/mod.ts";
import { LIMITS } from "../limits.ts";
import { openBranches } from "./branches.ts";
import { openSeats } from "./seats.ts";
import { appendLine, checkTarget, refuseWrite, replaceFile, resolvedName, writeNew } from "./write.ts";

export {
  checkTarget,
  makeOnce,
  type Output,
  refuseWrite,
  replaceFile,
  writeNew,
  writeOutput,
} from "./write.ts";

interface FilesPlan {
  readonly root: string;
  readonly output: string;
  /** Why our records in it cannot be written; completes "it …". */
  readonly recordsProblem?: string;
  /** Folders below which files may change, absolute and real as far as they exist; none for a read-only start. */
  readonly writable: readonly string[];
  readonly shared?: SharedPlan;
}

export type SharedFiles = ReturnType<typeof openShared>;

export type ProjectFiles = ReturnType<typeof openFiles>;

const RECORDS = ".bmad-work";

export function openFiles(
  { root, output, recordsProblem, writable, shared }: FilesPlan,
  now: () => number,
  changing?: Work["changing"],
) {
  const tree = withoutSecrets(diskTree(root, { maxBytes: LIMITS.files.fileBytes }));
  const records = joinPath(output, RECORDS);
  const isGranted = (realName: string) => writable.some((folder) => isInside(realName, folder));
  const mayWrite = (realName: string) => isGranted(realName) && isDocument(realName.slice(root.length + 1));
  const opened = shared && openShared(shared, now, changing);
  const seat = (path: string) => void writeNew(root, joinPath(records, path), "", now());
  return {
    root,
    tree,
    isWritable: writable.length > 0,
    records,
    ...(opened && { shared: opened }),
    seats: opened?.seats ?? openSeats(`${root}/${records}`, now, seat),
    /** Relative to the root, absolute, or after `{project-root}`. Fails for a path outside, links resolved. */
    pathOf(field: string, given: string): string {
      const path = insidePath(field, given, root);
      checkLinks(root, path);
      return path;
    },
    realFolder(path: string): string | undefined {
      const real = realPath(path === "" ? root : `${root}/${path}`);
      return real !== undefined && isInside(real, root) && lstat(real)?.isDirectory ? real : undefined;
    },
    find(path: string): string | undefined {
      if (tree.stat(path) === undefined) return undefined;
      const text = decodeText(tree.read(path)) ??
        failFile(path, "it is not text");
      const conflict = findConflict(text);
      return conflict === undefined ? text : fail({ code: "invalid-file", path, ...conflict });
    },
    /** `before` is undefined for a new file; without a text, it is deleted. Fails if it has changed meanwhile. */
    replace: replaceIn({ root, now, changing }, mayWrite),
    append(path: string, line: string): void {
      changing?.();
      appendLine(root, path, line, mayWrite);
    },
    /** Fails if `replace` would not write there; asked before `exclusively`, a refused request leaves nothing behind. */
    checkTarget: (path: string) => checkTarget(root, path, mayWrite),
    /** Works while no other process changes the project's ledgers. `isShared`: nor what its worktrees share. */
    async exclusively<T>(work: (isShared: boolean) => T | Promise<T>, signal?: AbortSignal): Promise<T> {
      const folder = `${root}/${records}`;
      if (writable.length > 0 && recordsProblem !== undefined) {
        refuseChange(`${records} ${recordsProblem}. Move it away and restart`);
      }
      if (!isGranted(folder)) refuseChange("this start is read-only");
      checkRecords(root, records, isGranted);
      // Records and lock belong to this machine: git must not see them.
      writeNew(root, joinPath(records, ".gitignore"), "*\n", now());
      checkRecords(root, records, isGranted);
      return await withLock(`${folder}/lock`, signal, async () => {
        const place = shared && openLock({ root: shared.common, folder: shared.folder, now });
        return place === undefined
          ? await work(false)
          : await withLock(place, signal, async () => await work(true), LOCKING);
      }, LOCKING);
    },
  };
}

const LOCKING = {
  pollMs: LIMITS.files.lockPollMs,
  maxMs: LIMITS.files.lockWaitMs,
  tooLong: () => refuseChange("another program has been at work for a minute; try again later"),
};

export function openShared(
  { common, folder, project, worktree, head }: SharedPlan,
  now: () => number,
  changing?: Work["changing"],
) {
  const real = `${common}/${folder}`;
  const tree = diskTree(real, { maxBytes: LIMITS.files.fileBytes });
  const replace = replaceIn({ root: common, now, changing }, (name) => isInside(name, real));
  return {
    project,
    worktree,
    tree,
    branches: openBranches(common, head),
    seats: openSeats(real, now, (path) => void writeNew(common, joinPath(folder, path), "", now())),
    /** Under the lock, so what is there is known. */
    replace(path: string, text: string): void {
      const before = findText(tree, path);
      if (before === undefined && tree.stamp(path) !== undefined) {
        refuseChange(`${real}/${path} cannot be read: it is too large, or no text. Delete it`);
      }
      replace(joinPath(folder, path), text, before);
    },
  };
}

function openLock(place: OwnFolder): string | undefined {
  try {
    return prepareLock(place);
  } catch (error) {
    if (error instanceof BmadError && error.failure.code === "not-writable") return undefined;
    throw error;
  }
}

export type Replace = (path: string, text: string | undefined, before: string | undefined) => void;

interface OwnFolder {
  readonly root: string;
  readonly folder: string;
  now(): number;
  readonly changing?: Work["changing"];
}

/** Changes files of one folder of ours under its lock. Links out of it are not followed. */
export async function changeIn<T>(
  place: OwnFolder,
  work: (replace: Replace) => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const lock = prepareLock(place);
  const real = lock.slice(0, -LOCK.length - 1);
  const replace = replaceIn(place, (name) => isInside(name, real));
  return await withLock(lock, signal, async () => await work(replace), LOCKING);
}

function prepareLock({ root, folder, now }: OwnFolder): string {
  writeNew(root, joinPath(folder, LOCK), "", now());
  const real = realPath(`${root}/${folder}`);
  if (real === undefined || !isInside(real, root)) failOutside(folder);
  if (lstat(`${real}/${LOCK}`)?.isFile !== true) {
    refuseChange(`${folder}/${LOCK} is not a plain file; delete it`);
  }
  return `${real}/${LOCK}`;
}

function replaceIn(
  { root, now, changing }: Omit<OwnFolder, "folder">,
  mayWrite: (realName: string) => boolean,
): Replace {
  return (path, text, before) => {
    changing?.();
    if (replaceFile(root, path, text, { before, mayWrite, now: now() })) return;
    refuseWrite(path, "it has just been changed by another program; try again");
  };
}

const LOCK = ".lock";

function refuseChange(hint: string): never {
  return forbid("change the project's files", hint);
}

function checkRecords(root: string, records: string, isGranted: (realName: string) => boolean): void {
  const folder = `${root}/${records}`;
  if (lstat(folder) === undefined) return;
  const real = realPath(folder);
  if (real === undefined || !isGranted(real) || !real.endsWith(`/${RECORDS}`)) {
    refuseChange(`${records} is a link to another folder; delete it`);
  }
  const lock = lstat(`${real}/lock`);
  if (lock !== undefined && !lock.isFile) refuseChange(`${records}/lock is not a plain file; delete it`);
}

function checkLinks(root: string, path: string): void {
  try {
    resolvedName(root, path);
  } catch (error) {
    const isLink = error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.FilesystemLoop;
    if (isLink) failOutside(path);
    // Any other problem is left to the code that reads it.
    if (error instanceof BmadError) throw error;
  }
}

function lstat(path: string): Deno.FileInfo | undefined {
  return askDisk(() => Deno.lstatSync(path));
}

const DOCUMENT = /^(?:\.[\w-]+\.md|[^.].*\.(?:md|markdown|txt|ya?ml|jsonl?|toml|csv|html))$/i;
const FOREIGN = /^(?:\..*|node_modules|_bmad|_grimoire)$/i;

/** Nothing that a program runs or is configured by. */
function isDocument(path: string): boolean {
  const folders = path.split("/");
  const name = folders.pop()!;
  const own = folders.indexOf(RECORDS);
  const others = own < 0 ? folders : [...folders.slice(0, own), ...folders.slice(own + 1)];
  return DOCUMENT.test(name) && !others.some((folder) => FOREIGN.test(folder));
}

function withoutSecrets(tree: Tree): Tree {
  const isKept = (path: string) => {
    const clean = normalizePath(path) ?? "";
    return isSecretFile(clean) || /(?:^|\/)\.git(?:\/|$)/i.test(clean);
  };
  return {
    ...tree,
    stat: (path) => isKept(path) ? undefined : tree.stat(path),
    hasFile: (path) => !isKept(path) && tree.hasFile(path),
    read: (path) =>
      isKept(path) ? forbid(`read ${path}`, "it may hold secrets, or is git's own") : tree.read(path),
  };
}
