/**
 * The answer to a search, as text for a model and as data for a program.
 */
import type { Hit } from "./hits.ts";

/** An answer. */
export interface CodeReport {
  /** Short, in lines. */
  readonly text: string;
  /** The same facts. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A hit, and the words of the query that it contains. */
export interface CodeHit extends Omit<Hit, "stems"> {
  readonly words: readonly string[];
}

export function buildReport(
  query: string,
  hits: readonly CodeHit[],
  { files, isComplete }: { readonly files: number; readonly isComplete: boolean },
): CodeReport {
  const counted = (count: number) => `${count} ${count === 1 ? "file" : "files"}`;
  const searched = `${counted(files)} searched${
    isComplete ? "" : ", then stopped at a limit: narrow it to one folder"
  }`;
  const head = hits.length === 0
    ? `No file matches ${JSON.stringify(query)} (${searched}). Try other words.`
    : `${counted(hits.length)} for ${JSON.stringify(query)}, best first (${searched})`;
  const blocks = hits.map(({ path, line, words, snippet }) =>
    `\n${path}:${line} (contains ${words.join(", ")})\n${snippet}`
  );
  return {
    text: [head, ...blocks].join("\n"),
    data: {
      query,
      files,
      complete: isComplete,
      hits: hits.map(({ path, line, score, words, snippet }) => ({
        path,
        line,
        score: Math.round(score * 100) / 100,
        words,
        snippet,
      })),
    },
  };
}
