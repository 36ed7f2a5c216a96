/** One skill folder, read into an item, and the readers of skills without an installation. */
import { CORE_MODULES } from "../../base/generations.ts";
import {
  type Diagnostic,
  type Generation,
  type HelpRow,
  type Item,
  type Mount,
  NO_MODULE,
  type Persona,
  type Role,
  shortName,
} from "../../base/model.ts";
import { baseName, findText, joinPath, normalizePath, parentPath, type Tree } from "../tree/mod.ts";
import { linesOf, tablesIn } from "../../base/markdown.ts";
import { hasFile, HELP_FILE, looseSkillIds, MODULE_FILE, PLUGIN_FILE, SKILL_FILE } from "./folders.ts";
import { skillFolders } from "./folders.ts";
import { helpBySkill, parseHelp } from "./help_catalog.ts";
import {
  authorIn,
  composed,
  type Findings,
  firstText,
  moduleOf,
  noFindings,
  packageVersion,
} from "./layout.ts";
import { parseText, personaOf, type Reader, readParsed, warn } from "./layout.ts";
import { parseFrontMatter, parseToml, parseYaml } from "../parse.ts";
import { asList, asText, asTexts, asValues, isValues, menuItemOf, type Values } from "../../base/values.ts";

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

export function isShim(front: Values, description: string, { modulePath }: Pick<SkillContext, "modulePath">) {
  return asText(asValues(front["metadata"])["lifecycle"]) === "shim" || modulePath.includes("v6-shims/") ||
    /^deprecated\b/i.test(description);
}

const NO_PHASE = new Set(["agents", "workflows", "skills", "v6-shims", "tasks"]);

function phaseOf(modulePath: string): string | undefined {
  return modulePath.split("/").slice(0, -1).find((part) => part !== "" && !NO_PHASE.has(part));
}

/** A name proves nothing: `bmad-agent-builder` is not an agent, `bmad-tea` is one. */
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
  if (manifest?.["type"] !== "agent") return undefined;
  return { menu: menuInText(findText(tree, joinPath(folder, SKILL_FILE)) ?? ""), ...manifest };
}

/** Before 6.4 the menu is a table of the text, whose last column is a skill or `prompt: FILE`. */
function menuInText(text: string): readonly Values[] {
  return tablesIn(linesOf(text)).filter((row) => row["Code"] && row["Description"]).map((row) => {
    const { Code: code, Description: description, ...rest } = row;
    const [, kind, target] = /^(?:(skill|prompt): *)?(.*)$/s.exec(Object.values(rest).at(-1) ?? "")!;
    const starts = kind === "prompt" ? { prompt: `Follow {skill-root}/${target}` } : { skill: target };
    return { code, description, ...starts };
  });
}

export function withAgentValues<T extends Item>(item: T, agent: Values): T {
  const { title = item.title, displayName = item.displayName, icon = item.icon } = namesIn(agent);
  return { ...item, title, displayName, icon, persona: agentPersona(agent) };
}

function agentPersona(agent: Values): Persona {
  const { menu, principles } = agent;
  const items = asList(menu).map(asValues).map(menuItemOf);
  return { ...personaOf(agent, items), principles: asTexts(principles) };
}

/** BMAD's own repositories and packages, and our embedded content. */
export const sourceTree: Reader = (tree, root) => {
  const version = packageVersion(tree);
  const findings = noFindings(version);
  const { diagnostics } = findings;
  const facts = readParsed(tree, joinPath(root, MODULE_FILE), parseYaml, diagnostics) ?? {};
  const module = asText(facts["code"]) ?? "custom";
  findings.modules.push(moduleOf(module, version, facts));
  const scripts = joinPath(parentPath(root), "scripts");
  findings.mounts.push(...moduleMounts(module, root), ...scriptMounts(tree, [scripts]));

  const help = helpBySkill(readParsed(tree, joinPath(root, HELP_FILE), parseHelp, diagnostics) ?? []);
  const agents = asList(facts["agents"]).map(asValues);
  const roster = new Map(agents.map(({ code, description }) => [asText(code), asText(description) ?? ""]));
  for (const folder of skillFolders(tree, root)) {
    const modulePath = root === "" ? folder : folder.slice(root.length + 1);
    const description = roster.get(baseName(folder));
    addSkill(findings, tree, folder, { module, version, modulePath, help, description });
  }
  return findings;
};

function moduleMounts(module: string, root: string): readonly Mount[] {
  if (root !== "") return [{ at: module, path: root }];
  return [MODULE_FILE, HELP_FILE].map((name) => ({ at: `${module}/${name}`, path: name }));
}

/** BMAD's own scripts: skills call them as `{project-root}/_bmad/scripts/…`. */
export function scriptMounts(tree: Tree, folders: readonly string[]): readonly Mount[] {
  const path = folders.find((folder) => hasFile(tree, folder, "resolve_config.py"));
  return path === undefined ? [] : [{ at: "scripts", path }];
}

/** Where nothing else was recognised: a repository with a `module.yaml` says more about itself. */
export const plugin: Reader = (tree, root) => {
  const findings = noFindings();
  const { diagnostics } = findings;
  // JSON is YAML.
  const plugins = readParsed(tree, joinPath(root, PLUGIN_FILE), parseYaml, diagnostics)?.["plugins"];
  for (const entry of asList(plugins).map(asValues)) {
    const module = asText(entry["name"]) ?? "plugin";
    const version = asText(entry["version"]);
    findings.modules.push(moduleOf(module, version, entry));
    for (const path of asTexts(entry["skills"])) {
      const folder = normalizePath(joinPath(root, path));
      if (folder !== undefined && hasFile(tree, folder, SKILL_FILE)) {
        addSkill(findings, tree, folder, { module, version, modulePath: folder, isListed: true });
        continue;
      }
      warn(diagnostics, "no-file-found", PLUGIN_FILE, `the plugin lists ${path}, which is not a skill`);
    }
  }
  return findings;
};

export const looseSkills: Reader = (tree, root, use) => {
  const findings = noFindings();
  for (const id of looseSkillIds(tree, root, use)) {
    const folder = joinPath(root, id);
    const problems: Diagnostic[] = [];
    const front = readParsed(tree, joinPath(folder, SKILL_FILE), parseFrontMatter, problems) ?? {};
    const isDescribed = asText(front["name"]) === id && asText(front["description"]) !== undefined;
    if (!isDescribed && problems.length === 0) {
      const message = "skipped: the front matter must contain the folder's name and a description";
      warn(findings.diagnostics, "not-a-skill", folder, message, { level: "info" });
      continue;
    }
    addSkill(findings, tree, folder, { module: NO_MODULE, modulePath: id });
  }
  if (findings.items.length > 0) findings.modules.push(moduleOf(NO_MODULE, undefined, { name: "Skills" }));
  return findings;
};
