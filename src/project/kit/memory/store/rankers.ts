import { recover } from "../../../../base/absence.ts";
import type { Memory } from "../../../../base/model.ts";
import { cacheRecent } from "../../../../base/cache.ts";
import { dotProduct } from "../../../../base/ranking.ts";
import { BmadError } from "../../../../base/errors.ts";
import { type Embedder, openEmbedder } from "../embed/built_in.ts";
import { fuse, queryStems, type Rankings, scoreTexts } from "../recall/ranking.ts";
import { type Analysis, type Analyzer, openAnalyzer, sharedWords } from "../words/analysis.ts";
import type { Hit, Rankers } from "./store.ts";
import type { MemoryPlan } from "../../../../settings/plan/mod.ts";
import { openEndpoint } from "../embed/endpoint.ts";
import { openKernel } from "../recall/vectors.ts";

/** For one question: those that share a term, then the first ones. */
const MAX_EMBEDDED = 64;
const MAX_CACHED = 5_000;
const MIN_COSINE = 0.37;

/** The best first, each by its index; those that are no match are only the nearest. */
export function createTextRanker({ analyze: analyzeAnew, embedder }: Rankers) {
  const embed = embedder && cacheVectors(embedder);
  const analyses = cacheRecent<Analysis>(MAX_CACHED);
  const analyze = (text: string) => analyses(text, () => analyzeAnew(text));

  async function compare(question: Analysis, texts: ReadonlyMap<number, Analysis>, signal?: AbortSignal) {
    if (embedder === undefined || embed === undefined) return [];
    // Terms are enough where the embedder fails.
    return await recover(BmadError, async () => {
      const asked = await vectorOfQuestion(embedder, question, signal);
      const vectors = await embed.embed([...texts.values()].map((text) => text.english), signal);
      const ids = [...texts.keys()];
      const hits = vectors.map((vector, at) => ({ id: ids[at]!, cosine: dotProduct(asked!, vector) }));
      return hits.sort((a, b) => b.cosine - a.cosine);
    }, () => []);
  }

  return async (query: string, texts: readonly string[], signal?: AbortSignal) => {
    if (texts.length === 0) return [];
    const question = analyze(query), analyzed = texts.map(analyze);
    const { terms, weight } = scoreTexts(queryStems(question), analyzed);
    // Those that share a term come first; of the others, any that has a vector is compared as well.
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

export const EMBEDDING = "Embedding";

export function searchableText({ text, tags }: Memory): string {
  return [text, ...tags].join("\n");
}

/** Without a vector, memories are still ranked by terms; the problem says why there is none. */
export async function embedQuestion(
  embedder: Embedder | undefined,
  question: Asked,
  signal?: AbortSignal,
): Promise<{ readonly vector?: Float32Array; readonly problem?: string }> {
  if (embedder === undefined) return {};
  return await recover(
    BmadError,
    async () => ({ vector: await vectorOfQuestion(embedder, question, signal) }),
    (error) => ({ problem: reasonOf(error) }),
  );
}

type Asked = Pick<Analysis, "english" | "isUnderstood">;

/** In a language that the embedder does not know, a question is a text like any other. */
export async function vectorOfQuestion(embedder: Embedder, question: Asked, signal?: AbortSignal) {
  const { english, isUnderstood } = question;
  return isUnderstood && embedder.embedQuestion !== undefined
    ? await embedder.embedQuestion(english, signal)
    : (await embedder.embed([english], signal))[0];
}

export function reasonOf({ failure, message }: BmadError): string {
  return failure.code === "memory-unavailable" ? failure.reason : message;
}

export function rankHits<Id>(
  rankings: Rankings<Id>,
  { limit, question, analyze }: { limit: number; question: Analysis; analyze: Analyzer },
  find: (id: Id) => Memory | undefined,
): readonly Hit[] {
  return fuse(rankings, limit).flatMap(({ id, ...why }) => {
    const memory = find(id);
    if (memory === undefined) return [];
    return [{ memory, ...why, words: sharedWords(question, analyze(searchableText(memory))) }];
  });
}

export const NO_EMBEDDER = "the embedder is missing from this build";

export type OpenRankers = ReturnType<typeof openRankers>;

export function openRankers({ embedder: choice, contentDir }: MemoryPlan) {
  const embedder = choice === "none"
    ? undefined
    : choice === "built-in"
    ? openEmbedder(contentDir)
    : openEndpoint(choice);
  const why = choice === "none" ? "the embedder is off" : NO_EMBEDDER;
  return {
    analyze: openAnalyzer(contentDir),
    embedder,
    kernel: embedder && openKernel(contentDir),
    description: embedder === undefined ? `keywords only (${why})` : `keywords and meaning (${embedder.id})`,
    close: () => embedder?.close(),
  };
}
