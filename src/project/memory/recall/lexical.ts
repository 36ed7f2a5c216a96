/**
 * The side of recall that goes by words: what a full-text index is asked, and what its answer is worth.
 *
 * The index is BM25 over stems (FTS5 in SQLite, sparse vectors in Qdrant); this says which stems to look for and how
 * well a memory could fit at most. Nothing here knows where memories are kept.
 */
import type { Analysis } from "../words/analysis.ts";

/** The stems that a question is looked up by, each once. */
export interface Wanted {
  /** Those of its own words: a memory that has all of them fits fully. */
  readonly own: readonly string[];
  /** Those and what its words mean in English. */
  readonly all: readonly string[];
}

/** A longer question is looked up by its first words. */
const MOST_STEMS = 64;

/** What of an English gloss in a full-text index counts, where a word of the text itself counts 1. */
export const GLOSS_WEIGHT = 0.7;

/** The stems of a question. */
export function wantedOf({ terms, gloss }: Analysis): Wanted {
  const own = [...new Set(terms)].slice(0, MOST_STEMS);
  return { own, all: [...new Set([...own, ...gloss])].slice(0, 2 * MOST_STEMS) };
}

/** What FTS5 is asked for memories with any of these stems, which are letters and digits alone. */
export function matchOf(stems: readonly string[]): string {
  return stems.map((stem) => `"${stem}"`).join(" OR ");
}

/** How much a stem tells that so many of all memories have: rare ones tell more. The formula is BM25's own. */
export function weightOf(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}
