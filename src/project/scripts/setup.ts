/**
 * `setup.py --status`: what is installed of the generation after 6.12, what it still needs, and what to do next.
 *
 * Only this mode is native: the others write below `_bmad` or use the network, which this program does not. So a newer
 * version is known only where a module's source lies in the project.
 */
import { BmadError } from "../../base/errors.ts";
import { asText, asValues, type Values } from "../../base/values.ts";
import { parseToml } from "../../content/parse.ts";
import { baseName, joinPath, normalizePath, parentPath } from "../../content/tree/mod.ts";
import { raise, scriptOf } from "./program.ts";
import { pythonJson } from "./python.ts";
import { findSkill, printed, type Script, type ScriptWorld } from "./script.ts";
import {
  findInstalled,
  firstOf,
  type Installed,
  type Requirement,
  type SetupModule,
  type SetupProblem,
  type SetupRecord,
  versionAt,
} from "./setup_records.ts";
import { missingQuestions, scriptsState, teamNeedsKeys, treeState } from "./setup_runtime.ts";
import { compareVersions, isNewEnough } from "./setup_versions.ts";

export const setup: Script = scriptOf({
  name: "setup.py",
  grammar: {
    args: [
      { names: ["--project-root"], takes: "one", isRequired: true },
      { names: ["--skill"], takes: "one", isRequired: true },
      { names: ["--module"], takes: "one" },
      { names: ["--root"], takes: "append" },
      { names: ["--status"], takes: "flag" },
    ],
  },
  foreign: (args) =>
    args.some((arg) => /^(?:--status|--help|-h)$/.test(arg)) ? undefined : "without --status",
  run: (values, world) => {
    const root = world.files.pathOf("--project-root", values.one("project-root")!);
    const hub = hubOf(world, values.one("skill")!);
    const given = values.many("root").slice(0, MAX_ROOTS).flatMap((folder) => insideOf(world, folder) ?? []);
    const report = statusOf({ world, root, hub, module: values.one("module") }, given);
    return printed(`${pythonJson(report, { isAscii: false })}\n`);
  },
});

/** More folders of skills than any machine has. */
const MAX_ROOTS = 50;

/** What a report is about: folders are paths in what the world can read. */
interface Desk {
  readonly world: ScriptWorld;
  readonly root: string;
  readonly hub: string;
  readonly module: string | undefined;
}

/** The folder of the hub. */
function hubOf(world: ScriptWorld, given: string): string {
  return world.files.pathOf("--skill", findSkill(world, given)?.location ?? given);
}

/** A folder in the project; one outside cannot be read, and is skipped as the original skips such folders. */
function insideOf({ files }: ScriptWorld, given: string): string | undefined {
  try {
    return files.pathOf("--root", given);
  } catch (error) {
    if (error instanceof BmadError) return undefined;
    throw error;
  }
}

