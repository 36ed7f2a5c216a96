/**
 * Requests under way: how many each client has, and whether there are any.
 */
import { onAbort } from "../../base/work.ts";
import type { Arrival } from "../listener.ts";

/** No requests yet; each client may have `limit` at a time. */
export function openInFlight(limit: number) {
  const counts = new Map<string, number>();
  let allDone = Promise.withResolvers<void>();
  return {
    /** Counts a request until its response was sent; false if its client has too many already. */
    enter: ({ peer, ended }: Pick<Arrival, "peer" | "ended">): boolean => {
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
    /** Resolves when no request is under way. */
    idle: async (): Promise<void> => counts.size === 0 ? undefined : await allDone.promise,
  };
}
