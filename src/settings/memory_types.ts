/**
 * The kinds of memories, and a short name for a text: what the command line must know of memory before the drop.
 */

/** The kinds of memories; each is a collection of its own. */
export const MEMORY_TYPES = [
  "shared-context",
  "decisions",
  "agent-learnings",
  "failures",
  "stories",
] as const;
/** The kind of a memory. */
export type MemoryType = typeof MEMORY_TYPES[number];

/** A number of 32 bits that stands for a text (FNV-1a): the same on every machine, and no secret. */
export function shortHash(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
