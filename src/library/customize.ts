/**
 * What a local installation would have resolved: configuration and customization, layer over layer.
 *
 * Configuration: a module's own defaults, under the flat `config.yaml`, under the four TOML layers of an
 * installation. Customization: a skill's `customize.toml` under the team's and the user's overrides, merged by
 * BMAD's structural rules. Placeholders inside values (`{project-root}`) stay: the client knows what they mean.
 */
import { CONFIG_LAYERS, type Entry } from "../model.ts";
import { asText, asValues, isValues, type Parsed, parseToml, parseYaml, type Values } from "../parse.ts";
import { findText, joinPath } from "../tree.ts";
import { findExactFile } from "./references.ts";
import { type Holding, holdingOf, type Library } from "./library.ts";

/** The values that apply to one thing. */
export interface Resolved {
  /** The merged `[agent]` or `[workflow]` table, under its name. */
  readonly customization: Values;
  readonly config: Values;
  /** Files that could not be understood, and so do not count. */
  readonly problems: readonly string[];
}

/** Resolves all values that apply to an entry. */
export function resolveValues(library: Library, entry: Entry): Resolved {
  const problems: string[] = [];
  return {
    customization: entry.generation === "v4" ? {} : resolveCustomization(library, entry, problems),
    config: entry.generation === "v4"
      ? v4Config(library, entry, problems)
      : resolveModuleConfig(library, entry.module, problems),
    problems,
  };
}

/** The customization of a skill: base, then the team's file, then the user's. */
function resolveCustomization(library: Library, entry: Entry, problems: string[]): Values {
  const base = readToml(holdingOf(library, entry), joinPath(entry.folder, "customize.toml"), problems);
  const layers = [`custom/${entry.id}.toml`, `custom/${entry.id}.user.toml`].map((path) => {
    const file = findExactFile(library, path);
    return file === undefined ? {} : readToml(file.holding, file.path, problems);
  });
  const merged = layers.reduce(mergeStructural, base);
  const key = ["agent", "workflow"].find((key) => isValues(merged[key]));
  return key === undefined ? {} : { [key]: merged[key] };
}

/** The configuration of a module, as its skills see it: its own keys and those of the core. */
export function resolveModuleConfig(library: Library, module: string, problems: string[] = []): Values {
  const read = (path: string, parse: (text: string) => Parsed<Values>) => {
    const file = findExactFile(library, path);
    return file === undefined ? {} : readValues(file.holding, file.path, parse, problems);
  };
  const flat = ["core", module].map((code) => read(`${code}/config.yaml`, parseYaml));
  const layered = CONFIG_LAYERS.map((path) => read(path, parseToml))
    .map((values) => ({ ...asValues(values["core"]), ...asValues(asValues(values["modules"])[module]) }));
  return Object.assign({}, defaultConfig(library, module, problems), ...flat, ...layered);
}

/** What an installer would have written had every question been answered with its default. */
function defaultConfig(library: Library, module: string, problems: string[]): Values {
  const raw: Record<string, unknown> = {};
  const config: Record<string, unknown> = {};
  for (const code of module === "core" ? ["core"] : ["core", module]) {
    const file = findExactFile(library, `${code}/module.yaml`);
    const rows = file === undefined ? {} : readYaml(file.holding, file.path, problems);
    for (const [key, row] of Object.entries(rows)) {
      if (!isValues(row) || row["default"] === undefined || row["prompt"] === undefined) continue;
      raw[key] = fill(row["default"], { ...raw, directory_name: projectName(library) });
      const result = asText(row["result"]) ?? "{value}";
      // The installer writes the core's answers as they were given, and the modules' in the form of `result`.
      config[key] = code === "core" ? raw[key] : fill(result, { ...config, value: raw[key] });
    }
  }
  return config;
}

/** Puts values for `{name}` into a text; a text that is nothing but one placeholder keeps the value's type. */
function fill(template: unknown, values: Values): unknown {
  if (typeof template !== "string") return template;
  const [, only] = /^\{([\w-]+)\}$/.exec(template) ?? [];
  const valueOf = (name: string) => Object.hasOwn(values, name) ? values[name] : undefined;
  if (only !== undefined && valueOf(only) !== undefined) return valueOf(only);
  return template.replace(/\{([\w-]+)\}/g, (whole, name: string) => asText(valueOf(name)) ?? whole);
}

function projectName(library: Library): string | undefined {
  return library.project?.replaceAll("\\", "/").split("/").at(-1);
}

function v4Config(library: Library, entry: Entry, problems: string[]): Values {
  const names = ["core-config.yaml", "core-config.yml", "config.yaml"];
  const file = names.map((name) => findExactFile(library, `${entry.module}/${name}`)).find((found) =>
    found !== undefined
  );
  return file === undefined ? {} : readYaml(file.holding, file.path, problems);
}

/**
 * Lays one document over another: scalars replace, tables merge, lists of tables that all have a `code` (else an
 * `id`) replace by that key and append what is new, all other lists append. Nothing is ever removed.
 */
export function mergeStructural(base: Values, over: Values): Values {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const old = merged[key];
    if (isValues(old) && isValues(value)) merged[key] = mergeStructural(old, value);
    else if (Array.isArray(old) && Array.isArray(value)) merged[key] = mergeLists(old, value);
    else merged[key] = value;
  }
  return merged;
}

function mergeLists(base: readonly unknown[], over: readonly unknown[]): readonly unknown[] {
  const all = [...base, ...over];
  const key = ["code", "id"].find((key) => all.every((item) => isValues(item) && item[key] !== undefined));
  if (key === undefined) return all;
  const byKey = new Map<unknown, unknown>();
  for (const item of all as Values[]) byKey.set(item[key], item);
  return [...byKey.values()];
}

function readToml(holding: Holding, path: string, problems: string[]): Values {
  return readValues(holding, path, parseToml, problems);
}

function readYaml(holding: Holding, path: string, problems: string[]): Values {
  return readValues(holding, path, parseYaml, problems);
}

function readValues(
  { tree }: Holding,
  path: string,
  parse: (text: string) => Parsed<Values>,
  problems: string[],
): Values {
  const text = findText(tree, path);
  if (text === undefined) return {};
  const { value, problem } = parse(text);
  if (problem !== undefined) problems.push(`${path} does not count: ${problem}`);
  return value;
}
