/** A search index of our own (decision 15), scored by BM25F. Stemming is left to the caller. */
import { lengthNorm, rarity, saturate, type Tuning } from "../../../base/ranking.ts";
import { LIMITS } from "../../limits.ts";

export type FieldTexts = readonly string[];

export type Find = ReturnType<ReturnType<typeof createIndexBuilder>["build"]>;

/** Measured with bench/finding.ts. */
const TUNING: Tuning = { saturation: 2, lengthWeight: 0.5 };

/** The share of the score for a term that begins with the given one, and for one that a typo may mean. */
const PREFIX_SHARE = 0.4;
const TYPO_SHARE = 0.4;

interface Posting {
  readonly occurrences: number[];
  scores?: TermScores;
}

type TermScores = ReturnType<typeof scoreTerm>;

interface Index {
  readonly weights: readonly number[];
  readonly postings: Map<string, Posting>;
  readonly lengths: number[];
  readonly totals: number[];
  size: number;
}

export function createIndexBuilder(weights: readonly number[]) {
  const index: Index = { weights, postings: new Map(), lengths: [], totals: weights.map(() => 0), size: 0 };
  return {
    add: (fields: FieldTexts) => addDocument(index, fields),
    /** The documents with some of the terms, as numbers: there may be thousands. A term may be a typo or a beginning. */
    build: () => (terms: readonly string[]) => search(index, terms),
  };
}

function addDocument(index: Index, fields: FieldTexts): void {
  const { postings, lengths, totals, size } = index;
  fields.forEach((text, field) => {
    const terms = text === "" ? [] : text.split(" ");
    lengths.push(terms.length);
    totals[field]! += terms.length;
    for (const term of terms) {
      let posting = postings.get(term);
      if (posting === undefined) postings.set(term, posting = { occurrences: [] });
      const { occurrences } = posting;
      const last = occurrences.length - 3;
      if (occurrences[last] === size && occurrences[last + 1] === field) occurrences[last + 2]!++;
      else occurrences.push(size, field, 1);
    }
  });
  index.size++;
}

function search(index: Index, terms: readonly string[]) {
  const scores = new Float64Array(index.size);
  const counts = new Uint16Array(index.size);
  const fields = new Uint32Array(index.size);
  const best = new Float64Array(index.size);
  for (const term of terms) {
    const touched: number[] = [];
    for (const [posting, share] of variantsOf(index, term, terms.length === 1)) {
      const found = posting.scores ??= scoreTerm(index, posting);
      found.documents.forEach((document, at) => {
        const score = share * found.scores[at]!;
        if (best[document] === 0) touched.push(document);
        if (score > best[document]!) best[document] = score;
        fields[document]! |= found.fields[at]!;
      });
    }
    for (const document of touched) {
      scores[document]! += best[document]!;
      counts[document]!++;
      best[document] = 0;
    }
  }
  const documents = Uint32Array.from(scores.keys().filter((document) => scores[document]! > 0));
  return { documents, scores, terms: counts, fields };
}

function scoreTerm({ weights, lengths, totals, size }: Index, { occurrences }: Pick<Posting, "occurrences">) {
  const documents: number[] = [];
  const counts: number[] = [];
  const fields: number[] = [];
  for (let at = 0; at < occurrences.length; at += 3) {
    const [document, field, times] = [occurrences[at]!, occurrences[at + 1]!, occurrences[at + 2]!];
    const ratio = lengths[document * weights.length + field]! / (totals[field]! / size);
    const count = weights[field]! * times / lengthNorm(ratio, TUNING);
    const last = documents.length - 1;
    if (documents[last] === document) {
      counts[last]! += count;
      fields[last]! |= 1 << field;
    } else {
      documents.push(document);
      counts.push(count);
      fields.push(1 << field);
    }
  }
  // No term scores more than its rarity.
  const scale = rarity(documents.length, size) / (TUNING.saturation + 1);
  return {
    documents: Uint32Array.from(documents),
    scores: Float64Array.from(counts, (count) => scale * saturate(count, TUNING)),
    fields: Uint32Array.from(fields),
  };
}

function variantsOf({ postings }: Index, term: string, isAlone: boolean) {
  const exact = postings.get(term);
  const variants: (readonly [Posting, number])[] = exact === undefined ? [] : [[exact, 1]];
  if (term.length < 3 || (exact !== undefined && !isAlone)) return variants;
  const most = term.length < 4 ? 0 : term.length < 8 ? 1 : 2;
  const typos = exact !== undefined || term.length > LIMITS.search.misspelled ? 0 : most;
  for (const [other, posting] of postings) {
    if (other === term) continue;
    if (other.startsWith(term)) variants.push([posting, PREFIX_SHARE * term.length / other.length]);
    else if (typos > 0 && isSimilar(term, other, typos)) variants.push([posting, TYPO_SHARE]);
  }
  return variants;
}

function isSimilar(a: string, b: string, typos: number): boolean {
  if (Math.abs(a.length - b.length) > typos) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  if (same === a.length) return b.length - same <= typos;
  if (typos === 0) return false;
  const [one, other] = [a.slice(same), b.slice(same)];
  return isSimilar(one.slice(1), other.slice(1), typos - 1) || isSimilar(one.slice(1), other, typos - 1) ||
    isSimilar(one, other.slice(1), typos - 1);
}
