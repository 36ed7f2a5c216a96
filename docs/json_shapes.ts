/**
 * What `--json` prints, command by command: the source of docs/json.md.
 *
 * A path ends with `?` if the field may be missing, and has `[]` for each member of a list and `*` for a key that is
 * data. tests/commands/cli/json_test.ts runs the commands and compares what they print with this table.
 */

/** One field: its path, type and meaning. */
export type Field = readonly [path: string, type: string, meaning: string];

/** The fields that one command prints. */
export interface Shape {
  /** The command as people type it. */
  readonly command: string;
  readonly fields: readonly Field[];
}

const TOTAL: Field = ["total", "number", "how many there are, including those that `--limit` left out"];

const ITEM: readonly Field[] = [
  ["name", "text", "the short name: `prd`"],
  ["id", "text", "the id in its module: `bmad-prd`; unique with the module: `bmm/bmad-prd`"],
  ["module", "text", "the module's code"],
  ["title?", "text", "its title"],
  ["description", "text", "when to use it, in its author's words; may be empty"],
  ["kind", "text", "what it is on disk: `agent`, `workflow`, `task`, `tool`, `skill`, `team`, …"],
  ["origin", "text", "the id of its source"],
];

const AGENT: readonly Field[] = [
  ["displayName?", "text", "an agent's display name: `Mary`"],
  ["icon?", "text", "an emoji"],
  ["role?", "text", "what the agent does, in a sentence"],
  ["toolName?", "text", "the name of its tool in the tool set `agents`"],
];

const WORK: readonly Field[] = [
  ["phase?", "text", "as BMAD spells it: `2-planning`"],
  [
    "category",
    "text",
    "the same in one word: `analysis`, `planning`, `solutioning`, `implementation` or `other`",
  ],
  ["standalone", "yes or no", "whether it can run on its own"],
  ["agents", "list of text", "the agents whose menus start it"],
];

const ORIGIN: readonly Field[] = [
  ["id", "text", "the kind, with a number from the second one on: `user-2`"],
  ["kind", "text", "`project`, `cli`, `env`, `user`, `git` or `package`"],
  ["priority", "number", "lower numbers win"],
  ["location", "text", "a folder, a URL or the name of a pack"],
  ["exists", "yes or no", "whether it can be read"],
  ["generations", "list of text", "the BMAD generations found in it: `v3`, `v4`, `v6`, `skills`"],
  ["agents", "number", "number of agents"],
  ["workflows", "number", "number of workflows"],
  ["roots", "list of objects", "the BMAD roots found in it"],
  ["roots[].path", "text", "the folder in the source; empty for the source itself"],
  ["roots[].generation", "text", "its generation"],
  ["roots[].layout", "text", "its layout on disk: docs/layouts.md"],
  ["roots[].version?", "text", "of the installation or package"],
  ["copy?", "object", "of a repository: its cached copy"],
  ["copy.commit?", "text", "the commit of the copy; missing if there is no copy"],
  ["copy.fetched?", "text", "when it was last fetched or found unchanged, in UTC"],
  ["copy.problem?", "text", "why there is no copy, or only an old one"],
  ["things", "number", "number of items, including overridden ones"],
  [
    "changed",
    "text or null",
    "when any of them last changed, in UTC; null for embedded content and without items",
  ],
];

const below = (path: string, fields: readonly Field[]): readonly Field[] =>
  fields.map(([name, type, meaning]) => [`${path}${name}`, type, meaning]);
const optional = (fields: readonly Field[]): readonly Field[] =>
  fields.map(([name, type, meaning]) => [/[\].?]/.test(name) ? name : `${name}?`, type, meaning]);
const listOf = (fields: readonly Field[]): readonly Field[] => [
  ["items", "list of objects", "the results, in order"],
  ...below("items[].", fields),
  TOTAL,
];

