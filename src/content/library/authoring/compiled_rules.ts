/**
 * Rules for the generation that is compiled, from the 6.0 alphas to 6.2.0: agents, workflows, tasks, teams and the
 * customization of agents.
 */
import { type Entry, isOf } from "../../../base/model.ts";
import { completeItem } from "../../inventory/mod.ts";
import {
  asText,
  asTexts,
  asValues,
  isValues,
  parseFrontMatter,
  parseYaml,
  type Values,
} from "../../parse.ts";
import { baseName, joinPath } from "../../tree/mod.ts";
import { findFile } from "../files/references.ts";
import { isGenerated } from "../delivery/resources.ts";
import { type CheckedFile, fileOf, parsed, type Subject } from "./fault.ts";
import { checkKeys, checkTwice, checkTypes, requireKeys } from "./key_rules.ts";

/** Checks one item of the generation. */
export async function checkCompiled(subject: Subject, entry: Entry): Promise<void> {
  const file = fileOf(subject, entry.file);
  if (file === undefined) return;
  if (entry.file.endsWith(".agent.yaml")) checkAgentSource(subject, file);
  else if (isOf(entry, "agent")) await checkAgentFile(subject, file, entry);
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
  const menu = Array.isArray(agent["menu"]) ? agent["menu"].filter(isValues) : [];
  for (const [at, item] of menu.entries()) checkItem(subject, file, item, at, prompts);
  checkTwice(file, menu.map((item) => asText(item["trigger"])), "the trigger");
}

function checkPrompts(file: CheckedFile, prompts: unknown): readonly string[] {
  const rows = Array.isArray(prompts) ? prompts.filter(isValues) : [];
  for (const row of rows) requireKeys(file, row, ["id", "content"], "agent.prompts[]", "prompts:");
  const ids = rows.map((row) => asText(row["id"]) ?? "");
  checkTwice(file, ids, "the prompt");
  return ids;
}

/** What a menu item may start, each with a path, except for an action. */
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

/** Checks the customization of compiled agents in a root. */
export function checkAgentChanges(subject: Subject, root: string): void {
  for (const folder of ["_config", "_cfg"].map((name) => joinPath(root, name, "agents"))) {
    for (const { name, isDirectory } of subject.source.tree.list(folder)) {
      if (isDirectory || !name.endsWith(".customize.yaml")) continue;
      const file = fileOf(subject, joinPath(folder, name));
      if (file === undefined) continue;
      checkKeys(file, parsed(file, parseYaml) ?? {}, CHANGE_KEYS);
      const agent = name.slice(0, -".customize.yaml".length);
      const isKnown = subject.library.manifest.entries.some((entry) =>
        isOf(entry, "agent") && (`${entry.module}-${entry.id}` === agent || entry.id === agent)
      );
      if (!isKnown) file.fault("customization", `no agent is called ${agent}`, 1);
    }
  }
}