function statusOf(desk: Desk, roots: readonly string[]): Values {
  const { world, root, hub, module } = desk;
  const { tree } = world.files;
  const installed = findInstalled(world, [...roots, parentPath(hub)]);
  const selected = module === undefined ? undefined : selectModule(installed, module);
  if (module !== undefined && selected === undefined) {
    return {
      ...{ mode: "status", status: "unknown-module", changed: false, module },
      installed_modules: installed.modules.map(({ record }) => record.code),
      missing_module_records: orphansOf(installed).filter(({ bmod }) =>
        bmod === module || bmod === `bmod-${module}`
      ),
    };
  }
  const scoped = selected === undefined ? installed.modules : [selected];
  const code = selected?.record.code;
  const base = joinPath(root, "_bmad");
  const problems: SetupProblem[] = [...installed.problems];
  const modules = scoped.map((one) => ({
    ...{ module: one.record.code, folder: one.file.folder, version: one.record.version },
    ...{ update_source: one.record.source, skills: one.skills, scope: "project", absent_skills: one.absent },
    absent_install: installOf(one.record.source, one.absent),
    scripts: scriptsState(world, joinPath(base, one.record.code, "scripts"), one, problems),
    update: updateOf(desk, one.record, one.file.folder),
  }));
  const shared = treeState(world, joinPath(base, "scripts"), joinPath(hub, "scripts"));
  const template = joinPath(hub, "assets/config.template.toml");
  for (const path of [joinPath(hub, "scripts/resolve_config.py"), template]) {
    if (tree.stat(path) === undefined) raise("Exception", `missing file: ${path}`);
  }
  const team = readToml(world, joinPath(base, "config.toml"));
  const user = readToml(world, joinPath(base, "custom/config.user.toml"));
  const filled = readToml(world, template, (text) => text.replaceAll("{directory_name}", nameOf(desk))) ?? {};
  const pending = scoped.flatMap(({ record }) =>
    missingQuestions(record, [{ ...filled, ...team }, user ?? {}], nameOf(desk))
  );
  const ignored = gitignoreOf(world, joinPath(base, "custom"));
  if (ignored === "unprotected") {
    const message = "_bmad/custom/.gitignore does not name config.user.toml. Add the line *.user.toml";
    problems.push({ kind: "custom-gitignore", message });
  }
  const retired = retiredIn(desk, installed, scoped);
  const unmet = wishesOf(installed, "required", code);
  const owesSetup = tree.list(base).length === 0 || shared !== "current" || team === undefined ||
    teamNeedsKeys(filled, team) || tree.stamp(joinPath(base, "custom")) === undefined ||
    tree.stamp(outputOf(desk, { ...filled, ...team })) === undefined || pending.length > 0 ||
    ignored === "missing" || modules.some(({ scripts }) => scripts === "missing" || scripts === "stale") ||
    retired.custom_renames.length > 0;
  const orphans = orphansOf(installed);
  const isNewer = modules.some(({ update }) => update["state"] === "newer-available");
  const next = orphans.find(({ install }) => install !== null)?.install ??
    unmet.find(({ state, install }) => state === "missing" && install !== null)?.install ??
    (isNewer || unmet.some(({ state, channel }) => isUpdate(state) && channel === "skills-cli")
      ? UPDATE
      : null) ??
    (owesSetup ? `bmad setup${code === undefined ? "" : ` ${code}`}` : null);
  const settled = ["current", "ahead", "plugin-managed", "could-not-check"];
  return {
    ...{ mode: "status", module: code ?? null, bmad_exists: tree.list(base).length > 0 },
    bmad: { skill: baseName(hub), version: null, module: null, ...ownModule(installed, hub) },
    ...{ shared_scripts: shared, custom_gitignore: ignored, modules, missing_module_records: orphans },
    duplicate_skills: installed.copies.map(([skill, paths]) => copiesOf(world, skill, paths)),
    pending_questions: pending,
    ...{ unmet_requirements: unmet, unmet_recommendations: wishesOf(installed, "recommended", code) },
    ...{
      problems,
      legacy_leftovers: LEFTOVERS.filter((path) => tree.stamp(joinPath(base, path)) !== undefined),
    },
    ...retired,
    current: next === null && unmet.length === 0 && problems.length === 0 && orphans.length === 0 &&
      modules.every(({ update }) => settled.includes(String(update["state"]))),
    next,
  };
}

/** What the installers up to 6.12 leave behind. */
const LEFTOVERS = [
  ...["manifest.yaml", "files-manifest.csv", "skill-manifest.csv", "bmad-help.csv"].map((name) =>
    `_config/${name}`
  ),
  ...["config.user.toml", "core/config.yaml", "bmm/config.yaml", "core/v6-shims"],
];

const UPDATE = "npx skills update";

function isUpdate(state: string): boolean {
  return state === "outdated" || state === "unknown-version";
}

function nameOf({ world, root }: Desk): string {
  return baseName(root === "" ? world.files.root : root);
}

function selectModule({ modules }: Installed, name: string): SetupModule | undefined {
  const ways: readonly ((one: SetupModule) => string)[] = [
    ({ record }) => record.code,
    ({ record }) => `bmod-${record.code}`,
    ({ file }) => file.folder,
  ];
  return ways.values().map((way) => modules.find((one) => way(one) === name)).find((one) =>
    one !== undefined
  );
}

