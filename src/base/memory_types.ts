/** The kinds of memories a project keeps: settings, memory and the surfaces all name them. */

/** Every kind; each is a collection of its own. */
export const MEMORY_TYPES = [
  "shared-context",
  "decisions",
  "agent-learnings",
  "failures",
  "stories",
] as const;

/** The kind of a memory. */
export type MemoryType = typeof MEMORY_TYPES[number];
