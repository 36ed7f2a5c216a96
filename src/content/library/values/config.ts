/**
 * Configuration: a module's own defaults, overridden by what each source says, the source of the highest priority last.
 *
 * Of one source these override each other: the `config.yaml` of the BMAD folder itself (`~/.bmad/config.yaml` is the
 * user's personal file), the flat `config.yaml` of the core, that of the module, and the four TOML layers of an
 * installation. Tables are merged field by field. v4 has one `core-config.yaml`, and its packs a
 * `config.yaml`.
 *
 * Secrets are removed here, so that no caller can forget to. Placeholders inside values (`{project-root}`) stay: only the
 * client knows what they mean on its machine.
 */
import type { Diagnostic } from "../../../base/model.ts";
import { atOnce, type Steps } from "../../../base/work.ts";
import { asValues, parseYaml, type Values } from "../../parse.ts";
import { moduleNames } from "../../catalog/mod.ts";
import { hasRootName, layoutOf } from "../../inventory/mod.ts";
import { joinPath } from "../../tree/mod.ts";
import { defaultAgents, defaultConfig, MAX_MODULES, moduleCodes } from "./defaults.ts";
import { centralLayers } from "./flat.ts";
import { findLayer, type Layer, mergeLayers, readLayer } from "./layers.ts";
import { mergeTables } from "./merge.ts";
import { type Library, type LibrarySource, perKey, perLibrary, type SourceFile } from "../library.ts";
import { isBelow } from "../files/mounts.ts";
import { fileIn } from "../files/references.ts";
import { configWithoutSecrets, withoutSecrets } from "../files/secrets.ts";

/**
 * All configuration, as BMAD's own script prints it: `core`, `modules` and `agents` by code, and whatever else the layers
 * have. The layers override the defaults and the flat files of the given modules, by default of all. What a module only
 * repeats of the core is left out.
 */
export function resolveConfig(
  library: Library,
  problems: Diagnostic[] = [],
  only: readonly string[] = moduleCodes(library),
): Values {
  return atOnce(configSteps(library, problems, only));
}

/** The same, module by module. */
export function* configSteps(
  library: Library,
  problems: Diagnostic[],
  only: readonly string[] = moduleCodes(library),
): Steps<Values> {
  const levels = readLevels(library, problems);
  const merged = mergeConfig(library, problems);
  const codes = new Set([...only, ...layeredModules(merged)]);
  codes.delete("core");
  const modules: (readonly [string, Values])[] = [];
  for (const code of codes) {
    const own = ownConfig(library, levels, code, problems);
    if (Object.keys(own).length > 0) modules.push([code, own]);
    yield;
  }
  const roster = defaultAgents(library, [...codes]);
  const agents = Object.entries({ ...roster, ...asValues(merged["agents"]) })
    .map(([code, agent]) => [code, { ...asValues(roster[code]), ...asValues(agent) }] as const);
  return configWithoutSecrets({
    ...merged,
    core: coreConfig(library, levels, problems),
    modules: Object.fromEntries(modules),
    agents: Object.fromEntries(agents),
  });
}

function coreConfig(library: Library, levels: readonly Level[], problems: Diagnostic[]): Values {
  if (isOfV4(library, "core")) return v4Config(library, "core", problems);
  const others = moduleCodes(library).filter((code) => code !== "core");
  const theirs = new Set(others.flatMap((code) => Object.keys(defaultConfig(library, code, []))));
  const own = defaultConfig(library, "core", problems);
  const isOwn = (key: string) => Object.hasOwn(own, key) || !theirs.has(key);
  return mergeTables(
    own,
    ...levels.flatMap(({ root, core, merged }) => [pick(root.values, isOwn), core.values, coreOf(merged)]),
  );
}

