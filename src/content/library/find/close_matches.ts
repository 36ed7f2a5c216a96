/**
 * Hits of a search of which none is clearly the best.
 *
 * How much better the first must fit was measured with bench/finding.ts: of the requests that were answered wrongly,
 * six in seven had a second hit of at least this share.
 */
import type { Row } from "../lists/row.ts";

/** With a second hit of so much of the first, the first may not be meant. */
const UNCLEAR = 0.6;
/** What has less of the first is not meant either. */
const OUT_OF_REACH = 0.3;
/** As many as one can choose from. */
const MOST = 6;
/** Among those that have so much of the first, the words do not decide. */
const EQUAL = 0.8;

/** A thing with a score. */
interface Scored {
  readonly score: number;
}

/** The rows of a search that may be meant, by how well they fit; none when the first is clearly the best. */
export function closeMatches(rows: readonly Row[]): readonly Row[] {
  // Order by use may have put another one first.
  const scored = rows.slice(0, MOST).map((row) => ({ row, score: Number(row.data["score"]) }))
    .sort((a, b) => b.score - a.score || (a.row.name < b.row.name ? -1 : 1));
  const [best, second] = scored;
  if (best === undefined || second === undefined || second.score < UNCLEAR * best.score) return [];
  return scored.filter(({ score }) => score >= OUT_OF_REACH * best.score).map(({ row }) => row);
}

/** How many of some hits, best first, fit so equally that something else may decide between them. */
export function countTied(hits: readonly Scored[]): number {
  const least = (hits[0]?.score ?? 0) * EQUAL;
  const at = hits.slice(0, MOST).findIndex(({ score }) => score < least);
  return at < 0 ? Math.min(hits.length, MOST) : at;
}
