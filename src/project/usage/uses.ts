/**
 * Uses as plain data: of each thing, how often it was used and when last.
 */

/** How something was used. */
export interface Use {
  /** How often. */
  readonly count: number;
  /** When last, in milliseconds since the epoch. */
  readonly last: number;
}

/** Uses by the qualified names of things, in small letters. */
export type Uses = ReadonlyMap<string, Use>;

/** Both in one: counts are added, the later time counts. */
export function mergeUses(some: Uses, others: Uses): Uses {
  const merged = new Map(some);
  for (const [key, { count, last }] of others) {
    const use = merged.get(key);
    merged.set(key, { count: count + (use?.count ?? 0), last: Math.max(last, use?.last ?? 0) });
  }
  return merged;
}
