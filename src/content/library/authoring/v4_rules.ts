/**
 * Rules for the generations up to 4: agents, templates, workflows, teams and configuration of a pack.
 */
import type { Entry } from "../../../base/model.ts";
import { asText, asTexts, asValues, isValues, normalizeText, parseYaml, type Values } from "../../parse.ts";
import { baseName, joinPath } from "../../tree/mod.ts";
import { type CheckedFile, fileOf, lineOf, parsed, type Subject } from "./fault.ts";
import { checkTwice, checkTypes, requireKeys } from "./key_rules.ts";

/** Checks one item of v4. */
export function checkV4(subject: Subject, entry: Entry): void {
  const file = fileOf(subject, entry.file);
  if (file === undefined) return;
  if (entry.kind === "agent") return checkAgent(file, entry.id);
  if (!/\.ya?ml$/.test(file.path)) return;
  const values = parsed(file, parseYaml);
  if (values === undefined) return;
  if (entry.kind === "template") checkTemplate(file, values);
  else if (entry.kind === "workflow") checkWorkflow(subject, file, values);
  else if (entry.kind === "team") checkTeam(subject, file, values);
}

const KINDS = ["tasks", "templates", "checklists", "data", "utils", "workflows", "agents", "agent-teams"];

function checkAgent(file: CheckedFile, id: string): void {
  const text = normalizeText(file.text);
  const block = /```ya?ml\n([\s\S]*?)```/.exec(text)?.[1];
  if (block === undefined) return file.fault("syntax", "the agent has no fenced YAML block", 1);
  const offset = lineOf(text, block.slice(0, 200)) ?? 1;
  const inner = parseYaml(block);
  if (inner.problem !== undefined) {
    return file.fault("syntax", inner.problem, inner.at && inner.at.line + offset - 1);
  }
  const values = inner.value;
  requireKeys(file, values, ["agent", "persona"], "", "```y");
  const agent = asValues(values["agent"]);
  if (values["agent"] !== undefined) {
    requireKeys(file, agent, ["name", "id", "title", "whenToUse"], "agent", "agent:");
  }
  if (values["persona"] !== undefined) {
    requireKeys(file, asValues(values["persona"]), ["role"], "persona", "persona:");
  }
  const own = asText(agent["id"]);
  if (own !== undefined && own !== id) {
    file.fault("name", `agent.id is ${own}, but the file is ${id}.md`, `id: ${own}`);
  }
  if (values["commands"] === undefined) file.fault("menu", "the agent has no commands", "```y");
  checkTypes(file, values, { dependencies: "a map" });
  for (const [kind, names] of Object.entries(asValues(values["dependencies"]))) {
    if (!KINDS.includes(kind)) {
      file.fault("unknown-key", `dependencies.${kind} is not one of ${KINDS.join(", ")}`, kind);
    } else if (names !== null && !Array.isArray(names)) {
      file.fault("wrong-type", `dependencies.${kind} is not a list`, `${kind}:`);
    }
  }
}

function checkTemplate(file: CheckedFile, values: Values): void {
  const template = values["template"];
  if (!isValues(template)) return file.fault("missing-key", "template is missing", 1);
  requireKeys(file, template, ["id", "name"], "template", "template:");
  if (values["sections"] !== undefined) checkSections(file, values["sections"], 0);
}

function checkSections(file: CheckedFile, sections: unknown, depth: number): void {
  if (!Array.isArray(sections)) return file.fault("wrong-type", "sections is not a list", "sections:");
  if (depth > 20) return;
  for (const section of sections) {
    if (!isValues(section)) file.fault("wrong-type", "a section is not a map", "sections:");
    else {
      requireKeys(file, section, ["id"], "sections[]", asText(section["title"]) ?? "sections:");
      if (section["sections"] !== undefined) checkSections(file, section["sections"], depth + 1);
    }
  }
}

function checkWorkflow(subject: Subject, file: CheckedFile, values: Values): void {
  const own = values["workflow"];
  const workflow = isValues(own) ? own : values;
  if (isValues(own)) requireKeys(file, own, ["id", "name"], "workflow", "workflow:");
  else requireKeys(file, values, ["name"], "", 1);
  const sequence = workflow["sequence"];
  if (sequence === undefined) return;
  if (!Array.isArray(sequence)) return file.fault("wrong-type", "sequence is not a list", "sequence:");
  for (const step of sequence.filter(isValues)) {
    const agent = asText(step["agent"]);
    // A step may be done by several agents, or by a person.
    if (agent === undefined || !/^[\w-]+$/.test(agent) || ["various", "user", "system"].includes(agent)) {
      continue;
    }
    if (!subject.hasAgent(agent)) {
      file.fault("not-found", `a step needs the agent ${agent}, which does not exist`, `agent: ${agent}`);
    }
  }
}

function checkTeam(subject: Subject, file: CheckedFile, values: Values): void {
  requireKeys(file, asValues(values["bundle"]), ["name"], "bundle", "bundle");
  checkTypes(file, values, { agents: "a list of texts" });
  const agents = asTexts(values["agents"] ?? []);
  checkTwice(file, agents, "the agent");
  for (const agent of agents) {
    if (/\*/.test(agent) || subject.hasAgent(agent)) continue;
    file.fault("not-found", `the team has the agent ${agent}, which does not exist`, agent);
  }
}

/** Checks the configuration of a root: that of the core, or that of an expansion pack. */
export function checkPack(subject: Subject, root: string): void {
  for (const name of ["core-config.yaml", "core-config.yml", "install-manifest.yaml"]) {
    const file = fileOf(subject, joinPath(root, name));
    if (file !== undefined) parsed(file, parseYaml);
  }
  const pack = fileOf(subject, joinPath(root, "config.yaml"));
  const values = pack && parsed(pack, parseYaml);
  if (values !== undefined) requireKeys(pack!, values, ["name", "version"], "", 1);
}

/** Checks the file that describes all agents of v3: each has a persona file, and the tasks that it lists. */
export function checkV3(subject: Subject, root: string, name: string): void {
  const file = fileOf(subject, joinPath(root, name));
  if (file === undefined) return;
  const has = (path: string) => subject.source.tree.stat(joinPath(root, path)) !== undefined;
  for (const section of normalizeText(file.text).split(/(?<=^|\n)## /).slice(1)) {
    const title = /^Title:[ \t]*(.+)$/m.exec(section)?.[1]?.trim();
    if (title === undefined) continue;
    const persona = /^- Persona:[ \t]*"?([^"\n]+)"?/m.exec(section)?.[1]?.trim();
    if (persona === undefined) file.fault("missing-key", `${title} has no persona`, `Title: ${title}`);
    else if (!has(joinPath("personas", baseName(persona)))) {
      file.fault("reference", `the persona ${persona} of ${title} is missing`, persona);
    }
    if (!/^- Name:/m.test(section)) file.fault("missing-key", `${title} has no name`, `Title: ${title}`);
    for (const [, task] of section.matchAll(/\]\(([\w-]{1,80}\.md)\)/g)) {
      if (["tasks", "templates", "checklists", "data"].some((folder) => has(joinPath(folder, task!)))) {
        continue;
      }
      file.fault("reference", `${task} of ${title} is missing`, task);
    }
  }
}
