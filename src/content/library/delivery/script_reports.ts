/**
 * What BMAD's scripts that look something up would print, from the served content. Like the originals, `knowledge.py`
 * and `roster.py` look only through the folders of skills that they are given. A file that cannot be used is a problem
 * in the answer, never a failure.
 */
import { BmadError } from "../../../base/errors.ts";
import { isValues, type Values } from "../../../base/values.ts";
import { asText, asTexts, asValues } from "../../parse.ts";
import { baseName, isUnserved, joinPath, normalizePath } from "../../tree/mod.ts";
import { readSafely } from "../files/reading.ts";
import { withoutSecrets } from "../files/secrets.ts";
import { type Library, perKey } from "../library.ts";
import { resolveValues } from "../values/customize.ts";
import { centralLayers, layerPaths } from "../values/defaults.ts";
import { mergeStructural } from "../values/merge.ts";
import { installCommand, readTables, scanRoots, type SkillFolder } from "./flat_scan.ts";
import { resolveConfig } from "../values/config.ts";
import { isLauncher, renderedUri, renderLauncher } from "./launcher.ts";
import { type PartyAnswers, type PartyRules, rosterParty } from "./roster.ts";
import { LIMITS } from "../../limits.ts";

function knowledgeReport(library: Library, roots: readonly string[], withContent: boolean): Values {
  const { folders, modules, skills, problems } = scanRoots(library, roots);
  const documents = new Map<string, { readonly module: string; readonly path: string } & Values>();
  const add = (module: string, found: SkillFolder, entry: unknown, members: readonly string[]) => {
    const { path: given, skills: covered = "*" } = asValues(entry);
    const path = normalizePath(asText(given) ?? "..");
    const refuse = (problem: string) =>
      problems.push({ kind: "knowledge", skill: found.name, problem: `${found.name}: ${problem}` });
    if (path === undefined || path === "") {
      return void refuse(`"${asText(given) ?? ""}" is not a path in its folder`);
    }
    if (documents.has(`${module}\0${path}`)) return void refuse(`"${path}" is listed twice`);
    const text = textIn(found, path);
    if (text instanceof Error) {
      const document = `${found.shown}/${path}`;
      const problem = `${document}: ${text.message}`;
      return void problems.push({ kind: "document", skill: found.name, document, problem });
    }
    const names = covered === "*" ? members : asTexts(covered);
    documents.set(`${module}\0${path}`, {
      module,
      path,
      skills: names,
      installed_skills: names.filter((name) => folders.has(name)),
      reported_from: found.name,
      ...(withContent && { content: text }),
    });
  };
  for (const { code, folder, values, members } of modules) {
    const { knowledge = [] } = values;
    if (!Array.isArray(knowledge)) {
      const problem = `${folder.name}: knowledge is not a list`;
      problems.push({ kind: "knowledge", skill: folder.name, problem });
      continue;
    }
    const main = folder.source.tree.stat(joinPath(folder.path, MAIN)) === undefined ? [] : [{ path: MAIN }];
    for (const entry of [...main, ...knowledge.slice(0, LIMITS.scan.listedFiles)]) {
      add(code, folder, entry, members);
    }
  }
  // Before records, each skill had copies of the documents of its module.
  for (const { name, module } of skills.filter(({ isListed }) => isListed)) {
    const found = folders.get(name)!;
    const paths = asTexts(found.manifest?.["knowledge"]).filter((path) =>
      !documents.has(`${module}\0${path}`)
    );
    const members = skills.filter((one) => one.module === module).map((one) => one.name);
    if (Array.isArray(found.manifest?.["knowledge"])) {
      for (const path of paths.slice(0, LIMITS.scan.listedFiles)) add(module!, found, { path }, members);
    }
  }
  const topics = modules.flatMap(({ code, folder }) =>
    namesIn(folder, "help", ".md").map((path) => ({
      module: code,
      topic: baseName(path).slice(0, -3),
      path,
      file: `${folder.shown}/${path}`,
    }))
  );
  return {
    roots,
    skills: skills.map(({ name, module = null, bmod = null }) => ({
      skill: name,
      module,
      bmod,
      root: folders.get(name)!.root,
    })),
    documents: [...documents.values()].sort(byModule),
    topics: topics.filter(({ module, path }) => !documents.has(`${module}\0${path}`) && path !== MAIN)
      .sort(byModule),
    migrations: modules.flatMap(({ code, folder }) => migrationsIn(code, folder)).sort(byModule),
    problems,
  };
}

const MAIN = "help/help.md";

function namesIn({ source, path }: SkillFolder, folder: string, end: string): readonly string[] {
  return source.tree.list(joinPath(path, folder))
    .filter(({ name, isDirectory }) => !isDirectory && name.endsWith(end)).slice(0, LIMITS.scan.listedFiles)
    .map(({ name }) => joinPath(folder, name));
}

function textIn({ source, path }: SkillFolder, name: string): string | Error {
  const file = joinPath(path, name);
  const { size } = source.tree.stat(file) ?? {};
  if (size === undefined) return new Error("the file is missing");
  if (size > LIMITS.scan.documentBytes) {
    return new Error(`the file has more than ${LIMITS.scan.documentBytes} bytes`);
  }
  if (name.split("/").some(isUnserved)) return new Error("such files are not served");
  try {
    return readSafely({ source, path: file }).text ?? new Error("the file is not text");
  } catch (error) {
    if (error instanceof BmadError) return error;
    throw error;
  }
}

function byModule(a: { readonly module: string; readonly path: string }, b: typeof a): number {
  const [one, other] = [`${a.module}\0${a.path}`, `${b.module}\0${b.path}`];
  return one < other ? -1 : one > other ? 1 : 0;
}

