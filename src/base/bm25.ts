/**
 * BM25, the ranking formula of full-text search, in its three factors.
 *
 * Every ranking by words that SQLite does not do for us is put together from these. How much a field, a gloss or a
 * path counts is left to the caller.
 */

/** How much a term tells that `having` of all `total` documents contain: rare terms tell more. */
export function rarity(having: number, total: number): number {
  return Math.log(1 + (Math.max(total - having, 0) + 0.5) / (having + 0.5));
}

/** The handicap of a document that is `ratio` times as long as usual; `weight` 0 ignores the length, 1 divides by it. */
export function lengthNorm(ratio: number, weight: number): number {
  return 1 - weight + weight * ratio;
}

/** A term's count with diminishing returns: it approaches `saturation` + 1, the sooner the smaller `saturation` is. */
export function saturate(count: number, saturation: number, norm = 1): number {
  return count * (saturation + 1) / (count + saturation * norm);
}
