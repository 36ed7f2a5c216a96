/**
 * Where to look in a file that matches: the best line and those around it.
 *
 * Reads the file once more, so that a snippet shows it as it is now.
 */
import type { Tree } from "../../content/tree/mod.ts";
import type { Blended } from "./blend.ts";
import { pageAt } from "./files.ts";
import { createMatcher, findMatches } from "./matcher.ts";

export interface Hit {
  readonly path: string;
  readonly score: number;
  /** From 1. */
  readonly line: number;
  /** The stems in the path or in the best piece of the text. */
  readonly stems: readonly string[];
  readonly snippet: string;
}

/** Lines before and after the best one. */
const CONTEXT = 2;
/** In characters. */
const MAX_LINE = 200;

/** Finds the place to look at in a file; undefined if the file has gone. Each stem has a weight. */
export function hitAt(
  tree: Tree,
  { path, score, lines: [first, last], meant }: Blended,
  stems: readonly string[],
  weights: readonly number[],
  clean: (text: string) => string,
): Hit | undefined {
  const page = pageAt(tree, path, clean);
  if (page === undefined) return undefined;
  const stemsOn = new Map<number, Set<number>>();
  findMatches(page, createMatcher(stems), (line, stem) => {
    if (line > 0 && (line < first || line > last)) return;
    stemsOn.set(line, (stemsOn.get(line) ?? new Set()).add(stem));
  });
  const found = new Set([...stemsOn.values()].flatMap((some) => [...some]));
  stemsOn.delete(0);
  // A symbol says better where to look, unless the words are together in one place.
  const line = meant !== undefined && found.size < stems.length
    ? meant.line
    : weightiestLine(stemsOn, weights);
  const lines = new TextDecoder().decode(page).split("\n");
  const begin = Math.max(1, line - CONTEXT);
  const snippet = lines.slice(begin, line + CONTEXT + 1).map((text, at) =>
    `${begin + at}: ${shortened(text)}`
  );
  return { path, score, line, stems: [...found].map((stem) => stems[stem]!), snippet: snippet.join("\n") };
}

function weightiestLine(stemsOn: Map<number, Set<number>>, weights: readonly number[]): number {
  const weigh = (stems: Iterable<number>) => [...stems].reduce((sum, stem) => sum + weights[stem]!, 0);
  let best = { line: 1, weight: 0 };
  for (const [line, own] of stemsOn) {
    const around = [-2, -1, 0, 1, 2].flatMap((away) => [...stemsOn.get(line + away) ?? []]);
    const weight = weigh(own) + weigh(new Set(around));
    if (weight > best.weight) best = { line, weight };
  }
  return best.line;
}

function shortened(line: string): string {
  const text = line.trimEnd();
  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE).toWellFormed()}…` : text;
}
