/**
 * Configuration: a module's own defaults, overridden by what each source says, the source of the highest priority last.
 *
 * Of one source these override each other: the personal file `~/.bmad/config.yaml`, the flat `config.yaml` of the core,
 * that of the module, and the four TOML layers of an installation. v4 has one `core-config.yaml`, and its packs a
 * `config.yaml`.
 *
 * Secrets are removed here, so that no caller can forget to. Placeholders inside values (`{project-root}`) stay: only the
 * client knows what they mean on its machine.
 */
import { type Diagnostic, ROOT_NAMES } from "../../../base/model.ts";
import { asValues, parseYaml, type Values } from "../../parse.ts";
import { moduleNames } from "../../catalog/mod.ts";
import { layoutOf } from "../../inventory/mod.ts";
import { baseName, joinPath } from "../../tree/mod.ts";
import { defaultAgents, defaultConfig, moduleCodes } from "./defaults.ts";
import { centralLayers } from "./flat.ts";
import { findLayer, type Layer, mergeLayers, readLayer } from "./layers.ts";
import { type Library, type LibrarySource, perKey, type SourceFile } from "../library.ts";
import { isBelow } from "../files/mounts.ts";
import { fileIn } from "../files/references.ts";
import { withoutSecrets } from "../files/secrets.ts";

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
  const levels = readLevels(library, problems);
  const merged = mergeLevels(levels, problems);
  const codes = new Set([...only, ...Object.keys(asValues(merged["modules"]))]);
  codes.delete("core");
  const modules = [...codes].map((code) => [code, ownConfig(library, levels, code, problems)] as const)
    .filter(([, own]) => Object.keys(own).length > 0);
  const roster = defaultAgents(library, [...codes]);
  const agents = Object.entries({ ...roster, ...asValues(merged["agents"]) })
    .map(([code, agent]) => [code, { ...asValues(roster[code]), ...asValues(agent) }] as const);
  const cleaned = (rows: readonly (readonly [string, Values])[]) =>
    Object.fromEntries(rows.map(([code, values]) => [code, withoutSecrets(values)]));
  return {
    ...withoutSecrets(merged),
    core: withoutSecrets(coreConfig(library, levels, problems)),
    modules: cleaned(modules),
    agents: cleaned(agents),
  };
}

