/**
 * Values of the generation after 6.12: records in place of `module.yaml`, and one layer less.
 *
 * A record asks questions too, but its answers are texts, saved as they are typed. The core asks for almost nothing any
 * more, though skills still use what it used to know, so the last defaults stay. Who takes part in parties is in a roster.
 */
import { CONFIG_LAYERS, type Diagnostic, type Entry } from "../../../base/model.ts";
import { asText, asValues, isValues, parseToml, type Values } from "../../parse.ts";
import { applyLayers, findBestFile, type Layer, readLayer } from "./layers.ts";
import { fileIn } from "../files/references.ts";
import { type Library, type LibrarySource, perLibrary } from "../library.ts";
import { moduleNames } from "../../catalog/mod.ts";
import { layoutOf } from "../../inventory/mod.ts";

/** Whether skills of this generation are served. */
export const isFlat = perLibrary(({ sources }): boolean =>
  sources.some(({ inventory }) => inventory.items.some(({ generation }) => generation === "flat"))
);

/** A question as the installers before would have asked it. */
export type Question = readonly [key: string, row: Values];

/** The questions of a module, if this generation has them. */
export function flatQuestions(library: Library, module: string, problems: Diagnostic[]): readonly Question[] {
  if (!isFlat(library)) return [];
  if (module === "core") return CORE;
  const [record, manifest] = ["bmod.toml", "module-manifest.toml"]
    .map((name) => readModule(library, `${module}/${name}`, problems)) as [Values, Values];
  const asked = asValues(record["bmod"])["config_questions"] ?? manifest["config_questions"];
  const own = rowsOf(asked).flatMap(({ key, prompt, default: given }): Question[] => {
    const name = asText(key);
    const isInProject = typeof given === "string" && given.startsWith("{project-root}/");
    const result = isInProject ? "{project-root}/{value}" : "{value}";
    return name === undefined ? [] : [[name, { prompt: prompt || name, default: given, result }]];
  });
  // Since a module lists what it has retired, its documents lie elsewhere.
  const hasFolders = moduleNames(module).includes("bmm") &&
    findBestFile(library, `${module}/retired.toml`) === undefined;
  return hasFolders ? [...FOLDERS, ...own] : own;
}

const question = (key: string, given: string, result = "{value}"): Question => [
  key,
  { prompt: key, default: given, result },
];
const IN_PROJECT = "{project-root}/{value}";

/** What the core last asked for. */
const CORE: readonly Question[] = [
  question("user_name", "BMad"),
  question("project_name", "{directory_name}"),
  question("communication_language", "English"),
  question("document_output_language", "English"),
  question("output_folder", "_bmad-output", IN_PROJECT),
];

const FOLDERS: readonly Question[] = [
  question("planning_artifacts", "{output_folder}/planning-artifacts", IN_PROJECT),
  question("implementation_artifacts", "{output_folder}/implementation-artifacts", IN_PROJECT),
  question("project_knowledge", "docs", IN_PROJECT),
];

/** The rosters of some modules. */
export interface Roster {
  readonly members: readonly Values[];
  readonly groups: readonly Values[];
}

/** What a module's roster says. */
export function flatRoster(library: Library, module: string): Roster {
  const values = isFlat(library) ? readModule(library, `${module}/roster.toml`, []) : {};
  return { members: rowsOf(values["members"]), groups: rowsOf(values["groups"]) };
}

/** The agents of a module's roster whose skills are served, as a `module.yaml` would name them. */
export function flatAgents(library: Library, module: string): readonly Values[] {
  const { members } = flatRoster(library, module);
  if (members.length === 0) return [];
  const ids = servedIds(library);
  return members.filter(({ skill }) => typeof skill === "string" && ids.has(skill))
    .map(({ skill, name, title, icon, persona }) => ({
      code: skill,
      name,
      title,
      icon,
      description: persona,
    }));
}

const servedIds = perLibrary(({ manifest }): ReadonlySet<string> =>
  new Set(manifest.entries.map(({ id }: Entry) => id))
);

/** A layer of the configuration. */
export interface CentralLayer extends Layer {
  /** Its path in an installation, one of `CONFIG_LAYERS`. */
  readonly name: string;
}

/**
 * The layers of the configuration that apply: those of the source with the lowest priority first, each source's in their
 * order. This generation no longer reads the file in which an installer saved personal answers, although an upgrade
 * leaves it there.
 */
export function centralLayers(library: Library, problems: Diagnostic[]): readonly CentralLayer[] {
  const isRead = (name: string, source: LibrarySource) =>
    (name !== PERSONAL || !hasThreeLayers(library, source)) &&
    // Every source may add a customization, but the answers that the best one saved are complete.
    (name.startsWith("custom/") || findBestFile(library, name)?.source === source);
  const layers = library.sources.toReversed().flatMap((source) =>
    CONFIG_LAYERS.filter((name) => isRead(name, source)).flatMap((name) => {
      const file = fileIn(source, name);
      const layer = file && readLayer(file, parseToml, problems);
      return layer === undefined ? [] : [{ ...layer, name }];
    })
  );
  return applyLayers(layers, problems).applied;
}

/** The layer with the answers that an installer saved. */
export const INSTALLED = "config.toml";

/** The paths of the layers that scripts of the project read, in their order. */
export function layerPaths(library: Library): readonly string[] {
  const project = library.sources.find(({ origin }) => origin.kind === "project");
  const isRead = (path: string) =>
    path !== PERSONAL || project === undefined || !hasThreeLayers(library, project);
  return CONFIG_LAYERS.filter(isRead);
}

const PERSONAL = "config.user.toml";

function hasThreeLayers(library: Library, { inventory: { roots } }: LibrarySource): boolean {
  const said = roots.map((root) => layoutOf(root).userConfig);
  return said.includes("ignored") || (isFlat(library) && !said.includes("read"));
}

function readModule(library: Library, path: string, problems: Diagnostic[]): Values {
  const file = findBestFile(library, path);
  return file === undefined ? {} : readLayer(file, parseToml, problems)?.values ?? {};
}

/** More than any module asks for or names. */
const MAX_ROWS = 500;

function rowsOf(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.slice(0, MAX_ROWS).filter(isValues) : [];
}
