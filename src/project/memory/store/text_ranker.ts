/** Ranks texts that are not memories, such as the learnings of an agent line by line. */
import { BmadError } from "../../../base/errors.ts";
import type { Embedder } from "../embed/embedder.ts";
import { fuse } from "../recall/fusion.ts";
import { queryStems, scoreTexts } from "../recall/terms.ts";
import type { Analysis } from "../words/analysis.ts";
import type { Rankers } from "./store.ts";

/** How many texts are embedded for one question: those that share a term, then the first ones. */
const MAX_EMBEDDED = 64;
const MAX_CACHED_VECTORS = 1_000;
/** The cosine that a text without a shared term needs. */
const MIN_COSINE = 0.4;

/** Returns what gives the indices of the texts that match a question, the best first. */
export function createTextRanker({ analyze, embedder }: Rankers) {
  const embed = embedder && cacheVectors(embedder);

  async function compare(question: Analysis, texts: ReadonlyMap<number, Analysis>, signal?: AbortSignal) {
    try {
      const english = [question, ...texts.values()].map((text) => text.english);
      const [asked, ...vectors] = await embed?.(english, signal) ?? [];
      const ids = [...texts.keys()];
      const hits = vectors.map((vector, at) => ({ id: ids[at]!, cosine: product(asked!, vector) }));
      return hits.sort((a, b) => b.cosine - a.cosine);
    } catch (error) {
      // Terms are enough where the embedder fails.
      if (error instanceof BmadError) return [];
      throw error;
    }
  }

  return async (query: string, texts: readonly string[], signal?: AbortSignal) => {
    const question = analyze(query), analyses = texts.map(analyze);
    const { terms, weight } = scoreTexts(queryStems(question), analyses);
    const first = [...terms.map(({ id }) => id), ...texts.keys()].slice(0, MAX_EMBEDDED);
    const vectors = await compare(question, new Map(first.map((id) => [id, analyses[id]!])), signal);
    return fuse({ terms, weight, vectors }, texts.length)
      .filter(({ lexical, semantic = 0 }) => lexical > 0 || semantic >= MIN_COSINE).map(({ id }) => id);
  };
}

/** Embeds texts, each only once while the cache has room. */
function cacheVectors(embedder: Embedder): Embedder["embed"] {
  const cache = new Map<string, Float32Array>();
  return async (texts, signal) => {
    const missing = [...new Set(texts.filter((text) => !cache.has(text)))];
    if (cache.size + missing.length > MAX_CACHED_VECTORS) cache.clear();
    for (const [at, vector] of (await embedder.embed(missing, signal)).entries()) {
      cache.set(missing[at]!, vector);
    }
    // The cache may have been cleared, here or by another request during the await.
    return await Promise.all(
      texts.map(async (text) => cache.get(text) ?? (await embedder.embed([text], signal))[0]!),
    );
  };
}

function product(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, number, at) => sum + number * b[at]!, 0);
}
