/**
 * The terms of source code, as a person who searches thinks of them.
 *
 * A word is found by its beginning, and a name by the beginning of each of its parts: `checkTokenExpiry`,
 * `token_expiry` and `HTTPToken` all contain `token`. A term therefore runs from the beginning of a part to the end of
 * the word. Of scripts without spaces, every character begins a part. Works on the bytes of UTF-8, which takes a third of the time that the characters of a string take. Pure.
 */

/** The bytes of a term, one character for each: `Ã©` for é. */
export type Term = string;

/** In bytes. Longer terms are cut: only their beginning is ever compared. */
export const MAX_TERM = 32;

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

export interface TermReader {
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

/** The first part of a term: `user` of `userName`. */
export function firstPart(term: Term): Term {
  const text = bytesOf(term);
  const end = text.findIndex((_, at) => at > 0 && beginsPart(text, at));
  return end < 0 ? term : term.slice(0, end);
}

/** A term as it is compared: in lower case and without accents. */
export function foldTerm(term: Term): string {
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
