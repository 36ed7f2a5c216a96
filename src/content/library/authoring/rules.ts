/** The rules for the files of each generation: a schema as data, and a function for the rest. */
import { type Entry, hasKind } from "../../../base/model.ts";
import { asText, asTexts, asValues, isValues, type Values } from "../../../base/values.ts";
import { completeItem, HELP_FILE, layoutOf, V3_FILE } from "../../inventory/mod.ts";
import { LIMITS } from "../../limits.ts";
import { normalizeText, parseCsv, parseFrontMatter, parseToml, parseYaml } from "../../parse.ts";
import { baseName, findText, joinPath, parentPath, walkFiles } from "../../tree/mod.ts";
import { isGenerated } from "../delivery/resources.ts";
import { findFile } from "../files/references.ts";
import { asTables } from "../values/merge.ts";
import { overriddenBy } from "../values/override_files.ts";
import {
  type CheckedFile,
  checkMap,
  checkUnique,
  findLine,
  hasBeside,
  hasFile,
  openFile,
  parsed,
  placesOf,
  type Schema,
  type Subject,
} from "./schema.ts";

interface FileRules {
  readonly schema?: Schema;
  readonly check?: (file: CheckedFile, values: Values) => void;
}

function checkFile(subject: Subject, path: string, { schema = {}, check }: FileRules = {}) {
  const file = openFile(subject, path);
  const parse = path.endsWith(".toml") ? parseToml : path.endsWith(".md") ? parseFrontMatter : parseYaml;
  const values = file && parsed(file, parse);
  if (values === undefined) return undefined;
  checkMap(file!, values, schema);
  check?.(file!, values);
  return values;
}

function keysOf(keys: string, type = ""): Schema {
  return Object.fromEntries(keys.split(" ").map((key) => [key, type]));
}

const QUESTIONS = [{ "key!": "unique", "prompt!": "text" }] as const;

const ROSTER_SCHEMA: Schema = { agents: [{ "code!": "unique agent", "name!": "text", "title!": "text" }] };

const MODULE_FILES: Readonly<Record<string, FileRules>> = {
  "module.yaml": { schema: { "code!": "text", "name!": "text", ...ROSTER_SCHEMA }, check: checkModule },
  // The older file of the core has neither code nor name.
  "install-config.yaml": { schema: ROSTER_SCHEMA, check: checkModule },
  "marketplace.json": {
    schema: { "name!": "text", "plugins!": [{ "name!": "unique", skills: "texts unique skill" }] },
  },
  "bmod.toml": {
    schema: {
      bmod: {
        "code!": "text",
        "version!": "text",
        "update_source!": "location",
        skills: "texts unique sibling",
        config_questions: QUESTIONS,
        knowledge: [{ "path!": "path" }],
      },
      skill: { bmod: "record", scripts: "texts path" },
    },
    check: checkRecord,
  },
  "roster.toml": {
    schema: {
      members: [{ "code!": "unique", "name!": "text", "title!": "text", skill: "item" }],
      groups: [{ "id!": "text", "name!": "text", members: "member" }],
    },
  },
  "retired.toml": { schema: { renamed: [{ "from!": "text", "to!": "item" }] }, check: checkRetired },
  // Each skill had one before there were records.
  "module-manifest.toml": {
    schema: {
      "module!": "text",
      "version!": "text",
      roster: "path",
      scripts: "path",
      knowledge: "path",
      config_questions: QUESTIONS,
    },
  },
};

export function isModuleFile(name: string): boolean {
  return name === HELP_FILE || Object.hasOwn(MODULE_FILES, name);
}

export function checkModuleFile(subject: Subject, path: string): void {
  const name = baseName(path);
  if (name === HELP_FILE) checkHelp(subject, path);
  else checkFile(subject, path, MODULE_FILES[name]!);
}

function checkModule(file: CheckedFile, values: Values): void {
  const code = asText(values["code"]);
  if (code !== undefined && !/^[A-Za-z0-9][\w-]{0,63}$/.test(code)) {
    file.fault("name", `${code} is not a valid code of a module`, "code:");
  }
  for (const [key, question] of Object.entries(values)) {
    const { prompt, default: given, ...row } = asValues(question);
    const choices = row["single-select"] ?? row["multi-select"];
    if (prompt === undefined || choices === undefined) continue;
    if (!Array.isArray(choices)) {
      file.fault("wrong-type", `the choices of ${key} are not a list`, `${key}:`);
      continue;
    }
    const known = choices.map((choice) => asText(isValues(choice) ? choice["value"] : choice));
    for (const text of asTexts(given)) {
      if (known.includes(text) || text.includes("{")) continue;
      file.fault("not-found", `the default of ${key}, ${text}, is not one of its choices`, `${key}:`);
    }
  }
}

