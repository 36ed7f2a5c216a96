/**
 * Creates files and folders in other people's places: nothing that root creates in a user's home may become root's.
 *
 * Owner and mode are set through the open file. By its name, a user could put a link in its place at that moment, and
 * root would give away what the link points to.
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
import type { Owner } from "../../base/paths.ts";
import { folderOf } from "./paths.ts";

/** What a new file must have: the owner and mode of the file that it replaces, or the owner of its folder. */
export interface Kept {
  readonly owner?: Owner;
  readonly newOwner?: Owner;
  readonly mode?: number;
}

/** The owner and mode of a file; fails if it is write-protected. */
export function keptOf(path: string): Kept {
  const { mode, uid, gid } = Deno.lstatSync(path);
  if (mode !== null && (mode & 0o200) === 0) throw new Deno.errors.PermissionDenied("it is write-protected");
  return {
    ...(mode !== null && { mode: mode & 0o777 }),
    ...(uid !== null && gid !== null && { owner: { uid, gid } }),
  };
}

/** Writes a file that must not exist yet, completely or not at all. */
export function writeNew(path: string, bytes: Uint8Array, { mode, owner, newOwner }: Kept): void {
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

/** Gives a new file the owner of the one that it will replace. */
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
export function createFolders(outermost: string, innermost: string, newOwner: Owner | undefined): void {
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

/** Removes a file or an empty folder, if possible. */
export function removeIfPossible(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It is gone already, or not empty: either way it is not ours to remove.
  }
}
