/**
 * What two scripts after 6.12 print: `knowledge.py`, which help documents there are, and `roster.py`, who takes part.
 *
 * Both look at folders of skills; here they look at the skills that are served, which are the same ones, once each.
 */
import type { Entry } from "../../../base/model.ts";
import { asText, asTexts, asValues, isValues, parseToml, type Values } from "../../parse.ts";
import { baseName, findText, joinPath, normalizePath, parentPath } from "../../tree/mod.ts";
import { readSafely } from "../files/reading.ts";
import { withoutSecrets } from "../files/secrets.ts";
import { type Library, type LibrarySource, sourceOf } from "../library.ts";
import { resolveValues } from "../values/customize.ts";
import { moduleCodes } from "../values/defaults.ts";
import { centralLayers, flatRoster } from "../values/flat.ts";
import { mergeStructural } from "../values/merge.ts";
import { helpFiles } from "./help_files.ts";

/** A record, where it lies. */
interface RecordPlace {
  readonly module: string;
  readonly source: LibrarySource;
  readonly folder: string;
  readonly values: Values;
}

const RECORD = "bmod.toml";

/** The help documents of all modules. */
export function knowledgeReport(library: Library, roots: readonly string[], withContent: boolean): Values {
  const records = recordsOf(library);
  const skills = flatEntries(library);
  const ids = new Set([...skills.map(({ id }) => id), ...records.map(({ folder }) => baseName(folder))]);
  const membersOf = (module: string) => {
    const listed = records.find((record) => record.module === module)?.values["skills"];
    return Array.isArray(listed)
      ? asTexts(listed)
      : skills.filter((skill) => skill.module === module).map(({ id }) => id);
  };
  const documentOf = (
    module: string,
    source: LibrarySource,
    path: string,
    folder: string,
    covered: unknown,
  ) => {
    const names = Array.isArray(covered) ? asTexts(covered) : membersOf(module);
    return {
      ...{ module, path: path.slice(folder.length + 1), skills: names },
      installed_skills: names.filter((id) => ids.has(id)),
      reported_from: baseName(folder),
      ...(withContent && { content: readSafely({ source, path }).text ?? "" }),
    };
  };
  const folderOf = (path: string) => parentPath(parentPath(path));
  const help = helpFiles(library);
  const more = records.flatMap(({ module, source, folder, values }) =>
    rowsOf(values["knowledge"]).flatMap((row) => {
      const path = normalizePath(asText(row["path"]) ?? "..");
      const file = path === undefined ? "" : joinPath(folder, path);
      const isKnown = help.some((one) => one.source === source && one.path === file && one.isMain);
      if (source.tree.stat(file) === undefined || isKnown) return [];
      return [documentOf(module, source, file, folder, row["skills"])];
    })
  );
  const topics = help.filter(({ isMain }) => !isMain).map(({ module, path, source }) => ({
    ...{ module, topic: baseName(path).replace(/\.md$/, ""), path: path.slice(folderOf(path).length + 1) },
    file: joinPath(source.tree.location, path),
  }));
  return {
    roots,
    skills: skills.map((entry) => membershipOf(library, entry, records)),
    documents: [
      ...help.filter(({ isMain }) => isMain).map(({ module, source, path }) =>
        documentOf(module, source, path, folderOf(path), "*")
      ),
      ...more,
    ].sort(byModule),
    topics: topics.filter(({ module, path }) =>
      !more.some((one) => one.module === module && one.path === path)
    ).sort(byModule),
    migrations: records.flatMap(migrationsIn).sort(byModule),
    problems: library.sources.flatMap(({ inventory }) =>
      inventory.diagnostics.filter(({ code }) => code === "bad-record").map(({ path = "", message }) => ({
        ...{ kind: "manifest", skill: baseName(parentPath(path)), problem: `${path}: ${message}` },
      }))
    ),
  };
}

function byModule(a: { readonly module: string; readonly path: string }, b: typeof a): number {
  const [one, other] = [`${a.module}\0${a.path}`, `${b.module}\0${b.path}`];
  return one < other ? -1 : one > other ? 1 : 0;
}

