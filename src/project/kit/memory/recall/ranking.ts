/** Measured in docs/decisions/0017-own-embedder.md. */
import {
  bagOf,
  blendScores,
  lengthNorm,
  rarityOf,
  saturate,
  scoreBags,
  statisticsOf,
  type Tuning,
} from "../../../../base/ranking.ts";
import type { Analysis } from "../words/analysis.ts";

const MAX_STEMS = 64;
/** What a stem of the English gloss counts, compared with 1 for a stem of the text itself. */
export const GLOSS_WEIGHT = 0.7;
const TUNING: Tuning = { saturation: 1.2, lengthWeight: 0.75 };
const TYPICAL_LENGTH = 45;

export function queryStems({ terms, gloss }: Analysis) {
  const own = [...new Set(terms)].slice(0, MAX_STEMS);
  return { own, all: [...new Set([...own, ...gloss])].slice(0, 2 * MAX_STEMS) };
}

/** For FTS5, which ranks the memories of a file; stems are letters and digits only. */
export function matchExpression(stems: readonly string[]): string {
  return stems.map((stem) => `"${stem}"`).join(" OR ");
}

const bagOfText = ({ terms, gloss }: Analysis) => bagOf([terms, 1], [gloss, GLOSS_WEIGHT]);

/** For Qdrant, which multiplies the weight of each stem in a text by its rarity. */
export function weighStems(text: Analysis): ReadonlyMap<string, number> {
  const { terms, length } = bagOfText(text);
  const norm = lengthNorm(length / TYPICAL_LENGTH, TUNING);
  return new Map(terms.entries().map(([stem, count]) => [stem, saturate(count, TUNING, norm)]));
}

export function scoreTexts({ own, all }: ReturnType<typeof queryStems>, texts: readonly Analysis[]) {
  const bags = texts.map(bagOfText), statistics = statisticsOf(bags);
  const scores = scoreBags(bags, new Map(all.map((stem) => [stem, 1])), TUNING, statistics);
  return {
    terms: scores.map((bm25, id) => ({ id, bm25 })).filter(({ bm25 }) => bm25 > 0)
      .sort((a, b) => b.bm25 - a.bm25),
    weight: own.reduce((sum, stem) => sum + rarityOf(stem, statistics), 0),
  };
}

export interface VectorHit<Id> {
  readonly id: Id;
  readonly cosine: number;
}

export interface Rankings<Id> {
  /** Higher is better; FTS5 returns the negative. */
  readonly terms: readonly { readonly id: Id; readonly bm25: number }[];
  /** The rarities of the question's stems added up, whether found or not. */
  readonly weight: number;
  readonly vectors: readonly VectorHit<Id>[];
  cosineOf?(id: Id): number | undefined;
}

export interface Ranked<Id> {
  readonly id: Id;
  /** 1 is a very good match; only comparable within one answer. */
  readonly score: number;
  /** The share of the question's weight that its terms reach; 0 without any. It may exceed 1. */
  readonly lexical: number;
  readonly semantic: number | undefined;
}

export const CANDIDATES = 100;
/** Anything from 0.3 to 0.5 measures about the same. */
const MEANING_SHARE = 0.4;
/** The cosine that a memory without a shared term needs: unrelated texts reach up to here. */
const MIN_COSINE = 0.1;

/** Equal ones keep their order. If none is worth showing, the nearest ones. */
export function fuse<Id>(rankings: Rankings<Id>, limit: number): readonly Ranked<Id>[] {
  const { terms, weight, vectors } = rankings;
  const best = vectors[0]?.cosine ?? 0, worst = vectors.at(-1)?.cosine ?? 0;
  const stretch = (cosine: number) => best > worst ? (cosine - worst) / (best - worst) : 1;
  const cosines = new Map(vectors.map(({ id, cosine }) => [id, cosine]));
  const words = new Map(terms.map(({ id, bm25 }) => [id, bm25 / Math.max(weight, Number.EPSILON)]));
  const meaning = new Map(vectors.map(({ id, cosine }) => [id, stretch(cosine)]));
  const ranked = blendScores(words, meaning, MEANING_SHARE).map(({ id, score }): Ranked<Id> => ({
    id,
    score,
    lexical: words.get(id) ?? 0,
    semantic: cosines.get(id) ?? rankings.cosineOf?.(id),
  }));
  const good = ranked.filter(({ lexical, semantic = 0 }) => lexical > 0 || semantic >= MIN_COSINE);
  return (good.length > 0 ? good : ranked).slice(0, limit);
}

interface Closeness {
  readonly semantic: number | undefined;
  readonly words: readonly string[];
}

export interface Asked {
  readonly words: number;
  /** Whether the embedder knows its language: otherwise, texts of one language all seem close. */
  readonly isUnderstood: boolean;
  /** Whether it knows the language word by word only. */
  readonly isGlossed?: boolean;
}

export function askedIn({ parts, isUnderstood, language }: Analysis): Asked {
  return { words: new Set(parts.map(({ text }) => text)).size, isUnderstood, isGlossed: language === "fr" };
}

const WORDS_SHARE = 0.1;
/** Six of 96 questions that nothing answers are above it with the built-in embedder (tests/project/kit/memory). */
const FLOOR = 0.35;
/** For a question that is compared word by word, which is never as close as a sentence. */
const GLOSS_FLOOR = 0.32;
const WORDS_FLOOR = 0.38;
/** A hit with this share of the words is relevant, whatever its meaning: the embedder does not know most names. */
const MOST_WORDS = 2 / 3;

/** From 0 to 1; it depends on nothing but the question and the hit, so hits of all sources compare. */
export function relevanceOf({ semantic, words }: Closeness, asked: Asked): number {
  const share = shareOf(words, asked);
  return hasMeaning(semantic, asked) ? Math.min(1, Math.max(0, semantic) + WORDS_SHARE * share) : share;
}

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
