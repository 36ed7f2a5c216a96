/**
 * Close scores: the hits of a search among which the words alone do not decide. The thresholds are from
 * bench/finding.ts: six of seven requests whose first hit was wrong had a second hit with at least the share `CLOSE`
 * of its score.
 */
import type { Row } from "../rows/row.ts";

/** If the second hit has this share of the best score, the first may be wrong. */
const CLOSE = 0.6;
const TOO_LOW = 0.3;
const MAX_MATCHES = 6;
/** Hits with this share of the best score count as tied. */
const TIED = 0.8;

export function closeMatches(rows: readonly Row[]): readonly Row[] {
  // Usage may have moved another row to the top.
  const scored = rows.slice(0, MAX_MATCHES).map((row) => ({ row, score: Number(row.data["score"]) }))
    .sort((a, b) => b.score - a.score || (a.row.name < b.row.name ? -1 : 1));
  const [best, second] = scored;
  if (best === undefined || second === undefined || second.score < CLOSE * best.score) return [];
  return scored.filter(({ score }) => score >= TOO_LOW * best.score).map(({ row }) => row);
}

/** How many of the first hits are tied, so that something else may decide between them. */
export function countTied(hits: readonly { readonly score: number }[]): number {
  const least = (hits[0]?.score ?? 0) * TIED;
  const at = hits.slice(0, MAX_MATCHES).findIndex(({ score }) => score < least);
  return at < 0 ? Math.min(hits.length, MAX_MATCHES) : at;
}
