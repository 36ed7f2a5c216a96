/**
 * Refusals by role, in one sentence everywhere.
 */
import { fail } from "./errors.ts";
import { hasRight, type Person, type Right, roleFor } from "./roles.ts";

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
