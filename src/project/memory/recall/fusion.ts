/**
 * One ranking from two: memories that have the words of a question, and memories that mean the same.
 *
 * BM25 is divided by what the words of the question weigh together, so that a match of one weak word counts little
 * however well it compares with the others; cosines are stretched between the best and the last of those looked at.
 * Measured against other ways in docs/decisions/0017-own-embedder.md. Pure: both rankings are handed in.
 */

/** A memory that has words of the question. */
export interface WordHit<Id> {
  /** Whatever tells memories apart where they are kept. */
  readonly id: Id;
  /** Higher fits better; FTS5 gives the negative. */
  readonly bm25: number;
}

/** A memory whose vector was compared with that of the question. */
export interface MeaningHit<Id> {
  /** The same kind of id as in the other ranking. */
  readonly id: Id;
  /** 1 for the same direction, about 0 for texts that have nothing to do with one another. */
  readonly cosine: number;
}

/** Both rankings of the same memories, the best first. */
export interface Rankings<Id> {
  /** Empty where no memory has any of the words. */
  readonly words: readonly WordHit<Id>[];
  /** What the words of the question weigh together (`weightOf`), found or not. */
  readonly weight: number;
  /** Empty where there is no embedder. */
  readonly meanings: readonly MeaningHit<Id>[];
}

/** A memory and why it is where it is. */
export interface Ranked<Id> {
  /** As it was in the rankings. */
  readonly id: Id;
  /** Higher fits better, 1 is very well; only comparable within one answer. */
  readonly score: number;
  /** Which share of the weight of the question's words it has, by BM25; 0 without any. It may pass 1. */
  readonly lexical: number;
  /** The cosine; undefined if the vectors were not compared or it is not among the nearest. */
  readonly semantic: number | undefined;
}

/** How many of each ranking are looked at. */
export const LOOKED_AT = 100;

/** What the meaning counts; the words count the rest. Anything from 0.3 to 0.5 measures about the same. */
const MEANING = 0.4;
/** A memory without any word of the question must be at least so near: unrelated texts are up to here. */
const LEAST_COSINE = 0.1;

/** The best memories of both rankings, at most so many; equal ones in the order in which they came. */
export function fuse<Id>({ words, weight, meanings }: Rankings<Id>, limit: number): readonly Ranked<Id>[] {
  const best = meanings[0]?.cosine ?? 0, last = meanings.at(-1)?.cosine ?? 0;
  const stretched = (cosine: number) => best > last ? (cosine - last) / (best - last) : 1;
  const semantic = new Map(meanings.map(({ id, cosine }) => [id, cosine]));
  const lexical = new Map(words.map(({ id, bm25 }) => [id, bm25 / Math.max(weight, Number.EPSILON)]));
  const ranked = [...new Set([...lexical.keys(), ...semantic.keys()])].map((id): Ranked<Id> => {
    const share = lexical.get(id) ?? 0, cosine = semantic.get(id);
    const meaning = cosine === undefined ? 0 : stretched(cosine);
    return { id, score: (1 - MEANING) * share + MEANING * meaning, lexical: share, semantic: cosine };
  });
  return ranked.filter(({ lexical, semantic = 0 }) => lexical > 0 || semantic >= LEAST_COSINE)
    .sort((a, b) => b.score - a.score).slice(0, limit);
}
