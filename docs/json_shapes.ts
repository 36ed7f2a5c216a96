/**
 * The output of `--json`, command by command: the source of docs/json.md.
 *
 * A path ends with `?` if the field is optional, has `[]` for each member of a list and `*` for a key that is data.
 * tests/commands/cli/json_test.ts runs the commands and fails when their output differs from this table.
 */

/** One field. */
export type Field = readonly [path: string, type: string, meaning: string];

/** The output of one command. */
export interface Shape {
  /** The command as it is typed. */
  readonly command: string;
  readonly fields: readonly Field[];
}

const TOTAL: Field = ["total", "number", "the number of all items, including those beyond `--limit`"];

const ITEM: readonly Field[] = [
  ["name", "text", "the short name: `prd`"],
  [
    "id",
    "text",
    "the id in its module: `bmad-prd`; qualified by the module it is unique: `bmm/bmad-prd`",
  ],
  ["module", "text", "the module's code"],
  ["title?", "text", "the human-readable name"],
  ["description", "text", "when to use it, in its author's words; may be empty"],
  ["kind", "text", "its kind on disk: `agent`, `workflow`, `task`, `tool`, `skill`, `team`, …"],
  ["origin", "text", "the id of its source"],
];

const AGENT: readonly Field[] = [
  ["displayName?", "text", "the agent's persona name: `Mary`"],
  ["icon?", "text", "an emoji"],
  ["role?", "text", "what the agent does, in a sentence"],
  ["toolName?", "text", "its tool in the tool set `agents`"],
];

const WORK: readonly Field[] = [
  ["phase?", "text", "the phase as BMAD writes it: `2-planning`"],
  [
    "category",
    "text",
    "the phase in one word: `analysis`, `planning`, `solutioning`, `implementation` or `other`",
  ],
  ["standalone", "yes or no", "whether it can be started on its own"],
  ["agents", "list of text", "the agents whose menus start it"],
];

const CHANGED_FILES: readonly Field[] = [
  ["file", "text", "the settings file"],
  ["lock", "text", "the lock file beside it"],
];

const ORIGIN: readonly Field[] = [
  ["id", "text", "the kind, numbered from the second of its kind on: `user-2`"],
  ["kind", "text", "`project`, `cli`, `env`, `user`, `git`, `npm` or `package`"],
  ["priority", "number", "the lower number wins"],
  ["location", "text", "a folder, a URL or the name of a pack"],
  ["exists", "yes or no", "whether it can be read"],
  ["generations", "list of text", "the BMAD generations in it: `v3`, `v4`, `v6`, `skills`, `flat`"],
  ["agents", "number", "the number of agents"],
  ["workflows", "number", "the number of workflows"],
  ["roots", "list of objects", "the BMAD roots found in it"],
  ["roots[].path", "text", "the folder in the source; empty for the source itself"],
  ["roots[].generation", "text", "its BMAD generation"],
  ["roots[].layout", "text", "its layout on disk: docs/layouts.md"],
  ["roots[].version?", "text", "the version of the installation or package"],
  ["copy?", "object", "for a repository or a package: the copy that is served"],
  ["copy.commit?", "text", "the commit of its files; missing until a copy exists"],
  ["copy.version?", "text", "for a package: its version"],
  ["copy.fetched?", "text", "when it was last found to be up to date, in UTC; missing if it is pinned"],
  ["copy.problem?", "text", "why the copy is missing or out of date"],
  ["things", "number", "the number of all items, including overridden ones"],
  ["isStandby", "yes or no", "whether it serves only what is asked of it by name, because BMAD is installed"],
  [
    "changed",
    "text or null",
    "the last modification of any item, in UTC; null for embedded content and for an empty source",
  ],
];

const below = (path: string, fields: readonly Field[]): readonly Field[] =>
  fields.map(([name, type, meaning]) => [`${path}${name}`, type, meaning]);
const optional = (fields: readonly Field[]): readonly Field[] =>
  fields.map(([name, type, meaning]) => [/[\].?]/.test(name) ? name : `${name}?`, type, meaning]);
const listOf = (fields: readonly Field[]): readonly Field[] => [
  ["items", "list of objects", "the requested items, in order"],
  ...below("items[].", fields),
  TOTAL,
];

/** What a note of a file lacks, in contrast to a memory. */
const MISSING_IN_NOTES = ["id", "agent", "project"];

const MEMORY: readonly Field[] = [
  ["id", "text", "identical for the same agent and text"],
  ["type", "text", "`shared-context`, `decisions`, `agent-learnings`, `failures` or `stories`"],
  ["agent", "text", "the agent it belongs to"],
  ["text", "text", "the memory itself"],
  ["tags", "list of text", "may be empty"],
  ["project", "text", "the project's name, as the kit derives it"],
  ["created_at", "text", "when it was stored"],
];

