/**
 * Configuration and customization of an installation, read from its files as BMAD's own scripts read them.
 *
 * A layer that cannot be used is an error. Installations before 6.12 follow other rules, which their scripts show.
 */
import { CONFIG_LAYERS } from "../../base/model.ts";
import type { Values } from "../../base/values.ts";
import { mergeStructural } from "../../content/library/mod.ts";
import { parseToml } from "../../content/parse.ts";
import { joinPath } from "../../content/tree/mod.ts";
import { ScriptError } from "./program.ts";
import { findSkill, type ScriptWorld } from "./script.ts";

/** Why a layer cannot be used. */
export class ConfigError extends ScriptError {}

/** By which rules an installation reads its layers. */
export interface LayerRules {
  /** Up to 6.10, a broken layer over the first one is left out with a warning, and lists may have any keys. */
  readonly isLenient: boolean;
  /** Up to 6.11, a skill belongs to the nearest project around it. */
  readonly isNearest: boolean;
}

/** The rules of the installation in a folder such as `_bmad`; those of 6.12 where there is none. */
export function rulesOf({ files }: ScriptWorld, base: string): LayerRules {
  const has = (name: string) => files.tree.stat(joinPath(base, "scripts", name)) !== undefined;
  const resolver = joinPath(base, "scripts/resolve_customization.py");
  return {
    isLenient: has("resolve_config.py") && !has("config_utils.py"),
    isNearest: !(files.find(resolver)?.includes("script_project_root") ?? true),
  };
}

/** The configuration below a root; undefined if it has none. Warnings are added to the notes. */
export function readConfig(
  world: ScriptWorld,
  root: string,
  notes: string[],
  layers: readonly string[] = CONFIG_LAYERS,
): Values | undefined {
  const base = joinPath(root, "_bmad");
  const rules = rulesOf(world, base);
  const [first, ...others] = layers.map((path) => joinPath(base, path));
  const own = layer(world, first!);
  return own && merge([own, ...others.map((path) => override(world, path, rules, notes))], rules);
}

/** A skill's customization, by its name, its folder or its URI; without a root, that of the project it belongs to. */
export function readCustomization(
  world: ScriptWorld,
  given: string,
  root: string | undefined,
  notes: string[],
): Values {
  const { name, place, text } = openSkill(world, given);
  if (text === undefined) throw new ConfigError(`required TOML file not found: ${place}/customize.toml`);
  const files = (project: string) =>
    [`${name}.toml`, `${name}.user.toml`].map((file) => joinPath(project, "_bmad/custom", file));
  const project = root ??
    projectOf(world, place, (project) => files(project).some((path) => has(world, path)), {
      name,
      notes,
    });
  const rules = rulesOf(world, joinPath(project, "_bmad"));
  const own = parse(text, `${place}/customize.toml`);
  return merge([own, ...files(project).map((path) => override(world, path, rules, notes))], rules);
}

/** A skill's own customization, if it can be read. */
export function ownCustomization(world: ScriptWorld, given: string): Values {
  const { text } = openSkill(world, given);
  return text === undefined ? {} : parseToml(text).value;
}

/** What a path outside all skills may hold, too: a folder of the project. */
export function openSkill(world: ScriptWorld, given: string) {
  const skill = findSkill(world, given);
  if (skill !== undefined) {
    return { name: skill.name, place: skill.location, text: skill.read("customize.toml") };
  }
  const folder = world.files.pathOf("--skill", given);
  const name = folder.slice(folder.lastIndexOf("/") + 1);
  return {
    name,
    place: `${world.files.root}/${folder}`,
    text: textOf(world, joinPath(folder, "customize.toml")),
  };
}

/** The project whose overrides count for a skill at a place: the one we serve, or by older rules the nearest. */
function projectOf(
  world: ScriptWorld,
  place: string,
  isOverridden: (project: string) => boolean,
  { name, notes }: { readonly name: string; readonly notes: string[] },
): string {
  const { isNearest } = rulesOf(world, "_bmad");
  const { root } = world.files;
  const nearest = place.startsWith(`${root}/`)
    ? nearestProject(world, place.slice(root.length + 1), isNearest) ?? ""
    : "";
  if (isNearest || nearest === "") return nearest;
  if (!isOverridden("") && isOverridden(nearest)) {
    notes.push(
      `note: ${root} has no customization of \`${name}\`, but ${root}/${nearest} has. To use it, pass ` +
        "--project-root.\n",
    );
  }
  return "";
}

/** The nearest folder at or above a path with `_bmad`, else with `.git`; by older rules, with either. */
function nearestProject(world: ScriptWorld, path: string, isEither: boolean): string | undefined {
  let repository: string | undefined;
  for (let at = path;; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
    const isRepository = has(world, joinPath(at, ".git"));
    const base = joinPath(at, "_bmad");
    const isProject = has(world, base) && (isEither || world.files.tree.stat(base) === undefined);
    if (isProject || isEither && isRepository) return at;
    if (isRepository) repository ??= at;
    if (at === "") return repository;
  }
}

function has({ files }: ScriptWorld, path: string): boolean {
  return files.tree.stamp(path) !== undefined;
}

/** The text of a layer; undefined if there is none. */
function textOf(world: ScriptWorld, path: string): string | undefined {
  const text = world.files.find(path);
  if (text === undefined && has(world, path)) {
    throw new ConfigError(`TOML layer is not a file: ${world.files.root}/${path}`);
  }
  return text;
}

function layer(world: ScriptWorld, path: string): Values | undefined {
  const text = textOf(world, path);
  return text === undefined ? undefined : parse(text, `${world.files.root}/${path}`);
}

/** A layer over the first one. */
function override(
  world: ScriptWorld,
  path: string,
  { isLenient }: LayerRules,
  notes: string[],
): Values | undefined {
  try {
    return layer(world, path);
  } catch (error) {
    if (!isLenient || !(error instanceof ConfigError)) throw error;
    notes.push(`warning: ${error.message}\n`);
    return undefined;
  }
}

function parse(text: string, place: string): Values {
  const { value, problem } = parseToml(text);
  if (problem !== undefined) throw new ConfigError(`failed to parse ${place}: ${problem}`);
  return value;
}

function merge(layers: readonly (Values | undefined)[], { isLenient }: LayerRules): Values {
  return layers.filter((one) => one !== undefined).reduce<Values>(
    (merged, one) =>
      mergeStructural(merged, one, (reason) => {
        if (!isLenient) throw new ConfigError(reason);
      }),
    {},
  );
}
