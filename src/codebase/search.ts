/**
 * Which files of a project answer a question: BM25 over pieces of forty lines, without any index.
 *
 * The stems of the question are looked for in the texts themselves, at the beginnings of words, of the parts of
 * `camelCase` and of `snake_case`; a stem in the path counts as well. Pure: texts are handed in one by one.
 */

/** What of a file fits. */
export interface CodeHit {
  readonly path: string;
  readonly score: number;
  /** The line to look at, from 1 on. */
  readonly line: number;
  /** The stems that its best piece or its path has, by their places among those looked for. */
  readonly stems: readonly number[];
}

/** A search that is handed texts. */
export interface Scan {
  /** Looks through one file. */
  add(path: string, text: string): void;
  /** The best files so far. */
  best(limit: number): readonly CodeHit[];
}

/** Lines of a piece, and from one piece to the next. */
const PIECE = 40;
const STEP = 30;
/** Pieces are counted by this length of a line, in characters, rather than by looking for every line end. */
const LINE = 34;
/** As which a stem in the path counts. */
const IN_PATH = 2;
/** What the second and third best piece of a file add. */
const SHARES = [1, 0.3, 0.15];
const SATURATION = 1.2;
/** A shorter stem must be a whole word. */
const SHORTEST = 4;

interface Piece {
  readonly counts: Float32Array;
  /** Where each match lies: the line, and which stem. */
  readonly places: { readonly line: number; readonly stem: number }[];
}

interface Found {
  readonly path: string;
  readonly length: number;
  readonly pieces: readonly Piece[];
  readonly inPath: readonly number[];
}

/** A search for some stems. */
export function createScan(stems: readonly string[]): Scan {
  const pattern = patternOf(stems);
  const stemAt = new Map(stems.map((stem, at) => [stem, at]));
  const found: Found[] = [];
  /** How many pieces have each stem. */
  const having = new Float64Array(stems.length);
  let pieces = 0, length = 0;
  return {
    add(path, text) {
      const count = Math.max(1, Math.ceil(text.length / LINE / STEP));
      pieces += count;
      length += text.length;
      const inPath = [...new Set(matchesIn(path, pattern, stemAt).map(({ stem }) => stem))];
      const own = piecesOf(text, matchesIn(text, pattern, stemAt), stems.length);
      const all = own.length === 0 && inPath.length > 0 ? [emptyPiece(stems.length)] : own;
      for (const { counts } of all) {
        for (const stem of inPath) counts[stem]! += IN_PATH;
        for (let stem = 0; stem < stems.length; stem++) if (counts[stem]! > 0) having[stem]!++;
      }
      if (all.length > 0) found.push({ path, length: text.length / count, pieces: all, inPath });
    },
    best: (limit) => {
      const weights = Array.from(having, (n) => Math.log(1 + (pieces - n + 0.5) / (n + 0.5)));
      const usual = length / Math.max(pieces, 1);
      const scored = found.map((file) => ({ file, ...scoreOf(file, weights, usual) }));
      scored.sort((a, b) => b.score - a.score || (a.file.path < b.file.path ? -1 : 1));
      // Which line to show is asked of few.
      return scored.slice(0, limit).map(({ file: { path, inPath }, score, best }) => ({
        path,
        score,
        line: lineIn(best, weights) + 1,
        stems: [...new Set([...best.places.map(({ stem }) => stem), ...inPath])],
      }));
    },
  };
}

/** How well a file fits, and its best piece. */
function scoreOf(
  { length, pieces }: Found,
  weights: readonly number[],
  usual: number,
): { readonly score: number; readonly best: Piece } {
  const norm = SATURATION * (0.5 + 0.5 * length / Math.max(usual, 1));
  const scores = pieces.map(({ counts }) => {
    let score = 0, covered = 0;
    for (let stem = 0; stem < weights.length; stem++) {
      const count = counts[stem]!;
      if (count === 0) continue;
      covered++;
      score += weights[stem]! * count * (SATURATION + 1) / (count + norm);
    }
    return score * (0.7 + 0.3 * covered / weights.length);
  });
  const best = pieces[scores.indexOf(Math.max(...scores))]!;
  scores.sort((a, b) => b - a);
  return { score: SHARES.reduce((sum, share, at) => sum + share * (scores[at] ?? 0), 0), best };
}

/** The line of a piece with the weightiest stems on it and around it. */
function lineIn({ places }: Piece, weights: readonly number[]): number {
  const stemsOn = new Map<number, Set<number>>();
  for (const { line, stem } of places) stemsOn.set(line, (stemsOn.get(line) ?? new Set()).add(stem));
  const weigh = (stems: Iterable<number>) => [...stems].reduce((sum, stem) => sum + weights[stem]!, 0);
  let best = { line: places[0]?.line ?? 0, weight: 0 };
  for (const [line, own] of stemsOn) {
    const near = [-2, -1, 0, 1, 2].flatMap((away) => [...stemsOn.get(line + away) ?? []]);
    const weight = weigh(own) + weigh(new Set(near));
    if (weight > best.weight) best = { line, weight };
  }
  return best.line;
}

function emptyPiece(stems: number): Piece {
  return { counts: new Float32Array(stems), places: [] };
}

function piecesOf(text: string, matches: readonly Match[], stems: number): readonly Piece[] {
  const pieces = new Map<number, Piece>();
  let line = 0, end = text.indexOf("\n");
  for (const { at, stem } of matches) {
    for (; end >= 0 && end < at; end = text.indexOf("\n", end + 1)) line++;
    for (let piece = Math.max(0, Math.floor((line - PIECE) / STEP) + 1); piece * STEP <= line; piece++) {
      const known = pieces.get(piece) ?? emptyPiece(stems);
      pieces.set(piece, known);
      known.counts[stem]!++;
      known.places.push({ line, stem });
    }
  }
  return [...pieces.values()];
}

interface Match {
  readonly at: number;
  readonly stem: number;
}

function matchesIn(text: string, pattern: RegExp, stemAt: ReadonlyMap<string, number>): readonly Match[] {
  const matches: Match[] = [];
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const at = found.index, before = text.charCodeAt(at - 1), first = text.charCodeAt(at);
    // Inside a word only where a part of a name begins.
    if (isLetter(before) && !(isCapital(first) && !isCapital(before))) continue;
    const word = found[0].toLowerCase();
    const stem = stemAt.get(word) ?? stemAt.get(word.replace(/y$/, "i"));
    if (stem !== undefined) matches.push({ at, stem });
  }
  return matches;
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122;
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90;
}

/** Stems consist of letters and digits. One that ends in i may stand for a word in y: `polici` for `policy`. */
function patternOf(stems: readonly string[]): RegExp {
  const sources = stems.toSorted((a, b) => b.length - a.length).map((stem) =>
    stem.length < SHORTEST ? `${stem}(?![a-z0-9])` : stem.replace(/i$/, "[iy]")
  );
  return new RegExp(sources.join("|"), "gi");
}
