/** What is said to people by their role, in one sentence everywhere, and whether two names are one. */
import { fail } from "./errors.ts";
import { hasRight, type Person, type Right, roleFor } from "./roles.ts";
import { oneLine } from "./text.ts";

/** `what` completes "Cannot …"; `instead` says what they can do. */
export function demand(person: Person, right: Right, what: string, instead?: string): void {
  const why = whyNot(person, right);
  if (why !== undefined) fail({ code: "not-allowed", what, hint: instead ? `${why}; ${instead}` : why });
}

export function whyNot({ role }: Person, right: Right): string | undefined {
  return hasRight(role, right) ? undefined : `it takes the role ${roleFor(right)}, and yours is ${role}`;
}

export function whyReadOnly(person: Person | undefined): string {
  return person && whyNot(person, "work") || "it writes, and this server is read-only (BMAD_READ_ONLY)";
}

export function plainName(name: string): string {
  return oneLine(name.normalize("NFKC")).trim();
}

export function isSameName(a: string, b: string): boolean {
  const [one, other] = [a, b].map((name) => plainName(name).toLowerCase());
  return one === other;
}
