/**
 * Changes a client's file on disk, completely or not at all.
 *
 * The new text is written to a draft beside the file, which then replaces it in one step and keeps its owner and mode. Just
 * before that the file is read again, so that changes by other programs are never overwritten. The first change of
 * other people's content leaves a backup. Needs only the rights that target.ts asks for.
 */
import type { Edit } from "./edit.ts";
import { folderOf } from "./paths.ts";
import { createFolders, type Kept, keptOf, removeIfPossible, writeNew } from "./new_file.ts";
import { backupOf, draftOf, type FilePlace } from "./target.ts";
import { command, withCommand } from "../../base/text.ts";

/** What happened to a file. */
export type Change = Edit & {
  /** Its text before; undefined if it did not exist. */
  readonly before?: string;
  /** The backup, if it was made now, or stays after a removal because it differs from what is left. */
  readonly backup?: string;
};

/** How to change a file. */
export interface ChangeOptions {
  /** Whether to change nothing, and only return what would change. */
  readonly dryRun: boolean;
  /** Whether the new text holds a secret, which other users must not be able to read. */
  readonly isPrivate?: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
}

const ATTEMPTS = 3;

/** After this time the process that wrote a draft must have been killed. */
const ABANDONED_MS = 60_000;

/** Changes a file by an edit of its text. `before` is the text of its backup, if there is one. */
export function changeFile(
  target: FilePlace,
  edit: (text: string | undefined, before: string | undefined) => Edit,
  options: ChangeOptions,
): Change {
  if (target.problem !== undefined) return { outcome: "invalid", problem: target.problem };
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const bytes = readFile(target.real);
      const before = bytes && decode(bytes);
      const backupBytes = readFile(backupOf(target));
      const original = backupBytes && decode(backupBytes);
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

type Written = Extract<Edit, { readonly needsBackup: boolean }>;

/** Replaces the file. Returns the backup, if there is one to report, or that the file has changed meanwhile. */
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
function decode(bytes: Uint8Array<ArrayBuffer>): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
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

/** Why a file could not be read or written. */
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
