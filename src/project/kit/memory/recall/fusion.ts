/**
 * One ranking from two: memories that share terms with a question, and memories that mean the same.
 *
 * BM25 is divided by the weight of the whole question, so that one weak term scores low however well it compares with
 * the other matches; cosines are stretched between the best and the worst candidate. Measured against alternatives in
 * docs/decisions/0017-own-embedder.md. Pure: both rankings are handed in.
 */

export interface TermHit<Id> {
  readonly id: Id;
  /** Higher is better; FTS5 returns the negative. */
  readonly bm25: number;
}

export interface VectorHit<Id> {
  readonly id: Id;
  /** 1 for the same direction, about 0 for unrelated texts. */
  readonly cosine: number;
}

/** Both rankings of the same memories, the best first. */
export interface Rankings<Id> {
  readonly terms: readonly TermHit<Id>[];
  /** The rarities of the question's stems added up, whether found or not. */
  readonly weight: number;
  /** Empty without an embedder. */
  readonly vectors: readonly VectorHit<Id>[];
  /** The cosine of a memory that is not among the nearest. */
  cosineOf?(id: Id): number | undefined;
}

export interface Ranked<Id> {
  readonly id: Id;
  /** Higher is better, 1 is a very good match; only comparable within one answer. */
  readonly score: number;
  /** The share of the question's weight that its terms reach; 0 without any. It may exceed 1. */
  readonly lexical: number;
  /** The cosine; undefined if it was not compared. */
  readonly semantic: number | undefined;
}

/** How many hits of each ranking are considered. */
export const CANDIDATES = 100;

/** The share of meaning in a score; terms have the rest. Anything from 0.3 to 0.5 measures about the same. */
const VECTOR_SHARE = 0.4;
/** The cosine that a memory without a shared term needs: unrelated texts reach up to here. */
export const MIN_COSINE = 0.1;

/** The best memories of both rankings; equal ones keep their order. If none is worth showing, the nearest ones. */
export function fuse<Id>(rankings: Rankings<Id>, limit: number): readonly Ranked<Id>[] {
  const { terms, weight, vectors } = rankings;
  const best = vectors[0]?.cosine ?? 0, worst = vectors.at(-1)?.cosine ?? 0;
  const stretch = (cosine: number) => best > worst ? (cosine - worst) / (best - worst) : 1;
  const cosines = new Map(vectors.map(({ id, cosine }) => [id, cosine]));
  const shares = new Map(terms.map(({ id, bm25 }) => [id, bm25 / Math.max(weight, Number.EPSILON)]));
  const ranked = [...new Set([...shares.keys(), ...cosines.keys()])].map((id): Ranked<Id> => {
    const lexical = shares.get(id) ?? 0, cosine = cosines.get(id);
    const meaning = cosine === undefined ? 0 : stretch(cosine);
    const semantic = cosine ?? rankings.cosineOf?.(id);
    return { id, score: (1 - VECTOR_SHARE) * lexical + VECTOR_SHARE * meaning, lexical, semantic };
  }).sort((a, b) => b.score - a.score);
  const good = ranked.filter(({ lexical, semantic = 0 }) => lexical > 0 || semantic >= MIN_COSINE);
  return (good.length > 0 ? good : ranked).slice(0, limit);
}
