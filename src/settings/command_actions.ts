/**
 * The actions of commands that have several: usage and help of each.
 */

/** One action of a command. */
export interface Action {
  /** What to type after the command: `recall QUERY`. */
  readonly usage: string;
  /** What it does, in one sentence. */
  readonly summary: string;
}

/** Every action, by its command. */
export const ACTIONS = {
  memory: {
    remember: { usage: "remember TEXT", summary: "Store a memory." },
    recall: { usage: "recall QUERY", summary: "Find memories by words and meaning." },
    list: { usage: "list", summary: "List memories, newest first." },
    forget: { usage: "forget ID…", summary: "Delete memories; list prints their ids." },
    import: { usage: "import [FILE]", summary: "Add the memories of an export; without FILE, from stdin." },
    export: { usage: "export", summary: "Print memories as JSON or Markdown." },
    copy: { usage: "copy --from STORE --to STORE", summary: "Copy memories from one store to another." },
    status: { usage: "status", summary: "Show where memories are kept and how many there are." },
  },
  cache: {
    list: { usage: "list [NAME…]", summary: "List the copies, with their commit, age and size." },
    update: {
      usage: "update [NAME…]",
      summary: "Fetch the repositories that you configured, or those at the addresses NAME.",
    },
    clear: { usage: "clear [NAME…]", summary: "Delete copies." },
  },
  config: {
    get: { usage: "get SETTING", summary: "Print the value of one setting." },
    set: {
      usage: "set SETTING VALUE…",
      summary: "Write a setting into your own settings file; its other lines and comments stay.",
    },
    unset: { usage: "unset SETTING", summary: "Remove a setting from that file." },
    trust: {
      usage: "trust DIR",
      summary: "Let the settings file of the project in DIR widen your settings.",
    },
    untrust: { usage: "untrust DIR", summary: "Take that back." },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Action>>>>;

/** The actions of a command, by name; none for a command without any. */
export function actionsOf(command: string): Readonly<Record<string, Action>> {
  return Object.hasOwn(ACTIONS, command) ? ACTIONS[command as keyof typeof ACTIONS] : {};
}

/** The actions of `memory`. */
export const MEMORY_ACTIONS = Object.keys(ACTIONS.memory) as readonly (keyof typeof ACTIONS.memory)[];
/** The actions of `config`. */
export const CONFIG_ACTIONS = Object.keys(ACTIONS.config) as readonly (keyof typeof ACTIONS.config)[];
/** The actions of `cache`. */
export const CACHE_ACTIONS = Object.keys(ACTIONS.cache) as readonly (keyof typeof ACTIONS.cache)[];
