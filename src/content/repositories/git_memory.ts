/**
 * How much memory git may use, and what keeps it far below that.
 */

/** The memory that each process of git may use. */
export const MAX_MEMORY = 1 << 30;

/** Blobs that are larger are never in memory as a whole. */
const STREAMED = "16m";

/** Settings of git: what it maps, caches and does in parallel. */
export const FRUGAL: readonly (readonly [key: string, value: string])[] = [
  ["core.bigFileThreshold", STREAMED],
  ["core.packedGitWindowSize", "32m"],
  ["core.packedGitLimit", "256m"],
  ["core.deltaBaseCacheLimit", "32m"],
  ["pack.windowMemory", "64m"],
  ["pack.threads", "1"],
];
