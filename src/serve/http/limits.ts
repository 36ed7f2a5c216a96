import { keepLatest } from "../../base/cache.ts";
import { type Clock, giveWay, onAbort, pause, requestNow, waitAside } from "../../base/work.ts";
import { LIMITS } from "../limits.ts";
import type { Arrival } from "../listener/mod.ts";

export function openInFlight(limit: number, clock: Clock) {
  const counts = new Map<string, number>();
  let lastArrival = -Infinity;
  let allDone = Promise.withResolvers<void>();
  const count = (peer: string, ended: AbortSignal, more = 1): () => void => {
    if (counts.size === 0) allDone = Promise.withResolvers();
    counts.set(peer, (counts.get(peer) ?? 0) + more);
    lastArrival = clock.now();
    let isCounted = true;
    const leave = () => {
      if (!isCounted) return;
      isCounted = false;
      const left = counts.get(peer)! - more;
      if (left > 0) counts.set(peer, left);
      else counts.delete(peer);
      if (counts.size === 0) allDone.resolve();
    };
    onAbort(ended, leave);
    return leave;
  };
  const idle = async (): Promise<void> => counts.size === 0 ? undefined : await allDone.promise;
  return {
    enter: ({ peer, ended }: Pick<Arrival, "peer" | "ended">, more = 1): (() => void) | undefined =>
      (counts.get(peer) ?? 0) + more <= limit ? count(peer, ended, more) : undefined,
    enterAlways: (ended: AbortSignal): () => void => count("", ended),
    idle,
    silent: async (ms: number, signal: AbortSignal): Promise<void> => {
      for (;;) {
        await idle();
        // The clock may have been set back.
        lastArrival = Math.min(lastArrival, clock.now());
        const left = lastArrival + ms - clock.now();
        if (left <= 0 || signal.aborted) return;
        await pause(left, signal, clock);
      }
    },
  };
}

/** One client's requests pass in a few lanes. A lane is also free when its request has long been at work. */
export function openLanes(
  { after }: Pick<Clock, "after">,
  letOthersIn: () => Promise<unknown> = () => giveWay(undefined, 0),
) {
  const clients = new Map<string, { busy: number; readonly waiting: Set<() => void> }>();
  const hold = (client: string, ended: AbortSignal): void => {
    let isHeld = true;
    const leave = () => {
      if (!isHeld) return;
      isHeld = false;
      cancel();
      const lanes = clients.get(client)!;
      const [next] = lanes.waiting;
      if (next !== undefined) next();
      else if (--lanes.busy === 0) clients.delete(client);
    };
    const cancel = after(LIMITS.http.laneMs, leave);
    onAbort(ended, leave);
    requestNow().joins = leave;
  };
  return async (client: string, ended: AbortSignal): Promise<void> => {
    requestNow().client = client;
    const lanes = clients.getOrInsertComputed(client, () => ({ busy: 0, waiting: new Set() }));
    if (lanes.busy < LIMITS.http.lanes) lanes.busy++;
    else {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const enter = () => resolve(lanes.waiting.delete(enter));
      lanes.waiting.add(enter);
      const cancel = onAbort(ended, () => resolve(!lanes.waiting.delete(enter)));
      const isIn = await waitAside(promise);
      cancel();
      if (!isIn) return;
      // Others' requests that have arrived meanwhile are read first.
      await letOthersIn();
    }
    hold(client, ended);
  };
}

const MINUTE = 60_000;

export function openRates(perMinute: number, { now }: Pick<Clock, "now">) {
  const names = new Map<string, { readonly left: number; readonly at: number }>();
  return {
    /** Milliseconds to wait, or 0. */
    take: (name: string, count = 1): number => {
      const at = now();
      const known = names.get(name);
      // Forgotten if the clock was set back.
      const before = known !== undefined && known.at <= at ? known : { left: perMinute, at };
      const left = Math.min(perMinute, before.left + (at - before.at) * perMinute / MINUTE);
      if (left < count) return Math.ceil((count - left) * MINUTE / perMinute);
      keepLatest(names, name, { left: left - count, at }, LIMITS.http.ratedNames);
      return 0;
    },
  };
}

const WRONG_TOKENS = 20, FORGET_MS = 1_000;
const TRUST_MS = 900_000;
const MAX_CLIENTS = 4_096;

/** A client that was right recently is not held up: others behind its address may be guessing. */
export function openThrottle({ now }: Pick<Clock, "now">) {
  const wrong = new Map<string, number>();
  const trusted = new Map<string, number>();
  return {
    /** Milliseconds to wait. At 0, the token counts as wrong until `succeeded`: many at once gain nothing. */
    attempt: (client: string): number => {
      const time = now();
      if ((trusted.get(client) ?? 0) > time) return 0;
      const last = wrong.get(client) ?? 0;
      // It cannot be later, unless the clock was set back.
      const until = last > time + WRONG_TOKENS * FORGET_MS ? time : Math.max(time, last);
      const wait = until - time - (WRONG_TOKENS - 1) * FORGET_MS;
      if (wait > 0) return wait;
      keepLatest(wrong, client, until + FORGET_MS, MAX_CLIENTS);
      return 0;
    },
    succeeded: (client: string): void => {
      const time = now();
      const until = wrong.get(client);
      if (until !== undefined && (trusted.get(client) ?? 0) <= time) wrong.set(client, until - FORGET_MS);
      keepLatest(trusted, client, time + TRUST_MS, MAX_CLIENTS);
    },
  };
}
