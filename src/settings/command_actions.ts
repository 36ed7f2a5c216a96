/**
 * The actions of commands that have several: usage, help and options of each.
 */
import { failUnknown } from "../base/errors.ts";
import { MEMORY_TYPES } from "../base/model.ts";
import { suggest } from "../base/suggestions.ts";
import type { Meanings, OPTIONS } from "./command_options.ts";

/** One action of a command. */
export interface Action {
  /** What to type after the command: `recall QUERY`. */
  readonly usage: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  /** Which of the command's options it takes; all if it does not say. */
  readonly options?: readonly (keyof typeof OPTIONS)[];
  /** What they mean for it, where their own row would not say it. */
  readonly meanings?: Meanings;
  /** What other programs call it, for suggestions. */
  readonly otherWords?: readonly string[];
}

/** Every action, by its command. */
export const ACTIONS = {
  memory: {
    remember: {
      usage: "remember TEXT",
      summary: "Store a memory.",
      options: ["type", "agent", "tags", "json"],
      meanings: {
        type: `The type of the memory: ${MEMORY_TYPES.join(", ")}. Default: agent-learnings.`,
        agent: "The agent that it belongs to. Default: user.",
      },
      otherWords: ["add", "store", "save", "write", "note", "learn"],
    },
    recall: {
      usage: "recall QUERY",
      summary: "Find memories by words and meaning.",
      options: ["type", "agent", "limit", "json"],
      otherWords: ["search", "find", "query", "ask", "get"],
    },
    list: {
      usage: "list",
      summary: "List memories, newest first.",
      options: ["type", "agent", "limit", "json"],
      otherWords: ["ls", "show", "all"],
    },
    forget: {
      usage: "forget ID…",
      summary: "Delete memories; list prints their ids.",
      options: ["type", "agent", "json"],
      otherWords: ["delete", "remove", "clear", "rm"],
    },
    import: {
      usage: "import [FILE]",
      summary: "Add the memories of an export; without FILE, from stdin.",
      options: ["type", "agent", "json"],
      otherWords: ["load"],
    },
    export: {
      usage: "export",
      summary: "Print memories as JSON or Markdown.",
      options: ["type", "agent", "format", "json"],
      otherWords: ["print"],
    },
    backup: {
      usage: "backup FILE",
      summary: "Write all memories and the files of the memory folder to FILE; - for stdout.",
      options: ["force", "json"],
      meanings: { force: "Replace FILE if it exists." },
      otherWords: ["dump", "archive", "snapshot"],
    },
    restore: {
      usage: "restore FILE",
      summary: "Put back what a backup holds and is missing; - for stdin. What came later stays.",
      options: ["force", "json"],
      meanings: { force: "Also replace what differs from the backup." },
      otherWords: ["recover", "undump"],
    },
    copy: {
      usage: "copy --from STORE --to STORE",
      summary: "Copy memories from one store to another.",
      options: ["from", "to", "json"],
      otherWords: ["move", "migrate", "sync"],
    },
    status: {
      usage: "status",
      summary: "Show where memories are kept and how many there are.",
      options: ["json"],
      otherWords: ["info", "stats", "count"],
    },
  },
  cache: {
    list: {
      usage: "list [NAME…]",
      summary: "List the copies, with their commit, age and size.",
      otherWords: ["ls", "show", "status"],
    },
    update: {
      usage: "update [NAME…]",
      summary: "Fetch the repositories that you configured, or those at the addresses NAME.",
      otherWords: ["fetch", "pull", "refresh", "add"],
    },
    clear: {
      usage: "clear [NAME…]",
      summary: "Delete copies.",
      otherWords: ["delete", "remove", "clean", "purge", "prune", "rm"],
    },
  },
  team: {
    init: {
      usage: "init",
      summary: "Write the lines, in .gitattributes and in this clone's git configuration.",
      otherWords: ["setup", "add", "install", "on"],
    },
    status: {
      usage: "status",
      summary: "Say what is set up, and what is missing or differs.",
      options: ["json"],
      otherWords: ["show", "check", "list"],
    },
    remove: {
      usage: "remove",
      summary: "Take the lines out again.",
      otherWords: ["undo", "uninstall", "delete", "off"],
    },
  },
  token: {
    add: {
      usage: "add NAME",
      summary: "Add a token for somebody, and print it: this once, because only its hash is kept.",
      options: ["role", "projects", "expires", "json"],
      otherWords: ["new", "create", "issue", "generate"],
    },
    list: {
      usage: "list",
      summary: "List who has a token, with roles and ends.",
      options: ["json"],
      otherWords: ["ls", "show", "status"],
    },
    revoke: {
      usage: "revoke NAME|ID…",
      summary: "Take away every token of NAME, or the one with this id; servers notice within a second.",
      options: ["json"],
      otherWords: ["remove", "delete", "rm", "disable"],
    },
  },
  config: {
    get: { usage: "get SETTING", summary: "Print the value of one setting.", otherWords: ["show", "read"] },
    set: {
      usage: "set SETTING VALUE…",
      summary: "Write a setting into your own settings file; its other lines and comments stay.",
      otherWords: ["add", "write", "edit", "change"],
    },
    unset: {
      usage: "unset SETTING",
      summary: "Remove a setting from that file.",
      otherWords: ["delete", "remove", "reset", "clear", "rm"],
    },
    trust: {
      usage: "trust DIR",
      summary: "Let the settings file of the project in DIR widen your settings.",
      otherWords: ["allow"],
    },
    untrust: { usage: "untrust DIR", summary: "Take that back.", otherWords: ["distrust", "deny"] },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Action>>>>;

/** The actions of a command, by name; none for a command without any. */
export function actionsOf(command: string): Readonly<Record<string, Action>> {
  return Object.hasOwn(ACTIONS, command) ? ACTIONS[command as keyof typeof ACTIONS] : {};
}

/** Fails because a word names no action, with those that it may have meant. */
export function failUnknownAction(command: string, word: string): never {
  const actions = Object.entries(actionsOf(command));
  const candidates = actions.map(([label, { otherWords = [] }]) => ({
    label,
    spellings: [label, ...otherWords],
  }));
  const known = actions.map(([name]) => name);
  return failUnknown(`${command} action`, word, known, suggest(word.toLowerCase(), candidates));
}

/** The actions of `memory`. */
export const MEMORY_ACTIONS = Object.keys(ACTIONS.memory) as readonly (keyof typeof ACTIONS.memory)[];
/** The actions of `config`. */
export const CONFIG_ACTIONS = Object.keys(ACTIONS.config) as readonly (keyof typeof ACTIONS.config)[];
/** The actions of `cache`. */
export const CACHE_ACTIONS = Object.keys(ACTIONS.cache) as readonly (keyof typeof ACTIONS.cache)[];
/** The actions of `token`. */
export const TOKEN_ACTIONS = Object.keys(ACTIONS.token) as readonly (keyof typeof ACTIONS.token)[];
/** The actions of `team`. */
export const TEAM_ACTIONS = Object.keys(ACTIONS.team) as readonly (keyof typeof ACTIONS.team)[];