function checkRecord(file: CheckedFile, { bmod, skill, ...others }: Values): void {
  if (!hasBeside(file, "SKILL.md")) file.fault("not-found", "no SKILL.md lies beside it");
  if (bmod !== undefined) return;
  if (isValues(skill)) checkMap(file, { skill }, { skill: { "bmod!": "", "source!": "" } });
  else if (Object.keys(others).length > 0) {
    file.fault("record", "the file has neither [bmod] nor [skill]", 1);
  }
}

function checkRetired(file: CheckedFile, { renamed, removed }: Values): void {
  const folder = parentPath(file.path);
  const record = parseToml(findText(file.subject.source.tree, joinPath(folder, "bmod.toml")) ?? "").value;
  const listed = asTexts(asValues(record["bmod"])["skills"]);
  const gone = [...asTables(renamed).map(({ from }) => from), removed].flatMap(asTexts);
  for (const id of gone.filter((id) => listed.includes(id))) {
    file.fault("record", `${id} is retired, but ${baseName(folder)} still lists it`, `"${id}"`);
  }
}

/** The columns that readers need; `after` and `before` were called so until 6.7. */
const NEEDED = ["module", "skill", "display-name", "menu-code", "description", "phase", "required"];
const NEIGHBOURS = ["preceded-by", "followed-by", "after", "before"];
const PHASE = /^(?:\d-[\w-]+|[a-z][\w-]*|)$/;

