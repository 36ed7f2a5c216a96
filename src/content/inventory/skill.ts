/**
 * One skill folder, read into an item. It is an agent if its `customize.toml` has an `[agent]` table or its
 * `bmad-skill-manifest.yaml` says so. Its name proves nothing: `bmad-agent-builder` is not an agent, `bmad-tea` is
 * one.
 */
import { CORE_MODULES } from "../../base/generations.ts";
import {
  type Diagnostic,
  type Generation,
  type HelpRow,
  type Item,
  type Persona,
  type Role,
  shortName,
} from "../../base/model.ts";
import { baseName, findText, joinPath, type Tree } from "../tree/mod.ts";
import { SKILL_FILE } from "./file_names.ts";
import { authorIn, composed, type Findings, firstText, parseText, personaOf, readParsed } from "./layout.ts";
import { parseFrontMatter, parseToml, parseYaml } from "../parse.ts";
import { asText, asTexts, asValues, isValues, menuItemOf, type Values } from "../../base/values.ts";

interface SkillContext {
  readonly module: string;
  readonly generation?: Generation;
  readonly formerIds?: readonly string[];
  readonly installedFrom?: string;
  readonly isListed?: boolean;
  readonly version?: string;
  /** Path below the module, `plan/bmad-prd`: gives the phase, and whether it lies among shims. */
  readonly modulePath: string;
  readonly help?: ReadonlyMap<string, HelpRow>;
  readonly description?: string;
  /** What the roster says about an agent; asked only if the skill does not say it. */
  rosterOf?(id: string): Values | undefined;
}

export function addSkill(
  { items, mounts, diagnostics }: Findings,
  tree: Tree,
  folder: string,
  context: SkillContext,
  name = baseName(folder),
): void {
  items.push(readSkill(tree, folder, context, diagnostics));
  mounts.push({ at: `${context.module}/${name}`, path: folder });
}

export function missingSkill(id: string, context: SkillContext, file: string): Item {
  const rostered = context.rosterOf?.(id);
  const description = context.description ?? "";
  return {
    ...skillItem(id, context, rolesOf(rostered !== undefined, isShim({}, description, context), context)),
    ...namesIn(rostered),
    status: "no-file-found",
    folder: "",
    ownsFolder: false,
    file,
    description,
    phase: phaseOf(context.modulePath),
  };
}

function readSkill(tree: Tree, folder: string, context: SkillContext, diagnostics: Diagnostic[]): Item {
  const id = composed(baseName(folder));
  const file = joinPath(folder, SKILL_FILE);
  const front = readParsed(tree, file, parseFrontMatter, diagnostics) ?? {};
  const description = asText(front["description"]) ?? context.description ?? "";
  const agent = readAgent(tree, folder, diagnostics);
  const help = context.help?.get(id);
  const rostered = namesIn(agent && agent["name"] === undefined ? context.rosterOf?.(id) : undefined);
  return {
    ...skillItem(id, context, rolesOf(agent !== undefined, isShim(front, description, context), context)),
    ...authorIn(front),
    status: "verified",
    folder,
    ownsFolder: true,
    file,
    title: asText(agent?.["title"]) ?? rostered.title ?? (help?.title || undefined),
    displayName: firstText(agent ?? {}, "displayName", "name") ?? rostered.displayName,
    icon: asText(agent?.["icon"]) ?? rostered.icon,
    description,
    phase: help?.phase || phaseOf(context.modulePath),
    persona: agent && agentPersona(agent),
    help,
  };
}

/** The names in an agent's table, or in its row of the roster. */
function namesIn(values: Values = {}) {
  return {
    title: asText(values["title"]),
    displayName: asText(values["name"]),
    icon: asText(values["icon"]),
  };
}

function skillItem(id: string, context: SkillContext, roles: readonly Role[]) {
  const { module, version, generation = "skills", formerIds, installedFrom, isListed } = context;
  return {
    kind: "skill" as const,
    roles,
    id,
    name: shortName(id, module),
    module,
    generation,
    version,
    ...(formerIds && { formerIds }),
    ...(installedFrom && { installedFrom }),
    ...(isListed && { isListed }),
  };
}

function rolesOf(isAgent: boolean, isShim: boolean, { module }: SkillContext): readonly Role[] {
  if (isAgent) return ["agent"];
  const roles: Role[] = ["workflow"];
  // The core module's skills are what earlier generations called tasks.
  if (CORE_MODULES.includes(module)) roles.push("task");
  if (isShim) roles.push("shim");
  return roles;
}

/** A shim only forwards to another skill. */
export function isShim(
  front: Values,
  description: string,
  { modulePath }: Pick<SkillContext, "modulePath">,
): boolean {
  return asText(asValues(front["metadata"])["lifecycle"]) === "shim" || modulePath.includes("v6-shims/") ||
    /^deprecated\b/i.test(description);
}

const NO_PHASE = new Set(["agents", "workflows", "skills", "v6-shims", "tasks"]);

function phaseOf(modulePath: string): string | undefined {
  return modulePath.split("/").slice(0, -1).find((part) => part !== "" && !NO_PHASE.has(part));
}

function readAgent(tree: Tree, folder: string, diagnostics: Diagnostic[]): Values | undefined {
  const custom = joinPath(folder, "customize.toml");
  // Most skills have a [workflow] table instead: the text shows that without parsing.
  const text = findText(tree, custom) ?? "";
  if (/^\uFEFF?[ \t]*(\[+[ \t]*)?agent\b/m.test(text)) {
    const agent = parseText(custom, text, parseToml, diagnostics)?.["agent"];
    // Even a broken table shows that the skill is an agent.
    if (isValues(agent) || /^\[agent\]/m.test(text)) return asValues(agent);
  }
  const manifest = readParsed(tree, joinPath(folder, "bmad-skill-manifest.yaml"), parseYaml, diagnostics);
  return manifest?.["type"] === "agent" ? manifest : undefined;
}

export function withAgentValues<T extends Item>(item: T, agent: Values): T {
  const { title = item.title, displayName = item.displayName, icon = item.icon } = namesIn(agent);
  return { ...item, title, displayName, icon, persona: agentPersona(agent) };
}

function agentPersona(agent: Values): Persona {
  const { menu, principles } = agent;
  const items = (Array.isArray(menu) ? menu : []).map(asValues).map(menuItemOf);
  return { ...personaOf(agent, items), principles: asTexts(principles) };
}
