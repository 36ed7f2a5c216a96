/** What this room reads, keeps, waits for and answers at most; a row says why, unless its name does. */
export const LIMITS = {
  sources: {
    listBytes: 1 << 20,
    skillsPerPlugin: 100,
    shownEntries: 50,
  },
  clients: {
    attempts: 3,
    /** The process that wrote an older draft must have been killed. */
    abandonedMs: 60_000,
  },
  hooks: {
    eventBytes: 64 << 10,
    /** A client that writes no event, and leaves stdin open, must not keep its user waiting. */
    eventMs: 1_000,
  },
  /** What a command reads from stdin, each more than its purpose needs. */
  input: {
    toolCharacters: 10 << 20,
    importCharacters: 256 << 20,
    /** As much as a document of a project may have. */
    scriptCharacters: 8 << 20,
  },
  prime: {
    /** What every session pays, whether it needs BMAD or not. The estimate may be a little too low. */
    tokens: 350,
    ms: 4_000,
    modulesLength: 80,
    /** Those of several that it says more about. */
    projects: 3,
  },
  record: { shown: 100, most: 100_000 },
  search: {
    /** Rows of each group but the items, unless the user says. */
    shown: 5,
  },
  board: { notes: 10 },
  doctor: {
    alike: 5,
    namesInLine: 4,
    pathsInLine: 10,
    /** A project with more of them has one cause for all. */
    ledgerProblems: 20,
  },
  http: {
    graceMs: 10_000,
    /** The start is over by then. */
    watchAfterMs: 1_000,
  },
} as const;
