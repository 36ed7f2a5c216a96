/** BM25F over weighted fields, and meaning where texts have vectors. */

/** What differs from one search to another; each is measured. */
export interface Tuning {
  readonly saturation: number;
  /** From 0 for a length that does not matter to 1 for a score that is divided by it. */
  readonly lengthWeight: number;
}

export interface Bag<Term = string> {
  readonly terms: ReadonlyMap<Term, number>;
  readonly length: number;
}

export interface Statistics<Term = string> {
  readonly total: number;
  readonly usualLength: number;
  readonly having: ReadonlyMap<Term, number>;
}

export function bagOf<Term>(
  ...fields: readonly (readonly [terms: readonly Term[], weight: number])[]
): Bag<Term> {
  const counts = new Map<Term, number>();
  let length = 0;
  for (const [terms, weight] of fields) {
    length += terms.length;
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight);
  }
  return { terms: counts, length };
}

export function statisticsOf<Term>(bags: readonly Bag<Term>[]): Statistics<Term> {
  const having = new Map<Term, number>();
  let length = 0;
  for (const bag of bags) {
    length += bag.length;
    for (const term of bag.terms.keys()) having.set(term, (having.get(term) ?? 0) + 1);
  }
  return { total: bags.length, usualLength: Math.max(1, length / Math.max(1, bags.length)), having };
}

/** Rare terms tell more. */
export function rarity(having: number, total: number): number {
  return Math.log(1 + (Math.max(total - having, 0) + 0.5) / (having + 0.5));
}

export function rarityOf<Term>(term: Term, { having, total }: Statistics<Term>): number {
  return rarity(having.get(term) ?? 0, total);
}

export function lengthNorm(ratio: number, { lengthWeight }: Tuning): number {
  return 1 - lengthWeight + lengthWeight * ratio;
}

/** A term's count with diminishing returns, which approaches `saturation` + 1. */
export function saturate(count: number, { saturation }: Tuning, norm = 1): number {
  return count * (saturation + 1) / (count + saturation * norm);
}

export function scoreBags<Term>(
  bags: readonly Bag<Term>[],
  question: ReadonlyMap<Term, number>,
  tuning: Tuning,
  statistics: Statistics<Term>,
): readonly number[] {
  const asked = Array.from(
    question,
    ([term, weight]) => [term, weight * rarityOf(term, statistics)] as const,
  );
  return bags.map(({ terms, length }) => {
    const norm = lengthNorm(length / statistics.usualLength, tuning);
    let score = 0;
    for (const [term, weight] of asked) {
      const count = terms.get(term);
      if (count !== undefined) score += weight * saturate(count, tuning, norm);
    }
    return score;
  });
}

/** The best first; equal ones keep their order. `meaningShare` is that of meaning in a score. */
export function blendScores<Id>(
  words: ReadonlyMap<Id, number>,
  meaning: ReadonlyMap<Id, number>,
  meaningShare: number,
): readonly { readonly id: Id; readonly score: number }[] {
  return [...new Set([...words.keys(), ...meaning.keys()])].map((id) => ({
    id,
    score: (1 - meaningShare) * (words.get(id) ?? 0) + meaningShare * (meaning.get(id) ?? 0),
  })).sort((a, b) => b.score - a.score);
}

export function dotProduct(a: Float32Array, b: ArrayLike<number>, length = a.length): number {
  let sum = 0;
  for (let at = 0; at < length; at++) sum += a[at]! * b[at]!;
  return sum;
}
