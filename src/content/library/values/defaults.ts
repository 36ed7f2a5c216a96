/** The configuration when every question of an installer is answered with its default. */
import { CONFIG_LAYERS, type Diagnostic } from "../../../base/model.ts";
import { asText, asValues, fillNames, isValues, pickFields, type Values } from "../../../base/values.ts";
import { parseToml, parseYaml } from "../../parse.ts";
import { applyLayers, findBestFile, readLayer } from "./layers.ts";
import { LIMITS } from "../../limits.ts";
import { isFlat, type Library, type LibrarySource, perKey, perLibrary } from "../library.ts";
import { asTables } from "./merge.ts";
import { fileIn } from "../files/references.ts";
import { moduleNames } from "../../catalog/mod.ts";
import { layoutOf } from "../../inventory/mod.ts";

type Question = readonly [key: string, row: Values];

interface Questions {
  readonly rows: readonly Question[];
  readonly agents: readonly Values[];
  /** The first alphas saved the core's answers in the form of `result` too. */
  readonly isOld: boolean;
  readonly problems: readonly Diagnostic[];
}

/** Where `said` has other answers of the core than its defaults, a module's are derived from those. */
export function defaultConfig(library: Library, module: string, said: Values = {}): Values {
  const core = readQuestions(library, "core");
  const known = { ...coreAnswers(library) };
  for (const key of Object.keys(known)) {
    const value = said[key];
    if (typeof value === "string") known[key] = value.replace("{project-root}/", "");
  }
  if (module === "core") {
    return { ...answersTo(core, known, core.isOld), ...fixedValues(core) };
  }
  const own = readQuestions(library, module);
  const answers = answerAll([own], { ...otherAnswers(library, own, known), ...known });
  return { ...answersTo(own, answers), ...fixedValues(own) };
}

/** Each module's values lie over them. */
export const coreDefaults = perKey((library): Values => defaultConfig(library, "core"));

export function defaultAgents(library: Library, modules: readonly string[]): Values {
  const agents = modules.flatMap((module) =>
    readQuestions(library, module).agents.map(({ code, team, name, title, icon, description }) => {
      const facts = { module, team: team || module, name, title, icon, description };
      return [asText(code), withoutFalsy(facts)] as const;
    })
  );
  return Object.fromEntries(agents.filter(([code]) => code !== undefined));
}

export function withoutFalsy(values: Values): Values {
  return pickFields(values, (_, value) => Boolean(value));
}

const { modules: MAX_MODULES, rosterRows: MAX_ROWS } = LIMITS.values;

export function moduleCodes(library: Library): readonly string[] {
  return allCodes(library).slice(0, MAX_MODULES);
}

const allCodes = perLibrary(({ sources }) => [
  ...new Set(sources.flatMap(({ inventory }) => inventory.modules.map(({ code }) => code))),
]);

export function moduleDiagnostics(library: Library): readonly Diagnostic[] {
  const { length } = allCodes(library);
  if (length <= MAX_MODULES) return [];
  const message = `only the values of the first ${MAX_MODULES} of ${length} modules are read`;
  const fix = "Install fewer modules, or name fewer sources";
  return [{ level: "warning", code: "limit-reached", message, fix }];
}

export const readQuestions = perKey((library, module: string): Questions => {
  const problems: Diagnostic[] = [];
  const now = findBestFile(library, `${module}/module.yaml`);
  const file = now ?? findBestFile(library, `${module}/_module-installer/install-config.yaml`);
  if (file === undefined) {
    const rows = flatQuestions(library, module, problems);
    return { rows, agents: flatAgents(library, module), isOld: rows.length === 0, problems };
  }
  const values = readLayer(file, parseYaml, problems)?.values ?? {};
  const rows = Object.entries(values).filter((row): row is [string, Values] => isValues(row[1]));
  const agents = Array.isArray(values["agents"]) ? values["agents"].map(asValues) : [];
  return { rows, agents, isOld: now === undefined, problems };
});

function answerAll(asked: readonly Questions[], known: Values): Values {
  const answers: Record<string, unknown> = { ...known };
  for (const [key, { prompt, default: given }] of asked.flatMap(({ rows }) => rows)) {
    if (!prompt || given === undefined || given === null || given === "") continue;
    const filled = fill(given, answers);
    // `result` adds the beginning of a path.
    answers[key] = typeof filled === "string" ? filled.replace("{project-root}/", "") : filled;
  }
  return answers;
}

const coreAnswers = perKey((library) =>
  answerAll([readQuestions(library, "core")], {
    directory_name: library.project?.replaceAll("\\", "/").replace(/(?<!\/)\/+$/, "").split("/").at(-1),
  })
);

const allAnswers = perKey((library) => {
  const modules = moduleCodes(library).filter((code) => code !== "core");
  return answerAll(modules.map((code) => readQuestions(library, code)), coreAnswers(library));
});

