/** Work that a caller waits for. In one thread, long work must yield, or no message could cancel it. */

import type { Person } from "./roles.ts";
import { hashText } from "./text.ts";

export interface Work {
  /** Aborted when the caller no longer waits: the work then throws its reason. */
  readonly signal?: AbortSignal;
  progress?(done: number, total: number, phase: string): void;
  readonly person?: Person;
  /** What requests have asked of a repository, where one is made to several of its projects. */
  readonly together?: Map<string, Promise<unknown>>;
  /** Where they ask from. Two seats of one person do not take each other's stories. */
  readonly seat?: Seat;
  /** Called before a recorded change; throws if it cannot be recorded. `what` may be clearer than the request. */
  changing?(what?: string): void;
}

/** A session of a client, or a terminal that says which one it is. */
export interface Seat {
  readonly id: string;
  readonly client: string;
  /** Whether it ends when no process holds it any more; otherwise, after a time without a sign. */
  readonly isHeld?: true;
  /** The id of the token that it came with. When that is revoked, its claims end. */
  readonly token?: string;
}

const MAX_SEAT = 80;

/** As the name of a file; where that loses something, a hash of the text tells it from others. */
export function seatId(text: string): string {
  const plain = text.replaceAll(/[^a-z0-9]+/g, "-");
  if (plain === text && text.length <= MAX_SEAT) return text;
  return `${plain.slice(0, MAX_SEAT / 2)}-${hashText(text).toString(16)}`;
}

export function isSeatId(text: string): boolean {
  return text.length <= MAX_SEAT && /^[a-z0-9-]+$/.test(text) && /[a-z0-9]/.test(text);
}

declare const WRITTEN: unique symbol;

/** Something was written, so the work must not be done again. */
export type WriteResult<T> = T & { readonly [WRITTEN]: true };

export function writeResult<T>(result: T): WriteResult<T> {
  return result as WriteResult<T>;
}

/** Work that may be repeated. A `WriteResult`, or no result at all, does not compile. */
export type Retryable<A, T> =
  & ((about: A) => T | Promise<T>)
  & ([T] extends [void] ? never : [Extract<T, WriteResult<unknown>>] extends [never] ? unknown : never);

export interface Clock {
  now(): number;
  after(ms: number, call: () => void): () => void;
}

/** Not `setTimeout`: its first call loads Node's timers, a twentieth of our start. */
export const systemTimer: Pick<Clock, "after"> = {
  after: (ms, call) => onAbort(AbortSignal.timeout(Math.max(0, ms)), call),
};

export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  const listener = () => call();
  if (signal?.aborted) listener();
  else signal?.addEventListener("abort", listener, { once: true });
  return () => signal?.removeEventListener("abort", listener);
}

/** Ends early when the signal is aborted; never throws. */
export async function pause(ms: number, signal?: AbortSignal, { after }: Pick<Clock, "after"> = systemTimer) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancelTimer = after(ms, resolve);
  const cancelListener = onAbort(signal, resolve);
  await promise;
  cancelTimer();
  cancelListener();
}

/** How long work goes on before requests are read. */
const TURN_MS = 20;
let lastTimer: number | undefined;
/** When requests arrived that are not answered yet. */
const unanswered = new Set<{ readonly at: number }>();

/** Returns what is to be called once the request is answered. */
export function noteArrival(): () => void {
  const request = { at: lastTimer = performance.now() };
  unanswered.add(request);
  return () => unanswered.delete(request);
}

/** A request that takes longer is long work itself. */
const NEW_MS = 30;

function isNewWaiting(): boolean {
  for (const request of unanswered) {
    if (performance.now() - request.at < NEW_MS) return true;
    unanswered.delete(request);
  }
  return false;
}

/** Most turns are a message to ourselves, which arrives a hundred times as soon as the shortest timer ends. */
export async function yieldToEventLoop(signal?: AbortSignal): Promise<void> {
  lastTimer ??= performance.now();
  if (performance.now() - lastTimer < TURN_MS) await messageOurselves();
  else {
    await yieldToRequests();
    lastTimer = performance.now();
  }
  signal?.throwIfAborted();
}

async function messageOurselves(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  await new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(undefined);
  });
  port1.close();
  port2.close();
}

let isServing: boolean | undefined;

/** A program that serves nobody waits for no requests between pieces of work. */
export function expectRequests(are: boolean): void {
  isServing ||= are;
}

/** However many requests arrive, long work goes on after this time. */
const GIVEN_WAY_MS = 50;
let lastTurn: Promise<void> = Promise.resolve();

/** A timer that ends while other work runs lets no socket be read: what comes back late has to wait again. */
const LATE_MS = 5;

/** Lets requests be read and answered completely, unlike a message to ourselves. Callers take turns. */
export async function yieldToRequests(): Promise<void> {
  if (isServing === false) return await messageOurselves();
  const until = performance.now() + GIVEN_WAY_MS;
  const turn = async () => {
    for (let begun = -Infinity, isLate = true; isLate || isNewWaiting();) {
      if (begun > until) return;
      begun = performance.now();
      await pause(0);
      isLate = performance.now() - begun > LATE_MS;
    }
  };
  await (lastTurn = lastTurn.then(turn));
}

/** Yields only once work has gone on for a while: what is done soon is not held up. */
export function openYielder(now = () => performance.now()): () => Promise<void> {
  let since = now();
  return async () => {
    if (now() - since < TURN_MS) return;
    await yieldToRequests();
    since = now();
  };
}

export type Interruptible<T> = Generator<undefined, T>;

/** Shorter work is not noticed, unless other work is under way or has just ended. */
const SOON_MS = 15;
let underWay = 0;
let lastEnd = -Infinity;

/** Requests have their turn every few milliseconds. */
export async function runInSlices<T>(steps: Interruptible<T>): Promise<T> {
  const start = performance.now();
  const isAlone = ++underWay === 1 && start - lastEnd > SOON_MS;
  try {
    for (let begun = start + (isAlone ? SOON_MS : 0);;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (performance.now() - begun < TURN_MS) continue;
      await yieldToRequests();
      begun = performance.now();
    }
  } finally {
    underWay--;
    lastEnd = performance.now();
  }
}

export function runAtOnce<T>(steps: Interruptible<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function orAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const cancel = onAbort(signal, () => reject(signal.reason));
  result.then(resolve, reject).finally(cancel);
  return promise;
}

/** One run for all callers, who get its progress; it stops when the last stops waiting. A failure is not kept. */
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

export function lazy<A extends readonly unknown[], T>(
  load: () => Promise<(...args: A) => T | Promise<T>>,
): (...args: A) => Promise<T> {
  return async (...args) => await (await load())(...args);
}

/** The result is kept. If the work fails, the next call tries again. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () =>
    done ??= work().catch((error) => {
      done = undefined;
      throw error;
    });
}

/** `stride` values are taken between two turns: enough that yielding, which takes milliseconds, costs little. */
export async function forEachPaced<T>(
  values: readonly T[],
  { name, stride }: { readonly name: string; readonly stride: number },
  { signal, progress }: Work,
  each: (value: T) => void,
): Promise<void> {
  for (let from = 0; from < values.length; from += stride) {
    if (from > 0) {
      progress?.(from, values.length, name);
      await yieldToEventLoop(signal);
    }
    for (const value of values.slice(from, from + stride)) each(value);
  }
}

/** Hears of every file that is read; for the log. */
let observer: ((file: string, root: string) => void) | undefined;

export function observeReads(observe: typeof observer): void {
  observer = observe;
}

export function tellRead(file: string, root: string): void {
  observer?.(file, root);
}
