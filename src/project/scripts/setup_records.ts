/**
 * What `setup.py` finds in folders of skills: modules by their records, their members, and what is wrong with them.
 *
 * It is stricter than the reader of the content, which serves whatever it can: here a broken record is a problem, and its
 * module is missing.
 */
import { isValues, type Values } from "../../base/values.ts";
import { parseToml } from "../../content/parse.ts";
import { baseName, joinPath, normalizePath, parentPath } from "../../content/tree/mod.ts";
import { orderableVersion } from "./setup_versions.ts";
import type { ScriptWorld } from "./script.ts";

/** A skill that a module or a skill wants. */
export interface Requirement {
  readonly skill: string;
  /** The least version. */
  readonly version?: string;
  readonly source?: string;
}

export interface SetupQuestion {
  readonly key: string;
  readonly prompt: string;
  readonly default: string;
  readonly scope: "team" | "user";
}

interface Wishes {
  readonly required: readonly Requirement[];
  readonly recommended: readonly Requirement[];
}

/** `[bmod]`. */
export interface SetupRecord extends Wishes {
  readonly code: string;
  readonly version: string;
  readonly source: string;
  readonly skills?: readonly string[];
  readonly questions: readonly SetupQuestion[];
}

/** `[skill]`. */
interface SetupMember extends Wishes {
  /** The folder of its record, and where that can be had; both undefined in a module of one skill. */
  readonly bmod?: string;
  readonly source?: string;
  readonly scripts: readonly string[];
}

/** A folder with a `bmod.toml`. */
export interface SetupFile {
  readonly folder: string;
  /** In the project. */
  readonly path: string;
  readonly record?: SetupRecord;
  readonly member?: SetupMember;
}

export interface SetupModule {
  readonly file: SetupFile;
  readonly record: SetupRecord;
  /** The skills of its list that are installed, and the others. */
  readonly skills: readonly string[];
  readonly absent: readonly string[];
  /** The installed ones that name this record. */
  readonly members: readonly SetupFile[];
  readonly retired: readonly (readonly [id: string, now: string | undefined])[];
}

export interface SetupProblem {
  readonly kind: string;
  readonly message: string;
  readonly [fact: string]: string;
}

/** What is installed. */
export interface Installed {
  readonly roots: readonly string[];
  /** The first folder of each name. */
  readonly folders: ReadonlyMap<string, string>;
  /** All folders of a skill that lies in several. */
  readonly copies: readonly (readonly [skill: string, folders: readonly string[]])[];
  readonly files: readonly SetupFile[];
  readonly modules: readonly SetupModule[];
  /** Skills whose records are missing. */
  readonly orphans: readonly SetupFile[];
  readonly problems: readonly SetupProblem[];
}

const RECORD = "bmod.toml";
/** More folders of skills are not looked at, nor more skills in one. */
const MAX_FOLDERS = 2_000;
/** No record is a tenth as long. */
const MAX_BYTES = 1 << 16;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/;
const RESERVED = ["_config", "custom", "modules", "scripts"];

/** What is wrong with a file. */
class BadFile extends Error {}

/** Looks through the folders, of which the first with a skill has the one that counts. */
export function findInstalled(world: ScriptWorld, roots: readonly string[]): Installed {
  const { files: { tree, realFolder } } = world;
  const problems: SetupProblem[] = [];
  const distinct = firstOf(roots, (root) => realFolder(root) ?? root);
  const places = Map.groupBy(
    distinct.flatMap((root) =>
      tree.list(root).filter(({ isDirectory }) => isDirectory).slice(0, MAX_FOLDERS)
        .map(({ name }) => ({ name, path: joinPath(root, name) }))
    ),
    ({ name }) => name,
  );
  const folders = new Map([...places].map(([name, [first]]) => [name, first!.path]));
  const names = [...places.keys()].sort();
  const files = names.flatMap((name) => {
    try {
      const file = readFile(world, name, folders.get(name)!);
      return file === undefined ? [] : [file];
    } catch (error) {
      if (!(error instanceof BadFile)) throw error;
      problems.push({ kind: "bmod-file", folder: name, message: error.message });
      return [];
    }
  });
  const copies = names.flatMap((name) => {
    const paths = firstOf(places.get(name)!.map(({ path }) => path), (path) => realFolder(path) ?? path);
    const isOurs = paths.some((path) => tree.stat(joinPath(path, RECORD)) !== undefined);
    return paths.length > 1 && isOurs ? [[name, paths] as const] : [];
  });
  const winners = recordsAmong(files, problems);
  const modules = winners.map((file) => moduleOf(world, file, { files, folders }, problems));
  const orphans = files.filter((file) => isOrphan(file, files, problems));
  return { roots: distinct, folders, copies, files, modules, orphans, problems };
}

