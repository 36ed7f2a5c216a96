/**
 * Rules for the flat generation: the records of modules, and what their skills say about them.
 */
import { asText, asTexts, asValues, isValues, parseToml, type Values } from "../../parse.ts";
import { baseName, joinPath, normalizePath, parentPath } from "../../tree/mod.ts";
import { type CheckedFile, fileOf, parsed, type Subject } from "./fault.ts";
import { checkTwice, checkTypes, requireKeys } from "./key_rules.ts";

/** Checks `bmod.toml` in a folder. */
export function checkRecord(subject: Subject, folder: string): void {
  const file = fileOf(subject, joinPath(folder, "bmod.toml"));
  if (file === undefined) return;
  const values = parsed(file, parseToml) ?? {};
  const [about, skill] = [values["bmod"], values["skill"]];
  if (!isValues(about) && !isValues(skill)) {
    if (Object.keys(values).length > 0) file.fault("record", "the file has neither [bmod] nor [skill]", 1);
    return;
  }
  if (isValues(about)) checkModuleRecord(subject, file, folder, about);
  if (isValues(skill)) checkMember(subject, file, folder, skill, isValues(about));
}

/** Checks a `module-manifest.toml`, which each skill had before there were records. */
export function checkSkillManifest(subject: Subject, folder: string): void {
  const file = fileOf(subject, joinPath(folder, "module-manifest.toml"));
  if (file === undefined) return;
  const values = parsed(file, parseToml);
  if (values === undefined) return;
  requireKeys(file, values, ["module", "version"], "", 1);
  for (const key of ["roster", "scripts", "knowledge"]) {
    if (Array.isArray(values[key])) checkPaths(subject, file, folder, asTexts(values[key]), key);
  }
  checkQuestions(file, values["config_questions"]);
}

function checkModuleRecord(subject: Subject, file: CheckedFile, folder: string, about: Values): void {
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
    file.fault(
      "record",
      "update_source begins with none of github:, https://, file: and plugin:",
      "update_source",
    );
  }
  checkQuestions(file, about["config_questions"]);
  const knowledge = Array.isArray(about["knowledge"]) ? about["knowledge"].filter(isValues) : [];
  checkPaths(subject, file, folder, knowledge.map((row) => asText(row["path"]) ?? ""), "knowledge");
  checkRoster(subject, joinPath(folder, "roster.toml"));
  checkRetired(subject, joinPath(folder, "retired.toml"), skills);
}

function checkMember(
  subject: Subject,
  file: CheckedFile,
  folder: string,
  skill: Values,
  isRecord: boolean,
): void {
  if (!isRecord) requireKeys(file, skill, ["bmod", "source"], "skill", "[skill]");
  const record = asText(skill["bmod"]);
  const beside = joinPath(parentPath(folder), record ?? "", "bmod.toml");
  if (record !== undefined && subject.source.tree.stat(beside) === undefined) {
    file.fault("record", `the record ${record} does not lie beside the skill`, `"${record}"`);
  }
  checkTypes(file, skill, { scripts: "a list of texts" }, "skill");
  checkPaths(subject, file, folder, asTexts(skill["scripts"] ?? []), "scripts");
}

function checkPaths(
  { source }: Subject,
  file: CheckedFile,
  folder: string,
  paths: readonly string[],
  key: string,
): void {
  for (const path of paths) {
    const clean = normalizePath(path);
    if (clean !== undefined && source.tree.stat(joinPath(folder, clean)) !== undefined) continue;
    file.fault("reference", `${key} names ${path || "no path"}, which is missing`, path || key);
  }
}

function checkQuestions(file: CheckedFile, questions: unknown): void {
  if (questions === undefined) return;
  checkTypes(file, { config_questions: questions }, { config_questions: "a list of maps" });
  const rows = Array.isArray(questions) ? questions.filter(isValues) : [];
  for (const row of rows) requireKeys(file, row, ["key", "prompt"], "config_questions[]", "config_questions");
  checkTwice(file, rows.map((row) => asText(row["key"])), "the question");
}

function checkRoster(subject: Subject, path: string): void {
  const file = fileOf(subject, path);
  if (file === undefined) return;
  const values = parsed(file, parseToml) ?? {};
  const rows = (key: string) => (Array.isArray(values[key]) ? values[key] : []).map(asValues);
  const members = rows("members");
  for (const member of members) {
    const code = asText(member["code"]);
    requireKeys(
      file,
      member,
      ["code", "name", "title"],
      "members[]",
      code === undefined ? "[[members]]" : `"${code}"`,
    );
    const skill = asText(member["skill"]);
    if (skill !== undefined && !subject.hasItem(skill)) {
      file.fault(
        "not-found",
        `the member ${code} has the skill ${skill}, which does not exist`,
        `"${skill}"`,
      );
    }
  }
  checkTwice(file, members.map((member) => asText(member["code"])), "the member");
  const known = new Set(members.flatMap((member) => [asText(member["code"]), asText(member["skill"])]));
  for (const group of rows("groups")) {
    requireKeys(file, group, ["id", "name"], "groups[]", "[[groups]]");
    for (const member of asTexts(group["members"] ?? [])) {
      if (known.has(member) || subject.hasItem(member)) continue;
      file.fault("not-found", `the group ${asText(group["id"])} has no member ${member}`, `"${member}"`);
    }
  }
}

function checkRetired(subject: Subject, path: string, listed: readonly string[]): void {
  const file = fileOf(subject, path);
  if (file === undefined) return;
  const values = parsed(file, parseToml) ?? {};
  const renamed = (Array.isArray(values["renamed"]) ? values["renamed"] : []).map(asValues);
  for (const row of renamed) {
    requireKeys(file, row, ["from", "to"], "renamed[]", "renamed");
    const to = asText(row["to"]);
    if (to !== undefined && !subject.hasItem(to)) {
      file.fault("not-found", `${asText(row["from"])} is now ${to}, which does not exist`, `"${to}"`);
    }
  }
  const gone = [...renamed.map((row) => asText(row["from"])), ...asTexts(values["removed"] ?? [])];
  for (const id of gone.filter((id) => id !== undefined && listed.includes(id))) {
    file.fault("record", `${id} is retired, but ${baseName(parentPath(path))} still lists it`, `"${id}"`);
  }
}
