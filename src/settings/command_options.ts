/**
 * What a command is, and the table of the commands' own options; settings can be given with every command.
 */
import { KINDS, MEMORY_TYPES } from "../base/model.ts";
import { ROLES } from "../base/roles.ts";

/** One option of a command. */
export interface Option {
  /** The long form, with its dashes: `--module`. */
  readonly flag: string;
  /** One letter with its dash, for options that people type often: `-m`. */
  readonly short?: string;
  /** What help calls the value; undefined for an option without one. */
  readonly value?: string;
  /** Every possible value, for options with a closed set. */
  readonly values?: readonly string[];
  /** One sentence, as `--help` prints it. */
  readonly help: string;
}

/** The options of all commands. Where one means something of its own in a command, that command's row says so. */
export const OPTIONS = {
  json: { flag: "--json", help: "Print JSON." },
  message: { flag: "--message", short: "-m", value: "TEXT", help: "What you want from it." },
  module: { flag: "--module", value: "NAME", help: "Only this module." },
  origin: {
    flag: "--origin",
    value: "ID",
    help: "Only this source, including items that another source overrides; `sources` prints the ids.",
  },
  category: {
    flag: "--category",
    value: "NAME",
    values: ["analysis", "planning", "solutioning", "implementation", "other"],
    help: "Only this category: analysis, planning, solutioning, implementation or other.",
  },
  kind: {
    flag: "--kind",
    value: "KIND",
    // Configurations are listed, but never searched.
    values: KINDS.filter((kind) => kind !== "config"),
    help: "Only this kind, such as agent or workflow.",
  },
  limit: { flag: "--limit", value: "N", help: "At most N results." },
  item: { flag: "--item", value: "CODE", help: "Start with this item of the agent's menu." },
  type: {
    flag: "--type",
    value: "TYPE",
    values: MEMORY_TYPES,
    help: `Only memories of this type: ${MEMORY_TYPES.join(", ")}.`,
  },
  agent: { flag: "--agent", value: "ID", help: "Only memories of this agent." },
  tags: { flag: "--tags", value: "A,B", help: "Tags for the memory, comma-separated." },
  format: {
    flag: "--format",
    value: "FORMAT",
    values: ["json", "md"],
    help: "Export format: json (memories.json of the project-memory kit) or md (Markdown lists).",
  },
  from: {
    flag: "--from",
    value: "STORE",
    values: ["sqlite", "qdrant"],
    help: "The store to copy from: sqlite or qdrant.",
  },
  to: {
    flag: "--to",
    value: "STORE",
    values: ["sqlite", "qdrant"],
    help: "The store to copy to: sqlite or qdrant.",
  },
  out: {
    flag: "--out",
    value: "PATH",
    help: "The file or folder to write. Default: the name, in the working folder.",
  },
  test: { flag: "--test", help: "Check the setup as doctor does, and exit." },
  raw: { flag: "--raw", help: "Only the original text, with nothing resolved or added." },
  all: { flag: "--all", help: "Every client found on this machine." },
  yes: {
    flag: "--yes",
    short: "-y",
    help:
      "Ask nothing. Every command takes it, and only this one asks: without CLIENT, it names those found.",
  },
  user: { flag: "--user", help: "Use your own files, for all projects, even if --project names one." },
  dryRun: { flag: "--dry-run", help: "Show what would change, and change nothing." },
  list: { flag: "--list", help: "List the clients with their files and entries, and change nothing." },
  replace: {
    flag: "--replace",
    help: "Remove other BMAD servers from the same files. uninstall brings them back.",
  },
  hooks: {
    flag: "--hooks",
    help:
      "Also have clients that can run `prime` when a session begins and a turn ends. uninstall removes that, too.",
  },
  hook: { flag: "--hook", help: "Read a client's event from stdin, and answer it as the client expects." },
  print: { flag: "--print", help: "Print the entry to paste by hand, and change nothing." },
  name: { flag: "--name", value: "NAME", help: "The name of the entry. Default: bmad." },
  force: { flag: "--force", help: "Do it anyway." },
  diff: {
    flag: "--diff",
    help: "Show what changes in every instruction, line by line, before it is served.",
  },
  rollback: { flag: "--rollback", help: "Go back to what was served before the last update." },
  budget: { flag: "--budget", value: "N", help: "At most about N tokens. Default: 8000." },
  stale: { flag: "--stale", help: "Also compare with earlier commits, and list what has changed since." },
  mermaid: { flag: "--mermaid", help: "Print a drawing in the language of Mermaid." },
  lens: { flag: "--lens", value: "NAMES", help: "Begin a pass with these lenses, comma-separated." },
  severity: {
    flag: "--severity",
    value: "WORD",
    values: ["high", "medium", "low"],
    help: "How much it hurts: high, medium or low.",
  },
  file: { flag: "--file", value: "FILE:LINE", help: "Where it is." },
  verdict: {
    flag: "--verdict",
    value: "WORD",
    values: ["accepted", "rejected", "deferred", "fixed"],
    help: "What becomes of it: accepted, rejected, deferred or fixed.",
  },
  reason: { flag: "--reason", value: "TEXT", help: "Why." },
  before: {
    flag: "--before",
    value: "TEXT",
    help: "How it ended before the change: passed, failed, exit 1.",
  },
  after: { flag: "--after", value: "TEXT", help: "How it ended after the change." },
  epic: { flag: "--epic", value: "N", help: "Only this epic, as with epic-N." },
  watch: { flag: "--watch", help: "Stay, and show every change until Ctrl-C; in a pipe, one line for each." },
  count: { flag: "--count", value: "N", help: "So many at most." },
  choices: {
    flag: "--choices",
    value: "A,B",
    help: "The answers to choose from, comma-separated; divide them with | if one has a comma.",
  },
  role: {
    flag: "--role",
    value: "ROLE",
    values: ROLES,
    help:
      "What they may do: reader, worker (marks, claims, remembers) or owner (also forces). Default: worker.",
  },
  projects: {
    flag: "--projects",
    value: "NAMES",
    help: "The projects of the server that they may use, comma-separated. Default: all.",
  },
  expires: {
    flag: "--expires",
    value: "TIME",
    help: "When it ends: 12h, 90d, 8w, or the last day, such as 2027-01-31. Default: never.",
  },
  by: { flag: "--by", value: "NAME", help: "Who does it: a person or an agent." },
} as const satisfies Readonly<Record<string, Option>>;

