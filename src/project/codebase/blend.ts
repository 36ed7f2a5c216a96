/**
 * One ranking of files from two: by the words of a question, and by what their symbols mean.
 *
 * Words come first: a file that has all of them is ahead of one that only means the same, and meaning decides where
 * words are missing. Both are absolute, so a weak match stays weak however few others there are. Pure.
 */
import type { Meant } from "./meaning.ts";
import type { Ranked } from "./ranking.ts";

export interface Blended extends Ranked {
  /** The closest symbol, if it is close enough to be a reason. */
  readonly meant?: Meant;
}

/** The share of words in a score. */
const WORDS_SHARE = 0.6;
/** The fit of a name and a sentence that have little in common, and that of a name and what describes it. */
const FAR = 0.15, CLOSE = 0.8;
/** The cosine at which a symbol is a reason to show a file: it has to be higher where words find an answer. */
const LEAST_CLOSENESS = 0.2, LEAST_BESIDE_WORDS = 0.3;
/** The share of the words that is an answer. */
const ENOUGH_WORDS = 0.5;

/** The best files; `weight` is that of all words of the question, whether found or not. */
export function blend(
  ranked: readonly Ranked[],
  weight: number,
  meant: ReadonlyMap<string, Meant>,
  limit: number,
): readonly Blended[] {
  const files = new Map<string, Blended>(ranked.map((file) => {
    const words = Math.min(1, file.score / Math.max(weight, Number.EPSILON));
    return [file.path, { ...file, score: WORDS_SHARE * words }];
  }));
  const isAnswered = files.values().some(({ score }) => score >= WORDS_SHARE * ENOUGH_WORDS);
  const least = isAnswered ? LEAST_BESIDE_WORDS : LEAST_CLOSENESS;
  for (const [path, each] of meant) {
    const byWords = files.get(path), isReason = each.closeness >= least;
    if (byWords === undefined && !isReason) continue;
    const closeness = Math.min(1, Math.max(0, (each.fit - FAR) / (CLOSE - FAR)));
    const score = (byWords?.score ?? 0) + (1 - WORDS_SHARE) * closeness;
    const lines = byWords?.lines ?? [each.line, each.line] as const;
    files.set(path, { path, score, lines, ...(isReason && { meant: each }) });
  }
  return [...files.values()].sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, limit);
}
