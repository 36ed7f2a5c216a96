/**
 * What a request for memory or runs is answered with.
 */

/** An answer, for a model to read and for a program. */
export interface Report {
  /** Short, in lines. */
  readonly text: string;
  /** The same facts. */
  readonly data: Readonly<Record<string, unknown>>;
}
