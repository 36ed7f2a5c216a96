/**
 * BM25 without an index: for texts that are few, or that another program keeps the index of.
 *
 * `scoreTexts` ranks texts that are at hand; `weighStems` says what a stem counts in one text, for an index that knows
 * how many texts have it and multiplies.
 */
import type { Analysis } from "../words/analysis.ts";
import type { WordHit } from "./fusion.ts";
import { GLOSS_WEIGHT, type Wanted, weightOf } from "./lexical.ts";

/** How soon a further occurrence counts no more, and how much longer texts are held back. */
const SATURATION = 1.2;
const LENGTH = 0.75;
/** How many stems a memory usually has. */
const USUAL_LENGTH = 45;

/** What each stem of a text counts, by how often it occurs and how long the text is. */
export function weighStems({ terms, gloss }: Analysis, usual = USUAL_LENGTH): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const stem of terms) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  for (const stem of gloss) counts.set(stem, (counts.get(stem) ?? 0) + GLOSS_WEIGHT);
  const length = 1 - LENGTH + LENGTH * (terms.length + gloss.length) / Math.max(usual, 1);
  for (const [stem, count] of counts) {
    counts.set(stem, count * (SATURATION + 1) / (count + SATURATION * length));
  }
  return counts;
}

/** Which texts have stems of a question, the best first, and what the question's stems weigh together. */
export function scoreTexts({ own, all }: Wanted, texts: readonly Analysis[]): {
  readonly words: readonly WordHit<number>[];
  readonly weight: number;
} {
  const stems = texts.reduce((sum, { terms, gloss }) => sum + terms.length + gloss.length, 0);
  const weighed = texts.map((text) => weighStems(text, stems / texts.length));
  const weights = new Map(all.map((stem) => [
    stem,
    weightOf(weighed.filter((counts) => counts.has(stem)).length, texts.length),
  ]));
  const scored = weighed.map((counts, id) => ({
    id,
    bm25: all.reduce((sum, stem) => sum + weights.get(stem)! * (counts.get(stem) ?? 0), 0),
  }));
  return {
    words: scored.filter(({ bm25 }) => bm25 > 0).sort((a, b) => b.bm25 - a.bm25),
    weight: own.reduce((sum, stem) => sum + weights.get(stem)!, 0),
  };
}
