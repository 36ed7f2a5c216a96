/** Flat skills (after 6.12): each names its module, which a record describes. The first of several counts. */
import { type Diagnostic, NO_MODULE } from "../../base/model.ts";
import { baseName, joinPath, normalizePath, type Tree } from "../tree/mod.ts";
import { hideLogins, oneLine } from "../../base/text.ts";
import { asList, asText, asTexts, asValues, isValues, parseToml, parseYaml, type Values } from "../parse.ts";
import { LIMITS } from "../limits.ts";
import { flatFolders, flatSkillFolders, hasFile, isRecorded, LOCK_FILE, RECORD_FILES } from "./folders.ts";
import { SKILL_FILE } from "./folders.ts";
import { type Findings, moduleOf, noFindings, type Reader, readParsed, warn } from "./layout.ts";
import { addSkill, scriptMounts } from "./skill.ts";

export const flatSkills: Reader = (tree, root, use) => {
  const folders = flatFolders(tree, use);
  // All folders are one installation, read with the first.
  if (folders[0] !== root) return noFindings();
  const diagnostics: Diagnostic[] = [];
  const files = folders.flatMap((folder) => flatSkillFolders(tree, folder))
    .filter((folder) => isRecorded(tree, folder))
    .map((folder) => readRecordFile(tree, folder, diagnostics));
  const records = recordsOf(files, diagnostics);
  const found = firstOf(files.filter(({ folder, isSkill }) => isSkill && hasFile(tree, folder, SKILL_FILE)));
  const retired = retiredIn(tree, records, found, diagnostics);
  const skills = found.filter(({ folder }) => !retired.has(baseName(folder)))
    .map((file) => ({ ...file, ...moduleFor(file, records, diagnostics) }));
  const versions = new Set([...records, ...skills].map(({ version }) => version));
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
  const scripts = ["_bmad/scripts", ...skills.map(({ folder }) => joinPath(folder, "scripts"))];
  findings.mounts.push(...moduleMounts(tree, records, skills), ...scriptMounts(tree, scripts));
  return findings;
};

function firstOf<T extends RecordFile>(files: readonly T[]): readonly T[] {
  const first = new Map(files.toReversed().map((file) => [baseName(file.folder), file]));
  return files.filter((file) => first.get(baseName(file.folder)) === file);
}

function recordsOf(files: readonly RecordFile[], diagnostics: Diagnostic[]): readonly ModuleRecord[] {
  const all = files.map(({ record }) => record).filter((record) => record !== undefined);
  const byCode = Map.groupBy(all, ({ code }) => code.toLowerCase());
  return [...byCode.values()].map((same) => {
    // Upstream's order: the name of the folder decides.
    const names = [...new Set(same.map(({ folder }) => baseName(folder)))].sort();
    const [first, ...others] = names.flatMap((name) =>
      same.filter(({ folder }) => baseName(folder) === name)
    );
    const isOther = (record: ModuleRecord) =>
      baseName(record.folder) !== baseName(first!.folder) || record.version !== first!.version;
    for (const { folder, code, version } of others.filter(isOther)) {
      const what = `${code} ${version ?? ""}`.trim();
      const as = first!.version ? ` as ${first!.version}` : "";
      const message = `${what} is not used: ${first!.folder} describes this module${as}`;
      warn(diagnostics, "bad-record", recordIn(folder), message);
    }
    return first!;
  });
}

function recordIn(folder: string): string {
  return joinPath(folder, RECORD_FILES[0]!);
}

interface Membership {
  readonly module: string;
  readonly version: string | undefined;
}

type MemberFile = RecordFile & Membership;

function moduleFor(
  { folder, recordFolder, manifest }: RecordFile,
  records: readonly ModuleRecord[],
  diagnostics: Diagnostic[],
): Membership {
  if (manifest !== undefined) return manifest;
  const id = baseName(folder);
  const report = (message: string, fix: string, level: Diagnostic["level"] = "warning") =>
    warn(diagnostics, "bad-record", recordIn(folder), message, { fix, level });
  const named = records.find((record) => baseName(record.folder) === recordFolder);
  const record = named ?? records.find(({ skills }) => skills?.includes(id));
  if (record === undefined) {
    if (recordFolder === undefined) {
      report("it names no record, and no record lists the skill", "Add bmod to its [skill]");
    } else report(`its record ${recordFolder} is missing`, `Install ${recordFolder} beside it`);
    // By convention the folder is named after the module; the skill's own name proves nothing.
    const [, code] = /^bmod-([A-Za-z0-9][\w-]{0,79})$/.exec(recordFolder ?? "") ?? [];
    return { module: code ?? NO_MODULE, version: undefined };
  }
  if (record.skills !== undefined && !record.skills.includes(id) && record.folder !== folder) {
    const fix = `Add ${id} to its skills, or update the module`;
    report(`${record.folder} does not list the skill`, fix, "info");
  }
  return { module: record.code, version: record.version };
}

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