/** The values of a module that are not the core's: what a source says of the core overrides those below it. */
function ownConfig(
  library: Library,
  levels: readonly Level[],
  module: string,
  problems: Diagnostic[],
): Values {
  if (isOfV4(library, module)) {
    const layered = levels.map((level) => moduleOf(level.merged, module));
    return mergeTables(v4Config(library, module, problems), ...layered);
  }
  const files = flatFiles(library, module);
  problems.push(...files.problems);
  const defaults = defaultConfig(library, module, problems, valuesOf(saidLayers(levels, files, module)));
  let own = defaults;
  for (const { rank, root: { values: root }, core, merged } of levels) {
    const layeredCore = coreOf(merged);
    const flatCore = { ...root, ...core.values };
    const isAbove = (key: string) => [flatCore, layeredCore].some((values) => Object.hasOwn(values, key));
    own = mergeTables(
      pick(own, (key) => !isAbove(key)),
      pick(root, (key) => Object.hasOwn(defaults, key) && !Object.hasOwn(layeredCore, key)),
      pick(
        files.layers[rank]!.values,
        (key, value) =>
          JSON.stringify(value) !== JSON.stringify(flatCore[key]) && !Object.hasOwn(layeredCore, key),
      ),
      moduleOf(merged, module),
    );
  }
  return own;
}

function pick(values: Values, isWanted: (key: string, value: unknown) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => isWanted(key, value)));
}

/** The configuration of a module, as its items see it: its own keys and those of the core. */
export function resolveModuleConfig(library: Library, module: string, problems: Diagnostic[] = []): Values {
  return resolveModuleConfigs(library, [module], problems)[0]!;
}

/** The same for several modules, in their order. */
export function resolveModuleConfigs(
  library: Library,
  modules: readonly string[],
  problems: Diagnostic[] = [],
): readonly Values[] {
  const configs = modules.map((module) => moduleConfig(library, module));
  // The core's issues are those of every module.
  const found = new Set(configs.flatMap((config) => config.problems));
  problems.push(...new Map(Array.from(found, (problem) => [JSON.stringify(problem), problem])).values());
  return configs.map(({ values }) => values);
}

/** The modules with items or a configuration, which may be all that a project has of one. */
export function configuredModules(library: Library): readonly string[] {
  const flat = library.sources.flatMap(({ tree, inventory: { roots } }) =>
    roots.flatMap(({ path }) =>
      tree.list(path).filter(({ isDirectory }) => isDirectory).slice(0, MAX_MODULES)
        .filter(({ name }) => tree.hasFile(joinPath(path, `${name}/config.yaml`))).map(({ name }) => name)
    )
  );
  return [...new Set([...moduleCodes(library), ...layeredModules(mergeConfig(library)), ...flat])];
}

/** The modules that the TOML layers name. */
function layeredModules(merged: Values): readonly string[] {
  return Object.keys(asValues(merged["modules"])).slice(0, MAX_MODULES);
}

interface ModuleConfig {
  readonly values: Values;
  /** Later ones override. */
  readonly layers: readonly ConfigLayer[];
  readonly problems: readonly Diagnostic[];
}

const moduleConfig = perKey((library, module: string): ModuleConfig => {
  const problems: Diagnostic[] = [];
  if (isOfV4(library, module)) {
    return { values: withoutSecrets(v4Config(library, module, problems)), layers: [], problems };
  }
  const files = module === "core" ? NO_FILES : flatFiles(library, module);
  problems.push(...files.problems);
  const said = saidLayers(readLevels(library, problems), files, module);
  const layers = [
    { values: defaultConfig(library, "core", problems) },
    { values: defaultConfig(library, module, problems, valuesOf(said)) },
    ...said,
  ];
  return { values: withoutSecrets(valuesOf(layers)), layers, problems };
});

/** A value in force, and the file that says so; missing for a default. */
export interface ValueFacts {
  readonly key: string;
  readonly value: unknown;
  readonly file?: SourceFile;
}

/** The configuration of a module as its items see it, each value with its file. */
export function explainConfig(library: Library, module: string): readonly ValueFacts[] {
  const { values, layers } = moduleConfig(library, module);
  return Object.entries(values).map(([key, value]) => {
    const file = layers.findLast((layer) => Object.hasOwn(layer.values, key))?.fileOf?.(key);
    return { key, value, ...(file && { file }) };
  });
}

/** Values, and the file of each; defaults have none. */
interface ConfigLayer {
  readonly values: Values;
  fileOf?(key: string): SourceFile | undefined;
}

