/** Locks between processes. The system releases them when their process ends, however it ends. */
import { unlessMissing } from "../base/absence.ts";
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

const held = new Map<string, Map<string, Deno.FsFile>>();

/** Until `leaveLocks` or the end of this process; other processes may hold the file, too. */
export async function holdLock(file: string, owner: string): Promise<void> {
  const own = held.getOrInsertComputed(owner, () => new Map());
  if (own.has(file)) return;
  const handle = reportRefusal(file, () => Deno.openSync(file, { read: true }));
  own.set(file, handle);
  // Only `isHeld` is in the way, for an instant.
  for (let tries = 0; tries < HOLD_TRIES && !handle.tryLockSync(false); tries++) await pause(1);
}

const HOLD_TRIES = 50;

export function leaveLocks(owner: string): void {
  held.get(owner)?.forEach((handle) => handle.close());
  held.delete(owner);
}

/** Whether a process that lives holds the file; false if there is none. */
export function isHeld(file: string): boolean {
  const handle = unlessMissing(() => Deno.openSync(file, { read: true }));
  try {
    // Another process may be asking the same at this instant.
    return handle !== undefined && !handle.tryLockSync(true) && !handle.tryLockSync(true);
  } finally {
    handle?.close();
  }
}

export async function tryLock<T>(file: string, work: () => Promise<T>) {
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
