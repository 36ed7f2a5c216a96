/**
 * Rules for skills: SKILL.md, customize.toml and what the skill's texts say about it.
 */
import { splitLines } from "../../../base/text.ts";
import { type Entry, hasKind } from "../../../base/model.ts";
import {
  asText,
  asValues,
  isValues,
  parseFrontMatter,
  parseToml,
  parseYaml,
  type Values,
} from "../../parse.ts";
import { baseName, findText, joinPath, walkFiles } from "../../tree/mod.ts";
import {
  type CheckedFile,
  checkTwice,
  checkTypes,
  fileOf,
  parsed,
  requireKeys,
  type Subject,
} from "./faults.ts";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;

export function checkSkill(subject: Subject, entry: Entry): void {
  const file = fileOf(subject, entry.file);
  if (file !== undefined) checkSkillFile(file, baseName(entry.folder));
  const custom = fileOf(subject, joinPath(entry.folder, "customize.toml"));
  const values = custom === undefined ? undefined : parsed(custom, parseToml);
  if (values !== undefined) checkCustomization(subject, custom!, values, entry);
  if (custom === undefined || values !== undefined) checkUses(subject, entry, values);
  const manifest = fileOf(subject, joinPath(entry.folder, "bmad-skill-manifest.yaml"));
  const facts = manifest && parsed(manifest, parseYaml);
  if (facts !== undefined) checkManifest(manifest!, facts);
}

export function checkSkillFile(file: CheckedFile, folder: string): void {
  if (!/^\uFEFF?---\r?\n/.test(file.text)) {
    return file.fault("front-matter", "the file has no front matter", 1);
  }
  const front = parsed(file, parseFrontMatter);
  if (front === undefined) return;
  const name = asText(front["name"]);
  if (name === undefined) file.fault("name", "name is missing", 1);
  else if (name !== folder) file.fault("name", `name is ${name}, but the folder is ${folder}`, "name:");
  else if (!NAME.test(name) || name.length > MAX_NAME) {
    file.fault("name", `${name} is not a valid name of a skill`, "name:");
  }
  const description = asText(front["description"]);
  if (description === undefined) file.fault("description", "description is missing", 1);
  else if (description.length > MAX_DESCRIPTION) {
    file.fault("description", `description has ${description.length} characters`, "description:");
  }
}

const LISTS = {
  activation_steps_prepend: "a list of texts",
  activation_steps_append: "a list of texts",
  persistent_facts: "a list of texts",
} as const;

function checkCustomization(subject: Subject, file: CheckedFile, values: Values, entry: Entry): void {
  const tables = ["agent", "workflow"].filter((key) => values[key] !== undefined);
  if (tables.length === 0 && Object.keys(values).length > 0) {
    file.fault("customization", "the file has neither [agent] nor [workflow], and no other table is read", 1);
  }
  for (const key of tables) {
    if (!isValues(values[key])) {
      file.fault("wrong-type", `${key} is not a table`, key);
      continue;
    }
    checkTypes(file, asValues(values[key]), LISTS, key);
    checkTables(file, asValues(values[key]), key);
  }
  if (isValues(values["agent"])) checkAgent(subject, file, values["agent"], entry);
}

const PERSONA = {
  name: "a text",
  title: "a text",
  icon: "a text",
  role: "a text",
  identity: "a text",
  communication_style: "a text",
  principles: "a list of texts",
  menu: "a list of maps",
} as const;

function checkAgent(subject: Subject, file: CheckedFile, agent: Values, entry: Entry): void {
  checkTypes(file, agent, PERSONA, "agent");
  // The flat generation has name and title in its rosters.
  if (entry.generation !== "flat") requireKeys(file, agent, ["name", "title"], "agent", "[agent]");
  checkMenu(subject, file, Array.isArray(agent["menu"]) ? agent["menu"].map(asValues) : []);
}

function checkMenu(subject: Subject, file: CheckedFile, menu: readonly Values[]): void {
  for (const [at, item] of menu.entries()) {
    const [code, description] = [asText(item["code"]), asText(item["description"])];
    const name = code === undefined ? `menu item ${at + 1}` : `menu item ${code}`;
    const line = code === undefined ? nthLine(file.text, "[[agent.menu]]", at) : `"${code}"`;
    if (code === undefined) file.fault("menu", `${name} has no code`, line);
    if (description === undefined) file.fault("menu", `${name} has no description`, line);
    const targets = ["skill", "prompt"].filter((key) => asText(item[key]) !== undefined);
    if (targets.length !== 1) {
      file.fault("menu", `${name} has ${targets.length === 0 ? "no target" : "two targets"}`, line);
    }
    const skill = asText(item["skill"]);
    if (skill !== undefined && !subject.hasItem(skill)) {
      file.fault("menu-target", `${name} starts ${skill}, which does not exist`, `"${skill}"`);
    }
  }
}

function nthLine(text: string, line: string, index: number): number | undefined {
  let count = -1;
  const at = splitLines(text).findIndex((each) => each.trim() === line && ++count === index);
  return at < 0 ? undefined : at + 1;
}

/** Lists of tables are merged by their key: one without it, or with that of another, cannot be overridden. */
function checkTables(file: CheckedFile, values: Values, where: string): void {
  for (const [name, rows] of Object.entries(values)) {
    if (!Array.isArray(rows) || !rows.every(isValues)) continue;
    for (const key of ["code", "id"]) {
      const keys = rows.map((row) => asText(row[key]));
      if (keys.every((each) => each === undefined)) continue;
      checkTwice(file, keys, `${where}.${name}: the ${key}`);
    }
  }
}

const USE = /\{(workflow|agent)\.([A-Za-z_]\w{0,60})\}/g;

function checkUses(subject: Subject, entry: Entry, values: Values | undefined): void {
  const skip = (path: string) => !/\.md$|^[^.]*$/.test(baseName(path));
  for (const path of walkFiles(subject.source.tree, entry.folder, skip)) {
    const text = findText(subject.source.tree, path) ?? "";
    if (!text.includes("{workflow.") && !text.includes("{agent.")) continue;
    const uses = new Map(text.matchAll(USE).map(([whole, table, key]) => [whole, [table, key]] as const));
    for (const [whole, [table, key]] of uses) {
      const declared = values?.[table!];
      if (
        isValues(declared) ? Object.hasOwn(declared, key!) : values === undefined && hasKind(entry, "agent")
      ) {
        continue;
      }
      fileOf(subject, path)!.fault("customization", `${whole} is not declared in customize.toml`, whole);
    }
  }
}

const TYPES = ["agent", "skill", "task", "tool", "workflow"];

/** The manifest is about the skill itself or, in 6.1 and 6.2.0, maps files to descriptions. */
function checkManifest(file: CheckedFile, values: Values): void {
  const about = asText(values["type"]) === undefined ? Object.values(values).filter(isValues) : [values];
  for (const type of about.map((each) => asText(each["type"])).filter((type) => type !== undefined)) {
    if (!TYPES.includes(type)) {
      file.fault("unknown-key", `type ${type} is not one of ${TYPES.join(", ")}`, type);
    }
  }
  if (asText(values["type"]) === "agent") requireKeys(file, values, ["name", "displayName", "title"], "", 1);
}