function checkHelp(subject: Subject, path: string): void {
  const file = openFile(subject, path);
  const [header, ...all] = file && parsed(file, parseCsv) || [];
  if (file === undefined || header === undefined) return;
  const rows = all.slice(0, LIMITS.validation.helpRows);
  const legacy = header.indexOf("workflow-file");
  if (legacy >= 0) {
    for (const target of rows.map((row) => row[legacy] ?? "")) {
      if (!/^skill:|\//.test(target) || isTarget(file, target)) continue;
      file.fault("help-row", `the row is about ${target}, which does not exist`, target);
    }
    return;
  }
  const missing = NEEDED.filter((column) => !header.includes(column));
  if (missing.length > 0) return file.fault("help-column", `missing columns: ${missing.join(", ")}`, 1);
  // Many releases left out the field `args`, which is read as an empty one.
  const args = header.indexOf("args");
  const whole = rows.map((row) => row.length === header.length - 1 ? row.toSpliced(args, 0, "") : row);
  for (const row of whole) checkHelpRow(file, header, row);
  const codes = whole.filter((row) => row.length === header.length)
    .map((row) => row[header.indexOf("menu-code")]);
  checkUnique(file, header, "columns");
  checkUnique(file, codes, "menu-code");
}

function checkHelpRow(file: CheckedFile, header: readonly string[], row: readonly string[]): void {
  const { subject } = file;
  const field = (name: string) => (row[header.indexOf(name)] ?? "").trim();
  const skill = field("skill");
  const fault = (message: string) =>
    file.fault("help-row", message, skill === "" ? row.join(",") : `,${skill},`);
  if (row.length !== header.length) {
    return fault(`the row of ${skill || "nothing"} has ${row.length} fields, the header ${header.length}`);
  }
  if (skill === "_meta") return;
  if (skill === "") fault("the row names no skill");
  else if (!subject.hasItem(baseName(skill))) fault(`the row is about ${skill}, which does not exist`);
  if (field("display-name") === "") fault(`the row of ${skill} has no display-name`);
  if (!/^(?:true|false|)$/i.test(field("required"))) fault(`required of ${skill} is neither true nor false`);
  if (!PHASE.test(field("phase"))) fault(`the phase of ${skill} is ${field("phase")}`);
  for (const column of NEIGHBOURS.filter((name) => header.includes(name))) {
    for (const other of field(column).split(/[,;|]/).map((text) => text.trim().split(":")[0]!)) {
      if (other === "" || subject.hasItem(other)) continue;
      fault(`${column} of ${skill} names ${other}, which does not exist`);
    }
  }
}

const AGENT_SOURCE: FileRules = {
  schema: {
    "agent!": {
      "metadata!": { "name!": "text", "title!": "text", "icon!": "text" },
      "persona!": { "role!": "text", "identity!": "text", "communication_style!": "text", "principles!": "" },
      critical_actions: "texts",
      prompts: [{ "id!": "unique", "content!": "text" }],
      menu: [{ trigger: "unique" }],
      ...keysOf(
        "critical-actions memories conversational_knowledge discussion webskip install_config localskip",
      ),
      "*": "unknown",
    },
  },
  check: (file, values) => {
    const agent = asValues(values["agent"]);
    const prompts = asTables(agent["prompts"]).map(({ id }) => `#${id}`);
    // One line of the menu may stand for several commands.
    const menu = asTables(agent["menu"]).filter(({ multi }) => multi === undefined);
    checkMenu(file, menu, AGENT_MENU);
    for (const action of menu.flatMap((item) => asTexts(item["action"]))) {
      if (!action.startsWith("#") || prompts.includes(action)) continue;
      file.fault("menu-target", `the menu starts the prompt ${action}, which does not exist`, action);
    }
  },
};

/** Under which keys a menu has its codes, what they start, and instructions in place of that. */
const AGENT_MENU = {
  code: "trigger",
  targets: ["workflow", "exec", "validate-workflow", "workflow-install", "tmpl", "data", "run-workflow"],
  instructions: "action",
  isSingle: false,
};

const SKILL_MENU = { code: "code", targets: ["skill"], instructions: "prompt", isSingle: true };

function checkMenu(file: CheckedFile, menu: readonly Values[], keys: typeof AGENT_MENU): void {
  for (const [at, item] of menu.entries()) {
    const [code, description] = [asText(item[keys.code]), asText(item["description"])];
    const name = `menu item ${code ?? at + 1}`;
    const fault = (problem: string) =>
      file.fault("menu", `${name} has ${problem}`, ...placesOf(code ?? description), "menu");
    if (code === undefined) fault(`no ${keys.code}`);
    if (description === undefined) fault("no description");
    const targets = keys.targets.flatMap((key) => asTexts(item[key]));
    const count = targets.length + asTexts(item[keys.instructions]).length;
    if (count === 0) fault("no target");
    if (keys.isSingle && count > 1) fault("two targets");
    for (const target of targets) checkTarget(file, name, target);
  }
}

function checkTarget(file: CheckedFile, name: string, target: string): void {
  // Authors mark what is not written yet.
  if (/^(?:todo|\*)/i.test(target) || isTarget(file, target)) return;
  file.fault("menu-target", `${name} starts ${target}, which does not exist`, `"${target}"`, target);
}

function isTarget({ subject: { library, source, hasItem }, path }: CheckedFile, target: string): boolean {
  const [, skill] = /^(?:skill:)?([^/.]*)$/.exec(target) ?? [];
  if (skill !== undefined) return hasItem(skill);
  const from = { source, path };
  return findFile(library, target, from) !== undefined || isGenerated(library, target, from);
}

const TEAM = { schema: { "bundle!": { "name!": "text" }, agents: "unique teammate" } };

export async function checkEntry(subject: Subject, entry: Entry): Promise<void> {
  const { file: path, kind, generation } = entry;
  const isYaml = /\.ya?ml$/.test(path);
  if (kind === "skill") checkSkill(subject, entry);
  else if (kind === "team" && isYaml) checkFile(subject, path, TEAM);
  else if (generation === "v4" && kind === "agent") checkV4Agent(subject, entry);
  else if (generation === "v4" && isYaml) checkFile(subject, path, V4_FILES[kind]);
  else if (generation !== "v6") return;
  else if (path.endsWith(".agent.yaml")) checkFile(subject, path, AGENT_SOURCE);
  else if (hasKind(entry, "agent")) await checkAgentFile(subject, entry);
  else if (kind !== "workflow") checkElement(subject, path);
  else if (isYaml) checkFile(subject, path, WORKFLOW_YAML);
  else if (path.endsWith(".md")) checkFile(subject, path, { schema: NAMED });
}

const NAMED: Schema = { "name!": "text", "description!": "text" };

const WORKFLOW_YAML: FileRules = {
  check: (file, { workflow, ...values }) =>
    isValues(workflow)
      ? checkMap(file, workflow, NAMED)
      : checkMap(file, values, { ...NAMED, "instructions!": "" }),
};

async function checkAgentFile(subject: Subject, entry: Entry): Promise<void> {
  const file = openFile(subject, entry.file);
  if (file === undefined) return;
  if (file.text.includes("<agent")) {
    for (const tag of ["agent", "persona", "menu"]) checkClosed(file, tag);
  } else parsed(file, parseFrontMatter);
  const { persona } = await completeItem(subject.source.tree, entry);
  for (const { code, label, target } of persona?.menu ?? []) {
    if (code === "" || label === "") {
      file.fault("menu", `menu item ${code || label} has no code or description`);
    }
    if (target !== undefined) checkTarget(file, `menu item ${code}`, target);
  }
}

function checkClosed(file: CheckedFile, tag: string): void {
  const isOpened = new RegExp(`<${tag}[\\s>]`).test(file.text);
  if (isOpened && !file.text.includes(`</${tag}>`)) {
    file.fault("syntax", `<${tag}> is not closed`, `<${tag}`);
  }
}

/** XML that people and models read, not a parser: only its outer element must be whole. */
function checkElement(subject: Subject, path: string): void {
  const file = path.endsWith(".xml") ? openFile(subject, path) : undefined;
  if (file === undefined) return;
  const [, tag] = /<(task|tool|workflow)\b/.exec(file.text) ?? [];
  if (tag === undefined) file.fault("syntax", "the file has neither <task> nor <tool>", 1);
  else checkClosed(file, tag);
}

const CHANGES: Schema = { ...keysOf("agent persona critical_actions memories menu prompts"), "*": "unknown" };

export function checkChanges(subject: Subject, root: string): void {
  const { entries } = subject.library.manifest;
  for (const folder of ["_config", "_cfg"].map((name) => joinPath(root, name, "agents"))) {
    for (const [path, name] of filesIn(subject, folder)) {
      const [, agent] = /^(.*)\.customize\.yaml$/.exec(name) ?? [];
      if (agent === undefined) continue;
      checkFile(subject, path, { schema: CHANGES });
      const isKnown = entries.some((entry) =>
        hasKind(entry, "agent") && (`${entry.module}-${entry.id}` === agent || entry.id === agent)
      );
      if (!isKnown) subject.report("customization", path, `no agent is called ${agent}`, 1);
    }
  }
  for (const [path, name] of filesIn(subject, joinPath(root, "custom"))) {
    const id = overriddenBy(name);
    if (id === undefined) continue;
    const entry = entries.find((entry) => entry.id === id && entry.kind === "skill");
    if (entry === undefined) subject.report("customization", path, `no skill is called ${id}`, 1);
    else checkFile(subject, path, { check: (file, own) => checkOverride(file, own, entry) });
  }
}

function filesIn({ source: { tree } }: Subject, folder: string): readonly [path: string, name: string][] {
  return tree.list(folder).filter(({ isDirectory }) => !isDirectory)
    .map(({ name }) => [joinPath(folder, name), name]);
}

function checkOverride(file: CheckedFile, values: Values, entry: Entry): void {
  const { tree } = file.subject.library.sources[entry.rank]!;
  const base = parseToml(findText(tree, joinPath(entry.folder, "customize.toml")) ?? "").value;
  for (const [table, own] of Object.entries(values)) {
    const known = base[table];
    if (!isValues(known)) {
      file.fault("customization", `the skill has no table [${table}]`, table);
      continue;
    }
    for (const [key, value] of Object.entries(asValues(own))) {
      const [type, wanted] = [typeOf(value), typeOf(known[key])];
      if (!Object.hasOwn(known, key)) {
        file.fault("customization", `the skill does not declare ${table}.${key}`, key);
      } else if (type !== wanted) {
        file.fault("wrong-type", `${table}.${key} is ${type}, but ${wanted} in the skill`, key);
      }
    }
  }
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : isValues(value) ? "a table" : "a value";
}

const V4_AGENT: Schema = {
  "agent!": { "name!": "text", "id!": "text", "title!": "text", "whenToUse!": "text" },
  "persona!": { "role!": "text" },
  "commands!": "",
  dependencies: {
    ...keysOf("tasks templates checklists data utils workflows agents agent-teams", "list"),
    "*": "unknown",
  },
};

function checkV4Agent(subject: Subject, { file: path, id }: Entry): void {
  const file = openFile(subject, path);
  if (file === undefined) return;
  const text = normalizeText(file.text);
  const [, block] = /```ya?ml\n([\s\S]*?)```/.exec(text) ?? [];
  if (block === undefined) return file.fault("syntax", "the agent has no fenced YAML block", 1);
  const offset = findLine(text, block.slice(0, 200)) ?? 1;
  const { value, problem, at } = parseYaml(block);
  if (problem !== undefined) return file.fault("syntax", problem, at && at.line + offset - 1);
  checkMap(file, value, V4_AGENT);
  const own = asText(asValues(value["agent"])["id"]);
  if (own !== undefined && own !== id) {
    file.fault("name", `agent.id is ${own}, but the file is ${id}.md`, `id: ${own}`);
  }
}

const SECTION: Schema = {
  "id!": "text",
  get sections() {
    return [SECTION] as const;
  },
};

const SEQUENCE: Schema = { sequence: [{ agent: "doer" }] };

const V4_FILES: Readonly<Record<string, FileRules>> = {
  template: { schema: { "template!": { "id!": "text", "name!": "text" }, sections: [SECTION] } },
  workflow: {
    check: (file, values) => {
      const named = { "name!": "text", ...SEQUENCE };
      checkMap(
        file,
        values,
        values["workflow"] === undefined ? named : { workflow: { "id!": "text", ...named } },
      );
    },
  },
};

export function checkPack(subject: Subject, root: string): void {
  for (const name of ["core-config.yaml", "core-config.yml", "install-manifest.yaml"]) {
    checkFile(subject, joinPath(root, name));
  }
  checkFile(subject, joinPath(root, "config.yaml"), { schema: { "name!": "text", "version!": "text" } });
}

export function checkV3(subject: Subject, root: string): void {
  const file = openFile(subject, joinPath(root, V3_FILE));
  if (file === undefined) return;
  const has = (folder: string, name: string) => hasFile(file, joinPath(root, folder, name));
  for (const section of normalizeText(file.text).split(/(?<=^|\n)## /).slice(1)) {
    const title = /^Title:[ \t]*(.+)$/m.exec(section)?.[1]?.trim();
    if (title === undefined) continue;
    const persona = /^- Persona:[ \t]*"?([^"\n]+)"?/m.exec(section)?.[1]?.trim();
    if (persona === undefined) file.fault("missing-key", `${title} has no persona`, `Title: ${title}`);
    else if (!has("personas", baseName(persona))) {
      file.fault("reference", `the persona ${persona} of ${title} is missing`, persona);
    }
    if (!/^- Name:/m.test(section)) file.fault("missing-key", `${title} has no name`, `Title: ${title}`);
    for (const [, task = ""] of section.matchAll(/\]\(([\w-]{1,80}\.md)\)/g)) {
      if (["tasks", "templates", "checklists", "data"].some((folder) => has(folder, task))) continue;
      file.fault("reference", `${task} of ${title} is missing`, task);
    }
  }
}

