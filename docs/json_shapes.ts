/**
 * What `--json` prints, command by command: the table behind docs/json.md.
 *
 * A path ends with `?` where the field may be missing, has `[]` for each member of a list and `*` for a key that is
 * data. tests/commands/cli/json_test.ts runs the commands and fails when what they print is not what is said here.
 */

/** One field: where it is, what it is, and what it means. */
export type Field = readonly [path: string, type: string, meaning: string];

/** What one command prints. */
export interface Shape {
  /** The command as it is typed. */
  readonly command: string;
  readonly fields: readonly Field[];
}

const TOTAL: Field = ["total", "number", "how many there are, also those that `--limit` left out"];

const THING: readonly Field[] = [
  ["name", "text", "the short name: `prd`"],
  [
    "id",
    "text",
    "the id in its module: `bmad-prd`; with the module it always means one thing: `bmm/bmad-prd`",
  ],
  ["module", "text", "the module's code"],
  ["title?", "text", "what people call it"],
  ["description", "text", "when to use it, in its author's words; may be empty"],
  ["kind", "text", "what it is on disk: `agent`, `workflow`, `task`, `tool`, `skill`, `team`, …"],
  ["origin", "text", "the id of the origin that it comes from"],
];

const AGENT: readonly Field[] = [
  ["displayName?", "text", "the name that an agent goes by: `Mary`"],
  ["icon?", "text", "an emoji"],
  ["role?", "text", "what the agent does, in a sentence"],
  ["toolName?", "text", "its tool in the tool set `agents`"],
];

const WORK: readonly Field[] = [
  ["phase?", "text", "as BMAD spells it: `2-planning`"],
  [
    "category",
    "text",
    "the same in one word: `analysis`, `planning`, `solutioning`, `implementation` or `other`",
  ],
  ["standalone", "yes or no", "whether it can be started by itself"],
  ["agents", "list of text", "the agents whose menus start it"],
];

const ORIGIN: readonly Field[] = [
  ["id", "text", "the kind, with a number from the second of its kind on: `user-2`"],
  ["kind", "text", "`project`, `cli`, `env`, `user`, `git` or `package`"],
  ["priority", "number", "the lower number wins"],
  ["location", "text", "a folder, a URL or the name of a pack"],
  ["exists", "yes or no", "whether it can be looked into"],
  ["generations", "list of text", "the families of formats in it: `v3`, `v4`, `v6`, `skills`"],
  ["agents", "number", "how many agents it has"],
  ["workflows", "number", "how many workflows it has"],
  ["roots", "list of objects", "the BMAD roots that were found in it"],
  ["roots[].path", "text", "the folder in the origin; empty for the origin itself"],
  ["roots[].generation", "text", "its family of formats"],
  ["roots[].layout", "text", "how it lies on disk: docs/layouts.md"],
  ["roots[].version?", "text", "of the installation or package"],
  ["copy?", "object", "of a repository: the copy that is read in its place"],
  ["copy.commit?", "text", "the commit whose files it has; missing while there is no copy"],
  ["copy.fetched?", "text", "when it was last found to be what the repository has, in UTC"],
  ["copy.problem?", "text", "why there is none, or only an old one"],
  ["things", "number", "how many things it has, shadowed ones among them"],
  [
    "changed",
    "text or null",
    "when any of them was last written, in UTC; null for embedded content and for nothing",
  ],
];

const below = (path: string, fields: readonly Field[]): readonly Field[] =>
  fields.map(([name, type, meaning]) => [`${path}${name}`, type, meaning]);
const optional = (fields: readonly Field[]): readonly Field[] =>
  fields.map(([name, type, meaning]) => [/[\].?]/.test(name) ? name : `${name}?`, type, meaning]);
const listOf = (fields: readonly Field[]): readonly Field[] => [
  ["items", "list of objects", "what was asked for, in order"],
  ...below("items[].", fields),
  TOTAL,
];

