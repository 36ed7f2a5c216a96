/**
 * The order of module versions, by the rules of semantic versioning; development builds have no place in it.
 */

/** A version that can be compared with others. */
export interface OrderableVersion {
  readonly core: readonly bigint[];
  readonly pre?: readonly string[];
}

const NUMBER = "(?:0|[1-9][0-9]*)";
const PART = `(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const VERSION = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${PART}(?:\\.${PART})*))?(?:\\+[0-9A-Za-z.-]+)?$`,
);

export function orderableVersion(text: string): OrderableVersion | undefined {
  if (text.length > 200 || /-dev/i.test(text)) return undefined;
  const [, major, minor, patch, pre] = VERSION.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { core: [major, minor!, patch!].map(BigInt), ...(pre !== undefined && { pre: pre.split(".") }) };
}

/** Negative if the first is older, 0 if they are equal; undefined if they cannot be compared. */
export function compareVersions(a: string, b: string): number | undefined {
  const [one, other] = [orderableVersion(a), orderableVersion(b)];
  if (one === undefined || other === undefined) return undefined;
  for (const [at, number] of one.core.entries()) {
    if (number !== other.core[at]!) return number < other.core[at]! ? -1 : 1;
  }
  return comparePre(one.pre, other.pre);
}

/** A version before a release is older than the release. */
function comparePre(a: readonly string[] | undefined, b: readonly string[] | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  for (const [at, one] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (one === other) continue;
    const [isNumber, isOtherNumber] = [one, other].map((part) => /^\d+$/.test(part));
    if (isNumber && isOtherNumber) return BigInt(one) < BigInt(other) ? -1 : 1;
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return a.length === b.length ? 0 : -1;
}

/** Whether an installed version is as new as a wanted one. `X-next` has what `X` will have. */
export function isNewEnough(installed: string, wanted: string): boolean | undefined {
  const order = compareVersions(installed, wanted);
  if (order === undefined || order >= 0) return order === undefined ? undefined : true;
  const [have, want] = [orderableVersion(installed)!, orderableVersion(wanted)!];
  return want.pre === undefined && have.pre?.join(".") === "next" &&
    have.core.join(".") === want.core.join(".");
}
