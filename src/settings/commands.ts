/**
 * The table of commands: usage, operands, options, help and examples of each.
 *
 * It lives here, and not with the code that runs the commands, because arguments are parsed before the rights are
 * dropped: a first word that names no command is a folder to serve. `--help` and docs/cli.md print this table.
 */
import { MEMORY_TYPES } from "../base/model.ts";
import { fail } from "../base/errors.ts";
import { suggestionOf } from "../base/suggestions.ts";
import { shorten } from "../base/text.ts";
import {
  actionsOf,
  CACHE_ACTIONS,
  CONFIG_ACTIONS,
  MEMORY_ACTIONS,
  TOKEN_ACTIONS,
} from "./command_actions.ts";
import { type Command, OF_ONE_ITEM, type Option, OPTIONS } from "./command_options.ts";
import { AUTHOR_COMMANDS } from "./author_commands.ts";
import { suggestMeant, wordMeant } from "./habits.ts";
import { SOURCE_COMMANDS } from "./source_commands.ts";
import { WORK_COMMANDS } from "./work_commands.ts";

export { type Command, type Meanings, type Option, OPTIONS } from "./command_options.ts";

/** Every command, by its name. */
export const COMMANDS = {
  serve: {
    usage: "serve [DIR…]",
    summary: "Serve MCP on stdin and stdout, or over HTTP with --http.",
    details: "This is the default command. With --test, it checks the setup and exits, as doctor does.",
    operands: [0, Infinity],
    options: ["test"],
    fetches: true,
    examples: ["bmad-mcp", "bmad-mcp serve --project ~/shop", "bmad-mcp ~/team-bmad"],
  },
  list: {
    usage: "list [KIND]",
    summary: "List agents, workflows, skills, modules and more.",
    details:
      "`list` alone names the kinds, `list next` suggests what to do next, and why, and `list usage` shows what " +
      "was used most, if it is remembered (--remember-usage). `ls` means the same.",
    operands: [0, 1],
    options: ["module", "origin", "category", "limit", "all", "json"],
    meanings: { all: "Everything, as without --limit." },
    completes: "lists",
    fetches: true,
    examples: [
      "bmad-mcp list agents",
      "bmad-mcp list workflows --category planning --origin package",
      "bmad-mcp list next",
    ],
  },
  ...SOURCE_COMMANDS,
  conflicts: {
    usage: "conflicts",
    summary: "List items and files that several sources have, and broken references.",
    details: "Shows which source wins, why, and what differs.",
    operands: [0, 0],
    options: ["origin", "limit", "json"],
    fetches: true,
    examples: ["bmad-mcp conflicts"],
  },
  show: {
    usage: "show NAME",
    summary: "Show an agent, workflow or other item.",
    details:
      "Shows its source, what it overrides, its menu and its files. A bmad:// URI, or a path as texts spell it, prints that file.",
    operands: [1, 1],
    options: ["module", "origin", "raw", "json"],
    meanings: OF_ONE_ITEM,
    completes: "items",
    fetches: true,
    examples: ["bmad-mcp show analyst", "bmad-mcp show bmm/bmad-prd --raw"],
  },
  diff: {
    usage: "diff NAME",
    summary: "Show what an override changes: an item against the one that it overrides.",
    details: "Shows added, removed and changed files as a unified diff, and what customizations change.",
    operands: [1, 1],
    options: ["module", "origin", "json"],
    meanings: {
      ...OF_ONE_ITEM,
      origin: "The source to compare with, if several have it; `sources` prints the ids.",
    },
    completes: "items",
    fetches: true,
    examples: ["bmad-mcp diff architect", "bmad-mcp diff architect --origin package"],
  },
  search: {
    usage: "search WORDS…",
    summary: "Search stories, documents, memories, agents and workflows.",
    details:
      "Takes plain language. The project's own come first. Of items, names, titles, descriptions, menus and help are searched. " +
      "With --kind, --module, --category or --origin, only items are.",
    operands: [1, Infinity],
    options: ["kind", "module", "category", "origin", "limit", "json"],
    fetches: true,
    examples: ["bmad-mcp search test architecture", "bmad-mcp search --kind agent who can review my code"],
  },
  execute: {
    usage: "execute NAME",
    summary: "Print an agent or a workflow as a model needs it.",
    operands: [1, 1],
    options: ["message", "item", "module", "origin", "raw", "json"],
    meanings: OF_ONE_ITEM,
    completes: "items",
    fetches: true,
    examples: [
      'bmad-mcp execute analyst -m "Size the market for dog walking"',
      "bmad-mcp execute pm --item PRD",
    ],
  },
  call: {
    usage: "call TOOL [JSON]",
    isExact: true,
    summary: "Call an MCP tool and print the text that a client would get.",
    details:
      "Tools of every tool set can be called. The arguments are a JSON object; - reads it from stdin. " +
      "--json prints the whole result.",
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
  ...WORK_COMMANDS,
  ...AUTHOR_COMMANDS,
  memory: {
    usage: "memory ACTION [WORDS…]",
    summary: "Manage what the project's agents remember.",
    details: "See docs/memory.md.",
    operands: [1, Infinity],
    options: ["type", "agent", "tags", "limit", "format", "from", "to", "force", "json"],
    meanings: {
      type: `The type of memories: ${MEMORY_TYPES.join(", ")}.`,
      agent: "The agent that the memories belong to.",
      tags: "For remember: tags, comma-separated.",
      limit: "For recall and list: at most N memories.",
      format: "For export: json (memories.json of the project-memory kit) or md (Markdown lists).",
      from: "For copy: the store to copy from, sqlite or qdrant.",
      to: "For copy: the store to copy to, sqlite or qdrant.",
      force: "For backup and restore: replace what is there and differs.",
    },
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
    summary: "Check your setup and suggest a fix for each problem.",
    details:
      "Checks settings, permissions, content, project, memory and clients, and talks to the server as a client " +
      "does. Works offline, except for memory servers you configure. Exit status 0 means healthy, 1 warnings, 2 errors.",
    operands: [0, 0],
    options: ["json"],
    examples: ["bmad-mcp doctor", "bmad-mcp doctor --json"],
  },
  cache: {
    usage: `cache ${CACHE_ACTIONS.join("|")} [NAME…]`,
    summary: "List, update or clear the cached copies of git repositories.",
    details: "NAME is an address as list prints it. Default: all.",
    operands: [1, Infinity],
    options: ["json"],
    completes: "actions",
    actions: CACHE_ACTIONS,
    examples: ["bmad-mcp cache list --json", "bmad-mcp cache update --json", "bmad-mcp cache clear --json"],
  },
  token: {
    usage: `token ${TOKEN_ACTIONS.join("|")} [NAME…]`,
    summary: "Give others a token of their own for a server over HTTP, with a role.",
    details: "What they do there carries their name. See docs/http.md.",
    operands: [1, Infinity],
    options: ["role", "projects", "expires", "json"],
    completes: "actions",
    actions: TOKEN_ACTIONS,
    examples: [
      "bmad-mcp token add ana --role worker --expires 90d",
      "bmad-mcp token list",
      "bmad-mcp token revoke ana",
    ],
  },
  record: {
    usage: "record",
    summary: "Show who changed what through your server over HTTP, the newest first.",
    details: "Owners see the same at /record. See docs/http.md.",
    operands: [0, 0],
    options: ["count", "json"],
    examples: ["bmad-mcp record --count 20"],
  },
  install: {
    usage: "install [CLIENT…]",
    summary: "Add this server to the configuration of clients.",
    details:
      "Changes your own files or, with --project DIR, the project's. Other settings on the command line go into " +
      "the entry. Without CLIENT, you choose from the clients found on this machine; with --print alone, the entry " +
      "suits any client.",
    operands: [0, Infinity],
    options: ["list", "all", "yes", "user", "hooks", "replace", "dryRun", "print", "name", "force", "json"],
    meanings: { force: "Change an entry of that name even if it runs another program." },
    completes: "clients",
    examples: [
      "bmad-mcp install claude-code cursor",
      "bmad-mcp install vscode --project ~/shop --dry-run",
      "bmad-mcp install codex --toolsets all",
      "bmad-mcp install claude-code --hooks",
      "bmad-mcp install --list",
      "bmad-mcp install --print",
    ],
  },
  uninstall: {
    usage: "uninstall [CLIENT…]",
    summary: "Remove this server from the configuration of clients.",
    details: "Everything else in their files stays as it is.",
    operands: [0, Infinity],
    options: ["all", "yes", "user", "dryRun", "name", "force", "json"],
    meanings: { force: "Remove an entry of that name even if it runs another program." },
    completes: "clients",
    examples: ["bmad-mcp uninstall cursor", "bmad-mcp uninstall vscode --project ~/shop"],
  },
  config: {
    usage: `config [${CONFIG_ACTIONS.join("|")}]`,
    summary: "Print every setting with its value and where it came from, or change your own settings file.",
    details: "A setting is named by its key or its flag.",
    operands: [0, Infinity],
    options: ["json"],
    completes: "actions",
    actions: CONFIG_ACTIONS,
    examples: [
      "bmad-mcp config",
      "bmad-mcp config get toolsets",
      "bmad-mcp config set rememberUsage true",
      "bmad-mcp config trust ~/shop",
    ],
  },
  completions: {
    usage: "completions SHELL",
    isStandalone: true,
    isExact: true,
    summary: "Print a completion script for bash, zsh, fish or powershell.",
    operands: [1, 1],
    options: [],
    completes: "shells",
    examples: ["bmad-mcp completions bash > ~/.bmad-mcp.bash", "bmad-mcp completions zsh > ~/_bmad-mcp"],
  },
  complete: {
    usage: "complete -- WORDS…",
    isExact: true,
    summary: "Print completions of the last word, for the completion scripts.",
    operands: [0, Infinity],
    options: [],
    hidden: true,
    examples: ["bmad-mcp complete -- list a"],
  },
  version: {
    usage: "version",
    isStandalone: true,
    summary: "Print the version; --json adds commit, runtime and platform.",
    operands: [0, 0],
    options: ["json"],
    examples: ["bmad-mcp version", "bmad-mcp version --json"],
  },
  upgrade: {
    usage: "upgrade",
    isStandalone: true,
    summary: "Print the command that installs the next version, for the way this one was installed.",
    operands: [0, 0],
    options: [],
    examples: ["bmad-mcp upgrade"],
  },
  licenses: {
    usage: "licenses",
    isStandalone: true,
    summary: "Print the licences of the program, its content and its dependencies.",
    operands: [0, 0],
    options: [],
    examples: ["bmad-mcp licenses"],
  },
  help: {
    usage: "help [COMMAND [ACTION]]",
    isStandalone: true,
    summary: "Show help for the program, a command or an action.",
    details: "`help all` has every command and setting.",
    operands: [0, 2],
    options: [],
    completes: "commands",
    examples: ["bmad-mcp help list", "bmad-mcp help memory recall", "bmad-mcp help all"],
  },
} as const satisfies Readonly<Record<string, Command>>;

/** The name of a command: `list`. */
export type CommandName = keyof typeof COMMANDS;
/** The key of an option: `json`, not `--json`. */
export type OptionName = keyof typeof OPTIONS;

/** A command as given on the command line. */
export interface Invocation {
  /** `serve` if the command line names no command. */
  readonly name: CommandName;
  /** The words after the command. None for `serve`: its folders go into the setting `paths`. */
  readonly operands: readonly string[];
  /** Only those given; an option without a value is `"true"`. */
  readonly options: Readonly<Partial<Record<OptionName, string>>>;
  /** Whether the line names no command, and its first word may be the name of an agent or workflow. */
  readonly isGuess?: true;
}

/** The commands that help lists. */
export const COMMAND_NAMES: readonly CommandName[] = (Object.keys(COMMANDS) as CommandName[])
  .filter((name) => !(COMMANDS[name] as Command).hidden);

/** The options of a command, or of one of its actions, in the words that it has for them. */
export function optionsOf(
  name: CommandName,
  action?: string,
): readonly (Option & { readonly key: OptionName })[] {
  const command: Command = COMMANDS[name];
  const actions = actionsOf(name);
  const row = action !== undefined && Object.hasOwn(actions, action) ? actions[action] : undefined;
  return (row?.options ?? command.options).map((key) => {
    const meaning = (row ?? command).meanings?.[key];
    return { key, ...OPTIONS[key], ...(typeof meaning === "string" ? { help: meaning } : meaning) };
  });
}

/** The commands that a word may have meant. */
export function suggestCommands(word: string): readonly string[] {
  return suggestMeant(word, COMMAND_NAMES);
}

/** The most characters that are repeated of what somebody typed. */
const MAX_WORD = 60;

/** Fails because a word names no command and, as the first of a line, no folder and no agent. */
export function failUnknownCommand(word: string, what = "command or folder"): never {
  const hint = suggestionOf(suggestCommands(word).slice(0, 1)) ??
    "Commands: bmad-mcp --help. Agents: bmad-mcp list agents";
  return fail({ code: "invalid-input", problem: `Unknown ${what} "${shorten(word, MAX_WORD)}"`, hint });
}

/** Whether a word names a command. */
export function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(COMMANDS, word);
}

/** The command that a word names, by its own name or out of habit; undefined if it names none. */
export function commandNamed(word: string | undefined): CommandName | undefined {
  if (word === undefined) return undefined;
  return [word, wordMeant(word)].find(isCommand);
}
