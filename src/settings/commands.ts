/**
 * The table of commands: what each takes and what it is for.
 *
 * It lives here, and not with the code that runs the commands, because arguments must be understood before the
 * rights are dropped: a word that is no command is a folder to serve. `--help` and docs/cli.md print this table.
 */
import type { Kind } from "../base/model.ts";
import { suggest } from "../base/suggestions.ts";
import { MEMORY_TYPES } from "../base/memory_types.ts";

/** One option of a command; settings are no options. */
export interface Option {
  /** The long form, with its dashes: `--module`. */
  readonly flag: string;
  /** One letter with its dash: `-m`. Only options that people type often have one. */
  readonly short?: string;
  /** What the option's value is called; undefined for an option without a value. */
  readonly value?: string;
  /** All values that fit, where they are few. */
  readonly values?: readonly string[];
  /** One sentence, as `--help` prints it. */
  readonly help: string;
}

/** One command. */
export interface Command {
  /** What to write behind the program's name: `list KIND`. */
  readonly usage: string;
  /** What it is for, in a sentence or two, as `--help` prints it. */
  readonly summary: string;
  /** How many operands it takes. */
  readonly operands: readonly [min: number, max: number];
  /** The options it takes, by their keys in `OPTIONS`. */
  readonly options: readonly (keyof typeof OPTIONS)[];
  /** What its operands name, where a shell can complete them. */
  readonly completes?: "lists" | "things" | "tools" | "commands" | "shells" | "clients" | "actions";
  /** What its first operand can be, where that says what to do. */
  readonly actions?: readonly string[];
  /** Whether copies of repositories that are due are fetched for it. */
  readonly fetches?: true;
  /** Whether it works where nothing else does: it reads no settings and looks at no folder. */
  readonly isStandalone?: true;
  /** Whether help does not list it. */
  readonly hidden?: true;
  /** Whole command lines; the first also stands in the program's own help. */
  readonly examples: readonly string[];
}

/** Every option that some command takes. An option means the same in all of them. */
export const OPTIONS = {
  json: { flag: "--json", help: "Print JSON." },
  message: { flag: "--message", short: "-m", value: "TEXT", help: "What the user wants of it." },
  module: { flag: "--module", value: "NAME", help: "Only this module." },
  origin: {
    flag: "--origin",
    value: "ID",
    help: "Only what this origin holds, also what a better one shadows; `sources` prints the ids.",
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
    values: [
      "agent",
      "workflow",
      "task",
      "tool",
      "skill",
      "team",
      "template",
      "checklist",
      "knowledge",
    ] satisfies readonly Kind[],
    help: "Only things of this kind, such as agent or workflow.",
  },
  limit: { flag: "--limit", value: "N", help: "At most N results." },
  item: { flag: "--item", value: "CODE", help: "Begin with this item of the agent's menu." },
  type: {
    flag: "--type",
    value: "TYPE",
    values: MEMORY_TYPES,
    help: `Only memories of this type: ${MEMORY_TYPES.join(", ")}.`,
  },
  agent: { flag: "--agent", value: "ID", help: "Only memories of this agent." },
  tags: { flag: "--tags", value: "A,B", help: "Words to file a memory under, with commas between." },
  format: {
    flag: "--format",
    value: "FORM",
    values: ["json", "md"],
    help: "How to export: json (the memories.json of the project-memory kit) or md (its lists in Markdown).",
  },
  from: {
    flag: "--from",
    value: "PLACE",
    values: ["sqlite", "qdrant"],
    help: "Where to copy from: sqlite or qdrant.",
  },
  to: { flag: "--to", value: "PLACE", values: ["sqlite", "qdrant"], help: "Where to copy to." },
  raw: { flag: "--raw", help: "Only the file's own text, nothing resolved or added." },
  all: { flag: "--all", help: "Every client that is found on this machine." },
  user: { flag: "--user", help: "Your own files, for every project, also when --project names one." },
  dryRun: { flag: "--dry-run", help: "Change nothing; print what would change." },
  print: { flag: "--print", help: "Change nothing; print the entry, to be pasted by hand." },
  name: { flag: "--name", value: "NAME", help: "What the entry is called. Without it: bmad." },
  force: { flag: "--force", help: "Also change an entry of that name that runs something else." },
} as const satisfies Readonly<Record<string, Option>>;