function replacedBy(live: readonly string[], retired: ReadonlyMap<string, string | undefined>) {
  const reasons = new Map<string, string | undefined>();
  for (const [id, now] of retired) reasons.set(id, now ? `it is now ${now}` : "its module no longer has it");
  for (const id of live) reasons.set(id, undefined);
  return reasons;
}

function moduleMounts(tree: Tree, records: readonly ModuleRecord[], skills: readonly MemberFile[]) {
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

/** Before records, `knowledge` could be a sentence that names a skill and a file in it. */
function namedIn(tree: Tree, sentence: unknown, skills: readonly RecordFile[]): readonly string[] {
  if (typeof sentence !== "string" || sentence.length > 1_000) return [];
  const words = sentence.split(/[\s`'"(),;]+/).map((word) => word.replace(/[.:]$/, ""));
  const file = words.find((word) => word.endsWith(".md"));
  const folders = skills.map(({ folder }) => folder).filter((folder) => words.includes(baseName(folder)));
  return folders.flatMap((folder) => pathsIn(tree, folder, [file])).slice(0, 1);
}

function pathsIn(tree: Tree, folder: string, names: unknown): readonly string[] {
  return asTexts(asList(names)).slice(0, 100)
    .map((name) => normalizePath(name)).filter((name) => name !== undefined)
    .map((name) => joinPath(folder, name)).filter((path) => tree.stat(path) !== undefined);
}

function readLock(tree: Tree, diagnostics: Diagnostic[]): (id: string) => string | undefined {
  if (tree.stat(LOCK_FILE) === undefined) return () => undefined;
  const skills = asValues(readParsed(tree, LOCK_FILE, parseYaml, diagnostics)?.["skills"]);
  return (id) => {
    const { source, sourceType, ref } = asValues(Object.hasOwn(skills, id) ? skills[id] : undefined);
    const where = [asText(sourceType), asText(source), ref === undefined ? undefined : `at ${asText(ref)}`];
    return hideLogins(oneLine(where.filter(Boolean).join(" "))).slice(0, LIMITS.records.sourceLength) ||
      undefined;
  };
}

function readRosters(tree: Tree, records: readonly ModuleRecord[], skills: readonly MemberFile[]) {
  let members: ReadonlyMap<string, Values> | undefined;
  const read = () => {
    const paths = moduleMounts(tree, records, skills).map(({ at, path }) =>
      at.endsWith("/roster.toml") ? path : joinPath(path, "roster.toml")
    );
    const rows = [...new Set(paths)].flatMap((path) => rowsOf(readRecordToml(tree, path, [])?.["members"]));
    return new Map(rows.toReversed().map((row) => [asText(row["skill"]) ?? asText(row["code"]) ?? "", row]));
  };
  return (id: string) => (members ??= read()).get(id);
}

type RecordFile = ReturnType<typeof readRecordFile>;
type ModuleRecord = NonNullable<RecordFile["record"]>;

const CODE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/;
const RESERVED: readonly string[] = ["custom", "modules", "scripts"];

function readRecordToml(tree: Tree, path: string, diagnostics: Diagnostic[]): Values | undefined {
  const { size } = tree.stat(path) ?? {};
  if (size === undefined) return undefined;
  if (size > LIMITS.records.fileBytes) {
    warn(diagnostics, "limit-reached", path, `the file has more than ${LIMITS.records.fileBytes} bytes`);
    return {};
  }
  return readParsed(tree, path, parseToml, diagnostics) ?? {};
}

function readRecordFile(tree: Tree, folder: string, diagnostics: Diagnostic[]) {
  const [now, before] = RECORD_FILES.map((name) => joinPath(folder, name)) as [string, string];
  const codeOf = (value: unknown, path: string): string | undefined => {
    const code = asText(value);
    if (code !== undefined && CODE.test(code) && !RESERVED.includes(code.toLowerCase())) return code;
    const message = code === undefined ? "it does not name a module" : "its module has an invalid name";
    warn(diagnostics, "bad-record", path, message);
    return undefined;
  };
  const values = readRecordToml(tree, now, diagnostics);
  if (values === undefined) {
    const own = readRecordToml(tree, before, diagnostics) ?? {};
    const module = codeOf(own["module"], before);
    // Before records: the module a skill names, and the module's files in its folder.
    const manifest = module ? { module, version: asText(own["version"]), values: own } : undefined;
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
      skills: Array.isArray(skills) ? asTexts(skills).slice(0, LIMITS.records.rows) : undefined,
    },
  };
}

function readRetired(tree: Tree, { folder }: ModuleRecord, diagnostics: Diagnostic[]) {
  const values = readRecordToml(tree, joinPath(folder, "retired.toml"), diagnostics) ?? {};
  const renamed = rowsOf(values["renamed"]).map((row) => [asText(row["from"]), asText(row["to"])] as const);
  const removed = asTexts(values["removed"]).slice(0, LIMITS.records.rows).map((id) =>
    [id, undefined] as const
  );
  return [...renamed, ...removed].filter((row): row is [string, string | undefined] => row[0] !== undefined);
}

function rowsOf(value: unknown): readonly Values[] {
  return asList(value).slice(0, LIMITS.records.rows).filter(isValues);
}
