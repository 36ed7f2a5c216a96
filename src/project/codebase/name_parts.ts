/**
 * The words of a program's text, as somebody who searches means them.
 *
 * A word is found by its beginning and, where it is a name, by the beginning of each of its parts: `checkTokenExpiry`,
 * `token_expiry` and `HTTPToken` all have `token`. Works on the bytes of UTF-8, which takes a third of the time that
 * the characters of a string take. Pure. Which words are looked for is left to others.
 */

/** A word as the bytes that it is spelled with, a character for each: `Ã©` for é. */
export type Word = string;

/** In bytes. Longer words are cut: what they begin with is what they are found by. */
export const MOST_OF_WORD = 32;

/** Another one in each process: nobody can write a file whose words all have one sum. */
const FACTOR = Math.floor(Math.random() * 2 ** 29) * 8 + 5;

const OTHER = 0, LINE_END = 1, REST = 2, SMALL = 3, CAPITAL = 4, DIGIT = 5;

/** What each byte is. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const sign = String.fromCharCode(byte);
  if (sign === "\n") return LINE_END;
  if (/[a-z]/.test(sign)) return SMALL;
  if (/[A-Z]/.test(sign)) return CAPITAL;
  if (/[0-9]/.test(sign)) return DIGIT;
  // What letters with accents begin with, and accents of their own; what is looked for is spelled in Latin letters.
  if (byte >= 0xc3 && byte <= 0xcd) return SMALL;
  return byte >= 0x80 && byte <= 0xbf ? REST : OTHER;
});

/** Who is told of the words of a text, in order. */
export interface Reader {
  /** A word from its beginning, or from one of its parts, to its end; with the sum that `WordNumbers` knows it by. */
  word(from: number, end: number, hash: number): void;
  /** The line ends here. */
  lineEnd(): void;
}

/** Reads a text. */
export function readWords(text: Uint8Array, reader: Reader): void {
  for (let at = 0; at < text.length;) {
    const kind = KINDS[text[at]!]!;
    if (kind < SMALL) {
      if (kind === LINE_END) reader.lineEnd();
      at++;
      continue;
    }
    let end = at + 1, hash = text[at]!, isPlain = kind !== DIGIT;
    for (; end < text.length; end++) {
      const kind = KINDS[text[end]!]!;
      if (kind < REST) break;
      if (kind > SMALL) isPlain = false;
      if (end < at + MOST_OF_WORD) hash = Math.imul(hash, FACTOR) + text[end]! | 0;
    }
    reader.word(at, Math.min(end, at + MOST_OF_WORD), hash);
    for (let part = isPlain ? end : at + 1; part < end; part++) {
      if (beginsPart(text, part)) readPart(text, part, Math.min(end, part + MOST_OF_WORD), reader);
    }
    at = end;
  }
}

function readPart(text: Uint8Array, from: number, end: number, reader: Reader): void {
  let hash = 0;
  for (let at = from; at < end; at++) hash = Math.imul(hash, FACTOR) + text[at]! | 0;
  reader.word(from, end, hash);
}

/** A word of a text. */
export function wordIn(text: Uint8Array, from: number, end: number): Word {
  let word = "";
  for (let at = from; at < end; at++) word += String.fromCharCode(text[at]!);
  return word;
}

/** The first part of a word: `user` of `userName`. */
export function firstPart(word: Word): Word {
  const text = bytesOf(word);
  for (let at = 1; at < text.length; at++) if (beginsPart(text, at)) return word.slice(0, at);
  return word;
}

/** A word as it is compared: in small letters and without accents. */
export function foldWord(word: Word): string {
  if (!/[\x80-\xff]/.test(word)) return word.toLowerCase();
  return new TextDecoder().decode(bytesOf(word)).normalize("NFKD").replaceAll(/\p{M}+/gu, "").toLowerCase();
}

function bytesOf(word: Word): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(word, (sign) => sign.charCodeAt(0));
}

/** Whether a part of a name begins inside a word. */
function beginsPart(text: Uint8Array, at: number): boolean {
  const before = KINDS[text[at - 1]!]!, kind = KINDS[text[at]!]!;
  // The last of several capitals begins a word, unless what follows is only their plural: `HTTPServer`, but `URLs`.
  if (kind === CAPITAL) return before !== CAPITAL || areSmall(text, at + 1, at + 3);
  // Letters between digits are mostly no name but some sum: `base64encode`, not `9fae07`.
  return kind === SMALL && before === DIGIT && areSmall(text, at, at + 4);
}

function areSmall(text: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (at >= text.length || KINDS[text[at]!] !== SMALL) return false;
  return true;
}
