/**
 * What a thing is worth in a list that nobody limited by words: recently used, often used, early in the content.
 *
 * Pure: the same uses at the same time give the same order, and without any use it is the order of the content, save
 * for what the content itself puts first.
 */

import type { Use } from "./uses.ts";

/** After so many milliseconds the last use counts e times less. */
const FADING_MS = 15 * 60_000;
/** So many uses count as much as any more. */
const MANY = 100;
/** What each part is worth. */
const SHARES = { recency: 0.4, frequency: 0.3, position: 0.2 } as const;

/** Where something stands in the order of the content, from 0, among how many. */
export interface Standing {
  readonly position: number;
  readonly total: number;
}

/** The score of one thing. `boost` is what the content adds to it. */
export function scoreOf(use: Use | undefined, now: number, standing: Standing, boost = 0): number {
  const { position, total } = standing;
  // A clock that was put back makes nothing more recent than now.
  const recency = use === undefined ? 0 : Math.exp(-Math.max(0, now - use.last) / FADING_MS);
  const frequency = use === undefined ? 0 : Math.min(1, Math.log2(use.count + 1) / Math.log2(MANY + 1));
  const early = total < 2 ? 1 : 1 - position / (total - 1);
  return SHARES.recency * recency + SHARES.frequency * frequency + SHARES.position * early + boost;
}

/** How things are put in order. */
export interface RankOptions<T> {
  /** How a thing was used. */
  useOf(thing: T): Use | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the content adds to a thing's score. */
  boostOf?(thing: T): number;
}

/** The things by their scores, those of equal score as they stood. */
export function rankByUse<T>(things: readonly T[], { useOf, now, boostOf }: RankOptions<T>): readonly T[] {
  const total = things.length;
  const scored = things.map((thing, position) => ({
    thing,
    score: scoreOf(useOf(thing), now, { position, total }, boostOf?.(thing)),
  }));
  return scored.sort((a, b) => b.score - a.score).map(({ thing }) => thing);
}
