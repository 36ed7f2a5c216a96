/**
 * What is said to people by their role, in one sentence everywhere, and whether two names are one.
 */
import { fail } from "./errors.ts";
import { hasRight, type Person, type Right, roleFor } from "./roles.ts";
import { oneLine } from "./text.ts";

/** Fails unless somebody has a right; `what` completes "Cannot …", and `instead` says what they can do. */
export function demand(person: Person, right: Right, what: string, instead?: string): void {
  const why = whyNot(person, right);
  if (why !== undefined) fail({ code: "not-allowed", what, hint: instead ? `${why}; ${instead}` : why });
}

/** Why somebody may not do something; undefined if they may. */
export function whyNot({ role }: Person, right: Right): string | undefined {
  return hasRight(role, right) ? undefined : `it takes the role ${roleFor(right)}, and yours is ${role}`;
}

/** Why nothing may be written: because of who asks, or for everybody. */
export function whyReadOnly(person: Person | undefined): string {
  return person && whyNot(person, "work") || "it writes, and this server is read-only (BMAD_READ_ONLY)";
}

/** A name as others give it, in one spelling. */
export function plainName(name: string): string {
  return oneLine(name.normalize("NFKC")).trim();
}

/** Whether people would read two names as the same. */
export function isSameName(a: string, b: string): boolean {
  const [one, other] = [a, b].map((name) => plainName(name).toLowerCase());
  return one === other;
}
