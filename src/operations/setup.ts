/**
 * The program itself: memory, clients, settings, tokens, and what it says about itself.
 */
import { MEMORY_TYPES } from "../base/model.ts";
import { ROLES } from "../base/roles.ts";
import { flag, list, number, operation, text } from "./operation.ts";
import { dryRun, force, limit, words } from "./params.ts";
import * as results from "./results/setup.ts";

const STORES = ["sqlite", "qdrant"];

/** Which memories an action works on. */
const SELECTING = {
  type: `Only memories of this type: ${MEMORY_TYPES.join(", ")}.`,
  agent: "Only memories of this agent.",
};

export const memory = operation({
  group: "Work",
  purpose: "Manage what the project's agents remember.",
  details: "See docs/memory.md.",
  params: {
    words: words("WORDS", "What the action works on."),
    type: text(`The type of memories: ${MEMORY_TYPES.join(", ")}.`, { value: "TYPE", choices: MEMORY_TYPES }),
    agent: text("The agent that the memories belong to.", { value: "ID" }),
    tags: text("For remember: tags, comma-separated.", { value: "A,B" }),
    limit: limit("For recall and list: at most N memories."),
    format: text("For export: json (memories.json of the project-memory kit) or md (Markdown lists).", {
      value: "FORMAT",
      choices: ["json", "md"],
    }),
    from: text("For copy: the store to copy from, sqlite or qdrant.", { value: "STORE", choices: STORES }),
    to: text("For copy: the store to copy to, sqlite or qdrant.", { value: "STORE", choices: STORES }),
    force: force("For backup and restore: replace what is there and differs."),
  },
  usage: "memory ACTION [WORDS…]",
  completes: "actions",
  actions: {
    remember: {
      usage: "remember TEXT…",
      purpose: "Store a memory.",
      params: {
        type: `The type of the memory: ${MEMORY_TYPES.join(", ")}. Default: agent-learnings.`,
        agent: "The agent that it belongs to. Default: user.",
        tags: "Tags for the memory, comma-separated.",
      },
      otherWords: ["add", "store", "save", "write", "note", "learn"],
    },
    recall: {
      usage: "recall QUERY…",
      purpose: "Find memories by words and meaning.",
      params: { ...SELECTING, limit: "At most N results." },
      otherWords: ["search", "find", "query", "ask", "get"],
    },
    list: {
      usage: "list",
      purpose: "List memories, newest first.",
      params: { ...SELECTING, limit: "At most N results." },
      otherWords: ["ls", "show", "all"],
    },
    forget: {
      usage: "forget ID…",
      purpose: "Delete memories; list prints their ids.",
      params: SELECTING,
      otherWords: ["delete", "remove", "clear", "rm"],
    },
    import: {
      usage: "import [FILE]",
      purpose: "Add the memories of an export; without FILE, from stdin.",
      params: SELECTING,
      otherWords: ["load"],
    },
    export: {
      usage: "export",
      purpose: "Print memories as JSON or Markdown.",
      params: {
        ...SELECTING,
        format: "Export format: json (memories.json of the project-memory kit) or md (Markdown lists).",
      },
      otherWords: ["print"],
    },
    backup: {
      usage: "backup FILE",
      purpose: "Write all memories and the files of the memory folder to FILE; - for stdout.",
      params: { force: "Replace FILE if it exists." },
      otherWords: ["dump", "archive", "snapshot"],
    },
    restore: {
      usage: "restore FILE",
      purpose: "Put back what a backup holds and is missing; - for stdin. What came later stays.",
      params: { force: "Also replace what differs from the backup." },
      otherWords: ["recover", "undump"],
    },
    copy: {
      usage: "copy --from STORE --to STORE",
      purpose: "Copy memories from one store to another.",
      params: {
        from: "The store to copy from: sqlite or qdrant.",
        to: "The store to copy to: sqlite or qdrant.",
      },
      otherWords: ["move", "migrate", "sync"],
    },
    status: {
      usage: "status",
      purpose: "Show where memories are kept and how many there are.",
      params: {},
      otherWords: ["info", "stats", "count"],
    },
  },
  result: results.memory,
  examples: [
    'bmad-mcp memory remember --type decisions --agent architect --tags auth "Access tokens live for 15 minutes"',
    'bmad-mcp memory recall "how long do tokens live"',
    "bmad-mcp memory status --json",
  ],
});

