/**
 * What this room reads, keeps, waits for and answers at most, one section per unit. Each row says why it is not larger
 * or smaller, unless its name does.
 */
export const LIMITS = {
  usage: {
    items: 500,
    nameChars: 200,
    /** A larger file is not ours. */
    fileBytes: 262_144,
    /** An older draft belongs to a process that ended. */
    draftAgeMs: 10_000,
    draftTries: 10,
    draftPollMs: 10,
  },
  files: {
    /** Larger files are no documents or ledgers. */
    fileBytes: 8 << 20,
    lockPollMs: 15,
    /** A holder that takes longer is stuck; whoever waits is told so. */
    lockWaitMs: 60_000,
    /** Older drafts were left behind by a killed program. */
    draftAgeMs: 3_600_000,
  },
  memory: {
    /** Of a server of memories or embeddings. */
    replyBytes: 64 << 20,
    embeddingsMs: 60_000,
    qdrantMs: 20_000,
    /** A faulty server may always announce another page. */
    qdrantPages: 200,
  },
  runs: {
    /** Of one queue. */
    tasks: 500,
    contextFiles: 50,
    taskChars: 20_000,
    /** Of one update, and of each. */
    outputs: 50,
    outputChars: 2_000,
    /** Of a session's runs, and of each of their texts. */
    shown: 20,
    shownChars: 1_000,
  },
} as const;