const SKILL_NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

function checkSkill(subject: Subject, entry: Entry): void {
  const { folder } = entry;
  checkSkillFile(subject, folder);
  const path = joinPath(folder, "customize.toml");
  const values = checkFile(subject, path, CUSTOMIZATION);
  const isMissing = subject.source.tree.stat(path) === undefined;
  if (values !== undefined || isMissing) checkUses(subject, entry, values);
  // The flat generation has name and title in its rosters.
  if (entry.generation !== "flat") {
    checkFile(subject, path, { schema: { agent: { "name!": "", "title!": "" } } });
  }
  checkFile(subject, joinPath(folder, "bmad-skill-manifest.yaml"), FILE_MANIFEST);
}

export function checkSkillFile(subject: Subject, folder: string): void {
  const file = openFile(subject, joinPath(folder, "SKILL.md"));
  if (file === undefined) return;
  if (!/^\uFEFF?---\r?\n/.test(file.text)) {
    return file.fault("front-matter", "the file has no front matter", 1);
  }
  const front = parsed(file, parseFrontMatter);
  if (front === undefined) return;
  const own = baseName(folder);
  const [name, description] = [asText(front["name"]), asText(front["description"])];
  if (name === undefined) file.fault("name", "name is missing", 1);
  else if (name !== own) file.fault("name", `name is ${name}, but the folder is ${own}`, "name:");
  else if (!SKILL_NAME.test(name)) file.fault("name", `${name} is not a valid name of a skill`, "name:");
  const { length } = description ?? "";
  if (length === 0) file.fault("description", "description is missing", 1);
  else if (length > 1_024) file.fault("description", `description has ${length} characters`, "description:");
}

