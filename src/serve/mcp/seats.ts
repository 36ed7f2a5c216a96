/**
 * The seats of a server: each session, and each stream of a client without one, takes a seat.
 *
 * Of those whom the server tells apart, nobody takes more than a quarter of them, so that there is room for others.
 */
import type { Person } from "../../base/roles.ts";
import { refuse } from "./reply.ts";

export interface Seats {
  /** Takes one: what gives it back, or the refusal. Those who share a token count as one. */
  take(person: Person | undefined): (() => void) | Response;
}

const SHARE = 1 / 4;

export function openSeats(limit: number): Seats {
  const share = Math.max(1, Math.ceil(limit * SHARE));
  /** How many each name has; undefined is the user who runs the program. */
  const taken = new Map<string | undefined, number>();
  const full = (status: number, sentence: string) =>
    refuse(status, `${sentence} reached (--http-sessions): try again later`, { "retry-after": "60" });
  return {
    take: (person) => {
      const name = person && (person.name ?? "");
      const own = taken.get(name) ?? 0;
      const all = taken.values().reduce((sum, count) => sum + count, 0);
      if (all >= limit) return full(503, `Limit of ${limit} sessions`);
      if (name !== undefined && own >= share) return full(429, `Limit of ${share} sessions of one person`);
      taken.set(name, own + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        const left = taken.get(name)! - 1;
        if (left > 0) taken.set(name, left);
        else taken.delete(name);
      };
    },
  };
}
