/**
 * A search index: which documents hold some words, and how much each is worth for them.
 *
 * BM25 over fields of different worth (BM25F): what a word is worth in a document grows with each place where it
 * stands, ever more slowly, and counts less the more documents have it. Words are compared as they are; what makes
 * forms of a word alike is left to whoever makes the documents. Why it is our own is told in decision 15.
 */

/** The words of each field of a document, with spaces between. */
export type FieldTexts = readonly string[];

/** What was found. */
export interface Match {
  /** The place of the document in the order of adding. */
  readonly document: number;
  /** Higher fits better; numbers of two searches cannot be compared. */
  readonly score: number;
  /** Of the words that were looked for, how many it has. */
  readonly words: number;
  /** The fields that have one of them, as bits: the first field is the lowest. */
  readonly fields: number;
}

/**
 * The documents of an index that have some of the words, in the order of adding. A word that no document has is taken
 * for a slip, or for the beginning of one; the only word that there is may be a beginning in any case.
 */
export type Find = (words: readonly string[]) => readonly Match[];

/** An index that is being made. */
export interface Indexing {
  /** Adds a document: the next one. */
  add(fields: FieldTexts): void;
  /** Ends the adding. */
  close(): Find;
}

/** How soon further places of a word in a document stop to count. Tuned with bench/finding.ts, as is the next. */
const SATURATION = 2;
/** How much a long field counts less than a short one, from 0 to 1. */
const LENGTH = 0.5;

/** What a word is worth that only begins as the one that was looked for, and one that may be meant by a slip. */
const BEGINNING = 0.4;
const SLIP = 0.4;

/** Where a word stands. */
interface Posting {
  /** For each field of each document that has it: the document, the field, how often. */
  readonly places: number[];
  /** The same as it counts, once somebody has looked for the word. */
  counted?: Counted;
}

/** For each document that has a word: the document, what the word is worth in it, the fields as bits. */
interface Counted {
  readonly documents: readonly number[];
  readonly worths: readonly number[];
  readonly fields: readonly number[];
}

/** Begins an index over fields of which a word in each is worth so much. */
export function openIndex(worths: readonly number[]): Indexing {
  const postings = new Map<string, Posting>();
  /** How many words each field of each document has, one document behind the other. */
  const lengths: number[] = [];
  const totals = worths.map(() => 0);
  let size = 0;

  const add = (fields: FieldTexts): void => {
    fields.forEach((text, field) => {
      const words = text === "" ? [] : text.split(" ");
      lengths.push(words.length);
      totals[field]! += words.length;
      for (const word of words) {
        let posting = postings.get(word);
        if (posting === undefined) postings.set(word, posting = { places: [] });
        const { places } = posting;
        const last = places.length - 3;
        if (places[last] === size && places[last + 1] === field) places[last + 2]!++;
        else places.push(size, field, 1);
      }
    });
    size++;
  };

  /** What a word is worth in each document that has it. */
  const count = ({ places }: Posting): Counted => {
    const counted = { documents: [] as number[], worths: [] as number[], fields: [] as number[] };
    for (let at = 0; at < places.length; at += 3) {
      const [document, field, times] = [places[at]!, places[at + 1]!, places[at + 2]!];
      const length = lengths[document * worths.length + field]! / (totals[field]! / size);
      const worth = worths[field]! * times / (1 - LENGTH + LENGTH * length);
      const last = counted.documents.length - 1;
      if (counted.documents[last] === document) {
        counted.worths[last]! += worth;
        counted.fields[last]! |= 1 << field;
      } else {
        counted.documents.push(document);
        counted.worths.push(worth);
        counted.fields.push(1 << field);
      }
    }
    const { documents } = counted;
    const rarity = Math.log(1 + (size - documents.length + 0.5) / (documents.length + 0.5));
    return { ...counted, worths: counted.worths.map((worth) => rarity * worth / (SATURATION + worth)) };
  };

  const variantsOf = (
    word: string,
    isAlone: boolean,
  ): readonly (readonly [posting: Posting, share: number])[] => {
    const exact = postings.get(word);
    const variants: (readonly [Posting, number])[] = exact === undefined ? [] : [[exact, 1]];
    if (word.length < 3 || (exact !== undefined && !isAlone)) return variants;
    const slips = exact !== undefined || word.length > LONGEST ? 0 : slipsIn(word);
    for (const [other, posting] of postings) {
      if (other === word) continue;
      if (other.startsWith(word)) variants.push([posting, BEGINNING * word.length / other.length]);
      else if (slips > 0 && isNear(word, other, slips)) variants.push([posting, SLIP]);
    }
    return variants;
  };

  const find: Find = (words) => {
    const scores = new Float64Array(size);
    const counts = new Uint16Array(size);
    const fields = new Uint32Array(size);
    // Of several variants of a word the best counts.
    const best = new Float64Array(size);
    for (const word of words) {
      const touched: number[] = [];
      for (const [posting, share] of variantsOf(word, words.length === 1)) {
        const counted = posting.counted ??= count(posting);
        counted.documents.forEach((document, at) => {
          const score = share * counted.worths[at]!;
          if (best[document] === 0) touched.push(document);
          if (score > best[document]!) best[document] = score;
          fields[document]! |= counted.fields[at]!;
        });
      }
      for (const document of touched) {
        scores[document]! += best[document]!;
        counts[document]!++;
        best[document] = 0;
      }
    }
    const matches: Match[] = [];
    scores.forEach((score, document) => {
      if (score > 0) matches.push({ document, score, words: counts[document]!, fields: fields[document]! });
    });
    return matches;
  };

  return { add, close: () => find };
}

/** A longer word is no word. */
const LONGEST = 32;

/** How many slips of the finger a word may hold. */
function slipsIn(word: string): number {
  return word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
}

/** Whether so many letters put in, left out or changed make one word of another. */
function isNear(a: string, b: string, slips: number): boolean {
  if (Math.abs(a.length - b.length) > slips) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  if (same === a.length) return b.length - same <= slips;
  if (slips === 0) return false;
  const [one, other] = [a.slice(same), b.slice(same)];
  return isNear(one.slice(1), other.slice(1), slips - 1) || isNear(one.slice(1), other, slips - 1) ||
    isNear(one, other.slice(1), slips - 1);
}
