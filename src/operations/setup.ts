import { action, flag, list, operation, text } from "./operation.ts";
import { dryRun, force, words } from "./params.ts";
import { listOf, ORIGIN, PROJECTS } from "./shapes.ts";

const IGNORED = {
  "setting?": "text: the key; absent if the whole file is ignored",
  "source reason": "text",
  "needsTrust isInvalid": "boolean",
};

const SETTINGS = {
  "*": {
    value: "any: its value; null if unset",
    from: "text: its source: `default`, a flag, a variable, or a file and line",
  },
};

const SETTINGS_FILE = { path: "text", found: "boolean" };

export const serve = operation({
  daily: 9,
  purpose: "Serve MCP on stdin and stdout, or over HTTP with --http.",
  details: "This is the default command. With --test, it checks the setup and exits, as doctor does.",
  params: {
    folders: words("DIR", "Folders to serve."),
    test: flag("Check the setup as doctor does, and exit."),
  },
  needs: ["copies"],
  examples: [
    "bmad-mcp",
    "bmad-mcp serve --http 8080",
    "bmad-mcp serve --project ~/shop",
    "bmad-mcp ~/team-bmad",
  ],
});

export const doctor = operation({
  daily: 10,
  purpose: "Check your setup and suggest a fix for each problem.",
  details:
    "Checks settings, permissions, content, project, memory and clients, and talks to the server as a client " +
    "does. Works offline, except for memory servers you configure. Exit status: 0 healthy, 1 warnings, 2 " +
    "errors.",
  params: {},
  result: {
    verdict: "text: `good`, `look` or `broken`; the exit code is 0, 1 or 2",
    problems: [{
      section:
        "text: the section it was found in: `environment`, `binary`, `content`, `project`, `memory`, `clients`",
      level: "text: `look` or `broken`",
      code: "text: a stable code for programs: `bad-file`",
      "message fix origin? path?": "text",
    }],
    environment: {
      os: "text: `linux`, `darwin` or `windows`",
      arch: "text: `x86_64` or `aarch64`",
      home: "text or null",
      cwd: "text",
      settings: SETTINGS,
      files: [SETTINGS_FILE],
      ignored: [IGNORED],
      logFile: "text or null",
      git: "text or null: the version of git that fetches repositories; null if none is configured",
    },
    binary: {
      name: "text: `bmad-mcp`",
      "version runtime target command": "text",
      commit: "text or null: the commit it was built from; null if it runs from source",
      args: "list of text",
      rights: {
        sandboxed: "boolean: no with `--no-sandbox`",
        "read write run refused": "list of text",
        net: "boolean",
      },
      "embedded|null": { files: "number", damaged: "list of text" },
      probes: [{
        era: "text: `2025` or `2026`",
        "revision? problem?": "text",
        tools: "number",
        ms: {
          open: "number: `initialize` or `server/discover`",
          list: "number: `tools/list`",
          call: "number: one `tools/call`",
        },
      }],
    },
    content: {
      origins: [ORIGIN],
      notices: [{
        origin: "text or null",
        path: "text or null",
        code: "text: as `problems[].code`",
        message: "text",
      }],
      conflicts: "number",
      unserved: [{ "origin path reason": "text" }],
      newer:
        "list of objects: BMAD releases newer than the one that is known: `origin`, `version`, `known`, and the ids `added` and `gone`",
      references: { total: "number", dead: [{ "reference uri origin": "text" }] },
    },
    project: {
      folder: "text or null: absolute; null without a project",
      why: "text",
      ...PROJECTS,
      exists: "boolean",
      roots: [{
        path: "text: the folder in the source; empty for the source itself",
        "generation layout": "text",
      }],
      writable: "list of text",
      refused:
        "list of objects: paths that are not written to because of where they lead: `folder`, `reason`, and `key` if the configuration names it",
      ledgers:
        "list of objects: what is wrong with files that track the work: `path`, `line` if known and `problem`",
      scripts:
        "list of objects: BMAD's scripts that are installed: `name`, `place`, `release` that has this very file or null, `isNative`, `rules` that answers follow or null, `strange` files that no compared release has, `lacks` what ours does not know",
    },
    memory: {
      isOn: "boolean",
      backend: "text or null: `sqlite` or `qdrant`; null without a project",
      place: "text or null: the file or the server; null if nothing is stored or it is unavailable",
      files: "list of text",
      total: "number or null: the number of memories; null if unknown",
      "counts|null": { "*": "number" },
      withoutVector: "number or null",
      model: "text or null: the model for search by meaning; null if only words are used",
      meaning: "text or null",
    },
    clients: {
      files: [{
        "client title path command? url? exposure?": "text",
        scope: "text: `user` or `project`",
        "exists isThere? isCurrent? isOff?": "boolean",
        state: "text: the state of our entry: `ours`, `absent`, `foreign` or `invalid`",
        "args?": "list of text",
        "version?": "text: its version, if it can be determined without starting it",
      }],
      hooks: [{
        "client path line": "text",
        scope: "text: `user` or `project`",
        program: "text: the program that it starts, or the one that is missing for it",
        "isThere? isCurrent": "boolean",
        "version?": "text: its version, if it can be determined without starting it",
      }],
    },
  },
  examples: ["bmad-mcp doctor", "bmad-mcp doctor --json"],
});

const entryName = text("The name of the entry. Default: bmad.", { value: "NAME" });
const all = flag("Every client found on this machine.");
const yes = flag(
  "Ask nothing. Every command takes it, and only this one asks: without CLIENT, it names those found.",
  { short: "-y" },
);
const user = flag("Use your own files, for all projects, even if --project names one.");