/** In the form of `result`, or as typed. */
function answersTo({ rows }: Questions, answers: Values, areFormed = true): Values {
  const asked = rows.filter(([key, { prompt }]) => prompt && Object.hasOwn(answers, key));
  return Object.fromEntries(asked.map(([key, { result: form }]) => {
    const value = answers[key];
    const isFormed = areFormed && typeof form === "string" && form !== "{value}" && !Array.isArray(value);
    return [key, isFormed ? fill(form.replace("{value}", () => String(value)), answers) : value];
  }));
}

function fixedValues({ rows }: Questions): Values {
  const fixed = rows.filter(([, { prompt, result }]) => !prompt && result);
  return Object.fromEntries(fixed.map(([key, { result }]) => [key, result]));
}

const PLACEHOLDER = /\{([^{}]+)\}/g;

function otherAnswers(library: Library, { rows }: Questions, core: Values): Values {
  const own = new Set(["value", "project-root", ...Object.keys(core), ...rows.map(([key]) => key)]);
  const named = rows.flatMap(([, row]) => [row["default"], row["result"]])
    .flatMap((text) => Array.from(String(text).matchAll(PLACEHOLDER), ([, name]) => name!));
  const others = new Set(named).difference(own);
  const all = others.size === 0 ? {} : allAnswers(library);
  return pickFields(all, (name) => others.has(name));
}

function fill(template: unknown, values: Values): unknown {
  if (typeof template !== "string") return template;
  return fillNames(
    template,
    PLACEHOLDER,
    (name) => Object.hasOwn(values, name) && values[name] ? String(values[name]) : undefined,
  );
}

function flatQuestions(library: Library, module: string, problems: Diagnostic[]): readonly Question[] {
  if (!isFlat(library)) return [];
  if (module === "core") return CORE;
  const [record, manifest] = ["bmod.toml", "module-manifest.toml"]
    .map((name) => readModule(library, `${module}/${name}`, problems));
  const asked = asValues(record!["bmod"])["config_questions"] ?? manifest!["config_questions"];
  const own = asTables(asked, MAX_ROWS).flatMap(({ key, prompt, default: given }): Question[] => {
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

const asked = (key: string, given: string, result = "{value}"): Question => [
  key,
  { prompt: key, default: given, result },
];
const IN_PROJECT = "{project-root}/{value}";

const CORE: readonly Question[] = [
  // Installers use the login name, which we do not know.
  asked("user_name", "BMad"),
  asked("project_name", "{directory_name}"),
  asked("communication_language", "English"),
  asked("document_output_language", "English"),
  asked("output_folder", "_bmad-output", IN_PROJECT),
];

const FOLDERS: readonly Question[] = [
  asked("planning_artifacts", "{output_folder}/planning-artifacts", IN_PROJECT),
  asked("implementation_artifacts", "{output_folder}/implementation-artifacts", IN_PROJECT),
  asked("project_knowledge", "docs", IN_PROJECT),
];

export function flatRoster(library: Library, module: string) {
  const values = isFlat(library) ? readModule(library, `${module}/roster.toml`) : {};
  return { members: asTables(values["members"], MAX_ROWS), groups: asTables(values["groups"], MAX_ROWS) };
}

export function flatAgents(library: Library, module: string): readonly Values[] {
  return flatRoster(library, module).members
    .filter(({ skill }) => typeof skill === "string" && servedIds(library).has(skill))
    .map(({ skill: code, name, title, icon, persona: description }) => ({
      code,
      name,
      title,
      icon,
      description,
    }));
}

const servedIds = perLibrary(({ manifest }) => new Set(manifest.entries.map(({ id }) => id)));

/** With three layers, an installer's personal answers, which an upgrade leaves behind, do not count. */
export function centralLayers(library: Library, problems: Diagnostic[] = []) {
  const isAdded = (name: string) => name.startsWith("custom/");
  // Every source may add a customization, but the answers that the best one saved are complete.
  const best = new Map(
    CONFIG_LAYERS.map((name) => [name, isAdded(name) ? undefined : findBestFile(library, name)?.source]),
  );
  const isRead = (name: string, source: LibrarySource) =>
    (name !== PERSONAL || !hasThreeLayers(library, source)) && (isAdded(name) || best.get(name) === source);
  const layers = library.sources.toReversed().flatMap((source) =>
    CONFIG_LAYERS.filter((name) => isRead(name, source)).flatMap((name) => {
      const file = fileIn(source, name);
      const layer = file && readLayer(file, parseToml, problems);
      return layer === undefined ? [] : [{ ...layer, name }];
    })
  );
  return applyLayers(layers, problems).applied;
}

export const INSTALLED = "config.toml";

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

function readModule(library: Library, path: string, problems?: Diagnostic[]): Values {
  const file = findBestFile(library, path);
  return file && readLayer(file, parseToml, problems)?.values || {};
}
