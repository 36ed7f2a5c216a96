/**
 * A number for every word that was met: what is kept of a text is the numbers of its words.
 *
 * A table of our own, by the bytes of a word: with the runtime's, a string has to be made of every word of every file
 * just to look it up, which takes twice as long. Words that begin with 32 same bytes are one.
 */
import { type Word, wordIn } from "./name_parts.ts";

/** Words by their numbers, and numbers by the words. */
export interface WordNumbers {
  /** How many there are, with that of no word: 0. */
  size(): number;
  /** The word of a number. */
  word(number: number): Word;
  /** The number of a word in a text; 0 when it has none. */
  find(text: Uint8Array, from: number, end: number, hash: number): number;
  /** Gives a number to the word that was not found just before. */
  add(text: Uint8Array, from: number, end: number, hash: number): number;
}

const LEAST_SLOTS = 1 << 12;

/** No words yet. */
export function createWordNumbers(): WordNumbers {
  const words: Word[] = [""], hashes: number[] = [0];
  /** The numbers of words, each at the place that its hash says, or behind it; at least half of the places are free. */
  let slots = new Uint32Array(LEAST_SLOTS);
  /** Where the last word was found or would have to be. */
  let slot = 0;

  // The lower bits choose the place; the upper ones have seen more of the word.
  const slotOf = (hash: number) => (hash ^ hash >>> 15) & slots.length - 1;

  function grow(): void {
    slots = new Uint32Array(slots.length * 2);
    for (let number = 1; number < words.length; number++) {
      slot = slotOf(hashes[number]!);
      while (slots[slot] !== 0) slot = slot + 1 & slots.length - 1;
      slots[slot] = number;
    }
  }

  return {
    size: () => words.length,
    word: (number) => words[number]!,
    find(text, from, end, hash) {
      for (slot = slotOf(hash); slots[slot] !== 0; slot = slot + 1 & slots.length - 1) {
        const number = slots[slot]!;
        if (hashes[number] === hash && isSame(words[number]!, text, from, end)) return number;
      }
      return 0;
    },
    add(text, from, end, hash) {
      slots[slot] = words.length;
      hashes.push(hash);
      words.push(wordIn(text, from, end));
      if (words.length * 2 > slots.length) grow();
      return words.length - 1;
    },
  };
}

function isSame(word: Word, text: Uint8Array, from: number, end: number): boolean {
  if (word.length !== end - from) return false;
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) !== text[from + at]) return false;
  return true;
}
