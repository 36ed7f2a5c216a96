/**
 * Rules for the files of a module: module.yaml, its help catalogue, the list of a plugin, overrides, and the records of the
 * flat generation.
 */
import { asTables } from "../values/merge.ts";
import { hasKind } from "../../../base/model.ts";
import {
  asText,
  asTexts,
  asValues,
  isValues,
  parseCsv,
  parseToml,
  parseYaml,
  type Values,
} from "../../parse.ts";
import { layoutOf } from "../../inventory/mod.ts";
import { baseName, findText, joinPath, normalizePath, parentPath } from "../../tree/mod.ts";
import { findFile } from "../files/references.ts";
import {
  type CheckedFile,
  checkParsed,
  checkTwice,
  checkTypes,
  fileOf,
  parsed,
  requireKeys,
  type Subject,
} from "./faults.ts";
import { overriddenBy } from "../values/override_files.ts";

const CODE = /^[A-Za-z0-9][\w-]{0,63}$/;

export const checkModule = checkParsed(parseYaml, (subject, file, values) => {
  // The older file of the core has neither.
  if (baseName(file.path) === "module.yaml") requireKeys(file, values, ["code", "name"], "", 1);
  const code = asText(values["code"]);
  if (code !== undefined && !CODE.test(code)) {
    file.fault("name", `${code} is not a valid code of a module`, "code:");
  }
  checkTypes(file, values, { agents: "a list of maps" });
  const agents = asTables(values["agents"]);
  for (const agent of agents) {
    const name = asText(agent["code"]);
    requireKeys(file, agent, ["code", "name", "title"], "agents[]", name ?? "agents:");
    if (name !== undefined && !subject.hasAgent(name)) {
      file.fault("not-found", `the roster names ${name}, which is not an agent`, name);
    }
  }
  checkTwice(file, agents.map((agent) => asText(agent["code"])), "the roster: the code");
  for (const [key, value] of Object.entries(values)) checkQuestion(file, key, value);
});

function checkQuestion(file: CheckedFile, key: string, value: unknown): void {
  if (!isValues(value) || value["prompt"] === undefined) return;
  const choices = value["single-select"] ?? value["multi-select"];
  if (choices === undefined) return;
  if (!Array.isArray(choices)) {
    return file.fault("wrong-type", `the choices of ${key} are not a list`, `${key}:`);
  }
  const known = choices.map((choice) => asText(isValues(choice) ? choice["value"] : choice));
  for (const text of asTexts(value["default"])) {
    if (known.includes(text) || text.includes("{")) continue;
    file.fault("not-found", `the default of ${key}, ${text}, is not one of its choices`, `${key}:`);
  }
}

/** The columns that readers need; `after` and `before` were called so until 6.7. */
const NEEDED = ["module", "skill", "display-name", "menu-code", "description", "phase", "required"];
const NEIGHBOURS = ["preceded-by", "followed-by", "after", "before"];
const PHASE = /^(?:\d-[\w-]+|anytime|plan|ship|gametest|[a-z][\w-]*|)$/;

export const checkHelp = checkParsed(parseCsv, (subject, file, [header, ...rows]) => {
  if (header === undefined) return;
  if (header.includes("workflow-file")) return checkLegacyHelp(subject, file, header, rows);
  const missing = NEEDED.filter((column) => !header.includes(column));
  if (missing.length > 0) return file.fault("help-column", `missing columns: ${missing.join(", ")}`, 1);
  checkTwice(file, header, "the column");
  const codes: string[] = [];
  for (const row of rows.slice(0, MAX_ROWS)) {
    // Many releases left out the field `args`, which is read as an empty one.
    const whole = row.length === header.length - 1 ? row.toSpliced(header.indexOf("args"), 0, "") : row;
    const field = (name: string) => (whole[header.indexOf(name)] ?? "").trim();
    const skill = field("skill");
    const fault = (message: string) =>
      file.fault("help-row", message, skill === "" ? row.join(",") : `,${skill},`);
    if (whole.length !== header.length) {
      fault(`the row of ${skill || "nothing"} has ${row.length} fields, the header ${header.length}`);
      continue;
    }
    if (skill === "_meta") continue;
    if (skill === "") fault("the row names no skill");
    else if (!subject.hasItem(baseName(skill))) fault(`the row is about ${skill}, which does not exist`);
    if (field("display-name") === "") fault(`the row of ${skill} has no display-name`);
    if (!/^(?:true|false|)$/i.test(field("required"))) {
      fault(`required of ${skill} is neither true nor false`);
    }
    if (!PHASE.test(field("phase"))) fault(`the phase of ${skill} is ${field("phase")}`);
    for (const column of NEIGHBOURS.filter((name) => header.includes(name))) {
      for (const other of field(column).split(/[,;|]/).map((text) => text.trim().split(":")[0]!)) {
        if (other === "" || subject.hasItem(other)) continue;
        fault(`${column} of ${skill} names ${other}, which does not exist`);
      }
    }
    codes.push(field("menu-code"));
  }
  checkTwice(file, codes, "the menu-code");
});

const MAX_ROWS = 1_000;

