/**
 * What this room reads, keeps, waits for and answers at most, one section per unit. Each row says why it is not larger
 * or smaller, unless its name does.
 */
export const LIMITS = {
  sources: {
    listBytes: 1 << 20,
    /** More than any plugin has. */
    skillsPerPlugin: 100,
  },
} as const;