/** The first one of each key. */
export function firstOf<T>(list: readonly T[], keyOf: (one: T) => unknown): readonly T[] {
  const keys = list.map(keyOf);
  return list.filter((_, at) => keys.indexOf(keys[at]) === at);
}

/** One record for each module: the first by the name of its folder. */
function recordsAmong(files: readonly SetupFile[], problems: SetupProblem[]): readonly SetupFile[] {
  const winners = new Map<string, SetupFile>();
  for (const file of files) {
    if (file.record === undefined) continue;
    const { code } = file.record;
    const first = winners.get(code.toLowerCase());
    if (first === undefined) {
      winners.set(code.toLowerCase(), file);
      continue;
    }
    const message = `${first.path} and ${file.path} both describe the module ${code}. The first counts`;
    problems.push({
      kind: "duplicate-module",
      module: code,
      folder: file.folder,
      kept: first.folder,
      message,
    });
  }
  return [...winners.values()].toSorted((a, b) => (a.record!.code < b.record!.code ? -1 : 1));
}

/** The skills that a record lists; a module of one skill need not. */
function listOf({ record, member, folder }: SetupFile): readonly string[] {
  return record?.skills ?? (member === undefined ? [] : [folder]);
}

function moduleOf(
  world: ScriptWorld,
  file: SetupFile,
  { files, folders }: Pick<Installed, "files" | "folders">,
  problems: SetupProblem[],
): SetupModule {
  const listed = listOf(file);
  const skills = listed.filter((name) => folders.has(name));
  const found = skills.flatMap((name) => files.find((one) => one.folder === name) ?? []);
  const isOwn = (one: SetupFile) =>
    one === file || one.record === undefined && one.member?.bmod === file.folder;
  for (const one of found) {
    if (one.member === undefined || isOwn(one)) continue;
    const why = one.record === undefined
      ? `names ${one.member.bmod} as its record`
      : "is a module of its own";
    problems.push({
      ...{ kind: "membership", skill: one.folder, bmod: file.folder },
      message: `${file.path} lists ${one.folder}, which ${why}`,
    });
  }
  return {
    ...{ file, record: file.record!, skills, absent: listed.filter((name) => !folders.has(name)) },
    members: found.filter((one) => one.member !== undefined && isOwn(one)),
    retired: readRetired(world, file, problems),
  };
}

/** Whether the record of a skill is missing. A record that does not list its skill is a problem. */
function isOrphan(file: SetupFile, files: readonly SetupFile[], problems: SetupProblem[]): boolean {
  const { member, record, folder } = file;
  if (member === undefined) return false;
  const owner = record === undefined ? files.find((one) => one.folder === member.bmod) : file;
  if (owner?.record === undefined) return true;
  if (!listOf(owner).includes(folder)) {
    problems.push({
      ...{ kind: "membership", skill: folder, bmod: owner.folder },
      message: `${owner.path} does not list ${folder}, which belongs to it`,
    });
  }
  return false;
}

function readRetired(
  world: ScriptWorld,
  { path, folder }: SetupFile,
  problems: SetupProblem[],
): SetupModule["retired"] {
  const file = joinPath(path, "retired.toml");
  try {
    const { renamed = [], removed = [] } = readTables(world, file) ?? {};
    const rows = listIn(renamed, file, "renamed").map((row) => {
      const { from, to } = isValues(row) ? row : {};
      return [nameIn(from, file, "renamed"), nameIn(to, file, "renamed")] as const;
    });
    const gone = namesIn(removed, file, "removed").map((name) => [name, undefined] as const);
    const all = [...rows, ...gone];
    if (new Set(all.map(([name]) => name)).size < all.length) {
      throw new BadFile(`${file} retires a skill twice`);
    }
    return all;
  } catch (error) {
    if (!(error instanceof BadFile)) throw error;
    problems.push({ kind: "retired-file", folder, message: error.message });
    return [];
  }
}

/** A TOML file; undefined if it is missing. */
function readTables({ files }: ScriptWorld, path: string): Values | undefined {
  const { size } = files.tree.stat(path) ?? {};
  if (size === undefined) return undefined;
  if (size > MAX_BYTES) throw new BadFile(`${path} has more than ${MAX_BYTES} bytes`);
  const { value, problem } = parseToml(files.find(path) ?? "");
  if (problem !== undefined) throw new BadFile(`${path}: ${problem}`);
  return value;
}

