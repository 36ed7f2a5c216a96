/** What BMAD's scripts print that look something up. A file that is of no use is a problem, no failure. */
import { recover } from "../../../base/absence.ts";
import { BmadError } from "../../../base/errors.ts";
import { liesIn } from "../../../base/paths.ts";
import { command, compareTexts } from "../../../base/text.ts";
import { isValues, type Values } from "../../../base/values.ts";
import { LIMITS } from "../../limits.ts";
import { asText, asTexts, asValues, parseToml } from "../../parse.ts";
import { baseName, findText, isUnserved, joinPath, normalizePath } from "../../tree/mod.ts";
import { readSafely } from "../files/reading.ts";
import { withoutSecrets } from "../files/secrets.ts";
import { type Library, type LibrarySource, perKey } from "../library.ts";
import { resolveConfig } from "../values/config.ts";
import { resolveValues } from "../values/customize.ts";
import { centralLayers, layerPaths } from "../values/defaults.ts";
import { asTables, mergeStructural } from "../values/merge.ts";
import { isLauncher, loadEngine, renderedUri, renderLauncher } from "./launcher.ts";
import { type PartyRules, PERSONA_FIELDS, rosterParty } from "./roster.ts";

const {
  folders: MAX_FOLDERS,
  recordBytes: MAX_BYTES,
  documentBytes: MAX_DOCUMENT,
  listedFiles: MAX_LISTED,
} = LIMITS.scan;

