/** What a team and a user changed in an item: the values of a skill, or the text of a compiled agent. */
import { GENERATIONS } from "../../../base/generations.ts";
import { type Diagnostic, type Entry, hasKind, qualifiedName } from "../../../base/model.ts";
import { suggest } from "../../../base/suggestions.ts";
import { oneLine } from "../../../base/text.ts";
import { giveWay, runInSlices } from "../../../base/work.ts";
import { isAuthored, moduleNames } from "../../catalog/mod.ts";
import { AGENT_CHANGES, layoutOf } from "../../inventory/mod.ts";
import { parseToml, parseYaml } from "../../parse.ts";
import { findText, joinPath } from "../../tree/mod.ts";
import { configSteps, moduleConfig, resolveModuleConfig } from "./config.ts";
import { moduleCodes, moduleDiagnostics } from "./defaults.ts";
import { applyLayers, ignoredFile, type Layer, mergeLayers, readLayer } from "./layers.ts";
import { KEYS } from "./merge.ts";
import { customizingSources, formerOverrides, overrideFiles, strayOverrides } from "./override_files.ts";
import { fileOf, type Library, perKey, type SourceFile, sourceOf } from "../library.ts";
import { isBelow } from "../files/mounts.ts";
import { withoutSecrets } from "../files/secrets.ts";
import { firstOf, isValues, type Values } from "../../../base/values.ts";

/** `{planning_artifacts}/prds` is not filled in: skills tell the model to, and only the client knows some placeholders. */
export const resolveValues = perKey((library, entry: Entry) => {
  const customization = withoutSecrets(skillSteps(library, entry).merged);
  const { values, problems } = entry.generation === "v3"
    ? { values: {}, problems: [] }
    : moduleConfig(library, entry.module);
  return {
    customization,
    config: { ...values, ...namedConfig(library, entry, customization, values) } as Values,
    problems: [...customizationProblems(library, entry), ...problems.map(problemLine)],
  };
});

export const customizationProblems = perKey((library, entry: Entry): readonly string[] => {
  const problems: Diagnostic[] = [];
  changeLayers(library, entry, problems);
  skillSteps(library, entry, problems);
  return problems.map(problemLine);
});

function problemLine({ path, message }: Diagnostic): string {
  return `${path} ${message}`;
}

export const customizationOf = perKey((library, entry: Entry): Values => {
  const own = entry.persona?.customization;
  if (own !== undefined) return withoutSecrets({ agent: { customization: own } });
  return agentChanges(library, entry) ?? withoutSecrets(skillSteps(library, entry).merged);
});

