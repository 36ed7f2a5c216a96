/**
 * Where a project's ledgers and documents may be written: the output folder and the artefact folders of its
 * configuration, inside the project.
 *
 * It has to be known while the rights can still be narrowed, so the few keys are read here, line by line, from the
 * beginning of each file; a parser would slow down every start. Pure: it asks the disk through the functions it is given.
 */
import type { WantedRights } from "../../base/model.ts";
import { type Context, resolvePath } from "../../base/paths.ts";
import { BASES, type Command, COMMANDS, type Invocation, type LookAt, type RefusedPath } from "../mod.ts";
import { type Choosing, wantsDefaults, withDefaults } from "./choice.ts";
import { checkFolder, entriesIn, type NamedFolder, outermost } from "./folders.ts";
import { isOn, type KitFolders } from "./kit.ts";
import type { ToolNeeds } from "./needs.ts";
import type { GitRules } from "./origins.ts";

/** Reading commits that are on the disk takes less; fetching them may take longer. */
const MAX_GIT_SECONDS = 20;

/** Where work on a project may be written. */
export interface WorkPlan {
  /** The project's folder, absolute and real. */
  readonly root: string;
  /** The output folder, relative to the root. Our own records are below it. */
  readonly output: string;
  /** Why our records in it cannot be written; completes "it …". */
  readonly recordsProblem?: string;
  /** Absolute, real as far as they exist; none if this start writes nothing. */
  readonly writable: readonly string[];
  /** The same for a start that works on the project, whether this one does or not. */
  readonly folders: readonly string[];
  /** What the rights are for: of a folder that does not exist, its first missing parent. */
  readonly grants: readonly string[];
  /** Folders of the work that are never written to. */
  readonly refused: readonly RefusedPath[];
  /** How git may read the project's commits; undefined if it may not run. */
  readonly git?: Pick<GitRules, "environment" | "timeout">;
}

/** What the plan asks of the disk. */
export interface WorkPlace {
  readonly os: Context["os"];
  readonly toolNeeds: readonly ToolNeeds[];
  readonly home: string | undefined;
  /** Whether the user or the client named the project. */
  readonly isNamed: boolean;
  env?(name: string): string | undefined;
  /** A folder with its links resolved; undefined if it does not exist. */
  findFolder(path: string): string | undefined;
  readonly look: LookAt;
  /** The beginning of a plain file; undefined if there is none. */
  readHead?(path: string): string | undefined;
  /** The names in a folder. */
  namesIn?(folder: string): readonly string[];
}

/** Our own records, in the output folder. */
export const RECORDS_FOLDER = ".bmad-work";

const DEFAULT_OUTPUT = "_bmad-output";
const V4_CONFIG = ".bmad-core/core-config.yaml";

/** Folders that show that a project uses BMAD, and those that show that it is under version control. */
const SIGNS = ["_bmad", ".bmad-core", ".bmad/_cfg", "bmad/_cfg", "_grimoire", ".git", ".hg", ".svn", ".jj"];

/** Whether a folder is certainly a project, and not just where the program was started. */
function isCertain(root: string, place: WorkPlace): boolean {
  const { isNamed, findFolder, readHead } = place;
  return isNamed || SIGNS.some((sign) => findFolder(`${root}/${sign}`) !== undefined) ||
    // In a worktree and in a submodule, .git is a file.
    readHead?.(`${root}/.git`)?.startsWith("gitdir:") === true || hasFlatSkills(root, place);
}

/** In each skill of the generation after 6.12, and in each description of a module. */
const RECORD_FILES = ["bmod.toml", "module-manifest.toml"];
/** A folder with more names than this is not searched for BMAD's skills. */
const MAX_SKILLS = 200;

/** Whether a coding tool has skills of BMAD's in this folder. Those in the home folder are the user's, not a project's. */
function hasFlatSkills(root: string, { namesIn, readHead, findFolder, home }: WorkPlace): boolean {
  if (namesIn === undefined || home !== undefined && root === (findFolder(home) ?? home)) return false;
  const tools = namesIn(root).filter((name) => name.startsWith(".")).slice(0, MAX_MODULES);
  return [...tools, "agent"].map((tool) => `${root}/${tool}/skills`).some((folder) =>
    namesIn(folder).slice(0, MAX_SKILLS).some((id) =>
      RECORD_FILES.some((file) => readHead?.(`${folder}/${id}/${file}`) !== undefined)
    )
  );
}