function migrationsIn(module: string, folder: SkillFolder) {
  return namesIn(folder, "", ".toml").filter((path) => path !== "bmod.toml").flatMap((path) => {
    const tables = readTables(folder, path);
    const { from, to, title } = asValues(tables instanceof Error ? undefined : tables["migration"]);
    if (![from, to, title].every((text) => typeof text === "string" && text !== "")) return [];
    return [{ module, path, file: `${folder.shown}/${path}`, from, to, title }];
  });
}

const MEMBER_FIELDS = ["name", "icon", "title", "persona", "capabilities", "model"];

export function rosterReport(library: Library, roots: readonly string[], withProject: boolean): Values {
  const scan = scanRoots(library, roots);
  const problems: Values[] = scan.problems.filter(({ kind }) => kind === "root" || kind === "manifest");
  const rosters = rostersIn(scan, problems);
  const members = new Map<string, Values>();
  const groups = new Map<string, Values>();
  for (const { module, path, source, values } of rosters) {
    const refuse = (kind: string, problem: string) =>
      problems.push({ kind, problem: `${module} ${path}: ${problem}` });
    for (const row of rowsOf(values["members"])) {
      const code = asText(row["code"]);
      if (code === undefined) refuse("member", "a member has no code");
      else if (members.has(code)) refuse("member", `${code} is a member already`);
      else members.set(code, { code, module, ...memberOf(library, scan, { source, code, row }) });
    }
    for (const group of rowsOf(values["groups"])) {
      const id = asText(group["id"]);
      if (id === undefined) refuse("group", "a group has no id");
      else if (groups.has(id)) refuse("group", `${id} is a group already`);
      else groups.set(id, { ...group, module });
    }
  }
  const agents = new Map(members.entries().filter(([, member]) => member["installed"] === true));
  const layers = withProject
    ? centralLayers(library, []).map(({ values }) => asValues(values["agents"]))
    : [];
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
    rosters: rosters.map(({ module, path }) => ({ module, path })),
    problems,
  };
}

/** The rosters of records, and of the manifests before them, whose copies count once. */
function rostersIn({ modules, folders }: ReturnType<typeof scanRoots>, problems: Values[]) {
  const named = [
    ...modules.filter(({ folder: { source, path } }) =>
      source.tree.stat(joinPath(path, ROSTER)) !== undefined
    )
      .map(({ code: module, folder, values: { update_source: source } }) => ({
        module,
        folder,
        path: ROSTER,
        source,
      })),
    ...[...folders.values()].flatMap((folder) => {
      const { module, roster, update_source: source } = folder.manifest ?? {};
      const paths = Array.isArray(roster) ? asTexts(roster).slice(0, LIMITS.scan.listedFiles) : [];
      return paths.map((path) => ({ module: asText(module) ?? "", folder, path, source }));
    }),
  ];
  const found = new Map<string, typeof named[number] & { readonly values: Values }>();
  for (const { module, folder, path, source } of named) {
    const key = `${module}\0${path}`;
    if (found.has(key)) continue;
    const values = normalizePath(path) === path
      ? readTables(folder, path)
      : new Error("it is not a path in the skill");
    if (values instanceof Error) {
      const problem = `${folder.shown}/${path}: ${values.message}`;
      problems.push({ kind: "roster", skill: folder.name, problem });
    } else found.set(key, { module, folder, path, source, values });
  }
  return [...found.values()].sort(byModule);
}

const ROSTER = "roster.toml";

function memberOf(
  library: Library,
  { folders }: ReturnType<typeof scanRoots>,
  { source, code, row }: { readonly source: unknown; readonly code: string; readonly row: Values },
): Values {
  const textsOf = (values: Values, names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [name, values[name]]).filter(([, text]) => typeof text === "string" && text !== ""),
    );
  const skill = asText(row["skill"]);
  const installed = skill !== undefined && folders.has(skill);
  const entry = installed
    ? library.effective.find(({ id, generation }) => id === skill && generation === "flat")
    : undefined;
  const agent = asValues(entry && resolveValues(library, entry).customization["agent"]);
  const install = skill === undefined || installed ? undefined : installCommand(source, skill);
  return {
    source: "roster",
    name: code,
    ...textsOf(row, MEMBER_FIELDS),
    ...textsOf(agent, ["name", "icon", "title"]),
    ...(skill !== undefined && { skill, installed }),
    ...(install !== undefined && { install }),
  };
}

function rowsOf(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.slice(0, LIMITS.scan.listedFiles).filter(isValues) : [];
}

export interface Resolvers {
  config(): Values;
  layers(): readonly string[];
  knowledge(roots: readonly string[], withContent: boolean): Values;
  roster(roots: readonly string[], withProject: boolean): Values;
  party(rules?: PartyRules): PartyAnswers;
  rendered(skill: string): string | undefined;
}

const wholeConfig = perKey((library): Values => resolveConfig(library));

export function resolversOf(library: Library): Resolvers {
  return {
    config: () => wholeConfig(library),
    layers: () => layerPaths(library),
    knowledge: (roots, withContent) => knowledgeReport(library, roots, withContent),
    roster: (roots, withProject) => rosterReport(library, roots, withProject),
    party: (rules) => rosterParty(library, rules),
    rendered: (skill) => {
      const entry = library.effective.find((entry) => entry.id === skill && isLauncher(library, entry));
      if (entry === undefined) return undefined;
      renderLauncher(library, entry);
      return `${renderedUri(entry)}/workflow.md`;
    },
  };
}