/** Reads the `bmod.toml` of a folder; undefined if there is none. Unknown keys are ignored. */
function readFile(world: ScriptWorld, folder: string, path: string): SetupFile | undefined {
  const file = joinPath(path, RECORD);
  const tables = readTables(world, file);
  if (tables === undefined) return undefined;
  const { bmod, skill } = tables;
  if (bmod === undefined && skill === undefined) throw new BadFile(`${file} has neither [bmod] nor [skill]`);
  if ([bmod, skill].some((table) => table !== undefined && !isValues(table))) {
    throw new BadFile(`${file}: bmod and skill must be tables`);
  }
  const record = isValues(bmod) ? recordOf(bmod, file) : undefined;
  const member = isValues(skill) ? memberOf(skill, file, record === undefined) : undefined;
  return { folder, path, record, member };
}

/** The version of the module that a copy of a skill belongs to, by the record beside it. */
export function versionAt(world: ScriptWorld, path: string): string | undefined {
  try {
    const { record, member } = readFile(world, baseName(path), path) ?? {};
    if (record !== undefined || member?.bmod === undefined) return record?.version;
    return readFile(world, member.bmod, joinPath(parentPath(path), member.bmod))?.record?.version;
  } catch (error) {
    if (error instanceof BadFile) return undefined;
    throw error;
  }
}

function recordOf(table: Values, file: string): SetupRecord {
  const code = textIn(table["code"], file, "bmod.code");
  if (!NAME.test(code) || RESERVED.includes(code.toLowerCase())) {
    throw new BadFile(`${file}: bmod.code is not a valid module name`);
  }
  return {
    code,
    version: textIn(table["version"], file, "bmod.version"),
    source: sourceIn(table["update_source"], file, "bmod.update_source"),
    skills: table["skills"] === undefined ? undefined : namesIn(table["skills"], file, "bmod.skills"),
    questions: questionsIn(table["config_questions"], file),
    ...wishesIn(table, file, "bmod"),
  };
}

function memberOf(table: Values, file: string, isAlone: boolean): SetupMember {
  const scripts = listIn(table["scripts"], file, "skill.scripts").map((name) => {
    const isPlain = typeof name === "string" && /^scripts\/[^\\]+$/.test(name) &&
      normalizePath(name) === name;
    return isPlain ? name : refuse(file, "skill.scripts", "names of files in scripts/");
  });
  return {
    ...(isAlone && {
      bmod: nameIn(table["bmod"], file, "skill.bmod"),
      source: sourceIn(table["source"], file, "skill.source"),
    }),
    scripts,
    ...wishesIn(table, file, "skill"),
  };
}

function wishesIn(table: Values, file: string, name: string): Wishes {
  const of = (key: string): readonly Requirement[] => {
    const field = `${name}.${key}`;
    const all = listIn(table[key], file, field).map((row): Requirement => {
      if (!isValues(row)) return { skill: nameIn(row, file, field) };
      const { version } = row;
      if (version !== undefined && (typeof version !== "string" || orderableVersion(version) === undefined)) {
        refuse(file, field, "versions that can be compared");
      }
      const source = sourceIn(row["source"], file, field);
      return {
        skill: nameIn(row["skill"], file, field),
        source,
        ...(typeof version === "string" && { version }),
      };
    });
    if (new Set(all.map(({ skill }) => skill)).size < all.length) refuse(file, field, "each skill once");
    return all;
  };
  return { required: of("required_skills"), recommended: of("recommended_skills") };
}

function questionsIn(value: unknown, file: string): readonly SetupQuestion[] {
  const field = "bmod.config_questions";
  return listIn(value, file, field).map((row) => {
    const { key, prompt, default: given, scope = "team" } = isValues(row) ? row : {};
    if (typeof given !== "string" || scope !== "team" && scope !== "user") {
      return refuse(file, field, "key, prompt, default and the scope team or user");
    }
    return { key: textIn(key, file, field), prompt: textIn(prompt, file, field), default: given, scope };
  });
}

function listIn(value: unknown, file: string, field: string): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) && value.length <= MAX_FOLDERS ? value : refuse(file, field, "a list");
}

function namesIn(value: unknown, file: string, field: string): readonly string[] {
  const names = listIn(value, file, field).map((name) => nameIn(name, file, field));
  return new Set(names).size === names.length ? names : refuse(file, field, "each skill once");
}

function nameIn(value: unknown, file: string, field: string): string {
  return typeof value === "string" && NAME.test(value) ? value : refuse(file, field, "names of skills");
}

function textIn(value: unknown, file: string, field: string): string {
  return typeof value === "string" && value.trim() !== "" ? value : refuse(file, field, "a text");
}

function sourceIn(value: unknown, file: string, field: string): string {
  const isSource = typeof value === "string" && value.length < 1_000 &&
    (/^github:[^/]+(?:\/[^/]+)+$/.test(value) || /^(?:https:\/\/|file:|plugin:)\S/.test(value));
  return isSource ? value : refuse(file, field, "a source such as github:OWNER/REPOSITORY");
}

function refuse(file: string, field: string, wanted: string): never {
  throw new BadFile(`${file}: ${field} must have ${wanted}`);
}
