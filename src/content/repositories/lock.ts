/**
 * One at a time, also among processes: a lock that the system takes back when its process ends, however it ends.
 */
import { pause } from "../../base/work.ts";

/** How often it is looked whether a lock is free. */
const POLL_MS = 200;

/** Waits for a lock and works while it is held. The file that stands for it is made if it is not there, and stays. */
export async function withLock<T>(
  file: string,
  signal: AbortSignal | undefined,
  work: (hasWaited: boolean) => Promise<T>,
): Promise<T> {
  for (let hasWaited = false;; hasWaited = true) {
    signal?.throwIfAborted();
    const done = await ifFree(file, () => work(hasWaited));
    if (done !== undefined) return done.result;
    await pause(POLL_MS, signal);
  }
}

/** Works while the lock is held, if it is free; else it does nothing and returns undefined. */
export async function ifFree<T>(
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
