/**
 * Flat skills (after 6.12): folders of skills that `npx skills`, a plugin or a commit has put where coding tools
 * look for them. No manifest lists them: each says which module it belongs to, and a record describes the module.
 *
 * A skill may lie in several folders, as a link, a junction or a copy; the first one counts. A record has the shape of a
 * skill, but is not one: its files belong to its module, and the module's skills refer to them (`../bmod-x/…`).
 */
import { type Diagnostic, type Mount, NO_MODULE } from "../../base/model.ts";
import { baseName, joinPath, normalizePath, type Tree } from "../tree/mod.ts";
import { hideLogins, oneLine } from "../../base/text.ts";
import { asText, asTexts, asValues, parseYaml, type Values } from "../parse.ts";
import { LOCK_FILE, RECORD_FILES, SKILL_FILE } from "./file_names.ts";
import { flatFolders, flatSkillFolders, hasFile, isRecorded } from "./folders.ts";
import { type Findings, moduleOf, noFindings, type Reader, readParsed } from "./layout.ts";
import {
  type ModuleRecord,
  readRecordFile,
  readRecordToml,
  readRetired,
  type RecordFile,
  rowsOf,
} from "./records.ts";
import { addSkill } from "./skill.ts";

export const flatSkills: Reader = (tree, root, use) => {
  const folders = flatFolders(tree, use);
  // All of them are one installation, and reading the first reads all.
  if (folders[0] !== root) return noFindings();
  const diagnostics: Diagnostic[] = [];
  const files = folders.flatMap((folder) => flatSkillFolders(tree, folder))
    .filter((folder) => isRecorded(tree, folder))
    .map((folder) => readRecordFile(tree, folder, diagnostics));
  const records = recordsOf(files, diagnostics);
  const found = firstOf(
    files.filter(({ folder, isSkill }) => isSkill && hasFile(tree, folder, SKILL_FILE)),
  );
  const retired = retiredIn(tree, records, found, diagnostics);
  const skills = found.filter(({ folder }) => !retired.has(baseName(folder)))
    .map((file) => ({ ...file, ...moduleFor(file, records, diagnostics) }));
  const versions = new Set([
    ...records.map(({ version }) => version),
    ...skills.map((skill) => skill.version),
  ]);
  const findings: Findings = {
    ...noFindings(versions.size === 1 ? [...versions][0] : undefined),
    diagnostics,
    replaced: replacedBy(skills.map(({ folder }) => baseName(folder)), retired),
  };
  const rosterOf = readRosters(tree, records, skills);
  const sourceOf = readLock(tree, diagnostics);
  for (const { folder, module, version } of skills) {
    const id = baseName(folder);
    const formerIds = [...retired].filter(([, now]) => now === id).map(([before]) => before);
    addSkill(findings, tree, folder, {
      module,
      version,
      modulePath: id,
      generation: "flat",
      rosterOf,
      ...(formerIds.length > 0 && { formerIds }),
      installedFrom: sourceOf(id),
      isListed: records.some(({ skills }) => skills?.includes(id)),
    });
  }
  const codes = new Map(records.map(({ code, version }) => [code, version]));
  for (const { module, version } of skills) if (!codes.has(module)) codes.set(module, version);
  findings.modules.push(...Array.from(codes, ([code, version]) => moduleOf(code, version)));
  findings.mounts.push(...moduleMounts(tree, records, skills), ...scriptMounts(tree, skills));
  return findings;
};

/** The first folder of each name: of copies, the best one. */
function firstOf<T extends RecordFile>(files: readonly T[]): readonly T[] {
  const first = new Map(files.toReversed().map((file) => [baseName(file.folder), file]));
  return files.filter((file) => first.get(baseName(file.folder)) === file);
}

