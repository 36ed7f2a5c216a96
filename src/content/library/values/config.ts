/** Configuration: a module's own defaults, overridden by each source. Secrets are removed here for every caller. */
import { cachedWith } from "../../../base/cache.ts";
import type { Diagnostic, Inventory } from "../../../base/model.ts";
import { giveWay, type Interruptible, runAtOnce } from "../../../base/work.ts";
import { asValues, firstOf, pickFields as pick, type Values } from "../../../base/values.ts";
import { parseYaml } from "../../parse.ts";
import { moduleNames } from "../../catalog/mod.ts";
import { hasRootName, layoutOf } from "../../inventory/mod.ts";
import { joinPath } from "../../tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  centralLayers,
  coreDefaults,
  defaultAgents,
  defaultConfig,
  moduleCodes,
  readQuestions,
} from "./defaults.ts";
import { findBestFile, mergeLayers, readLayer } from "./layers.ts";
import { mergeTables } from "./merge.ts";
import { type Library, type LibrarySource, perKey, perLibrary, type SourceFile } from "../library.ts";
import { isBelow } from "../files/mounts.ts";
import { fileIn } from "../files/references.ts";
import { configWithoutSecrets, withoutSecrets } from "../files/secrets.ts";

/** As BMAD's own script prints it. What a module only repeats of the core is left out. */
export function resolveConfig(library: Library, only?: readonly string[]): Values {
  return runAtOnce(configSteps(library, [], only));
}

export function* configSteps(
  library: Library,
  problems: Diagnostic[],
  only: readonly string[] = moduleCodes(library),
): Interruptible<Values> {
  const { merged } = readTomlLayers(library);
  const codes = [...new Set([...only, ...layeredModules(merged)])].filter((code) => code !== "core");
  const modules: (readonly [string, Values])[] = [];
  for (const code of codes) {
    const config = moduleConfig(library, code);
    problems.push(...config.problems);
    const own = ownOf(config.layers);
    if (Object.keys(own).length > 0) modules.push([code, own]);
    yield;
  }
  const core = moduleConfig(library, "core");
  problems.push(...core.problems);
  const roster = defaultAgents(library, codes);
  const agents = Object.entries({ ...roster, ...asValues(merged["agents"]) })
    .map(([code, agent]) => [code, { ...asValues(roster[code]), ...asValues(agent) }] as const);
  return configWithoutSecrets({
    ...merged,
    core: ownOf(core.layers),
    modules: Object.fromEntries(modules),
    agents: Object.fromEntries(agents),
  });
}

export function resolveModuleConfig(library: Library, module: string): Values {
  return moduleConfig(library, module).values;
}

export async function listConfigs(
  library: Library,
  modules: Iterable<string> = new Set(["core", ...configuredModules(library)]),
): Promise<readonly Values[]> {
  const configs: Values[] = [];
  for (const module of modules) {
    configs.push(resolveModuleConfig(library, module));
    await giveWay();
  }
  return configs;
}

/** What projects that have only the same pack share, as far as it does not name the project. */
const configsOfPack = cachedWith((_: Inventory) => ({} as { configs?: Promise<readonly Values[]> }));

export function listSharedConfigs(library: Library): Promise<readonly Values[]> {
  const [filled, another] = library.sources.filter(({ inventory: { roots } }) => roots.length > 0);
  if (filled?.origin.kind !== "package" || another !== undefined) return listConfigs(library);
  return configsOfPack(filled.inventory).configs ??= listConfigs(library);
}

function configuredModules(library: Library): readonly string[] {
  const flat = library.sources.flatMap(({ tree, inventory: { roots } }) =>
    roots.flatMap(({ path }) =>
      tree.list(path).filter(({ isDirectory }) => isDirectory).slice(0, LIMITS.values.modules)
        .filter(({ name }) => tree.hasFile(joinPath(path, `${name}/config.yaml`))).map(({ name }) => name)
    )
  );
  return [...new Set([...moduleCodes(library), ...layeredModules(mergeConfig(library)), ...flat])];
}

function layeredModules(merged: Values): readonly string[] {
  return Object.keys(asValues(merged["modules"])).slice(0, LIMITS.values.modules);
}

/** Of a key that a later layer says of the core, the module loses its own. */
interface ModuleLayer extends ConfigLayer {
  readonly core?: Values;
  /** Asked for where a whole configuration is printed. */
  own?(): Values;
}