/** Adds the tool set in a project, unless the user named sets or tools. A read-only start has only its readers. */
export function withWork(choosing: Choosing, root: string | undefined, place: WorkPlace): Choosing {
  if (root === undefined || !wantsDefaults(choosing) || !isCertain(root, place)) return choosing;
  return withDefaults(choosing, ["work"]);
}

/** Plans the work on a project; undefined if this start does none. */
export function planWork(
  choosing: Choosing,
  invocation: Invocation,
  kit: KitFolders & { readonly root: string },
  place: WorkPlace,
): WorkPlan | undefined {
  const root = resolvePath(kit.root, { base: "/", home: undefined, os: place.os });
  const command: Command = COMMANDS[invocation.name];
  const works = command.works === true ||
    place.toolNeeds.some((need) => need.works && isOn(choosing, invocation, need));
  const reads = command.checks ?? command.readsCommits ?? command.verifies ?? (invocation.name === "doctor" ||
    command.readsClaims === true && choosing.settings.claims === "remote");
  if (!works && !reads) return undefined;
  const named = readFolders(root, place);
  const checked = named.map((one) => ({ ...one, ...checkFolder(root, one.folder, place) }));
  const given = checked.find(({ key, real }) => key === "output_folder" && real !== undefined);
  // v4 has no output folder; beside its documents, only our records are ours to write.
  const isV4 = given === undefined && named.some(({ key }) => V4_KEYS.includes(key));
  const usual = isV4 ? "docs" : kit.output;
  const main = given ?? { folder: usual, ...checkFolder(root, usual, place) };
  const output = main.real?.slice(root.length + 1) ?? usual;
  const ours = {
    folder: `${output}/${RECORDS_FOLDER}`,
    ...checkFolder(root, `${output}/${RECORDS_FOLDER}`, place),
  };
  const planned = [isV4 ? ours : main, ...checked].filter((one) => one.real !== undefined);
  const folders = choosing.settings.readOnly ? [] : outermost(planned.map(({ real }) => real));
  const unnamed = [...(given === undefined ? [main] : []), ours];
  return {
    root,
    output,
    ...(ours.reason && { recordsProblem: ours.reason }),
    writable: works ? folders : [],
    folders,
    grants: works
      ? outermost(planned.filter(({ real }) => folders.includes(real)).map(({ grant }) => grant))
      : [],
    git: mayRunGit(choosing, invocation) ? gitOf(choosing, place) : undefined,
    refused: [
      ...checked.flatMap(({ folder, key, reason }) => reason === undefined ? [] : [{ folder, key, reason }]),
      ...unnamed.flatMap(({ folder, reason }) => reason === undefined ? [] : [{ folder, reason }]),
    ],
  };
}

/** What asks git for commits: on the command line the user calls it; a model needs the user's permission. */
function mayRunGit({ settings }: Choosing, { name, operands }: Invocation): boolean {
  const command: Command = COMMANDS[name];
  const isCalled = command.checks ?? command.readsCommits ?? (name === "script" &&
    operands.some((word) => /(?:^|[\\/])git_evidence(?:\.py)?$/.test(word)));
  return !settings.readOnly && name !== "doctor" && (settings.allowGit || isCalled);
}

/** Commits need no transfer: git gets only what it needs to be found. */
function gitOf({ settings }: Choosing, { env }: WorkPlace): WorkPlan["git"] {
  const variables = ["PATH", "SYSTEMROOT"].map((name) => [name, env?.(name)] as const);
  return {
    environment: Object.fromEntries(
      variables.filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
    ),
    // A repository can make git wait for a pipe.
    timeout: Math.min(settings.gitTimeout, MAX_GIT_SECONDS) * 1_000,
  };
}

/** The rights of the plan. */
export function workRights(plan: WorkPlan | undefined): WantedRights {
  return { read: [], write: plan?.grants ?? [], run: plan?.git === undefined ? [] : ["git"], net: false };
}

/** The keys that name folders with ledgers and documents of the work. */
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

/** The folders that the files of the configuration name; of one module's key, the last layer counts. */
function readFolders(root: string, { findFolder, readHead, namesIn }: WorkPlace): readonly NamedFolder[] {
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
    for (
      const layer of ["config.toml", "config.user.toml", "custom/config.toml", "custom/config.user.toml"]
    ) {
      read(`${base}/${layer}`, KEYS);
    }
  }
  if (findFolder(`${root}/.bmad-core`) !== undefined) read(V4_CONFIG, V4_KEYS);
  const output = found.get("core.output_folder")?.folder ?? DEFAULT_OUTPUT;
  return [...found.values()].map(({ key, folder }) => ({
    key,
    folder: key === "output_folder" ? folder : folder.replace(/^\{output_folder\}/, () => output),
  }));
}
