/**
 * What `--json` prints of the program, its memory and its clients.
 */
import { flags, listOf, lists, numbers, ORIGIN, texts } from "./fields.ts";

const IGNORED = {
  "setting?": "text: the key; absent if the whole file is ignored",
  ...texts("source", "reason"),
  ...flags("needsTrust", "isInvalid"),
};

const SETTINGS = {
  "*": {
    value: "any: its value; null if unset",
    from: "text: its source: `default`, a flag, a variable, or a file and line",
  },
};

const SETTINGS_FILE = { path: "text", found: "boolean" };

const MEMORY_TYPE = {
  type: "text: `shared-context`, `decisions`, `agent-learnings`, `failures` or `stories`",
};

const RESTORED = {
  new: "number: how many were missing",
  ...numbers("changed", "same"),
};

const TOKEN = {
  id: "text: what tells it from others; part of the token, and no secret",
  name: "text",
  role: "text: `reader`, `worker` or `owner`",
  "projects?": "list of text: the projects that they may use; without it, all",
  added: "text: when it was added, in UTC",
  "ends?": "text: when it ends, in UTC; without it, never",
  "hasEnded?": "boolean",
};

export const memory = {
  "memory remember": {
    id: "text",
    ...MEMORY_TYPE,
    ...texts("agent", "text"),
    tags: "list of text: may be empty",
    ...texts("project", "created_at", "place"),
    outcome: "text: `new`, `changed` or `same`",
    semantic: "boolean",
  },
  "memory recall": {
    query: "text",
    semantic: "boolean",
    items: [{
      "id?": "text",
      ...MEMORY_TYPE,
      ...texts("agent?", "text"),
      tags: "list of text: may be empty",
      ...texts("project?", "created_at"),
      source: "text: `memory`, or the file of the project that says it",
      ...numbers("score", "lexical"),
      "semantic?": "number: the similarity of its meaning, up to 1; not in languages without one",
      words: "list of text",
    }],
    "nearest?": "list of objects",
  },
  "memory list": listOf({
    id: "text",
    ...MEMORY_TYPE,
    ...texts("agent", "text"),
    tags: "list of text: may be empty",
    ...texts("project", "created_at"),
  }),
  "memory backup FILE": { path: "text", ...numbers("total", "files", "leftOut") },
  "memory restore FILE": {
    ...texts("createdAt", "place"),
    ...RESTORED,
    semantic: "boolean",
    files: RESTORED,
  },
  "memory status": {
    ...texts("place", "meaning"),
    total: "number",
    counts: { "*": "number" },
    ...numbers("withoutVector", "bytes?"),
  },
};

export const doctor = {
  doctor: {
    verdict: "text: `good`, `look` or `broken`; the exit code is 0, 1 or 2",
    problems: [{
      section:
        "text: the section it was found in: `environment`, `binary`, `content`, `project`, `memory`, `clients`",
      level: "text: `look` or `broken`",
      code: "text: a stable code for programs: `bad-file`",
      ...texts("message", "fix", "origin?", "path?"),
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
      version: "text",
      commit: "text or null: the commit it was built from; null if it runs from source",
      ...texts("runtime", "target", "command"),
      args: "list of text",
      rights: {
        sandboxed: "boolean: no with `--no-sandbox`",
        ...lists("read", "write", "run"),
        net: "boolean",
        refused: "list of text",
      },
      "embedded|null": { files: "number", damaged: "list of text" },
      probes: [{
        era: "text: `2025` or `2026`",
        "revision?": "text",
        tools: "number",
        ms: {
          open: "number: `initialize` or `server/discover`",
          list: "number: `tools/list`",
          call: "number: one `tools/call`",
        },
        "problem?": "text",
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
      unserved: [texts("origin", "path", "reason")],
      newer:
        "list of objects: BMAD releases newer than the one that is known: `origin`, `version`, `known`, and the ids `added` and `gone`",
      references: { total: "number", dead: [texts("reference", "uri", "origin")] },
    },
    project: {
      folder: "text or null: absolute; null without a project",
      why: "text",
      exists: "boolean",
      roots: [{
        path: "text: the folder in the source; empty for the source itself",
        ...texts("generation", "layout"),
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
        ...texts("client", "title"),
        scope: "text: `user` or `project`",
        path: "text",
        exists: "boolean",
        state: "text: the state of our entry: `ours`, `absent`, `foreign` or `invalid`",
        "command?": "text",
        "args?": "list of text",
        ...texts("url?", "exposure?"),
        ...flags("isThere?", "isCurrent?"),
        "version?": "text: its version, if it can be determined without starting it",
        "isOff?": "boolean",
      }],
      hooks: [{
        client: "text",
        scope: "text: `user` or `project`",
        ...texts("path", "line"),
        program: "text: the program that it starts, or the one that is missing for it",
        ...flags("isThere?", "isCurrent"),
        "version?": "text: its version, if it can be determined without starting it",
      }],
    },
  },
};

export const token = {
  "token add": { ...TOKEN, token: "text" },
  "token list|revoke": listOf(TOKEN),
};

export const record = {
  record: listOf({
    at: "text: when, in UTC",
    "name?": "text",
    role: "text: `reader`, `worker` or `owner`",
    ...texts("address", "request", "project", "deed"),
  }),
};

export const install = {
  "install --list": listOf({
    ...texts("client", "title"),
    "scope?": "text: `user` or `project`",
    "path?": "text",
    ...flags("exists?", "found?"),
    state: "text: the entry: `absent`, `ours`, `foreign`, `invalid`; `by-hand` without a file",
    "runs?": { command: "text", args: "list of text" },
    ...texts("url?", "version?", "problem?"),
    "others?": "list of text",
  }),
  "install|uninstall CLIENT": listOf({
    client: "text",
    "scope?": "text: `user` or `project`",
    "path?": "text",
    "hook?": "boolean: yes for the hook of `--hooks`, missing for the server's entry",
    "found?": "boolean",
    outcome:
      "text: `added`, `updated`, `replaced`, `removed`, `same`, `absent`, `invalid`, `foreign` or `by-hand`",
    "problem?": "text",
    ...numbers("line?", "column?"),
    "runs?": { command: "text", args: "list of text" },
    "diff?": "text: the change, or with `--dry-run` the planned change",
    "backup?": "text",
    "replaced?": "list of text",
    ...texts("note?", "place?", "text?"),
  }),
};

export const config = {
  config: { settings: SETTINGS, project: "text or null", files: [SETTINGS_FILE], ignored: [IGNORED] },
  "config get SETTING": {
    value: "any: its value; a secret is only said to be set",
    from: "text: where it comes from: `default`, a flag, a variable, or a file with its line",
  },
  "config set|unset|trust|untrust": { changed: "boolean", file: "text" },
};

export const version = {
  version: {
    name: "text: `bmad-mcp`",
    version: "text",
    commit: "text or null: the commit it was built from; null if it runs from source",
    ...texts("runtime", "target"),
    json: "number",
  },
};
