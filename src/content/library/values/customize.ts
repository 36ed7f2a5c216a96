/**
 * Customization: what a team and a user changed in an item, and all values that apply to it.
 *
 * A skill has a `customize.toml`, overridden by the team's and the user's files in `_bmad/custom`. The customization of a
 * compiled agent (`*.customize.yaml`, before 6.2.1) became part of its text when it was compiled, and that of a v4 agent
 * always was: both are shown to readers of the agent, and never applied twice.
 *
 * Values are as BMAD's own script prints them: `{planning_artifacts}/prds` is not filled in. Skills tell the model to do
 * that; some placeholders (`{date}`, `{doc_workspace}`) only the client knows; and users find the spelling of the files.
 */
import { type Diagnostic, type Entry, isOf } from "../../../base/model.ts";
import { isValues, parseToml, parseYaml, type Values } from "../../parse.ts";
import { findText, joinPath } from "../../tree/mod.ts";
import { resolveConfig, resolveModuleConfig, resolveModuleConfigs } from "./config.ts";
import { moduleCodes } from "./defaults.ts";
import { findBestFile, findLayer, ignoredFile, type Layer, mergeLayers, readLayer } from "./layers.ts";
import { type Library, perEntry, sourceOf } from "../library.ts";
import { isBelow } from "../files/mounts.ts";
import { withoutSecrets } from "../files/secrets.ts";

/** The values that apply to one item, without secrets. */
export interface Resolved {
  /** The merged `[agent]` or `[workflow]` table, under its name. */
  readonly customization: Values;
  /** Of its module and the core, plus the values of other modules that its text names. */
  readonly config: Values;
  /** Files that are ignored, each with the reason, and customizations newer than the compiled text. */
  readonly problems: readonly string[];
}

export const resolveValues = perEntry((library, entry): Resolved => {
  const problems: Diagnostic[] = staleCustomization(library, entry);
  const customization = withoutSecrets(skillCustomization(library, entry, problems));
  const own = entry.generation === "v3" ? {} : resolveModuleConfig(library, entry.module, problems);
  const config = { ...own, ...namedConfig(library, entry, customization, own) };
  return { customization, config, problems: problems.map(({ path, message }) => `${path} ${message}`) };
});

/** The customization of an entry, in whichever file its generation has it; applied already or not. */
export const customizationOf = perEntry((library, entry): Values => {
  const own = entry.persona?.customization;
  if (own !== undefined) return withoutSecrets({ agent: { customization: own } });
  const compiled = compiledCustomization(library, entry);
  return withoutSecrets(compiled?.values ?? skillCustomization(library, entry, []));
});

export function valueDiagnostics(library: Library): readonly Diagnostic[] {
  const problems: Diagnostic[] = [];
  resolveConfig(library, problems);
  for (const entry of library.effective) {
    skillCustomization(library, entry, problems);
    problems.push(...staleCustomization(library, entry));
  }
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** The customization of a skill: base, then the team's file, then the user's. */
function skillCustomization(library: Library, entry: Entry, problems: Diagnostic[]): Values {
  if (entry.kind !== "skill" || entry.status === "no-file-found") return {};
  const file = { source: sourceOf(library, entry), path: joinPath(entry.folder, "customize.toml") };
  const overrides = [`custom/${entry.id}.toml`, `custom/${entry.id}.user.toml`];
  const base = readLayer(file, parseToml, problems);
  if (base === undefined) {
    const unused = overrides.map((name) => findBestFile(library, name)).filter((file) => file !== undefined);
    problems.push(...unused.map((file) => ignoredFile(file, `${entry.id} has no customize.toml`)));
    return {};
  }
  const layers = overrides.map((name) => findLayer(library, name, parseToml, problems));
  const merged = mergeLayers([base, ...layers], problems);
  // A skill reads the table that it has itself; one that only an override has is never read.
  const key = TABLES.find((key) => isValues(base.values[key])) ?? TABLES.find((key) => isValues(merged[key]));
  return key === undefined ? {} : { [key]: merged[key] };
}

const TABLES = ["agent", "workflow"];

/** Without empty values: the installer writes a file with them for every agent. */
function compiledCustomization(library: Library, entry: Entry): Layer | undefined {
  if (entry.generation !== "v6" || !isOf(entry, "agent") || !entry.file.endsWith(".md")) return undefined;
  const source = sourceOf(library, entry);
  const name = `agents/${entry.module}-${entry.id}.customize.yaml`;
  const roots = source.inventory.roots.filter(({ path }) => isBelow(entry.file, path));
  const path = roots.flatMap(({ path }) => ["_config", "_cfg"].map((folder) => joinPath(path, folder, name)))
    .find((path) => source.tree.stat(path) !== undefined);
  if (path === undefined) return undefined;
  const values = withoutEmpty(readLayer({ source, path }, parseYaml, [])?.values);
  return isValues(values) ? { values, file: { source, path } } : undefined;
}

/** A value without its empty parts; undefined when nothing is left. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (isValues(value)) {
    const rows = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const)
      .filter(([, inner]) => inner !== undefined);
    return rows.length === 0 ? undefined : Object.fromEntries(rows);
  }
  return value === null || (typeof value === "string" && value.trim() === "") ? undefined : value;
}

/** The files of one copy or checkout are written within this time, in any order. */
const ONE_COPY_MS = 2_000;

/** An issue when a compiled agent was customized after it was compiled. */
function staleCustomization(library: Library, entry: Entry): Diagnostic[] {
  const compiled = compiledCustomization(library, entry);
  if (compiled === undefined) return [];
  const { source, path } = compiled.file;
  const [custom, agent] = [path, entry.file].map((path) => source.tree.stat(path)?.modified);
  if (custom === undefined || agent === undefined || custom <= agent + ONE_COPY_MS) return [];
  const message = `is newer than ${entry.file}: recompile the agents with BMAD's installer to apply it`;
  return [{ level: "warning", code: "stale-agent", message, path, origin: source.origin.id }];
}

/**
 * The values of other modules that an entry's text names: `{planning_artifacts}` one value, `modules.bmm` all of them.
 * Some skills of the core do, because BMAD's own script gives them every module.
 */
function namedConfig(library: Library, entry: Entry, customization: Values, own: Values): Values {
  if (entry.generation !== "skills") return {};
  const text = (findText(sourceOf(library, entry).tree, entry.file) ?? "") + JSON.stringify(customization);
  const codes = moduleCodes(library).filter((code) => code !== entry.module);
  const named = resolveModuleConfigs(library, codes).flatMap((config, at) => {
    const isWhole = text.includes(`modules.${codes[at]}`);
    return Object.entries(config)
      .filter(([key]) => (isWhole || text.includes(`{${key}}`)) && !Object.hasOwn(own, key));
  });
  return Object.fromEntries(named);
}
