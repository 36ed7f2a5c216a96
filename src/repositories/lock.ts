/**
 * One at a time, also among processes: a lock that the system takes back when its process ends, however it ends.
 */

/** A lock that is held. */
export interface Lock extends Disposable {
  /** Whether somebody else had it when we came. */
  readonly hasWaited: boolean;
}

/** How often it is looked whether a lock is free. */
const POLL_MS = 200;

/** Waits for a lock. The file that stands for it is made if it is not there, and stays. */
export async function takeLock(file: string, signal: AbortSignal | undefined): Promise<Lock> {
  for (let hasWaited = false;; hasWaited = true) {
    signal?.throwIfAborted();
    const lock = tryLock(file);
    if (lock !== undefined) return { ...lock, hasWaited };
    await pause(POLL_MS, signal);
  }
}

/** The lock, if it is free. */
export function tryLock(file: string): Lock | undefined {
  const handle = Deno.openSync(file, { write: true, create: true, mode: 0o600 });
  if (handle.tryLockSync(true)) return { hasWaited: false, [Symbol.dispose]: () => handle.close() };
  handle.close();
  return undefined;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}
