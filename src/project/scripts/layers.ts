/**
 * Configuration and customization of an installation, read from its files as BMAD's own scripts read them.
 *
 * A layer that cannot be used is an error. Installations before 6.12 follow other rules, which their scripts show.
 */
import { CONFIG_LAYERS } from "../../base/model.ts";
import type { Values } from "../../base/values.ts";
import { mergeStructural } from "../../content/library/mod.ts";
import { parseToml } from "../../content/parse.ts";
import { baseName, joinPath, parentPath } from "../../content/tree/mod.ts";
import { ScriptError } from "./program.ts";
import { findSkill, type ScriptWorld } from "./script.ts";

export class ConfigError extends ScriptError {}

/** What was read; undefined if a layer of it cannot be used. */
export function unlessBroken<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/**
 * Whether the installation below a root is one up to 6.10: there, a broken layer over the first one is left out with a
 * warning, and lists may have any keys.
 */
export function isLenient({ files }: ScriptWorld, root: string): boolean {
  const has = (name: string) => files.tree.stat(joinPath(root, "_bmad/scripts", name)) !== undefined;
  return has("resolve_config.py") && !has("config_utils.py");
}

/** The release whose rules resolvers follow in the project, where that is not the newest one. */
export function resolverRules(world: ScriptWorld): string | undefined {
  return isLenient(world, "") ? "6.10.0" : hasOuterProject(world) ? "6.11.0" : undefined;
}

/** The configuration below a root; undefined if it has none. Warnings are added to the notes. */
export function readConfig(
  world: ScriptWorld,
  root: string,
  notes: string[],
  layers: readonly string[] = CONFIG_LAYERS,
): Values | undefined {
  const [first, ...others] = layers.map((path) => joinPath(root, "_bmad", path));
  const own = layer(world, first!);
  return own && merge(world, root, [own, ...others], notes);
}

/** A skill's customization, by its name, its folder or its URI; without a root, that of the project it belongs to. */
export function readCustomization(
  world: ScriptWorld,
  given: string,
  project: string | undefined,
  notes: string[],
): Values {
  const { name, place, text } = openSkill(world, given);
  const root = project ?? projectOf(world, place);
  if (text === undefined) throw new ConfigError(`required TOML file not found: ${place}/customize.toml`);
  const overrides = [`${name}.toml`, `${name}.user.toml`].map((file) => joinPath(root, "_bmad/custom", file));
  return merge(world, root, [parse(text, `${place}/customize.toml`), ...overrides], notes);
}

/** What a path outside all skills may hold, too: a folder of the project. */
export function openSkill(world: ScriptWorld, given: string) {
  const skill = findSkill(world, given);
  if (skill !== undefined) {
    return { name: skill.name, place: skill.location, text: skill.read("customize.toml") };
  }
  const folder = world.files.pathOf("--skill", given);
  return {
    name: baseName(folder),
    place: `${world.files.root}/${folder}`,
    text: textOf(world, joinPath(folder, "customize.toml")),
  };
}

/** The project whose overrides count for a skill: the one we serve, or up to 6.11 the nearest one or repository around it. */
function projectOf(world: ScriptWorld, place: string): string {
  const { root, tree } = world.files;
  if (!hasOuterProject(world) || !place.startsWith(`${root}/`)) return "";
  const isProject = (at: string) =>
    ["_bmad", ".git"].some((name) => tree.stamp(joinPath(at, name)) !== undefined);
  let at = place.slice(root.length + 1);
  while (at !== "" && !isProject(at)) at = parentPath(at);
  return at;
}

/** Whether the installed resolver looks for the project around a skill, as up to 6.11. */
function hasOuterProject({ files: { find } }: ScriptWorld): boolean {
  return find("_bmad/scripts/resolve_customization.py")?.includes("script_project_root") === false;
}

/** The text of a layer; undefined if there is none. */
function textOf(world: ScriptWorld, path: string): string | undefined {
  const text = world.files.find(path);
  if (text === undefined && world.files.tree.stamp(path) !== undefined) {
    throw new ConfigError(`TOML layer is not a file: ${world.files.root}/${path}`);
  }
  return text;
}

function layer(world: ScriptWorld, path: string): Values | undefined {
  const text = textOf(world, path);
  return text === undefined ? undefined : parse(text, `${world.files.root}/${path}`);
}

function parse(text: string, place: string): Values {
  const { value, problem } = parseToml(text);
  if (problem !== undefined) throw new ConfigError(`failed to parse ${place}: ${problem}`);
  return value;
}

/** The first layer with those over it, which are read from their files. */
function merge(
  world: ScriptWorld,
  root: string,
  [own, ...others]: readonly [Values, ...string[]],
  notes: string[],
): Values {
  const skipsBroken = isLenient(world, root);
  return others.reduce((merged, path) => {
    try {
      return mergeStructural(merged, layer(world, path) ?? {}, (reason) => {
        if (!skipsBroken) throw new ConfigError(reason);
      });
    } catch (error) {
      if (!skipsBroken || !(error instanceof ConfigError)) throw error;
      notes.push(`warning: ${error.message}\n`);
      return merged;
    }
  }, own);
}
