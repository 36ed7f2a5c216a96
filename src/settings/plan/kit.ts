/** By the folder names of the project-memory kit and its successor Grimoire. */
import { liesIn, resolvePath } from "../../base/paths.ts";
import { splitLines } from "../../base/text.ts";
import { commandNeeds } from "../../operations/mod.ts";
import { type PlannedPath, resolveRight } from "../mod.ts";
import {
  type Choosing,
  type Claims,
  isChosen,
  isOn,
  planFolder,
  refusedOf,
  type Start,
  withDefaults,
} from "./choice.ts";

interface KitFolders {
  readonly base: string;
  readonly output: string;
}

/** In a project with two, the first one counts. */
export const KITS: readonly KitFolders[] = [
  { base: "_bmad", output: "_bmad-output" },
  { base: "_grimoire", output: "_grimoire-output" },
];

export const RUNS_FOLDER = ".runs";
export const DEFAULT_BRANCH = "main";
export const CONTRACTS_FOLDER = "contracts";

export const RUN_ACTIONS = ["start", "checkpoint", "finish", "resume"] as const;

export const TASK_ACTIONS = ["claim", "answer", "fail"] as const;

export interface ProjectKit extends KitFolders {
  readonly root: string;
  /** Shows that the project keeps memory or runs. */
  readonly sign?: string;
  /** Where the project's settings name another folder than the usual one. */
  readonly runs?: string;
  readonly runsProblem?: string;
}

const CONTEXT_FILE = "project-context.yaml";
/** BMAD's own installer only makes folders for sidecars there. */
const MEMORY_SIGN =
  /^(?:project-context\.yaml|shared-context\.md|decisions-log\.md|failure-museum\.md|memories\.json|memory\.db|[^.].*-learnings\.md)$/;

export function findKit(root: string, disk: Start): ProjectKit {
  const kit = findFolders(root, disk);
  return kit.sign === undefined ? kit : { ...kit, ...findRuns(kit, disk) };
}

/** The kit writes the folder of one branch, others that of all. Read by line: no parser is loaded yet. */
function findRuns({ root, base }: ProjectKit, disk: Start): Pick<ProjectKit, "runs" | "runsProblem"> {
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

function findFolders(root: string, disk: Start): ProjectKit {
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

function memorySign(root: string, folder: string, { findFolder, namesIn = () => [] }: Start) {
  if (findFolder(`${root}/${folder}`) === undefined) return undefined;
  const learnings = `${folder}/agent-learnings`;
  const file = namesIn(`${root}/${folder}`).find((name) => MEMORY_SIGN.test(name));
  if (file !== undefined) return `${folder}/${file}`;
  return namesIn(`${root}/${learnings}`).some((name) => name.endsWith(".md")) ? learnings : undefined;
}

export function withKit(choosing: Choosing, { root, sign }: ProjectKit): Choosing {
  return sign === undefined ? choosing : withDefaults(choosing, ["memory", "runs"], `${root}/${sign}`);
}

/** Without a kit, a project whose memory has a file outside it gets the two tools that need nothing else. */
export function withMemory(choosing: Choosing, file: string | undefined): Choosing {
  const chosen = file === undefined ? choosing : withDefaults(choosing, [], file);
  if (chosen === choosing) return choosing;
  const { settings, provenance } = chosen;
  const tools = [...new Set([...settings.tools, "remember_structured", "recall_structured"])];
  return { settings: { ...settings, tools }, provenance: { ...provenance, tools: provenance.toolsets } };
}

export function planTools(start: Start, kit: ProjectKit): Claims {
  const { settings, invocation, toolNeeds } = start;
  if (settings.readOnly || !start.mayChange) return {};
  const needs = toolNeeds.filter((need) => isOn(start, need));
  // The doctor reports on the server's tools.
  const checked = invocation.name === "doctor"
    ? toolNeeds.filter(({ set, tool }) => isChosen(start, set, tool))
    : needs;
  const names = [...new Set(checked.flatMap((need) => need.folders ?? []))];
  const folders = names.map((name) => {
    const folder = name === RUNS_FOLDER && kit.runs !== undefined ? kit.runs : `${kit.output}/${name}`;
    return planFolder(kit.root, folder, "documents", start);
  });
  const programs = [
    ...needs.flatMap(({ programs }) => programs ?? []),
    ...(commandNeeds(invocation.name, "verification") ? ["bash"] : []),
  ];
  return {
    rights: {
      write: needs.length === 0 ? [] : outermost(folders.flatMap(({ grant }) => grant ?? [])),
      run: settings.allowExec ? [...new Set(programs)] : [],
    },
    refused: refusedOf(folders),
  };
}

export interface NamedFolder {
  readonly key: string;
  readonly folder: string;
}

export function outermost(folders: readonly string[]): readonly string[] {
  const all = [...new Set(folders)];
  return all.filter((folder) => !all.some((other) => other !== folder && liesIn(folder, other)));
}

export function checkFolder(
  root: string,
  given: string,
  { look, os }: Pick<Start, "look" | "os">,
): PlannedPath {
  const path = resolvePath(given.replace(/^\{project-root\}\/?/, "./"), { base: root, home: undefined, os });
  if (/[{}~]/.test(given.replace(/^\{project-root\}/, ""))) return { reason: "has a placeholder" };
  if (!liesIn(path, root)) return { reason: "is outside the project" };
  if (path === root) return { reason: "is the whole project" };
  return resolveRight({ path, kind: "folder", within: { root, holds: "documents" } }, look);
}

const SECTION = /^\s*\[([^\]]{1,80})\]/;
const ENTRY = /^\s*([A-Za-z_]{1,40})\s*[:=]\s*(?:"([^"]*)"|'([^']*)'|([^\s#"'][^#]*))/;

export function* entriesIn(
  text: string,
  keys: readonly string[],
): Iterable<NamedFolder & { readonly section: string }> {
  let section = "";
  for (const line of splitLines(text)) {
    if (line.length > 1_000) continue;
    section = SECTION.exec(line)?.[1]?.trim() ?? section;
    const [, key = "", double, single, plain] = ENTRY.exec(line) ?? [];
    const folder = double ?? single ?? plain?.trim();
    if (keys.includes(key) && folder) yield { section, key, folder: folder.replace(/(?<!\/)\/+$/, "") };
  }
}
