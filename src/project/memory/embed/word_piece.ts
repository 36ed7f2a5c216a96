/**
 * A text as the numbers of the tokens that the model knows it by.
 *
 * The rules are those the model was trained with (BERT, uncased): small letters without accents, each sign and each
 * Chinese character by itself, and a word that the vocabulary lacks in the longest pieces that it has. What the
 * numbers mean is the model's business.
 */

/** What gives the tokens of a text, at most so many, with the marks for its start and its end. */
export type Tokenizer = (text: string, most: number) => readonly number[];

const START = "[CLS]", END = "[SEP]", UNKNOWN = "[UNK]";
/** A longer word is no word. */
const LONGEST_WORD = 100;
/** So many different words are remembered with their pieces, then none anew. */
const MOST_REMEMBERED = 20_000;

/** Characters that no reader sees, and what could not be decoded. */
const UNSEEN = /[[\p{C}\uFFFD]--[\t\n\r]]+/gv;
/** A sign or a Chinese character is a word by itself. In ASCII all is a sign that is no letter, digit or space. */
const SIGN = String.raw`[!-\/:-@\[-\x60\{-~\p{P}\p{Unified_Ideograph}]`;
const WORDS = new RegExp(String.raw`${SIGN}|[\S--${SIGN}]+`, "gv");

/** The tokenizer of a vocabulary: one token a line, its number is that of its line. */
export function createTokenizer(vocabulary: string): Tokenizer {
  const numbers = new Map(vocabulary.split("\n").map((token, number) => [token, number]));
  const numberOf = (token: string) => {
    const number = numbers.get(token);
    if (number === undefined) throw new Error(`the vocabulary has no token ${token}`);
    return number;
  };
  const start = numberOf(START), end = numberOf(END), unknown = [numberOf(UNKNOWN)];
  const remembered = new Map<string, readonly number[]>();

  function piecesOf(word: string): readonly number[] {
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
    const plain = text.replaceAll(UNSEEN, "").normalize("NFD").replaceAll(/\p{Mn}+/gu, "").toLowerCase();
    const tokens = [start];
    for (const [word] of plain.matchAll(WORDS)) {
      if (tokens.length >= most) break;
      let pieces = remembered.get(word);
      if (pieces === undefined) {
        pieces = piecesOf(word);
        if (remembered.size < MOST_REMEMBERED) remembered.set(word, pieces);
      }
      tokens.push(...pieces);
    }
    return [...tokens.slice(0, most - 1), end];
  };
}
