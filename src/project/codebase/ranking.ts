/**
 * Which files answer a query best: BM25 over overlapping pieces of forty lines.
 *
 * A stem in the path counts as well as one in the text. Pure: the caller reports the matches, file by file.
 */
import { lengthNorm, rarity, saturate } from "../../base/bm25.ts";
import type { OnMatch } from "./matcher.ts";

export interface Ranked {
  readonly path: string;
  readonly score: number;
  /** The first and last line of its best piece, from 1. */
  readonly lines: readonly [first: number, last: number];
}

export type Ranking = ReturnType<typeof createRanking>;

/** In lines: the length of a piece, and the distance from one to the next. */
const PIECE = 40, STEP = 30;
/** The usual length of a line in bytes: the number of pieces is estimated from the size of a file. */
const BYTES_PER_LINE = 34;
/** How often a stem in the path counts in each piece. */
const IN_PATH = 2;
/** How much the best pieces of a file add to its score. */
const SHARES = [1, 0.3, 0.15];
const SATURATION = 1.2, LENGTH_WEIGHT = 0.5;

export function createRanking(stems: number) {
  /** Each with the range of its pieces among all. */
  const files: { readonly path: string; readonly pieceSize: number; from: number; end: number }[] = [];
  /** The pieces that have a match: the number of each in its file, and how often it contains each stem. */
  const pieces: number[] = [], counts: number[] = [];
  const having = new Array<number>(stems).fill(0);
  let allPieces = 0, allBytes = 0;

  /** Where a piece of the last file is. Matches come in order, so it is new or one of the last two. */
  function locate(piece: number, from: number): number {
    let at = pieces.length - 1;
    while (at >= from && pieces[at]! > piece) at--;
    if (at >= from && pieces[at] === piece) return at;
    for (let stem = 0; stem < stems; stem++) counts.push(0);
    return pieces.push(piece) - 1;
  }

  function count(at: number, stem: number, times = 1): void {
    if (counts[at * stems + stem] === 0) having[stem]!++;
    counts[at * stems + stem]! += times;
  }

  const weights = (): readonly number[] => having.map((count) => rarity(count, allPieces));

  function scoreOf(at: number, weights: readonly number[], norm: number): number {
    let score = 0, covered = 0;
    for (let stem = 0; stem < stems; stem++) {
      const count = counts[at * stems + stem]!;
      if (count === 0) continue;
      covered++;
      score += weights[stem]! * saturate(count, SATURATION, norm);
    }
    return score * (0.7 + 0.3 * covered / stems);
  }

  return {
    /** Adds a file: its path, its size in bytes, and a function that reports the matches in it. */
    add(path: string, size: number, find: (onMatch: OnMatch) => void): void {
      const from = pieces.length, inPath = new Set<number>();
      find((line, stem) => {
        if (line === 0) return void inPath.add(stem);
        const piece = Math.floor((line - 1) / STEP);
        // The piece before it may reach as far.
        if (piece > 0 && line - 1 < (piece - 1) * STEP + PIECE) count(locate(piece - 1, from), stem);
        count(locate(piece, from), stem);
      });
      if (inPath.size > 0 && pieces.length === from) locate(0, from);
      for (const stem of inPath) for (let at = from; at < pieces.length; at++) count(at, stem, IN_PATH);
      const total = Math.max(1, Math.ceil(size / BYTES_PER_LINE / STEP)), end = pieces.length;
      allPieces += total;
      allBytes += size;
      if (end > from) files.push({ path, pieceSize: size / total, from, end });
    },
    best(limit: number): readonly Ranked[] {
      const weighed = weights(), usualSize = Math.max(allBytes / Math.max(allPieces, 1), 1);
      const ranked = files.map(({ path, pieceSize, from, end }) => {
        const norm = lengthNorm(pieceSize / usualSize, LENGTH_WEIGHT);
        const scores = pieces.slice(from, end).map((_, at) => scoreOf(from + at, weighed, norm));
        const highest = Math.max(...scores), first = pieces[from + scores.indexOf(highest)]! * STEP;
        const score = scores.sort((a, b) => b - a).slice(0, SHARES.length)
          .reduce((sum, score, at) => sum + SHARES[at]! * score, 0);
        return { path, score, lines: [first + 1, first + PIECE] as const };
      });
      return ranked.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, limit);
    },
    weights,
  };
}
