/**
 * A number for every distinct term.
 *
 * A hash table over the bytes of a term: a `Map` would need a string for each term of each file just to look it up,
 * which takes twice as long. Terms that agree in their first `MAX_TERM` bytes count as one.
 */
import { type Term, termAt } from "./code_terms.ts";

export function createTermIds() {
  const terms: Term[] = [""], hashes: number[] = [0];
  /** Open addressing: each id is in the slot of its hash or in one after it. At least half of the slots are free. */
  let slots = new Uint32Array(1 << 12);
  let slot = 0;

  // The lower bits choose the slot; the upper ones depend on more of the term.
  const slotOf = (hash: number) => (hash ^ hash >>> 15) & slots.length - 1;

  return {
    /** One more than the highest id; 0 is not the id of a term. */
    size: () => terms.length,
    term: (id: number): Term => terms[id]!,
    /** The id of a term in a text; 0 if it has none. */
    find(text: Uint8Array, from: number, end: number, hash: number): number {
      for (slot = slotOf(hash); slots[slot] !== 0; slot = slot + 1 & slots.length - 1) {
        const id = slots[slot]!;
        if (hashes[id] === hash && isSame(terms[id]!, text, from, end)) return id;
      }
      return 0;
    },
    /** Gives an id to the term that `find` has just missed. */
    add(text: Uint8Array, from: number, end: number, hash: number): number {
      const id = terms.push(termAt(text, from, end)) - 1;
      hashes.push(hash);
      slots[slot] = id;
      if (id * 2 > slots.length) {
        slots = new Uint32Array(slots.length * 2);
        for (let id = 1; id < terms.length; id++) {
          for (slot = slotOf(hashes[id]!); slots[slot] !== 0;) slot = slot + 1 & slots.length - 1;
          slots[slot] = id;
        }
      }
      return id;
    },
  };
}

function isSame(term: Term, text: Uint8Array, from: number, end: number): boolean {
  if (term.length !== end - from) return false;
  for (let at = 0; at < term.length; at++) if (term.charCodeAt(at) !== text[from + at]) return false;
  return true;
}
