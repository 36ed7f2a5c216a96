/**
 * Releases of BMAD as facts: what one contains, and what differs between two.
 */
export { type Change, compareReleases } from "./compare.ts";
export { type Fact, type FactKind, KINDS, type Release } from "./facts.ts";
export { scriptHash } from "./hash.ts";
export { declaredNames } from "./python.ts";
export { readRelease } from "./read.ts";