export const moduleConfig = perKey((library, module: string) => {
  const { levels, problems: found } = readLevels(library);
  const problems = [...found];
  const layersOf = isOfV4(library, module) ? v4Layers : moduleLayers;
  const layers = layersOf(library, levels, module, problems);
  const unique = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return { values: withoutSecrets(mergeValues(layers)), layers, problems: [...unique.values()] };
});

/** Without what only repeats the core, and with secrets. */
function ownOf(layers: readonly ModuleLayer[]): Values {
  return layers.reduce<Values>(
    (all, { core = {}, own }) => mergeTables(pick(all, (key) => !Object.hasOwn(core, key)), own?.() ?? {}),
    {},
  );
}

type LayersOf = (
  library: Library,
  levels: readonly Level[],
  module: string,
  problems: Diagnostic[],
) => readonly ModuleLayer[];

/** Later ones override: the BMAD folder itself, the core, the module, the TOML layers. */
const moduleLayers: LayersOf = (library, levels, module, problems) => {
  const isCore = module === "core";
  const files = isCore ? undefined : flatFiles(library, module);
  const asked = ["core", module].map((code) => readQuestions(library, code));
  problems.push(...[files, ...asked].flatMap((one) => one?.problems ?? []));
  const parts = levels.map((level) => ({
    ...level,
    flat: files?.layers[level.rank] ?? NO_LAYER,
    layered: layeredConfig(level, module),
  }));
  const said = mergeValues(parts.flatMap(({ root, core, flat, layered }) => [root, core, flat, layered]));
  const defaults = defaultConfig(library, module, said);
  const isOwn = (key: string) => Object.hasOwn(defaults, key) || isCore && !otherDefaults(library).has(key);
  return [
    { values: coreDefaults(library) },
    { values: defaults, own: () => defaults },
    ...parts.flatMap(({ root, core, flat, layered, merged }): readonly ModuleLayer[] => {
      const flatCore: Values = { ...root.values, ...core.values };
      const isNew = (key: string, value: unknown) => JSON.stringify(value) !== JSON.stringify(flatCore[key]);
      return [
        { ...root, own: () => pick(root.values, isOwn), ...(!isCore && { core: root.values }) },
        { ...core, ...(isCore ? { own: () => core.values } : { core: core.values }) },
        { ...flat, own: () => pick(flat.values, isNew) },
        isCore
          ? { ...layered, own: () => coreOf(merged) }
          : { ...layered, own: () => moduleOf(merged, module), core: coreOf(merged) },
      ];
    }),
  ];
};

const otherDefaults = perKey((library): ReadonlySet<string> =>
  new Set(otherModules(library).flatMap((code) => Object.keys(defaultConfig(library, code))))
);

function otherModules(library: Library): readonly string[] {
  return moduleCodes(library).filter((code) => code !== "core");
}

export type ValueFacts = ReturnType<typeof explainConfig>[number];

export function explainConfig(library: Library, module: string) {
  const { values, layers } = moduleConfig(library, module);
  return Object.entries(values).map(([key, value]) => {
    const file = layers.findLast((layer) => Object.hasOwn(layer.values, key))?.fileOf?.(key);
    return { key, value, ...(file && { file }) };
  });
}

interface ConfigLayer {
  readonly values: Values;
  fileOf?(key: string): SourceFile | undefined;
}

function mergeValues(layers: readonly ConfigLayer[]): Values {
  return mergeTables(...layers.map(({ values }) => values));
}

/** Folders, all in the project; the name of BMAD's own folder is used as it is. */
const FOLDER_KEY = /(?:^|_)(?:folder|artifacts|output|location|knowledge)$/;

/** Installers write `{project-root}/` before some folders of the project, and not before others. */
export function withProjectRoot(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const isRelative = typeof value === "string" && /^[\w.][^:]*$/.test(value) && !value.startsWith("..");
      const isFolder = FOLDER_KEY.test(key) && key !== "bmad_folder";
      return [key, isFolder && isRelative ? `{project-root}/${value.replace(/^\.\//, "")}` : value];
    }),
  );
}

type Level = ReturnType<typeof readLevels>["levels"][number];

/** Every module asks for it, and the core may have to be gathered from all of them. */
const readLevels = perKey((library) => {
  const { layers, problems: found } = readTomlLayers(library);
  const cores = coreFiles(library);
  const problems = [...found, ...cores.problems];
  const levels = library.sources.map((source, rank) => {
    const own = layers.filter(({ file }) => file.source === source);
    const root = readRootFiles(source, problems);
    return { rank, root, core: cores.layers[rank]!, layers: own, merged: mergeLayers(own, problems) };
  });
  return { levels: levels.toReversed(), problems };
});