/** A TOML file; undefined if it is missing. */
function readToml({ files }: ScriptWorld, path: string, fill = (text: string) => text): Values | undefined {
  const text = files.find(path);
  if (text === undefined) return undefined;
  const { value, problem } = parseToml(fill(text));
  return problem === undefined ? value : raise("Exception", `cannot parse TOML ${path}: ${problem}`);
}

function outputOf({ root }: Desk, values: Values): string {
  const folder = (asText(asValues(values["core"])["output_folder"]) ?? "").replace(/^\{project-root\}\//, "");
  return joinPath(root, normalizePath(folder || "_bmad-output") ?? "_bmad-output");
}

/** Whether git ignores personal answers. */
function gitignoreOf({ files }: ScriptWorld, custom: string): string {
  const text = files.find(joinPath(custom, ".gitignore"));
  if (text === undefined) return "missing";
  const lines = text.split("\n").map((line) => line.trim());
  return ["*.user.toml", "config.user.toml", "*.toml", "*"].some((line) => lines.includes(line))
    ? "current"
    : "unprotected";
}

/** How a skill that is missing can be had from a source. */
function installOf(source: string, skills: readonly string[]): string | null {
  if (skills.length === 0 || !source.startsWith("github:")) return null;
  const [owner, repository] = source.slice("github:".length).split("/");
  return `npx skills add ${owner}/${repository} --skill ${skills.join(" ")}`;
}

function channelOf(source: string): string {
  return source.startsWith("plugin:") ? "plugin" : source.startsWith("file:") ? "local" : "skills-cli";
}

function orphansOf({ orphans }: Installed) {
  return orphans.map(({ folder, member }) => {
    const { bmod = "", source = "" } = member!;
    return { skill: folder, bmod, source, channel: channelOf(source), install: installOf(source, [bmod]) };
  });
}

function ownModule({ files }: Installed, hub: string): Values {
  const own = files.find(({ path }) => path === hub);
  const record = own?.record ?? files.find(({ folder }) => folder === own?.member?.bmod)?.record;
  return record === undefined ? {} : { version: record.version, module: record.code };
}

/** Where the copies of a skill lie; the first one counts. */
function copiesOf(world: ScriptWorld, skill: string, paths: readonly string[]): Values {
  const copies = paths.map((path) => ({ path, global: false, version: versionAt(world, path) ?? null }));
  const [used, ...others] = copies;
  const isNewer = others.some(({ version }) =>
    version !== null && used!.version !== null && (compareVersions(version, used!.version) ?? 0) > 0
  );
  return { skill, used: used!.path, newer_copy_unused: isNewer, copies };
}

/** The skills that modules and skills want and that are missing or too old. */
function wishesOf(installed: Installed, kind: "required" | "recommended", module: string | undefined) {
  const { files, modules, folders } = installed;
  const recordOf = (folder: string | undefined) => files.find((one) => one.folder === folder)?.record;
  const declared: readonly (readonly [string, SetupRecord | undefined, string, Requirement])[] = [
    ...modules.flatMap(({ file, record }) =>
      record[kind].map((wish) => [file.folder, record, record.source, wish] as const)
    ),
    ...files.flatMap(({ folder, member, record }) => {
      const own = record ?? recordOf(member?.bmod);
      const source = member?.source ?? own?.source ?? "";
      return (member?.[kind] ?? []).map((wish) => [folder, own, source, wish] as const);
    }),
  ];
  return declared.flatMap(([skill, record, ownSource, wish]) => {
    if (wish.skill === skill || module !== undefined && record?.code !== module) return [];
    const file = files.find((one) => one.folder === wish.skill);
    const have = file?.record?.version ?? recordOf(file?.member?.bmod)?.version;
    const state = stateOf(folders.has(wish.skill), file?.member?.bmod !== undefined, have, wish.version);
    if (state === undefined) return [];
    const source = wish.source ?? ownSource;
    const channel = channelOf(source);
    const install = state === "missing"
      ? installOf(source, [wish.skill])
      : isUpdate(state) && channel === "skills-cli"
      ? UPDATE
      : null;
    return [{
      ...{ skill, module: record?.code ?? null, requires: wish.skill, minimum: wish.version ?? null },
      ...{ installed: have ?? null, state, source, channel, install },
    }];
  });
}

/** Why a wish is not met; undefined if it is. */
function stateOf(
  isThere: boolean,
  namesRecord: boolean,
  have: string | undefined,
  wanted: string | undefined,
): string | undefined {
  if (!isThere) return "missing";
  if (wanted === undefined) return undefined;
  // A record that is missing is reported as such.
  if (have === undefined) return namesRecord ? undefined : "unknown-version";
  const isEnough = isNewEnough(have, wanted);
  return isEnough === undefined ? "unorderable" : isEnough ? undefined : "outdated";
}

/** How a module compares with its source, as far as that can be read without the network. */
function updateOf({ world, root }: Desk, { source, version }: SetupRecord, folder: string): Values {
  const plugin = /^plugin:(.*)$/.exec(source)?.[1];
  if (plugin !== undefined) {
    const instruction = `Update the plugin ${plugin} where it came from; it brings this module`;
    return { state: "plugin-managed", plugin, instruction };
  }
  const reason = (reason: string) => ({ state: "could-not-check", source, reason });
  const [, local] = /^file:(.*)$/.exec(source) ?? [];
  if (local === undefined) return reason("this server does not use the network");
  const path = insideOf(world, local.startsWith("/") ? local : joinPath(root, local));
  if (path === undefined) return reason("the source lies outside the project");
  const there = versionAt(world, joinPath(path, folder));
  if (there === undefined) return reason("the source has no such record");
  const order = compareVersions(version, there);
  const state = order === undefined
    ? "differing-unordered"
    : order === 0
    ? "current"
    : order < 0
    ? "newer-available"
    : "ahead";
  return { state, source, source_version: there };
}

/** What is left of skills that the modules have given up, and the overrides under their names. */
function retiredIn({ world, root }: Desk, installed: Installed, scoped: readonly SetupModule[]) {
  const { tree } = world.files;
  const live = new Set(installed.modules.flatMap(({ skills, absent }) => [...skills, ...absent]));
  const tools = tree.list(root).filter(({ name, isDirectory }) => isDirectory && name.startsWith("."))
    .map(({ name }) => joinPath(root, name, "skills"));
  const folders = firstOf(
    [...installed.roots, ...tools].filter((path) => world.files.realFolder(path) !== undefined),
    world.files.realFolder,
  );
  const isThere = (path: string) => tree.stamp(path) !== undefined;
  const rows = scoped.flatMap(({ record, retired }) =>
    retired.filter(([id]) => !live.has(id)).map(([id, now]) => ({ id, now, record }))
  );
  const left = rows.map((row) => ({
    ...row,
    paths: folders.map((folder) => joinPath(folder, row.id)).filter(isThere),
    overrides: [".toml", ".user.toml"].filter((end) => isThere(joinPath(root, "_bmad/custom", row.id + end))),
  }));
  const moves = left.flatMap(({ id, now, overrides }) =>
    overrides.map((end) => ({ id, from: customOf(id + end), to: now && customOf(now + end) }))
  );
  const taken = new Set<string>();
  const [renames, others] = [[], []] as { from: string; to: string }[][];
  for (const { from, to } of moves) {
    if (to === undefined) continue;
    (taken.has(to) || isThere(joinPath(root, to)) ? others! : renames!).push({ from, to });
    taken.add(to);
  }
  const offers = left.filter(({ now, paths, overrides }) =>
    now !== undefined && paths.length + overrides.length > 0 && !installed.folders.has(now)
  );
  return {
    retired_skills: left.filter(({ paths }) => paths.length > 0).map(({ id, now, record, paths }) => ({
      ...{ skill: id, module: record.code, renamed_to: now ?? null, paths, global: false },
    })),
    custom_renames: renames!,
    custom_not_renamed: others!,
    custom_unused: moves.filter(({ to }) => to === undefined).map(({ id, from }) => ({
      skill: id,
      file: from,
    })),
    install_offers: firstOf(offers, ({ now }) => now).map(({ id, now, record }) => ({
      ...{ skill: now, replaces: id, module: record.code, install: installOf(record.source, [now!]) },
    })),
  };
}

function customOf(name: string): string {
  return `_bmad/custom/${name}`;
}
