/**
 * Configuration: a module's own defaults, overridden by the flat `config.yaml` of an installation, overridden by its
 * four TOML layers. v4 has one `core-config.yaml`, and its packs a `config.yaml`.
 *
 * Secrets are removed here, so that no caller can forget to. Placeholders inside values (`{project-root}`) stay: only the
 * client knows what they mean on its machine.
 */
import { CONFIG_LAYERS, type Diagnostic } from "../../../base/model.ts";
import { asValues, parseToml, parseYaml, type Values } from "../../parse.ts";
import { defaultAgents, defaultConfig, moduleCodes } from "./defaults.ts";
import { findLayer, mergeLayers } from "./layers.ts";
import type { Library } from "../library.ts";
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
  const merged = mergeConfig(library, problems);
  const [core, layered] = [asValues(merged["core"]), asValues(merged["modules"])];
  const codes = new Set([...only, ...Object.keys(layered)]);
  codes.delete("core");
  const modules = [...codes]
    .map((code) => {
      // What the layers set for the core also overrides a module's own value.
      const own = Object.entries(ownConfig(library, code, problems))
        .filter(([key]) => !Object.hasOwn(core, key));
      return [code, { ...Object.fromEntries(own), ...asValues(layered[code]) }] as const;
    })
    .filter(([, own]) => Object.keys(own).length > 0);
  const roster = defaultAgents(library, [...codes]);
  const agents = Object.entries({ ...roster, ...asValues(merged["agents"]) })
    .map(([code, agent]) => [code, { ...asValues(roster[code]), ...asValues(agent) }] as const);
  const cleaned = (rows: readonly (readonly [string, Values])[]) =>
    Object.fromEntries(rows.map(([code, values]) => [code, withoutSecrets(values)]));
  return {
    ...withoutSecrets(merged),
    core: withoutSecrets({ ...ownConfig(library, "core", problems), ...core }),
    modules: cleaned(modules),
    agents: cleaned(agents),
  };
}

function ownConfig(library: Library, module: string, problems: Diagnostic[]): Values {
  if (isOfV4(library, module)) return v4Config(library, module, problems);
  const core = module === "core" ? {} : flatConfig(library, "core", problems);
  const flat = Object.entries(flatConfig(library, module, problems))
    .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(core[key]));
  return { ...defaultConfig(library, module, problems), ...Object.fromEntries(flat) };
}

/** The configuration of a module, as its items see it: its own keys and those of the core. */
export function resolveModuleConfig(library: Library, module: string, problems: Diagnostic[] = []): Values {
  return resolveModuleConfigs(library, [module], problems)[0]!;
}

/** The same for several modules, in their order; the layers are read once. */
export function resolveModuleConfigs(
  library: Library,
  modules: readonly string[],
  problems: Diagnostic[] = [],
): readonly Values[] {
  let layers: ReturnType<typeof readLayers> | undefined;
  return modules.map((module) => {
    if (isOfV4(library, module)) return withoutSecrets(v4Config(library, module, problems));
    const codes = [...new Set(["core", module])];
    layers ??= readLayers(library, problems);
    return withoutSecrets(Object.assign(
      {},
      ...codes.map((code) => defaultConfig(library, code, problems)),
      ...codes.map((code) => flatConfig(library, code, problems)),
      layeredConfig(layers, module),
    ));
  });
}

function flatConfig(library: Library, module: string, problems: Diagnostic[]): Values {
  return findLayer(library, `${module}/config.yaml`, parseYaml, problems)?.values ?? {};
}

/** The four layers of an installation merged, with their secrets: never to be delivered as it is. */
export function mergeConfig(library: Library, problems: Diagnostic[] = []): Values {
  return readLayers(library, problems).merged;
}

function layeredConfig({ layers, merged }: ReturnType<typeof readLayers>, module: string): Values {
  const coreOf = (values: Values) => asValues(values["core"]);
  const ownOf = (values: Values) => asValues(asValues(values["modules"])[module]);
  const lastLayer = (tableOf: (values: Values) => Values, key: string) =>
    layers.findLastIndex(({ values }) => Object.hasOwn(tableOf(values), key));
  // `project_name` moved from the module to the core in 6.6: of a key that is in both, the later layer counts.
  const own = Object.entries(ownOf(merged)).filter(([key]) =>
    lastLayer(ownOf, key) >= lastLayer(coreOf, key)
  );
  return { ...coreOf(merged), ...Object.fromEntries(own) };
}

function readLayers(library: Library, problems: Diagnostic[]) {
  const layers = CONFIG_LAYERS.map((path) => findLayer(library, path, parseToml, problems))
    .filter((layer) => layer !== undefined);
  return { layers, merged: mergeLayers(layers, problems) };
}

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
