/**
 * THE table of layers: every unit of the source, what it may import, and what of the outside world it may touch.
 *
 * `tests/architecture_test.ts` holds the code against it, both ways: nothing may do more than its row says, and a
 * permission that nothing uses fails too. docs/architecture.md prints it (`deno task docs`). Rooms and units stand in
 * order: a unit imports only what stands before it, and may read the limits of its room. To add a unit, add a row.
 */

/**
 * What one unit may do. A unit is a file or a folder in a room, named by its path in there; a folder is entered through
 * its `mod.ts`.
 */
export interface Unit {
  /** Units of the same room, and rooms or units outside it: `base` stands for every unit of that room. */
  readonly imports?: readonly string[];
  /** npm packages and `node:` modules. */
  readonly packages?: readonly string[];
  /** The folders inside the unit, in order: a file in one imports none of a later one. */
  readonly parts?: readonly string[];
  /** Files beside `mod.ts` that others may import, for what must not load the rest. */
  readonly faces?: readonly string[];
  /** Whether others may import it only with `import()`, when it is needed; types can be had at any time. */
  readonly isLazy?: true;
  /** Parts of the outside world; `*` stands for the plain and the Sync form. */
  readonly touches?: readonly string[];
  /** What it is for, as docs/architecture.md prints it. */
  readonly purpose: string;
}

/** One room of the house. */
export interface Room {
  /** Its folder in `src/`; undefined for a file that is a room by itself. */
  readonly folder?: string;
  /** Whether others name its units one by one; else they name the room as a whole. */
  readonly isByUnit?: true;
  readonly units: Readonly<Record<string, Unit>>;
}

