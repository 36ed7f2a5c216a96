/**
 * Where a project keeps its memory and runs, which tool sets that enables, and what the tools may write and run.
 *
 * Pure: it asks the disk through the one function it is given. The folder names are those of the project-memory kit and
 * of its successor Grimoire.
 */
import type { WantedRights } from "../../base/model.ts";
import { type Choosing, isChosen, wantsDefaults, withDefaults } from "./choice.ts";
import {
  type Command,
  COMMANDS,
  type Invocation,
  type LookAt,
  type PlannedPath,
  type RefusedPath,
  resolveRight,
  type Settings,
  type Toolset,
} from "../mod.ts";
import { type Context, resolvePath } from "../../base/paths.ts";
import { checkFolder, entriesIn, outermost } from "./folders.ts";
import type { ToolNeeds } from "./needs.ts";

/** The folders of one kind of kit, relative to the project. */
export interface KitFolders {
  /** Agents, memory and configuration: `_bmad`. */
  readonly base: string;
  /** Artefacts and runs: `_bmad-output`. */
  readonly output: string;
}

/** Every kind of kit; in a project with two, the first one counts. */
export const KITS: readonly KitFolders[] = [
  { base: "_bmad", output: "_bmad-output" },
  { base: "_grimoire", output: "_grimoire-output" },
];

/** The folder of runs, in the output folder. */
export const RUNS_FOLDER = ".runs";
/** The branch of a project that names none. */
export const DEFAULT_BRANCH = "main";
/** The folder of delivery contracts, in the output folder. */
export const CONTRACTS_FOLDER = "contracts";

/** What can be done with a run. */
export const RUN_ACTIONS = ["start", "checkpoint", "finish", "resume"] as const;

/** What can be done with a task of a queue. */
export const TASK_ACTIONS = ["claim", "answer", "fail"] as const;

/** A project as memory and runs see it. */
export interface ProjectKit extends KitFolders {
  /** The project's folder, absolute, links resolved. */
  readonly root: string;
  /** The file or folder, in the project, that shows it keeps memory or runs; undefined if none does. */
  readonly sign?: string;
  /** The folder of runs, in the project, where the project's settings name another than the usual one. */
  readonly runs?: string;
  /** Why the folder that they name is not used. */
  readonly runsProblem?: string;
}

/** A folder with its links resolved; undefined if it does not exist. */
type FindFolder = (path: string) => string | undefined;

/** What the planner may ask the disk. */
export interface KitDisk {
  readonly findFolder: FindFolder;
  readonly look: LookAt;
  readonly namesIn: ((folder: string) => readonly string[]) | undefined;
  readonly readHead: ((file: string) => string | undefined) | undefined;
  readonly os: Context["os"];
}

/** The settings of a kit, in the project itself or in its memory folder. */
const CONTEXT_FILE = "project-context.yaml";
/** What a kit, or this program, keeps in the memory folder. BMAD's own installer only makes folders for sidecars there. */
const MEMORY_SIGN =
  /^(?:project-context\.yaml|shared-context\.md|decisions-log\.md|failure-museum\.md|memories\.json|memory\.db|[^.].*-learnings\.md)$/;

/** Finds a project's kit; a project without one gets the first kind. */
export function findKit(root: string, disk: KitDisk): ProjectKit {
  const kit = findFolders(root, disk);
  return kit.sign === undefined ? kit : { ...kit, ...findRuns(kit, disk) };
}

/**
 * Where the settings say that runs are kept. The kit writes the folder of one branch, `_bmad-output/.runs/main`; others
 * name the folder of all branches. Read line by line, like everything that is needed before the rights are dropped.
 */
