/**
 * Slows down clients that guess tokens.
 *
 * A client may send some wrong tokens; after that, one per second is checked. A client that has sent the right one
 * recently is not held up: others behind its address may be guessing. Clients are forgotten, the oldest first,
 * when there are too many to remember.
 */
import type { Clock } from "../../base/work.ts";

/** Wrong tokens that a client may send at once, and how many milliseconds it takes until one of them is forgotten. */
const WRONG_TOKENS = 20, FORGET_MS = 1_000;
/** How many milliseconds the right token counts for its client. */
const TRUST_MS = 900_000;
/** Of each kind. */
const MAX_CLIENTS = 4_096;

/** Starts without any guesses. */
export function openThrottle({ now }: Pick<Clock, "now">) {
  /** When the last of a client's wrong tokens will be forgotten. */
  const wrong = new Map<string, number>();
  /** Until when a client is trusted. */
  const trusted = new Map<string, number>();
  return {
    /**
     * How many milliseconds a client must wait until its token is looked at. If it need not wait, the token counts as a
     * wrong one until `succeeded`: of many that arrive together, no more are looked at than one after the other.
     */
    attempt: (client: string): number => {
      const time = now();
      if ((trusted.get(client) ?? 0) > time) return 0;
      const until = Math.max(time, wrong.get(client) ?? 0);
      const wait = until - time - (WRONG_TOKENS - 1) * FORGET_MS;
      if (wait > 0) return wait;
      remember(wrong, client, until + FORGET_MS);
      return 0;
    },
    /** Notes that the token was the right one. */
    succeeded: (client: string): void => {
      const time = now();
      const until = wrong.get(client);
      if (until !== undefined && (trusted.get(client) ?? 0) <= time) wrong.set(client, until - FORGET_MS);
      remember(trusted, client, time + TRUST_MS);
    },
  };
}

function remember(clients: Map<string, number>, client: string, until: number): void {
  clients.delete(client);
  clients.set(client, until);
  if (clients.size > MAX_CLIENTS) clients.delete(clients.keys().next().value!);
}