/** Options as one command, or one action, means them. */
export type Meanings = Readonly<
  Partial<Record<keyof typeof OPTIONS, string | Pick<Option, "value" | "values" | "help">>>
>;

/** What options mean for a command that takes the name of one item. */
export const OF_ONE_ITEM: Meanings = {
  module: "The module of NAME, where several have one of that name.",
  origin: "The source to take NAME from, even if another overrides it; `sources` prints the ids.",
};

/** One command. */
export interface Command {
  /** What to type after the program's name: `list KIND`. */
  readonly usage: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  /** The rest of its help: sentences that only `help COMMAND` and docs/cli.md print. */
  readonly details?: string;
  readonly operands: readonly [min: number, max: number];
  readonly options: readonly (keyof typeof OPTIONS)[];
  /** What options of several commands mean in this one, where their own row would not say it. */
  readonly meanings?: Meanings;
  /** What its operands name, for completion in shells. */
  readonly completes?: "lists" | "items" | "tools" | "commands" | "shells" | "clients" | "actions";
  /** The possible first operands, for a command with actions. */
  readonly actions?: readonly string[];
  /** Whether everything after its first operand is an operand, flags included. */
  readonly takesRest?: true;
  /** Whether it writes the project's ledgers and documents. */
  readonly works?: true;
  /** Whether it compares the work with its commits, and runs the project's own script where the user allows it. */
  readonly checks?: true;
  /** Whether what it writes is also remembered, where the project's memory is on. */
  readonly remembers?: true;
  /** Whether it runs the project's own commands where the user allows it. */
  readonly runs?: true;
  /** Whether it compares native scripts with the installed ones, which the user's Python runs. */
  readonly verifies?: true;
  /** Whether it compares with the project's commits. */
  readonly readsCommits?: true;
  /** Whether it shows who holds a story, also in other clones where the user allows that. */
  readonly readsClaims?: true;
  /** Whether stale copies of git repositories are fetched first. */
  readonly fetches?: true;
  /** Whether it needs no settings and no folder, and so works even if they are broken. */
  readonly isStandalone?: true;
  /** Whether it prints what other programs read, so that its lines are never wrapped. */
  readonly isExact?: true;
  /** Whether help leaves it out. */
  readonly hidden?: true;
  /** Whole command lines; the first is also in the program's own help. */
  readonly examples: readonly string[];
}
