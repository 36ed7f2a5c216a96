/**
 * Whether a finding repeats one that is known: the same words in the same file.
 */
import type { Embed } from "../context/mod.ts";
import { findingId } from "../formats/mod.ts";

export interface Said {
  readonly text: string;
  readonly file?: string;
}

export interface SameTools {
  readonly embed?: Embed;
  hasFile(path: string): boolean;
  readonly signal?: AbortSignal;
}

export function findSame<T extends Said>(
  said: Said,
  known: readonly T[],
  _: SameTools,
): Promise<T | undefined> {
  const id = findingId(said.text, said.file);
  return Promise.resolve(known.find(({ text, file }) => findingId(text, file) === id));
}