function checkLegacyHelp(
  subject: Subject,
  file: CheckedFile,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const { library, source } = subject;
  for (const row of rows.slice(0, MAX_ROWS)) {
    const target = row[header.indexOf("workflow-file")] ?? "";
    if (target.startsWith("skill:")) {
      if (subject.hasItem(target.slice("skill:".length))) continue;
    } else if (
      !target.includes("/") || findFile(library, target, { source, path: file.path }) !== undefined
    ) continue;
    file.fault("help-row", `the row is about ${target}, which does not exist`, target);
  }
}

export const checkPlugin = checkParsed(parseYaml, (subject, file, values) => {
  requireKeys(file, values, ["name", "plugins"], "", 1);
  checkTypes(file, values, { plugins: "a list of maps" });
  const plugins = asTables(values["plugins"]);
  checkTwice(file, plugins.map((plugin) => asText(plugin["name"])), "the plugin");
  for (const plugin of plugins) {
    requireKeys(file, plugin, ["name"], "plugins[]", "plugins");
    checkTypes(file, plugin, { skills: "a list of texts" }, "plugins[]");
    const skills = asTexts(plugin["skills"] ?? []);
    checkTwice(file, skills, "the skill");
    for (const skill of skills) {
      const folder = normalizePath(joinPath(asText(plugin["source"]) ?? "", skill)) ?? normalizePath(skill);
      const isSkill = [folder, normalizePath(skill)].some((each) =>
        each !== undefined && subject.source.tree.stat(joinPath(each, "SKILL.md")) !== undefined
      );
      if (!isSkill) file.fault("not-found", `the plugin lists ${skill}, which is not a skill`, skill);
    }
  }
});

export function checkOverrides(subject: Subject, root: string): void {
  const folder = joinPath(root, "custom");
  for (const { name, isDirectory } of subject.source.tree.list(folder)) {
    const id = isDirectory ? undefined : overriddenBy(name);
    if (id === undefined) continue;
    const file = fileOf(subject, joinPath(folder, name));
    if (file === undefined) continue;
    const values = parsed(file, parseToml) ?? {};
    const entry = subject.library.manifest.entries.find((entry) => entry.id === id && entry.kind === "skill");
    if (entry === undefined) {
      file.fault("customization", `no skill is called ${id}`, 1);
      continue;
    }
    const source = subject.library.sources[entry.rank]!;
    const base = parseToml(findText(source.tree, joinPath(entry.folder, "customize.toml")) ?? "").value;
    for (const table of Object.keys(values)) checkOverride(file, table, values[table], base[table]);
  }
}

function checkOverride(file: CheckedFile, table: string, own: unknown, base: unknown): void {
  if (!isValues(base)) return file.fault("customization", `the skill has no table [${table}]`, table);
  for (const [key, value] of Object.entries(asValues(own))) {
    if (!Object.hasOwn(base, key)) {
      file.fault("customization", `the skill does not declare ${table}.${key}`, key);
    } else if (kindOf(value) !== kindOf(base[key])) {
      const message = `${table}.${key} is ${kindOf(value)}, but ${kindOf(base[key])} in the skill`;
      file.fault("wrong-type", message, key);
    }
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : isValues(value) ? "a table" : "a value";
}

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
  for (const code of new Set(items.map(({ module }) => module))) {
    const own = items.filter(({ module }) => module === code);
    const theirs = new Set(embedded.filter(({ module }) => module === code).map(({ id }) => id));
    if (theirs.size === 0) continue;
    // Another release of the same module shares most of its ids.
    const shared = own.filter(({ id }) => theirs.has(id)).length;
    if (shared * 3 >= own.length) continue;
    const first = own[0]!;
    subject.report("name-taken", first.file, `the module ${code} has the code of one of BMAD's own`);
  }
  const known = new Map(embedded.map((entry) => [entry.id, entry]));
  const own = new Set(embedded.map(({ module }) => module));
  for (const entry of items) {
    const other = known.get(entry.id);
    if (other === undefined || other.module === entry.module || own.has(entry.module)) continue;
    if (hasKind(entry, "agent") !== hasKind(other, "agent") || entry.kind !== other.kind) continue;
    const texts = [entry, other].map(({ rank, file }) => findText(library.sources[rank]!.tree, file));
    if (texts[0] === texts[1]) continue;
    subject.report("name-taken", entry.file, `${entry.id} is also the name of ${other.module}/${other.id}`);
  }
}

export const checkRecord = checkParsed(parseToml, (subject, file, values) => {
  const [about, skill] = [values["bmod"], values["skill"]];
  if (!isValues(about) && !isValues(skill)) {
    if (Object.keys(values).length > 0) file.fault("record", "the file has neither [bmod] nor [skill]", 1);
    return;
  }
  if (isValues(about)) checkModuleRecord(subject, file, about);
  if (isValues(skill)) checkMember(subject, file, skill, isValues(about));
});

/** Checks a `module-manifest.toml`, which each skill had before there were records. */
export const checkSkillManifest = checkParsed(parseToml, (subject, file, values) => {
  requireKeys(file, values, ["module", "version"], "", 1);
  for (const key of ["roster", "scripts", "knowledge"]) {
    if (Array.isArray(values[key])) checkPaths(subject, file, asTexts(values[key]), key);
  }
  checkQuestions(file, values["config_questions"]);
});

