/**
 * Where a project keeps its memory and its runs, which tools that switches on, and what they may write and run.
 *
 * Pure: the disk is asked through the one function that is handed in. The names are those of the project-memory kit
 * and of Grimoire, which goes on from it.
 */
import type { WantedRights } from "../../base/model.ts";
import { type Choosing, isChosen } from "./choice.ts";
import type { Invocation, Settings, Toolset } from "../mod.ts";
import { type Context, liesIn, resolvePath } from "../../base/paths.ts";
import type { ToolNeeds } from "./needs.ts";

/** The folders of one kind of kit, inside a project. */
export interface KitFolders {
  /** Where agents, memory and configuration are: `_bmad`. */
  readonly base: string;
  /** Where what was made goes, runs among it: `_bmad-output`. */
  readonly output: string;
}

/** Every kind of kit; where a project has two, the first counts. */
export const KITS: readonly KitFolders[] = [
  { base: "_bmad", output: "_bmad-output" },
  { base: "_grimoire", output: "_grimoire-output" },
];

/** Where runs are, inside the output folder. */
export const RUNS_FOLDER = ".runs";
/** Where delivery contracts are, inside the output folder. */
export const CONTRACTS_FOLDER = "contracts";

/** A project as the tools for memory and runs see it. */
export interface ProjectKit extends KitFolders {
  /** The project's folder, absolute and real. */
  readonly root: string;
  /** The folder that shows that memory or runs are kept here, inside the project; undefined when there is none. */
  readonly sign?: string;
}

/** The real name of a folder, links followed; undefined when there is no such folder. */
type FindFolder = (path: string) => string | undefined;

/** Looks which kind of kit a project has. One that has none yet is taken for the first kind. */
export function findKit(root: string, findFolder: FindFolder): ProjectKit {
  for (const kit of KITS) {
    const signs = [`${kit.base}/_memory`, `${kit.output}/${RUNS_FOLDER}`];
    const sign = signs.find((folder) => findFolder(`${root}/${folder}`) !== undefined);
    if (sign !== undefined) return { ...kit, root, sign };
  }
  const started = KITS.find(({ base }) => findFolder(`${root}/${base}`) !== undefined);
  return { ...(started ?? KITS[0]!), root };
}

/** The sets that come on by themselves in a project that keeps memory or runs. */
const SELF_ACTIVE: readonly Toolset[] = ["memory", "runs"];

/** The same choice, with the sets that the project switches on. Whoever named sets or tools has chosen. */
export function withKit(choosing: Choosing, kit: ProjectKit | undefined): Choosing {
  const { settings, provenance } = choosing;
  const isOpen = provenance.toolsets === "default" && settings.tools.length === 0;
  if (!isOpen || kit?.sign === undefined) return choosing;
  return {
    settings: { ...settings, toolsets: [...settings.toolsets, ...SELF_ACTIVE] },
    provenance: { ...provenance, toolsets: `default, and ${kit.root}/${kit.sign}` },
  };
}

/** What the chosen tools take beside reading: nothing, unless one is on that writes or runs. */
export function kitRights(
  choosing: Choosing,
  invocation: Invocation,
  kit: ProjectKit | undefined,
  { findFolder, os, toolNeeds }: {
    readonly findFolder: FindFolder;
    readonly os: Context["os"];
    readonly toolNeeds: readonly ToolNeeds[];
  },
): WantedRights {
  const { settings } = choosing;
  if (kit === undefined || settings.readOnly) return { read: [], write: [], run: [], net: false };
  const needs = toolNeeds.filter((need) => isOn(choosing, invocation, need));
  const folders = needs.flatMap((need) => need.folders ?? []);
  return {
    read: [],
    write: [...new Set(folders.flatMap((folder) => writable(kit, folder, findFolder, os)))],
    run: settings.allowExec ? [...new Set(needs.flatMap(({ programs }) => programs ?? []))] : [],
    net: false,
  };
}

/** Whether this start may come to call a tool. */
export function isOn(
  choosing: Choosing,
  { name, operands }: Invocation,
  { set, tool }: Pick<ToolNeeds, "set" | "tool">,
): boolean {
  // Whoever calls a tool by its name chooses it.
  if (name === "call") return operands[0] === tool && !choosing.settings.excludeTools.includes(tool);
  return name === "serve" && isChosen(choosing, set, tool);
}

/** The folder to ask for. An output folder that is missing will be made by us, so it is asked for itself. */
function writable(
  { root, output }: ProjectKit,
  folder: string,
  findFolder: FindFolder,
  os: Context["os"],
): readonly string[] {
  const parent = findFolder(`${root}/${output}`);
  if (parent === undefined) return [`${root}/${output}`];
  const real = findFolder(`${parent}/${folder}`) ?? `${parent}/${folder}`;
  const plain = (path: string) => resolvePath(path, { base: "/", home: undefined, os });
  // A link may not lead us out of the project.
  return liesIn(plain(real), plain(root)) ? [real] : [];
}

/** The variables that a script of the project is run with. */
export interface ScriptVariables {
  /** Where programs are found. */
  readonly path: string | undefined;
  /** Where programs keep what they need: caches, settings. */
  readonly home: string | undefined;
}

/** What a script is run with; undefined unless running was allowed. */
export function scriptVariables(
  { allowExec }: Settings,
  { env, home }: { env(name: string): string | undefined; readonly home: string | undefined },
): ScriptVariables | undefined {
  return allowExec ? { path: env("PATH"), home } : undefined;
}
