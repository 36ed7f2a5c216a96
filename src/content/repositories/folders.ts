/**
 * The folders of the cache: listing, measuring, locking and removing them, where anything may vanish at any time.
 *
 * Copies are prepared in the staging folder before they appear, beside the locks and the notes about failures.
 */
import { pause } from "../../base/work.ts";
import { type CachePaths, lockFile, STAGING } from "./paths.ts";

export function foldersIn(folder: string): readonly string[] {
  return entriesIn(folder).filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
}

/** Everything in a folder; nothing when it is missing. */
export function entriesIn(folder: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Whether an error says that nothing is there, or nothing that we may see. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable;
}

/** Removes a folder with everything in it, or a file. What cannot be removed is left for the next time. */
export async function removeTree(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch {
    // A git that was killed may still have been writing.
  }
}

/**
 * The size of all files below a folder, in bytes. Links count as themselves; files that vanish meanwhile do not count.
 * Asynchronous, because the files may be many and other work must get its turn.
 */
export async function folderSize(folder: string): Promise<number> {
  let size = 0;
  for (const { name, isDirectory } of entriesIn(folder)) {
    const path = `${folder}/${name}`;
    size += isDirectory ? await folderSize(path) : await fileSize(path);
  }
  return size;
}

async function fileSize(path: string): Promise<number> {
  try {
    return (await Deno.lstat(path)).size;
  } catch (error) {
    if (isAbsent(error)) return 0;
    throw error;
  }
}

/** Creates the staging folder, and the cache around it, for this user alone. */
export function makeStaging({ staging }: Pick<CachePaths, "staging">): void {
  Deno.mkdirSync(staging, { recursive: true, mode: 0o700 });
}

/** Removes what a killed update of this repository left behind. The caller must hold the repository's lock. */
export async function sweep({ staging, name }: Pick<CachePaths, "staging" | "name">): Promise<void> {
  for (const { name: left } of entriesIn(staging)) {
    const isOurs = left.startsWith(`${name}.tmp-`) || left.startsWith(`${name}.draft-`);
    if (isOurs) await removeTree(`${staging}/${left}`);
  }
}

/** Does the same for every repository that nobody is updating. */
export async function sweepAll(cache: string): Promise<void> {
  const staging = `${cache}/${STAGING}`;
  const names = new Set(foldersIn(staging).map((left) => left.replace(/\.tmp-.*$/, "")));
  for (const name of names) {
    await tryLock(lockFile({ staging, name }), () => sweep({ staging, name }));
  }
}

/** How often a lock is tried again. The system releases it when its process ends, however it ends. */
const POLL_MS = 200;

/** Waits for a lock and works while holding it. Its file is created if missing, and stays. */
export async function withLock<T>(
  file: string,
  signal: AbortSignal | undefined,
  work: (hasWaited: boolean) => Promise<T>,
): Promise<T> {
  for (let hasWaited = false;; hasWaited = true) {
    signal?.throwIfAborted();
    const done = await tryLock(file, () => work(hasWaited));
    if (done !== undefined) return done.result;
    await pause(POLL_MS, signal);
  }
}

/** Works while holding a lock if it is free; otherwise does nothing and returns undefined. */
export async function tryLock<T>(
  file: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  const handle = Deno.openSync(file, { write: true, create: true, mode: 0o600 });
  try {
    return handle.tryLockSync(true) ? { result: await work() } : undefined;
  } finally {
    handle.close();
  }
}
