/**
 * Content: what is served, where it comes from, and how it is used.
 */
import { KINDS } from "../base/model.ts";
import { flag, operation, text } from "./operation.ts";
import {
  category,
  diff as diffFlag,
  dryRun,
  format,
  limit,
  module,
  moduleOfName,
  name,
  origin,
  originOfName,
  page,
  raw,
  target,
  words,
} from "./params.ts";
import * as results from "./results/content.ts";

export const serve = operation({
  group: "Setup",
  daily: 9,
  purpose: "Serve MCP on stdin and stdout, or over HTTP with --http.",
  details: "This is the default command. With --test, it checks the setup and exits, as doctor does.",
  params: {
    folders: words("DIR", "Folders to serve."),
    test: flag("Check the setup as doctor does, and exit."),
  },
  needs: ["copies"],
  examples: ["bmad-mcp", "bmad-mcp serve --project ~/shop", "bmad-mcp ~/team-bmad"],
});

export const list = operation({
  group: "Content",
  daily: 5,
  purpose: "List agents, workflows, skills, modules and more.",
  details:
    "`list` alone names the kinds, `list next` suggests what to do next, and why, and `list usage` shows what " +
    "was used most, if it is remembered (--remember-usage). `ls` means the same.",
  aliases: { ls: {} },
  params: {
    query: text("What to list.", {
      operand: "KIND",
      example: "agents",
      names: ["type", "kind", "what", "name"],
    }),
    module,
    origin,
    category,
    pattern: text("Only addresses like this.", { only: "tool", forModel: "Resources by a glob." }),
    ...page,
    all: flag("Everything, as without --limit.", { only: "terminal" }),
  },
  completes: "lists",
  needs: ["copies"],
  result: results.list,
  examples: [
    "bmad-mcp list agents",
    "bmad-mcp list workflows --category planning --origin package",
    "bmad-mcp list next",
  ],
});

export const search = operation({
  group: "Content",
  daily: 6,
  purpose: "Search stories, documents, memories, agents and workflows.",
  details:
    "Takes plain language. The project's own come first. Of items, names, titles, descriptions, menus and help are searched. " +
    "With --kind, --module, --category or --origin, only items are.",
  aliases: { find: {} },
  params: {
    words: { ...words("WORDS", "What to look for."), isRequired: true, only: "terminal" },
    query: text("What to look for.", {
      only: "tool",
      isRequired: true,
      value: "WORDS",
      forModel: "What to look for.",
      names: ["searchQuery", "q", "words", "text", "name"],
    }),
    type: text("The kind.", { only: "tool", forModel: "Only this kind.", names: ["searchType", "kind"] }),
    kind: text("Only this kind, such as agent or workflow.", {
      only: "terminal",
      value: "KIND",
      // Configurations are listed, but never searched.
      choices: KINDS.filter((kind) => kind !== "config"),
    }),
    module,
    category,
    origin,
    ...page,
  },
  needs: ["copies"],
  result: results.search,
  examples: ["bmad-mcp search test architecture", "bmad-mcp search --kind agent who can review my code"],
});

/** The kind of an item that `skill` or `name` names. */
const kindOfTarget = text("The kind.", { only: "tool", forModel: "", names: ["kind"] });

export const execute = operation({
  group: "Content",
  daily: 7,
  purpose: "Print an agent or a workflow as a model needs it.",
  aliases: { run: {}, start: {}, activate: {}, invoke: {}, load: {}, use: {} },
  params: {
    started: { ...name("The agent or workflow."), only: "terminal" },
    ...target,
    message: text("What you want from it.", {
      short: "-m",
      value: "TEXT",
      forModel: "The user's words.",
      names: ["prompt", "context", "input"],
      maxLength: Infinity,
    }),
    item: text("Start with this item of the agent's menu.", {
      value: "CODE",
      forModel: "Menu code.",
      names: ["menuItem", "menu_item"],
    }),
    type: kindOfTarget,
    module: moduleOfName,
    origin: originOfName,
    raw,
  },
  completes: "items",
  needs: ["copies"],
  result: results.execute,
  examples: [
    'bmad-mcp execute analyst -m "Size the market for dog walking"',
    "bmad-mcp execute pm --item PRD",
  ],
});

export const read = operation({
  group: "Content",
  command: "show",
  purpose: "Show an agent, workflow or other item.",
  details:
    "Shows its source, what it overrides, its menu and its files. A bmad:// URI, or a path as texts spell it, prints that file.",
  aliases: { get: {}, show: {}, view: {}, open: {} },
  params: {
    shown: { ...name("The item, or the address of a file."), only: "terminal" },
    ...target,
    uri: text("A file.", {
      only: "tool",
      forModel: "A bmad:// URI, or a path as the named skill spells it; #lines=a-b for an excerpt.",
      names: ["path", "file", "resource"],
      selects: true,
    }),
    type: kindOfTarget,
    module: moduleOfName,
    origin: originOfName,
    raw,
    format: { ...format, forModel: "diff: of an override." },
  },
  completes: "items",
  needs: ["copies"],
  result: results.read,
  examples: ["bmad-mcp show analyst", "bmad-mcp show bmm/bmad-prd --raw"],
});

export const diff = operation({
  group: "Content",
  purpose: "Show what an override changes: an item against the one that it overrides.",
  details: "Shows added, removed and changed files as a unified diff, and what customizations change.",
  params: {
    name: name("The item."),
    module: moduleOfName,
    origin: { ...origin, about: "The source to compare with, if several have it; `sources` prints the ids." },
  },
  completes: "items",
  needs: ["copies"],
  result: results.diff,
  examples: ["bmad-mcp diff architect", "bmad-mcp diff architect --origin package"],
});

