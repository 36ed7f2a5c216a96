/**
 * What both stores do alike with a text: which of it is looked through, and how a question becomes a vector.
 */
import { BmadError } from "../../../base/errors.ts";
import type { Embedder } from "../embed/embedder.ts";
import type { Memory } from "./store.ts";

/** The text that a memory is found by: its own and its tags. */
export function wholeText({ text, tags }: Memory): string {
  return [text, ...tags].join("\n");
}

/** The vector of a question; without one, memories are still found by words, and the problem says why only so. */
export async function questionVector(
  embedder: Embedder | undefined,
  text: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly vector?: Float32Array; readonly problem?: string }> {
  if (embedder === undefined) return {};
  try {
    const [vector] = await embedder.embed([text], signal);
    return { vector };
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return { problem: error.message };
  }
}