const STEPS = keysOf("activation_steps_prepend activation_steps_append persistent_facts", "texts");
const PERSONA = keysOf("name title icon role identity communication_style", "text");

const CUSTOMIZATION: FileRules = {
  schema: { agent: { ...STEPS, ...PERSONA, principles: "texts", menu: "maps" }, workflow: STEPS },
  check: (file, { agent, workflow, ...others }) => {
    if (agent === undefined && workflow === undefined && Object.keys(others).length > 0) {
      const message = "the file has neither [agent] nor [workflow], and no other table is read";
      file.fault("customization", message, 1);
    }
    checkTables(file, asValues(agent), "agent");
    checkTables(file, asValues(workflow), "workflow");
    checkMenu(file, asTables(asValues(agent)["menu"]), SKILL_MENU);
  },
};

/** Lists of tables are merged by key: one without it, or with another's, cannot be overridden. */
function checkTables(file: CheckedFile, values: Values, where: string): void {
  for (const [name, rows] of Object.entries(values)) {
    if (!Array.isArray(rows) || !rows.every(isValues)) continue;
    for (const key of ["code", "id"]) checkUnique(file, rows.map((row) => row[key]), `${where}.${name}`);
  }
}

const USE = /\{(workflow|agent)\.([A-Za-z_]\w{0,60})\}/g;

