/** Configuration is read line by line: a parser would slow down every start. */
import { CONFIG_LAYERS } from "../../base/model.ts";
import { commandNeeds, describeCommand } from "../../operations/mod.ts";
import {
  BASES,
  configValue,
  DEFAULT_OUTPUT,
  findRepository,
  RECORDS_FOLDER,
  signOf,
  variablesOf,
} from "../mod.ts";
import { type Choosing, type Claims, isOn, refusedOf, type Start, withDefaults } from "./choice.ts";
import { GIT_SECONDS, type GitRules } from "./content.ts";
import { checkFolder, entriesIn, type NamedFolder, outermost, type ProjectKit } from "./kit.ts";

export interface WorkPlan extends Claims {
  readonly root: string;
  readonly output: string;
  readonly recordsProblem?: string;
  readonly writable: readonly string[];
  /** As for a start that works on the project, even if this one does not. */
  readonly folders: readonly string[];
  readonly git?: Pick<GitRules, "environment" | "timeout"> & {
    /** The top of the repository, which may hold the project in a folder. */
    readonly within: string;
    /** Those of git's own files: of the repository and of this worktree. */
    readonly folders: readonly string[];
    /** What the user's own files tell git. */
    readonly settings: readonly (readonly [key: string, value: string])[];
  };
}

const VERSION_CONTROL = [".git", ".hg", ".svn", ".jj"];

function isCertain(root: string, place: Start): boolean {
  const { isNamed, findFolder, readHead } = place;
  return isNamed || VERSION_CONTROL.some((name) => findFolder(`${root}/${name}`) !== undefined) ||
    // In a worktree and in a submodule, .git is a file.
    readHead?.(`${root}/.git`)?.startsWith("gitdir:") === true || signOf(root, place) !== undefined;
}

export function withWork(choosing: Choosing, root: string, place: Start): Choosing {
  const more = withDefaults(choosing, ["work"]);
  return more === choosing || isCertain(root, place) ? more : choosing;
}

export function planWork(start: Start, { root, output: usualOutput }: ProjectKit): WorkPlan | undefined {
  const { invocation: { name }, settings } = start;
  const works = describeCommand(name).changes !== undefined ||
    start.toolNeeds.some((need) => need.works && isOn(start, need));
  const reads = commandNeeds(name, "commits") || name === "doctor" ||
    commandNeeds(name, "claims") && settings.claims === "remote";
  if (!works && !reads) return undefined;
  const named = readFolders(root, start);
  const withCheck = <T extends Pick<NamedFolder, "folder">>(one: T) => ({
    ...one,
    ...checkFolder(root, one.folder, start),
  });
  const checked = named.map(withCheck);
  const given = checked.find(({ key, real }) => key === "output_folder" && real !== undefined);
  // v4 has no output folder; beside its documents, only our records are ours to write.
  const isV4 = given === undefined && named.some(({ key }) => V4_KEYS.includes(key));
  const usual = isV4 ? "docs" : usualOutput;
  const main = given ?? withCheck({ folder: usual });
  const output = main.real?.slice(root.length + 1) ?? usual;
  const ours = withCheck({ folder: `${output}/${RECORDS_FOLDER}` });
  const planned = [isV4 ? ours : main, ...checked].filter((one) => one.real !== undefined);
  const folders = settings.readOnly || !start.mayChange ? [] : outermost(planned.map(({ real }) => real));
  const unnamed = given === undefined ? [main, ours] : [ours];
  const git = planGit(start, root);
  return {
    root,
    output,
    ...(ours.reason && { recordsProblem: ours.reason }),
    writable: works ? folders : [],
    folders,
    git,
    rights: {
      // Of a folder that does not exist, its first missing parent.
      write: works
        ? outermost(planned.filter(({ real }) => folders.includes(real)).map(({ grant }) => grant))
        : [],
      run: git === undefined ? [] : ["git"],
    },
    refused: refusedOf([...checked, ...unnamed]),
  };
}

