/**
 * Customization: what a team and a user made of a thing, and all values that apply to it.
 *
 * A skill has a `customize.toml`, under the team's and the user's overrides in `_bmad/custom`. What customizes a
 * compiled agent (`*.customize.yaml`, before 6.2.1) is part of its text since it was compiled, and what
 * customizes a v4 agent always was: both are shown to who reads the agent, and never applied a second time.
 *
 * Values are given as BMAD's own script prints them: `{planning_artifacts}/prds` is not filled in. Skills tell
 * the model to do that, with the configuration that stands beside it; half of such placeholders (`{date}`,
 * `{doc_workspace}`) only the client knows; and a user who looks for what to override finds what the files say.
 */
import { type Diagnostic, type Entry, isOf } from "../../../base/model.ts";
import { isValues, parseToml, parseYaml, type Values } from "../../parse.ts";
import { findText, joinPath } from "../../tree/mod.ts";
import { resolveConfig, resolveModuleConfig, resolveModuleConfigs } from "./config.ts";
import { moduleCodes } from "./defaults.ts";
import { findBestFile, findLayer, mergeLayers, notCounted, readLayer } from "./layers.ts";
import { type Library, perEntry, type SourceFile, sourceOf } from "../library.ts";
import { isBelow } from "../files/mounts.ts";
import { withoutSecrets } from "../files/secrets.ts";

/** The values that apply to one thing, without secrets. */
export interface Resolved {
  /** The merged `[agent]` or `[workflow]` table, under its name. */
  readonly customization: Values;
  /** Of its module and the core, and what its text names of other modules. */
  readonly config: Values;
  /** Files that do not count, each with the reason, and what is newer than the text that should have it. */
  readonly problems: readonly string[];
}

/** Resolves all values that apply to an entry. */
export const resolveValues = perEntry((library, entry): Resolved => {
  const problems: Diagnostic[] = staleCustomization(library, entry);
  const customization = withoutSecrets(skillCustomization(library, entry, problems));
  const own = entry.generation === "v3" ? {} : resolveModuleConfig(library, entry.module, problems);
  const config = { ...own, ...namedConfig(library, entry, customization, own) };
  return { customization, config, problems: problems.map(({ path, message }) => `${path} ${message}`) };
});

/** What an entry's team and user made of it, wherever its generation keeps that; also what is applied already. */
export const customizationOf = perEntry((library, entry): Values => {
  const own = entry.persona?.customization;
  if (own !== undefined) return withoutSecrets({ agent: { customization: own } });
  const compiled = compiledCustomization(library, entry);
  return withoutSecrets(compiled?.values ?? skillCustomization(library, entry, []));
});

/** Everything that is wrong with the files of configuration and customization. */
export function valueDiagnostics(library: Library): readonly Diagnostic[] {
  const problems: Diagnostic[] = [];
  resolveConfig(library, problems);
  for (const entry of library.effective) {
    skillCustomization(library, entry, problems);
    problems.push(...staleCustomization(library, entry));
  }
  const byPlace = problems.map((problem) =>
    [`${problem.origin} ${problem.path} ${problem.message}`, problem] as const
  );
  return [...new Map(byPlace).values()];
}

/** The customization of a skill: base, then the team's file, then the user's. */
function skillCustomization(library: Library, entry: Entry, problems: Diagnostic[]): Values {
  if (entry.kind !== "skill" || entry.status === "no-file-found") return {};
  const place = { source: sourceOf(library, entry), path: joinPath(entry.folder, "customize.toml") };
  const overrides = [`custom/${entry.id}.toml`, `custom/${entry.id}.user.toml`];
  const base = readLayer(place, parseToml, problems);
  if (base === undefined) {
    const unused = overrides.map((name) => findBestFile(library, name)).filter((file) => file !== undefined);
    problems.push(...unused.map((file) => notCounted(file, `${entry.id} has no customize.toml`)));
    return {};
  }
  const layers = overrides.map((name) => findLayer(library, name, parseToml, problems));
  const merged = mergeLayers([base, ...layers], problems);
  // A skill asks for the table that it has itself; one that an override adds is never asked for.
  const key = TABLES.find((key) => isValues(base.values[key])) ?? TABLES.find((key) => isValues(merged[key]));
  return key === undefined ? {} : { [key]: merged[key] };
}

const TABLES = ["agent", "workflow"];

/** A compiled agent's customization. */
interface Compiled {
  /** All that is not empty: the installer writes a file for every agent, with nothing in it. */
  readonly values: Values;
  readonly place: SourceFile;
}

function compiledCustomization(library: Library, entry: Entry): Compiled | undefined {
  if (entry.generation !== "v6" || !isOf(entry, "agent") || !entry.file.endsWith(".md")) return undefined;
  const source = sourceOf(library, entry);
  const name = `agents/${entry.module}-${entry.id}.customize.yaml`;
  const roots = source.inventory.roots.filter(({ path }) => isBelow(entry.file, path));
  const place = roots.flatMap(({ path }) => ["_config", "_cfg"].map((folder) => joinPath(path, folder, name)))
    .map((path) => ({ source, path })).find(({ path }) => source.tree.stat(path) !== undefined);
  const values = place === undefined ? undefined : withoutEmpty(readLayer(place, parseYaml, [])?.values);
  return place === undefined || !isValues(values) ? undefined : { values, place };
}

/** A value without its empty parts; nothing when it has no others. */
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

/** Files of one copy or checkout differ by less, whichever was written first. */
const ONE_COPY_MS = 2_000;

/** Says so when a compiled agent was customized after it was compiled. */
function staleCustomization(library: Library, entry: Entry): Diagnostic[] {
  const compiled = compiledCustomization(library, entry);
  if (compiled === undefined) return [];
  const { source, path } = compiled.place;
  const [custom, agent] = [path, entry.file].map((path) => source.tree.stat(path)?.modified);
  if (custom === undefined || agent === undefined || custom <= agent + ONE_COPY_MS) return [];
  const message =
    `is newer than ${entry.file}, which does not have it yet: recompile the agents with BMAD's installer`;
  return [{ level: "warning", code: "stale-agent", message, path, origin: source.origin.id }];
}

/**
 * What an entry's text names of other modules: `{planning_artifacts}` one value, `modules.bmm` all of them. Some
 * skills of the core do, because BMAD's own script gives them every module.
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
