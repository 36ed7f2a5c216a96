/**
 * Rules for the generations up to 6.2.0: the packs of v3 and v4, and the agents, workflows, tasks and teams that are
 * compiled from the 6.0 alphas on.
 */
import { asTables } from "../values/merge.ts";
import { type Entry, hasKind } from "../../../base/model.ts";
import { completeItem } from "../../inventory/mod.ts";
import {
  asText,
  asTexts,
  asValues,
  isValues,
  normalizeText,
  parseFrontMatter,
  parseYaml,
  type Values,
} from "../../parse.ts";
import { baseName, joinPath } from "../../tree/mod.ts";
import { findFile } from "../files/references.ts";
import { isGenerated } from "../delivery/resources.ts";
import {
  type CheckedFile,
  checkKeys,
  checkTwice,
  checkTypes,
  fileOf,
  findLine,
  parsed,
  requireKeys,
  type Subject,
} from "./faults.ts";

export async function checkCompiled(subject: Subject, entry: Entry): Promise<void> {
  const file = fileOf(subject, entry.file);
  if (file === undefined) return;
  if (entry.file.endsWith(".agent.yaml")) checkAgentSource(subject, file);
  else if (hasKind(entry, "agent")) await checkAgentFile(subject, file, entry);
  else if (entry.kind === "workflow") checkWorkflow(file);
  else if (entry.kind === "team") checkTeam(subject, file);
  else if (file.path.endsWith(".xml")) checkElement(file);
}

const AGENT_KEYS = [
  "metadata",
  "persona",
  "critical_actions",
  "critical-actions",
  "prompts",
  "menu",
  "memories",
  "conversational_knowledge",
  "discussion",
  "webskip",
  "install_config",
  "localskip",
];
const PERSONA = {
  role: "a text",
  identity: "a text",
  communication_style: "a text",
} as const;

function checkAgentSource(subject: Subject, file: CheckedFile): void {
  const values = parsed(file, parseYaml);
  if (values === undefined) return;
  const agent = values["agent"];
  if (!isValues(agent)) return file.fault("missing-key", "agent is missing", 1);
  checkKeys(file, agent, AGENT_KEYS, "agent");
  const [metadata, persona] = [asValues(agent["metadata"]), asValues(agent["persona"])];
  requireKeys(file, agent, ["metadata", "persona"], "agent", "agent:");
  if (agent["metadata"] !== undefined) {
    requireKeys(file, metadata, ["name", "title", "icon"], "agent.metadata");
  }
  if (agent["persona"] !== undefined) {
    const keys = ["role", "identity", "communication_style", "principles"];
    requireKeys(file, persona, keys, "agent.persona");
    checkTypes(file, persona, PERSONA, "agent.persona");
  }
  checkTypes(file, agent, { menu: "a list of maps", prompts: "a list of maps" }, "agent");
  checkTypes(file, agent, { critical_actions: "a list of texts" }, "agent");
  const prompts = checkPrompts(file, agent["prompts"]);
  const menu = asTables(agent["menu"]);
  for (const [at, item] of menu.entries()) checkItem(subject, file, item, at, prompts);
  checkTwice(file, menu.map((item) => asText(item["trigger"])), "the trigger");
}

function checkPrompts(file: CheckedFile, prompts: unknown): readonly string[] {
  const rows = asTables(prompts);
  for (const row of rows) requireKeys(file, row, ["id", "content"], "agent.prompts[]", "prompts:");
  const ids = rows.map((row) => asText(row["id"]) ?? "");
  checkTwice(file, ids, "the prompt");
  return ids;
}

const TARGETS = ["workflow", "exec", "validate-workflow", "workflow-install", "tmpl", "data", "run-workflow"];

function checkItem(
  subject: Subject,
  file: CheckedFile,
  item: Values,
  at: number,
  prompts: readonly string[],
): void {
  // One line of the menu may stand for several commands.
  if (item["multi"] !== undefined) return;
  const trigger = asText(item["trigger"]);
  const name = trigger === undefined ? `menu item ${at + 1}` : `menu item ${trigger}`;
  const line = trigger ?? asText(item["description"]) ?? "menu:";
  if (trigger === undefined) file.fault("menu", `${name} has no trigger`, line);
  if (asText(item["description"]) === undefined) file.fault("menu", `${name} has no description`, line);
  const action = asText(item["action"]);
  const targets = TARGETS.map((key) => asText(item[key])).filter((target) => target !== undefined);
  if (targets.length === 0 && action === undefined) file.fault("menu", `${name} has no target`, line);
  if (action?.startsWith("#") && !prompts.includes(action.slice(1))) {
    file.fault("menu-target", `${name} starts the prompt ${action}, which does not exist`, action);
  }
  for (const target of targets) checkTarget(subject, file, name, target);
}

function checkTarget(
  { library, source, hasItem }: Subject,
  file: CheckedFile,
  name: string,
  target: string,
): void {
  // Authors mark what is not written yet.
  if (/^(?:todo|\*)/i.test(target)) return;
  const isThere = target.startsWith("skill:")
    ? hasItem(target.slice("skill:".length))
    : !/[/.]/.test(target)
    ? hasItem(target)
    : findFile(library, target, { source, path: file.path }) !== undefined ||
      isGenerated(library, target, { source, path: file.path });
  if (!isThere) file.fault("menu-target", `${name} starts ${target}, which does not exist`, target);
}

