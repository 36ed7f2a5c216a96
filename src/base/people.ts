/** What is said to people by their role, and whether two names are one. */
import { BmadError, fail, type Fix } from "./errors.ts";
import { hasRight, type Person, type Right, roleFor } from "./roles.ts";
import { oneLine } from "./text.ts";

/** `what` completes "Cannot …"; `instead` says what they can do. */
export function demand(person: Person, right: Right, what: string, instead?: string): void {
  const why = whyNot(person, right);
  if (why !== undefined) {
    fail({ code: "not-allowed", what, hint: instead ? `${why}; ${instead}` : why, isRight: true });
  }
}

export function whyNot({ role }: Person, right: Right): string | undefined {
  return hasRight(role, right) ? undefined : `it takes the role ${roleFor(right)}, and yours is ${role}`;
}

type May = (asker: Person, forcing: Right) => boolean;

const isUnnamed: May = ({ name }) => name === undefined;

const MAY: Readonly<Record<Fix, May>> = {
  plan: ({ role }) => hasRight(role, "work"),
  next: () => true,
  owner: isUnnamed,
  self: isUnnamed,
  reason: ({ role }) => hasRight(role, "work"),
  force: ({ role }, forcing) => hasRight(role, forcing),
  overrule: ({ role }) => hasRight(role, "force"),
};

/** A refusal that offers only what the asker may do; `forcing` is the right that force takes in the operation. */
export function refusalFor(error: unknown, asker: Person | undefined, forcing: Right = "work"): unknown {
  if (asker === undefined || !(error instanceof BmadError) || error.failure.code !== "not-allowed") {
    return error;
  }
  const { fixes = [] } = error.failure;
  const allowed = fixes.filter((fix) => MAY[fix](asker, forcing));
  if (allowed.length === fixes.length) return error;
  return new BmadError({ ...error.failure, fixes: allowed }, { cause: error });
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