function knowledgeReport(library: Library, roots: readonly string[], withContent: boolean): Values {
  const { folders, modules, skills, problems } = scanRoots(library, roots);
  const documents = new Map<string, { readonly module: string; readonly path: string } & Values>();
  const refuse = ({ name }: SkillFolder, problem: string): void => {
    problems.push({ kind: "knowledge", skill: name, problem: `${name}: ${problem}` });
  };
  const add = (module: string, found: SkillFolder, entry: unknown, members: readonly string[]) => {
    const { path: given, skills: covered = "*" } = asValues(entry);
    const path = normalizePath(asText(given) ?? "..");
    if (!path) return refuse(found, `"${asText(given) ?? ""}" is not a path in its folder`);
    const key = `${module}\0${path}`;
    if (documents.has(key)) return refuse(found, `"${path}" is listed twice`);
    const text = textIn(found, path);
    if (text instanceof Error) {
      const document = `${found.shown}/${path}`;
      const problem = `${document}: ${text.message}`;
      return void problems.push({ kind: "document", skill: found.name, document, problem });
    }
    const names = covered === "*" ? members : asTexts(covered);
    documents.set(key, {
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
      refuse(folder, "knowledge is not a list");
      continue;
    }
    const main = has(folder, MAIN) ? [{ path: MAIN }] : [];
    for (const entry of [...main, ...knowledge.slice(0, MAX_LISTED)]) add(code, folder, entry, members);
  }
  // Before records, each skill had copies of the documents of its module.
  for (const { name, module } of skills.filter(({ isListed }) => isListed)) {
    const found = folders.get(name)!;
    const listed = found.manifest?.["knowledge"];
    if (!Array.isArray(listed)) continue;
    const paths = asTexts(listed).filter((path) => !documents.has(`${module}\0${path}`));
    const members = skills.filter((one) => one.module === module).map((one) => one.name);
    for (const path of paths.slice(0, MAX_LISTED)) add(module!, found, { path }, members);
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
    .filter(({ name, isDirectory }) => !isDirectory && name.endsWith(end)).slice(0, MAX_LISTED)
    .map(({ name }) => joinPath(folder, name));
}

function textIn({ source, path }: SkillFolder, name: string): string | Error {
  const file = joinPath(path, name);
  const { size } = source.tree.stat(file) ?? {};
  if (size === undefined) return new Error("the file is missing");
  if (size > MAX_DOCUMENT) return new Error(`the file has more than ${MAX_DOCUMENT} bytes`);
  if (name.split("/").some(isUnserved)) return new Error("such files are not served");
  const read = () => readSafely({ source, path: file }).text ?? new Error("the file is not text");
  return recover(BmadError, read, (error) => error);
}

function byModule(a: { readonly module: string; readonly path: string }, b: typeof a): number {
  return compareTexts(`${a.module}\0${a.path}`, `${b.module}\0${b.path}`);
}

function migrationsIn(module: string, folder: SkillFolder) {
  return namesIn(folder, "", ".toml").filter((path) => path !== "bmod.toml").flatMap((path) => {
    const tables = readTables(folder, path);
    const { from, to, title } = asValues(tables instanceof Error ? undefined : tables["migration"]);
    if (![from, to, title].every((text) => typeof text === "string" && text !== "")) return [];
    return [{ module, path, file: `${folder.shown}/${path}`, from, to, title }];
  });
}

function rosterReport(library: Library, roots: readonly string[], withProject: boolean): Values {
  const scan = scanRoots(library, roots);
  const problems: Values[] = scan.problems.filter(({ kind }) => kind === "root" || kind === "manifest");
  const rosters = rostersIn(scan, problems);
  const members = new Map<string, Values>();
  const groups = new Map<string, Values>();
  for (const { module, path, source, values } of rosters) {
    const refuse = (kind: string, problem: string) =>
      problems.push({ kind, problem: `${module} ${path}: ${problem}` });
    for (const row of asTables(values["members"], MAX_LISTED)) {
      const code = asText(row["code"]);
      if (code === undefined) refuse("member", "a member has no code");
      else if (members.has(code)) refuse("member", `${code} is a member already`);
      else members.set(code, { code, module, ...memberOf(library, scan, { source, code, row }) });
    }
    for (const group of asTables(values["groups"], MAX_LISTED)) {
      const id = asText(group["id"]);
      if (id === undefined) refuse("group", "a group has no id");
      else if (groups.has(id)) refuse("group", `${id} is a group already`);
      else groups.set(id, { ...group, module });
    }
  }
  const agents = new Map(members.entries().filter(([, member]) => member["installed"] === true));
  const layers = withProject ? centralLayers(library).map(({ values }) => asValues(values["agents"])) : [];
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

function rostersIn({ modules, folders }: ReturnType<typeof scanRoots>, problems: Values[]) {
  const named = [
    ...modules.filter(({ folder }) => has(folder, ROSTER)).map(({ code: module, folder, values }) => {
      return { module, folder, path: ROSTER, source: values["update_source"] };
    }),
    ...[...folders.values()].flatMap((folder) => {
      const { module, roster, update_source: source } = folder.manifest ?? {};
      const paths = Array.isArray(roster) ? asTexts(roster).slice(0, MAX_LISTED) : [];
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
    ...textsOf(row, PERSONA_FIELDS),
    ...textsOf(agent, ["name", "icon", "title"]),
    ...(skill !== undefined && { skill, installed }),
    ...(install !== undefined && { install }),
  };
}

const wholeConfig = perKey((library): Values => resolveConfig(library));

export type Resolvers = Awaited<ReturnType<typeof findResolvers>>;

export async function findResolvers(library: Library) {
  await loadEngine(library);
  return {
    config: () => wholeConfig(library),
    layers: () => layerPaths(library),
    knowledge: (roots: readonly string[], withContent: boolean) =>
      knowledgeReport(library, roots, withContent),
    roster: (roots: readonly string[], withProject: boolean) => rosterReport(library, roots, withProject),
    party: (rules?: PartyRules) => rosterParty(library, rules),
    rendered: (skill: string): string | undefined => {
      const entry = library.effective.find((entry) => entry.id === skill && isLauncher(library, entry));
      if (entry === undefined) return undefined;
      renderLauncher(library, entry);
      return `${renderedUri(entry)}/workflow.md`;
    },
  };
}

interface SkillFolder {
  readonly name: string;
  readonly source: LibrarySource;
  readonly path: string;
  readonly root: string;
  readonly shown: string;
  readonly manifest?: Values;
}

interface MemberSkill {
  readonly name: string;
  readonly module?: string;
  readonly bmod?: string;
  readonly isListed: boolean;
  readonly origin?: unknown;
}

const [RECORD, MANIFEST] = ["bmod.toml", "module-manifest.toml"] as const;

/** Only through the folders of skills that are given; the first with a skill of some name counts. */
function scanRoots(library: Library, given: readonly string[]) {
  const problems: Values[] = [];
  const folders = new Map<string, SkillFolder>();
  const modules: NonNullable<ReturnType<typeof readFolder>["module"]>[] = [];
  const codes = new Map<string, string>();
  const members: MemberSkill[] = [];
  for (const root of given) {
    const place = placeOf(library, root);
    if (place === undefined) {
      const problem = `cannot read root ${root}: it is not a folder in the project or in a served source`;
      problems.push({ kind: "root", root, problem });
      continue;
    }
    const { source, path } = place;
    const names = source.tree.list(path).filter(({ isDirectory }) => isDirectory).slice(0, MAX_FOLDERS);
    for (const { name } of names) {
      if (folders.has(name)) continue;
      const shown = `${root.replace(/(?<![\\/])[\\/]+$/, "")}/${name}`;
      const folder = { name, source, path: joinPath(path, name), root, shown };
      const { module, member, manifest } = readFolder(folder, problems);
      folders.set(name, { ...folder, manifest });
      if (member !== undefined) members.push(member);
      if (module === undefined) continue;
      const { code } = module;
      codes.set(name, code);
      const first = modules.find((one) => one.code.toLowerCase() === code.toLowerCase());
      if (first === undefined) modules.push(module);
      else {
        const problem = `${name}: ${first.folder.name} describes the module ${code} already, and counts`;
        problems.push({ kind: "module", skill: name, problem });
      }
    }
  }
  const skills = members.map((each) => ({ ...each, module: each.module ?? codes.get(each.bmod ?? "") }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  problems.push(...lostRecords(skills, folders));
  return { folders, modules, skills, problems };
}

function placeOf({ sources, project = "" }: Library, given: string) {
  const plain = given.replaceAll("\\", "/").replace(/^\{project-root\}(?=\/|$)/, project);
  const isAbsolute = /^(?:\/|[A-Za-z]:\/)/.test(plain);
  const places = sources.flatMap((source) => {
    const location = source.tree.location.replaceAll("\\", "/").replace(/\/$/, "");
    // The home folder is not known here, but the folders in it that are served are.
    if (plain.startsWith("~/")) {
      return location.endsWith(plain.slice(1).replace(/\/$/, "")) ? [{ source, path: "" }] : [];
    }
    const [, drive = "", rest = ""] = /^([A-Za-z]:)?(.*)$/.exec(isAbsolute ? plain : `${project}/${plain}`) ??
      [];
    const clean = normalizePath(rest.replace(/^\/+/, ""));
    const path = clean === undefined ? undefined : `${drive}/${clean}`;
    if (path === undefined || !(path === location || liesIn(path, location))) return [];
    return [{ source, path: path.slice(location.length + 1) }];
  });
  return places.find(({ source: { tree }, path }) =>
    tree.list(path).length > 0 || (tree.stamp(path) !== undefined && tree.stat(path) === undefined)
  );
}

function readTables({ source, path }: SkillFolder, name: string): Values | Error {
  const file = joinPath(path, name);
  const { size = 0 } = source.tree.stat(file) ?? {};
  if (size > MAX_BYTES) return new Error(`the file has more than ${MAX_BYTES} bytes`);
  const text = findText(source.tree, file);
  if (text === undefined) return new Error("the file is not text");
  const { value, problem } = parseToml(text);
  return problem === undefined ? value : new Error(problem);
}

function has({ source, path }: SkillFolder, name: string): boolean {
  return source.tree.stat(joinPath(path, name)) !== undefined;
}

function readFolder(folder: SkillFolder, problems: Values[]) {
  const { name, shown } = folder;
  const file = [RECORD, MANIFEST].find((one) => has(folder, one));
  if (file === undefined) return {};
  const refuse = (problem: string) => {
    const manifest = `${shown}/${file}`;
    problems.push({ kind: "manifest", skill: name, manifest, problem: `${manifest}: ${problem}` });
    return {};
  };
  const tables = readTables(folder, file);
  if (tables instanceof Error) return refuse(tables.message);
  if (file === MANIFEST) {
    const module = asText(tables["module"]);
    if (module === undefined) return refuse("it names no module");
    return { manifest: tables, member: { name, module, isListed: true } };
  }
  const { bmod, skill } = tables;
  if (bmod === undefined && skill === undefined) return refuse("it has neither [bmod] nor [skill]");
  if (skill !== undefined && !isValues(skill)) refuse("skill is not a table");
  const record = bmod === undefined ? asText(asValues(skill)["bmod"]) : name;
  const member = isValues(skill)
    ? { name, bmod: record, isListed: false, origin: skill["source"] }
    : undefined;
  if (bmod === undefined) return { member };
  const code = isValues(bmod) ? asText(bmod["code"]) : undefined;
  if (!isValues(bmod) || code === undefined) {
    refuse(isValues(bmod) ? "[bmod] has no code" : "bmod is not a table");
    return { member };
  }
  const { skills } = bmod;
  const isList = Array.isArray(skills) && skills.every((one) => asText(one) !== undefined);
  if (skills !== undefined && !isList) refuse("skills is not a list of names");
  const listed = isList ? [...new Set(asTexts(skills))].slice(0, MAX_FOLDERS) : [];
  const members = skills === undefined && member !== undefined ? [name] : listed;
  return { module: { code, folder, values: bmod, members }, member };
}

function lostRecords(skills: readonly MemberSkill[], folders: ReadonlyMap<string, SkillFolder>) {
  const lost = skills.filter(({ module }) => module === undefined);
  const nameless = lost.filter(({ bmod }) => bmod === undefined)
    .map(({ name }) => ({ kind: "manifest", skill: name, problem: `${name}: [skill] names no record` }));
  const byRecord = Map.groupBy(lost.filter(({ bmod }) => bmod !== undefined), ({ bmod }) => bmod!);
  return [
    ...nameless,
    ...[...byRecord].sort(([a], [b]) => (a < b ? -1 : 1)).map(([bmod, all]) => {
      const names = all.map(({ name }) => name);
      const isThere = folders.has(bmod);
      const { origin } = all[0]!;
      const install = isThere ? undefined : installCommand(origin, bmod);
      const advice = install !== undefined
        ? `. If you trust the source that they name: ${install}`
        : origin === undefined || isThere
        ? ""
        : ". What they name as its source is not a repository that it can be installed from";
      const problem =
        `the record ${bmod} ${isThere ? "cannot be used" : "is not installed"}; ${names.join(", ")} need it` +
        advice;
      return { kind: "module", bmod, skills: names, problem, ...(install !== undefined && { install }) };
    }),
  ];
}

export function installCommand(source: unknown, skill: string): string | undefined {
  const [, repository] = REPOSITORY.exec(asText(source) ?? "") ?? [];
  if (repository === undefined || !SKILL_NAME.test(skill)) return undefined;
  return command`npx skills add ${repository} --skill ${skill}`;
}

const REPOSITORY = /^github:([A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9_][\w.-]{0,99})(?:\/|$)/;
const SKILL_NAME = /^[A-Za-z0-9][\w-]{0,79}$/;
