/**
 * Changes a file on disk, completely or not at all: a draft beside it replaces it in one step, with its owner and mode.
 * Just before, the file is read again, so that no change by another program is lost. The first change of other people's
 * content leaves a backup. Nothing that root creates in a user's home may stay root's. Owner and mode are set through
 * the open file: in place of its name, a user could put a link, and root would give away what that points to.
 */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lchownSync,
  openSync,
  writeSync,
} from "node:fs";
import { attempt, unlessMissing } from "../../base/absence.ts";
import { forbid, reportRefusal, systemCode, systemWords } from "../../base/errors.ts";
import type { Context, Owner } from "../../base/paths.ts";
import { command, withCommand } from "../../base/text.ts";
import { sweepDrafts } from "../../process/private_folder.ts";
import { type OwnChange, withOwnChange } from "../../settings/mod.ts";
import { LIMITS } from "../limits.ts";
import type { Edit } from "./file_text.ts";
import { backupOf, draftOf, type FilePlace, folderOf, missingFolders } from "./target.ts";

export type Change = Edit & {
  readonly before?: string;
  /** The backup, if it was made now, or stays after a removal because it differs from what is left. */
  readonly backup?: string;
};

export interface ChangeOptions {
  readonly dryRun: boolean;
  readonly isPrivate?: boolean;
  now(): number;
}

export function changeFile(
  target: FilePlace,
  edit: (text: string | undefined, before: string | undefined) => Edit,
  options: ChangeOptions,
): Change {
  if (target.problem !== undefined) return { outcome: "invalid", problem: target.problem };
  try {
    for (let attempt = 0; attempt < LIMITS.clients.attempts; attempt++) {
      const bytes = readFile(target.real);
      const before = decode(bytes);
      const original = decode(readFile(backupOf(target)));
      const result = edit(before, original);
      if (!("needsBackup" in result) || options.dryRun) return { ...result, before };
      const isWorthBackup = result.needsBackup && original === undefined;
      const isWritten = result.text === undefined
        ? removeFile(target, bytes, isWorthBackup)
        : replaceFile(target, bytes, result.text, isWorthBackup, options);
      if (!isWritten) continue;
      const backup = keptBackup(target, bytes, result, original);
      return { ...result, before, ...(backup && { backup }) };
    }
  } catch (error) {
    return { outcome: "invalid", problem: reasonOf(error, target.lock) };
  }
  return { outcome: "invalid", problem: "another program keeps changing it; try again" };
}

export function readPlace({ real, problem }: FilePlace) {
  if (problem !== undefined) return { problem };
  try {
    return { text: decode(readFile(real)) };
  } catch (error) {
    return { problem: reasonOf(error, undefined) };
  }
}

/** False if it has changed since it was read. */
function removeFile(target: FilePlace, bytes: Uint8Array | undefined, isWorthBackup: boolean): boolean {
  const { real, parents } = target;
  if (!isEqual(readFile(real), bytes)) return false;
  if (isWorthBackup) Deno.renameSync(real, backupOf(target));
  else Deno.removeSync(real);
  // Only empty ones go.
  for (const folder of parents) attempt(() => Deno.removeSync(folder));
  return true;
}

function replaceFile(
  target: FilePlace,
  bytes: Uint8Array<ArrayBuffer> | undefined,
  text: string,
  isWorthBackup: boolean,
  { now, isPrivate = false }: ChangeOptions,
): boolean {
  const { real, newOwner, scope } = target;
  const access = bytes === undefined ? accessToNew(newOwner, isPrivate || scope === "user") : accessTo(real);
  if (isPrivate && ((access.mode ?? 0) & 0o077) !== 0) {
    throw new Deno.errors.PermissionDenied(
      withCommand("others can read it, and the entry holds your token. Run", command`chmod 600 ${real}`),
    );
  }
  for (const folder of missingFolders(target).toReversed()) createFolder(folder, newOwner);
  const draft = draftOf(target);
  if (target.lock === undefined) clearAbandoned(draft, now());
  writeNew(draft, new TextEncoder().encode(text), access);
  try {
    const isUnchanged = isEqual(readFile(real), bytes);
    if (isUnchanged && isWorthBackup && bytes !== undefined) writeNew(backupOf(target), bytes, access);
    if (isUnchanged) Deno.renameSync(draft, real);
    else Deno.removeSync(draft);
    return isUnchanged;
  } catch (error) {
    attempt(() => Deno.removeSync(draft));
    throw error;
  }
}

function keptBackup(
  target: FilePlace,
  bytes: Uint8Array | undefined,
  { outcome, text, needsBackup }: Extract<Edit, { readonly needsBackup: boolean }>,
  original: string | undefined,
): string | undefined {
  const isFirst = needsBackup && bytes !== undefined && original === undefined;
  if (outcome !== "removed" || text === undefined) return isFirst ? backupOf(target) : undefined;
  if (original === text) Deno.removeSync(backupOf(target));
  return isFirst || (original !== undefined && original !== text) ? backupOf(target) : undefined;
}

