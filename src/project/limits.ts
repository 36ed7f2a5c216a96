/** What this room reads, keeps, waits for and answers at most, one section per unit. */
export const LIMITS = {
  usage: {
    items: 500,
    nameChars: 200,
    fileBytes: 262_144,
    /** An older draft belongs to a process that ended. */
    draftAgeMs: 10_000,
    draftTries: 10,
    draftPollMs: 10,
  },
  files: {
    fileBytes: 8 << 20,
    lockPollMs: 15,
    /** A holder that takes longer is stuck; whoever waits is told so. */
    lockWaitMs: 60_000,
    /** Older drafts were left behind by a killed program. */
    draftAgeMs: 3_600_000,
    /** The same of what an export or a backup writes, which takes seconds. */
    outputAgeMs: 60_000,
  },
  code: {
    queryChars: 2_000,
    files: 50_000,
    fileBytes: 1 << 20,
    /** Of all files, and the time for listing, for all, and until the symbols of further files are left for later. */
    bytes: 256 << 20,
    listingMs: 10_000,
    ms: 20_000,
    symbolsMs: 4_000,
    /** Caches are dropped when no search comes for so long. */
    idleMs: 600_000,
  },
  memory: {
    textChars: 16_000,
    queryChars: 2_000,
    tagChars: 64,
    tags: 16,
    hits: 50,
    healthMs: 10_000,
    replyBytes: 64 << 20,
    embeddingsMs: 60_000,
    qdrantMs: 20_000,
    /** A faulty server may always announce another page. */
    qdrantPages: 200,
  },
  kit: {
    /** A server of memories that takes longer must not keep the files from being shown. */
    rememberedMs: 3_000,
    learningFiles: 200,
    learningChars: 8 << 20,
    notes: 5_000,
    noteChars: 2_000,
    stories: 300,
    storyChars: 4 << 20,
    contractsPerDay: 50,
    /** Of each list of a delivery contract. */
    contractItems: 50,
  },
  contract: {
    headBytes: 64 << 10,
    tailBytes: 192 << 10,
  },
  runs: {
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
  board: {
    /** Texts without secrets that are kept for the next reading. */
    cleanedTexts: 50_000,
    /** One for each way to say what repairs it. */
    reports: 10,
    forced: 1_000,
    entries: 10_000,
    /** In characters; a longer line is no record of ours. */
    recordLine: 20_000,
    reasons: 20,
    /** Names that are not written as the board has them take long to find; a list by people has few of them. */
    oddNames: 20,
    answers: 10,
    freeStories: 10,
    problems: 50,
    shownEntries: 10,
  },
  claims: {
    /** No claim is good for longer, whatever its record says. */
    longestMs: 24 * 3_600_000,
    records: 20_000,
    /** The file must stay small enough to be read again: the oldest claims go first. */
    fileLength: 4 << 20,
    path: 500,
    /** After this time without a sign, a seat that no process of this machine holds has ended. */
    silenceMs: 30 * 60_000,
    /** Of one claim: that many pushes may have arrived without an answer. */
    commits: 8,
    /** Other clones may be quicker each time. */
    tries: 10,
    viewAgeMs: 15_000,
    watchedViewAgeMs: 30_000,
  },
  context: {
    documents: 300,
    /** A larger document is not opened, and has no title or status in a list. */
    documentBytes: 1_000_000,
    readBytes: 16_000_000,
    title: 120,
    /** Stories that name a document: more than a page has room for. */
    namingStories: 50,
    pieces: 20_000,
    pieceTokens: 500,
    lineLength: 4_000,
    ids: 1_000,
    references: 200,
    storyText: 60_000,
    summary: 400,
    earlierStories: 5,
    reviewedStories: 300,
    findings: 10,
    findingsOfOne: 6,
    decisionLine: 200,
    embeddedChapters: 80,
    compounds: 100_000,
    shownLeft: 10,
  },
  details: {
    tasks: 200,
    taskLength: 500,
    entries: 50,
  },
  check: {
    commits: 5_000,
    /** Commits, and files, that are looked through for where a story began. */
    starts: 100,
    /** For all documents that define requirements: some 20 ms. */
    comparedChanges: 1_000_000,
    indexedFiles: 20_000,
    /** Tests that are read for one story, and the largest. */
    tests: 50,
    testBytes: 256 << 10,
    documents: 200,
    requirements: 2_000,
    /** In characters: of a requirement, and of its section. */
    requirement: 1_000,
    requirementSection: 20_000,
    cachedLength: 4_000_000,
    shownFindings: 100,
    shownUncompared: 5,
    shownFiles: 3,
    shownStories: 10,
  },
  git: {
    /** Names of versions are on the command line of one process. */
    versionsAtOnce: 50,
    /** Versions that need a process of their own. */
    singleVersions: 5,
    /** A larger document is not read today either. */
    output: 32 << 20,
    cachedVersions: 400,
  },
  next: {
    held: 20,
    changes: 100,
    /** Stories of a wave that are left out because they change the same files. */
    keptBack: 50,
  },
  moves: {
    records: 5_000,
    /** Told to other clones at most this long, in milliseconds. */
    oldMs: 90 * 24 * 3_600_000,
    /** That earlier calls could not tell other clones. */
    untold: 10,
  },
  remote: {
    /** Clocks of two machines may differ by this much. */
    skewMs: 10 * 60_000,
    /** Ended claims are removed after this time. */
    oldMs: 24 * 3_600_000,
    sweptRefs: 20,
    refs: 5_000,
    tries: 5,
    machine: 60,
    refName: 80,
    /** A remote that takes longer is not asked again at once. */
    slowMs: 2_000,
  },
  source: {
    files: 20_000,
    /** A document with more characters or lines was written by a machine, and reading it could not be interrupted. */
    textLength: 1 << 20,
    textLines: 50_000,
    /** Of one reading, by `readingCost`: about 6,000 stories of 6 KB, or three seconds. */
    cost: 64_000_000,
    problems: 1_000,
    filesBelow: 4_000,
    folder: 1_000,
  },
  documents: {
    criteria: 100,
    /** What may be looked at as an id. */
    namedIds: 5_000,
    boxes: 5_000,
    /** Of one role, and headings. */
    lines: 5_000,
    statuses: 3,
    /** Of the texts whose facts are kept for the next reading, in characters: the files of 2,000 stories. */
    cachedLength: 12_000_000,
    /** Of the texts that are kept line by line, which takes several times as much memory. */
    cachedLines: 4_000_000,
    statusLength: 40,
    planned: 20_000,
    /** In characters. */
    cachedPlans: 4_000_000,
    listedFiles: 2_000,
    fileDepth: 40,
    runRow: 2_000,
    headings: 1_000,
  },
  findings: {
    rows: 2_000,
    rowLength: 2_000,
    tags: 6,
    dashes: 20,
    place: 300,
  },
  questions: {
    textLength: 1_000,
    choiceLength: 200,
    /** As many as there are letters for them in a form that people read. */
    choices: 20,
    questions: 2_000,
    lineLength: 20_000,
    nameLength: 500,
  },
  ids: {
    /** Of a story or an epic. */
    ofItem: 200,
    lineLength: 4_000,
    /** Where a definition or a title is looked for. */
    startLength: 300,
    range: 200,
    /** More ids than a line names, each range counted whole. */
    inLine: 1_000,
  },
  ledgers: {
    specStories: 5_000,
    sprintRows: 20_000,
    actions: 1_000,
    cachedLength: 4_000_000,
    staleIds: 10,
    after: 200,
    tickets: 5_000,
    ticketFiles: 5_000,
    epicFolders: 500,
  },
  scripts: {
    commandLine: 100_000,
    /** Far above any real document; what a script makes of one may be many times as large. */
    inputBytes: 2 << 20,
    stdout: 4 << 20,
    stderr: 64 << 10,
    icon: 5000,
    /** A short row has a cell for every column of the header. */
    cells: 100_000,
    /** A hostile installation may have any number. */
    installed: 300,
    spineFindings: 10_000,
    folderPart: 1_000,
    /** More than any claim stays fresh. */
    months: 12_000,
  },
} as const;
