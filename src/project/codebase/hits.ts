/**
 * What to look at in a file that fits: the line, and those around it.
 *
 * Reads the file once more: of few files it is asked, and so it is as the file is now.
 */
import { findText, type Tree } from "../../content/tree/mod.ts";
import { createMatcher, findMatches } from "./matches.ts";
import { pageOf } from "./pages.ts";
import type { Match, Ranked, Scan } from "./search.ts";

/** A place in a file. */
export interface Hit {
  readonly path: string;
  readonly score: number;
  /** From 1 on. */
  readonly line: number;
  /** The stems that the best piece or the path has. */
  readonly stems: readonly string[];
  /** The line and those around it, numbered. */
  readonly snippet: string;
}

/** Lines around the one that fits, and characters of each. */
const AROUND = 2;
const MOST_OF_LINE = 200;

/** The place to look at in a file; undefined when the file is gone. */
export function hitAt(
  tree: Tree,
  { path, score, lines: [first, last] }: Ranked,
  scan: Scan,
  stems: readonly string[],
): Hit | undefined {
  const text = findText(tree, path);
  if (text === undefined) return undefined;
  const matches: Match[] = [];
  findMatches(pageOf(path, new TextEncoder().encode(text)), createMatcher(stems), (line, stem) => {
    if (line === 0 || (line >= first && line <= last)) matches.push({ line, stem });
  });
  const line = scan.lineAmong(matches.filter(({ line }) => line > 0));
  const found = new Set(matches.map(({ stem }) => stems[stem]!));
  return { path, score, line, stems: [...found], snippet: snippetOf(text, line) };
}

function snippetOf(text: string, line: number): string {
  const first = Math.max(1, line - AROUND);
  const lines = text.split("\n").slice(first - 1, line + AROUND);
  return lines.map((each, at) => {
    const plain = each.trimEnd();
    const cut = plain.length > MOST_OF_LINE ? `${plain.slice(0, MOST_OF_LINE).toWellFormed()}…` : plain;
    return `${first + at}: ${cut}`;
  }).join("\n");
}