export async function valueDiagnostics(library: Library): Promise<readonly Diagnostic[]> {
  const problems: Diagnostic[] = [...moduleDiagnostics(library)];
  await runInSlices(configSteps(library, problems));
  for (const entry of library.effective) {
    skillSteps(library, entry, problems);
    changeLayers(library, entry, problems);
    problems.push(...staleCustomization(library, entry));
    for (const { file, name, applies } of formerOverrides(library, entry)) {
      const issue = ignoredFile(file, `the skill is now called ${entry.id}`);
      const message = `applies to ${entry.id}, as the skill is now called, but only here`;
      const fix = `Rename it to ${name}`;
      problems.push(applies ? { ...issue, message, fix } : { ...issue, fix: `${fix}, or delete it` });
    }
    await giveWay();
  }
  problems.push(...strayCustomization(library), ...strayChanges(library));
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function strayCustomization(library: Library): readonly Diagnostic[] {
  const skills = library.effective.filter(({ kind }) => kind === "skill")
    .map(({ id, name }) => ({ label: id, spellings: [id, name] }));
  return strayOverrides(library).map(({ file, name, served }) => {
    const [near] = served === undefined ? suggest(name.toLowerCase(), skills) : [];
    const reason = served === undefined
      ? `no skill is called ${oneLine(name)}`
      : `${qualifiedName(served)} is served from ${served.file}, which is not a skill`;
    const fix = near === undefined ? {} : { fix: `Rename it to ${near}.toml, or delete it` };
    return { ...ignoredFile(file, reason), code: STRAY, ...fix };
  });
}

function strayChanges(library: Library): readonly Diagnostic[] {
  const names = new Set(
    library.whole.manifest.entries.filter(isCompiledAgent).map((entry) => changesName(entry)),
  );
  const stray = changeFiles(library).flatMap((roots, rank) =>
    roots.values().flatMap((files) => files.entries())
      .filter(([name]) => /\.ya?ml$/i.test(name) && !names.has(name))
      .map(([name, path]) => ({ name, file: { source: library.sources[rank]!, path } })).toArray()
  );
  return stray.flatMap(({ name, file }) => {
    const problems: Diagnostic[] = [];
    const { values = {} } = readLayer(file, parseYaml, problems) ?? {};
    if (problems.length > 0 || withoutEmpty(values) === undefined) return problems;
    const [near] = suggest(name.toLowerCase(), [...names].map((label) => ({ label, spellings: [label] })));
    const fix = near === undefined
      ? `Name it MODULE-AGENT${AGENT_CHANGES}, or delete it`
      : `Rename it to ${near}, or delete it`;
    return [{ ...ignoredFile(file, "its name is not that of an agent"), code: STRAY, fix }];
  });
}

function isCompiledAgent(entry: Entry): boolean {
  return GENERATIONS[entry.generation].compilesAgents && hasKind(entry, "agent");
}

function changesName({ module, id }: Entry): string {
  return `${module}-${id}${AGENT_CHANGES}`;
}

const STRAY = "stray-customization";

export function customizationSteps(library: Library, entry: Entry): Record<"base" | "merged", Values> {
  const { base, merged } = skillSteps(library, entry);
  return { base: withoutSecrets(base), merged: withoutSecrets(merged) };
}

function skillSteps(library: Library, entry: Entry, problems: Diagnostic[] = []) {
  const none = { base: {}, merged: {}, overrides: [] };
  if (entry.kind !== "skill" || entry.status === "no-file-found") return none;
  const file = fileOf(library, entry, "customize.toml");
  const files = overrideFiles(library, entry);
  const base = readLayer(file, parseToml, problems);
  if (base === undefined) {
    problems.push(...files.map((file) => ignoredFile(file, `${entry.id} has no customize.toml`)));
    return none;
  }
  const layers = files.flatMap((file) => readLayer(file, parseToml, problems) ?? []);
  const { merged, applied } = applyLayers(layers, problems, base);
  // A skill reads the table that it has itself; one that only an override has is never read.
  const key = TABLES.find((key) => isValues(base.values[key])) ?? TABLES.find((key) => isValues(merged[key]));
  return key === undefined ? none : {
    base: { [key]: base.values[key] ?? {} },
    merged: { [key]: merged[key] },
    overrides: applied.filter(({ values }) => Object.hasOwn(values, key)),
  };
}

const TABLES = ["agent", "workflow"];

export function customizationFiles(library: Library, entry: Entry): readonly SourceFile[] {
  const layers = [...changeLayers(library, entry), ...skillSteps(library, entry).overrides];
  return layers.filter(({ values }) => Object.keys(values).length > 0).map(({ file }) => file);
}

export function agentChanges(library: Library, entry: Entry): Values | undefined {
  const layers = changeLayers(library, entry);
  return layers.length === 0 ? undefined : withoutSecrets(mergeLayers(layers));
}

/** Without empty values: for each compiled agent, the installer writes a file with them. */
export function changeLayers(library: Library, entry: Entry, problems: Diagnostic[] = []): readonly Layer[] {
  if (!isCompiledAgent(entry)) return [];
  const name = changesName(entry);
  const layers = customizingSources(library, entry).flatMap((source) => {
    const rank = library.sources.indexOf(source);
    // An agent of one installation is not changed by another one beside it.
    const roots = source.inventory.roots.filter((root) =>
      rank !== entry.rank || layoutOf(root).is === "hand-written" || isBelow(entry.file, root.path)
    );
    const path = firstOf(roots, ({ path }) => changeFiles(library)[rank]!.get(path)?.get(name));
    if (path === undefined) return [];
    const values = withoutEmpty(readLayer({ source, path }, parseYaml, problems)?.values);
    return isValues(values) ? [{ values, file: { source, path } }] : [];
  });
  return applyLayers(layers, problems).applied;
}

/** By name, for each root of each source. Most agents have none. */
const changeFiles = perKey(({ sources }) =>
  sources.map(({ tree, inventory: { roots } }) =>
    new Map(roots.map(({ path }) => {
      // The present name of the folder counts more than the former one.
      const folders = ["_cfg", "_config"].map((name) => joinPath(path, name, "agents"));
      const files = folders.flatMap((folder) =>
        tree.list(folder).filter(({ isDirectory }) => !isDirectory)
          .map(({ name }) => [name.normalize(), joinPath(folder, name)] as const)
      );
      return [path, new Map(files)];
    }))
  )
);

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

/** Other programs read the compiled text, without what was customized later. */
function staleCustomization(library: Library, entry: Entry): Diagnostic[] {
  if (isAuthored(library.manifest, entry)) return [];
  const own = changeLayers(library, entry).find(({ file }) => file.source === sourceOf(library, entry));
  if (own === undefined || !entry.file.endsWith(".md")) return [];
  const { source, path } = own.file;
  const [custom, agent] = [path, entry.file].map((path) => source.tree.stat(path)?.modified);
  // The files of one copy or checkout are written within two seconds, in any order.
  if (custom === undefined || agent === undefined || custom <= agent + 2_000) return [];
  const message = `is newer than ${entry.file}: it applies here, but not where others read that file`;
  return [{ level: "warning", code: "stale-agent", message, path, origin: source.origin.id }];
}

/** `{planning_artifacts}` names one value, `modules.bmm` all: BMAD's own script gives skills the values of every module. */
function namedConfig(library: Library, entry: Entry, customization: Values, own: Values): Values {
  if (!GENERATIONS[entry.generation].isOfSkills) return {};
  const text = (findText(sourceOf(library, entry).tree, entry.file) ?? "") + JSON.stringify(customization);
  const names = new Set(Array.from(text.matchAll(/\{([^{}\n]{1,200})\}/g), ([, name]) => name));
  const codes = moduleCodes(library).filter((code) => code !== entry.module);
  const named = codes.flatMap((code) => {
    const isWhole = moduleNames(code).some((name) => text.includes(`modules.${name}`));
    return Object.entries(resolveModuleConfig(library, code))
      .filter(([key]) => (isWhole || names.has(key)) && !Object.hasOwn(own, key));
  });
  return Object.fromEntries(named);
}

export interface CustomizedValue {
  readonly key: string;
  readonly value: unknown;
  /** What the item brings along; missing if it has no such value, or its text has the change already. */
  readonly was?: unknown;
}

export const customizedValues = perKey((library, entry: Entry): readonly CustomizedValue[] => {
  const { base, merged } = customizationSteps(library, entry);
  const agent = agentChanges(library, entry);
  return [...changedIn("", base, merged), ...(agent === undefined ? [] : changedIn("", {}, { agent }))];
});

function changedIn(path: string, was: unknown, value: unknown): readonly CustomizedValue[] {
  const [before, after] = [partsOf(was), partsOf(value)];
  if (after === undefined || (before === undefined && was !== undefined)) {
    const isSame = JSON.stringify(was) === JSON.stringify(value);
    return isSame ? [] : [{ key: path, value, ...(was !== undefined && { was }) }];
  }
  return Object.entries(after).flatMap(([key, inner]) =>
    changedIn(path === "" ? key : `${path}.${key}`, before?.[key], inner)
  );
}

function partsOf(value: unknown): Values | undefined {
  if (isValues(value)) return Object.hasOwn(value, "code") || Object.hasOwn(value, "id") ? undefined : value;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const key = KEYS.find((key) => value.every((one) => isValues(one) && typeof one[key] === "string"));
  return key && Object.fromEntries(value.map((one) => [one[key], one]));
}
