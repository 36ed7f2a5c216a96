/**
 * One skill folder, read into an item.
 *
 * A folder is a skill when it holds a SKILL.md. It is an agent when its `customize.toml` has an `[agent]` table
 * or its `bmad-skill-manifest.yaml` says `type: agent` — the name does not tell: `bmad-agent-builder` is none,
 * `bmad-tea` is one. It is a shim when it says so or lies among shims.
 */
import {
  type Diagnostic,
  type HelpRow,
  type Item,
  type Persona,
  type Role,
  shortName,
  type Status,
} from "../../base/model.ts";
import { baseName, findText, joinPath, type Tree } from "../tree/mod.ts";
import { readParsed } from "./layout.ts";
import {
  asText,
  asTexts,
  asValues,
  isValues,
  parseFrontMatter,
  parseToml,
  parseYaml,
  type Values,
} from "../parse.ts";
import { SKILL_FILE } from "./module_files.ts";
import { menuItemOf } from "../../base/values.ts";

/** What is known about a skill from outside its folder. */
export interface SkillContext {
  readonly module: string;
  readonly status: Status;
  readonly version?: string;
  /** The path that the module's own tree gives it; tells phase and shims. */
  readonly place: string;
  readonly help: ReadonlyMap<string, HelpRow>;
  /** A description to use when the file has none. */
  readonly description?: string;
  /** What the installation's roster of agents says about an id; asked only when the skill does not say it. */
  rosterOf?(id: string): Values | undefined;
}

/** Reads the skill in a folder. */
export function readSkill(
  tree: Tree,
  folder: string,
  context: SkillContext,
  diagnostics: Diagnostic[],
): Item {
  const id = baseName(folder);
  const file = joinPath(folder, SKILL_FILE);
  const front = readParsed(tree, file, parseFrontMatter, diagnostics) ?? {};
  const description = asText(front["description"]) ?? context.description ?? "";
  const agent = readAgent(tree, folder, diagnostics);
  const help = context.help.get(id);
  const rostered = agent !== undefined && agent["name"] === undefined ? context.rosterOf?.(id) : undefined;
  return {
    kind: "skill",
    roles: rolesOf(agent !== undefined, isShim(front, description, context.place), context.module),
    id,
    name: shortName(id, context.module),
    module: context.module,
    generation: "skills",
    version: context.version,
    status: context.status,
    folder,
    ownsFolder: true,
    file,
    title: asText(agent?.["title"]) ?? asText(rostered?.["title"]) ?? (help?.title || undefined),
    displayName: asText(agent?.["displayName"]) ?? asText(agent?.["name"]) ?? asText(rostered?.["name"]),
    icon: asText(agent?.["icon"]) ?? asText(rostered?.["icon"]),
    description,
    phase: help?.phase || phaseOf(context.place),
    persona: agent === undefined ? undefined : personaOf(agent),
    help,
  };
}

/** A record for a skill that a manifest lists and the disk lacks. */
export function missingSkill(id: string, context: SkillContext, file: string): Item {
  const rostered = context.rosterOf?.(id);
  return {
    kind: "skill",
    roles: rolesOf(
      rostered !== undefined,
      isShim({}, context.description ?? "", context.place),
      context.module,
    ),
    id,
    name: shortName(id, context.module),
    module: context.module,
    generation: "skills",
    version: context.version,
    status: "no-file-found",
    folder: "",
    ownsFolder: false,
    file,
    title: asText(rostered?.["title"]),
    displayName: asText(rostered?.["name"]),
    icon: asText(rostered?.["icon"]),
    description: context.description ?? "",
    phase: phaseOf(context.place),
  };
}

function rolesOf(isAgent: boolean, isShim: boolean, module: string): readonly Role[] {
  if (isAgent) return ["agent"];
  const roles: Role[] = ["workflow"];
  // The core module's skills are what earlier generations called tasks.
  if (module === "core") roles.push("task");
  if (isShim) roles.push("shim");
  return roles;
}

function isShim(front: Values, description: string, place: string): boolean {
  return asText(asValues(front["metadata"])["lifecycle"]) === "shim" || place.includes("v6-shims/") ||
    /^deprecated\b/i.test(description);
}

/** Path parts that group skills without being a phase. */
const NO_PHASE = new Set(["agents", "workflows", "skills", "v6-shims", "tasks"]);

function phaseOf(place: string): string | undefined {
  return place.split("/").slice(0, -1).find((part) => part !== "" && !NO_PHASE.has(part));
}

/** The agent's own values, in the spelling of whichever file holds them. */
function readAgent(tree: Tree, folder: string, diagnostics: Diagnostic[]): Values | undefined {
  const custom = joinPath(folder, "customize.toml");
  // Most skills have a [workflow] table instead: the text tells without parsing.
  const text = findText(tree, custom) ?? "";
  if (/^\uFEFF?[ \t]*(\[+[ \t]*)?agent\b/m.test(text)) {
    const agent = readParsed(tree, custom, parseToml, diagnostics)?.["agent"];
    // A table that cannot be parsed still says what the skill is.
    if (isValues(agent) || /^\[agent\]/m.test(text)) return asValues(agent);
  }
  const manifest = readParsed(tree, joinPath(folder, "bmad-skill-manifest.yaml"), parseYaml, diagnostics);
  return manifest?.["type"] === "agent" ? manifest : undefined;
}

function personaOf(agent: Values): Persona {
  return {
    role: asText(agent["role"]),
    identity: asText(agent["identity"]),
    communicationStyle: asText(agent["communication_style"]) ?? asText(agent["communicationStyle"]),
    principles: asTexts(agent["principles"]),
    capabilities: asTexts(agent["capabilities"]).flatMap((text) => text.split(/,\s*/)),
    menu: (Array.isArray(agent["menu"]) ? agent["menu"] : []).map(asValues).map(menuItemOf),
  };
}
