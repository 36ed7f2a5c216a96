/**
 * How well a hit answers a question, on a scale that is the same for any number of memories and for every source.
 *
 * Rankings only compare the hits of one search with each other. The relevance of a hit depends on nothing but the
 * question and the hit: the closeness of their meaning, and the share of the question's words that the hit has.
 */
import type { Analysis } from "../words/analysis.ts";
import { MIN_COSINE } from "./fusion.ts";

export interface Closeness {
  /** The cosine; undefined if it was not compared. */
  readonly semantic: number | undefined;
  /** The words of the question that the hit has. */
  readonly words: readonly string[];
}

/** What of a question its relevance depends on. */
export interface Asked {
  /** How many words say something. */
  readonly words: number;
  /** Whether the embedder knows its language: otherwise, texts of one language all seem close. */
  readonly isUnderstood: boolean;
  /** Whether it knows the language word by word only. */
  readonly isGlossed?: boolean;
}

/** What the relevance of hits for an analyzed question depends on. */
export function askedIn({ parts, isUnderstood, language }: Analysis): Asked {
  return { words: new Set(parts.map(({ text }) => text)).size, isUnderstood, isGlossed: language === "fr" };
}

/** What all words of a question add to the closeness of meaning. */
const WORDS_SHARE = 0.1;
/**
 * Measured with the built-in embedder: of 96 questions that nothing answers, six are above. Chosen with
 * relevance_set.ts and held_out_set.ts; fresh_set.ts and everyday_set.ts show what it is worth for others.
 */
const FLOOR = 0.35;
/**
 * The same for a question that is compared word by word, which is never as close as a sentence. How far below was chosen
 * with the first half of the French questions of paraphrase_set.ts; of all of them, it answers three more.
 */
const GLOSS_FLOOR = 0.32;
/** The same for the share of the words, where there is no meaning to go by. */
const WORDS_FLOOR = 0.38;
/** A hit with this share of the words is relevant, whatever its meaning: the embedder does not know most names. */
const MOST_WORDS = 2 / 3;

/** From 0 to 1; where there is no meaning to go by, the share of the words. */
export function relevanceOf({ semantic, words }: Closeness, asked: Asked): number {
  const share = shareOf(words, asked);
  return hasMeaning(semantic, asked) ? Math.min(1, Math.max(0, semantic) + WORDS_SHARE * share) : share;
}

/** Whether a hit answers the question at all. Without meaning, a shared word is all there is to go by. */
export function isRelevant(hit: Closeness, asked: Asked, hasFloor: boolean): boolean {
  if (!hasFloor) return hit.words.length > 0 || hit.semantic === undefined || hit.semantic >= MIN_COSINE;
  const floor = !hasMeaning(hit.semantic, asked) ? WORDS_FLOOR : asked.isGlossed ? GLOSS_FLOOR : FLOOR;
  return relevanceOf(hit, asked) >= floor || shareOf(hit.words, asked) >= MOST_WORDS;
}

function hasMeaning(semantic: number | undefined, asked: Asked): semantic is number {
  return semantic !== undefined && asked.isUnderstood;
}

function shareOf(words: readonly string[], asked: Asked): number {
  return Math.min(1, words.length / Math.max(1, asked.words));
}