/** What `memory` can do. */
export const MEMORY_ACTIONS = [
  "remember",
  "recall",
  "list",
  "forget",
  "import",
  "export",
  "copy",
  "status",
] as const;

/** What `cache` can do. */
export const CACHE_ACTIONS = ["list", "update", "clear"] as const;

/** Every command, by the word that starts it. */
export const COMMANDS = {
  serve: {
    usage: "serve [DIR…]",
    summary:
      "Serve MCP on stdin and stdout, or with --http to many clients at once. This is what happens without a command.",
    operands: [0, Infinity],
    options: [],
    fetches: true,
    examples: ["bmad-mcp", "bmad-mcp serve --project ~/shop", "bmad-mcp ~/team-bmad"],
  },
  list: {
    usage: "list KIND",
    summary:
      "List agents, workflows, tasks, skills, modules, sources and more; next says what to do now, and why.",
    operands: [1, 1],
    options: ["module", "origin", "category", "limit", "json"],
    completes: "lists",
    fetches: true,
    examples: [
      "bmad-mcp list agents",
      "bmad-mcp list workflows --category planning --origin package",
      "bmad-mcp list next",
    ],
  },
  sources: {
    usage: "sources",
    summary: "List the origins of content, the best first: where each is, what was found in it and how much.",
    operands: [0, 0],
    options: ["json"],
    fetches: true,
    examples: ["bmad-mcp sources"],
  },
  conflicts: {
    usage: "conflicts",
    summary:
      "List what several origins hold: which of them wins and why, what differs, and what leads nowhere.",
    operands: [0, 0],
    options: ["origin", "limit", "json"],
    fetches: true,
    examples: ["bmad-mcp conflicts"],
  },
  show: {
    usage: "show NAME",
    summary: "Say what a thing is, where it comes from, what it shadows, and which menu and files it has; " +
      "or print a file, by its bmad:// URI.",
    operands: [1, 1],
    options: ["module", "origin", "raw", "json"],
    completes: "things",
    fetches: true,
    examples: ["bmad-mcp show analyst", "bmad-mcp show bmm/bmad-prd --raw"],
  },
  search: {
    usage: "search WORDS…",
    summary: "Find things by what people say: words in names, titles, descriptions, menus and help.",
    operands: [1, Infinity],
    options: ["kind", "module", "category", "origin", "limit", "json"],
    fetches: true,
    examples: ["bmad-mcp search test architecture", "bmad-mcp search --kind agent who can review my code"],
  },
  execute: {
    usage: "execute NAME",
    summary: "Print all that a model needs to act as an agent or to follow a workflow.",
    operands: [1, 1],
    options: ["message", "item", "module", "origin", "raw", "json"],
    completes: "things",
    fetches: true,
    examples: [
      'bmad-mcp execute analyst -m "Size the market for dog walking"',
      "bmad-mcp execute pm --item PRD",
    ],
  },
  call: {
    usage: "call TOOL [JSON]",
    summary:
      "Call an MCP tool of any tool set with arguments as a JSON object (- reads it from stdin), and print the text " +
      "that a client would get, or with --json the whole result.",
    operands: [1, 2],
    options: ["json"],
    completes: "tools",
    fetches: true,
    examples: [
      `bmad-mcp call bmad '{"operation":"list","query":"agents"}'`,
      `bmad-mcp call execute_workflow --json '{"workflow_name":"prd"}'`,
      `echo '{"domain":"testarch"}' | bmad-mcp call get_knowledge -`,
    ],
  },
  memory: {
    usage: "memory ACTION [WORDS…]",
    summary:
      "What the project's agents know: remember TEXT, recall QUERY, list, forget ID…, import [FILE], export, " +
      "copy between places, or status. docs/memory.md tells more.",
    operands: [1, Infinity],
    options: ["type", "agent", "tags", "limit", "format", "from", "to", "json"],
    completes: "actions",
    actions: MEMORY_ACTIONS,
    examples: [
      'bmad-mcp memory remember --type decisions --agent architect --tags auth "Access tokens live for 15 minutes"',
      'bmad-mcp memory recall "how long do tokens live"',
      "bmad-mcp memory status --json",
    ],
  },
  doctor: {
    usage: "doctor",
    summary:
      "Look at everything that can keep the program from its work (settings, rights, content, project, memory, clients), talk to " +
      "the server as clients do, and say what is wrong, each with what mends it. Offline, but for servers of memory that you " +
      "named. Ends with 0 when nothing is wrong, 1 when something is worth a look, 2 when something is broken.",
    operands: [0, 0],
    options: ["json"],
    examples: ["bmad-mcp doctor", "bmad-mcp doctor --json"],
  },
  cache: {
    usage: `cache ${CACHE_ACTIONS.join("|")} [NAME…]`,
    summary:
      "List the copies of git repositories with their sizes and ages, fetch those that are configured, or remove copies. " +
      "A name is an address as the list has it.",
    operands: [1, Infinity],
    options: ["json"],
    completes: "actions",
    actions: CACHE_ACTIONS,
    examples: ["bmad-mcp cache list --json", "bmad-mcp cache update --json", "bmad-mcp cache clear --json"],
  },
  install: {
    usage: "install [CLIENT…]",
    summary:
      "Write this server into the configuration of clients: into your own, or with --project DIR into the project's. " +
      "Other settings on the line go into the entry. Without a client: choose from those that are found here.",
    operands: [0, Infinity],
    options: ["all", "user", "dryRun", "print", "name", "force", "json"],
    completes: "clients",
    examples: [
      "bmad-mcp install claude-code cursor",
      "bmad-mcp install vscode --project ~/shop --dry-run",
      "bmad-mcp install codex --toolsets all",
      "bmad-mcp install jetbrains --print",
    ],
  },
  uninstall: {
    usage: "uninstall [CLIENT…]",
    summary:
      "Take this server out of the configuration of clients again. What else is in the files stays as it is.",
    operands: [0, Infinity],
    options: ["all", "user", "dryRun", "name", "force", "json"],
    completes: "clients",
    examples: ["bmad-mcp uninstall cursor", "bmad-mcp uninstall vscode --project ~/shop"],
  },
  config: {
    usage: "config",
    summary: "Print every setting, its value and where it came from.",
    operands: [0, 0],
    options: ["json"],
    examples: ["bmad-mcp config"],
  },
  completions: {
    usage: "completions SHELL",
    isStandalone: true,
    summary: "Print a script that has bash, zsh, fish or powershell complete commands, flags and names.",
    operands: [1, 1],
    options: [],
    completes: "shells",
    examples: ["bmad-mcp completions bash > ~/.bmad-mcp.bash", "bmad-mcp completions zsh > ~/_bmad-mcp"],
  },
  complete: {
    usage: "complete -- WORDS…",
    summary: "Print what the last word can become. The scripts of completions call it.",
    operands: [0, Infinity],
    options: [],
    hidden: true,
    examples: ["bmad-mcp complete -- list a"],
  },
  version: {
    usage: "version",
    isStandalone: true,
    summary: "Print the version; with --json also the commit, the runtime and the platform.",
    operands: [0, 0],
    options: ["json"],
    examples: ["bmad-mcp version", "bmad-mcp version --json"],
  },
  licenses: {
    usage: "licenses",
    isStandalone: true,
    summary: "Print the licences of the program, of its content and of the packages it is made of.",
    operands: [0, 0],
    options: [],
    examples: ["bmad-mcp licenses"],
  },
  help: {
    usage: "help [COMMAND]",
    isStandalone: true,
    summary: "Explain the program or one command.",
    operands: [0, 1],
    options: [],
    completes: "commands",
    examples: ["bmad-mcp help list"],
  },
} as const satisfies Readonly<Record<string, Command>>;

/** The word that starts a command: `list`. */
export type CommandName = keyof typeof COMMANDS;
/** The key of an option: `json`, not `--json`. */
export type OptionName = keyof typeof OPTIONS;

/** A command as it was asked for. */
export interface Invocation {
  /** `serve` when the command line names no command. */
  readonly name: CommandName;
  /** The words behind the command. None for `serve`: its folders went into the setting `paths`. */
  readonly operands: readonly string[];
  /** Only those that were given; an option without a value is the text `true`. */
  readonly options: Readonly<Partial<Record<OptionName, string>>>;
}

/** The commands that people are told of. */
export const COMMAND_NAMES: readonly CommandName[] = (Object.keys(COMMANDS) as CommandName[])
  .filter((name) => !(COMMANDS[name] as Command).hidden);

/** The commands that look like a word, the suggest first. */
export function suggestCommands(word: string): readonly string[] {
  return suggest(word.toLowerCase(), COMMAND_NAMES);
}

/** Whether a word names a command. */
export function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(COMMANDS, word);
}
