/**
 * Long work that stays polite: it lets others in between, stops when nobody waits for it any more, and tells how
 * far it is.
 *
 * Everything here runs in one thread. Work that looks at thousands of files has to pause now and then, or the word
 * that it was cancelled would not even be read before it is done.
 */

/** Who waits for a piece of work, as far as the work has to know. */
export interface Watch {
  /** Aborted when nobody waits any more: the work throws its reason at the next pause. */
  readonly signal?: AbortSignal;
  /** Told at pauses how much of a phase is done, out of how much. */
  progress?(done: number, total: number, phase: string): void;
}

/** One phase of some work. */
export interface Phase {
  /** What people are told: `Checking references`. */
  readonly name: string;
  /** How many values are taken between two pauses: so many that a pause, of some milliseconds, weighs little. */
  readonly stride: number;
}

/** Does something with each value, and pauses on the way. */
export async function forEachPaced<T>(
  values: readonly T[],
  { name, stride }: Phase,
  watch: Watch,
  work: (value: T) => void,
): Promise<void> {
  for (let from = 0; from < values.length; from += stride) {
    if (from > 0) await pause(watch, from, values.length, name);
    for (const value of values.slice(from, from + stride)) work(value);
  }
}

/** Tells how far a phase is, lets others in, and throws when nobody waits any more. */
export async function pause(
  { signal, progress }: Watch,
  done: number,
  total: number,
  phase: string,
): Promise<void> {
  progress?.(done, total, phase);
  await new Promise((resolve) => setTimeout(resolve));
  signal?.throwIfAborted();
}

/**
 * Work that several wait for: done once and kept. All hear how far it is; who gives up waiting stops it only when nobody
 * else waits. Work that was stopped or failed leaves nothing behind.
 */
export function sharedWork<T>(work: (watch: Watch) => Promise<T>): (watch: Watch) => Promise<T> {
  const waiting = new Set<{ readonly watch: Watch }>();
  let underWay: { readonly result: Promise<T>; readonly stop: AbortController } | undefined;
  const begin = () => {
    const stop = new AbortController();
    const progress: Watch["progress"] = (...facts) =>
      waiting.forEach(({ watch }) => watch.progress?.(...facts));
    const begun = { result: work({ signal: stop.signal, progress }), stop };
    const forget = () => underWay = underWay === begun ? undefined : underWay;
    stop.signal.addEventListener("abort", forget);
    begun.result.catch(forget);
    return begun;
  };
  return async (watch) => {
    watch.signal?.throwIfAborted();
    const { result, stop } = underWay ??= begin();
    const one = { watch };
    waiting.add(one);
    let isDone = false;
    try {
      const value = await orAborted(result, watch.signal);
      isDone = true;
      return value;
    } finally {
      waiting.delete(one);
      if (!isDone && waiting.size === 0) stop.abort(watch.signal?.reason);
    }
  };
}

/** A result, or the reason why it is no longer wanted. */
function orAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener("abort", giveUp);
    result.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