const MEMORY: readonly Field[] = [
  ["id", "text", "the same for the same agent and text"],
  ["type", "text", "`shared-context`, `decisions`, `agent-learnings`, `failures` or `stories`"],
  ["agent", "text", "whose it is"],
  ["text", "text", "what is remembered"],
  ["tags", "list of text", "may be empty"],
  ["project", "text", "the project's name, as the kit makes it"],
  ["created_at", "text", "when it was remembered"],
];

const SETTING: readonly Field[] = [
  ["settings", "object", "every setting, by its key in settings files"],
  ["settings.*", "object", "one of them"],
  ["settings.*.value", "any", "its value; null when it has none"],
  ["settings.*.from", "text", "`default`, a flag, a variable, or a file and line"],
];

const FILES: readonly Field[] = [
  ["files", "list of objects", "the settings files that were looked for, the one that wins first"],
  ["files[].path", "text", "absolute"],
  ["files[].found", "yes or no", "whether it is there"],
];

/** Every command that takes `--json`. */
export const JSON_SHAPES: readonly Shape[] = [
  { command: "list agents", fields: listOf([...THING, ...AGENT]) },
  { command: "list workflows", fields: listOf([...THING, ...WORK]) },
  {
    command: "list modules",
    fields: listOf([
      ["name", "text", "the module's code"],
      ["title", "text", "for people"],
      ["description", "text", "may be empty"],
      ["version?", "text", "of the package or installation it came with"],
      ["agents", "number", "how many agents it has"],
      ["others", "number", "how many other things that lists show"],
      ["origin", "text", "the id of the best origin that has it"],
    ]),
  },
  {
    command: "list resources",
    fields: listOf([
      ["uri", "text", "what `show` takes"],
      ["title?", "text", "of what is made when it is read"],
      ["mimeType", "text", "its type"],
      ["size?", "number", "of a file, in bytes"],
      ["origin?", "text", "of a file, the id of its origin"],
    ]),
  },
  {
    command: "list next",
    fields: listOf([
      ...optional([
        ...THING.slice(0, 3),
        ["origin", "text", "the id of the origin that it comes from"],
        ["title", "text", "what people call it"],
        ["description", "text", "when to do it"],
        ["code", "text", "the short form in menus"],
        ["action", "text", "what of the skill is meant"],
        ["phase", "text", "as BMAD spells it"],
        ["after", "text", "what should have been run before it; may be empty"],
        ["before", "text", "what it should be run before; may be empty"],
        ["required", "yes or no", "whether a project cannot skip it"],
        ["outputs", "text", "what it leaves behind; may be empty"],
      ]),
      [
        "standing",
        "text",
        "`next`, `done`, `later`, `optional`, …; without a step, what is known of the whole",
      ],
      ["why?", "text", "why it is next"],
      ["story?", "text", "the story that it is about"],
      ["files", "list of text", "what it has left in the project"],
    ]),
  },
  { command: "sources", fields: listOf(ORIGIN) },
  {
    command: "conflicts",
    fields: listOf([
      ["what", "text", "`thing` or `file`, which several origins have, or `reference`, which none has"],
      ["name", "text", "of a thing its qualified name, else the URI of the file"],
      ["wins?", "text", "the id of the origin that counts"],
      ["shadowed?", "list of text", "the ids of the others"],
      ["why?", "text", "why that one counts"],
      ["differing?", "list of text", "of a thing, the URIs of the files that are not the same everywhere"],
      ["reference?", "text", "what the file refers to, as it spells it"],
      ["origin?", "text", "the id of the origin of that file"],
    ]),
  },
  {
    command: "show NAME",
    fields: [
      ...THING,
      ...AGENT,
      ...optional(WORK),
      ["version?", "text", "of the package or installation around it"],
      ["generation", "text", "`v3`, `v4`, `v6` or `skills`"],
      ["status", "text", "`verified` or `not-in-manifest`"],
      ["uri", "text", "of its first file"],
      ["location", "text", "where its origin is"],
      ["path", "text", "of its first file in the origin"],
      [
        "shadows",
        "list of text",
        "the ids of the origins whose record of it does not count because of this one",
      ],
      ["shadowedBy", "list of text", "the ids of those because of which this one does not count"],
      ["files", "list of objects", "all its files"],
      ["files[].uri", "text", "what `show` takes"],
      ["files[].size", "number", "in bytes"],
      ["persona?", "object", "of an agent: who it is"],
      ["persona.role?", "text", "what it does"],
      ["persona.identity?", "text", "whom it plays"],
      ["persona.communicationStyle?", "text", "how it talks"],
      ["persona.principles", "list of text", "rules that it keeps"],
      ["capabilities?", "list of text", "of an agent; mostly empty"],
      ["menu?", "list of objects", "of an agent"],
      ["menu[].code", "text", "what the user types"],
      ["menu[].label", "text", "what the user reads"],
      ["menu[].target?", "text", "the skill or file that it starts"],
      ["menu[].prompt?", "text", "what the agent is told where it starts none"],
      ["workflows?", "list of text", "of an agent: the targets of its menu"],
      ["customization", "object", "what its team and user made of it, resolved; keys are its own"],
      ["content", "text", "the text of its first file, as it is"],
    ],
  },
  {
    command: "show URI",
    fields: [
      ["uri", "text", "the canonical one"],
      ["mimeType", "text", "its type"],
      ["text?", "text", "what is in it"],
      ["blob?", "text", "what is in it, in base64, where it is no text"],
    ],
  },
  {
    command: "search WORDS",
    fields: listOf([
      ...THING,
      ...AGENT,
      ...optional(WORK),
      ["score", "number", "higher fits better; scores of two searches cannot be compared"],
      ["matched", "list of text", "where the words were found, the weightiest first"],
      ["snippet?", "text", "the words around the first of them"],
    ]),
  },
  {
    command: "execute NAME",
    fields: [
      ["name", "text", "the qualified name"],
      ["text", "text", "all that a model needs"],
    ],
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
      ["verdict", "text", "`good`, `look` or `broken`; the exit code is 0, 1 or 2"],
      ["problems", "list of objects", "what is wrong, the worst first"],
      [
        "problems[].section",
        "text",
        "the part that it was found in: `environment`, `binary`, `content`, `project`, `memory`, `clients`",
      ],
      ["problems[].level", "text", "`look` or `broken`"],
      ["problems[].code", "text", "for programs: `bad-file`"],
      ["problems[].message", "text", "what is wrong"],
      ["problems[].fix", "text", "what mends it"],
      ["problems[].origin?", "text", "the id of the origin that it is about"],
      ["problems[].path?", "text", "the file or folder in that origin"],
      ["environment", "object", "the machine and the settings"],
      ["environment.os", "text", "`linux`, `darwin` or `windows`"],
      ["environment.arch", "text", "`x86_64` or `aarch64`"],
      ["environment.home", "text or null", "the home folder"],
      ["environment.cwd", "text", "the working folder"],
      ...below("environment.", [...SETTING, ...FILES]),
      ["environment.logFile", "text or null", "where the log is also written to"],
      ["environment.git", "text or null", "the git that would fetch repositories; null where none is named"],
      ["binary", "object", "the program itself"],
      ["binary.name", "text", "`bmad-mcp`"],
      ["binary.version", "text", "its version"],
      ["binary.commit", "text or null", "what it was built from; null when it runs from source"],
      ["binary.runtime", "text", "what runs it"],
      ["binary.target", "text", "the system and processor it was built for"],
      ["binary.command", "text", "the command that starts it"],
      ["binary.args", "list of text", "and its arguments"],
      ["binary.rights", "object", "what the process may still do"],
      ["binary.rights.sandboxed", "yes or no", "no after `--no-sandbox`"],
      ["binary.rights.read", "list of text", "the folders and files that it may read"],
      ["binary.rights.write", "list of text", "those that it may write"],
      ["binary.rights.run", "list of text", "the programs that it may run"],
      ["binary.rights.net", "yes or no", "whether it may connect to others"],
      ["binary.rights.refused", "list of text", "what it wanted and was not started with"],
      ["binary.embedded", "object or null", "the embedded content, read through; null when none is served"],
      ["binary.embedded.files", "number", "how many files it has"],
      ["binary.embedded.damaged", "list of text", "those that are not as they were built"],
      ["binary.probes", "list of objects", "a conversation with the server in each protocol era"],
      ["binary.probes[].era", "text", "`2025` or `2026`"],
      ["binary.probes[].revision?", "text", "the revision that was agreed on"],
      ["binary.probes[].tools", "number", "how many tools were listed"],
      ["binary.probes[].ms", "object", "how long each step took, in milliseconds"],
      ["binary.probes[].ms.open", "number", "`initialize` or `server/discover`"],
      ["binary.probes[].ms.list", "number", "`tools/list`"],
      ["binary.probes[].ms.call", "number", "one call"],
      ["binary.probes[].problem?", "text", "what went wrong"],
      ["content", "object", "what is served"],
      ["content.origins", "list of objects", "as `sources` has them, best first"],
      ...below("content.origins[].", ORIGIN),
      ["content.conflicts", "number", "how many things several origins have"],
      ["content.references", "object", "what texts refer to"],
      ["content.references.total", "number", "how many references there are"],
      ["content.references.dead", "list of objects", "those that lead nowhere"],
      ["content.references.dead[].reference", "text", "as the text spells it"],
      ["content.references.dead[].uri", "text", "the file that has it"],
      ["content.references.dead[].origin", "text", "the id of its origin"],
      ["project", "object", "the project"],
      ["project.folder", "text or null", "absolute; null when there is none"],
      ["project.why", "text", "why that folder"],
      ["project.exists", "yes or no", "whether it is there"],
      ["project.roots", "list of objects", "the BMAD roots in it"],
      ...below("project.", ORIGIN.filter(([path]) => /^roots\[\]\.(path|generation|layout)/.test(path))),
      ["memory", "object", "the project's memory"],
      ["memory.isOn", "yes or no", "whether a server here has the tools of memory"],
      ["memory.backend", "text or null", "`sqlite` or `qdrant`; null without a project"],
      [
        "memory.place",
        "text or null",
        "the file or the server; null while nothing is kept, and for what fails",
      ],
      ["memory.files", "list of text", "where the file can be, the best place first"],
      ["memory.total", "number or null", "how many memories there are; null where that cannot be told"],
      ["memory.counts", "object or null", "how many of each type"],
      ["memory.counts.*", "number", "of one type"],
      ["memory.withoutVector", "number or null", "how many are found by words alone"],
      ["memory.model", "text or null", "what finds memories by meaning; null where words alone do"],
      ["memory.meaning", "text or null", "the same in words"],
      ["clients", "object", "the clients that are here"],
      ["clients.files", "list of objects", "their files, and those of the project"],
      ["clients.files[].client", "text", "the client's id"],
      ["clients.files[].title", "text", "what people call it"],
      ["clients.files[].scope", "text", "`user` or `project`"],
      ["clients.files[].path", "text", "the file"],
      ["clients.files[].exists", "yes or no", "whether it is there"],
      ["clients.files[].state", "text", "of our entry: `ours`, `absent`, `foreign` or `invalid`"],
      ["clients.files[].command?", "text", "what the entry starts"],
      ["clients.files[].args?", "list of text", "and with which arguments"],
      ["clients.files[].isThere?", "yes or no", "whether that program is there"],
      ["clients.files[].isCurrent?", "yes or no", "whether it is this one"],
      ["clients.files[].version?", "text", "its version, where that can be told without starting it"],
      ["clients.files[].isOff?", "yes or no", "whether the client was told not to start it"],
    ],
  },
  {
    command: "cache list",
    fields: listOf([
      ["name", "text", "the repository's address, without what is secret"],
      ["commit", "text", "the commit whose files the copy has"],
      ["fetched", "text", "when it was last found to be what the repository has, in UTC"],
      ["ageSeconds", "number", "how long ago that was"],
      ["size", "number", "of all its copies, in bytes"],
      ["folder", "text", "where the copy is"],
      ["copies", "number", "how many there are, old ones among them"],
      ["configured", "yes or no", "whether this start would serve it"],
      ["problem?", "text", "why it could not be fetched again"],
    ]),
  },
  {
    command: "cache update",
    fields: listOf([
      ["name", "text", "the repository's address"],
      ["outcome", "text", "`fetched`, `unchanged` or `failed`"],
      ["commit?", "text", "the commit whose files the copy has"],
      ["problem?", "text", "why it could not be fetched"],
    ]),
  },
  {
    command: "cache clear",
    fields: listOf([
      ["name", "text", "the repository's address"],
      ["size", "number", "in bytes"],
      ["removed", "yes or no", "no while another process fetches it"],
    ]),
  },
  {
    command: "memory remember",
    fields: [
      ...MEMORY,
      ["outcome", "text", "`new`, `changed` or `same`"],
      ["semantic", "yes or no", "whether its meaning was worked out, too"],
    ],
  },
  {
    command: "memory recall",
    fields: [
      ["query", "text", "what was asked for"],
      ["semantic", "yes or no", "whether meaning counted, not words alone"],
      ["hits", "list of objects", "the best first"],
      ...below("hits[].", [
        ...MEMORY,
        ["score", "number", "higher fits better"],
        ["lexical", "number", "what words in common add to it"],
        ["semantic?", "number", "how near its meaning is, up to 1"],
        ["words", "list of text", "the words that it has in common with the query"],
      ]),
    ],
  },
  {
    command: "memory list",
    fields: [
      TOTAL,
      ["memories", "list of objects", "the newest first"],
      ...below("memories[].", MEMORY),
    ],
  },
  {
    command: "memory status",
    fields: [
      ["place", "text", "a file, or the address of a Qdrant"],
      ["meaning", "text", "by what is compared"],
      ["total", "number", "how many memories there are"],
      ["counts", "object", "how many of each type, by its name"],
      ["counts.*", "number", "of one of them"],
      ["withoutVector", "number", "memories whose meaning was not worked out yet"],
      ["bytes?", "number", "what they take on disk"],
    ],
  },
  {
    command: "install|uninstall CLIENT",
    fields: [
      ["clients", "list of objects", "every file that was meant"],
      ["clients[].client", "text", "the client's id"],
      ["clients[].scope?", "text", "`user` or `project`"],
      ["clients[].path?", "text", "the file"],
      ["clients[].found?", "yes or no", "whether the client seems to be used here"],
      [
        "clients[].outcome",
        "text",
        "`added`, `updated`, `replaced`, `removed`, `same`, `absent`, `invalid`, `foreign` or `by-hand`",
      ],
      ["clients[].problem?", "text", "what is wrong with a file that was left alone"],
      ["clients[].line?", "number", "where that is"],
      ["clients[].column?", "number", "where that is"],
      ["clients[].runs?", "object", "what an entry of somebody else's runs"],
      ["clients[].runs.command", "text", "its program"],
      ["clients[].runs.args", "list of text", "and arguments"],
      ["clients[].diff?", "text", "what was changed, or with `--dry-run` would be"],
      ["clients[].backup?", "text", "the file as it was before the first change"],
      ["clients[].place?", "text", "where a snippet belongs"],
      ["clients[].text?", "text", "the snippet"],
    ],
  },
  {
    command: "config",
    fields: [...SETTING, ["project", "text or null", "the folder that counts as the project"], ...FILES],
  },
  {
    command: "version",
    fields: [
      ["name", "text", "`bmad-mcp`"],
      ["version", "text", "the version"],
      ["commit", "text or null", "what it was built from; null when it runs from source"],
      ["runtime", "text", "what runs it"],
      ["target", "text", "the system and processor it was built for"],
    ],
  },
];