/** On the command line the user calls git; a model needs the user's permission. */
function planGit(start: Start, root: string): WorkPlan["git"] {
  const { settings, invocation: { name, operands } } = start;
  const isCalled = commandNeeds(name, "commits") || (name === "script" &&
    operands.some((word, at) =>
      (at === 0 && word === "-") || /(?:^|[\\/])git_evidence(?:\.py)?$/.test(word)
    ));
  if (settings.readOnly || name === "doctor" || !(settings.allowGit || isCalled)) return undefined;
  const found = findRepository(root, start);
  const { top, common, worktree } = found?.reason === undefined && found ||
    { top: root, common: `${root}/.git` };
  return {
    within: top,
    folders: [common, ...worktree === undefined ? [] : [`${common}/worktrees/${worktree}`]],
    settings: userSettings(start),
    // Commits need no transfer: git gets only what it needs to be found.
    environment: variablesOf(start, ["PATH", "SYSTEMROOT"]),
    timeout: Math.min(settings.gitTimeout, GIT_SECONDS.local) * 1_000,
  };
}

/** Nothing that starts a program. */
function userSettings({ home, env, os, readHead }: Start): NonNullable<WorkPlan["git"]>["settings"] {
  const folder = env("XDG_CONFIG_HOME") || home && `${home}/.config`;
  const files = [folder && `${folder}/git/config`, home && `${home}/.gitconfig`];
  const valueOf = (key: string) =>
    files.map((file) => file && configValue(readHead?.(file) ?? "", "core", key)).findLast(Boolean);
  const ignored = valueOf("excludesfile")?.replace(/^~(?=\/)/, () => home ?? "~") ??
    (folder && `${folder}/git/ignore`);
  // The installer of Windows turns it on for all users.
  const lineEnds = valueOf("autocrlf") ?? (os === "windows" ? "true" : undefined);
  return [
    ...ignored ? [["core.excludesFile", ignored] as const] : [],
    ...lineEnds === undefined ? [] : [["core.autocrlf", lineEnds] as const],
  ];
}

const KEYS = [
  "output_folder",
  "planning_artifacts",
  "implementation_artifacts",
  "sprint_artifacts",
  "dev_story_location",
];
const V4_KEYS = ["devStoryLocation", "prdShardedLocation", "architectureShardedLocation"];

/** No project has more modules; a hostile one must not slow down every start. */
const MAX_MODULES = 30;

function readFolders(root: string, { findFolder, readHead, namesIn }: Start): readonly NamedFolder[] {
  const found = new Map<string, NamedFolder>();
  const read = (path: string, keys: readonly string[], module = "") => {
    for (const { section, key, folder } of entriesIn(readHead?.(`${root}/${path}`) ?? "", keys)) {
      // Installers copy the output folder into each module's file.
      const owner = key === "output_folder" ? "core" : section.replace(/^modules\./, "") || module;
      found.set(`${owner}.${key}`, { key, folder });
    }
  };
  const base = BASES.find((base) => findFolder(`${root}/${base}`) !== undefined);
  if (base !== undefined) {
    const modules = (namesIn?.(`${root}/${base}`) ?? []).filter((name) => /^[a-z][\w-]*$/i.test(name));
    read(`${base}/config.yaml`, KEYS, "core");
    // The core's own file comes last: others hold copies of its values.
    const ordered = [...modules.filter((name) => name !== "core").slice(0, MAX_MODULES), "core"];
    for (const module of ordered) read(`${base}/${module}/config.yaml`, KEYS, module);
    for (const layer of CONFIG_LAYERS) read(`${base}/${layer}`, KEYS);
  }
  if (findFolder(`${root}/.bmad-core`) !== undefined) read(".bmad-core/core-config.yaml", V4_KEYS);
  const output = found.get("core.output_folder")?.folder ?? DEFAULT_OUTPUT;
  return [...found.values()].map(({ key, folder }) => ({
    key,
    folder: key === "output_folder" ? folder : folder.replace(/^\{output_folder\}/, () => output),
  }));
}
