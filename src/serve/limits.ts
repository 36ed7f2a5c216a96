/** What this room reads, keeps, waits for and answers at most. */
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
  http: {
    /** The form of the door: longer than any token and address. */
    formBytes: 16_384,
    /** Forgetting the oldest gives them no more than a minute's requests. */
    ratedNames: 10_000,
    deeds: 1_000,
    /** How many requests of a client are at work at a time, and how long one counts as such. */
    lanes: 2,
    laneMs: 5_000,
  },
  readiness: {
    freshMs: 1_000,
    /** A check that takes longer has failed, as far as a load balancer is concerned. */
    checkMs: 2_000,
  },
  identity: {
    tokenLength: 16_384,
    people: 1_000,
    /** The description of an issuer, or its keys. */
    replyBytes: 1 << 20,
  },
  board: {
    stories: 2_000,
    problems: 100,
    actBytes: 8_192,
    /** As many characters as an answer may have. */
    fieldLength: 1_000,
    moves: 100,
    /** As long as the page offers it, and the time that a request takes. */
    undoMs: 15_000,
  },
} as const;
