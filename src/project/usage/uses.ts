/** What order of a list follows from earlier uses: recently used, often used and early in the content come first. */

export interface Use {
  readonly count: number;
  readonly last: number;
}

export type Uses = ReadonlyMap<string, Use>;

export function mergeUses(some: Uses, others: Uses): Map<string, Use> {
  const merged = new Map(some);
  for (const [key, use] of others) addUse(merged, key, use);
  return merged;
}

export function addUse(uses: Map<string, Use>, key: string, { count, last }: Use): void {
  const use = uses.get(key);
  uses.set(key, { count: count + (use?.count ?? 0), last: Math.max(last, use?.last ?? 0) });
}

/** After this many milliseconds the last use counts e times less. */
const FADING_MS = 15 * 60_000;
const MANY = 100;
const SHARES = { recency: 0.4, frequency: 0.3, position: 0.2 } as const;

export function scoreOf(
  use: Use | undefined,
  now: number,
  { position, total }: { readonly position: number; readonly total: number },
  boost = 0,
): number {
  // If the clock was set back, a use counts as being from now.
  const recency = use === undefined ? 0 : Math.exp(-Math.max(0, now - use.last) / FADING_MS);
  const frequency = use === undefined ? 0 : Math.min(1, Math.log2(use.count + 1) / Math.log2(MANY + 1));
  const early = total < 2 ? 1 : 1 - position / (total - 1);
  return SHARES.recency * recency + SHARES.frequency * frequency + SHARES.position * early + boost;
}

/** Items of equal score keep their order. There may be thousands: they are merged with the few that were used. */
export function rankByUse<T>(
  items: readonly T[],
  useOf: (item: T) => Use | undefined,
  now: number,
  boostOf: (item: T) => number = () => 0,
): readonly T[] {
  const total = items.length;
  const scoreAt = (position: number, use?: Use, boost?: number) =>
    scoreOf(use, now, { position, total }, boost);
  const plain: number[] = [];
  const moved: { readonly at: number; readonly score: number }[] = [];
  items.forEach((item, at) => {
    const [use, boost] = [useOf(item), boostOf(item)];
    if (use === undefined && boost === 0) plain.push(at);
    else moved.push({ at, score: scoreAt(at, use, boost) });
  });
  if (moved.length === 0) return items;
  moved.sort((a, b) => b.score - a.score);
  const ranked: T[] = [];
  let next = 0;
  for (const { at, score } of moved) {
    const isAbove = (other: number) => scoreAt(other) > score || (scoreAt(other) === score && other < at);
    while (next < plain.length && isAbove(plain[next]!)) ranked.push(items[plain[next++]!]!);
    ranked.push(items[at]!);
  }
  for (const at of plain.slice(next)) ranked.push(items[at]!);
  return ranked;
}
