/**
 * Ranking by terms: which stems to look up, and BM25 for texts that no full-text index of ours holds.
 *
 * SQLite's FTS5 ranks the memories of a file. Qdrant keeps sparse vectors of `weighStems` and multiplies them by the
 * rarity of each stem; `scoreTexts` ranks texts at hand. Nothing here knows where memories are stored.
 */
import { lengthNorm, rarity, saturate } from "../../../../base/bm25.ts";
import type { Analysis } from "../words/analysis.ts";

export interface QueryStems {
  /** Those of its own words: a memory that has all of them matches fully. */
  readonly own: readonly string[];
  /** Those plus the stems of its English meaning. */
  readonly all: readonly string[];
}

/** A longer question is looked up by its first stems. */
const MAX_STEMS = 64;

/** What a stem of the English gloss counts, compared with 1 for a stem of the text itself. */
export const GLOSS_WEIGHT = 0.7;

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;
/** The typical number of stems in a memory. */
const TYPICAL_LENGTH = 45;

export function queryStems({ terms, gloss }: Analysis): QueryStems {
  const own = [...new Set(terms)].slice(0, MAX_STEMS);
  return { own, all: [...new Set([...own, ...gloss])].slice(0, 2 * MAX_STEMS) };
}

/** The FTS5 expression for memories with any of these stems; stems are letters and digits only. */
export function matchExpression(stems: readonly string[]): string {
  return stems.map((stem) => `"${stem}"`).join(" OR ");
}

/** The weight of each stem in one text, from its count and the length of the text. */
export function weighStems({ terms, gloss }: Analysis, typical = TYPICAL_LENGTH) {
  const counts = new Map<string, number>();
  for (const stem of terms) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  for (const stem of gloss) counts.set(stem, (counts.get(stem) ?? 0) + GLOSS_WEIGHT);
  const norm = lengthNorm((terms.length + gloss.length) / Math.max(typical, 1), LENGTH_WEIGHT);
  return new Map(counts.entries().map(([stem, count]) => [stem, saturate(count, SATURATION, norm)]));
}

/** The texts that have stems of a question, the best first, and the weight of the whole question. */
export function scoreTexts({ own, all }: QueryStems, texts: readonly Analysis[]) {
  const length = texts.reduce((sum, { terms, gloss }) => sum + terms.length + gloss.length, 0);
  const weighed = texts.map((text) => weighStems(text, length / texts.length));
  const having = (stem: string) => weighed.filter((weights) => weights.has(stem)).length;
  const rarities = new Map(all.map((stem) => [stem, rarity(having(stem), texts.length)]));
  const scored = weighed.map((weights, id) => ({
    id,
    bm25: all.reduce((sum, stem) => sum + rarities.get(stem)! * (weights.get(stem) ?? 0), 0),
  }));
  return {
    terms: scored.filter(({ bm25 }) => bm25 > 0).sort((a, b) => b.bm25 - a.bm25),
    weight: own.reduce((sum, stem) => sum + rarities.get(stem)!, 0),
  };
}
