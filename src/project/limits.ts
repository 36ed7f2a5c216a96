/**
 * What this room reads, keeps, waits for and answers at most, one section per unit. Each row says why it is not larger
 * or smaller, unless its name does.
 */
export const LIMITS = {
  files: {
    /** Larger files are no documents or ledgers. */
    fileBytes: 8 << 20,
    lockPollMs: 15,
    /** A holder that takes longer is stuck; whoever waits is told so. */
    lockWaitMs: 60_000,
    /** Older drafts were left behind by a killed program. */
    draftAgeMs: 3_600_000,
  },
} as const;
