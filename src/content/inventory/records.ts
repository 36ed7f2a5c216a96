/**
 * Records: what the files of the flat generation say about modules.
 *
 * A `bmod.toml` with a table `[bmod]` describes a module: it is a record. One with `[skill]` says which record a skill
 * belongs to; a module of one skill has both in one file. Earlier, each skill had a `module-manifest.toml` that named its
 * module. A record's other files lie beside it under fixed names.
 */
import type { Diagnostic } from "../../base/model.ts";
import { baseName, joinPath, type Tree } from "../tree/mod.ts";
import { asText, asTexts, asValues, isValues, parseToml, type Values } from "../parse.ts";
import { RECORD_FILES } from "./file_names.ts";
import { readParsed } from "./layout.ts";

/** A module as a record describes it. */
export interface ModuleRecord {
  readonly code: string;
  readonly version: string | undefined;
  readonly folder: string;
  /** The ids of its skills; undefined if it does not list them. */
  readonly skills: readonly string[] | undefined;
}

/** What the file in one folder says. */
export interface RecordFile {
  readonly folder: string;
  readonly record?: ModuleRecord;
  /** Whether the folder is a skill; a record alone is not. */
  readonly isSkill: boolean;
  /** The name of the folder of the skill's record. */
  readonly recordFolder?: string;
  /** Files in the skill's folder that setup copies to the scripts of the module. */
  readonly scripts?: unknown;
  /** The module that a skill names itself, and the files that it has of that module. */
  readonly manifest?: {
    readonly module: string;
    readonly version: string | undefined;
    readonly values: Values;
  };
}

/** No record is a tenth as long. */
const MAX_BYTES = 1 << 16;
/** Longer lists are cut. */
const MAX_ROWS = 2_000;

const CODE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/;
/** Folders beside those of modules. */
const RESERVED: readonly string[] = ["custom", "modules", "scripts"];

/** Reads a TOML file that describes a module; undefined if it is missing. */
export function readRecordToml(tree: Tree, path: string, diagnostics: Diagnostic[]): Values | undefined {
  const { size } = tree.stat(path) ?? {};
  if (size === undefined) return undefined;
  if (size > MAX_BYTES) {
    const message = `the file has more than ${MAX_BYTES} bytes`;
    diagnostics.push({ level: "warning", code: "limit-reached", message, path });
    return {};
  }
  return readParsed(tree, path, parseToml, diagnostics) ?? {};
}

/** Reads what a folder says about its module. */
export function readRecordFile(tree: Tree, folder: string, diagnostics: Diagnostic[]): RecordFile {
  const [now, before] = RECORD_FILES.map((name) => joinPath(folder, name)) as [string, string];
  const codeOf = (value: unknown, path: string): string | undefined => {
    const code = asText(value);
    if (code !== undefined && CODE.test(code) && !RESERVED.includes(code.toLowerCase())) return code;
    const message = code === undefined ? "it does not name a module" : "its module has an invalid name";
    diagnostics.push({ level: "warning", code: "bad-record", message, path });
    return undefined;
  };
  const values = readRecordToml(tree, now, diagnostics);
  if (values === undefined) {
    const own = readRecordToml(tree, before, diagnostics) ?? {};
    const module = codeOf(own["module"], before);
    const manifest = module === undefined
      ? undefined
      : { module, version: asText(own["version"]), values: own };
    return { folder, isSkill: true, manifest, scripts: own["scripts"] };
  }
  const [about, skill] = [values["bmod"], values["skill"]];
  const code = isValues(about) ? codeOf(about["code"], now) : undefined;
  const { version, skills } = asValues(about);
  return {
    folder,
    // A file that cannot be understood still makes its folder a skill.
    isSkill: isValues(skill) || !isValues(about),
    scripts: asValues(skill)["scripts"],
    recordFolder: asText(asValues(skill)["bmod"]) ?? (isValues(about) ? baseName(folder) : undefined),
    record: code === undefined ? undefined : {
      code,
      version: asText(version),
      folder,
      skills: Array.isArray(skills) ? asTexts(skills).slice(0, MAX_ROWS) : undefined,
    },
  };
}

/** The skills that a module no longer has: the present id of each, undefined where nothing replaces it. */
export function readRetired(
  tree: Tree,
  { folder }: ModuleRecord,
  diagnostics: Diagnostic[],
): readonly (readonly [id: string, now: string | undefined])[] {
  const values = readRecordToml(tree, joinPath(folder, "retired.toml"), diagnostics) ?? {};
  const renamed = rowsOf(values["renamed"]).map((row) => [asText(row["from"]), asText(row["to"])] as const);
  const removed = asTexts(values["removed"]).slice(0, MAX_ROWS).map((id) => [id, undefined] as const);
  return [...renamed, ...removed].filter((row): row is [string, string | undefined] => row[0] !== undefined);
}

/** The rows of a list of tables. */
export function rowsOf(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.slice(0, MAX_ROWS).filter(isValues) : [];
}
