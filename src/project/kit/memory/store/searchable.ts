/** What both stores do alike: the text that a memory is found by, the vector of a question, and the final ranking. */
import { BmadError } from "../../../../base/errors.ts";
import type { Embedder } from "../embed/embedder.ts";
import { fuse, type Rankings } from "../recall/fusion.ts";
import { type Analysis, sharedWords } from "../words/analysis.ts";
import type { Analyzer } from "../words/analyzer.ts";
import type { Hit, Memory } from "./store.ts";

/** The phase of work that takes longest, as people see it. */
export const EMBEDDING = "Embedding";

export function searchableText({ text, tags }: Memory): string {
  return [text, ...tags].join("\n");
}

/** Without a vector, memories are still ranked by terms; the problem says why there is none. */
export async function embedQuestion(embedder: Embedder | undefined, question: Asked, signal?: AbortSignal) {
  if (embedder === undefined) return {};
  try {
    return { vector: await vectorOfQuestion(embedder, question, signal) };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

/** What is embedded of a question. */
type Asked = Pick<Analysis, "english" | "isUnderstood">;

/** In a language that the embedder does not know, a question is a text like any other. */
export async function vectorOfQuestion(embedder: Embedder, question: Asked, signal?: AbortSignal) {
  const { english, isUnderstood } = question;
  return isUnderstood && embedder.embedQuestion !== undefined
    ? await embedder.embedQuestion(english, signal)
    : (await embedder.embed([english], signal))[0];
}

/** The reason of a failure that need not stop the work; anything else is thrown again. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof BmadError)) throw error;
  return error.failure.code === "memory-unavailable" ? error.failure.reason : error.message;
}

/** The best memories of both rankings, with the words they share with the question. */
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