function flatEntries({ effective }: Library): readonly Entry[] {
  return effective.filter(({ generation }) => generation === "flat")
    .toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

function recordsOf({ sources }: Library): readonly RecordPlace[] {
  return sources.flatMap((source) =>
    source.inventory.modules.flatMap(({ code: module }) => {
      const folder = source.inventory.mounts.filter(({ at }) => at === module).map(({ path }) => path)
        .find((path) => source.tree.stat(joinPath(path, RECORD)) !== undefined);
      if (folder === undefined) return [];
      return [{
        module,
        source,
        folder,
        values: asValues(readToml(source, joinPath(folder, RECORD))["bmod"]),
      }];
    })
  );
}

function readToml({ tree }: LibrarySource, path: string): Values {
  return parseToml(findText(tree, path) ?? "").value;
}

function membershipOf(library: Library, entry: Entry, records: readonly RecordPlace[]): Values {
  const source = sourceOf(library, entry);
  const { skill, bmod } = readToml(source, joinPath(entry.folder, RECORD));
  const isKnown = records.some(({ module }) => module === entry.module) || skill === undefined;
  return {
    ...{ skill: entry.id, module: isKnown ? entry.module : null },
    bmod: isValues(bmod) ? baseName(entry.folder) : asText(asValues(skill)["bmod"]) ?? null,
    root: joinPath(source.tree.location, parentPath(entry.folder)),
  };
}

/** More than any module has. */
const MAX_FILES = 100;

function migrationsIn({ module, source, folder }: RecordPlace) {
  const names = source.tree.list(folder).filter(({ name, isDirectory }) =>
    !isDirectory && name.endsWith(".toml") && name !== RECORD
  ).slice(0, MAX_FILES);
  return names.flatMap(({ name: path }) => {
    const { from, to, title } = asValues(readToml(source, joinPath(folder, path))["migration"]);
    if (![from, to, title].every((text) => typeof text === "string" && text !== "")) return [];
    return [{ module, path, file: joinPath(source.tree.location, folder, path), from, to, title }];
  });
}

const MEMBER_FIELDS = ["name", "icon", "title", "persona", "capabilities", "model"];

/** The members and groups of all rosters, and the agents that the configuration adds. */
export function rosterReport(library: Library): Values {
  const entries = new Map(flatEntries(library).map((entry) => [entry.id, entry]));
  const rosters = moduleCodes(library).map((module) => ({ module, ...flatRoster(library, module) }))
    .filter(({ members, groups }) => members.length + groups.length > 0);
  const members = new Map<string, Values>();
  const groups = new Map<string, Values>();
  for (const roster of rosters) {
    for (const row of roster.members) {
      const code = asText(row["code"]);
      if (code !== undefined && !members.has(code)) {
        members.set(code, memberOf(library, roster.module, code, row, entries));
      }
    }
    for (const group of roster.groups) {
      const id = asText(group["id"]);
      if (id !== undefined && !groups.has(id)) groups.set(id, { ...group, module: roster.module });
    }
  }
  const agents = new Map(members.entries().filter(([, member]) => member["installed"] === true));
  const layers = centralLayers(library, []).map((layer) => asValues(layer?.values["agents"]));
  for (const [code, facts] of Object.entries(layers.reduce((all, one) => mergeStructural(all, one), {}))) {
    if (!isValues(facts) || members.get(code)?.["installed"] === false) continue;
    const { description, ...own } = withoutSecrets(facts);
    const persona = own["persona"] ?? description;
    const known = agents.get(code) ?? { code, source: "config", name: code };
    agents.set(code, { ...known, ...own, ...(persona !== undefined && { persona }) });
  }
  return {
    agents: Object.fromEntries(agents),
    members: Object.fromEntries(members),
    groups: [...groups.values()],
    rosters: rosters.map(({ module }) => ({ module, path: "roster.toml" })),
    problems: [],
  };
}

function memberOf(
  library: Library,
  module: string,
  code: string,
  row: Values,
  entries: ReadonlyMap<string, Entry>,
): Values {
  const fields = MEMBER_FIELDS.filter((name) => typeof row[name] === "string").map((
    name,
  ) => [name, row[name]]);
  const skill = asText(row["skill"]);
  const entry = skill === undefined ? undefined : entries.get(skill);
  const agent = asValues(entry && resolveValues(library, entry).customization["agent"]);
  const named = ["name", "icon", "title"].filter((name) => asText(agent[name]) !== undefined)
    .map((name) => [name, agent[name]]);
  return {
    ...{ code, module, source: "roster", name: code },
    ...Object.fromEntries([...fields, ...named]),
    ...(skill !== undefined && { skill, installed: entry !== undefined }),
  };
}

function rowsOf(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.slice(0, MAX_FILES).filter(isValues) : [];
}