function findRuns(
  { root, base }: ProjectKit,
  disk: KitDisk,
): Pick<ProjectKit, "runs" | "runsProblem"> {
  const places = ["", `${base}/_memory/`].map((folder) => `${root}/${folder}${CONTEXT_FILE}`);
  const text = places.map((place) => disk.readHead?.(place)).find((head) => head !== undefined) ?? "";
  const entries = [...entriesIn(text, ["runs_directory", "session_branch"])];
  const valueOf = (wanted: string) => entries.find(({ key }) => key === wanted)?.folder;
  const given = valueOf("runs_directory");
  if (given === undefined) return {};
  const names = given.split("/");
  const isBranch = names.at(-1) === (valueOf("session_branch") ?? DEFAULT_BRANCH) ||
    names.at(-2) === RUNS_FOLDER;
  const folder = isBranch ? names.slice(0, -1).join("/") : given;
  // Settings of one kind of kit may have been copied into a project of the other.
  if (KITS.some(({ output }) => folder.replace(/^\.\//, "") === `${output}/${RUNS_FOLDER}`)) return {};
  const { real, reason } = checkFolder(root, folder, disk);
  if (real === undefined) {
    return { runsProblem: `runs_directory in ${CONTEXT_FILE} is not used: it ${reason}` };
  }
  return { runs: real.slice(root.length + 1) };
}

function findFolders(root: string, disk: KitDisk): ProjectKit {
  const { findFolder, readHead } = disk;
  for (const kit of KITS) {
    const sign = memorySign(root, `${kit.base}/_memory`, disk) ??
      (findFolder(`${root}/${kit.output}/${RUNS_FOLDER}`) && `${kit.output}/${RUNS_FOLDER}`);
    if (sign !== undefined) return { ...kit, root, sign };
  }
  const kit = KITS.find(({ base }) => findFolder(`${root}/${base}`) !== undefined);
  const isKept = readHead?.(`${root}/${CONTEXT_FILE}`) !== undefined;
  return { ...(kit ?? KITS[0]!), root, ...(isKept ? { sign: CONTEXT_FILE } : {}) };
}

function memorySign(
  root: string,
  folder: string,
  { findFolder, namesIn = () => [] }: KitDisk,
): string | undefined {
  if (findFolder(`${root}/${folder}`) === undefined) return undefined;
  const learnings = `${folder}/agent-learnings`;
  const file = namesIn(`${root}/${folder}`).find((name) => MEMORY_SIGN.test(name));
  if (file !== undefined) return `${folder}/${file}`;
  return namesIn(`${root}/${learnings}`).some((name) => name.endsWith(".md")) ? learnings : undefined;
}

/** The tool sets that a project with memory or runs enables by default. */
const SELF_ACTIVE: readonly Toolset[] = ["memory", "runs"];

/** Adds the tool sets that the project enables, unless the user named sets or tools. */
export function withKit(choosing: Choosing, kit: ProjectKit | undefined): Choosing {
  if (!wantsDefaults(choosing) || kit?.sign === undefined) return choosing;
  const { provenance } = choosing;
  return {
    ...withDefaults(choosing, SELF_ACTIVE),
    provenance: { ...provenance, toolsets: `${provenance.toolsets}, and ${kit.root}/${kit.sign}` },
  };
}

/** The rights of the chosen tools beyond reading, and the folders for which there is none. */
export interface KitPlan {
  readonly rights: WantedRights;
  readonly refused: readonly RefusedPath[];
}

/** Plans what the chosen tools write and run: nothing, unless one of them has to. */
export function planKit(
  choosing: Choosing,
  invocation: Invocation,
  kit: ProjectKit | undefined,
  { look, os, toolNeeds }: Pick<KitDisk, "look" | "os"> & { readonly toolNeeds: readonly ToolNeeds[] },
): KitPlan {
  const { settings } = choosing;
  if (kit === undefined || settings.readOnly) return NOTHING;
  const needs = toolNeeds.filter((need) => isOn(choosing, invocation, need));
  // The doctor reports on the server's tools.
  const checked = invocation.name === "doctor"
    ? toolNeeds.filter(({ set, tool }) => isChosen(choosing, set, tool))
    : needs;
  const names = [...new Set(checked.flatMap((need) => need.folders ?? []))];
  const folders = names.map((name) => planFolder(kit, name, { look, os }));
  const command: Command = COMMANDS[invocation.name];
  const checks = command.checks === undefined && command.runs === undefined ? [] : ["bash"];
  const grants = needs.length === 0 ? [] : folders.flatMap(({ grant }) => grant ?? []);
  return {
    rights: {
      read: [],
      write: outermost(grants),
      run: settings.allowExec
        ? [...new Set([...needs.flatMap(({ programs }) => programs ?? []), ...checks])]
        : [],
      net: false,
    },
    refused: folders.flatMap(({ folder, reason }) => reason === undefined ? [] : [{ folder, reason }]),
  };
}

const NOTHING: KitPlan = { rights: { read: [], write: [], run: [], net: false }, refused: [] };

/** Whether this start may call a tool. */
export function isOn(
  choosing: Choosing,
  { name, operands }: Invocation,
  { set, tool }: Pick<ToolNeeds, "set" | "tool">,
): boolean {
  // Calling a tool by name enables it.
  if (name === "call") return operands[0] === tool && !choosing.settings.excludeTools.includes(tool);
  return name === "serve" && isChosen(choosing, set, tool);
}

/** What is planned for a folder that tools write to. */
function planFolder(
  kit: ProjectKit,
  name: string,
  { look, os }: Pick<KitDisk, "look" | "os">,
): PlannedPath & { readonly folder: string } {
  const root = resolvePath(kit.root, { base: "/", home: undefined, os });
  const folder = name === RUNS_FOLDER && kit.runs !== undefined ? kit.runs : `${kit.output}/${name}`;
  const within = { root, holds: "documents" } as const;
  return { folder, ...resolveRight({ path: `${root}/${folder}`, kind: "folder", within }, look) };
}

/** The environment of the project's script. */
export interface ScriptVariables {
  readonly path: string | undefined;
  readonly home: string | undefined;
}

/** That environment; undefined unless the user allows scripts. */
export function scriptVariables(
  { allowExec }: Settings,
  { env, home }: { env(name: string): string | undefined; readonly home: string | undefined },
): ScriptVariables | undefined {
  return allowExec ? { path: env("PATH"), home } : undefined;
}
