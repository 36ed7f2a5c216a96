/** What this room reads, keeps, waits for and answers at most, one section per unit, and why. */
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
  documents: {
    /** In characters. */
    length: 1 << 20,
    /** In lines and items of YAML or TOML: a parser takes about 0.2 s for this many. */
    items: 30_000,
    /** In characters: only a program writes more, and no more of a document is looked at. */
    frontMatter: 1 << 16,
    columns: 100,
    /** A table has as many cells as its rows times its columns, however short its file is. */
    cells: 2_000_000,
  },
  roots: {
    /** Levels from `~/.claude` to `plugins/cache/MARKETPLACE/PLUGIN/VERSION/skills`. */
    levels: 5,
    /** Through which plugins are looked for. */
    folders: 500,
    /** Links that git wrote as texts. */
    links: 500,
    linkBytes: 500,
    /** Files with a folder of their own that are looked up one by one; beyond that, an existing folder is enough. */
    lookups: 2_000,
    steps: 100,
  },
  records: {
    fileBytes: 1 << 16,
    rows: 2_000,
    sourceLength: 200,
  },
  help: {
    /** Steps are compared with each other; all of BMAD's catalogues together have a few hundred rows. */
    rows: 1_000,
  },
  git: {
    /** In bytes, of each process. A server can make git use any amount. */
    memory: 1 << 30,
    output: 1 << 20,
    /** Logs of the user's own repository, for scripts that measure them. */
    localOutput: 64 << 20,
    /** A transfer fails after this long without a byte; this also ends helpers whose git was killed. */
    stalledSeconds: 30,
    errorLines: 20,
    errorLine: 2_000,
    /** Of a repository, or of an archive. */
    entries: 100_000,
  },
  remoteRefs: {
    output: 16 << 20,
    /** For a pack of many notes. A ref to a project's history, or to a large file, does not fit. */
    fileBytes: 256 << 10,
    refs: 5_000,
    branches: 500,
    perCall: 200,
    /** Refs that are fetched alone, because one of them cannot be fetched with the others. */
    alone: 20,
  },
  packages: {
    archiveBytes: 64 << 20,
    output: 16 << 20,
    manifestBytes: 1 << 20,
    /** Of a header about the next entry of an archive: a path of any use is shorter. */
    aboutBytes: 65_536,
  },
  copies: {
    /** A request waits no longer for what is being fetched: any client waits longer for its answer. */
    waitMs: 10_000,
    recordBytes: 65_536,
    /** `bmad-mcp-server` nests folders where a ref or an organization has slashes in it. */
    levels: 4,
    firstMs: 500,
    minPauseMs: 60_000,
    maxPauseMs: 600_000,
    /** How often an unfinished copy is measured. */
    measureMs: 500,
    /** Measuring may take one part in this many of the time. */
    measureShare: 10,
  },
  live: {
    /** More folders take long to watch, and leave too few watchers for other programs. */
    watched: 2_000,
    /** A file counts as finished when nothing was written to it for this long. */
    quietMs: 100,
    /** A problem in a file younger than this may be there because the file is half written. */
    recentMs: 1_000,
    retries: 3,
  },
  templates: {
    /** In characters. */
    length: 1 << 18,
    /** What all templates of a skill may spend together; a character costs 1 (decision 26). */
    cost: 1 << 21,
  },
  cache: {
    values: 1_000,
    texts: 50,
    /** A longer text is rarely wanted twice, and costs more memory than time. */
    textLength: 64 << 10,
  },
  comparison: {
    /** Of all comparisons of one request together, in edits: one takes the square of the lines that differ. */
    steps: 100_000_000,
    lines: 5_000,
    ms: 2_000,
  },
  validation: {
    faults: 1_000,
    helpRows: 1_000,
    /** Walked in search of the files of modules. */
    files: 100_000,
    firstFileBytes: 64 << 10,
    textBytes: 256 << 10,
  },
  delivery: {
    /** In characters: values that name each other grow with each name. */
    filledValues: 200_000,
    pathLines: 100,
    /** In characters, of all answers of an agent: a hostile file must not produce endless text. */
    answers: 100_000,
    /** In characters. No agent is longer, and no customization adds more: each addition looks through the text. */
    customizedText: 256 << 10,
    customizations: 100,
    /** In characters of the user's message, which the model has in its call anyway. */
    echo: 2_000,
    includedBytes: 2_048,
    /** In characters: whoever asks for a rendered file has just started the launcher. */
    keptRenderings: 1 << 23,
    templateCharacters: 1 << 22,
    templateFiles: 500,
    /** Different tokens of a launcher, each of whose values is looked for and searched for secrets. */
    tokens: 2_000,
    conditions: 1_000,
    /** More scripts than any real item mentions; a hostile text must not be looked up forever. */
    scriptMentions: 100,
    bundledParts: 3,
    searchedMessage: 2_000,
  },
  choices: {
    words: 500,
    message: 4_000,
    line: 2_000,
    choices: 200,
    files: 20,
    bytes: 1 << 16,
  },
  helpFiles: {
    count: 100,
    bytes: 1 << 20,
  },
  scan: {
    folders: 2_000,
    recordBytes: 1 << 16,
    listedFiles: 100,
    documentBytes: 1 << 20,
  },
  agents: {
    /** More than any team has. The others keep their own names, so that a library opens in time. */
    customized: 200,
    /** More than any team has; a list must not open the files of all. */
    withMenus: 500,
  },
  exports: {
    items: 200,
    files: 5_000,
    bytes: 64 << 20,
  },
  health: {
    nearItems: 1_000,
    unserved: 1_000,
    folders: 10_000,
    /** More than anyone corrects, and few enough to be found in seconds. */
    brokenReferences: 2_000,
    referencesPerFile: 1_000,
  },
  steps: {
    steps: 2_000,
    helpLines: 5_000,
    /** In characters. */
    description: 200,
  },
  search: {
    terms: 32,
    keptSnippets: 50,
    /** In characters: a longer term is not searched for as a typo. */
    misspelled: 32,
  },
  values: {
    /** More than any installation has; each of them is asked for its values by every other. */
    modules: 200,
    rosterRows: 500,
    keptText: 32_768,
  },
  files: {
    referenceLength: 4_096,
    /** In characters of a fragment that are searched for its title and description. */
    fragmentHead: 4_000,
    /** More than any real item has; a request must not read thousands of files. */
    reachedFiles: 300,
    /** Values in values, in a path. */
    valueDepth: 5,
    shownValue: 2_000,
    comparedNames: 2_000,
  },
  details: {
    references: 100,
    /** References like no file's name are most likely broken, and to learn that takes a millisecond each. */
    missing: 20,
  },
  lists: {
    patternParts: 40,
    candidates: 20,
    /** In characters of an unknown name that are compared with known ones. */
    suggestedName: 60,
    rivals: 3,
    /** The strictest client leaves 52 characters after its own prefix. */
    toolName: 50,
    longName: 200,
  },
} as const;
