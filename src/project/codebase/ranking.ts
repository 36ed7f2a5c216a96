/** Scores are absolute: a weak match stays weak however few others there are. */
import { type Bag, blendScores, rarityOf, scoreBags, type Tuning } from "../../base/ranking.ts";
import type { OnMatch } from "./code_terms.ts";
import type { Meant } from "./meaning.ts";

export interface Ranked {
  readonly path: string;
  readonly score: number;
  readonly lines: readonly [first: number, last: number];
  readonly meant?: Meant;
}

interface Piece extends Bag<number> {
  readonly at: number;
  readonly terms: Map<number, number>;
}

/** In lines: the length of a piece, and the distance from one to the next. */
const PIECE = 40, STEP = 30;
/** The usual length of a line in bytes: the number of pieces is estimated from the size of a file. */
const BYTES_PER_LINE = 34;
const IN_PATH = 2;
const SHARES = [1, 0.3, 0.15];
const TUNING: Tuning = { saturation: 1.2, lengthWeight: 0.5 };

export function createRanking(stems: number) {
  const files: { readonly path: string; readonly pieces: readonly Piece[] }[] = [];
  const having = new Map<number, number>();
  const question = new Map(Array.from({ length: stems }, (_, stem) => [stem, 1]));
  let total = 0, bytes = 0;

  const statistics = () => ({ total, having, usualLength: Math.max(bytes / Math.max(total, 1), 1) });

  return {
    add(path: string, size: number, find: (onMatch: OnMatch) => void): void {
      const pieces: Piece[] = [], inPath = new Set<number>();
      const count = Math.max(1, Math.ceil(size / BYTES_PER_LINE / STEP)), length = size / count;
      const locate = (at: number): Piece => {
        // Matches come in order, so a piece is new or one of the last two.
        const known = pieces.findLast((piece) => piece.at <= at);
        if (known?.at === at) return known;
        const piece = { at, terms: new Map(), length };
        pieces.push(piece);
        return piece;
      };
      const add = ({ terms }: Piece, stem: number, times = 1) => {
        const before = terms.get(stem);
        if (before === undefined) having.set(stem, (having.get(stem) ?? 0) + 1);
        terms.set(stem, (before ?? 0) + times);
      };
      find((line, stem) => {
        if (line === 0) return void inPath.add(stem);
        const piece = Math.floor((line - 1) / STEP);
        if (piece > 0 && line - 1 < (piece - 1) * STEP + PIECE) add(locate(piece - 1), stem);
        add(locate(piece), stem);
      });
      if (inPath.size > 0 && pieces.length === 0) locate(0);
      for (const stem of inPath) for (const piece of pieces) add(piece, stem, IN_PATH);
      total += count;
      bytes += size;
      if (pieces.length > 0) files.push({ path, pieces });
    },
    best(limit: number): readonly Ranked[] {
      const all = files.flatMap(({ pieces }) => pieces);
      const scored = scoreBags(all, question, TUNING, statistics())
        .map((score, at) => score * (0.7 + 0.3 * all[at]!.terms.size / stems));
      let next = 0;
      const ranked = files.map(({ path, pieces }) => {
        const scores = scored.slice(next, next += pieces.length);
        const highest = Math.max(...scores), first = pieces[scores.indexOf(highest)]!.at * STEP;
        const score = scores.sort((a, b) => b - a).slice(0, SHARES.length)
          .reduce((sum, score, at) => sum + SHARES[at]! * score, 0);
        return { path, score, lines: [first + 1, first + PIECE] as const };
      });
      return ranked.sort(bestFirst).slice(0, limit);
    },
    weights: (): readonly number[] => [...question.keys()].map((stem) => rarityOf(stem, statistics())),
  };
}

const MEANING_SHARE = 0.4;
/** The fit of a name and a sentence that have little in common, and that of a name and what describes it. */
const FAR = 0.15, CLOSE = 0.8;
/** The cosine at which a symbol is a reason to show a file: higher where words find an answer. */
const LEAST_CLOSENESS = 0.2, LEAST_BESIDE_WORDS = 0.3;
const ENOUGH_WORDS = 0.5;

export function withMeaning(
  ranked: readonly Ranked[],
  weight: number,
  meant: ReadonlyMap<string, Meant>,
  limit: number,
): readonly Ranked[] {
  const words = new Map(
    ranked.map(({ path, score }) => [path, Math.min(1, score / Math.max(weight, Number.EPSILON))]),
  );
  const least = words.values().some((share) => share >= ENOUGH_WORDS) ? LEAST_BESIDE_WORDS : LEAST_CLOSENESS;
  const close = [...meant].filter(([path, { closeness }]) => words.has(path) || closeness >= least);
  const meaning = new Map(
    close.map(([path, { fit }]) => [path, Math.min(1, Math.max(0, (fit - FAR) / (CLOSE - FAR)))]),
  );
  const lines = new Map(ranked.map((file) => [file.path, file.lines]));
  return blendScores(words, meaning, MEANING_SHARE).map(({ id: path, score }): Ranked => {
    const symbol = meant.get(path);
    const isReason = symbol !== undefined && symbol.closeness >= least;
    return {
      path,
      score,
      lines: lines.get(path) ?? [symbol!.line, symbol!.line],
      ...(isReason && { meant: symbol }),
    };
  }).sort(bestFirst).slice(0, limit);
}

function bestFirst(a: Ranked, b: Ranked): number {
  return b.score - a.score || (a.path < b.path ? -1 : 1);
}
