/**
 * Which of the stems that are looked for a word begins with, and where in a text that is so.
 *
 * Pure. Stems consist of small letters and digits; how a question comes to them is left to others.
 */
import { firstPart, foldWord, MOST_OF_WORD, readWords, type Word, wordIn } from "./name_parts.ts";

/** So many stems at most are looked for. */
export const MOST_STEMS = 32;

/** Told of a match: its line, and which stem it is of, from 0 on. The path is line 0, the text begins in 1. */
export type OnMatch = (line: number, stem: number) => void;

/** Looks for some stems. */
export interface Matcher {
  /** Whether any word could fit that begins with this byte. */
  mayBegin(byte: number): boolean;
  /** The place of the stem that a word begins with, counted from 1 on; 0 for none. Of several, the longest counts. */
  placeOf(word: Word): number;
}

/** A shorter stem must be a whole part of a name: `id` is in `userId` and `ids`, and not in `idle`. */
const SHORTEST = 4;

interface Wanted {
  readonly place: number;
  fits(folded: string, word: Word): boolean;
}

/** Looks for some stems, of which there are not too many. */
export function createMatcher(stems: readonly string[]): Matcher {
  const wantedBy = new Map<string, Wanted[]>();
  const places = stems.map((stem, at) => ({ stem, place: at + 1 }));
  for (const { stem, place } of places.toSorted((a, b) => b.stem.length - a.stem.length)) {
    const first = stem.charAt(0);
    wantedBy.set(first, [...wantedBy.get(first) ?? [], { place, fits: fitterOf(stem) }]);
  }
  // A letter with an accent can stand for any.
  const begins = Array.from(
    { length: 256 },
    (_, byte) => byte >= 0x80 || wantedBy.has(String.fromCharCode(byte).toLowerCase()),
  );
  return {
    mayBegin: (byte) => begins[byte]!,
    placeOf(word) {
      if (!begins[word.charCodeAt(0)]) return 0;
      const folded = foldWord(word);
      return wantedBy.get(folded.charAt(0))?.find(({ fits }) => fits(folded, word))?.place ?? 0;
    },
  };
}

/** Tells of all matches in a page, in order. */
export function findMatches(page: Uint8Array, matcher: Matcher, onMatch: OnMatch): void {
  let line = 0;
  readWords(page, {
    word(from, end) {
      const place = matcher.mayBegin(page[from]!) ? matcher.placeOf(wordIn(page, from, end)) : 0;
      if (place > 0) onMatch(line, place - 1);
    },
    lineEnd: () => line++,
  });
}

function fitterOf(stem: string): Wanted["fits"] {
  if (stem.length < SHORTEST) {
    const forms = new Set([stem, `${stem}s`]);
    return (folded, word) =>
      folded.startsWith(stem) && (forms.has(folded) || forms.has(foldWord(firstPart(word))));
  }
  const begin = stem.slice(0, MOST_OF_WORD);
  // One that ends in i may stand for a word in y: `polici` for `policy`.
  const other = begin.endsWith("i") ? `${begin.slice(0, -1)}y` : begin;
  return (folded) => folded.startsWith(begin) || folded.startsWith(other);
}