const readTomlLayers = perKey((library) => {
  const problems: Diagnostic[] = [];
  const layers = centralLayers(library, problems);
  return { layers, merged: mergeLayers(layers, problems), problems };
});

const NO_LAYER: ConfigLayer = { values: {} };

function readFlat(file: SourceFile, problems: Diagnostic[]): ConfigLayer {
  const layer = readLayer(file, parseYaml, problems);
  return layer === undefined ? NO_LAYER : { values: layer.values, fileOf: () => file };
}

const flatFiles = perKey((library, module: string) => {
  const problems: Diagnostic[] = [];
  // The complete file that an installer wrote covers those of the sources below.
  let isCovered = false;
  const layers = library.sources.map((source) => {
    const file = isCovered ? undefined : fileIn(source, `${module}/config.yaml`);
    if (file === undefined) return NO_LAYER;
    isCovered = source.inventory.roots.some((root) =>
      layoutOf(root).is !== "hand-written" && isBelow(file.path, root.path)
    );
    return readFlat(file, problems);
  });
  return { layers, problems };
});

/** Where a source has no flat file of the core, each one of its modules repeats the core's values. */
function coreFiles(library: Library): ReturnType<typeof flatFiles> {
  const own = flatFiles(library, "core");
  if (!own.layers.includes(NO_LAYER)) return own;
  const files = otherModules(library).map((code) => flatFiles(library, code));
  const known = coreDefaults(library);
  const layers = own.layers.map((layer, rank): ConfigLayer => {
    const others = files.map(({ layers }) => layers[rank]!).filter((other) => other !== NO_LAYER);
    if (layer !== NO_LAYER || others.length === 0) return layer;
    return {
      values: pick(mergeValues(others.toReversed()), (key) => Object.hasOwn(known, key)),
      fileOf: (key) => others.find(({ values }) => Object.hasOwn(values, key))?.fileOf?.(key),
    };
  });
  return { layers, problems: [own, ...files].flatMap(({ problems }) => problems) };
}

/** For all modules of its folder; in the user's own, `~/.bmad`, for every project. */
function readRootFiles(source: LibrarySource, problems: Diagnostic[]): ConfigLayer {
  const { tree, inventory } = source;
  const roots = new Set(["", ...inventory.roots.map(({ path }) => path)]);
  const path = [...roots].filter((root) => hasRootName(tree, root))
    .map((root) => joinPath(root, "config.yaml")).find(tree.hasFile);
  return path === undefined ? NO_LAYER : readFlat({ source, path }, problems);
}

/** With secrets: never to be delivered as it is. */
export function mergeConfig(library: Library): Values {
  return readTomlLayers(library).merged;
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
  // `project_name` moved from the module to the core in 6.6: of a key that is in both, the later layer counts. What
  // the core says of `active_initiative`, which moved too, counts wherever it is.
  const isOwn = (key: string) =>
    lastOf(owns, key) >= lastOf(cores, key) && !(key === "active_initiative" && lastOf(cores, key) >= 0);
  const own = pick(ownOf(merged), isOwn);
  return {
    values: { ...coreOf(merged), ...own },
    fileOf: (key) => layers[lastOf(isOwn(key) ? owns : cores, key)]?.file,
  };
}

export function isOfV4(library: Library, module: string): boolean {
  return v4Modules(library).has(module);
}

const v4Modules = perLibrary(({ sources }): ReadonlySet<string> =>
  new Set(sources.flatMap(({ inventory: { roots, mounts } }) => {
    const paths = new Set(roots.filter(({ generation }) => generation === "v4").map(({ path }) => path));
    return mounts.filter(({ path }) => paths.has(path)).map(({ at }) => at);
  }))
);

const PACK_FACTS = new Set(["name", "version", "short-title", "description", "author"]);

/** Most packs of v4 load the core's configuration, so the pack's own overrides that. */
const v4Layers: LayersOf = (library, levels, module, problems) => {
  const read = (root: string, ...names: readonly string[]): Values =>
    firstOf(names, (name) => {
      const file = findBestFile(library, `${root}/${name}`);
      return file && readLayer(file, parseYaml, problems)?.values;
    }) ?? {};
  const core = read("bmad-core", "core-config.yaml", "core-config.yml");
  const own = module === "bmad-core"
    ? {}
    : read(module, "core-config.yaml", "core-config.yml", "config.yaml", "config.yml");
  const values = { ...core, ...pick(own, (key) => !PACK_FACTS.has(key)) };
  return [
    { values, own: () => values },
    ...levels.map(({ merged }) => ({ values: {}, own: () => moduleOf(merged, module) })),
  ];
};
