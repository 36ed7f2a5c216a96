/**
 * What `--json` prints of content and its sources.
 */
import { listOf, lists, numbers, ORIGIN, texts } from "./fields.ts";
import { next } from "./work.ts";

const RESOURCE = {
  uri: "text: an argument for `show`",
  ...texts("title?", "mimeType"),
  "size?": "number: for a file, its size in bytes",
  "origin?": "text",
};

const CHANGED_FILE = { file: "text", change: "text: `added`, `removed` or `changed`", "diff?": "text" };

const CUSTOMIZATION = texts("file", "name", "reason");

const ITEM = {
  name: "text: the short name: `prd`",
  id: "text: the id in its module: `bmad-prd`; qualified by the module it is unique: `bmm/bmad-prd`",
  ...texts("module", "title?"),
  description: "text: when to use it, in its author's words; may be empty",
  kind: "text: its kind on disk: `agent`, `workflow`, `task`, `tool`, `skill`, `team`, …",
  origin: "text",
};

const AGENT = {
  "displayName?": "text: the agent's persona name: `Mary`",
  ...texts("icon?", "role?"),
  "toolName?": "text: its tool in the tool set `agents`",
};

const CATEGORY =
  "text: the phase in one word: `analysis`, `planning`, `solutioning`, `implementation` or `other`";
const PHASE = { "phase?": "text: the phase as BMAD writes it: `2-planning`" };

/** What agents lack of the facts of workflows is missing. */
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
const SETTINGS_FILES = texts("file", "lock");

export const list = {
  "list agents": listOf({ ...ITEM, ...AGENT, ...RECORD }),
  "list workflows": listOf({
    ...ITEM,
    ...PHASE,
    category: CATEGORY,
    standalone: "boolean",
    agents: "list of text",
    ...RECORD,
  }),
  "list modules": listOf({
    ...texts("name", "title"),
    description: "text: may be empty",
    "version?": "text",
    ...numbers("agents", "others"),
    origin: "text",
  }),
  "list resources": listOf(RESOURCE),
  "list next": {
    ...next.next,
    ...listOf({
      "name?": ITEM.name,
      "id?": ITEM.id,
      "module?": "text",
      "kind?": "text: `agent`, `workflow`, …",
      ...texts("origin?", "title?", "description?", "code?", "action?", "phase?"),
      "after?": "text: what should run before it; may be empty",
      "before?": "text: what should run after it; may be empty",
      "required?": "boolean",
      "outputs?": "text: its artefacts; may be empty",
      standing: "text: `next`, `done`, … (docs/finding.md); without a step, the state of the whole project",
      ...texts("why?", "item?", "story?", "message?"),
      files: "list of text",
    }),
  },
  "list usage": {
    items: [{ ...texts("name", "id", "module", "kind", "origin"), count: "number", last: "text" }],
    total: "number",
  },
};

export const search = {
  "search WORDS": {
    ...listOf({
      ...ANY_ITEM,
      score: "number: higher is better; scores of two searches cannot be compared",
      matched: "list of text",
      "snippet?": "text",
    }),
    stories: [{
      ref: "text: its reference: `1-2`",
      key: "text: its name in the ledger: `1-2-login`",
      title: "text",
      state: "text: its state, as `board` calls it",
      ...texts("status?", "epic", "file?", "snippet?"),
    }],
    documents: [{
      ...texts("path", "title"),
      role: "text: `PRD`, `architecture`, `UX`, `decisions` …, or `other`",
      ...texts("status?", "changed?", "snippet?"),
    }],
    memories: [{
      id: "text",
      type: "text: `decisions`, `agent-learnings` …",
      agent: "text",
      text: "text: what is remembered; the beginning of a long text",
      tags: "list of text",
      createdAt: "text",
    }],
    files: [RESOURCE],
  },
};

export const execute = {
  "execute NAME": texts("name", "text"),
};

export const read = {
  "show NAME": {
    ...ANY_ITEM,
    "note?": "text",
    ...RECORD,
    "version?": "text",
    generation: "text: `v3`, `v4`, `v6`, `skills` or `flat`",
    "installedFrom?": "text: where it was installed from, by `skills-lock.json`: `github owner/repo`",
    status: "text: `verified` or `not-in-manifest`",
    ...texts("uri", "location"),
    ...lists("shadows", "shadowedBy"),
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
      ...texts("use?", "origin?"),
    }],
    customizedIn: [{
      ...FILE,
      ...texts("path?", "origin?"),
    }],
    "persona?": { ...texts("role?", "identity?", "communicationStyle?"), principles: "list of text" },
    "capabilities?": "list of text: for an agent; mostly empty",
    "menu?": [texts("code", "label", "target?", "prompt?")],
    "workflows?": "list of text",
    customization: "object: the resolved customization by team and user; its keys are the item's own",
    content: "text",
  },
  "show URI": texts("uri", "mimeType", "text?", "blob?"),
};