/** The record of each module. A copy of one is not another one, but may have another version. */
function recordsOf(files: readonly RecordFile[], diagnostics: Diagnostic[]): readonly ModuleRecord[] {
  const all = files.map(({ record }) => record).filter((record) => record !== undefined);
  const byCode = Map.groupBy(all, ({ code }) => code.toLowerCase());
  return [...byCode.values()].map((same) => {
    // Upstream's order: the name of the folder decides.
    const [first, ...others] = same.toSorted((a, b) => compare(baseName(a.folder), baseName(b.folder)));
    const isOther = (record: ModuleRecord) =>
      baseName(record.folder) !== baseName(first!.folder) || record.version !== first!.version;
    for (const { folder, code, version } of others.filter(isOther)) {
      const message = `${code} ${version ?? ""}`.trim() +
        ` is not used: ${first!.folder} describes this module${
          first!.version ? ` as ${first!.version}` : ""
        }`;
      const path = joinPath(folder, RECORD_FILES[0]!);
      diagnostics.push({ level: "warning", code: "bad-record", message, path });
    }
    return first!;
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface Membership {
  readonly module: string;
  readonly version: string | undefined;
}

/** A skill of which the module is known. */
type MemberFile = RecordFile & Membership;

function moduleFor(
  { folder, recordFolder, manifest }: RecordFile,
  records: readonly ModuleRecord[],
  diagnostics: Diagnostic[],
): Membership {
  if (manifest !== undefined) return manifest;
  const id = baseName(folder);
  const path = joinPath(folder, RECORD_FILES[0]!);
  const report = (message: string, fix: string, level: Diagnostic["level"] = "warning") =>
    diagnostics.push({ level, code: "bad-record", message, path, fix });
  const named = records.find((record) => baseName(record.folder) === recordFolder);
  const record = named ?? records.find(({ skills }) => skills?.includes(id));
  if (record === undefined) {
    const message = recordFolder === undefined
      ? "it names no record, and no record lists the skill"
      : `its record ${recordFolder} is missing`;
    report(
      message,
      recordFolder === undefined ? `Add bmod to its [skill]` : `Install ${recordFolder} beside it`,
    );
    // By convention the folder is named after the module; the skill's own name proves nothing.
    const [, code] = /^bmod-([A-Za-z0-9][\w-]{0,79})$/.exec(recordFolder ?? "") ?? [];
    return { module: code ?? NO_MODULE, version: undefined };
  }
  if (record.skills !== undefined && !record.skills.includes(id) && record.folder !== folder) {
    report(
      `${record.folder} does not list the skill`,
      `Add ${id} to its skills, or update the module`,
      "info",
    );
  }
  return { module: record.code, version: record.version };
}

/** The ids that no longer count, with what they are called now. One that a record still lists is not retired. */
function retiredIn(
  tree: Tree,
  records: readonly ModuleRecord[],
  found: readonly RecordFile[],
  diagnostics: Diagnostic[],
): ReadonlyMap<string, string | undefined> {
  const present = new Set(found.map(({ folder }) => baseName(folder)));
  const listed = new Set(records.flatMap(({ skills }) => skills ?? []));
  const rows = records.flatMap((record) => readRetired(tree, record, diagnostics));
  // Without its successor, a skill under its old name is better than none.
  return new Map(rows.filter(([id, now]) => !listed.has(id) && (now === undefined || present.has(now))));
}

function replacedBy(
  live: readonly string[],
  retired: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, string | undefined> {
  const reasons = Array.from(retired, ([id, now]) => {
    return [id, now === undefined ? "its module no longer has it" : `it is now ${now}`] as const;
  });
  return new Map<string, string | undefined>([...reasons, ...live.map((id) => [id, undefined] as const)]);
}

/** Where the files of a module are served: those of its record, or those that its skills have copies of. */
function moduleMounts(
  tree: Tree,
  records: readonly ModuleRecord[],
  skills: readonly MemberFile[],
): readonly Mount[] {
  const own = records.map(({ code, folder }) => ({ at: code, path: folder }));
  const copied = skills.flatMap(({ folder, manifest, module }) => {
    if (manifest === undefined) return [];
    const { roster, knowledge, config_questions: questions } = manifest.values;
    const [rosterPath] = pathsIn(tree, folder, roster);
    return [
      ...(rosterPath === undefined ? [] : [{ at: `${module}/roster.toml`, path: rosterPath }]),
      ...pathsIn(tree, folder, knowledge).map((path) => ({ at: `${module}/help/${baseName(path)}`, path })),
      ...namedIn(tree, knowledge, skills).map((path) => ({ at: `${module}/help/help.md`, path })),
      ...(Array.isArray(questions) ? [RECORD_FILES[1]!] : [])
        .map((name) => ({ at: `${module}/${name}`, path: joinPath(folder, name) })),
    ];
  });
  // Skills call them as `{project-root}/_bmad/MODULE/scripts/…`, whether setup has put them there or not.
  const scripts = skills.flatMap(({ folder, module, scripts }) =>
    pathsIn(tree, folder, scripts).map((path) => ({ at: `${module}/scripts/${baseName(path)}`, path }))
  );
  return [...own, ...scripts, ...new Map(copied.toReversed().map((mount) => [mount.at, mount])).values()];
}

/** The file that a sentence names, in a skill that it names too. */
function namedIn(tree: Tree, sentence: unknown, skills: readonly RecordFile[]): readonly string[] {
  if (typeof sentence !== "string" || sentence.length > 1_000) return [];
  const words = sentence.split(/[\s`'"(),;]+/).map((word) => word.replace(/[.:]$/, ""));
  const file = words.find((word) => word.endsWith(".md"));
  const folders = skills.map(({ folder }) => folder).filter((folder) => words.includes(baseName(folder)));
  return folders.flatMap((folder) => pathsIn(tree, folder, [file])).slice(0, 1);
}

/** The files inside a skill that a list names. */
function pathsIn(tree: Tree, folder: string, names: unknown): readonly string[] {
  return asTexts(Array.isArray(names) ? names : []).slice(0, 100)
    .map((name) => normalizePath(name)).filter((name) => name !== undefined)
    .map((name) => joinPath(folder, name)).filter((path) => tree.stat(path) !== undefined);
}

/** BMAD's own scripts, which skills call as `{project-root}/_bmad/scripts/…`. */
function scriptMounts(tree: Tree, skills: readonly RecordFile[]): readonly Mount[] {
  const folders = ["_bmad/scripts", ...skills.map(({ folder }) => joinPath(folder, "scripts"))];
  const path = folders.find((folder) => hasFile(tree, folder, "resolve_config.py"));
  return path === undefined ? [] : [{ at: "scripts", path }];
}

/** Where each skill was installed from, by the lock file of a project. */
function readLock(tree: Tree, diagnostics: Diagnostic[]): (id: string) => string | undefined {
  if (tree.stat(LOCK_FILE) === undefined) return () => undefined;
  // JSON is YAML.
  const skills = asValues(readParsed(tree, LOCK_FILE, parseYaml, diagnostics)?.["skills"]);
  return (id) => {
    const { source, sourceType, ref } = asValues(Object.hasOwn(skills, id) ? skills[id] : undefined);
    const where = [asText(sourceType), asText(source), ref === undefined ? undefined : `at ${asText(ref)}`];
    return hideLogins(oneLine(where.filter(Boolean).join(" "))).slice(0, MAX_SOURCE) || undefined;
  };
}

const MAX_SOURCE = 200;

/** What the rosters of all modules say about an agent; they are read when the first agent needs them. */
function readRosters(
  tree: Tree,
  records: readonly ModuleRecord[],
  skills: readonly MemberFile[],
): (id: string) => Values | undefined {
  let members: ReadonlyMap<string, Values> | undefined;
  const read = () => {
    const paths = moduleMounts(tree, records, skills).map(({ at, path }) =>
      at.endsWith("/roster.toml") ? path : joinPath(path, "roster.toml")
    );
    const rows = [...new Set(paths)].flatMap((path) => rowsOf(readRecordToml(tree, path, [])?.["members"]));
    return new Map(rows.toReversed().map((row) => [asText(row["skill"]) ?? asText(row["code"]) ?? "", row]));
  };
  return (id) => (members ??= read()).get(id);
}