function readFile(path: string): Uint8Array<ArrayBuffer> | undefined {
  return unlessMissing(() => Deno.readFileSync(path));
}

/** Keeps a byte order mark. */
function decode(bytes: Uint8Array<ArrayBuffer> | undefined): string | undefined {
  return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function clearAbandoned(draft: string, now: number): void {
  const mtime = lookAt(draft)?.mtime ?? undefined;
  if (mtime && now - mtime.getTime() > LIMITS.clients.abandonedMs) {
    unlessMissing(() => Deno.removeSync(draft));
  }
}

function isEqual(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a?.length === b?.length && a!.every((byte, at) => byte === b![at]));
}

function reasonOf(error: unknown, lock: string | undefined): string {
  if (error instanceof TypeError) return "it is not UTF-8";
  if (systemCode(error) === "EEXIST") {
    return lock === undefined
      ? "another install is changing it; try again in a minute"
      : `${lock} is in the way: another program is changing it, or was killed. Delete it if none is`;
  }
  if (!(error instanceof Error)) throw error;
  const reason = systemWords(error);
  if (reason !== error.message) return `it cannot be read or written: ${reason}`;
  if (error instanceof Deno.errors.PermissionDenied) return reason;
  throw error;
}

export function changeOwnFile(change: OwnChange, context: Omit<Context, "base">): boolean {
  const { file } = change;
  return changeText(file, (text) => withOwnChange(text, change, context), {
    draft: `${file}.${crypto.randomUUID().slice(0, 8)}`,
    drafts: /^config\.toml\.[0-9a-f]{8}$/,
    isPrivate: true,
    ifLink: `Edit ${"key" in change ? change.key : "trusted"} in it yourself`,
  });
}

interface ChangeTextOptions {
  readonly draft: string;
  readonly drafts?: RegExp;
  readonly isPrivate?: boolean;
  /** What to do by hand if the file is a link, which stays. */
  readonly ifLink?: string;
}

export function changeText(
  file: string,
  edit: (text: string) => string | undefined,
  { draft, drafts, isPrivate = false, ifLink = "Replace it with a file" }: ChangeTextOptions,
): boolean {
  const present = lookAt(file);
  if (present && !present.isFile) {
    return forbid(`change ${file}`, present.isSymlink ? `it is a link. ${ifLink}` : "it is not a file");
  }
  const text = edit(present ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(readFile(file)) : "");
  if (text === undefined) return false;
  return reportRefusal(file, () => {
    try {
      const folder = folderOf(file);
      if (!lookAt(folder)) Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const access = present ? accessTo(file) : accessToNew(ownerOf(folder), isPrivate);
      writeNew(draft, new TextEncoder().encode(text), access);
      if (drafts !== undefined) sweepDrafts(draft, drafts);
      Deno.renameSync(draft, file);
      return true;
    } catch (error) {
      attempt(() => Deno.removeSync(draft));
      throw error;
    }
  });
}

interface Access {
  readonly owner?: Owner;
  readonly newOwner?: Owner;
  readonly mode?: number;
}

function accessTo(path: string): Access {
  const { mode } = Deno.lstatSync(path);
  if (mode !== null && (mode & 0o200) === 0) throw new Deno.errors.PermissionDenied("it is write-protected");
  return { owner: ownerOf(path), ...(mode !== null && { mode: mode & 0o777 }) };
}

function accessToNew(newOwner: Owner | undefined, isPrivate: boolean): Access {
  return { newOwner, ...(isPrivate && { mode: 0o600 }) };
}

function ownerOf(path: string): Owner | undefined {
  const { uid, gid } = Deno.lstatSync(path);
  return uid === null || gid === null ? undefined : { uid, gid };
}

function lookAt(path: string): Deno.FileInfo | undefined {
  return unlessMissing(() => Deno.lstatSync(path));
}

function writeNew(path: string, bytes: Uint8Array, { mode, owner, newOwner }: Access): void {
  const file = openSync(path, "wx", mode ?? 0o666);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    if (owner !== undefined) keepOwner(file, owner);
    else if (newOwner !== undefined && fstatSync(file).uid === 0) {
      fchownSync(file, newOwner.uid, newOwner.gid);
    }
    // Undoes the umask.
    if (mode !== undefined && Deno.build.os !== "windows") fchmodSync(file, mode);
    fsyncSync(file);
  } catch (error) {
    attempt(() => Deno.removeSync(path));
    throw error;
  } finally {
    closeSync(file);
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

/** A folder that root creates goes to the owner of the one around it. */
function createFolder(folder: string, newOwner: Owner | undefined): void {
  try {
    Deno.mkdirSync(folder);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return;
    throw error;
  }
  if (newOwner !== undefined && Deno.lstatSync(folder).uid === 0) {
    lchownSync(folder, newOwner.uid, newOwner.gid);
  }
}
