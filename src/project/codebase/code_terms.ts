/** The terms of code, found in its bytes: `checkTokenExpiry`, `token_expiry` and `HTTPToken` all contain `token`. */

export type Term = string;

/** In bytes. Longer terms are cut: only their beginning is ever compared. */
const MAX_TERM = 32;

/** Differs in every process: no file can be written so that all of its terms have the same hash. */
const HASH_FACTOR = Math.floor(Math.random() * 2 ** 29) * 8 + 5;

const OTHER = 0, LINE_END = 1, CONTINUATION = 2, SMALL = 3, CAPITAL = 4, DIGIT = 5, IDEOGRAPH = 6;

const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (character === "\n") return LINE_END;
  if (/[a-z]/.test(character)) return SMALL;
  if (/[A-Z]/.test(character)) return CAPITAL;
  if (/[0-9]/.test(character)) return DIGIT;
  // First bytes: accented Latin letters, accents, and alphabets from Greek to Thai.
  if (byte >= 0xc3 && byte <= 0xe1) return SMALL;
  // Kana and Chinese characters, which are written without spaces, and Korean syllables; 0xe2 is punctuation.
  if (byte >= 0xe3 && byte <= 0xed) return IDEOGRAPH;
  return byte >= 0x80 && byte <= 0xbf ? CONTINUATION : OTHER;
});

interface TermReader {
  term(from: number, end: number, hash: number): void;
  lineEnd(): void;
}

export function readTerms(text: Uint8Array, reader: TermReader): void {
  for (let at = 0; at < text.length;) {
    const kind = kindAt(text, at);
    if (kind < SMALL) {
      if (kind === LINE_END) reader.lineEnd();
      at++;
      continue;
    }
    let end = at + 1, hash = text[at]!, hasParts = kind >= DIGIT;
    for (; end < text.length; end++) {
      const kind = kindAt(text, end);
      if (kind < CONTINUATION) break;
      if (kind > SMALL) hasParts = true;
      if (end < at + MAX_TERM) hash = Math.imul(hash, HASH_FACTOR) + text[end]! | 0;
    }
    reader.term(at, Math.min(end, at + MAX_TERM), hash);
    for (let part = hasParts ? at + 1 : end; part < end; part++) {
      if (beginsPart(text, part)) readPart(text, part, Math.min(end, part + MAX_TERM), reader);
    }
    at = end;
  }
}

/** Chinese punctuation (U+3000 to U+303F) begins with a byte of kana. */
function kindAt(text: Uint8Array, at: number): number {
  const kind = KINDS[text[at]!]!;
  return kind === IDEOGRAPH && text[at] === 0xe3 && text[at + 1] === 0x80 ? OTHER : kind;
}

function readPart(text: Uint8Array, from: number, end: number, reader: TermReader): void {
  let hash = 0;
  for (let at = from; at < end; at++) hash = Math.imul(hash, HASH_FACTOR) + text[at]! | 0;
  reader.term(from, end, hash);
}

export function termAt(text: Uint8Array, from: number, end: number): Term {
  let term = "";
  for (let at = from; at < end; at++) term += String.fromCharCode(text[at]!);
  return term;
}

function firstPart(term: Term): Term {
  const text = bytesOf(term);
  const end = text.findIndex((_, at) => at > 0 && beginsPart(text, at));
  return end < 0 ? term : term.slice(0, end);
}

function foldTerm(term: Term): string {
  if (!/[\x80-\xff]/.test(term)) return term.toLowerCase();
  return new TextDecoder().decode(bytesOf(term)).normalize("NFKD").replaceAll(/\p{M}+/gu, "").toLowerCase();
}

function bytesOf(term: Term): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(term, (character) => character.charCodeAt(0));
}

function beginsPart(text: Uint8Array, at: number): boolean {
  const before = KINDS[text[at - 1]!]!, kind = KINDS[text[at]!]!;
  if (kind === IDEOGRAPH) return true;
  if (kind !== CONTINUATION && before === CONTINUATION && isAfterIdeograph(text, at)) return true;
  // The last of several capitals begins a part, unless only a plural follows: `HTTPServer`, but `URLs`.
  if (kind === CAPITAL) return before !== CAPITAL || areSmall(text, at + 1, at + 3);
  // Letters between digits are mostly part of a checksum: `base64encode`, but `9fae07`.
  return kind === SMALL && before === DIGIT && areSmall(text, at, at + 4);
}

function areSmall(text: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (at >= text.length || KINDS[text[at]!] !== SMALL) return false;
  return true;
}

function isAfterIdeograph(text: Uint8Array, at: number): boolean {
  let lead = at - 1;
  while (lead > 0 && KINDS[text[lead]!] === CONTINUATION) lead--;
  return KINDS[text[lead]!] === IDEOGRAPH;
}

export const MAX_STEMS = 32;

export type OnMatch = (line: number, stem: number) => void;

export type Matcher = ReturnType<typeof createMatcher>;

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
    mayBegin: (byte: number): boolean => begins[byte]!,
    /** One more than the index of the longest stem that a term begins with, or 0. */
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
