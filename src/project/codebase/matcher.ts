/**
 * Which of the stems in a query a term begins with, and where in a text that happens.
 *
 * Pure. Stems consist of letters and digits, in lower case and without accents; how a query becomes stems is left to the caller.
 */
import { firstPart, foldTerm, MAX_TERM, readTerms, type Term, termAt } from "./code_terms.ts";

export const MAX_STEMS = 32;

/** Receives a match: its line, where the path is line 0 and the text begins in 1, and the index of the stem. */
export type OnMatch = (line: number, stem: number) => void;

export type Matcher = ReturnType<typeof createMatcher>;

/** A shorter stem has to be a whole part of a name: `id` matches `userId` and `ids`, but not `idle`. */
const SHORTEST_PREFIX = 4;

export function createMatcher(stems: readonly string[]) {
  const wanted = stems.map((stem, at) => ({ number: at + 1, stem, matches: matcherOf(stem) }))
    .sort((a, b) => b.stem.length - a.stem.length);
  const byFirst = Map.groupBy(wanted, ({ stem }) => stem.charAt(0));
  // A byte of an accented letter can stand for any letter.
  const begins = Array.from(
    { length: 256 },
    (_, byte) => byte >= 0x80 || byFirst.has(String.fromCharCode(byte).toLowerCase()),
  );
  return {
    /** Whether a term with this first byte can match at all. */
    mayBegin: (byte: number): boolean => begins[byte]!,
    /** One more than the index of the longest stem that a term begins with; 0 for none. */
    match(term: Term): number {
      if (!begins[term.charCodeAt(0)]) return 0;
      const folded = foldTerm(term);
      return byFirst.get(folded.charAt(0))?.find(({ matches }) => matches(folded, term))?.number ?? 0;
    },
  };
}

function matcherOf(stem: string): (folded: string, term: Term) => boolean {
  if (stem.length < SHORTEST_PREFIX && /^[a-z0-9]*$/.test(stem)) {
    const forms = new Set([stem, `${stem}s`]);
    return (folded, term) =>
      folded.startsWith(stem) && (forms.has(folded) || forms.has(foldTerm(firstPart(term))));
  }
  // A letter of another script has up to four bytes.
  const prefix = stem.slice(0, /[^a-z0-9]/.test(stem) ? MAX_TERM / 4 : MAX_TERM);
  // A stem in i may come from a word in y: `polici` from `policy`.
  const other = prefix.replace(/i$/, "y");
  return (folded) => folded.startsWith(prefix) || folded.startsWith(other);
}

export function findMatches(page: Uint8Array, matcher: Matcher, onMatch: OnMatch): void {
  let line = 0;
  readTerms(page, {
    term(from, end) {
      const number = matcher.mayBegin(page[from]!) ? matcher.match(termAt(page, from, end)) : 0;
      if (number > 0) onMatch(line, number - 1);
    },
    lineEnd: () => line++,
  });
}
