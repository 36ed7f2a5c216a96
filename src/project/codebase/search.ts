/**
 * Which files of a project answer a question: BM25 over pieces of forty lines.
 *
 * A stem in the path counts as well as one in the text. Pure: what is found in each file is handed in, one by one.
 */
import type { OnMatch } from "./matches.ts";

/** A file that fits. */
export interface Ranked {
  readonly path: string;
  readonly score: number;
  /** The lines of its best piece, the first and the last, from 1 on. */
  readonly lines: readonly [first: number, last: number];
}

/** A match of a stem on a line; the path is line 0, the text begins in 1. */
export interface Match {
  readonly line: number;
  readonly stem: number;
}

/** A search that is handed files. */
export interface Scan {
  /** Takes in one file: its path, how many bytes are looked through, and who tells of the matches in it. */
  add(path: string, length: number, find: (onMatch: OnMatch) => void): void;
  /** The best files so far. */
  best(limit: number): readonly Ranked[];
  /** The line, among those of some matches, to look at: with the weightiest stems on it and around it. */
  lineAmong(matches: readonly Match[]): number;
}

/** Lines of a piece, and from one piece to the next. */
const PIECE = 40;
const STEP = 30;
/** Pieces are counted by this length of a line, in bytes, rather than by looking for every line end. */
const LINE = 34;
/** As which a stem in the path counts. */
const IN_PATH = 2;
/** What the second and third best piece of a file add. */
const SHARES = [1, 0.3, 0.15];
const SATURATION = 1.2;

interface Found {
  readonly path: string;
  /** Of a piece, in bytes. */
  readonly length: number;
  /** Which of all pieces that were found are of this file. */
  readonly from: number;
  readonly end: number;
}

/** A search for so many stems. */
export function createScan(stems: number): Scan {
  const found: Found[] = [];
  /** The numbers of pieces, and for each how often it has each stem. */
  const pieces: number[] = [], counts: number[] = [];
  /** How many pieces have each stem. */
  const having = new Array<number>(stems).fill(0);
  let total = 0, length = 0;

  const tally = createTally(stems);
  const put = (piece: number, tallied: Float32Array, from: number) => {
    pieces.push(piece);
    for (let stem = 0; stem < stems; stem++) {
      const count = tallied[from + stem]!;
      counts.push(count);
      if (count > 0) having[stem]!++;
    }
  };
  const weights = () => having.map((n) => Math.log(1 + (Math.max(total - n, 0) + 0.5) / (n + 0.5)));

  /** How well a file fits, and the number of its best piece. */
  function rank(file: Found, weights: readonly number[], usual: number) {
    const norm = SATURATION * (0.5 + 0.5 * file.length / Math.max(usual, 1));
    const scores: number[] = [];
    let best = 0, highest = -1;
    for (let at = file.from; at < file.end; at++) {
      let score = 0, covered = 0;
      for (let stem = 0; stem < stems; stem++) {
        const count = counts[at * stems + stem]!;
        if (count === 0) continue;
        covered++;
        score += weights[stem]! * count * (SATURATION + 1) / (count + norm);
      }
      score *= 0.7 + 0.3 * covered / stems;
      scores.push(score);
      if (score > highest) [best, highest] = [pieces[at]!, score];
    }
    scores.sort((a, b) => b - a);
    return {
      path: file.path,
      best,
      score: SHARES.reduce((sum, share, at) => sum + share * (scores[at] ?? 0), 0),
    };
  }

  return {
    add(path, size, find) {
      const count = Math.max(1, Math.ceil(size / LINE / STEP)), from = pieces.length;
      total += count;
      length += size;
      find(tally.onMatch);
      tally.take(put);
      if (pieces.length > from) found.push({ path, length: size / count, from, end: pieces.length });
    },
    best(limit) {
      const weighed = weights(), usual = length / Math.max(total, 1);
      const ranked = found.map((file) => rank(file, weighed, usual));
      ranked.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
      return ranked.slice(0, limit).map(({ path, score, best }) => ({
        path,
        score,
        lines: [best * STEP + 1, best * STEP + PIECE],
      }));
    },
    lineAmong: (matches) => weightiestLine(matches, weights()),
  };
}

/** Counts the stems in each piece of one file after the other. */
function createTally(stems: number) {
  let counts = new Float32Array(64 * stems), end = 0;
  const inPath = new Set<number>();
  const count = (piece: number, stem: number) => {
    if (piece >= end) end = piece + 1;
    if (end * stems > counts.length) {
      const longer = new Float32Array(end * stems * 2);
      longer.set(counts);
      counts = longer;
    }
    counts[piece * stems + stem]!++;
  };
  const onMatch: OnMatch = (line, stem) => {
    if (line === 0) return void inPath.add(stem);
    const piece = Math.floor((line - 1) / STEP);
    count(piece, stem);
    // The piece before it reaches as far.
    if (piece > 0 && line - 1 < (piece - 1) * STEP + PIECE) count(piece - 1, stem);
  };
  return {
    onMatch,
    /** Hands over each piece that has a match, or, of a file that is found by its path alone, an empty one. */
    take(hand: (piece: number, counts: Float32Array, from: number) => void): void {
      if (end === 0 && inPath.size > 0) end = 1;
      for (let piece = 0; piece < end; piece++) {
        const from = piece * stems;
        let sum = 0;
        for (let at = from; at < from + stems; at++) sum += counts[at]!;
        if (sum === 0 && end > 1) continue;
        for (const stem of inPath) counts[from + stem]! += IN_PATH;
        hand(piece, counts, from);
      }
      counts.fill(0, 0, end * stems);
      end = 0;
      inPath.clear();
    },
  };
}

function weightiestLine(matches: readonly Match[], weights: readonly number[]): number {
  const stemsOn = new Map<number, Set<number>>();
  for (const { line, stem } of matches) stemsOn.set(line, (stemsOn.get(line) ?? new Set()).add(stem));
  const weigh = (stems: Iterable<number>) => [...stems].reduce((sum, stem) => sum + weights[stem]!, 0);
  let best = { line: 1, weight: 0 };
  for (const [line, own] of stemsOn) {
    const near = [-2, -1, 0, 1, 2].flatMap((away) => [...stemsOn.get(line + away) ?? []]);
    const weight = weigh(own) + weigh(new Set(near));
    if (weight > best.weight) best = { line, weight };
  }
  return best.line;
}