function coreConfig(library: Library, levels: readonly Level[], problems: Diagnostic[]): Values {
  if (isOfV4(library, "core")) return v4Config(library, "core", problems);
  const others = moduleCodes(library).filter((code) => code !== "core");
  const theirs = new Set(others.flatMap((code) => Object.keys(defaultConfig(library, code, []))));
  const own = defaultConfig(library, "core", problems);
  const isOwn = (key: string) => Object.hasOwn(own, key) || !theirs.has(key);
  return Object.assign(
    {},
    own,
    ...levels.flatMap(({ personal, flat, merged }) => [
      pick(personal.values, isOwn),
      flat("core").values,
      coreOf(merged),
    ]),
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
    return Object.assign({}, v4Config(library, module, problems), ...layered);
  }
  const defaults = defaultConfig(library, module, problems, saidOfAll(levels, module));
  let own = defaults;
  for (const { personal: { values: personal }, flat, merged } of levels) {
    const [core, layeredCore] = [flat("core").values, coreOf(merged)];
    const isAbove = (key: string) =>
      [personal, core, layeredCore].some((values) => Object.hasOwn(values, key));
    own = {
      ...pick(own, (key) => !isAbove(key)),
      ...pick(personal, (key) => Object.hasOwn(defaults, key) && !Object.hasOwn(layeredCore, key)),
      ...pick(
        flat(module).values,
        (key, value) =>
          JSON.stringify(value) !== JSON.stringify(core[key]) && !Object.hasOwn(layeredCore, key),
      ),
      ...moduleOf(merged, module),
    };
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
  const found = configs.flatMap((config) => config.problems);
  problems.push(...new Map(found.map((problem) => [JSON.stringify(problem), problem])).values());
  return configs.map(({ values }) => values);
}

/** More folders than any installation has. */
const MAX_MODULES = 200;

/** The modules with items or a configuration, which may be all that a project has of one. */
export function configuredModules(library: Library): readonly string[] {
  const flat = library.sources.flatMap(({ tree, inventory: { roots } }) =>
    roots.flatMap(({ path }) =>
      tree.list(path).filter(({ isDirectory }) => isDirectory).slice(0, MAX_MODULES)
        .filter(({ name }) => tree.hasFile(joinPath(path, `${name}/config.yaml`))).map(({ name }) => name)
    )
  );
  const layered = Object.keys(asValues(mergeConfig(library)["modules"])).slice(0, MAX_MODULES);
  return [...new Set([...moduleCodes(library), ...layered, ...flat])];
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
  const layers = configLayers(library, readLevels(library, problems), module, problems);
  const values = withoutSecrets(Object.assign({}, ...layers.map(({ values }) => values)));
  return { values, layers, problems };
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

/** All that is said of a module's configuration; later ones override. */
function configLayers(
  library: Library,
  levels: readonly Level[],
  module: string,
  problems: Diagnostic[],
): readonly ConfigLayer[] {
  return [
    { values: defaultConfig(library, "core", problems) },
    { values: defaultConfig(library, module, problems, saidOfAll(levels, module)) },
    ...saidLayers(levels, module),
  ];
}

/** What files say of a module and of the core; later ones override. */
function saidLayers(levels: readonly Level[], module: string): readonly ConfigLayer[] {
  return levels.flatMap((level) => [
    level.personal,
    level.flat("core"),
    level.flat(module),
    layeredConfig(level, module),
  ]);
}

function saidOfAll(levels: readonly Level[], module: string): Values {
  return Object.assign({}, ...saidLayers(levels, module).map(({ values }) => values));
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

/** What one source says. */
interface Level {
  readonly personal: ConfigLayer;
  /** The TOML layers, and what they are merged. */
  readonly layers: readonly Layer[];
  readonly merged: Values;
  /** The flat file of a module. */
  flat(module: string): ConfigLayer;
}

/** What each source says, the one of the highest priority last. */
function readLevels(library: Library, problems: Diagnostic[]): readonly Level[] {
  const layers = centralLayers(library, problems).filter((layer) => layer !== undefined);
  return library.sources.toReversed().map((source): Level => {
    const own = layers.filter(({ file }) => file.source === source);
    const files = new Map<string, ConfigLayer>();
    const read = (module: string) =>
      files.getOrInsertComputed(module, () => {
        const file = fileIn(source, `${module}/config.yaml`);
        const isCovered = file === undefined || isBelowInstalled(library, source, module);
        return isCovered ? NO_LAYER : readFlat(file, problems);
      });
    return {
      personal: readPersonal(source, problems),
      layers: own,
      merged: mergeLayers(own, problems),
      flat: (module) =>
        module === "core" && read(module) === NO_LAYER ? repeatedCore(library, read) : read(module),
    };
  });
}

const NO_LAYER: ConfigLayer = { values: {} };

function readFlat(file: SourceFile, problems: Diagnostic[]): ConfigLayer {
  const layer = readLayer(file, parseYaml, problems);
  return layer === undefined ? NO_LAYER : { values: layer.values, fileOf: () => file };
}

/** Whether a source of higher priority has the complete file that an installer wrote. */
function isBelowInstalled({ sources }: Library, source: LibrarySource, module: string): boolean {
  return sources.slice(0, sources.indexOf(source)).some((above) => {
    const file = fileIn(above, `${module}/config.yaml`);
    return file !== undefined && isInstalled(file);
  });
}

function isInstalled({ source, path }: SourceFile): boolean {
  return source.inventory.roots.some((root) =>
    layoutOf(root).is !== "hand-written" && isBelow(path, root.path)
  );
}

/** The core's values where only modules have a file: each of theirs repeats them. */
function repeatedCore(library: Library, read: (module: string) => ConfigLayer): ConfigLayer {
  const others = moduleCodes(library).filter((code) => code !== "core").map(read)
    .filter((layer) => layer !== NO_LAYER);
  if (others.length === 0) return NO_LAYER;
  const known = defaultConfig(library, "core", []);
  const all: Values = Object.assign({}, ...others.toReversed().map(({ values }) => values));
  return {
    values: pick(all, (key) => Object.hasOwn(known, key)),
    fileOf: (key) => others.find(({ values }) => Object.hasOwn(values, key))?.fileOf?.(key),
  };
}

/** The user's own values, for every project: those of a project override them. */
function readPersonal(source: LibrarySource, problems: Diagnostic[]): ConfigLayer {
  const isHome = source.origin.kind === "user" &&
    ROOT_NAMES.includes(baseName(source.tree.location.replaceAll("\\", "/")));
  return isHome ? readFlat({ source, path: PERSONAL_FILE }, problems) : NO_LAYER;
}

/** In `~/.bmad`. */
const PERSONAL_FILE = "config.yaml";

/** The TOML layers of an installation merged, with their secrets: never to be delivered as it is. */
export function mergeConfig(library: Library, problems: Diagnostic[] = []): Values {
  return mergeLevels(readLevels(library, problems), problems);
}

function mergeLevels(levels: readonly Level[], problems: Diagnostic[]): Values {
  return mergeLayers(levels.flatMap(({ layers }) => layers), problems);
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
  const lastLayer = (tableOf: (values: Values) => Values, key: string) =>
    layers.findLastIndex(({ values }) => Object.hasOwn(tableOf(values), key));
  // `project_name` moved from the module to the core in 6.6: of a key that is in both, the later layer counts.
  const isOwn = (key: string) =>
    lastLayer(ownOf, key) >= lastLayer(coreOf, key) && !(key === MOVED && lastLayer(coreOf, key) >= 0);
  const own = pick(ownOf(merged), isOwn);
  return {
    values: { ...coreOf(merged), ...own },
    fileOf: (key) => layers[lastLayer(isOwn(key) ? ownOf : coreOf, key)]?.file,
  };
}

/** A key that moved from a module to the core, where it counts wherever it is. */
const MOVED = "active_initiative";

/** Whether a module is a v4 root, which keeps its configuration in other files. */
export function isOfV4({ sources }: Library, module: string): boolean {
  return sources.some(({ inventory: { roots, mounts } }) =>
    roots.some((root) =>
      root.generation === "v4" && mounts.some(({ at, path }) => at === module && path === root.path)
    )
  );
}

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