export const diff = {
  "diff NAME": {
    name: "text: qualified, as `module/id`",
    origin: "text",
    "overridden?": texts("name", "origin"),
    differences: [{ file: "text", change: "text: `changed`, `added` or `removed`", diff: "text" }],
  },
};

export const conflicts = {
  conflicts: listOf({
    what:
      "text: `thing` (an item) or `file` that differs between sources, `identical` (items with equal copies), or `reference`, which is broken",
    name: "text",
    "count?": "number",
    "wins?": "text",
    "shadowed?": "list of text",
    "why?": "text",
    "files?": "list of text",
    "overridden?": texts("name", "origin"),
    "differing?": "list of text",
    ...texts("reference?", "origin?"),
  }),
};

export const call = {
  "call TOOL": { content: [{ type: "text: `text`", text: "text" }] },
};

export const sources = {
  sources: listOf(ORIGIN),
};

export const modules = {
  modules: {
    ...listOf({
      ...texts("code", "name", "purpose"),
      source: "text: where `add CODE` takes it from",
      state: "text: `current` or `deprecated`",
      "note?": "text",
      "here?": texts("origin", "version?"),
    }),
    asOf: "text",
  },
};

export const add = {
  "add SOURCE": {
    added: [{
      source: "text",
      replaced: "list of text",
      ...texts("commit?", "version?", "integrity?", "note?"),
      ...numbers("things", "agents", "workflows"),
    }],
    ...SETTINGS_FILES,
    isTrusted: "boolean",
  },
  add: { sources: "list of text", ...SETTINGS_FILES, isTrusted: "boolean" },
};

export const preview = {
  "preview SOURCE": {
    source: "text",
    "version?": "text: the commit or version that it is; missing for a folder",
    before: "text",
    versions: "list of text",
    lost: [texts("name", "kind", "now?")],
    gained: [texts("name", "kind")],
    forwarding: [{ ...texts("name", "to?"), isNew: "boolean" }],
    hasShims: "boolean",
    changed: [{ ...texts("name", "kind"), files: [CHANGED_FILE] }],
    customizations: [CUSTOMIZATION],
    scripts: [{
      file: "text",
      change: "text: `added`, `removed` or `changed`",
      "isCompared?":
        "boolean: whether the native scripts were compared with the new one; missing for what goes, and for what is not BMAD's",
    }],
    configuration: [{ ...texts("module", "key"), change: "text: `added` or `removed`" }],
    activations: [{
      name: "text",
      "before?": "number: about how many tokens now; missing for what comes",
      "after?": "number: about how many tokens then; missing for what goes",
    }],
    leftBehind: "list of text",
  },
};

export const remove = {
  "remove SOURCE": texts("source", "file", "lock"),
};

export const update = {
  update: {
    ...listOf({
      source: "text",
      outcome: "text: `updated`, `available` (with --dry-run), `unchanged` or `failed`",
      ...texts("before?", "after?", "location?", "problem?"),
      changes: [{
        ...texts("name", "kind"),
        change: "text: `added`, `removed` or `changed`",
        files: [CHANGED_FILE],
      }],
      customizations: [CUSTOMIZATION],
    }),
    ...SETTINGS_FILES,
  },
};

export const cache = {
  "cache list": listOf({
    name: "text: the repository's address, without credentials",
    commit: "text",
    fetched: "text: when it was last found to be up to date, in UTC",
    ageSeconds: "number",
    size: "number: the size of all its copies, in bytes",
    folder: "text",
    copies: "number",
    configured: "boolean",
    "problem?": "text",
  }),
  "cache update": listOf({
    name: "text",
    outcome: "text: `fetched`, `unchanged` or `failed`",
    ...texts("commit?", "problem?"),
  }),
  "cache clear": listOf({ name: "text", size: "number: the size in bytes", removed: "boolean" }),
};

export const create = {
  "new KIND NAME": {
    kind: "text: `agent`, `workflow`, `skill` or `module`",
    ...texts("name", "module", "served"),
    form: "text: `skills`, `compiled`, `v4`, `records` or `manifests`",
    ...lists("files", "changed"),
  },
};

export const validate = {
  "validate PATH": {
    items: [{
      rule: "text: the rule, for programs: `menu-target`",
      path: "text",
      "line?": "number",
      ...texts("message", "fix", "known?"),
    }],
    ...numbers("total", "faults", "known"),
    checked: { ...numbers("items", "files"), generations: "list of text" },
  },
};

export const exportItem = {
  "export NAME": {
    name: "text",
    form: "text: `zip`, `web-bundle` or `skill`",
    path: "text",
    bytes: "number",
    files: "list of text",
    leftOut: [{ name: "text", why: "text: why it is missing" }],
  },
};
