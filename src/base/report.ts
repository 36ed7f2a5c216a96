/** An answer about the project, once for a model to read and once for a program. */
export interface Report {
  readonly text: string;
  /** The same facts. */
  readonly data: Readonly<Record<string, unknown>>;
}
