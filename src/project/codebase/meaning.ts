/**
 * Which files declare something that means what a question asks. Embedding takes about ten milliseconds a text: vectors
 * of single words choose which of thousands of symbols are compared as texts.
 */
import { dotProduct } from "../../base/ranking.ts";
import type { Clock, Work } from "../../base/work.ts";
import { type IndexedSymbol, meaningfulWords, type SymbolCache } from "./symbols.ts";

/** Vectors of length 1; undefined where there is no embedder, or it fails. */
export interface Meaning {
  english(question: string): string;
  embed(texts: readonly string[], work: Work): Promise<readonly Float32Array[] | undefined>;
  embedWords(words: readonly string[], work: Work): Promise<readonly Float32Array[] | undefined>;
}

export interface Meant {
  readonly line: number;
  readonly closeness: number;
  /** The cosine and, for half of it, how well single words fit: what symbols are ordered by. From 0 to 1.5. */
  readonly fit: number;
}

const MOST_EMBEDDED = 64, PER_FILE = 2, EMBEDDING_MS = 3_000;
const BATCH = 16;
const LEAST_ALIKE = 0.15;

export type MeaningFinder = (question: string, paths: Iterable<string>, work: Work) => Promise<Found>;

export function createMeaningFinder(
  symbols: SymbolCache,
  meaning: Meaning,
  { now }: Pick<Clock, "now">,
): MeaningFinder {
  const rows: Float32Array[] = [];

  async function learnWords(work: Work): Promise<boolean> {
    const missing = symbols.words().slice(rows.length);
    if (missing.length === 0) return true;
    const added = await meaning.embedWords(missing, work);
    rows.push(...added ?? []);
    return added !== undefined;
  }

  return async (question, paths, work) => {
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
        for (const [place, other] of vectors.entries()) tell(batch[place]!, dotProduct(vector, other));
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
  };
}

interface Found {
  readonly meant: ReadonlyMap<string, Meant>;
  pinpoint(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

const WORDS_SHARE = 0.5;
const PER_SHOWN_FILE = 6;
/** So alike are words that mean the same: more does not count, or one word that is the same would outweigh all others. */
const ALIKE_ENOUGH = 0.4;
const COVERAGE_SHARE = 0.5;

function coverage(words: readonly number[], asked: readonly Float32Array[], rows: readonly Float32Array[]) {
  let covered = 0, total = 0;
  for (const row of asked) {
    const alike = words.map((word) =>
      rows[word] === undefined ? 0 : dotProduct(row, rows[word], row.length - 1)
    );
    const weight = row.at(-1)!;
    covered += weight * Math.min(Math.max(0, ...alike), ALIKE_ENOUGH);
    total += weight * ALIKE_ENOUGH;
  }
  return total === 0 ? 0 : covered / total;
}

interface Candidate {
  readonly path: string;
  readonly symbol: IndexedSymbol;
  readonly score: number;
}

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
  const counts = asked.map((row) => {
    const weight = row.at(-1)!;
    return rows.map((other, word) => {
      if (having[word] === 0) return 0;
      const alike = dotProduct(row, other, row.length - 1);
      if (alike < LEAST_ALIKE) return 0;
      return weight * Math.min(alike, ALIKE_ENOUGH) * Math.log(1 + total / having[word]!);
    });
  });
  const most = asked.reduce((sum, row) => sum + row.at(-1)!, 0) * ALIKE_ENOUGH * Math.log(1 + total);
  const bestIn = (words: readonly number[], count: readonly number[]) =>
    words.reduce((best, word) => Math.max(best, count[word] ?? 0), 0);
  const scoreOf = ({ words }: IndexedSymbol) =>
    counts.reduce((sum, count) => sum + bestIn(words, count), 0) / most;
  const candidates = files.flatMap(([path, symbols]) =>
    symbols.map((symbol) => ({ path, symbol, score: scoreOf(symbol) }))
      .sort((a, b) => b.score - a.score).slice(0, PER_FILE)
  );
  return candidates.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).slice(
    0,
    MOST_EMBEDDED,
  );
}
