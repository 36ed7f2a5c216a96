/**
 * A client's file, changed on the disk: whole or not at all.
 *
 * The new text is written beside the file and takes its place in one step, with the file's mode. Before that the file
 * is read once more: what somebody else has written meanwhile is never overwritten. What others had said in the file
 * before us is kept in a copy, made once. Needs only the rights that target.ts asks for.
 */
import type { Edit } from "./edit.ts";
import { folderOf } from "./paths.ts";
import { backupOf, draftOf, type Target } from "./target.ts";

/** What became of a file. */
export type Change = Edit & {
  /** What it said before; undefined when it was not there. */
  readonly before?: string;
  /** The copy of it that was made now, or that stays behind because it says something else than what is left. */
  readonly backup?: string;
};

/** How to change a file. */
export interface ChangeOptions {
  /** Whether to only say what would become of it. */
  readonly dryRun: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
}

const ATTEMPTS = 3;

/** How old a draft must be to be one that nobody will finish. */
const ABANDONED_MS = 60_000;

/** Changes a file by an edit of its text. `before` is its text from before our first change, where that was kept. */
export function changeFile(
  target: Target,
  edit: (text: string | undefined, before: string | undefined) => Edit,
  options: ChangeOptions,
): Change {
  if (target.problem !== undefined) return { outcome: "invalid", problem: target.problem };
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const bytes = readFile(target.real);
      const before = bytes && decode(bytes);
      const copy = readFile(backupOf(target));
      const kept = copy && decode(copy);
      const result = edit(before, kept);
      if (!("isDelicate" in result) || options.dryRun) return { ...result, before };
      const backup = replaceFile(target, bytes, result, kept, options);
      if (backup !== "changed") return { ...result, before, ...(backup && { backup }) };
    }
  } catch (error) {
    return { outcome: "invalid", problem: describe(error) };
  }
  return { outcome: "invalid", problem: "another program keeps changing it; try again" };
}

type Written = Extract<Edit, { readonly isDelicate: boolean }>;

/** Puts the new text in the file's place. Returns the name of the copy, if there is one to tell of. */
function replaceFile(
  target: Target,
  bytes: Uint8Array | undefined,
  { outcome, text, isDelicate }: Written,
  kept: string | undefined,
  { now }: ChangeOptions,
): string | "changed" | undefined {
  const { real } = target;
  const isSame = () => isEqual(readFile(real), bytes);
  if (text === undefined) {
    if (!isSame()) return "changed";
    Deno.removeSync(real);
    for (const folder of target.above) removeIfPossible(folder);
    return undefined;
  }
  const mode = bytes === undefined ? undefined : modeOf(real);
  if (target.missingFolder !== undefined) Deno.mkdirSync(folderOf(real), { recursive: true });
  const draft = draftOf(target);
  clearAbandoned(draft, now());
  writeNew(draft, new TextEncoder().encode(text), mode);
  try {
    if (!isSame()) {
      Deno.removeSync(draft);
      return "changed";
    }
    const isCopied = isDelicate && bytes !== undefined && kept === undefined;
    if (isCopied) writeNew(backupOf(target), bytes, mode);
    Deno.renameSync(draft, real);
    if (outcome !== "removed") return isCopied ? backupOf(target) : undefined;
    if (kept === text) Deno.removeSync(backupOf(target));
    return isCopied || (kept !== undefined && kept !== text) ? backupOf(target) : undefined;
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

/** A mark at the beginning stays: it is part of the file. */
function decode(bytes: Uint8Array<ArrayBuffer>): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function modeOf(path: string): number | undefined {
  const { mode } = Deno.lstatSync(path);
  if (mode !== null && (mode & 0o200) === 0) throw new Deno.errors.PermissionDenied("it is write-protected");
  return mode === null ? undefined : mode & 0o777;
}

function writeNew(path: string, bytes: Uint8Array, mode: number | undefined): void {
  using file = Deno.openSync(path, { write: true, createNew: true, ...(mode !== undefined && { mode }) });
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  file.syncSync();
  // What the process would take away from the mode of new files is given back.
  if (mode !== undefined && Deno.build.os !== "windows") Deno.chmodSync(path, mode);
}

/** Removes a draft that a process left behind when it was ended. */
function clearAbandoned(draft: string, now: number): void {
  try {
    const { mtime } = Deno.lstatSync(draft);
    if (mtime !== null && now - mtime.getTime() > ABANDONED_MS) Deno.removeSync(draft);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Removes a file, or a folder in which nothing is, if that can be done. */
function removeIfPossible(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It is gone already, or something else is in it: either way it is not for us to remove.
  }
}

function isEqual(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** Why a file could not be read or written, in words. */
function describe(error: unknown): string {
  if (error instanceof TypeError) return "it is not UTF-8";
  if (error instanceof Deno.errors.AlreadyExists) {
    return "another install seems to be at work on it; try again in a minute";
  }
  if (!(error instanceof Error)) throw error;
  const [, reason] = /^([^\n]*?) ?\(os error \d+\)/.exec(error.message) ?? [];
  if (reason === undefined && !(error instanceof Deno.errors.PermissionDenied)) throw error;
  return reason === undefined ? error.message : `it cannot be read or written: ${reason}`;
}
