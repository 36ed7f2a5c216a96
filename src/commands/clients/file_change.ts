/**
 * Changes a file on disk, completely or not at all: a client's, git's or one of ours.
 *
 * The new text is written to a draft beside the file, which then replaces it in one step and keeps its owner and mode. Just
 * before that the file is read again, so that changes by other programs are never overwritten. The first change of
 * other people's content leaves a backup. Needs only the rights that target.ts asks for.
 *
 * Nothing that root creates in a user's home may become root's. Owner and mode are set through the open file: by its
 * name, a user could put a link in its place at that moment, and root would give away what the link points to.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lchownSync,
  openSync,
  writeSync,
} from "node:fs";
import { fail, reportRefusal } from "../../base/errors.ts";
import type { Context, Owner } from "../../base/paths.ts";
import { command, withCommand } from "../../base/text.ts";
import { type OwnChange, withOwnChange } from "../../settings/mod.ts";
import type { Edit } from "./file_text.ts";
import { backupOf, draftOf, type FilePlace, folderOf } from "./target.ts";

export type Change = Edit & {
  readonly before?: string;
  /** The backup, if it was made now, or stays after a removal because it differs from what is left. */
  readonly backup?: string;
};

export interface ChangeOptions {
  /** Whether to change nothing, and only return what would change. */
  readonly dryRun: boolean;
  readonly isPrivate?: boolean;
  now(): number;
}

const ATTEMPTS = 3;

/** After this time the process that wrote a draft must have been killed. */
const ABANDONED_MS = 60_000;

export function changeFile(
  target: FilePlace,
  edit: (text: string | undefined, before: string | undefined) => Edit,
  options: ChangeOptions,
): Change {
  if (target.problem !== undefined) return { outcome: "invalid", problem: target.problem };
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const bytes = readFile(target.real);
      const before = decode(bytes);
      const original = decode(readFile(backupOf(target)));
      const result = edit(before, original);
      if (!("needsBackup" in result) || options.dryRun) return { ...result, before };
      const backup = replaceFile(target, bytes, result, original, options);
      if (backup !== "changed") return { ...result, before, ...(backup && { backup }) };
    }
  } catch (error) {
    const isLocked = target.lock !== undefined && error instanceof Deno.errors.AlreadyExists;
    return {
      outcome: "invalid",
      problem: isLocked ? `${target.lock} is in the way: another program is changing it` : reasonOf(error),
    };
  }
  return { outcome: "invalid", problem: "another program keeps changing it; try again" };
}