/** The rooms, in order. */
export const ROOMS: Readonly<Record<string, Room>> = {
  base: {
    folder: "base",
    units: {
      model: { purpose: "the nouns, and tiny pure functions over them" },
      generations: { imports: ["model"], purpose: "what BMAD's generations call the same" },
      suggestions: { purpose: "names similar to an unknown one" },
      hidden: { purpose: "characters that readers cannot see" },
      absence: { purpose: "attempts that may fail, as when a file is missing" },
      values: { imports: ["model", "absence"], purpose: "unknown values as texts, lists and maps" },
      text: {
        imports: ["hidden", "values"],
        purpose: "text from strangers, made safe to show, and commands to paste",
      },
      conflicts: { imports: ["text"], purpose: "git's marks around what two sides changed differently" },
      errors: { imports: ["suggestions", "text"], purpose: "failures, diagnostics and their words" },
      invalid: { purpose: "a value that was refused" },
      markdown: { imports: ["text"], purpose: "the sections, tables and lists of Markdown" },
      notes: { imports: ["markdown"], purpose: "dated notes in the lists of the project-memory kit" },
      report: { purpose: "an answer for a model and for a program" },
      problem_groups: { imports: ["text"], purpose: "groups problems that differ only in their subject" },
      language: {
        faces: ["french_glossary.ts", "german_glossary.ts"],
        purpose: "words, stems and stop words of seven languages, and which one a text is in",
      },
      matching: { imports: ["text", "language"], purpose: "which texts have some words" },
      remembering: { purpose: "requests to remember something, in any language" },
      ranking: { purpose: "ranks texts by their words, and by meaning beside them" },
      time: { purpose: "points in time and durations, for people" },
      official_modules: { purpose: "BMAD's official modules, and where each of them can be had" },
      tokens: { purpose: "how many tokens a text costs a model, about" },
      versions: { purpose: "the order of versions" },
      uris: { imports: ["absence", "errors", "invalid"], purpose: "the form of a URI" },
      markup: { imports: ["text"], purpose: "HTML templates in which every value is escaped" },
      paths: { imports: ["hidden"], purpose: "paths, names of files and the user's folders, as text" },
      cache: { purpose: "results kept with what they are about" },
      roles: { imports: ["values"], purpose: "who may do what on a server that several people use" },
      people: { imports: ["errors", "roles", "text"], purpose: "refusals by role, names that are one" },
      networks: { purpose: "addresses of the internet, and networks of them" },
      http_state: { purpose: "what a server over HTTP keeps, as paths" },
      work: {
        imports: ["cache", "roles", "text"],
        purpose: "cancellation, progress, the clock; work done once or shared",
      },
    },
  },
  process: {
    folder: "process",
    units: {
      lock: { imports: ["base"], touches: ["Deno.open*"], purpose: "a lock between processes" },
      pipes: { purpose: "bytes that come and bytes that go, by plain calls" },
      lines: { imports: ["pipes"], purpose: "JSON messages, one per line: the only framing" },
      supervisor: {
        imports: ["base", "lines"],
        touches: ["Deno.ChildProcess", "Deno.Command"],
        purpose: "other programs, run with limits so that nothing of them is left",
      },
      watchdog: {
        imports: ["pipes"],
        touches: [
          "Deno.addSignalListener",
          "Deno.kill",
          "Deno.pid",
          "Deno.stdin",
          "Deno.unrefTimer",
          "Worker",
        ],
        purpose: "ends a process that is stuck when its client leaves",
      },
      host: {
        imports: ["base", "pipes", "watchdog"],
        touches: [
          "Date.now",
          "Deno.addSignalListener",
          "Deno.args",
          "Deno.consoleSize",
          "Deno.cwd",
          "Deno.env",
          "Deno.execPath",
          "Deno.lstat*",
          "Deno.memoryUsage",
          "Deno.open*",
          "Deno.pid",
          "Deno.readDir*",
          "Deno.readTextFile*",
          "Deno.realPath*",
          "Deno.stat*",
          "Deno.stderr",
          "Deno.stdin",
          "Deno.stdout",
          "Deno.version",
        ],
        purpose: "the process as a value: arguments, environment, streams, clock",
      },
      rights: {
        imports: ["base"],
        touches: ["Deno.PermissionDescriptor", "Deno.permissions"],
        purpose: "giving up every right a start does not need",
      },
      named_server: { touches: ["fetch"], purpose: "requests to a server that the user named, and no other" },
      log_file: {
        imports: ["base"],
        touches: ["Deno.writeTextFile*", "Deno.rename*", "Deno.stat*"],
        purpose: "the log on disk, rotated",
      },
      session_note: {
        imports: ["base"],
        touches: ["Deno.lstat*", "Deno.mkdir*", "Deno.open*", "Deno.readDir*", "Deno.remove*"],
        purpose: "notes which sessions of clients have begun",
      },
      private_folder: {
        imports: ["base"],
        touches: [
          "Deno.link*",
          "Deno.lstat*",
          "Deno.mkdir*",
          "Deno.open*",
          "Deno.readDir*",
          "Deno.remove*",
        ],
        purpose: "files that only the user may read, and secrets in them",
      },
      user_token: {
        imports: ["base", "private_folder"],
        purpose: "the user's own token for HTTP, on disk",
      },
      named_tokens: {
        imports: ["base", "lock", "private_folder"],
        touches: ["Deno.lstat*", "Deno.rename*"],
        purpose: "the tokens that the user gives to others, kept as hashes",
      },
      record_file: {
        imports: ["base", "log_file"],
        packages: ["node:crypto"],
        touches: ["Deno.readDir*", "Deno.readTextFile*"],
        purpose: "who changed what through a server over HTTP",
      },
      session_files: {
        imports: ["base"],
        touches: [
          "Deno.lstat*",
          "Deno.readDir*",
          "Deno.readTextFile*",
          "Deno.remove*",
          "Deno.rename*",
          "Deno.utime*",
          "Deno.writeTextFile*",
        ],
        purpose: "sessions of clients that outlive their server",
      },
      http_state: {
        imports: ["base", "private_folder"],
        purpose: "creates what a server over HTTP keeps",
      },
      version: { imports: ["base", "host"], purpose: "prints the version before anything else is loaded" },
    },
  },
  operations: {
    folder: "operations",
    units: {
      operations: {
        imports: ["base"],
        parts: ["operation.ts", "params.ts", "shapes.ts", "table.ts"],
        purpose:
          "THE table of operations: purpose, parameters, changes and answers of whatever can be asked for",
      },
    },
  },
  settings: {
    folder: "settings",
    isByUnit: true,
    units: {
      locations: {
        imports: ["base"],
        purpose: "where content lies: folders, git repositories, npm packages, and as people paste them",
      },
      settings: {
        imports: ["base", "operations", "locations"],
        purpose: "what the user asked for: the table of settings, arguments, files, provenance",
      },
      plan: {
        imports: ["base", "operations", "locations", "settings"],
        purpose: "which folders and rights a start needs: origins, git, memory, kit",
      },
    },
  },
  content: {
    folder: "content",
    units: {
      limits: { purpose: "what the room reads, keeps, waits for and answers at most, and why" },
      tree: {
        imports: ["base"],
        touches: [
          "Deno.lstat*",
          "Deno.open*",
          "Deno.readDir*",
          "Deno.readFile*",
          "Deno.realPath*",
          "Deno.stat*",
        ],
        purpose: "a folder that can be read, and nothing above it; on disk or embedded",
      },
      parse: {
        imports: ["base"],
        packages: ["js-yaml", "smol-toml"],
        purpose: "YAML, TOML, CSV and front matter, without throwing",
      },
      jinja: {
        imports: ["base"],
        isLazy: true,
        purpose: "templates in Jinja, interpreted within limits",
      },
      repositories: {
        imports: ["base", "process", "locations", "plan"],
        touches: [
          "Deno.lstat*",
          "Deno.makeTempDir*",
          "Deno.makeTempFile*",
          "Deno.mkdir*",
          "Deno.open*",
          "Deno.readDir*",
          "Deno.readFile*",
          "Deno.readTextFile*",
          "Deno.remove*",
          "Deno.rename*",
          "Deno.stat*",
          "Deno.writeTextFile*",
        ],
        purpose: "the cache of copies of git repositories and npm packages, fetched and locked",
      },
      origins: {
        imports: ["base", "locations", "plan", "tree", "repositories"],
        touches: ["Deno.readTextFile*", "Deno.statSync", "Deno.watchFs"],
        purpose: "opens a tree for each origin and watches it",
      },
      inventory: {
        imports: ["base", "tree", "parse"],
        purpose: "finds the BMAD roots in a tree and reads them into items",
      },
      catalog: {
        imports: ["base", "inventory"],
        purpose: "items with origin and rank; which name means which",
      },
      library: {
        imports: ["base", "tree", "parse", "jinja", "inventory", "catalog"],
        packages: ["diff"],
        parts: [
          "files",
          "values",
          "delivery",
          "rows",
          "steps",
          "health",
          "compare",
          "uris",
          "lists",
          "find",
          "authoring",
        ],
        purpose: "the manifest with its trees: what requests are answered from",
      },
      live: {
        imports: ["base", "plan", "tree", "origins", "library"],
        purpose: "the library, kept in step with the disk",
      },
    },
  },
  project: {
    folder: "project",
    units: {
      limits: { purpose: "what the room reads, keeps, waits for and answers at most, and why" },
      usage: {
        imports: ["base"],
        touches: [
          "Deno.lstat*",
          "Deno.mkdir*",
          "Deno.open*",
          "Deno.readTextFile*",
          "Deno.remove*",
          "Deno.rename*",
        ],
        purpose: "which items are used, for the order of lists",
      },
      files: {
        imports: ["base", "process", "plan", "content"],
        touches: [
          "Deno.chmod*",
          "Deno.link*",
          "Deno.lstat*",
          "Deno.mkdir*",
          "Deno.open*",
          "Deno.readFile*",
          "Deno.readTextFile*",
          "Deno.realPath*",
          "Deno.remove*",
          "Deno.rename*",
          "Deno.SeekMode",
          "Deno.stat*",
          "Deno.utime*",
        ],
        purpose: "the project's files, changed whole and one at a time",
      },
      "work/formats": {
        imports: ["base", "content"],
        faces: ["forms.ts", "sprint_keys.ts", "yaml_lines.ts", "yaml_tree.ts"],
        purpose: "one reader for each format in which BMAD has kept work, and the table of story forms",
      },
      "work/ledger": {
        imports: ["base", "content", "work/formats"],
        purpose: "YAML files of which single lines change and all other bytes stay",
      },
      "work/merge": {
        imports: ["work/formats"],
        purpose: "three versions of a ledger, merged by rows, items and entries",
      },
      scripts: {
        imports: ["base", "content", "files", "work/ledger", "work/formats"],
        isLazy: true,
        purpose: "BMAD's own scripts, done natively",
      },
      "work/board": {
        imports: ["base", "content", "work/formats"],
        purpose: "epics and stories of every ledger, together with our own records",
      },
      "work/context": {
        imports: ["base", "content", "work/formats", "work/board"],
        purpose: "the sections of documents that a story needs",
      },
      "work/check": {
        imports: ["base", "content", "work/formats", "work/board"],
        purpose: "whether stories are as done as they claim",
      },
      "work/trace": {
        imports: ["base", "work/formats", "work/board", "work/check"],
        isLazy: true,
        purpose: "from requirements to epics, stories, criteria, tests and commits",
      },
      "work/review": {
        imports: ["base", "work/formats", "work/board"],
        isLazy: true,
        purpose: "the packet for a reviewer, and whether a finding repeats another",
      },
      "work/next": {
        imports: ["base", "content", "work/formats", "work/board"],
        isLazy: true,
        purpose: "the project's documents, and what to do next",
      },
      "work/writer": {
        imports: [
          "base",
          "content",
          "files",
          "work/ledger",
          "work/formats",
          "work/board",
          "work/review",
        ],
        isLazy: true,
        purpose:
          "the one writer of ledgers and stories: marks in every format, claims, passes and findings of reviews, evidence, questions",
      },
      work: {
        imports: [
          "base",
          "plan",
          "content",
          "files",
          "work/formats",
          "scripts",
          "work/board",
          "work/context",
          "work/check",
          "work/trace",
          "work/review",
          "work/next",
          "work/writer",
        ],
        isLazy: true,
        purpose: "work on the project: board, next step, check, trace, review, scripts",
      },
      authoring: {
        imports: ["base", "plan", "content", "files"],
        packages: ["fflate"],
        isLazy: true,
        purpose: "for authors: the check of what they write, what they start from, and exports",
      },
      "kit/files": {
        imports: ["base", "process", "plan", "content", "files"],
        touches: ["Deno.stat*"],
        purpose: "the kit's files: context, learnings, sessions, queue, contracts",
      },
      "kit/memory": {
        imports: ["base", "process", "plan", "content"],
        packages: ["node:sqlite", "node:url"],
        parts: ["words", "embed", "recall", "store"],
        touches: [
          "Deno.lstat*",
          "Deno.mkdir*",
          "Deno.open*",
          "Deno.readFile*",
          "Deno.readTextFile*",
          "Deno.rename*",
          "Deno.stat*",
          "Worker",
        ],
        isLazy: true,
        purpose: "what agents are told to remember: stores, embedder, recall",
      },
      "kit/backup": {
        imports: ["base", "plan", "content", "files", "kit/memory"],
        isLazy: true,
        purpose: "the project's memory as one file, and back",
      },
      codebase: {
        imports: ["base", "process", "content"],
        packages: ["ignore"],
        isLazy: true,
        purpose: "search in the project's own files",
      },
      project: {
        imports: [
          "base",
          "work",
          "plan",
          "content",
          "scripts",
          "work/next",
          "authoring",
          "kit/files",
          "kit/memory",
          "kit/backup",
          "codebase",
        ],
        purpose: "opens each of these when it is first asked for",
      },
    },
  },
  app: {
    units: {
      app: {
        imports: ["base", "plan", "content", "project"],
        purpose: "the one interface that surfaces see",
      },
    },
  },
  projects: {
    units: {
      projects: {
        imports: ["base", "app"],
        purpose: "the projects of one place: opens each when it is used, and joins what they answer",
      },
    },
  },
  handlers: {
    units: {
      handlers: {
        imports: ["base", "operations", "app", "projects"],
        purpose: "what the operations on a project's work do, and who may have them done",
      },
    },
  },
  serve: {
    folder: "serve",
    isByUnit: true,
    units: {
      limits: { purpose: "what the room reads, keeps, waits for and answers at most, and why" },
      handshake: {
        imports: ["base", "process", "plan", "content"],
        faces: ["tool_needs.ts"],
        purpose: "server identity and the first messages with a client, before the rights are dropped",
      },
      board: {
        imports: ["base", "operations", "app", "handlers"],
        purpose: "the board for people: its drawing, style, script and actions, for the page and the MCP App",
      },
      mcp: {
        imports: ["base", "process", "operations", "app", "projects", "handlers", "handshake", "board"],
        packages: ["@modelcontextprotocol/server"],
        faces: ["step_calls.ts"],
        purpose: "the protocol: tools, prompts, resources, sessions",
      },
      listener: {
        imports: ["base", "process", "plan"],
        packages: [
          "node:async_hooks",
          "node:crypto",
          "node:events",
          "node:http",
          "node:https",
          "node:stream",
        ],
        purpose: "the HTTP socket, opened before the rights are dropped",
      },
      identity: {
        imports: ["base", "process"],
        packages: ["jose", "node:crypto"],
        purpose: "who sends a request: by their own token, by one of an issuer, or by the word of a proxy",
      },
      api: {
        imports: ["base", "operations", "app", "handlers", "mcp"],
        purpose: "the operations as plain JSON over HTTP, for programs that do not speak MCP",
      },
      pages: {
        packages: ["markdown-it"],
        imports: [
          "base",
          "process",
          "settings",
          "app",
          "projects",
          "handlers",
          "board",
          "mcp",
          "listener",
          "api",
        ],
        purpose: "pages for people: the project's board, documents and memory, and what is served",
      },
      http: {
        packages: ["node:buffer"],
        imports: [
          "base",
          "process",
          "settings",
          "app",
          "projects",
          "board",
          "mcp",
          "listener",
          "identity",
          "pages",
          "api",
        ],
        purpose: "HTTP: gate, metrics, sessions",
      },
    },
  },
  commands: {
    folder: "commands",
    isByUnit: true,
    units: {
      limits: { purpose: "what the room reads, keeps, waits for and answers at most, and why" },
      clients: {
        imports: ["base", "process", "operations", "locations", "settings", "content"],
        faces: ["entries.ts"],
        packages: ["jsonc-parser", "node:fs"],
        touches: ["Deno.lstat*", "Deno.mkdir*", "Deno.readFile*", "Deno.remove*", "Deno.rename*"],
        purpose: "the configuration files of MCP clients and of ours, edited as text",
      },
      sources: {
        imports: ["base", "process", "operations", "locations", "settings", "content", "project", "clients"],
        touches: ["Deno.lstat*", "Deno.mkdir*", "Deno.readFile*", "Deno.remove*"],
        purpose: "sources that people add, remove and update",
      },
      hooks: {
        imports: ["base", "process"],
        purpose: "what clients say at the start of a session, and how they are answered",
      },
      team: {
        imports: ["base", "process", "operations", "settings", "plan", "project", "clients"],
        purpose: "the files of git in which ledgers get their merge driver",
      },
      merge_driver: {
        imports: ["base", "process", "project"],
        touches: ["Deno.readFile*", "Deno.remove*", "Deno.rename*", "Deno.stat*", "Deno.writeFile*"],
        isLazy: true,
        purpose: "merges a ledger for git, with the right to its files alone",
      },
      doctor: {
        imports: ["base", "process", "settings", "app", "mcp", "clients"],
        purpose: "what is wrong with this setup, and the fix for each problem",
      },
      cli: {
        imports: [
          "base",
          "process",
          "operations",
          "locations",
          "settings",
          "app",
          "projects",
          "handlers",
          "handshake",
          "mcp",
          "http",
          "clients",
          "sources",
          "hooks",
          "team",
          "doctor",
        ],
        packages: ["@clack/prompts", "diff", "get-east-asian-width", "node:process"],
        purpose: "commands, tables, help, completion",
      },
    },
  },
  start: {
    units: {
      start: {
        imports: [
          "base",
          "process",
          "plan",
          "handshake",
          "listener",
          "clients",
          "sources",
          "hooks",
          "team",
          "cli",
        ],
        purpose: "settles the configuration, drops the rights, runs the command",
      },
      main: {
        imports: ["process", "merge_driver", "start", "handshake"],
        touches: ["Deno.exit"],
        purpose:
          "the entry: the version and merges at once, everything else through `start`, and what it reads next",
      },
    },
  },
};