async function checkAgentFile(subject: Subject, file: CheckedFile, entry: Entry): Promise<void> {
  const { text } = file;
  if (text.includes("<agent")) {
    for (const tag of ["agent", "persona", "menu"]) {
      if (new RegExp(`<${tag}[\\s>]`).test(text) && !text.includes(`</${tag}>`)) {
        file.fault("syntax", `<${tag}> is not closed`, `<${tag}`);
      }
    }
  } else parsed(file, parseFrontMatter);
  const { persona } = await completeItem(subject.source.tree, entry);
  for (const { code, label, target } of persona?.menu ?? []) {
    if (code === "" || label === "") {
      file.fault("menu", `menu item ${code || label} has no code or description`);
    }
    if (target !== undefined) checkTarget(subject, file, `menu item ${code}`, target);
  }
}

function checkWorkflow(file: CheckedFile): void {
  const isYaml = /\.ya?ml$/.test(file.path);
  if (!isYaml && !file.path.endsWith(".md")) return;
  const values = isYaml ? parsed(file, parseYaml) : parsed(file, parseFrontMatter);
  if (values === undefined) return;
  const own = isValues(values["workflow"]) ? values["workflow"] : values;
  requireKeys(file, own, ["name", "description"], "", 1);
  if (isYaml && own === values && values["instructions"] === undefined) {
    file.fault("missing-key", "instructions is missing", 1);
  }
}

function checkTeam(subject: Subject, file: CheckedFile): void {
  const values = parsed(file, parseYaml);
  if (values === undefined) return;
  requireKeys(file, asValues(values["bundle"]), ["name"], "bundle", "bundle");
  for (const agent of asTexts(values["agents"] ?? [])) {
    if (agent === "*" || subject.hasAgent(baseName(agent))) continue;
    file.fault("not-found", `the team has the agent ${agent}, which does not exist`, agent);
  }
}

/** A task or a tool in XML. It is read by people and models, not by a parser: only its outer element must be whole. */
function checkElement(file: CheckedFile): void {
  const [, tag] = /<(task|tool|workflow)\b/.exec(file.text) ?? [];
  if (tag === undefined) return file.fault("syntax", "the file has neither <task> nor <tool>", 1);
  if (!file.text.includes(`</${tag}>`)) file.fault("syntax", `<${tag}> is not closed`, `<${tag}`);
}

const CHANGE_KEYS = ["agent", "persona", "critical_actions", "memories", "menu", "prompts"];

export function checkAgentChanges(subject: Subject, root: string): void {
  for (const folder of ["_config", "_cfg"].map((name) => joinPath(root, name, "agents"))) {
    for (const { name, isDirectory } of subject.source.tree.list(folder)) {
      if (isDirectory || !name.endsWith(".customize.yaml")) continue;
      const file = fileOf(subject, joinPath(folder, name));
      if (file === undefined) continue;
      checkKeys(file, parsed(file, parseYaml) ?? {}, CHANGE_KEYS);
      const agent = name.slice(0, -".customize.yaml".length);
      const isKnown = subject.library.manifest.entries.some((entry) =>
        hasKind(entry, "agent") && (`${entry.module}-${entry.id}` === agent || entry.id === agent)
      );
      if (!isKnown) file.fault("customization", `no agent is called ${agent}`, 1);
    }
  }
}

export function checkV4(subject: Subject, entry: Entry): void {
  const file = fileOf(subject, entry.file);
  if (file === undefined) return;
  if (entry.kind === "agent") return checkV4Agent(file, entry.id);
  if (!/\.ya?ml$/.test(file.path)) return;
  const values = parsed(file, parseYaml);
  if (values === undefined) return;
  if (entry.kind === "template") checkTemplate(file, values);
  else if (entry.kind === "workflow") checkV4Workflow(subject, file, values);
  else if (entry.kind === "team") checkV4Team(subject, file, values);
}

const KINDS = ["tasks", "templates", "checklists", "data", "utils", "workflows", "agents", "agent-teams"];

function checkV4Agent(file: CheckedFile, id: string): void {
  const text = normalizeText(file.text);
  const block = /```ya?ml\n([\s\S]*?)```/.exec(text)?.[1];
  if (block === undefined) return file.fault("syntax", "the agent has no fenced YAML block", 1);
  const offset = findLine(text, block.slice(0, 200)) ?? 1;
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

function checkV4Workflow(subject: Subject, file: CheckedFile, values: Values): void {
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

function checkV4Team(subject: Subject, file: CheckedFile, values: Values): void {
  requireKeys(file, asValues(values["bundle"]), ["name"], "bundle", "bundle");
  checkTypes(file, values, { agents: "a list of texts" });
  const agents = asTexts(values["agents"] ?? []);
  checkTwice(file, agents, "the agent");
  for (const agent of agents) {
    if (/\*/.test(agent) || subject.hasAgent(agent)) continue;
    file.fault("not-found", `the team has the agent ${agent}, which does not exist`, agent);
  }
}

export function checkPack(subject: Subject, root: string): void {
  for (const name of ["core-config.yaml", "core-config.yml", "install-manifest.yaml"]) {
    const file = fileOf(subject, joinPath(root, name));
    if (file !== undefined) parsed(file, parseYaml);
  }
  const pack = fileOf(subject, joinPath(root, "config.yaml"));
  const values = pack && parsed(pack, parseYaml);
  if (values !== undefined) requireKeys(pack!, values, ["name", "version"], "", 1);
}

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
