/**
 * A lock between processes. The system releases it when its process ends, however it ends.
 */
import { reportRefusal } from "../base/errors.ts";
import { pause } from "../base/work.ts";

/** How often a lock is tried for again. */
const POLL_MS = 200;

/** Waits for a lock and works while holding it. Its file is created if missing, and stays. */
export async function withLock<T>(
  file: string,
  signal: AbortSignal | undefined,
  work: (hasWaited: boolean) => Promise<T>,
  { pollMs = POLL_MS, maxMs = Infinity, tooLong }: {
    readonly pollMs?: number;
    /** After so long, `tooLong` is called, which throws. */
    readonly maxMs?: number;
    tooLong?(): never;
  } = {},
): Promise<T> {
  for (let waited = 0;; waited += pollMs) {
    signal?.throwIfAborted();
    const done = await tryLock(file, () => work(waited > 0));
    if (done !== undefined) return done.result;
    if (waited >= maxMs) tooLong?.();
    await pause(pollMs, signal);
  }
}

/** Works while holding a lock if it is free; otherwise does nothing and returns undefined. */
export async function tryLock<T>(
  file: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  const handle = reportRefusal(
    file,
    () => Deno.openSync(file, { write: true, create: true, mode: 0o600 }),
  );
  try {
    return reportRefusal(file, () => handle.tryLockSync(true)) ? { result: await work() } : undefined;
  } finally {
    handle.close();
  }
}