const MEMORY: readonly Field[] = [
  ["id", "text", "derived from agent and text"],
  ["type", "text", "`shared-context`, `decisions`, `agent-learnings`, `failures` or `stories`"],
  ["agent", "text", "the agent that it belongs to"],
  ["text", "text", "the memory itself"],
  ["tags", "list of text", "may be empty"],
  ["project", "text", "the project's name, as the kit derives it"],
  ["created_at", "text", "when it was stored"],
];

const SETTING: readonly Field[] = [
  ["settings", "object", "every setting, by its key in settings files"],
  ["settings.*", "object", "one setting"],
  ["settings.*.value", "any", "its value; null if it has none"],
  ["settings.*.from", "text", "`default`, a flag, a variable, or a file and line"],
];

const FILES: readonly Field[] = [
  ["files", "list of objects", "the settings files, in order of precedence"],
  ["files[].path", "text", "absolute"],
  ["files[].found", "yes or no", "whether it exists"],
];

/** Every command that takes `--json`. */
export const JSON_SHAPES: readonly Shape[] = [
  { command: "list agents", fields: listOf([...ITEM, ...AGENT]) },
  { command: "list workflows", fields: listOf([...ITEM, ...WORK]) },
  {
    command: "list modules",
    fields: listOf([
      ["name", "text", "the module's code"],
      ["title", "text", "its title"],
      ["description", "text", "may be empty"],
      ["version?", "text", "of its package or installation"],
      ["agents", "number", "number of agents"],
      ["others", "number", "number of other items that lists show"],
      ["origin", "text", "the id of the source with the highest priority that has it"],
    ]),
  },
  {
    command: "list resources",
    fields: listOf([
      ["uri", "text", "what `show` takes"],
      ["title?", "text", "of a resource that is generated when it is read"],
      ["mimeType", "text", "its type"],
      ["size?", "number", "of a file, in bytes"],
      ["origin?", "text", "of a file, the id of its source"],
    ]),
  },
  {
    command: "list next",
    fields: listOf([
      ...optional([
        ...ITEM.slice(0, 3),
        ["origin", "text", "the id of its source"],
        ["title", "text", "its title"],
        ["description", "text", "when to do it"],
        ["code", "text", "the short form in menus"],
        ["action", "text", "the action of the skill"],
        ["phase", "text", "as BMAD spells it"],
        ["after", "text", "what should run before it; may be empty"],
        ["before", "text", "what should run after it; may be empty"],
        ["required", "yes or no", "whether every project needs it"],
        ["outputs", "text", "its artefacts; may be empty"],
      ]),
      [
        "standing",
        "text",
        "`next`, `done`, `later`, `optional`, …; without a step, the state of the project",
      ],
      ["why?", "text", "why it is next"],
      ["story?", "text", "the story concerned"],
      ["files", "list of text", "its artefacts in the project"],
    ]),
  },
  { command: "sources", fields: listOf(ORIGIN) },
  {
    command: "conflicts",
    fields: listOf([
      [
        "what",
        "text",
        "`thing` (an item) or `file`, which several sources have, or `reference`, which is broken",
      ],
      ["name", "text", "the qualified name of an item, else the URI of the file"],
      ["wins?", "text", "the id of the source that wins"],
      ["shadowed?", "list of text", "the ids of the overridden sources"],
      ["why?", "text", "why it wins"],
      ["differing?", "list of text", "the URIs of the files of an item that differ between sources"],
      ["reference?", "text", "the reference, as the file spells it"],
      ["origin?", "text", "the id of the file's source"],
    ]),
  },
  {
    command: "show NAME",
    fields: [
      ...ITEM,
      ...AGENT,
      ...optional(WORK),
      ["version?", "text", "of its package or installation"],
      ["generation", "text", "`v3`, `v4`, `v6` or `skills`"],
      ["status", "text", "`verified` or `not-in-manifest`"],
      ["uri", "text", "of its main file"],
      ["location", "text", "the location of its source"],
      ["path", "text", "its main file in the source"],
      ["shadows", "list of text", "the ids of the sources whose version this one overrides"],
      ["shadowedBy", "list of text", "the ids of the sources that override it"],
      ["files", "list of objects", "its files"],
      ["files[].uri", "text", "what `show` takes"],
      ["files[].size", "number", "in bytes"],
      ["persona?", "object", "of an agent"],
      ["persona.role?", "text", "what it does"],
      ["persona.identity?", "text", "the character that it plays"],
      ["persona.communicationStyle?", "text", "how it talks"],
      ["persona.principles", "list of text", "its principles"],
      ["capabilities?", "list of text", "of an agent; usually empty"],
      ["menu?", "list of objects", "of an agent"],
      ["menu[].code", "text", "what the user types"],
      ["menu[].label", "text", "what the user reads"],
      ["menu[].target?", "text", "the skill or file that it starts"],
      ["menu[].prompt?", "text", "the instruction for an item that starts none"],
      ["workflows?", "list of text", "of an agent: the targets of its menu"],
      ["customization", "object", "the customization by team and user, resolved; keys vary"],
      ["content", "text", "the unchanged text of its main file"],
    ],
  },
  {
    command: "show URI",
    fields: [
      ["uri", "text", "the canonical one"],
      ["mimeType", "text", "its type"],
      ["text?", "text", "its text"],
      ["blob?", "text", "of a binary file: its bytes in base64"],
    ],
  },
  {
    command: "search WORDS",
    fields: listOf([
      ...ITEM,
      ...AGENT,
      ...optional(WORK),
      ["score", "number", "higher is better; not comparable between searches"],
      ["matched", "list of text", "the fields that matched, the most important first"],
      ["snippet?", "text", "the text around the first match"],
    ]),
  },
  {
    command: "execute NAME",
    fields: [["name", "text", "the qualified name"], ["text", "text", "everything a model needs"]],
  },
  {
    command: "call TOOL",
    fields: [
      ["content", "list of objects", "the result, as MCP clients get it"],
      ["content[].type", "text", "`text`"],
      ["content[].text", "text", "what a model reads"],
    ],
  },
  {
    command: "doctor",
    fields: [
      ["verdict", "text", "`good`, `look` (warnings) or `broken` (errors); the exit code is 0, 1 or 2"],
      ["problems", "list of objects", "the problems, the worst first"],
      [
        "problems[].section",
        "text",
        "where it was found: `environment`, `binary`, `content`, `project`, `memory`, `clients`",
      ],
      ["problems[].level", "text", "`look` (a warning) or `broken` (an error)"],
      ["problems[].code", "text", "for programs: `bad-file`"],
      ["problems[].message", "text", "the problem"],
      ["problems[].fix", "text", "how to fix it"],
      ["problems[].origin?", "text", "the id of the source concerned"],
      ["problems[].path?", "text", "the file or folder in that source"],
      ["environment", "object", "the machine and the settings"],
      ["environment.os", "text", "`linux`, `darwin` or `windows`"],
      ["environment.arch", "text", "`x86_64` or `aarch64`"],
      ["environment.home", "text or null", "the home folder"],
      ["environment.cwd", "text", "the working folder"],
      ...below("environment.", [...SETTING, ...FILES]),
      ["environment.logFile", "text or null", "the log file"],
      ["environment.git", "text or null", "the version of git; null if no repository is configured"],
      ["binary", "object", "the program itself"],
      ["binary.name", "text", "`bmad-mcp`"],
      ["binary.version", "text", "its version"],
      ["binary.commit", "text or null", "the commit that it was built from; null if it runs from source"],
      ["binary.runtime", "text", "its runtime"],
      ["binary.target", "text", "the system and processor it was built for"],
      ["binary.command", "text", "the command that starts it"],
      ["binary.args", "list of text", "the arguments of that command"],
      ["binary.rights", "object", "what the process may do"],
      ["binary.rights.sandboxed", "yes or no", "no with `--no-sandbox`"],
      ["binary.rights.read", "list of text", "folders and files that it may read"],
      ["binary.rights.write", "list of text", "folders and files that it may write"],
      ["binary.rights.run", "list of text", "programs that it may run"],
      ["binary.rights.net", "yes or no", "whether it may use the network"],
      ["binary.rights.refused", "list of text", "permissions that are missing"],
      ["binary.embedded", "object or null", "the embedded content, fully checked; null if it is not served"],
      ["binary.embedded.files", "number", "number of files"],
      ["binary.embedded.damaged", "list of text", "the damaged files"],
      ["binary.probes", "list of objects", "a test of the server in each protocol era"],
      ["binary.probes[].era", "text", "`2025` or `2026`"],
      ["binary.probes[].revision?", "text", "the negotiated revision"],
      ["binary.probes[].tools", "number", "number of tools"],
      ["binary.probes[].ms", "object", "how long each step took, in milliseconds"],
      ["binary.probes[].ms.open", "number", "`initialize` or `server/discover`"],
      ["binary.probes[].ms.list", "number", "`tools/list`"],
      ["binary.probes[].ms.call", "number", "one call"],
      ["binary.probes[].problem?", "text", "what went wrong"],
      ["content", "object", "the content"],
      ["content.origins", "list of objects", "the sources, as `sources` prints them"],
      ...below("content.origins[].", ORIGIN),
      ["content.conflicts", "number", "number of items in several sources"],
      ["content.references", "object", "references between files"],
      ["content.references.total", "number", "number of references"],
      ["content.references.dead", "list of objects", "the broken ones"],
      ["content.references.dead[].reference", "text", "as the file spells it"],
      ["content.references.dead[].uri", "text", "the file that contains it"],
      ["content.references.dead[].origin", "text", "the id of its source"],
      ["project", "object", "the project"],
      ["project.folder", "text or null", "absolute; null if there is none"],
      ["project.why", "text", "why that folder"],
      ["project.exists", "yes or no", "whether it exists"],
      ["project.roots", "list of objects", "the BMAD roots in it"],
      ...below("project.", ORIGIN.filter(([path]) => /^roots\[\]\.(path|generation|layout)/.test(path))),
      ["memory", "object", "the project's memory"],
      ["memory.isOn", "yes or no", "whether the memory tools are on"],
      ["memory.backend", "text or null", "`sqlite` or `qdrant`; null without a project"],
      ["memory.place", "text or null", "the file or server; null if it is empty or unavailable"],
      ["memory.files", "list of text", "possible files, in order of preference"],
      ["memory.total", "number or null", "number of memories; null if unknown"],
      ["memory.counts", "object or null", "number of memories by type"],
      ["memory.counts.*", "number", "for one type"],
      ["memory.withoutVector", "number or null", "number of memories that are found by words only"],
      ["memory.model", "text or null", "the embedding model; null if search uses words only"],
      ["memory.meaning", "text or null", "how memories are searched, for people"],
      ["clients", "object", "the installed clients"],
      ["clients.files", "list of objects", "their files, and those of the project"],
      ["clients.files[].client", "text", "the client's id"],
      ["clients.files[].title", "text", "the client's name"],
      ["clients.files[].scope", "text", "`user` or `project`"],
      ["clients.files[].path", "text", "the file"],
      ["clients.files[].exists", "yes or no", "whether it exists"],
      [
        "clients.files[].state",
        "text",
        "the entry: `ours`, `absent`, `foreign` (runs another program) or `invalid`",
      ],
      ["clients.files[].command?", "text", "what the entry starts"],
      ["clients.files[].args?", "list of text", "its arguments"],
      ["clients.files[].isThere?", "yes or no", "whether that program exists"],
      ["clients.files[].isCurrent?", "yes or no", "whether it is this program"],
      ["clients.files[].version?", "text", "its version, if known without starting it"],
      ["clients.files[].isOff?", "yes or no", "whether the entry is switched off"],
    ],
  },
  {
    command: "cache list",
    fields: listOf([
      ["name", "text", "the repository's address, without credentials"],
      ["commit", "text", "the commit of the copy"],
      ["fetched", "text", "when it was last fetched or found unchanged, in UTC"],
      ["ageSeconds", "number", "how long ago that was"],
      ["size", "number", "the size of all its copies, in bytes"],
      ["folder", "text", "where the copy is"],
      ["copies", "number", "number of copies, including old ones"],
      ["configured", "yes or no", "whether it is served"],
      ["problem?", "text", "why the last fetch failed"],
    ]),
  },
  {
    command: "cache update",
    fields: listOf([
      ["name", "text", "the repository's address"],
      ["outcome", "text", "`fetched`, `unchanged` or `failed`"],
      ["commit?", "text", "the commit of the copy"],
      ["problem?", "text", "why it cannot be fetched"],
    ]),
  },
  {
    command: "cache clear",
    fields: listOf([
      ["name", "text", "the repository's address"],
      ["size", "number", "in bytes"],
      ["removed", "yes or no", "no if another process is fetching it"],
    ]),
  },
  {
    command: "memory remember",
    fields: [
      ...MEMORY,
      ["outcome", "text", "`new`, `changed` or `same`"],
      ["semantic", "yes or no", "whether it was embedded"],
    ],
  },
  {
    command: "memory recall",
    fields: [
      ["query", "text", "the query"],
      ["semantic", "yes or no", "whether embeddings were used, not only words"],
      ["hits", "list of objects", "the best first"],
      ...below("hits[].", [
        ...MEMORY,
        ["score", "number", "higher is better"],
        ["lexical", "number", "the part of the score from common words"],
        ["semantic?", "number", "the similarity of its meaning, up to 1"],
        ["words", "list of text", "words that it shares with the query"],
      ]),
    ],
  },
  {
    command: "memory list",
    fields: [TOTAL, ["memories", "list of objects", "the newest first"], ...below("memories[].", MEMORY)],
  },
  {
    command: "memory status",
    fields: [
      ["place", "text", "a file, or the address of a Qdrant server"],
      ["meaning", "text", "how memories are searched, for people"],
      ["total", "number", "number of memories"],
      ["counts", "object", "number of memories by type"],
      ["counts.*", "number", "for one type"],
      ["withoutVector", "number", "number of memories without an embedding"],
      ["bytes?", "number", "size on disk"],
    ],
  },
  {
    command: "install|uninstall CLIENT",
    fields: [
      ["clients", "list of objects", "every file concerned"],
      ["clients[].client", "text", "the client's id"],
      ["clients[].scope?", "text", "`user` or `project`"],
      ["clients[].path?", "text", "the file"],
      ["clients[].found?", "yes or no", "whether the client seems to be installed"],
      [
        "clients[].outcome",
        "text",
        "`added`, `updated`, `replaced`, `removed`, `same`, `absent`, `invalid`, `foreign` or `by-hand`",
      ],
      ["clients[].problem?", "text", "why the file cannot be changed"],
      ["clients[].line?", "number", "the line of the problem"],
      ["clients[].column?", "number", "the column of the problem"],
      ["clients[].runs?", "object", "what a foreign entry runs"],
      ["clients[].runs.command", "text", "its program"],
      ["clients[].runs.args", "list of text", "its arguments"],
      ["clients[].diff?", "text", "the change as a diff, made or with `--dry-run` only planned"],
      ["clients[].backup?", "text", "the backup from before the first change"],
      ["clients[].place?", "text", "where to paste the snippet"],
      ["clients[].text?", "text", "the snippet"],
    ],
  },
  { command: "config", fields: [...SETTING, ["project", "text or null", "the project folder"], ...FILES] },
  {
    command: "version",
    fields: [
      ["name", "text", "`bmad-mcp`"],
      ["version", "text", "the version"],
      ["commit", "text or null", "the commit that it was built from; null if it runs from source"],
      ["runtime", "text", "its runtime"],
      ["target", "text", "the system and processor it was built for"],
    ],
  },
];
