/**
 * Work that a caller waits for: how it is cancelled, how it reports progress, and how it tells the time.
 *
 * The one declaration of each. Everything runs in one thread, so long work yields now and then, or the message that
 * cancels it would not even be read before it is done.
 */

import type { Person } from "./roles.ts";

/** Who waits for a piece of work, as far as the work has to know. */
export interface Work {
  /** Aborted when the caller no longer waits: the work then throws its reason. */
  readonly signal?: AbortSignal;
  /** Reports how much of a phase is done, out of how much. */
  progress?(done: number, total: number, phase: string): void;
  /** Who asks, if the server knows; undefined for the user who runs the program. */
  readonly person?: Person;
  /**
   * To be called before anything is changed, where that is recorded; throws if it cannot be. `what` says it better than the
   * request does, if that leaves something open.
   */
  changing?(what?: string): void;
}

/** Exists for the compiler only. */
export declare const WRITTEN: unique symbol;

/** The result of work that has written something, and so must not be done again. */
export type Written<T> = T & { readonly [WRITTEN]: true };

/** Marks a result as one of work that has written. */
export function written<T>(result: T): Written<T> {
  return result as Written<T>;
}

/**
 * Work that may be done more than once. What has `Written` as its result does not compile as such, and neither does what
 * has no result: it can only be there for its effects.
 */
export type Repeatable<A, T> =
  & ((about: A) => T | Promise<T>)
  & ([T] extends [void] ? never : [Extract<T, Written<unknown>>] extends [never] ? unknown : never);

/** The time, as a value that tests can set. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms` milliseconds; returns a function that cancels it. */
  after(ms: number, call: () => void): () => void;
}

/**
 * Timers of the process itself. The first `setTimeout` of a process loads Node's timers, which would take a twentieth of
 * our start; a signal that times out needs none of that.
 */
export const systemTimer: Pick<Clock, "after"> = {
  after: (ms, call) => onAbort(AbortSignal.timeout(Math.max(0, ms)), call),
};

/** Runs `call` once when a signal is aborted, or at once if it already is. Returns a function that cancels it. */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  const listener = () => call();
  if (signal?.aborted) listener();
  else signal?.addEventListener("abort", listener, { once: true });
  return () => signal?.removeEventListener("abort", listener);
}

/** Waits for `ms` milliseconds, or until the signal is aborted, whichever comes first. It never throws. */
export async function pause(
  ms: number,
  signal?: AbortSignal,
  { after }: Pick<Clock, "after"> = systemTimer,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancelTimer = after(ms, resolve);
  const cancelListener = onAbort(signal, resolve);
  await promise;
  cancelTimer();
  cancelListener();
}

/** So long a socket may wait: only a timer gives it a turn. */
const SOCKETS_MS = 50;
/** When sockets last had their turn. */
let lastTimer: number | undefined;
let arrivals = 0;

/** To be called for what arrives: the sockets had their turn then. */
export function noteArrival(): void {
  lastTimer = performance.now();
  arrivals++;
}

/**
 * Lets other work have its turn, and throws if the signal was aborted. A message to ourselves arrives a hundred times
 * as soon as the shortest timer ends, so that most turns take no longer than that.
 */
export async function yieldTurn(signal?: AbortSignal): Promise<void> {
  lastTimer ??= performance.now();
  if (performance.now() - lastTimer >= SOCKETS_MS) {
    await pause(0);
    lastTimer = performance.now();
    return signal?.throwIfAborted();
  }
  const { port1, port2 } = new MessageChannel();
  await new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(undefined);
  });
  port1.close();
  port2.close();
  signal?.throwIfAborted();
}

/** A request is read, handled and answered in about so many turns of the event loop. */
const TURNS_OF_REQUEST = 8;
/** Once it has arrived, it is answered in so many. */
const TURNS_OF_ANSWER = 3;

/** Lets requests that have arrived be answered completely: to be called between pieces of work that take long. */
export async function yieldToRequests(): Promise<void> {
  for (let turn = 0; turn < TURNS_OF_REQUEST; turn++) await pause(0);
}

/** Has a turn taken; what arrived in it is answered completely, instead of waiting for as many turns as it needs. */
async function takeTurn(turn: Promise<void>): Promise<void> {
  const before = arrivals;
  await turn;
  for (let left = arrivals > before ? TURNS_OF_ANSWER : 0; left > 0; left--) await pause(0);
}