export const doctor = operation({
  group: "Setup",
  daily: 10,
  purpose: "Check your setup and suggest a fix for each problem.",
  details:
    "Checks settings, permissions, content, project, memory and clients, and talks to the server as a client " +
    "does. Works offline, except for memory servers you configure. Exit status 0 means healthy, 1 warnings, 2 errors.",
  params: {},
  result: results.doctor,
  examples: ["bmad-mcp doctor", "bmad-mcp doctor --json"],
});

export const token = operation({
  group: "Work",
  purpose: "Give others a token of their own for a server over HTTP, with a role.",
  details: "What they do there carries their name. See docs/http.md.",
  params: {
    names: words("NAME", "Whose token."),
    role: text(
      "What they may do: reader, worker (marks, claims, remembers) or owner (also forces). Default: worker.",
      { value: "ROLE", choices: ROLES },
    ),
    projects: text("The projects of the server that they may use, comma-separated. Default: all.", {
      value: "NAMES",
    }),
    expires: text("When it ends: 12h, 90d, 8w, or the last day, such as 2027-01-31. Default: never.", {
      value: "TIME",
    }),
  },
  completes: "actions",
  actions: {
    add: {
      usage: "add NAME",
      purpose: "Add a token for someone, and print it: this once, because only its hash is kept.",
      params: { role: true, projects: true, expires: true },
      otherWords: ["new", "create", "issue", "generate"],
    },
    list: {
      usage: "list",
      purpose: "List who has a token, with roles and ends.",
      params: {},
      otherWords: ["ls", "show", "status"],
    },
    revoke: {
      usage: "revoke NAME|ID…",
      purpose: "Take away every token of NAME, or the one with this id; servers notice within a second.",
      params: {},
      otherWords: ["remove", "delete", "rm", "disable"],
    },
  },
  result: results.token,
  examples: [
    "bmad-mcp token add ana --role worker --expires 90d",
    "bmad-mcp token list",
    "bmad-mcp token revoke ana",
  ],
});

export const record = operation({
  group: "Work",
  purpose: "Show who changed what through your server over HTTP, the newest first.",
  details: "Owners see the same at /record. See docs/http.md.",
  params: { count: number("At most N entries.", { value: "N" }) },
  result: results.record,
  examples: ["bmad-mcp record --count 20"],
});

const entryName = text("The name of the entry. Default: bmad.", { value: "NAME" });
const all = flag("Every client found on this machine.");
const yes = flag(
  "Ask nothing. Every command takes it, and only this one asks: without CLIENT, it names those found.",
  { short: "-y" },
);
const user = flag("Use your own files, for all projects, even if --project names one.");

export const install = operation({
  group: "Setup",
  daily: 8,
  purpose: "Add this server to the configuration of clients.",
  details:
    "Changes your own files or, with --project DIR, the project's. Other settings on the command line go into " +
    "the entry. Without CLIENT, you choose from the clients found on this machine; with --print alone, the entry " +
    "suits any client.",
  params: {
    clients: words("CLIENT", "Clients."),
    list: flag("List the clients with their files and entries, and change nothing."),
    all,
    yes,
    user,
    hooks: flag(
      "Also have clients that can run `prime` when a session begins and a turn ends. uninstall removes that, too.",
    ),
    replace: flag("Remove other BMAD servers from the same files. uninstall brings them back."),
    dryRun,
    print: flag("Print the entry to paste by hand, and change nothing."),
    name: entryName,
    force: force("Change an entry of that name even if it runs another program."),
  },
  completes: "clients",
  result: results.install,
  examples: [
    "bmad-mcp install claude-code cursor",
    "bmad-mcp install vscode --project ~/shop --dry-run",
    "bmad-mcp install codex --toolsets all",
    "bmad-mcp install claude-code --hooks",
    "bmad-mcp install --list",
    "bmad-mcp install --print",
  ],
});

