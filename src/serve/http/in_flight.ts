/**
 * Requests under way: how many each client has, and whether there are any.
 */
import { onAbort } from "../../base/work.ts";
import type { Arrival } from "../listener.ts";

/** Counts requests by the client's address. */
export interface InFlight {
  /** Counts a request until its response was sent; false if its client has too many already. */
  enter(arrival: Pick<Arrival, "peer" | "ended">): boolean;
  /** Resolves when no request is under way. */
  idle(): Promise<void>;
}

/** No requests yet; each client may have `limit` at a time. */
export function openInFlight(limit: number): InFlight {
  const counts = new Map<string, number>();
  let allDone = Promise.withResolvers<void>();
  return {
    enter: ({ peer, ended }) => {
      const count = counts.get(peer) ?? 0;
      if (count >= limit) return false;
      if (counts.size === 0) allDone = Promise.withResolvers();
      counts.set(peer, count + 1);
      onAbort(ended, () => {
        const left = counts.get(peer)! - 1;
        if (left > 0) counts.set(peer, left);
        else counts.delete(peer);
        if (counts.size === 0) allDone.resolve();
      });
      return true;
    },
    idle: async () => counts.size === 0 ? undefined : await allDone.promise,
  };
}
