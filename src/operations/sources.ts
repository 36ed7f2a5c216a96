import { action, flag, operation, text } from "./operation.ts";
import { diff, dryRun, words } from "./params.ts";
import { listOf, ORIGIN, PROJECTS } from "./shapes.ts";

const CHANGED_FILE = { file: "text", change: "text: `added`, `removed` or `changed`", "diff?": "text" };

const CUSTOMIZATION = { "file name reason": "text" };

const SETTINGS_FILES = { "file lock": "text" };

export const sources = operation({
  purpose: "List the sources of content, in order of priority.",
  details: "Shows location, layouts and number of items of each.",
  params: {},
  needs: ["copies"],
  result: { ...listOf(ORIGIN), ...PROJECTS },
  examples: ["bmad-mcp sources"],
});

export const modules = operation({
  purpose: "List BMAD's official modules, and which of them are served here.",
  details: "`add CODE` adds one. `list modules` lists all that are served.",
  params: {},
  needs: ["copies"],
  result: {
    ...listOf({
      "code name purpose note?": "text",
      source: "text: where `add CODE` takes it from",
      state: "text: `current` or `deprecated`",
      "here?": { "origin version?": "text" },
    }),
    asOf: "text",
  },
  examples: ["bmad-mcp modules", "bmad-mcp modules --json"],
});

const source = text("The address of a source.", { operand: "SOURCE" });

export const add = operation({
  purpose: "Add a source of content: a folder, a git repository, an npm package or a .tgz archive.",
  details:
    "Fetches it, pins it in the lock file beside your settings and serves it from the cache. Takes addresses " +
    "as people paste them: https://github.com/acme/bmad-team, npm:bmad-builder@^1.1.0; and codes of BMAD's own" +
    " modules: cis. With --project DIR, writes to the project's settings and trusts the project. ENTRY names " +
    "plugins of a marketplace.json, or skills of a skills-lock.json, in SOURCE. Without SOURCE, fetches what " +
    "is pinned and not cached. See docs/sources.md.",
  params: { source, entries: words("ENTRY", "Plugins or skills in SOURCE.") },
  results: {
    "add SOURCE": {
      added: [{
        "source commit? version? integrity? note?": "text",
        replaced: "list of text",
        "things agents workflows": "number",
      }],
      ...SETTINGS_FILES,
      isTrusted: "boolean",
    },
    add: { sources: "list of text", ...SETTINGS_FILES, isTrusted: "boolean" },
  },
  examples: ["bmad-mcp add ~/team-bmad", "bmad-mcp add ~/team-bmad --project ~/shop"],
});

export const preview = operation({
  purpose: "Show what another version of BMAD, or of a module, would change in the project.",
  details:
    "Takes what add takes: bmad-method@6.12.0, a folder. Lists names lost and gained, customizations that lose" +
    " their effect, scripts and configuration that differ, and the tokens of activations. Installs nothing.",
  params: {
    source: { ...source, isRequired: true },
    diff: { ...diff, about: "Show what changes in every instruction, line by line." },
  },
  result: {
    "source before": "text",
    "version?": "text: the commit or version that it is; missing for a folder",
    "versions leftBehind": "list of text",
    lost: [{ "name kind now?": "text" }],
    gained: [{ "name kind": "text" }],
    forwarding: [{ "name to?": "text", isNew: "boolean" }],
    hasShims: "boolean",
    changed: [{ "name kind": "text", files: [CHANGED_FILE] }],
    customizations: [CUSTOMIZATION],
    scripts: [{
      file: "text",
      change: "text: `added`, `removed` or `changed`",
      "isCompared?":
        "boolean: whether the native scripts were compared with the new one; missing for what goes, and for what is not BMAD's",
    }],
    configuration: [{ "module key": "text", change: "text: `added` or `removed`" }],
    activations: [{
      name: "text",
      "before?": "number: about how many tokens now; missing for what comes",
      "after?": "number: about how many tokens then; missing for what goes",
    }],
  },
  examples: ["bmad-mcp preview ~/team-bmad", "bmad-mcp preview ~/team-bmad --diff"],
});

export const remove = operation({
  purpose: "Remove a source that add has added.",
  details: "SOURCE is its address, or the last part of it. Cached copies stay until `cache clear`.",
  params: { source: { ...source, isRequired: true } },
  result: { "source file lock": "text" },
  examples: ["bmad-mcp add ~/team-bmad && bmad-mcp remove team-bmad"],
});

export const update = operation({
  purpose: "Update sources that add has pinned, and say which instructions change.",
  details:
    "Fetches the newest version of each source, lists what differs and which customizations no longer apply, " +
    "and then switches; --diff shows every line, and --dry-run switches nothing.",
  params: {
    sources: words("SOURCE", "Sources, all by default."),
    diff,
    rollback: flag("Go back to what was served before the last update."),
    dryRun,
  },
  result: {
    ...listOf({
      "source before? after? location? problem?": "text",
      outcome: "text: `updated`, `available` (with --dry-run), `unchanged` or `failed`",
      changes: [{
        "name kind": "text",
        change: "text: `added`, `removed` or `changed`",
        files: [CHANGED_FILE],
      }],
      customizations: [CUSTOMIZATION],
    }),
    ...SETTINGS_FILES,
  },
  examples: ["bmad-mcp update", "bmad-mcp update --diff --dry-run"],
});

export const cache = operation({
  purpose: "List, update or clear the cached copies of git repositories.",
  details: "NAME is an address as list prints it. Default: all.",
  params: { names: words("NAME", "Addresses of repositories.") },
  completes: "actions",
  actions: {
    list: action("list [NAME…]", "List the copies, with their commit, age and size.", "ls show status"),
    update: action(
      "update [NAME…]",
      "Fetch the repositories that you configured, or those at the addresses NAME.",
      "fetch pull refresh add",
    ),
    clear: action("clear [NAME…]", "Delete copies.", "delete remove clean purge prune rm"),
  },
  results: {
    "cache list": listOf({
      name: "text: the repository's address, without credentials",
      "commit folder problem?": "text",
      fetched: "text: when it was last found to be up to date, in UTC",
      "ageSeconds copies": "number",
      size: "number: the size of all its copies, in bytes",
      configured: "boolean",
    }),
    "cache update": listOf({
      "name commit? problem?": "text",
      outcome: "text: `fetched`, `unchanged` or `failed`",
    }),
    "cache clear": listOf({ name: "text", size: "number: the size in bytes", removed: "boolean" }),
  },
  examples: ["bmad-mcp cache list --json", "bmad-mcp cache update --json", "bmad-mcp cache clear --json"],
});