const SETTING: readonly Field[] = [
  ["settings", "object", "every setting, by its key in settings files"],
  ["settings.*", "object", "one setting"],
  ["settings.*.value", "any", "its value; null if unset"],
  ["settings.*.from", "text", "its source: `default`, a flag, a variable, or a file and line"],
];

const FILES: readonly Field[] = [
  ["files", "list of objects", "the possible settings files, highest priority first"],
  ["files[].path", "text", "absolute"],
  ["files[].found", "yes or no", "whether it exists"],
];

const IGNORED: readonly Field[] = [
  ["ignored", "list of objects", "what the project's settings file asks for in vain"],
  ["ignored[].setting?", "text", "the key; absent if the whole file is ignored"],
  ["ignored[].source", "text", "the file, and the line if one is known"],
  ["ignored[].reason", "text", "why it does not count"],
  ["ignored[].needsTrust", "yes or no", "whether it would count in a trusted project"],
  ["ignored[].isInvalid", "yes or no", "whether it is a mistake, such as an unknown key"],
];

const SECTION: readonly Field[] = [
  ["path", "text", "the document, by its path in the project"],
  ["from", "number", "its first line"],
  ["to", "number", "its last line"],
  ["role", "text", "`PRD`, `architecture`, `UX`, `decisions`, `spec`, `plan` or `story`"],
  ["headings", "list of text", "the headings above it, the outermost first"],
  ["tokens", "number", "about how many tokens it has"],
];

const PROBLEM: readonly Field[] = [
  ["path", "text", "the file"],
  ["line?", "number", "the line in it"],
  ["problem", "text", "what is wrong"],
];

const WORK_ITEM: readonly Field[] = [
  ["ref", "text", "its shortest name: `1-2`, `2.3`"],
  ["title", "text", "its title"],
  ["state", "text", "`backlog`, `ready`, `in-progress`, `blocked`, `review`, `done` or `dropped`"],
  ["status?", "text", "the ledger's own word for it"],
  ["ledger", "text", "the file or folder that decides the state"],
  ["line?", "number", "the line in it"],
  ["file?", "text", "its own document"],
  ["owner?", "text", "who works on it"],
  ["after", "list of text", "what it builds on"],
  ["waitsFor", "list of text", "what of that is not finished"],
  ["covers", "list of text", "requirement ids"],
  ["drift", "list of objects", "where ledger, document and plan disagree"],
  ...below("drift[].", PROBLEM),
];

const STORY: readonly Field[] = [
  ...WORK_ITEM,
  ["key", "text", "its full name in the ledger: `1-2-login`"],
  ["plan?", "text", "the document of its build"],
  ["reason?", "text", "why it is blocked"],
  ["boxes", "object", "its task lists"],
  ["boxes.ticked", "number", "the ticked boxes of its task lists"],
  ["boxes.total", "number", "all boxes"],
  ["claim?", "object", "who holds it"],
  ["claim.by", "text", "the name of whoever holds it"],
  ["claim.until", "text", "when that ends, as an ISO time"],
  ["forced?", "object", "its status was forced"],
  ["forced.at", "text", "when, as an ISO time"],
  ["forced.by?", "text", "by whom"],
  ["forced.reasons", "list of text", "what spoke against it"],
];

const EPIC: readonly Field[] = [
  ...WORK_ITEM,
  ["stories", "list of objects", "its stories, in the order of the work"],
  ["retrospective?", "text", "the status of its retrospective"],
  ...below("stories[].", [...STORY, ["criteria", "number", "the number of its acceptance criteria"]]),
];

const CLAIM: readonly Field[] = [
  ["story", "text", "the name of the story"],
  ["title", "text", "its title"],
  ["by?", "text", "who holds it now"],
  ["until?", "text", "when that ends, as an ISO time"],
  ["before?", "text", "who held it before"],
];

