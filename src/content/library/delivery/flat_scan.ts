/**
 * The modules and skills in folders of skills, as the scripts after 6.12 find them: the first folder with a skill of
 * some name counts. Stricter than the inventory, which serves whatever it can.
 */
import { liesIn } from "../../../base/paths.ts";
import { LIMITS } from "../../limits.ts";
import { asText, asTexts, asValues, isValues, parseToml, type Values } from "../../parse.ts";
import { findText, joinPath, normalizePath } from "../../tree/mod.ts";
import type { Library, LibrarySource } from "../library.ts";
import { command } from "../../../base/text.ts";

export interface SkillFolder {
  readonly name: string;
  readonly source: LibrarySource;
  readonly path: string;
  readonly root: string;
  readonly shown: string;
  readonly manifest?: Values;
}

interface RecordedModule {
  readonly code: string;
  readonly folder: SkillFolder;
  readonly values: Values;
  readonly members: readonly string[];
}

interface MemberSkill {
  readonly name: string;
  readonly module?: string;
  readonly bmod?: string;
  readonly isListed: boolean;
  readonly origin?: unknown;
}

const [RECORD, MANIFEST] = ["bmod.toml", "module-manifest.toml"] as const;
const { folders: MAX_FOLDERS, recordBytes: MAX_BYTES } = LIMITS.scan;

export function scanRoots(library: Library, given: readonly string[]) {
  const problems: Values[] = [];
  const folders = new Map<string, SkillFolder>();
  const modules: RecordedModule[] = [];
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
      const folder: SkillFolder = { name, source, path: joinPath(path, name), root, shown };
      folders.set(name, folder);
      const read = readFolder(folder, problems);
      if (read?.manifest !== undefined) folders.set(name, { ...folder, manifest: read.manifest });
      if (read?.module !== undefined) {
        const { code } = read.module;
        codes.set(name, code);
        const first = modules.find((one) => one.code.toLowerCase() === code.toLowerCase());
        if (first === undefined) modules.push(read.module);
        else {
          const problem = `${name}: ${first.folder.name} describes the module ${code} already, and counts`;
          problems.push({ kind: "module", skill: name, problem });
        }
      }
      if (read?.member !== undefined) members.push(read.member);
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
  const locationOf = ({ tree }: LibrarySource) => tree.location.replaceAll("\\", "/").replace(/\/$/, "");
  const places = sources.flatMap((source) => {
    const location = locationOf(source);
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

export function readTables({ source, path }: SkillFolder, name: string): Values | Error {
  const file = joinPath(path, name);
  const { size = 0 } = source.tree.stat(file) ?? {};
  if (size > MAX_BYTES) return new Error(`the file has more than ${MAX_BYTES} bytes`);
  const text = findText(source.tree, file);
  if (text === undefined) return new Error("the file is not text");
  const { value, problem } = parseToml(text);
  return problem === undefined ? value : new Error(problem);
}

interface ReadFolder {
  readonly module?: RecordedModule;
  readonly member?: MemberSkill;
  readonly manifest?: Values;
}

function readFolder(folder: SkillFolder, problems: Values[]): ReadFolder | undefined {
  const { name, source, path, shown } = folder;
  const file = [RECORD, MANIFEST].find((one) => source.tree.stat(joinPath(path, one)) !== undefined);
  if (file === undefined) return undefined;
  const refuse = (problem: string) => {
    const manifest = `${shown}/${file}`;
    problems.push({ kind: "manifest", skill: name, manifest, problem: `${manifest}: ${problem}` });
    return undefined;
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
  const own = member === undefined ? [] : [name];
  const listed = isList ? [...new Set(asTexts(skills))].slice(0, MAX_FOLDERS) : [];
  const members = skills === undefined ? own : listed;
  return { module: { code, folder, values: bmod, members }, member };
}

function lostRecords(
  skills: readonly MemberSkill[],
  folders: ReadonlyMap<string, SkillFolder>,
): readonly Values[] {
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
