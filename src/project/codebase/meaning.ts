/**
 * Which files declare something that means what a question asks, whatever words they use.
 *
 * In two steps, because embedding a text takes about ten milliseconds and a project has thousands of symbols: the words
 * of all symbols are compared with those of the question one by one, by vectors of single words; the symbols that come
 * out best are embedded, and compared as texts.
 */
import type { Clock, Work } from "../../base/work.ts";
import { type IndexedSymbol, meaningfulWords, type SymbolCache } from "./symbol_cache.ts";

/** Vectors of length 1; undefined where there is no embedder, or it fails. */
export interface Meaning {
  /** The question in English, as far as its words are known. */
  english(question: string): string;
  embed(texts: readonly string[], work: Work): Promise<readonly Float32Array[] | undefined>;
  /** For each word a direction, and after it how much the word tells, up to 1. */
  embedWords(words: readonly string[], work: Work): Promise<readonly Float32Array[] | undefined>;
}

/** The symbol of a file that is closest to a question. */
export interface Meant {
  readonly line: number;
  /** The cosine. */
  readonly closeness: number;
  /** The cosine and, for half of it, how well single words fit: what symbols are ordered by. From 0 to 1.5. */
  readonly fit: number;
}

/** How many symbols are embedded for a question, how many of them in one file, and for how long, in milliseconds. */
const MOST_EMBEDDED = 64, PER_FILE = 2, EMBEDDING_MS = 3_000;
const BATCH = 16;
/** Words that are less alike have nothing in common. */
const LEAST_ALIKE = 0.15;

export type MeaningFinder = ReturnType<typeof createMeaningFinder>;

export function createMeaningFinder(symbols: SymbolCache, meaning: Meaning, { now }: Pick<Clock, "now">) {
  /** By the ids of words. */
  const rows: Float32Array[] = [];

  /** Vectors of every word in the files; false without them. */
  async function learnWords(work: Work): Promise<boolean> {
    const missing = symbols.words().slice(rows.length);
    if (missing.length === 0) return true;
    const added = await meaning.embedWords(missing, work);
    rows.push(...added ?? []);
    return added !== undefined;
  }

  async function find(question: string, paths: Iterable<string>, work: Work): Promise<Found> {
    const english = meaning.english(question), meant = new Map<string, Meant>();
    const nothing = { meant, pinpoint: () => Promise.resolve(new Map()) };
    const words = [...meaningfulWords(english)];
    if (words.length === 0 || !await learnWords(work)) return nothing;
    const asked = await meaning.embedWords(words, work);
    if (asked === undefined) return nothing;
    const candidates = candidatesOf([...paths].map((path) => [path, symbols.symbolsIn(path)]), asked, rows);
    const [vector] = await meaning.embed([english], work) ?? [];
    if (vector === undefined) return nothing;
    const since = now();
    const compare = async (
      all: readonly Candidate[],
      tell: (candidate: Candidate, cosine: number) => void,
    ) => {
      for (let at = 0; at < all.length && now() - since < EMBEDDING_MS; at += BATCH) {
        const batch = all.slice(at, at + BATCH);
        const vectors = await meaning.embed(batch.map(({ symbol }) => symbol.text), work) ?? [];
        for (const [place, other] of vectors.entries()) tell(batch[place]!, product(vector, other));
      }
    };
    await compare(candidates, ({ path, symbol: { line }, score }, closeness) => {
      const fit = closeness + WORDS_SHARE * score;
      if (fit > (meant.get(path)?.fit ?? 0)) meant.set(path, { line, closeness, fit });
    });
    return {
      meant,
      async pinpoint(paths) {
        const covers = ({ words }: IndexedSymbol) => coverage(words, asked, rows);
        const likeliest = paths.flatMap((path) =>
          symbols.symbolsIn(path).map((symbol) => ({ path, symbol, score: covers(symbol) }))
            .sort((a, b) => b.score - a.score).slice(0, PER_SHOWN_FILE)
        );
        const best = new Map<string, { readonly line: number; readonly score: number }>();
        await compare(likeliest, ({ path, symbol: { line }, score: covered }, cosine) => {
          const score = cosine + COVERAGE_SHARE * covered;
          if (score > (best.get(path)?.score ?? 0)) best.set(path, { line, score });
        });
        return new Map(best.entries().map(([path, { line }]) => [path, line]));
      },
    };
  }

  return { find };
}

/** What a search by meaning finds. */
interface Found {
  /** The closest symbol of each file that has one worth a comparison. */
  readonly meant: ReadonlyMap<string, Meant>;
  /** The lines to look at in these files, of more of their symbols. */
  pinpoint(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** What words that all fit add to a cosine. */
const WORDS_SHARE = 0.5;
/** How many symbols of a file are compared to find the line to look at. */
const PER_SHOWN_FILE = 6;
/** So alike are words that mean the same: more does not count, or one word that is the same would outweigh all others. */
const ALIKE_ENOUGH = 0.4;
/** What it adds to a cosine of 1 if all words of the question are covered. */
const COVERAGE_SHARE = 0.5;

/** The share of the question's words that words of a symbol are alike to, from 0 to 1. */
function coverage(
  words: readonly number[],
  asked: readonly Float32Array[],
  rows: readonly Float32Array[],
): number {
  let covered = 0, total = 0;
  for (const row of asked) {
    const weight = row.at(-1)!;
    const most = words.reduce(
      (most, word) =>
        Math.max(most, rows[word] === undefined ? 0 : product(row, rows[word]!, row.length - 1)),
      0,
    );
    covered += weight * Math.min(most, ALIKE_ENOUGH);
    total += weight * ALIKE_ENOUGH;
  }
  return total === 0 ? 0 : covered / total;
}

interface Candidate {
  readonly path: string;
  readonly symbol: IndexedSymbol;
  /** How well its words fit those of the question one by one, from 0 to 1. */
  readonly score: number;
}

/** The symbols whose words are most like those of the question, the best first. */
function candidatesOf(
  files: readonly (readonly [path: string, symbols: readonly IndexedSymbol[]])[],
  asked: readonly Float32Array[],
  rows: readonly Float32Array[],
): readonly Candidate[] {
  const having = new Uint32Array(rows.length);
  let total = 0;
  for (const [, symbols] of files) {
    total += symbols.length;
    for (const { words } of symbols) for (const word of words) having[word]!++;
  }
  // How much each word in the files counts for each word of the question; rare words tell more.
  const counts = asked.map((row) => {
    const weight = row.at(-1)!;
    return rows.map((other, word) => {
      if (having[word] === 0) return 0;
      const alike = product(row, other, row.length - 1);
      if (alike < LEAST_ALIKE) return 0;
      return weight * Math.min(alike, ALIKE_ENOUGH) * Math.log(1 + total / having[word]!);
    });
  });
  const most = asked.reduce((sum, row) => sum + row.at(-1)!, 0) * ALIKE_ENOUGH * Math.log(1 + total);
  const scoreOf = ({ words }: IndexedSymbol) =>
    counts.reduce(
      (sum, count) => sum + words.reduce((best, word) => Math.max(best, count[word] ?? 0), 0),
      0,
    ) /
    most;
  const candidates = files.flatMap(([path, symbols]) =>
    symbols.map((symbol) => ({ path, symbol, score: scoreOf(symbol) }))
      .sort((a, b) => b.score - a.score).slice(0, PER_FILE)
  );
  return candidates.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).slice(
    0,
    MOST_EMBEDDED,
  );
}

function product(a: Float32Array, b: Float32Array, length = a.length): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += a[i]! * b[i]!;
  return sum;
}
