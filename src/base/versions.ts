/**
 * Semantic versioning for BMAD, its modules and programs, without npm's `semver`, because a start compares versions.
 * Unlike there, capitals do not count (6.0.0-Beta.4 came after 6.0.0-alpha.22), and a version may be short or begin
 * with `v`.
 */

/** With more digits, a number would be inexact. */
const VERSION = /^v?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(?:-([^+]+))?(?:\+.*)?$/i;

const RELEASE = "\uffff";

/** Negative if the first is older, 0 if they are equal. What is not a version is older than any. */
export function compareVersions(a: string | undefined, b: string | undefined): number {
  const [parts, others] = [partsOf(a ?? ""), partsOf(b ?? "")];
  const at = parts.findIndex((part, at) => part !== others[at]);
  return at < 0 ? parts.length - others.length : compareParts(parts[at]!, others[at]);
}

function partsOf(text: string): readonly (number | string)[] {
  const [, major, minor = "0", patch = "0", stage = RELEASE] = VERSION.exec(text) ?? [];
  if (major === undefined) return [];
  const stages = stage.toLowerCase().split(".").map((part) => /^\d+$/.test(part) ? Number(part) : part);
  return [...[major, minor, patch].map(Number), ...stages];
}

/** A missing part is older than a number, and a number older than a word. */
function compareParts(a: number | string, b: number | string | undefined): number {
  if (b === undefined) return 1;
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  return typeof b === "number" || a > b ? 1 : -1;
}
