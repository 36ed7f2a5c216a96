/**
 * What this room reads, keeps, waits for and answers at most, one section per unit. Each row says why it is not larger
 * or smaller, unless its name does.
 */
export const LIMITS = {
  tree: {
    /** Larger files are data. A skill's text has at most 200 KB. */
    fileBytes: 8 << 20,
    /** Checking more files than this takes as long as computing most values. */
    checkedReads: 500,
    /** Missing parents that are looked at: a hostile text may name a path of thousands. */
    missingLevels: 10,
    pathLength: 500,
    /** A name becomes a file's, with an ending; file systems take 255 bytes. */
    nameBytes: 100,
  },
  templates: {
    /** In characters. */
    length: 1 << 18,
    /** What all templates of a skill may spend together; a character costs 1 (decision 26). */
    cost: 1 << 21,
  },
} as const;