export const uninstall = operation({
  group: "Setup",
  purpose: "Remove this server from the configuration of clients.",
  details: "Everything else in their files stays as it is.",
  params: {
    clients: words("CLIENT", "Clients."),
    all,
    yes,
    user,
    dryRun,
    name: entryName,
    force: force("Remove an entry of that name even if it runs another program."),
  },
  completes: "clients",
  result: results.install,
  examples: ["bmad-mcp uninstall cursor", "bmad-mcp uninstall vscode --project ~/shop"],
});

export const config = operation({
  group: "Setup",
  purpose: "Print every setting with its value and where it came from, or change your own settings file.",
  details: "A setting is named by its key or its flag.",
  params: { words: words("WORDS", "A setting, and its value.") },
  usage: "config [get|set|unset|trust|untrust]",
  hasDefaultAction: true,
  completes: "actions",
  actions: {
    get: { usage: "get SETTING", purpose: "Print the value of one setting.", otherWords: ["show", "read"] },
    set: {
      usage: "set SETTING VALUE…",
      purpose: "Write a setting into your own settings file; its other lines and comments stay.",
      otherWords: ["add", "write", "edit", "change"],
    },
    unset: {
      usage: "unset SETTING",
      purpose: "Remove a setting from that file.",
      otherWords: ["delete", "remove", "reset", "clear", "rm"],
    },
    trust: {
      usage: "trust DIR",
      purpose: "Let the settings file of the project in DIR widen your settings.",
      otherWords: ["allow"],
    },
    untrust: { usage: "untrust DIR", purpose: "Take that back.", otherWords: ["distrust", "deny"] },
  },
  result: results.config,
  examples: [
    "bmad-mcp config",
    "bmad-mcp config get toolsets",
    "bmad-mcp config set rememberUsage true",
    "bmad-mcp config trust ~/shop",
  ],
});

export const completions = operation({
  group: "Setup",
  purpose: "Print a completion script for bash, zsh, fish or powershell.",
  params: { shell: text("The shell.", { operand: "SHELL", isRequired: true }) },
  isStandalone: true,
  isExact: true,
  completes: "shells",
  examples: ["bmad-mcp completions bash > ~/.bmad-mcp.bash", "bmad-mcp completions zsh > ~/_bmad-mcp"],
});

export const complete = operation({
  group: "Setup",
  purpose: "Print completions of the last word, for the completion scripts.",
  params: { words: list("The line so far.", { operand: "WORDS" }) },
  usage: "complete -- WORDS…",
  isExact: true,
  isHidden: true,
  examples: ["bmad-mcp complete -- list a"],
});

export const version = operation({
  group: "Setup",
  purpose: "Print the version; --json adds commit, runtime and platform.",
  params: {},
  isStandalone: true,
  result: results.version,
  examples: ["bmad-mcp version", "bmad-mcp version --json"],
});

export const upgrade = operation({
  group: "Setup",
  purpose: "Print the command that installs the next version, for the way this one was installed.",
  params: {},
  isStandalone: true,
  examples: ["bmad-mcp upgrade"],
});

export const licenses = operation({
  group: "Setup",
  purpose: "Print the licences of the program, its content and its dependencies.",
  params: {},
  isStandalone: true,
  examples: ["bmad-mcp licenses"],
});

export const help = operation({
  group: "Setup",
  purpose: "Show help for the program, a command or an action.",
  details: "`help all` has every command and setting.",
  params: {
    command: text("A command.", { operand: "COMMAND" }),
    action: text("One of its actions.", { operand: "ACTION" }),
  },
  usage: "help [COMMAND [ACTION]]",
  isStandalone: true,
  completes: "commands",
  examples: ["bmad-mcp help list", "bmad-mcp help memory recall", "bmad-mcp help all"],
});