/** What files say of a module and of the core; later ones override. */
function saidLayers(levels: readonly Level[], { layers }: FlatFiles, module: string): readonly ConfigLayer[] {
  return levels.flatMap((level) => [
    level.root,
    level.core,
    layers[level.rank] ?? NO_LAYER,
    layeredConfig(level, module),
  ]);
}

function valuesOf(layers: readonly ConfigLayer[]): Values {
  return mergeTables(...layers.map(({ values }) => values));
}

/** Keys of folders, all of which lie in the project; the name of BMAD's own folder is used as it is. */
const FOLDER_KEY = /(?:^|_)(?:folder|artifacts|output|location|knowledge)$/;

/** Values with `{project-root}/` before every folder in the project: installers write it for some, and not for others. */
export function withProjectRoot(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const isRelative = typeof value === "string" && /^[\w.][^:]*$/.test(value) && !value.startsWith("..");
      const isFolder = FOLDER_KEY.test(key) && key !== "bmad_folder";
      return [key, isFolder && isRelative ? `{project-root}/${value.replace(/^\.\//, "")}` : value];
    }),
  );
}

/** What one source says of all modules. */
interface Level {
  /** Its place among the sources. */
  readonly rank: number;
  /** The `config.yaml` of its BMAD folders themselves. */
  readonly root: ConfigLayer;
  /** The flat file of the core. */
  readonly core: ConfigLayer;
  /** The TOML layers, and what they are merged. */
  readonly layers: readonly Layer[];
  readonly merged: Values;
}

/** What each source says, the one of the highest priority last. */
function readLevels(library: Library, problems: Diagnostic[]): readonly Level[] {
  const { levels, problems: found } = levelsOf(library);
  problems.push(...found);
  return levels;
}

/** Kept, because every module asks for it, and the core may have to be gathered from all of them. */
const levelsOf = perKey((library) => {
  const { layers, problems: found } = layersOf(library);
  const cores = coreFiles(library);
  const problems = [...found, ...cores.problems];
  const levels = library.sources.map((source, rank): Level => {
    const own = layers.filter(({ file }) => file.source === source);
    return {
      rank,
      root: readRootFiles(source, problems),
      core: cores.layers[rank]!,
      layers: own,
      merged: mergeLayers(own, problems),
    };
  });
  return { levels: levels.toReversed(), problems };
});

/** The TOML layers of all sources, that of the highest priority last, and what they are merged. */
const layersOf = perKey((library) => {
  const problems: Diagnostic[] = [];
  const layers = centralLayers(library, problems);
  return { layers, merged: mergeLayers(layers, problems), problems };
});

const NO_LAYER: ConfigLayer = { values: {} };

function readFlat(file: SourceFile, problems: Diagnostic[]): ConfigLayer {
  const layer = readLayer(file, parseYaml, problems);
  return layer === undefined ? NO_LAYER : { values: layer.values, fileOf: () => file };
}

/** The flat file of a module in each source, by the source's rank. */
interface FlatFiles {
  readonly layers: readonly ConfigLayer[];
  readonly problems: readonly Diagnostic[];
}

const NO_FILES: FlatFiles = { layers: [], problems: [] };

const flatFiles = perKey((library, module: string): FlatFiles => {
  const problems: Diagnostic[] = [];
  // The complete file that an installer wrote covers those of the sources below.
  let isCovered = false;
  const layers = library.sources.map((source) => {
    const file = isCovered ? undefined : fileIn(source, `${module}/config.yaml`);
    if (file === undefined) return NO_LAYER;
    isCovered = isInstalled(file);
    return readFlat(file, problems);
  });
  return { layers, problems };
});

function isInstalled({ source, path }: SourceFile): boolean {
  return source.inventory.roots.some((root) =>
    layoutOf(root).is !== "hand-written" && isBelow(path, root.path)
  );
}

/** The flat files of the core. Where a source has only those of modules, each of them repeats the core's values. */
function coreFiles(library: Library): FlatFiles {
  const own = flatFiles(library, "core");
  if (!own.layers.includes(NO_LAYER)) return own;
  const others = moduleCodes(library).filter((code) => code !== "core").map((code) =>
    flatFiles(library, code)
  );
  const known = defaultConfig(library, "core", []);
  return {
    layers: own.layers.map((layer, rank) =>
      layer === NO_LAYER ? repeatedCore(others.map(({ layers }) => layers[rank]!), known) : layer
    ),
    problems: [...own.problems, ...others.flatMap(({ problems }) => problems)],
  };
}

