/**
 * Texts that are no memories, put in order by how well they fit a question: what an agent learned, line by line.
 */
import { BmadError } from "../../../base/errors.ts";
import type { Senses } from "./store.ts";
import { scoreTexts } from "../recall/bm25.ts";
import { fuse, type MeaningHit } from "../recall/fusion.ts";
import { wantedOf } from "../recall/lexical.ts";

/** So many texts are embedded for one question: those with its words, then the first ones. */
const MOST_EMBEDDED = 64;
/** Vectors of so many texts are kept. */
const MOST_KEPT = 1_000;
/** A text without any word of the question fits from this cosine on. */
const NEAR = 0.4;

/** What ranks texts, until nobody waits for it any more. */
export function createRanker(
  { analyze, embedder }: Senses,
): (question: string, texts: readonly string[], signal?: AbortSignal) => Promise<readonly number[]> {
  const kept = new Map<string, Float32Array>();

  async function vectorsOf(
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    const unknown = [...new Set(texts.filter((text) => !kept.has(text)))];
    if (kept.size + unknown.length > MOST_KEPT) kept.clear();
    for (const [at, vector] of (await embedder!.embed(unknown, signal)).entries()) {
      kept.set(unknown[at]!, vector);
    }
    return await Promise.all(
      texts.map(async (text) => kept.get(text) ?? (await embedder!.embed([text], signal))[0]!),
    );
  }

  async function meaningsOf(
    question: string,
    texts: ReadonlyMap<number, string>,
    signal: AbortSignal | undefined,
  ): Promise<readonly MeaningHit<number>[]> {
    if (embedder === undefined) return [];
    try {
      const [asked, ...found] = await vectorsOf([question, ...texts.values()], signal);
      const hits = [...texts.keys()].map((id, at) => ({ id, cosine: product(asked!, found[at]!) }));
      return hits.sort((a, b) => b.cosine - a.cosine);
    } catch (error) {
      // Words are enough where the server of an endpoint is away.
      if (error instanceof BmadError) return [];
      throw error;
    }
  }

  return async (question, texts, signal) => {
    const asked = analyze(question), analyses = texts.map(analyze);
    const { words, weight } = scoreTexts(wantedOf(asked), analyses);
    const first = new Set([...words.map(({ id }) => id), ...texts.keys()].slice(0, MOST_EMBEDDED));
    const english = new Map([...first].map((id) => [id, analyses[id]!.english]));
    const meanings = await meaningsOf(asked.english, english, signal);
    return fuse({ words, weight, meanings }, texts.length)
      .filter(({ lexical, semantic = 0 }) => lexical > 0 || semantic >= NEAR).map(({ id }) => id);
  };
}

function product(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, number, at) => sum + number * b[at]!, 0);
}
