import { KINDS } from "../base/model.ts";
import { flag, operation, text } from "./operation.ts";
import {
  category,
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
import { listOf, ORIGIN, PROJECTS } from "./shapes.ts";
import { next } from "./work.ts";

const RESOURCE = {
  uri: "text: an argument for `show`",
  "title? mimeType origin?": "text",
  "size?": "number: for a file, its size in bytes",
};

const ITEM = {
  name: "text: the short name: `prd`",
  id: "text: the id in its module: `bmad-prd`; qualified by the module it is unique: `bmm/bmad-prd`",
  "module title? origin": "text",
  description: "text: when to use it, in its author's words; may be empty",
  kind: "text: its kind on disk: `agent`, `workflow`, `task`, `tool`, `skill`, `team`, …",
};

const STAND_IN = {
  "version?": "text: the embedded release, where it stands in for installed skills that are missing",
  "installed?": "text: the release that is installed in this case",
};

const AGENT = {
  "displayName?": "text: the agent's persona name: `Mary`",
  "icon? role?": "text",
  "toolName?": "text: its tool in the tool set `agents`",
};

const CATEGORY =
  "text: the phase in one word: `analysis`, `planning`, `solutioning`, `implementation` or `other`";

const PHASE = { "phase?": "text: the phase as BMAD writes it: `2-planning`" };

const ANY_ITEM = {
  ...ITEM,
  ...AGENT,
  ...PHASE,
  "category?": CATEGORY,
  "standalone?": "boolean",
  "agents?": "list of text",
};

const RECORD = {
  author: "text: who wrote it or its module; empty if no file says",
  path: "text",
  source: "text: who knows of it: a `manifest`, the `file-system` or `both`",
};

const FILE = { uri: "text: an argument for `show`", size: "number: the size in bytes" };

const CONFLICT = {
  what:
    "text: `thing` (an item) or `file` that differs between sources, `identical` (items with equal copies), or `reference`, which is broken",
  "name wins? why? reference? origin?": "text",
  "count?": "number",
  "shadowed? files? differing?": "list of text",
  "overridden?": { "name origin": "text" },
};

export const list = operation({
  daily: 5,
  purpose: "List agents, workflows, skills, modules and more.",
  details:
    "Without KIND, names the kinds. `list next` suggests the next step, `list usage` shows what was used most," +
    " if it is remembered (--remember-usage). `ls` means the same.",
  aliases: { ls: {} },
  addresses: ["/{query}"],
  summaries: { config: "List BMAD's settings.", doctor: "List what is served, and its problems." },
  params: {
    query: text("What to list.", {
      operand: "KIND",
      example: "agents",
      names: ["type", "kind", "what", "name"],
    }),
    module,
    origin,
    category,
    pattern: text("Resources by a glob.", { only: "tool" }),
    ...page,
    all: flag("Everything, as without --limit.", { only: "terminal" }),
  },
  completes: "lists",
  needs: ["copies"],
  results: {
    "list agents": listOf({ ...ITEM, ...STAND_IN, ...AGENT, ...RECORD }),
    "list workflows": listOf({
      ...ITEM,
      ...STAND_IN,
      ...PHASE,
      category: CATEGORY,
      standalone: "boolean",
      agents: "list of text",
      ...RECORD,
    }),
    "list skills": listOf({ ...ANY_ITEM, ...STAND_IN, ...RECORD }),
    "list config": listOf({
      "name module kind source": "text",
      "id? description? origin? author? path? category?": "text",
      "standalone?": "boolean",
      "agents?": "list of text",
      "value?": "any: of a setting; missing for a file",
    }),
    "list sources": { ...listOf(ORIGIN), ...PROJECTS },
    "list conflicts": listOf(CONFLICT),
    "list doctor": { items: "list of objects: of a form by their `what`, for models", total: "number" },
    "list modules": listOf({
      "name title version? origin": "text",
      description: "text: may be empty",
      "agents others": "number",
    }),
    "list resources": listOf(RESOURCE),
    "list next": {
      ...next.result,
      ...listOf({
        "name?": ITEM.name,
        "id?": ITEM.id,
        "module? origin? title? description? code? action? phase? why? item? story? message?": "text",
        "kind?": "text: `agent`, `workflow`, …",
        "after?": "text: what should run before it; may be empty",
        "before?": "text: what should run after it; may be empty",
        "required?": "boolean",
        "outputs?": "text: its artefacts; may be empty",
        standing: "text: `next`, `done`, … (docs/finding.md); without a step, the state of the whole project",
        files: "list of text",
      }),
    },
    "list usage": {
      items: [{ "name id module kind origin": "text", count: "number", last: "text" }],
      total: "number",
    },
  },
  examples: [
    "bmad-mcp list agents",
    "bmad-mcp list workflows --category planning --origin package",
    "bmad-mcp list next",
  ],
});

export const search = operation({
  daily: 6,
  purpose: "Search stories, documents, memories, agents and workflows.",
  details:
    "Takes plain language; the project's own come first. With --kind, --module, --category or --origin, " +
    "searches items only.",
  spansProjects: true,
  aliases: { find: {} },
  addresses: ["/search?q"],
  params: {
    words: { ...words("WORDS", "What to look for."), isRequired: true, only: "terminal" },
    query: text("What to look for.", {
      only: "tool",
      isRequired: true,
      names: ["searchQuery", "q", "words", "text", "name"],
    }),
    type: text("Only this kind.", { only: "tool", names: ["searchType", "kind"] }),
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
  result: {
    ...listOf({
      ...ANY_ITEM,
      ...STAND_IN,
      score: "number: higher is better; scores of two searches cannot be compared",
      matched: "list of text",
      "snippet?": "text",
    }),
    stories: [{
      ref: "text: its reference: `1-2`",
      key: "text: its name in the ledger: `1-2-login`",
      "title status? epic file? snippet?": "text",
      state: "text: its state, as `board` calls it",
    }],
    documents: [{
      "path title status? changed? snippet?": "text",
      role: "text: `PRD`, `architecture`, `UX`, `decisions` …, or `other`",
    }],
    memories: [{
      "id agent createdAt": "text",
      type: "text: `decisions`, `agent-learnings` …",
      text: "text: what is remembered; the beginning of a long text",
      tags: "list of text",
    }],
    files: [RESOURCE],
  },
  examples: ["bmad-mcp search test architecture", "bmad-mcp search --kind agent who can review my code"],
});

const kindOfTarget = text("The kind.", { only: "tool", forModel: "", names: ["kind"] });

export const execute = operation({
  daily: 7,
  purpose: "Print an agent or a workflow as a model needs it.",
  aliases: { run: {}, start: {}, activate: {}, invoke: {}, load: {}, use: {} },
  addresses: ["/items/{name}/execute"],
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
    // An activation says it, so that the schema need not.
    again: flag("Only what is new, for what this session had before.", { only: "tool", forModel: "" }),
    raw,
  },
  completes: "items",
  needs: ["copies"],
  result: { "name text": "text" },
  examples: [
    'bmad-mcp execute analyst -m "Size the market for dog walking"',
    "bmad-mcp execute pm --item PRD",
  ],
});

export const read = operation({
  command: "show",
  purpose: "Show an agent, workflow or other item.",
  details:
    "Shows source, overrides, menu and files. A bmad:// URI, or a path as texts spell it, prints that file.",
  aliases: { get: {}, show: {}, view: {}, open: {} },
  addresses: ["/items/{name}", "/file?uri"],
  params: {
    shown: { ...name("The item, or the address of a file."), only: "terminal" },
    ...target,
    uri: text("A bmad:// URI, or a path as the named skill spells it; #lines=a-b for an excerpt.", {
      only: "tool",
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
  results: {
    "show NAME": {
      ...ANY_ITEM,
      "note? version? uri location content": "text",
      ...RECORD,
      generation: "text: `v3`, `v4`, `v6`, `skills` or `flat`",
      "installedFrom?": "text: where it was installed from, by `skills-lock.json`: `github owner/repo`",
      status: "text: `verified` or `not-in-manifest`",
      "shadows shadowedBy workflows?": "list of text",
      customized: [{
        key: "text: its path: `agent.icon`, `agent.menu.BP`",
        value: "any",
        "was?": "any: what the item brings along; missing if it has none",
      }],
      files: [{
        ...FILE,
        "path?": "text: its path in the source; missing for an embedded file",
        "use?": "text: what it is for: `template`, `checklist`, `instructions`, `step`, `data`, …",
      }],
      uses: [{
        ...FILE,
        "path?": "text: its path in its source; missing for an embedded file",
        "use? origin?": "text",
      }],
      customizedIn: [{
        ...FILE,
        "path? origin?": "text",
      }],
      "persona?": { "role? identity? communicationStyle?": "text", principles: "list of text" },
      "capabilities?": "list of text: for an agent; mostly empty",
      "menu?": [{ "code label target? prompt?": "text" }],
      customization: "object: the resolved customization by team and user; its keys are the item's own",
    },
    "show URI": { "uri mimeType text? blob?": "text" },
  },
  examples: ["bmad-mcp show analyst", "bmad-mcp show bmm/bmad-prd --raw"],
});

export const diff = operation({
  purpose: "Show what an override changes: an item against the one that it overrides.",
  details: "Shows files as a unified diff, and what customizations change.",
  addresses: ["/items/{name}/diff"],
  params: {
    name: name("The item."),
    module: moduleOfName,
    origin: { ...origin, about: "The source to compare with, if several have it; `sources` prints the ids." },
  },
  completes: "items",
  needs: ["copies"],
  result: {
    name: "text: qualified, as `module/id`",
    origin: "text",
    "overridden?": { "name origin": "text" },
    differences: [{ file: "text", change: "text: `changed`, `added` or `removed`", diff: "text" }],
  },
  examples: ["bmad-mcp diff architect", "bmad-mcp diff architect --origin package"],
});

export const conflicts = operation({
  purpose: "List items and files that several sources have, and broken references.",
  details: "Shows which source wins, why, and what differs.",
  params: { origin, limit: limit() },
  needs: ["copies"],
  result: listOf(CONFLICT),
  examples: ["bmad-mcp conflicts"],
});

export const call = operation({
  purpose: "Call an MCP tool and print the text that a client would get.",
  details:
    "Tools of every tool set can be called. - reads the arguments, a JSON object, from stdin. --json prints " +
    "the whole result.",
  params: {
    tool: text("The tool.", { operand: "TOOL", isRequired: true }),
    args: text("Its arguments.", { operand: "JSON" }),
  },
  isExact: true,
  completes: "tools",
  needs: ["copies"],
  result: { content: [{ type: "text: `text`", text: "text" }] },
  examples: [
    `bmad-mcp call bmad '{"operation":"list","query":"agents"}'`,
    `bmad-mcp call execute_workflow --json '{"workflow_name":"prd"}'`,
    `echo '{"domain":"testarch"}' | bmad-mcp call get_knowledge -`,
  ],
});
