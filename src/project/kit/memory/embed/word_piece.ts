/** A text as token numbers, by the rules that the model was trained with (BERT, uncased). */

export type Tokenizer = (text: string, most: number) => readonly number[];

const START = "[CLS]", END = "[SEP]", UNKNOWN = "[UNK]";
/** A longer word is unknown, as in BERT. */
const LONGEST_WORD = 100;
const MAX_CACHED_WORDS = 20_000;

const INVISIBLE = /[[\p{C}\uFFFD]--[\t\n\r]]+/gv;
/** Symbols: in ASCII everything but letters, digits and white space. */
const SYMBOL = String.raw`[!-\/:-@\[-\x60\{-~\p{P}\p{Unified_Ideograph}]`;
const WORDS = new RegExp(String.raw`${SYMBOL}|[\S--${SYMBOL}]+`, "gv");

/** The vocabulary has one token per line; its number is that of the line. */
export function createTokenizer(vocabulary: string): Tokenizer {
  const numbers = new Map(vocabulary.split("\n").map((token, number) => [token, number]));
  const numberOf = (token: string) => {
    const number = numbers.get(token);
    if (number === undefined) throw new Error(`the vocabulary has no token ${token}`);
    return number;
  };
  const start = numberOf(START), end = numberOf(END), unknown = [numberOf(UNKNOWN)];
  const cache = new Map<string, readonly number[]>();

  function split(word: string): readonly number[] {
    if ([...word].length > LONGEST_WORD) return unknown;
    const pieces: number[] = [];
    for (let from = 0; from < word.length;) {
      const mark = from === 0 ? "" : "##";
      let to = word.length;
      while (to > from && !numbers.has(mark + word.slice(from, to))) to--;
      if (to === from) return unknown;
      pieces.push(numbers.get(mark + word.slice(from, to))!);
      from = to;
    }
    return pieces;
  }

  return (text, most) => {
    const plain = text.replaceAll(INVISIBLE, "").normalize("NFD").replaceAll(/\p{Mn}+/gu, "").toLowerCase();
    const tokens = [start];
    for (const [word] of plain.matchAll(WORDS)) {
      if (tokens.length >= most) break;
      let pieces = cache.get(word);
      if (pieces === undefined) {
        pieces = split(word);
        if (cache.size < MAX_CACHED_WORDS) cache.set(word, pieces);
      }
      tokens.push(...pieces);
    }
    return [...tokens.slice(0, most - 1), end];
  };
}
