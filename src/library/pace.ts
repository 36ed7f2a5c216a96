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