function checkModuleRecord(subject: Subject, file: CheckedFile, about: Values): void {
  const folder = parentPath(file.path);
  requireKeys(file, about, ["code", "version", "update_source"], "bmod", "[bmod]");
  checkTypes(file, about, { skills: "a list of texts" }, "bmod");
  const skills = asTexts(about["skills"] ?? []);
  checkTwice(file, skills, "the skill");
  const beside = parentPath(folder);
  for (const id of skills) {
    if (subject.source.tree.stat(joinPath(beside, id, "SKILL.md")) !== undefined) continue;
    file.fault("not-found", `the record lists ${id}, which is not a skill beside it`, `"${id}"`);
  }
  const source = asText(about["update_source"]);
  if (source !== undefined && !/^(?:github:|https:\/\/|file:|plugin:)/.test(source)) {
    const message = "update_source begins with none of github:, https://, file: and plugin:";
    file.fault("record", message, "update_source");
  }
  checkQuestions(file, about["config_questions"]);
  const knowledge = asTables(about["knowledge"]);
  checkPaths(subject, file, knowledge.map((row) => asText(row["path"]) ?? ""), "knowledge");
  checkRoster(subject, joinPath(folder, "roster.toml"));
  checkRetired(skills)(subject, joinPath(folder, "retired.toml"));
}

function checkMember(subject: Subject, file: CheckedFile, skill: Values, isRecord: boolean): void {
  if (!isRecord) requireKeys(file, skill, ["bmod", "source"], "skill", "[skill]");
  const record = asText(skill["bmod"]);
  const beside = joinPath(parentPath(parentPath(file.path)), record ?? "", "bmod.toml");
  if (record !== undefined && subject.source.tree.stat(beside) === undefined) {
    file.fault("record", `the record ${record} does not lie beside the skill`, `"${record}"`);
  }
  checkTypes(file, skill, { scripts: "a list of texts" }, "skill");
  checkPaths(subject, file, asTexts(skill["scripts"] ?? []), "scripts");
}

function checkPaths({ source }: Subject, file: CheckedFile, paths: readonly string[], key: string): void {
  for (const path of paths) {
    const clean = normalizePath(path);
    if (clean !== undefined && source.tree.stat(joinPath(parentPath(file.path), clean)) !== undefined) {
      continue;
    }
    file.fault("reference", `${key} names ${path || "no path"}, which is missing`, path || key);
  }
}

function checkQuestions(file: CheckedFile, questions: unknown): void {
  if (questions === undefined) return;
  checkTypes(file, { config_questions: questions }, { config_questions: "a list of maps" });
  const rows = asTables(questions);
  for (const row of rows) requireKeys(file, row, ["key", "prompt"], "config_questions[]", "config_questions");
  checkTwice(file, rows.map((row) => asText(row["key"])), "the question");
}

const checkRoster = checkParsed(parseToml, (subject, file, values) => {
  const members = asRows(values["members"]);
  for (const member of members) {
    const code = asText(member["code"]);
    const at = code === undefined ? "[[members]]" : `"${code}"`;
    requireKeys(file, member, ["code", "name", "title"], "members[]", at);
    const skill = asText(member["skill"]);
    if (skill !== undefined && !subject.hasItem(skill)) {
      const message = `the member ${code} has the skill ${skill}, which does not exist`;
      file.fault("not-found", message, `"${skill}"`);
    }
  }
  checkTwice(file, members.map((member) => asText(member["code"])), "the member");
  const known = new Set(members.flatMap((member) => [asText(member["code"]), asText(member["skill"])]));
  for (const group of asRows(values["groups"])) {
    requireKeys(file, group, ["id", "name"], "groups[]", "[[groups]]");
    for (const member of asTexts(group["members"] ?? [])) {
      if (known.has(member) || subject.hasItem(member)) continue;
      file.fault("not-found", `the group ${asText(group["id"])} has no member ${member}`, `"${member}"`);
    }
  }
});

const checkRetired = (listed: readonly string[]) =>
  checkParsed(parseToml, (subject, file, values) => {
    const renamed = asRows(values["renamed"]);
    for (const row of renamed) {
      requireKeys(file, row, ["from", "to"], "renamed[]", "renamed");
      const to = asText(row["to"]);
      if (to !== undefined && !subject.hasItem(to)) {
        file.fault("not-found", `${asText(row["from"])} is now ${to}, which does not exist`, `"${to}"`);
      }
    }
    const record = baseName(parentPath(file.path));
    const gone = [...renamed.map((row) => asText(row["from"])), ...asTexts(values["removed"] ?? [])];
    for (const id of gone.filter((id) => id !== undefined && listed.includes(id))) {
      file.fault("record", `${id} is retired, but ${record} still lists it`, `"${id}"`);
    }
  });

/** As many rows as the list has: a row that is no table lacks every key. */
function asRows(list: unknown): readonly Values[] {
  return Array.isArray(list) ? list.map(asValues) : [];
}
