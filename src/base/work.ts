/** Work that a caller waits for. In one thread, long work must yield, or no message could cancel it. */

import { keepLatest } from "./cache.ts";
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
  /** Whether the server itself asks, to prepare for the first calls: nothing counts as a use, or loads the memory. */
  readonly isRehearsal?: boolean;
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
const TURN_MS = 10;
/** The same for what has had a turn: long work goes on in shorter pieces, which others hardly notice. */
const NEXT_TURN_MS = 4;
/** When requests were last read. */
let lastTurn = -Infinity;

interface Asked {
  /** Until when others give way to it: what takes longer is long work itself. */
  readonly newUntil: number;
  turns: number;
  isAside: boolean;
  /** Who sent it: turns go round between clients. */
  client?: string;
  /** Called once it only waits for what is done for others as well. */
  joins?(): void;
}

const unanswered = new Set<Asked>();
let askedNow = (): Asked | undefined => undefined;

/** `find` tells for which request there is work at present. */
export function knowRequests(find: typeof askedNow): void {
  askedNow = find;
}

/** For what is not known when it arrives; nobody looks at that of work without a request. */
export function requestNow(): Pick<Asked, "client" | "joins"> {
  return askedNow() ?? {};
}

/** `answered` is to be called once the request is answered. */
export function noteArrival(newMs = 15): Asked & { answered(): void } {
  lastTurn = performance.now();
  const request: ReturnType<typeof noteArrival> = {
    newUntil: lastTurn + newMs,
    turns: 0,
    isAside: false,
    answered: () => void unanswered.delete(request),
  };
  unanswered.add(request);
  return request;
}

/** Nobody gives way to a request while it waits for its turn. */
export async function waitAside<T>(turn: Promise<T>): Promise<T> {
  const request = askedNow() ?? { isAside: false };
  request.isAside = true;
  try {
    return await turn;
  } finally {
    request.isAside = false;
  }
}

function isNewWaiting(): boolean {
  for (const request of unanswered) {
    if (performance.now() >= request.newUntil) unanswered.delete(request);
    else if (!request.isAside && request.turns === 0) return true;
  }
  return false;
}

function isDue(): boolean {
  const ms = performance.now() - lastTurn;
  return ms >= TURN_MS || ms >= NEXT_TURN_MS && (askedNow()?.turns ?? 0) > 0;
}

/** Only once work has gone on for a while, and says so: what is done soon is not held up. */
export async function giveWay(signal?: AbortSignal, work = 1): Promise<boolean> {
  const gives = isDue();
  if (gives) await yieldToRequests(work);
  signal?.throwIfAborted();
  return gives;
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

interface Waiting extends Pick<Asked, "turns" | "client"> {
  readonly since: number;
  goOn(): void;
}

const waiting = new Set<Waiting>();
let areTurnsGiven = false;
/** When each client had its last turn. */
const served = new Map<string | undefined, number>();
const MAX_SERVED = 1_000;

/** A timer that ends while other work runs lets no socket be read: what comes back late has to wait again. */
const LATE_MS = 5;

/** Lets requests be read and answered completely, unlike a message to ourselves. Callers take turns by the work done. */
export async function yieldToRequests(work = 1): Promise<void> {
  if (isServing === false) await messageOurselves();
  else {
    const request: Pick<Asked, "turns" | "client"> = askedNow() ?? { turns: 0 };
    request.turns += work;
    const { promise, resolve: goOn } = Promise.withResolvers<void>();
    waiting.add({ since: performance.now(), turns: request.turns, client: request.client, goOn });
    if (!areTurnsGiven) void giveTurns();
    await waitAside(promise);
  }
  lastTurn = performance.now();
}

async function giveTurns(): Promise<void> {
  areTurnsGiven = true;
  while (waiting.size > 0) {
    const until = performance.now() + GIVEN_WAY_MS;
    for (let isLate = true; isLate || isNewWaiting();) {
      const begun = performance.now();
      if (begun > until) break;
      await pause(0);
      isLate = performance.now() - begun > LATE_MS;
    }
    const next = firstOf(waiting);
    waiting.delete(next);
    keepLatest(served, next.client, performance.now(), MAX_SERVED);
    next.goOn();
  }
  areTurnsGiven = false;
}

/** Work that has had more turns is long. However many, it waits a second at most for what is not. */
const FEW_TURNS = 5, MOST_TURNS = 20;

/** What may soon be done comes before long work, of the client whose turn is longest ago; waiting counts as well. */
function firstOf(all: Iterable<Waiting>): Waiting {
  const now = performance.now();
  const rank = ({ turns, since }: Waiting) => Math.min(turns, MOST_TURNS) - (now - since) / GIVEN_WAY_MS;
  const order = (one: Waiting) => [Number(rank(one) > FEW_TURNS), served.get(one.client) ?? 0, rank(one)];
  const isBefore = (one: Waiting, other: Waiting) => {
    const others = order(other);
    return (order(one).map((value, at) => value - others[at]!).find(Boolean) ?? 0) < 0;
  };
  return [...all].reduce((first, one) => isBefore(one, first) ? one : first);
}

export type Interruptible<T> = Generator<undefined, T>;

/** Requests have their turn every few milliseconds. */
export async function runInSlices<T>(steps: Interruptible<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (isDue()) await yieldToRequests();
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

/** One run at a time, for all who ask for the same before it begins; who only waits for it holds up nobody. */
export function sharedRuns<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const waiting = new Map<string, Promise<T>>();
  let underWay: Promise<void> = Promise.resolve();
  let [isCrowded, joined] = [false, 0];
  const begin = async (key: string, work: () => Promise<T>) => {
    await waitAside(underWay);
    // Where several ask again and again, all are let in first, or the first to come back would have a run of its own.
    if (isCrowded || joined > 0) await yieldToRequests();
    [isCrowded, joined] = [joined > 0, 0];
    waiting.delete(key);
    return await work();
  };
  return (key, work) => {
    const known = waiting.get(key);
    if (known !== undefined) {
      joined++;
      askedNow()?.joins?.();
      return waitAside(known);
    }
    const run = begin(key, work);
    underWay = run.then(() => {}, () => {});
    waiting.set(key, run);
    return run;
  };
}

export function lazy<A extends readonly unknown[], T>(
  load: () => Promise<(...args: A) => T | Promise<T>>,
): (...args: A) => Promise<T> {
  // To import again what is loaded takes a tenth of a short request.
  const loaded = once(load);
  return async (...args) => await (await loaded())(...args);
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
      await giveWay(signal);
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
