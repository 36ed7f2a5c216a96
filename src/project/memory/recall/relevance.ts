/**
 * How well a hit answers a question, on a scale that is the same for any number of memories and for every source.
 *
 * Rankings only compare the hits of one search with each other. The relevance of a hit depends on nothing but the
 * question and the hit: the closeness of their meaning, and the share of the question's words that the hit has.
 */

export interface Closeness {
  /** The cosine; undefined if it was not compared. */
  readonly semantic: number | undefined;
  /** The words of the question that the hit has. */
  readonly words: readonly string[];
}

/** What all words of a question add to the closeness of meaning. */
const WORDS_SHARE = 0.25;
/**
 * Measured with the built-in embedder: of sixty questions that nothing answers, two are above. Chosen with
 * relevance_set.ts, and measured again with held_out_set.ts, of which it knows nothing.
 */
const FLOOR = 0.4;
/** A hit with so many of the words is relevant, whatever its meaning: names of things mean nothing to the embedder. */
const MOST_WORDS = 2 / 3;

/** From 0 to 1; without a cosine, the share of the words. */
export function relevanceOf({ semantic, words }: Closeness, wordsAsked: number): number {
  const share = shareOf(words, wordsAsked);
  return semantic === undefined ? share : Math.min(1, Math.max(0, semantic) + WORDS_SHARE * share);
}

/** Whether a hit answers the question at all. Without meaning, a shared word is all there is to go by. */
export function isRelevant(hit: Closeness, wordsAsked: number, hasFloor: boolean): boolean {
  return !hasFloor || relevanceOf(hit, wordsAsked) >= FLOOR || shareOf(hit.words, wordsAsked) >= MOST_WORDS;
}

function shareOf(words: readonly string[], wordsAsked: number): number {
  return Math.min(1, words.length / Math.max(1, wordsAsked));
}
