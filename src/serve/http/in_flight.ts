/**
 * Requests under way: how many each client has, and whether there are any.
 */
import { type Clock, onAbort, pause } from "../../base/work.ts";
import type { Arrival } from "../listener/mod.ts";

/** No requests yet; each client may have `limit` at a time. */
export function openInFlight(limit: number, clock: Pick<Clock, "after">) {
  const counts = new Map<string, number>();
  let arrived = 0;
  let allDone = Promise.withResolvers<void>();
  const count = (peer: string, ended: AbortSignal, more = 1): () => void => {
    if (counts.size === 0) allDone = Promise.withResolvers();
    counts.set(peer, (counts.get(peer) ?? 0) + more);
    arrived += more;
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
    /** Counts requests until their response was sent or the result is called; undefined if their client has too many. */
    enter: ({ peer, ended }: Pick<Arrival, "peer" | "ended">, more = 1): (() => void) | undefined =>
      (counts.get(peer) ?? 0) + more <= limit ? count(peer, ended, more) : undefined,
    /** The same for a request that no limit is for. */
    enterAlways: (ended: AbortSignal): () => void => count("", ended),
    /** Resolves when no request is under way. */
    idle,
    /** Resolves once no request has been under way for `ms` milliseconds, or the signal is aborted. */
    silent: async (ms: number, signal: AbortSignal): Promise<void> => {
      for (let before = -1; before !== arrived && !signal.aborted;) {
        await idle();
        before = arrived;
        await pause(ms, signal, clock);
      }
    },
  };
}
