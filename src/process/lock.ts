/** A lock between processes. The system releases it when its process ends, however it ends. */
import { reportRefusal } from "../base/errors.ts";
import { pause } from "../base/work.ts";

const POLL_MS = 200;

/** Its file is created if missing, and stays. */
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
