/**
 * What every embedder does: turn texts into vectors, so that similar meanings point in similar directions.
 *
 * Two exist: the built-in model (built_in.ts) and a server with the OpenAI API (endpoint.ts). Vectors of two embedders
 * cannot be compared; the id tells them apart.
 */

/** Turns texts into vectors of length 1. */
export interface Embedder {
  /** Names the model and everything else its vectors depend on. */
  readonly id: string;
  /** The length of a vector; 0 for a server that has not answered yet. */
  readonly dimensions: number;
  /** The vectors in the order of the texts. Fails with `memory-unavailable`, or with the reason of the signal. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /**
   * The vector that texts are compared with to find answers to a question; that of the text itself where the embedder
   * knows nothing about questions.
   */
  embedQuestion?(question: string, signal?: AbortSignal): Promise<Float32Array>;
  /** For single words a direction each, without their neighbours, and after it how much the word tells, up to 1. */
  embedWords?(words: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /** Frees its resources; running calls fail. */
  close(): void;
}
