/** Vectors of single words: good enough to choose the names worth a comparison. */
import { MODEL, type Pack } from "./pack.ts";
import type { Tokenizer } from "./word_piece.ts";

/** Of one row: a direction of length 1, and how much the word tells, from 0 to 1. */
export const ROW = MODEL.width + 1;

/** The vocabulary lists words from here on, the most frequent first. */
const FIRST_WORD = 1_996;
const LEAST_WEIGHT = 0.1;
const MOST_PIECES = 16;

const ENDINGS: readonly (readonly [ending: RegExp, instead: string])[] = [
  [/ies$/, "y"],
  [/s$/, ""],
  [/es$/, ""],
  [/ed$/, ""],
  [/d$/, ""],
  [/ing$/, ""],
  [/ing$/, "e"],
  [/(.)\1(?:ing|ed)$/, "$1"],
  [/er$/, ""],
  [/r$/, ""],
];

export function createWordVectors(pack: Pack, tokenize: Tokenizer) {
  const bytes = new Int8Array(pack("words.bytes").slice().buffer);
  const scales = new Float32Array(pack("words.scales").slice().buffer);
  const mean = meanOf(bytes, scales);
  const piecesOf = (word: string) => tokenize(word, MOST_PIECES).slice(1, -1);

  function knownPieces(word: string): readonly number[] {
    const pieces = piecesOf(word);
    if (pieces.length === 1) return pieces;
    const forms = ENDINGS.map(([ending, instead]) => word.replace(ending, instead));
    return forms.filter((form) => form !== word && form.length > 2).map(piecesOf)
      .find((some) => some.length === 1) ?? pieces;
  }

  return (words: readonly string[]): Float32Array<ArrayBuffer> => {
    const rows = new Float32Array(words.length * ROW);
    for (const [at, word] of words.entries()) {
      const row = rows.subarray(at * ROW, at * ROW + MODEL.width), pieces = knownPieces(word);
      for (const piece of pieces) {
        const from = piece * MODEL.width, scale = scales[piece]!;
        for (let i = 0; i < row.length; i++) row[i]! += bytes[from + i]! * scale - mean[i]!;
      }
      const length = Math.hypot(...row) || 1;
      for (let i = 0; i < row.length; i++) row[i]! /= length;
      rows[at * ROW + MODEL.width] = weightOf(pieces, scales.length);
    }
    return rows;
  };
}

function meanOf(bytes: Int8Array, scales: Float32Array): Float32Array {
  const mean = new Float32Array(MODEL.width);
  for (const [token, scale] of scales.entries()) {
    const from = token * MODEL.width, factor = scale / scales.length;
    for (let i = 0; i < MODEL.width; i++) mean[i]! += bytes[from + i]! * factor;
  }
  return mean;
}

function weightOf(pieces: readonly number[], tokens: number): number {
  const rank = pieces.length === 1 ? Math.max(1, pieces[0]! - FIRST_WORD) : tokens;
  return Math.max(LEAST_WEIGHT, Math.min(1, Math.log(1 + rank / 20) / Math.log(1 + tokens / 20)));
}
