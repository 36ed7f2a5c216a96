/**
 * What turns texts into vectors: texts of like meaning get vectors of like direction.
 *
 * Two kinds of it exist: the one that is built in (built_in.ts) and a server that speaks the API of OpenAI
 * (endpoint.ts). Vectors of two embedders cannot be compared; the id tells them apart.
 */

/** Turns texts into vectors of length 1. */
export interface Embedder {
  /** Names the model and all that its vectors depend on: only vectors of the same id can be compared. */
  readonly id: string;
  /** How many numbers a vector has; of a server it is known once it has answered, and 0 until then. */
  readonly dimensions: number;
  /** The vectors of some texts, in their order. Fails with `memory-unavailable`, or with the reason of the signal. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /** Gives back what it holds. Whatever is under way fails. */
  close(): void;
}