export const conflicts = operation({
  group: "Content",
  purpose: "List items and files that several sources have, and broken references.",
  details: "Shows which source wins, why, and what differs.",
  params: { origin, limit: limit() },
  needs: ["copies"],
  result: results.conflicts,
  examples: ["bmad-mcp conflicts"],
});

export const call = operation({
  group: "Content",
  purpose: "Call an MCP tool and print the text that a client would get.",
  details: "Tools of every tool set can be called. The arguments are a JSON object; - reads it from stdin. " +
    "--json prints the whole result.",
  params: {
    tool: text("The tool.", { operand: "TOOL", isRequired: true }),
    args: text("Its arguments.", { operand: "JSON" }),
  },
  isExact: true,
  completes: "tools",
  needs: ["copies"],
  result: results.call,
  examples: [
    `bmad-mcp call bmad '{"operation":"list","query":"agents"}'`,
    `bmad-mcp call execute_workflow --json '{"workflow_name":"prd"}'`,
    `echo '{"domain":"testarch"}' | bmad-mcp call get_knowledge -`,
  ],
});

export const sources = operation({
  group: "Content",
  purpose: "List the sources of content, in order of priority.",
  details: "Shows the location of each source, the layouts found there, and how many items it has.",
  params: {},
  needs: ["copies"],
  result: results.sources,
  examples: ["bmad-mcp sources"],
});

export const modules = operation({
  group: "Content",
  purpose: "List BMAD's official modules, and which of them are served here.",
  details: "`add CODE` adds one. `list modules` lists every module that is served, also those of others.",
  params: {},
  needs: ["copies"],
  result: results.modules,
  examples: ["bmad-mcp modules", "bmad-mcp modules --json"],
});

const source = text("The address of a source.", { operand: "SOURCE" });

export const add = operation({
  group: "Content",
  purpose: "Add a source of content: a folder, a git repository, an npm package or a .tgz archive.",
  details:
    "Fetches it, pins it in the lock file beside your settings and serves it from the cache; nothing is copied into " +
    "projects. Takes addresses as people paste them: https://github.com/acme/bmad-team, npm:bmad-builder@^1.1.0; and codes of BMAD's own modules, at their newest release: cis. With --project DIR, writes to the project's settings and trusts the " +
    "project. ENTRY names plugins of a marketplace.json, or skills of a skills-lock.json, in SOURCE. Without SOURCE, fetches what is pinned and not cached. See docs/sources.md.",
  params: { source, entries: words("ENTRY", "Plugins or skills in SOURCE.") },
  result: results.add,
  examples: ["bmad-mcp add ~/team-bmad", "bmad-mcp add ~/team-bmad --project ~/shop"],
});

export const preview = operation({
  group: "Content",
  purpose: "Show what another version of BMAD, or of a module, would change in the project.",
  details:
    "Takes what add takes: bmad-method@6.12.0, a folder. Lists the names that are lost and gained, customizations that lose their effect, scripts and keys of the " +
    "configuration that differ, and the tokens of activations. Nothing is installed; a package is kept in the cache.",
  params: {
    source: { ...source, isRequired: true },
    diff: { ...diffFlag, about: "Show what changes in every instruction, line by line." },
  },
  result: results.preview,
  examples: ["bmad-mcp preview ~/team-bmad", "bmad-mcp preview ~/team-bmad --diff"],
});

export const remove = operation({
  group: "Content",
  purpose: "Remove a source that add has added.",
  details:
    "SOURCE is its address in any spelling, or the last part of it. Cached copies stay until `cache clear`.",
  params: { source: { ...source, isRequired: true } },
  result: results.remove,
  examples: ["bmad-mcp add ~/team-bmad && bmad-mcp remove team-bmad"],
});

export const update = operation({
  group: "Content",
  purpose: "Update sources that add has pinned, and say which instructions change.",
  details:
    "Fetches the newest version of each source, lists the agents, workflows and skills that differ and the customizations " +
    "that no longer apply, and then switches; --diff shows every line, and --dry-run switches nothing.",
  params: {
    sources: words("SOURCE", "Sources, all by default."),
    diff: diffFlag,
    rollback: flag("Go back to what was served before the last update."),
    dryRun,
  },
  result: results.update,
  examples: ["bmad-mcp update", "bmad-mcp update --diff --dry-run"],
});

export const cache = operation({
  group: "Content",
  purpose: "List, update or clear the cached copies of git repositories.",
  details: "NAME is an address as list prints it. Default: all.",
  params: { names: words("NAME", "Addresses of repositories.") },
  completes: "actions",
  actions: {
    list: {
      usage: "list [NAME…]",
      purpose: "List the copies, with their commit, age and size.",
      otherWords: ["ls", "show", "status"],
    },
    update: {
      usage: "update [NAME…]",
      purpose: "Fetch the repositories that you configured, or those at the addresses NAME.",
      otherWords: ["fetch", "pull", "refresh", "add"],
    },
    clear: {
      usage: "clear [NAME…]",
      purpose: "Delete copies.",
      otherWords: ["delete", "remove", "clean", "purge", "prune", "rm"],
    },
  },
  result: results.cache,
  examples: ["bmad-mcp cache list --json", "bmad-mcp cache update --json", "bmad-mcp cache clear --json"],
});