export const install = operation({
  daily: 8,
  purpose: "Add this server to the configuration of clients.",
  details:
    "Changes your own files or, with --project DIR, the project's. Other settings on the command line go into " +
    "the entry. Without CLIENT, you choose from the clients found; with --print alone, the entry suits any " +
    "client.",
  params: {
    clients: words("CLIENT", "Clients."),
    list: flag("List the clients with their files and entries, and change nothing."),
    all,
    yes,
    user,
    hooks: flag(
      "Also have clients that can run `prime` when a session begins and a turn ends. uninstall removes that, too.",
    ),
    skill: flag(
      "In place of the entry, write a skill, with which a model works through the terminal. uninstall removes it.",
    ),
    replace: flag("Remove other BMAD servers from the same files. uninstall brings them back."),
    dryRun,
    print: flag("Print the entry to paste by hand, and change nothing."),
    name: entryName,
    force: force("Change an entry of that name even if it runs another program."),
  },
  completes: "clients",
  results: {
    "install --list": listOf({
      "client title path? url? version? problem?": "text",
      "scope?": "text: `user` or `project`",
      "exists? found?": "boolean",
      state: "text: the entry: `absent`, `ours`, `foreign`, `invalid`; `by-hand` without a file",
      "runs?": { command: "text", args: "list of text" },
      "others?": "list of text",
    }),
    "install|uninstall CLIENT": listOf({
      "client path? problem? backup? note? place? text?": "text",
      "scope?": "text: `user` or `project`",
      "hook?": "boolean: yes for the hook of `--hooks`, missing for the server's entry",
      "skill?": "boolean: yes for the skill of `--skill`",
      "found?": "boolean",
      outcome:
        "text: `added`, `updated`, `replaced`, `removed`, `same`, `absent`, `invalid`, `foreign` or `by-hand`",
      "line? column?": "number",
      "runs?": { command: "text", args: "list of text" },
      "diff?": "text: the change, or with `--dry-run` the planned change",
      "replaced?": "list of text",
    }),
  },
  examples: [
    "bmad-mcp install claude-code cursor",
    "bmad-mcp install vscode --project ~/shop --dry-run",
    "bmad-mcp install codex --toolsets all",
    "bmad-mcp install claude-code --hooks",
    "bmad-mcp install codex --skill",
    "bmad-mcp install --list",
    "bmad-mcp install --print",
  ],
});

export const uninstall = operation({
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
  results: install.results,
  examples: ["bmad-mcp uninstall cursor", "bmad-mcp uninstall vscode --project ~/shop"],
});

export const config = operation({
  purpose: "Print every setting with its value and where it came from, or change your own settings file.",
  details: "A setting is named by its key or its flag.",
  params: { words: words("WORDS", "A setting, and its value.") },
  usage: "config [get|set|unset|trust|untrust]",
  hasDefaultAction: true,
  completes: "actions",
  actions: {
    get: action("get SETTING", "Print the value of one setting.", "show read"),
    set: action(
      "set SETTING VALUE…",
      "Write a setting into your own settings file; its other lines and comments stay.",
      "add write edit change",
    ),
    unset: action("unset SETTING", "Remove a setting from that file.", "delete remove reset clear rm"),
    trust: action("trust DIR", "Let the settings file of the project in DIR widen your settings.", "allow"),
    untrust: action("untrust DIR", "Take that back.", "distrust deny"),
  },
  results: {
    config: {
      settings: SETTINGS,
      project: "text or null",
      ...PROJECTS,
      files: [SETTINGS_FILE],
      ignored: [IGNORED],
    },
    "config get SETTING": {
      value: "any: its value; a secret is only said to be set",
      from: "text: where it comes from: `default`, a flag, a variable, or a file with its line",
    },
    "config set|unset|trust|untrust": { changed: "boolean", file: "text" },
  },
  examples: [
    "bmad-mcp config",
    "bmad-mcp config get toolsets",
    "bmad-mcp config set rememberUsage true",
    "bmad-mcp config trust ~/shop",
  ],
});

export const completions = operation({
  purpose: "Print a completion script for bash, zsh, fish or powershell.",
  params: { shell: text("The shell.", { operand: "SHELL", isRequired: true }) },
  isStandalone: true,
  isExact: true,
  completes: "shells",
  examples: ["bmad-mcp completions bash > ~/.bmad-mcp.bash", "bmad-mcp completions zsh > ~/_bmad-mcp"],
});

export const complete = operation({
  purpose: "Print completions of the last word, for the completion scripts.",
  params: { words: list("The line so far.", { operand: "WORDS" }) },
  usage: "complete -- WORDS…",
  isExact: true,
  isHidden: true,
  examples: ["bmad-mcp complete -- list a"],
});

export const version = operation({
  purpose: "Print the version; --json adds commit, runtime and platform.",
  params: {},
  isStandalone: true,
  result: {
    name: "text: `bmad-mcp`",
    "version runtime target": "text",
    commit: "text or null: the commit it was built from; null if it runs from source",
    json: "number",
  },
  examples: ["bmad-mcp version", "bmad-mcp version --json"],
});

export const upgrade = operation({
  purpose: "Print the command that installs the next version, for the way this one was installed.",
  params: {},
  isStandalone: true,
  examples: ["bmad-mcp upgrade"],
});

export const licenses = operation({
  purpose: "Print the licences of the program, its content and its dependencies.",
  params: {},
  isStandalone: true,
  examples: ["bmad-mcp licenses"],
});

export const help = operation({
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