function repeatedCore(modules: readonly ConfigLayer[], known: Values): ConfigLayer {
  const others = modules.filter((layer) => layer !== NO_LAYER);
  if (others.length === 0) return NO_LAYER;
  return {
    values: pick(valuesOf(others.toReversed()), (key) => Object.hasOwn(known, key)),
    fileOf: (key) => others.find(({ values }) => Object.hasOwn(values, key))?.fileOf?.(key),
  };
}

/** The values in a BMAD folder itself, for all its modules: in the user's own, `~/.bmad`, for every project. */
function readRootFiles(source: LibrarySource, problems: Diagnostic[]): ConfigLayer {
  const { tree, inventory } = source;
  const roots = new Set(["", ...inventory.roots.map(({ path }) => path)]);
  const files = [...roots].filter((root) => hasRootName(tree, root))
    .map((root) => readFlat({ source, path: joinPath(root, "config.yaml") }, problems));
  // Of several folders the first one counts.
  return files.find((layer) => layer !== NO_LAYER) ?? NO_LAYER;
}

/** The TOML layers of an installation merged, with their secrets: never to be delivered as it is. */
export function mergeConfig(library: Library, problems: Diagnostic[] = []): Values {
  const { merged, problems: found } = layersOf(library);
  problems.push(...found);
  return merged;
}

function coreOf(values: Values): Values {
  return asValues(values["core"]);
}

function moduleOf(values: Values, module: string): Values {
  return asValues(asValues(values["modules"])[module]);
}

function layeredConfig({ layers, merged }: Level, module: string): ConfigLayer {
  // Of the names that generations gave a module, its own counts most.
  const names = [...moduleNames(module), module];
  const ownOf = (values: Values): Values => Object.assign({}, ...names.map((name) => moduleOf(values, name)));
  const owns = layers.map(({ values }) => ownOf(values));
  const cores = layers.map(({ values }) => coreOf(values));
  const lastOf = (tables: readonly Values[], key: string) =>
    tables.findLastIndex((table) => Object.hasOwn(table, key));
  // `project_name` moved from the module to the core in 6.6: of a key that is in both, the later layer counts.
  const isOwn = (key: string) =>
    lastOf(owns, key) >= lastOf(cores, key) && !(key === MOVED && lastOf(cores, key) >= 0);
  const own = pick(ownOf(merged), isOwn);
  return {
    values: { ...coreOf(merged), ...own },
    fileOf: (key) => layers[lastOf(isOwn(key) ? owns : cores, key)]?.file,
  };
}

/** A key that moved from a module to the core, where it counts wherever it is. */
const MOVED = "active_initiative";

/** Whether a module is a v4 root, which keeps its configuration in other files. */
export function isOfV4(library: Library, module: string): boolean {
  return v4Modules(library).has(module);
}

const v4Modules = perLibrary(({ sources }): ReadonlySet<string> =>
  new Set(sources.flatMap(({ inventory: { roots, mounts } }) => {
    const paths = new Set(roots.filter(({ generation }) => generation === "v4").map(({ path }) => path));
    return mounts.filter(({ path }) => paths.has(path)).map(({ at }) => at);
  }))
);

/** What a pack says about itself; its agents do not need it. */
const PACK_FACTS = new Set(["name", "version", "short-title", "description", "author"]);

/** The configuration of a v4 root. Most packs load the core's, so the pack's own overrides that. */
function v4Config(library: Library, module: string, problems: Diagnostic[]): Values {
  const firstOf = (root: string, names: readonly string[]) =>
    names.values().map((name) => findLayer(library, `${root}/${name}`, parseYaml, problems)?.values)
      .find((values) => values !== undefined) ?? {};
  const core = firstOf("bmad-core", ["core-config.yaml", "core-config.yml"]);
  if (module === "bmad-core") return core;
  const own = firstOf(module, ["core-config.yaml", "core-config.yml", "config.yaml", "config.yml"]);
  return { ...core, ...Object.fromEntries(Object.entries(own).filter(([key]) => !PACK_FACTS.has(key))) };
}