export function readPlace(
  { real, problem }: FilePlace,
): { readonly text?: string; readonly problem?: string } {
  if (problem !== undefined) return { problem };
  try {
    return { text: decode(readFile(real)) };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

type Written = Extract<Edit, { readonly needsBackup: boolean }>;

function replaceFile(
  target: FilePlace,
  bytes: Uint8Array | undefined,
  { outcome, text, needsBackup }: Written,
  original: string | undefined,
  { now, isPrivate = false }: ChangeOptions,
): string | "changed" | undefined {
  const { real } = target;
  const isSame = () => isEqual(readFile(real), bytes);
  if (text === undefined) {
    if (!isSame()) return "changed";
    Deno.removeSync(real);
    for (const folder of target.parents) removeIfPossible(folder);
    return undefined;
  }
  const kept: Kept = bytes === undefined
    ? { newOwner: target.newOwner, ...(isPrivate && { mode: 0o600 }) }
    : keptOf(real);
  if (isPrivate && ((kept.mode ?? 0) & 0o077) !== 0) {
    throw new Deno.errors.PermissionDenied(
      withCommand("others can read it, and the entry holds your token. Run", command`chmod 600 ${real}`),
    );
  }
  if (target.missingFolder !== undefined) {
    createFolders(target.missingFolder, folderOf(real), target.newOwner);
  }
  const draft = draftOf(target);
  if (target.lock === undefined) clearAbandoned(draft, now());
  writeNew(draft, new TextEncoder().encode(text), kept);
  try {
    if (!isSame()) {
      Deno.removeSync(draft);
      return "changed";
    }
    const isFirst = needsBackup && bytes !== undefined && original === undefined;
    if (isFirst) writeNew(backupOf(target), bytes, kept);
    Deno.renameSync(draft, real);
    if (outcome !== "removed") return isFirst ? backupOf(target) : undefined;
    if (original === text) Deno.removeSync(backupOf(target));
    return isFirst || (original !== undefined && original !== text) ? backupOf(target) : undefined;
  } catch (error) {
    removeIfPossible(draft);
    throw error;
  }
}

function readFile(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Deno.readFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Keeps a byte order mark: it is part of the file. */
function decode(bytes: Uint8Array<ArrayBuffer> | undefined): string | undefined {
  return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Removes the draft of a process that was killed. */
function clearAbandoned(draft: string, now: number): void {
  try {
    const { mtime } = Deno.lstatSync(draft);
    if (mtime !== null && now - mtime.getTime() > ABANDONED_MS) Deno.removeSync(draft);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function isEqual(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return "it is not UTF-8";
  if (error instanceof Deno.errors.AlreadyExists) {
    return "another install is changing it; try again in a minute";
  }
  if (!(error instanceof Error)) throw error;
  // The system's words, as Deno and as Node quote them.
  const [, deno, node] = /^(?:([^\n]*?) ?\(os error \d+\)|E[A-Z]+: ([^,\n]+), )/.exec(error.message) ?? [];
  const reason = deno ?? node;
  if (reason === undefined && !(error instanceof Deno.errors.PermissionDenied)) throw error;
  return reason === undefined ? error.message : `it cannot be read or written: ${reason}`;
}

export function changeOwnFile(change: OwnChange, context: Omit<Context, "base">): boolean {
  const { file } = change;
  return changeText(file, (text) => withOwnChange(text, change, context), {
    draft: `${file}.${crypto.randomUUID().slice(0, 8)}`,
    isPrivate: true,
    ifLink: `Edit ${"key" in change ? change.key : "trusted"} in it yourself`,
  });
}

interface ChangeTextOptions {
  readonly draft: string;
  readonly isPrivate?: boolean;
  /** What to do by hand if the file is a link, which is left alone. */
  readonly ifLink?: string;
}

export function changeText(
  file: string,
  edit: (text: string) => string | undefined,
  { draft, isPrivate = false, ifLink = "Replace it with a file" }: ChangeTextOptions,
): boolean {
  const isNew = isMissing(file);
  if (!isNew && !Deno.lstatSync(file).isFile) {
    const hint = Deno.lstatSync(file).isSymlink ? `it is a link. ${ifLink}` : "it is not a file";
    return fail({ code: "not-allowed", what: `change ${file}`, hint });
  }
  const text = edit(isNew ? "" : readText(file));
  if (text === undefined) return false;
  return reportRefusal(file, () => {
    try {
      const folder = folderOf(file);
      if (isMissing(folder)) Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeNew(draft, new TextEncoder().encode(text), isNew ? newIn(folder, isPrivate) : keptOf(file));
      Deno.renameSync(draft, file);
      return true;
    } catch (error) {
      removeIfPossible(draft);
      throw error;
    }
  });
}

function readText(path: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Deno.readFileSync(path));
}

/** What root creates belongs to the owner of the folder. */
function newIn(folder: string, isPrivate: boolean): Kept {
  const { uid, gid } = Deno.lstatSync(folder);
  const newOwner = uid === null || gid === null ? undefined : { uid, gid };
  return { ...(newOwner && { newOwner }), ...(isPrivate && { mode: 0o600 }) };
}

function isMissing(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
}

/** What a new file must have: the owner and mode of the file that it replaces, or the owner of its folder. */
interface Kept {
  readonly owner?: Owner;
  readonly newOwner?: Owner;
  readonly mode?: number;
}

function keptOf(path: string): Kept {
  const { mode, uid, gid } = Deno.lstatSync(path);
  if (mode !== null && (mode & 0o200) === 0) throw new Deno.errors.PermissionDenied("it is write-protected");
  return {
    ...(mode !== null && { mode: mode & 0o777 }),
    ...(uid !== null && gid !== null && { owner: { uid, gid } }),
  };
}

/** Writes a file that must not exist yet, completely or not at all. */
function writeNew(path: string, bytes: Uint8Array, { mode, owner, newOwner }: Kept): void {
  const file = create(path, mode);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    if (owner !== undefined) keepOwner(file, owner);
    else if (newOwner !== undefined && fstatSync(file).uid === 0) {
      fchownSync(file, newOwner.uid, newOwner.gid);
    }
    // Undoes what the umask took away.
    if (mode !== undefined && Deno.build.os !== "windows") fchmodSync(file, mode);
    fsyncSync(file);
  } catch (error) {
    removeIfPossible(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

function create(path: string, mode: number | undefined): number {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode ?? 0o666);
  } catch (error) {
    if ((error as { code?: unknown }).code === "EEXIST") throw new Deno.errors.AlreadyExists(path);
    throw error;
  }
}

function keepOwner(file: number, { uid, gid }: Owner): void {
  const created = fstatSync(file);
  if (created.uid === uid && created.gid === gid) return;
  try {
    fchownSync(file, uid, gid);
  } catch {
    throw new Deno.errors.PermissionDenied(
      `it belongs to user ${uid} and group ${gid}, which only they or root can keep; nothing was changed`,
    );
  }
}

/** Creates the folders from `outermost` to `innermost`. Root gives them to the owner of the folder they are in. */
function createFolders(outermost: string, innermost: string, newOwner: Owner | undefined): void {
  const above = folderOf(innermost);
  if (innermost !== outermost && above.length >= outermost.length) createFolders(outermost, above, newOwner);
  try {
    Deno.mkdirSync(innermost);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return;
    throw error;
  }
  if (newOwner !== undefined && Deno.lstatSync(innermost).uid === 0) {
    lchownSync(innermost, newOwner.uid, newOwner.gid);
  }
}

function removeIfPossible(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It is gone already, or not empty: either way it is not ours to remove.
  }
}
