/**
 * What this room reads, keeps, waits for and answers at most, one section per unit. Each row says why it is not larger
 * or smaller, unless its name does.
 */
export const LIMITS = {
  listener: {
    urlLength: 8_192,
    headers: 100,
    /** How long a refused client may go on sending, and how much, until it has read its response. */
    lingerMs: 1_000,
    lingerBytes: 65_536,
    /** Of all bodies that are being read or answered. One may go beyond it, so that something gets done. */
    allBodiesBytes: 8 << 20,
  },
} as const;
