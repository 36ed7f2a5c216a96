/**
 * Ranks texts that are not memories, such as the learnings of an agent line by line, or what the project's files say.
 *
 * Each question embeds a limited number of texts; vectors are cached, so that later questions know more of them.
 */
import { BmadError } from "../../../../base/errors.ts";
import type { Embedder } from "../embed/embedder.ts";
import { fuse, type Ranked } from "../recall/fusion.ts";
import { queryStems, scoreTexts } from "../recall/terms.ts";
import { type Analysis, sharedWords } from "../words/analysis.ts";
import { vectorOfQuestion } from "./searchable.ts";
import type { Rankers } from "./store.ts";

/** How many texts are embedded for one question: those that share a term, then the first ones. */
const MAX_EMBEDDED = 64;
const MAX_CACHED = 5_000;
/** The cosine that a text without a shared term needs. */
const MIN_COSINE = 0.37;

/** A text that matches a question, by its index, and why. */
export interface RankedText extends Ranked<number> {
  readonly words: readonly string[];
  /** Whether it is worth showing: all others are only the nearest. */
  readonly isMatch: boolean;
}

/** Ranks texts for a question, the best first. */
export type TextRanker = (
  query: string,
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<readonly RankedText[]>;

export function createTextRanker({ analyze: analyzeAnew, embedder }: Rankers): TextRanker {
  const embed = embedder && cacheVectors(embedder);
  const analyses = new Map<string, Analysis>();
  const analyze = (text: string) => {
    const known = analyses.get(text) ?? analyzeAnew(text);
    if (analyses.size >= MAX_CACHED) analyses.clear();
    analyses.set(text, known);
    return known;
  };

  async function compare(question: Analysis, texts: ReadonlyMap<number, Analysis>, signal?: AbortSignal) {
    try {
      if (embedder === undefined || embed === undefined) return [];
      const asked = await vectorOfQuestion(embedder, question, signal);
      const vectors = await embed.embed([...texts.values()].map((text) => text.english), signal);
      const ids = [...texts.keys()];
      const hits = vectors.map((vector, at) => ({ id: ids[at]!, cosine: product(asked!, vector) }));
      return hits.sort((a, b) => b.cosine - a.cosine);
    } catch (error) {
      // Terms are enough where the embedder fails.
      if (error instanceof BmadError) return [];
      throw error;
    }
  }

  return async (query, texts, signal) => {
    if (texts.length === 0) return [];
    const question = analyze(query), analyzed = texts.map(analyze);
    const { terms, weight } = scoreTexts(queryStems(question), analyzed);
    // Those that share a term are worth a vector first; of the others, any that has one is compared as well.
    const order = [...new Set([...terms.map(({ id }) => id), ...texts.keys()])];
    let left = MAX_EMBEDDED;
    const chosen = order.filter((id) => embed?.has(analyzed[id]!.english) || left-- > 0);
    const vectors = await compare(question, new Map(chosen.map((id) => [id, analyzed[id]!])), signal);
    return fuse({ terms, weight, vectors }, texts.length).map((ranked) => ({
      ...ranked,
      words: sharedWords(question, analyzed[ranked.id]!),
      isMatch: ranked.lexical > 0 || (ranked.semantic ?? 0) >= MIN_COSINE,
    }));
  };
}

/** Embeds texts, each only once while the cache has room. */
export function cacheVectors(embedder: Embedder) {
  const cache = new Map<string, Float32Array>();
  const embed: Embedder["embed"] = async (texts, signal) => {
    const known = new Map(texts.map((text) => [text, cache.get(text)]));
    const missing = [...known].filter(([, vector]) => vector === undefined).map(([text]) => text);
    if (cache.size + missing.length > MAX_CACHED) cache.clear();
    for (const [at, vector] of (await embedder.embed(missing, signal)).entries()) {
      cache.set(missing[at]!, vector);
      known.set(missing[at]!, vector);
    }
    return texts.map((text) => known.get(text)!);
  };
  return { embed, has: (text: string) => cache.has(text) };
}

function product(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, number, at) => sum + number * b[at]!, 0);
}