function checkUses(subject: Subject, entry: Entry, values: Values | undefined): void {
  const skip = (path: string) => !/\.md$|^[^.]*$/.test(baseName(path));
  for (const path of walkFiles(subject.source.tree, entry.folder, skip)) {
    const file = openFile(subject, path);
    const uses = new Map(file?.text.matchAll(USE).map((use) => [use[0], use]));
    for (const [whole, table = "", key = ""] of uses.values()) {
      const declared = values?.[table];
      const isDeclared = isValues(declared)
        ? Object.hasOwn(declared, key)
        : values === undefined && hasKind(entry, "agent");
      if (!isDeclared) file!.fault("customization", `${whole} is not declared in customize.toml`, whole);
    }
  }
}

const TYPES = ["agent", "skill", "task", "tool", "workflow"];

/** It is about the skill itself or, in 6.1 and 6.2.0, maps files to descriptions. */
const FILE_MANIFEST: FileRules = {
  check: (file, values) => {
    const about = values["type"] === undefined ? Object.values(values).filter(isValues) : [values];
    for (const type of about.flatMap(({ type }) => asTexts(type)).filter((type) => !TYPES.includes(type))) {
      file.fault("unknown-key", `type ${type} is not one of ${TYPES.join(", ")}`, type);
    }
    if (values["type"] === "agent") checkMap(file, values, { "name!": "", "displayName!": "", "title!": "" });
  },
};

export function checkTaken(subject: Subject): void {
  const { library, source } = subject;
  // The names in what an installer has made are BMAD's own.
  const isInstalled = source.inventory.roots.some((root) =>
    layoutOf(root).manifests !== "none" ||
    source.tree.stat(joinPath(root.path, "install-manifest.yaml")) !== undefined
  );
  if (isInstalled) return;
  // Every pack of v4 has tasks and documents of its own; agents are called by their names.
  const items = subject.items.filter(({ generation, kind }) => generation !== "v4" || kind === "agent");
  const embedded = library.manifest.entries.filter((entry) => entry.origin.kind === "package");
  const theirs = Map.groupBy(embedded, ({ module }) => module);
  for (const [code, own] of Map.groupBy(items, ({ module }) => module)) {
    const ids = new Set(theirs.get(code)?.map(({ id }) => id));
    // Another release of the same module shares most of its ids.
    const shared = own.filter(({ id }) => ids.has(id)).length;
    if (ids.size === 0 || shared * 3 >= own.length) continue;
    subject.report("name-taken", own[0]!.file, `the module ${code} has the code of one of BMAD's own`);
  }
  const known = new Map(embedded.map((entry) => [entry.id, entry]));
  for (const entry of items) {
    const other = known.get(entry.id);
    if (other === undefined || theirs.has(entry.module) || entry.kind !== other.kind) continue;
    if (hasKind(entry, "agent") !== hasKind(other, "agent")) continue;
    const [own, before] = [entry, other].map(({ rank, file }) => findText(library.sources[rank]!.tree, file));
    if (own === before) continue;
    subject.report("name-taken", entry.file, `${entry.id} is also the name of ${other.module}/${other.id}`);
  }
}
