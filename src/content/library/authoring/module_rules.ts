/**
 * Rules for the files of a module: module.yaml, its help catalogue, the list of a plugin, and overrides.
 */
import { isOf } from "../../../base/model.ts";
import { asText, asTexts, asValues, isValues, parseCsv, parseToml, parseYaml } from "../../parse.ts";
import { layoutOf } from "../../inventory/mod.ts";
import { baseName, findText, joinPath, normalizePath } from "../../tree/mod.ts";
import { findFile } from "../files/references.ts";
import { type CheckedFile, fileOf, parsed, type Subject } from "./fault.ts";
import { checkTwice, checkTypes, requireKeys } from "./key_rules.ts";
import { overriddenBy } from "../values/override_files.ts";

const CODE = /^[A-Za-z0-9][\w-]{0,63}$/;

const MODULE_FILE = "module.yaml";

/** Checks `module.yaml` in a folder. */
export function checkModule(subject: Subject, path: string): void {
  const file = fileOf(subject, path);
  if (file === undefined) return;
  const values = parsed(file, parseYaml);
  if (values === undefined) return;
  // The older file of the core has neither.
  if (baseName(path) === MODULE_FILE) requireKeys(file, values, ["code", "name"], "", 1);
  const code = asText(values["code"]);
  if (code !== undefined && !CODE.test(code)) {
    file.fault("name", `${code} is not a valid code of a module`, "code:");
  }
  checkTypes(file, values, { agents: "a list of maps" });
  const agents = Array.isArray(values["agents"]) ? values["agents"].filter(isValues) : [];
  for (const agent of agents) {
    const name = asText(agent["code"]);
    requireKeys(file, agent, ["code", "name", "title"], "agents[]", name ?? "agents:");
    if (name !== undefined && !subject.hasAgent(name)) {
      file.fault("not-found", `the roster names ${name}, which is not an agent`, name);
    }
  }
  checkTwice(file, agents.map((agent) => asText(agent["code"])), "the roster: the code");
  for (const [key, value] of Object.entries(values)) checkQuestion(file, key, value);
}

/** A question of the installer: its default must be one of its choices. */
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
const PHASE = /^(?:\d-[\w-]+|anytime|plan|ship|gametest|[a-z][\w-]*|)$/;

/** Checks a help catalogue. */
export function checkHelp(subject: Subject, path: string): void {
  const file = fileOf(subject, path);
  if (file === undefined) return;
  const [header, ...rows] = parsed(file, parseCsv) ?? [];
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
    for (
      const column of ["preceded-by", "followed-by", "after", "before"].filter((name) =>
        header.includes(name)
      )
    ) {
      for (const other of field(column).split(/[,;|]/).map((text) => text.trim().split(":")[0]!)) {
        if (other === "" || subject.hasItem(other)) continue;
        fault(`${column} of ${skill} names ${other}, which does not exist`);
      }
    }
    codes.push(`${field("menu-code")}`);
  }
  checkTwice(file, codes, "the menu-code");
}

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

/** Checks the list of a plugin repository. */
export function checkPlugin(subject: Subject, path: string): void {
  const file = fileOf(subject, path);
  if (file === undefined) return;
  const values = parsed(file, parseYaml);
  if (values === undefined) return;
  requireKeys(file, values, ["name", "plugins"], "", 1);
  checkTypes(file, values, { plugins: "a list of maps" });
  const plugins = Array.isArray(values["plugins"]) ? values["plugins"].filter(isValues) : [];
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
}

/** Checks the overrides of a root: each must name a skill, and keys that the skill declares. */
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
      file.fault(
        "wrong-type",
        `${table}.${key} is ${kindOf(value)}, but ${kindOf(base[key])} in the skill`,
        key,
      );
    }
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : isValues(value) ? "a table" : "a value";
}

/** Names that hide an item or a module of BMAD's own. */
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
    if (isOf(entry, "agent") !== isOf(other, "agent") || entry.kind !== other.kind) continue;
    const texts = [entry, other].map(({ rank, file }) => findText(library.sources[rank]!.tree, file));
    if (texts[0] === texts[1]) continue;
    subject.report("name-taken", entry.file, `${entry.id} is also the name of ${other.module}/${other.id}`);
  }
}