/** How long work goes on before others get their turn. */
const TURN_MS = 20;

/** Yields, but only once work has gone on for a while: what is done soon is not held up. */
export function openTurns(now: () => number = () => performance.now()): () => Promise<void> {
  let since = now();
  return async () => {
    if (now() - since < TURN_MS) return;
    await takeTurn(yieldTurn());
    since = now();
  };
}

/** Work that can be interrupted wherever it yields. */
export type Steps<T> = Generator<undefined, T>;

/** What is done so soon is not noticed, unless others work as well or have just done so. */
const SOON_MS = 15;
let lastTurn: Promise<void> = Promise.resolve();
let underWay = 0;
let lastEnd = -Infinity;

/** Does some work, and lets requests have their turn every few milliseconds. Runs such work one at a time. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  const start = performance.now();
  const isAlone = ++underWay === 1 && start - lastEnd > SOON_MS;
  try {
    for (let begun = start + (isAlone ? SOON_MS : 0);;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (performance.now() - begun < TURN_MS) continue;
      // A timer that has ended before it is waited for, and a message to ourselves, let no socket and no pipe be read.
      await takeTurn(lastTurn = lastTurn.then(() => pause(0)));
      begun = performance.now();
    }
  } finally {
    underWay--;
    lastEnd = performance.now();
  }
}

/** Does some work without giving way to anything. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** A result, or the reason why it is no longer wanted. */
export function orAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const cancel = onAbort(signal, () => reject(signal.reason));
  result.then(resolve, reject).finally(cancel);
  return promise;
}

/**
 * Work that several callers wait for: done once, and its result kept. All of them get its progress; it stops only when
 * the last of them stops waiting. Work that was stopped or failed is not kept.
 */
export function sharedWork<T>(work: (shared: Work) => Promise<T>): (waiting: Work) => Promise<T> {
  const waiting = new Set<{ readonly work: Work }>();
  let running: { readonly result: Promise<T>; readonly stop: AbortController } | undefined;
  const begin = () => {
    const stop = new AbortController();
    const progress: Work["progress"] = (...facts) => waiting.forEach(({ work }) => work.progress?.(...facts));
    const begun = { result: work({ signal: stop.signal, progress }), stop };
    const forget = () => running = running === begun ? undefined : running;
    onAbort(stop.signal, forget);
    begun.result.catch(forget);
    return begun;
  };
  return async (own) => {
    own.signal?.throwIfAborted();
    const { result, stop } = running ??= begin();
    const one = { work: own };
    waiting.add(one);
    let isDone = false;
    try {
      const value = await orAborted(result, own.signal);
      isDone = true;
      return value;
    } finally {
      waiting.delete(one);
      if (!isDone && waiting.size === 0) stop.abort(own.signal?.reason);
    }
  };
}

/** Work that is done at the first call and kept. If it fails, the next call tries again. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () =>
    done ??= work().catch((error) => {
      done = undefined;
      throw error;
    });
}

/** One phase of some work. */
export interface Phase {
  /** As people see it: `Checking references`. */
  readonly name: string;
  /** How many values are taken between two turns: enough that yielding, which takes milliseconds, costs little. */
  readonly stride: number;
}

/** Does something with each value, and yields and reports progress in between. */
export async function forEachPaced<T>(
  values: readonly T[],
  { name, stride }: Phase,
  { signal, progress }: Work,
  each: (value: T) => void,
): Promise<void> {
  for (let from = 0; from < values.length; from += stride) {
    if (from > 0) {
      progress?.(from, values.length, name);
      await yieldTurn(signal);
    }
    for (const value of values.slice(from, from + stride)) each(value);
  }
}

/** A point in time with its date, to the minute: `2026-11-15 14:05 UTC`. */
export function renderTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A day in the user's time zone: `2026-11-15`. */
export function localDate(time: number): string {
  return localTime(time).slice(0, 10);
}

/** A point in time in the user's time zone, without naming it: `2026-11-15T14:05:09.000`. */
export function localTime(time: number): string {
  const minutes = new Date(time).getTimezoneOffset();
  return new Date(time - minutes * 60_000).toISOString().slice(0, -1);
}