/** Every command that takes `--json`. */
export const JSON_SHAPES: readonly Shape[] = [
  { command: "list agents", fields: listOf([...ITEM, ...AGENT]) },
  { command: "list workflows", fields: listOf([...ITEM, ...WORK]) },
  {
    command: "list modules",
    fields: listOf([
      ["name", "text", "the module's code"],
      ["title", "text", "the human-readable name"],
      ["description", "text", "may be empty"],
      ["version?", "text", "the version of its package or installation"],
      ["agents", "number", "the number of agents"],
      ["others", "number", "the number of other items in lists"],
      ["origin", "text", "the id of the source with the highest priority that has it"],
    ]),
  },
  {
    command: "list resources",
    fields: listOf([
      ["uri", "text", "an argument for `show`"],
      ["title?", "text", "the title, if the resource is generated when it is read"],
      ["mimeType", "text", "the MIME type"],
      ["size?", "number", "for a file, its size in bytes"],
      ["origin?", "text", "for a file, the id of its source"],
    ]),
  },
  {
    command: "list next",
    fields: listOf([
      ...optional([
        ...ITEM.slice(0, 3),
        ["kind", "text", "`agent`, `workflow`, …"],
        ["origin", "text", "the id of its source"],
        ["title", "text", "the human-readable name"],
        ["description", "text", "when to do it"],
        ["code", "text", "the short form in menus"],
        ["action", "text", "the action of the skill"],
        ["phase", "text", "the phase as BMAD writes it"],
        ["after", "text", "what should run before it; may be empty"],
        ["before", "text", "what should run after it; may be empty"],
        ["required", "yes or no", "whether a project must run it"],
        ["outputs", "text", "its artefacts; may be empty"],
      ]),
      [
        "standing",
        "text",
        "`next`, `done`, … (docs/finding.md); without a step, the state of the whole project",
      ],
      ["why?", "text", "why it is next"],
      ["item?", "text", "in v4, the command of the agent"],
      ["story?", "text", "the story it is about"],
      ["message?", "text", "what to execute it with"],
      ["files", "list of text", "its artefacts in the project"],
    ]),
  },
  {
    command: "next",
    fields: [
      ["next", "list of objects", "the step to take, or why there is none; several for several modules"],
      ["next[].is", "text", "`next`, `done` or `unknown`"],
      ["next[].why", "text", "why"],
      ["next[].files", "list of text", "the files that show it"],
      ["next[].item?", "text", "the qualified name of what to execute"],
      ["next[].call?", "text", "the command that does it"],
      ["next[].begin?", "text", "the command to run before: it says that the work has begun"],
      ["next[].end?", "text", "the command to run when it is finished"],
      ["next[].story?", "object", "its story, as `board STORY` prints it, without the epic"],
      ...below("next[].story.", [...STORY, ["criteria", "list of text", "its acceptance criteria"]]),
      ["held", "list of objects", "the other stories that somebody works on"],
      ["held[].ref", "text", "the reference of the story"],
      ["held[].title", "text", "its title"],
      ["held[].state", "text", "its state"],
      ["held[].owner?", "text", "who works on it"],
      ["held[].claim?", "object", "who holds it"],
      ["held[].claim.by", "text", "the name of whoever holds it"],
      ["held[].claim.until", "text", "when that ends, as an ISO time"],
    ],
  },
  {
    command: "check",
    fields: [
      ["items", "list of objects", "what contradicts the claims of stories"],
      ["items[].code", "text", "what is wrong, for programs: `box-unticked`"],
      ["items[].story?", "text", "the reference of the story, unless it concerns the whole project"],
      ["items[].problem", "text", "what is wrong, as a sentence"],
      ["items[].path", "text", "the file, by its path in the project"],
      ["items[].line?", "number", "the line, if known"],
      ["items[].fix", "text", "what to do"],
      ["unchecked", "list of text", "what could not be looked at, and why"],
      ["trace?", "list of objects", "every requirement; not for a single story"],
      ["trace[].id", "text", "the id of a requirement: `FR1`"],
      ["trace[].path", "text", "the document that defines it"],
      ["trace[].line", "number", "the line"],
      ["trace[].by", "list of text", "the stories and epics that cover it"],
    ],
  },
  {
    command: "context STORY",
    fields: [
      ["story", "text", "the reference of the story"],
      ["budget", "number", "the most tokens"],
      ["tokens", "number", "about how many the sections have"],
      ["sections", "list of objects", "what the story needs, in the order of the documents"],
      ...below("sections[].", [
        ...SECTION,
        ["why", "text", "`reference`, `requirement`, `plan`, `words` or `meaning`"],
        ["text", "text", "the section without its heading"],
      ]),
      ["left", "object", "what was left out"],
      ["left.sections", "list of objects", "the next ten"],
      ...below("left.sections[].", SECTION),
      ["left.documents", "list of objects", "what is left of each document"],
      ["left.documents[].path", "text", "the document"],
      ["left.documents[].sections", "number", "how many of its sections were left out"],
      ["left.documents[].tokens", "number", "about how many tokens they have"],
      ["left.unread", "list of text", "documents that are too long to be read"],
    ],
  },
  {
    command: "board",
    fields: [
      ["total", "number", "the number of stories"],
      ["counts", "object", "the number of stories in each state"],
      ["counts.*", "number", "by state"],
      ["ledgers", "list of objects", "what keeps the stories"],
      ["ledgers[].path", "text", "a file or folder that keeps stories"],
      ["ledgers[].format", "text", "`sprint-status`, `story-files`, `stories-yaml` or `tickets`"],
      ["items", "list of objects", "the epics in order; stories without one are in an epic without `ref`"],
      ...below("items[].", EPIC),
      ["actions", "list of objects", "the open action items of retrospectives"],
      ["actions[].action", "text", "what a retrospective decided to do"],
      ["actions[].epic?", "text", "the epic of that retrospective"],
      ["actions[].owner?", "text", "who does it"],
      ["actions[].status?", "text", "its status"],
      ["problems", "list of objects", "what is wrong with the files, apart from drift"],
      ...below("problems[].", PROBLEM),
    ],
  },
  {
    command: "board STORY",
    fields: [
      ...STORY,
      ["criteria", "list of text", "its acceptance criteria"],
      ["epic", "object", "its epic"],
      ["epic.ref", "text", "the reference of the epic"],
      ["epic.title", "text", "the title of the epic"],
      ["epic.state", "text", "the state of the epic"],
    ],
  },
  { command: "board EPIC", fields: EPIC },
  {
    command: "mark",
    fields: [
      ["story", "text", "the name of the story, epic or retrospective"],
      ["changes", "list of objects", "every status that changed"],
      ["changes[].key", "text", "what changed"],
      ["changes[].from?", "text", "its status before"],
      ["changes[].to", "text", "its status now"],
      ["files", "list of text", "the files that were changed or made"],
      ["notes", "list of text", "what else happened"],
      ["epic", "object", "how far its epic is"],
      ["epic.ref", "text", "the reference of the epic"],
      ["epic.title", "text", "its title"],
      ["epic.done", "number", "how many of its stories are done"],
      ["epic.total", "number", "how many it has"],
    ],
  },
  { command: "claim|release", fields: CLAIM },
  {
    command: "plan",
    fields: [
      ["ledger", "text", "the file of the sprint"],
      ["epics", "number", "the epics of the plan"],
      ["stories", "number", "its stories"],
      ["added", "list of text", "the keys that were added"],
      ["ready", "list of text", "stories that are ready because they have a file"],
      ["unknown", "list of objects", "rows with a status that BMAD does not know"],
      ["unknown[].key", "text", "the key of the row"],
      ["unknown[].status", "text", "its status"],
      ["unplanned", "list of objects", "rows that no plan has"],
      ["unplanned[].key", "text", "the key of the row"],
      ["unplanned[].status", "text", "its status"],
      ["warnings", "list of text", "headings that were not understood, and the like"],
    ],
  },
  {
    command: "reconcile",
    fields: [
      ["added", "list of text", "keys that were added from the plan"],
      ["changes", "list of objects", "every status that changed"],
      ["changes[].key", "text", "what changed"],
      ["changes[].from?", "text", "its status before"],
      ["changes[].to", "text", "its status now"],
      ["files", "list of text", "the files that were changed"],
      ["left", "list of text", "what was left as it is, and why"],
    ],
  },
  {
    command: "add SOURCE",
    fields: [
      ["added", "list of objects", "what was added, or listed already"],
      ["added[].source", "text", "the source as the settings file lists it"],
      ["added[].commit?", "text", "for a repository: the commit that it is pinned to"],
      ["added[].version?", "text", "for a package: the version that it is pinned to"],
      ["added[].integrity?", "text", "for a package: the hash of its archive"],
      ["added[].things", "number", "the number of all its items"],
      ["added[].agents", "number", "the number of its agents"],
      ["added[].workflows", "number", "the number of its workflows"],
      ...CHANGED_FILES,
      ["isTrusted", "yes or no", "whether the project was trusted now"],
    ],
  },
  {
    command: "add",
    fields: [
      ["sources", "list of text", "the sources of the settings file"],
      ...CHANGED_FILES,
      ["isTrusted", "yes or no", "whether the project was trusted now"],
    ],
  },
  { command: "sources", fields: listOf(ORIGIN) },
  {
    command: "update",
    fields: [
      ...listOf([
        ["source", "text", "the source as the settings file lists it"],
        ["outcome", "text", "`updated`, `available` (with --dry-run), `unchanged` or `failed`"],
        ["before?", "text", "the commit or version that was served"],
        ["after?", "text", "the commit or version that is served now"],
        ["problem?", "text", "why it could not be fetched"],
        ["changes", "list of objects", "the items that differ"],
        ["changes[].name", "text", "the item's qualified name"],
        ["changes[].kind", "text", "its kind"],
        ["changes[].change", "text", "`added`, `removed` or `changed`"],
        ["changes[].files", "list of objects", "for a changed item: its files that differ"],
        ["changes[].files[].file", "text", "the file's place in the item"],
        ["changes[].files[].change", "text", "`added`, `removed` or `changed`"],
        ["changes[].files[].diff?", "text", "with --diff: a unified diff"],
        ["customizations", "list of objects", "the customizations that no longer apply"],
        ["customizations[].file", "text", "the file that holds it"],
        ["customizations[].name", "text", "the item that it customizes"],
        ["customizations[].reason", "text", "why it has no effect any more"],
      ]),
      ...CHANGED_FILES,
    ],
  },
  {
    command: "remove SOURCE",
    fields: [["source", "text", "the source as the settings file listed it"], ...CHANGED_FILES],
  },
  {
    command: "conflicts",
    fields: listOf([
      [
        "what",
        "text",
        "`thing` (an item) or `file` that differs between sources, `identical` (items with equal copies), or " +
        "`reference`, which is broken",
      ],
      ["name", "text", "the qualified name of an item, the URI of a file, or how many items are identical"],
      ["count?", "number", "how many items have identical copies"],
      ["wins?", "text", "the id of the source that wins"],
      ["shadowed?", "list of text", "the ids of the overridden sources"],
      ["why?", "text", "why that one wins"],
      ["files?", "list of text", "for an item, the file that is served and the one below it"],
      ["overridden?", "object", "for an item, the record below the one that is served"],
      ["overridden.name", "text", "its qualified name"],
      ["overridden.origin", "text", "the id of its source"],
      ["differing?", "list of text", "for an item, the URIs of the files that differ between sources"],
      ["reference?", "text", "the reference, as the file writes it"],
      ["origin?", "text", "the id of the source of that file"],
    ]),
  },
  {
    command: "show NAME",
    fields: [
      ...ITEM,
      ...AGENT,
      ...optional(WORK),
      ["author?", "text", "for a workflow: the author that its file names"],
      ["version?", "text", "the version of its package or installation"],
      ["generation", "text", "`v3`, `v4`, `v6`, `skills` or `flat`"],
      ["installedFrom?", "text", "where it was installed from, by `skills-lock.json`: `github owner/repo`"],
      ["status", "text", "`verified` or `not-in-manifest`"],
      ["uri", "text", "the URI of its main file"],
      ["location", "text", "the location of its source"],
      ["path", "text", "the path of its main file in the source"],
      [
        "shadows",
        "list of text",
        "the ids of the sources that this one overrides",
      ],
      ["shadowedBy", "list of text", "the ids of the sources that override this one"],
      ["customized", "list of objects", "the values that the team or the user changed"],
      ["customized[].key", "text", "its path: `agent.icon`, `agent.menu.BP`"],
      ["customized[].value", "any", "the value in force"],
      ["customized[].was?", "any", "what the item brings along; missing if it has none"],
      ["files", "list of objects", "all its files"],
      ["files[].uri", "text", "an argument for `show`"],
      ["files[].size", "number", "the size in bytes"],
      ["persona?", "object", "for an agent: its persona"],
      ["persona.role?", "text", "what it does"],
      ["persona.identity?", "text", "who it is"],
      ["persona.communicationStyle?", "text", "how it talks"],
      ["persona.principles", "list of text", "rules that it follows"],
      ["capabilities?", "list of text", "for an agent; mostly empty"],
      ["menu?", "list of objects", "for an agent"],
      ["menu[].code", "text", "what the user types"],
      ["menu[].label", "text", "what the user reads"],
      ["menu[].target?", "text", "the skill or file it starts"],
      ["menu[].prompt?", "text", "the instruction to the agent, if the entry starts neither"],
      ["workflows?", "list of text", "for an agent: the targets of its menu"],
      ["customization", "object", "the resolved customization by team and user; its keys are the item's own"],
      ["content", "text", "the text of its main file, unchanged"],
    ],
  },
  {
    command: "show URI",
    fields: [
      ["uri", "text", "the canonical URI"],
      ["mimeType", "text", "the MIME type"],
      ["text?", "text", "the content of a text"],
      ["blob?", "text", "the content of a binary file, in base64"],
    ],
  },
  {
    command: "diff NAME",
    fields: [
      ["name", "text", "qualified, as `module/id`"],
      ["origin", "text", "the source that is served"],
      ["overridden?", "object", "what it overrides, if another source has the item"],
      ["overridden.name", "text", "its qualified name"],
      ["overridden.origin", "text", "its source"],
      ["differences", "list of objects", "the files and values that differ"],
      ["differences[].file", "text", "its place in the item"],
      ["differences[].change", "text", "`changed`, `added` or `removed`"],
      ["differences[].diff", "text", "a unified diff"],
    ],
  },
  {
    command: "search WORDS",
    fields: listOf([
      ...ITEM,
      ...AGENT,
      ...optional(WORK),
      ["score", "number", "higher is better; scores of two searches cannot be compared"],
      ["matched", "list of text", "the fields that match, most important first"],
      ["snippet?", "text", "the text around the first match"],
    ]),
  },
  {
    command: "execute NAME",
    fields: [
      ["name", "text", "the qualified name"],
      ["text", "text", "everything a model needs"],
    ],
  },
  {
    command: "call TOOL",
    fields: [
      ["content", "list of objects", "the result, as MCP clients receive it"],
      ["content[].type", "text", "`text`"],
      ["content[].text", "text", "the text for the model"],
    ],
  },
  {
    command: "doctor",
    fields: [
      ["verdict", "text", "`good`, `look` or `broken`; the exit code is 0, 1 or 2"],
      ["problems", "list of objects", "the problems, worst first"],
      [
        "problems[].section",
        "text",
        "the section it was found in: `environment`, `binary`, `content`, `project`, `memory`, `clients`",
      ],
      ["problems[].level", "text", "`look` or `broken`"],
      ["problems[].code", "text", "a stable code for programs: `bad-file`"],
      ["problems[].message", "text", "the problem"],
      ["problems[].fix", "text", "how to fix it"],
      ["problems[].origin?", "text", "the id of the source it is about"],
      ["problems[].path?", "text", "the file or folder in that source"],
      ["environment", "object", "the machine and the settings"],
      ["environment.os", "text", "`linux`, `darwin` or `windows`"],
      ["environment.arch", "text", "`x86_64` or `aarch64`"],
      ["environment.home", "text or null", "the home folder"],
      ["environment.cwd", "text", "the working folder"],
      ...below("environment.", [...SETTING, ...FILES, ...IGNORED]),
      ["environment.logFile", "text or null", "the additional log file"],
      [
        "environment.git",
        "text or null",
        "the version of git that fetches repositories; null if none is configured",
      ],
      ["binary", "object", "the program itself"],
      ["binary.name", "text", "`bmad-mcp`"],
      ["binary.version", "text", "its version"],
      ["binary.commit", "text or null", "the commit it was built from; null if it runs from source"],
      ["binary.runtime", "text", "the runtime and its version"],
      ["binary.target", "text", "the system and processor it was built for"],
      ["binary.command", "text", "the command that starts it"],
      ["binary.args", "list of text", "the arguments of that command"],
      ["binary.rights", "object", "the rights that the process has kept"],
      ["binary.rights.sandboxed", "yes or no", "no with `--no-sandbox`"],
      ["binary.rights.read", "list of text", "the folders and files it may read"],
      ["binary.rights.write", "list of text", "the folders and files it may write"],
      ["binary.rights.run", "list of text", "the programs it may run"],
      ["binary.rights.net", "yes or no", "whether it may use the network"],
      ["binary.rights.refused", "list of text", "rights that it needs and was not started with"],
      ["binary.embedded", "object or null", "the embedded content, verified; null if none is served"],
      ["binary.embedded.files", "number", "the number of files"],
      ["binary.embedded.damaged", "list of text", "files that differ from the build"],
      ["binary.probes", "list of objects", "a conversation with the server in each protocol era"],
      ["binary.probes[].era", "text", "`2025` or `2026`"],
      ["binary.probes[].revision?", "text", "the negotiated protocol revision"],
      ["binary.probes[].tools", "number", "the number of listed tools"],
      ["binary.probes[].ms", "object", "the duration of each step, in milliseconds"],
      ["binary.probes[].ms.open", "number", "`initialize` or `server/discover`"],
      ["binary.probes[].ms.list", "number", "`tools/list`"],
      ["binary.probes[].ms.call", "number", "one `tools/call`"],
      ["binary.probes[].problem?", "text", "the problem"],
      ["content", "object", "the served content"],
      ["content.origins", "list of objects", "as in `sources`, highest priority first"],
      ...below("content.origins[].", ORIGIN),
      ["content.notices", "list of objects", "what is worth knowing, but no problem"],
      ["content.notices[].origin", "text or null", "the id of its source"],
      ["content.notices[].path", "text or null", "the file or folder, in its source"],
      ["content.notices[].code", "text", "as `problems[].code`"],
      ["content.notices[].message", "text", "what it is"],
      ["content.conflicts", "number", "the number of items that several sources have"],
      ["content.references", "object", "the references in texts"],
      ["content.references.total", "number", "the number of references"],
      ["content.references.dead", "list of objects", "the broken references"],
      ["content.references.dead[].reference", "text", "as the text writes it"],
      ["content.references.dead[].uri", "text", "the file that contains it"],
      ["content.references.dead[].origin", "text", "the id of its source"],
      ["project", "object", "the project"],
      ["project.folder", "text or null", "absolute; null without a project"],
      ["project.why", "text", "why this folder was chosen"],
      ["project.exists", "yes or no", "whether it exists"],
      ["project.roots", "list of objects", "the BMAD roots in it"],
      ...below("project.", ORIGIN.filter(([path]) => /^roots\[\]\.(path|generation|layout)/.test(path))),
      ["project.writable", "list of text", "the folders in it that a server writes to"],
      [
        "project.refused",
        "list of objects",
        "folders of the configuration that are not written to: `folder`, `key` and `reason`",
      ],
      [
        "project.ledgers",
        "list of objects",
        "what is wrong with files that track the work: `path`, `line` if known and `problem`",
      ],
      ["memory", "object", "the project's memory"],
      ["memory.isOn", "yes or no", "whether a server here has the memory tools"],
      ["memory.backend", "text or null", "`sqlite` or `qdrant`; null without a project"],
      [
        "memory.place",
        "text or null",
        "the file or the server; null if nothing is stored or it is unavailable",
      ],
      ["memory.files", "list of text", "the possible locations of the file, preferred first"],
      ["memory.total", "number or null", "the number of memories; null if unknown"],
      ["memory.counts", "object or null", "the number of memories by type"],
      ["memory.counts.*", "number", "the number for one type"],
      ["memory.withoutVector", "number or null", "the number of memories that are found by words only"],
      ["memory.model", "text or null", "the model for search by meaning; null if only words are used"],
      ["memory.meaning", "text or null", "a description of it"],
      ["clients", "object", "the clients on this machine"],
      ["clients.files", "list of objects", "their files, and those of the project"],
      ["clients.files[].client", "text", "the client's id"],
      ["clients.files[].title", "text", "the client's name"],
      ["clients.files[].scope", "text", "`user` or `project`"],
      ["clients.files[].path", "text", "the file"],
      ["clients.files[].exists", "yes or no", "whether it exists"],
      ["clients.files[].state", "text", "the state of our entry: `ours`, `absent`, `foreign` or `invalid`"],
      ["clients.files[].command?", "text", "the program that the entry starts"],
      ["clients.files[].args?", "list of text", "its arguments"],
      ["clients.files[].url?", "text", "the server that it names instead"],
      [
        "clients.files[].exposure?",
        "text",
        "why the entry may start a program of the project in place of this one",
      ],
      ["clients.files[].isThere?", "yes or no", "whether that program exists"],
      ["clients.files[].isCurrent?", "yes or no", "whether it is this program"],
      ["clients.files[].version?", "text", "its version, if it can be determined without starting it"],
      ["clients.files[].isOff?", "yes or no", "whether the entry is disabled in the client"],
    ],
  },
  {
    command: "cache list",
    fields: listOf([
      ["name", "text", "the repository's address, without credentials"],
      ["commit", "text", "the commit of the copy's files"],
      ["fetched", "text", "when it was last found to be up to date, in UTC"],
      ["ageSeconds", "number", "how long ago that was, in seconds"],
      ["size", "number", "the size of all its copies, in bytes"],
      ["folder", "text", "the folder of the copy"],
      ["copies", "number", "the number of copies, including old ones"],
      ["configured", "yes or no", "whether the current settings use it"],
      ["problem?", "text", "why it could not be refreshed"],
    ]),
  },
  {
    command: "cache update",
    fields: listOf([
      ["name", "text", "the repository's address"],
      ["outcome", "text", "`fetched`, `unchanged` or `failed`"],
      ["commit?", "text", "the commit of the copy's files"],
      ["problem?", "text", "why it could not be fetched"],
    ]),
  },
  {
    command: "cache clear",
    fields: listOf([
      ["name", "text", "the repository's address"],
      ["size", "number", "the size in bytes"],
      ["removed", "yes or no", "no, if another process is fetching it"],
    ]),
  },
  {
    command: "memory remember",
    fields: [
      ...MEMORY,
      ["outcome", "text", "`new`, `changed` or `same`"],
      ["semantic", "yes or no", "whether it was also embedded, to be found by meaning"],
    ],
  },
  {
    command: "memory recall",
    fields: [
      ["query", "text", "the query"],
      ["semantic", "yes or no", "whether meaning was used, not only words"],
      ["items", "list of objects", "best first"],
      [
        "nearest?",
        "list of objects",
        "if nothing is relevant, up to three hits that may be about something else",
      ],
      ...below("items[].", [
        ...MEMORY.map(([name, ...rest]) =>
          [MISSING_IN_NOTES.includes(name) ? `${name}?` : name, ...rest] as const
        ),
        ["source", "text", "`memory`, or the file of the project that says it"],
        ["score", "number", "how relevant it is, from 0 to 1, the same for any number of memories"],
        ["lexical", "number", "the contribution of common words to the score"],
        ["semantic?", "number", "the similarity of its meaning, up to 1"],
        ["words", "list of text", "the words it has in common with the query"],
      ]),
    ],
  },
  {
    command: "memory list",
    fields: [
      TOTAL,
      ["items", "list of objects", "newest first"],
      ...below("items[].", MEMORY),
    ],
  },
  {
    command: "memory status",
    fields: [
      ["place", "text", "a file, or the address of a Qdrant server"],
      ["meaning", "text", "how memories are compared"],
      ["total", "number", "the number of memories"],
      ["counts", "object", "the number of memories by type"],
      ["counts.*", "number", "the number for one type"],
      ["withoutVector", "number", "the number of memories that are not embedded yet"],
      ["bytes?", "number", "their size on disk"],
    ],
  },
  {
    command: "install --list",
    fields: [
      TOTAL,
      ["items", "list of objects", "one entry for each file of a client"],
      ["items[].client", "text", "the client's id"],
      ["items[].title", "text", "its name"],
      ["items[].scope?", "text", "`user` or `project`"],
      ["items[].path?", "text", "the file"],
      ["items[].exists?", "yes or no", "whether the file exists"],
      ["items[].found?", "yes or no", "whether the client was found on this machine"],
      [
        "items[].state",
        "text",
        "the entry: `absent`, `ours`, `foreign`, `invalid`; `by-hand` without a file",
      ],
      ["items[].runs?", "object", "what the entry runs"],
      ["items[].runs.command", "text", "the program"],
      ["items[].runs.args", "list of text", "its arguments"],
      ["items[].url?", "text", "the address of the server that it names instead"],
      ["items[].version?", "text", "the version that it starts, if known"],
      ["items[].problem?", "text", "why the file cannot be read"],
      ["items[].others?", "list of text", "the names of entries for other BMAD servers"],
    ],
  },
  {
    command: "install|uninstall CLIENT",
    fields: [
      TOTAL,
      ["items", "list of objects", "one entry for each affected file"],
      ["items[].client", "text", "the client's id"],
      ["items[].scope?", "text", "`user` or `project`"],
      ["items[].path?", "text", "the file"],
      ["items[].found?", "yes or no", "whether the client was found on this machine"],
      [
        "items[].outcome",
        "text",
        "`added`, `updated`, `replaced`, `removed`, `same`, `absent`, `invalid`, `foreign` or `by-hand`",
      ],
      ["items[].problem?", "text", "the problem in a file that was left alone"],
      ["items[].line?", "number", "the line of the problem"],
      ["items[].column?", "number", "the column of the problem"],
      ["items[].runs?", "object", "for an entry that is not ours, what it runs"],
      ["items[].runs.command", "text", "the program"],
      ["items[].runs.args", "list of text", "its arguments"],
      ["items[].diff?", "text", "the change, or with `--dry-run` the planned change"],
      ["items[].backup?", "text", "the backup of the file before the first change"],
      [
        "items[].replaced?",
        "list of text",
        "the names of other entries that ours replaced, or that are back",
      ],
      ["items[].note?", "text", "what else to know about the entry"],
      ["items[].place?", "text", "where to paste a snippet"],
      ["items[].text?", "text", "the snippet"],
    ],
  },
  {
    command: "config",
    fields: [...SETTING, ["project", "text or null", "the project folder"], ...FILES, ...IGNORED],
  },
  {
    command: "config get SETTING",
    fields: [
      ["value", "any", "its value; a secret is only said to be set"],
      ["from", "text", "where it comes from: `default`, a flag, a variable, or a file with its line"],
    ],
  },
  {
    command: "config set|unset|trust|untrust",
    fields: [
      ["changed", "yes or no", "whether the file said something else before"],
      ["file", "text", "your settings file"],
    ],
  },
  {
    command: "list usage",
    fields: [
      ["items", "list of objects", "what was used, most often first"],
      ["items[].name", "text", "its short name"],
      ["items[].id", "text", "its id"],
      ["items[].module", "text", "its module"],
      ["items[].kind", "text", "its kind"],
      ["items[].origin", "text", "the id of its source"],
      ["items[].count", "number", "how often it was run or read"],
      ["items[].last", "text", "when last, as an ISO time"],
      ["total", "number", "the number of items"],
    ],
  },
  {
    command: "version",
    fields: [
      ["name", "text", "`bmad-mcp`"],
      ["version", "text", "the version"],
      ["commit", "text or null", "the commit it was built from; null if it runs from source"],
      ["runtime", "text", "the runtime and its version"],
      ["target", "text", "the system and processor it was built for"],
    ],
  },
];
