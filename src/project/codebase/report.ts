/**
 * What a search answers, for a model to read and for a program.
 */
import type { Hit } from "./hits.ts";

/** An answer, for a model to read and for a program. */
export interface CodeReport {
  /** Short, in lines. */
  readonly text: string;
  /** The same facts. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A file that fits, with what to look at in it. */
export interface CodeHit extends Hit {
  /** Those of the question that its best piece or its path has. */
  readonly words: readonly string[];
}

/** Puts an answer together. */
export function report(
  query: string,
  hits: readonly CodeHit[],
  { files, isWhole }: { readonly files: number; readonly isWhole: boolean },
): CodeReport {
  const looked = `looked through ${files} files${
    isWhole ? "" : " and stopped there: name a path to look in"
  }`;
  const head = hits.length === 0
    ? `Nothing fits ${JSON.stringify(query)}; ${looked}. Try other words.`
    : `${hits.length} files for ${JSON.stringify(query)}, best first; ${looked}`;
  const blocks = hits.map(({ path, line, words, snippet }) =>
    `\n${path}:${line} (has ${words.join(", ")})\n${snippet}`
  );
  return {
    text: [head, ...blocks].join("\n"),
    data: {
      query,
      files,
      complete: isWhole,
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
