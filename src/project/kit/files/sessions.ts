/**
 * The runs of a project, and the branches of work, called sessions, that they belong to. A session is a folder of
 * `.runs` with or without a branch.json, a run a folder in it; in the older layout, a run lies in `.runs` itself and
 * its state names the branch. `archive` is ignored. A run with an unreadable state is shown with the problem.
 */
import { DEFAULT_BRANCH, RUNS_FOLDER } from "../../../settings/plan/mod.ts";
import { fail } from "../../../base/errors.ts";
import { textLines } from "../../../base/report.ts";
import { suggest } from "../../../base/suggestions.ts";
import { baseName, checkName, joinPath } from "../../../content/tree/mod.ts";
import { readContext } from "./context.ts";
import { findFile, type ProjectFolder } from "./project_folder.ts";
import { asText, asValues, isValues, parseJson, type Values } from "../../../base/values.ts";
import { timeInName, timeOf } from "./records.ts";

export type Session = ReturnType<typeof sessionOf>;

const ARCHIVE = "archive";

/** The branch of new runs and tasks: the one that is named, else the project's own, else the kit's. */
export function branchFor(project: ProjectFolder, given: string | undefined): string {
  if (given !== undefined) return checkName("branch", given);
  const { branch, runsDirectory } = readContext(project).session;
  const [parent, last] = asText(runsDirectory)?.split("/").filter(Boolean).slice(-2) ?? [];
  const own = asText(branch) ?? (parent === RUNS_FOLDER ? last : undefined);
  return own === undefined ? DEFAULT_BRANCH : checkName("session_branch in project-context.yaml", own);
}

export function readSessions(project: ProjectFolder): readonly Session[] {
  const { tree } = project;
  const sessions = new Map<string, { folder?: string; runs: Run[] }>();
  const sessionFor = (branch: string) => sessions.getOrInsertComputed(branch, () => ({ runs: [] }));
  for (const folder of project.runs) {
    for (const { name, path } of foldersIn(project, folder)) {
      if (name === ARCHIVE) continue;
      if (tree.hasFile(`${path}/state.json`)) {
        const run = readRun(project, path);
        sessionFor(run.branch).runs.push(run);
        continue;
      }
      const session = sessionFor(name);
      session.folder ??= path;
      for (const { path: inner } of foldersIn(project, path)) {
        const isRun = tree.hasFile(`${inner}/state.json`) || tree.list(`${inner}/queue`).length > 0;
        if (isRun) session.runs.push(readRun(project, inner, name));
      }
    }
  }
  return [...sessions].map(([branch, { folder, runs }]) => sessionOf(project, branch, folder, runs))
    .sort((a, b) => (b.runs[0]?.time ?? 0) - (a.runs[0]?.time ?? 0) || (a.branch < b.branch ? -1 : 1));
}

function foldersIn({ tree }: ProjectFolder, dir: string) {
  return tree.list(dir).filter(({ name, isDirectory }) => isDirectory && !name.startsWith("."))
    .map(({ name }) => ({ name, path: joinPath(dir, name) }));
}

function sessionOf(
  project: ProjectFolder,
  branch: string,
  folder: string | undefined,
  unsorted: readonly Run[],
) {
  const runs = unsorted.toSorted((a, b) => b.time - a.time || (a.runId < b.runId ? 1 : -1));
  const file = folder && joinPath(folder, "branch.json");
  const { values = {}, problem } = file && project.tree.hasFile(file) ? readJson(project, file) : {};
  const status = asText(values["status"]);
  // Without a status of its own, a session is active as long as one of its runs is.
  const derived: Phase = runs.some(({ phase }) => phase === "active") ? "active" : runs[0]?.phase ?? "active";
  return {
    branch,
    phase: status === undefined ? derived : phaseOf(status),
    facts: project.clean.values(values),
    problem,
    runs,
  };
}

export interface StatusRequest {
  readonly runId?: string;
  readonly branch?: string;
}

export function findRuns(sessions: readonly Session[], { runId, branch }: StatusRequest): readonly Run[] {
  const wantedBranch = branch === undefined ? undefined : checkName("branch", branch);
  const wantedRun = runId === undefined ? undefined : checkName("run", runId);
  const inBranch = sessions.filter((one) => wantedBranch === undefined || one.branch === wantedBranch);
  if (wantedBranch !== undefined && inBranch.length === 0) {
    missing("session branch", wantedBranch, sessions.map((session) => session.branch));
  }
  const runs = inBranch.flatMap((session) => session.runs).sort((a, b) => b.time - a.time);
  if (wantedRun === undefined) return runs;
  const matching = runs.filter((run) => run.runId === wantedRun);
  return matching.length > 0 ? matching : missing("run", wantedRun, runs.map((run) => run.runId));
}

function missing(what: string, name: string, known: readonly string[]): never {
  const suggestions = suggest(name.toLowerCase(), known);
  const hint = known.length === 0 ? "None exist yet" : `The latest are ${known.slice(0, 10).join(", ")}`;
  return fail({ code: "not-found", what, name, suggestions, hint });
}

export function runForTask(
  project: ProjectFolder,
  runId: string | undefined,
  { branch, day }: { readonly branch: string; readonly day: string },
): Pick<Run, "runId" | "branch" | "path"> & { readonly isKnown: boolean } {
  const wanted = runId === undefined ? undefined : checkName("run", runId);
  const runs = readSessions(project).flatMap((session) => session.runs);
  const own = runs.filter((run) => run.branch === branch);
  const known = wanted === undefined
    ? own.find(({ status }) => status === "running")
    : [...own, ...runs].find((run) => run.runId === wanted);
  if (known !== undefined) return { ...known, isKnown: true };
  // Without any run, the tasks of a day belong together.
  const id = wanted ?? `subagents-${day}`;
  return { runId: id, branch, path: joinPath(project.runs[0], branch, id), isKnown: false };
}

export type Phase = "active" | "completed" | "failed";

export type Run = ReturnType<typeof readRun>;

const COMPLETED = ["completed", "complete", "done", "merged", "archived", "closed"];
const FAILED = ["failed", "error", "aborted", "abandoned", "rejected"];

function phaseOf(status = ""): Phase {
  const word = status.toLowerCase();
  return COMPLETED.includes(word) ? "completed" : FAILED.includes(word) ? "failed" : "active";
}

export function readRun(project: ProjectFolder, path: string, branch?: string) {
  const { values: raw, problem, modified } = readJson(project, `${path}/state.json`);
  const values = project.clean.values(raw);
  const status = asText(values["status"]);
  const runId = baseName(path);
  return {
    runId,
    branch: branch ?? asText(values["session_branch"]) ?? "main",
    path,
    phase: phaseOf(status),
    status,
    time: timeOf(values["last_checkpoint"]) ?? timeOf(values["started_at"]) ?? timeInName(runId) ??
      modified ?? 0,
    state: values,
    problem,
  };
}

export function readJson(
  project: ProjectFolder,
  path: string,
): { readonly values: Values; readonly problem?: string; readonly modified?: number } {
  const file = findFile(project, [path]);
  if (file === undefined) return { values: {}, problem: `${baseName(path)} is missing` };
  const { modified } = project.tree.stat(path) ?? {};
  const values = parseJson(file.text);
  if (isValues(values)) return { values, modified };
  const problem = file.problem === undefined ? " is not a JSON object" : `: ${file.problem}`;
  return { values: {}, problem: `${baseName(path)}${problem}`, modified };
}

export function progressOf({ state }: Run): string | undefined {
  const current = asText(state["current_step"]), total = asText(state["total_steps"]);
  return current && `step ${current}${total === undefined ? "" : ` of ${total}`}`;
}

const SHOWN = new Set(
  ("run_id session_branch status current_step total_steps workflow_path workflow steps_completed resume_from_step " +
    "started_at last_checkpoint checkpoint_id session_variables variables artefacts_produced outputs issues agent_notes")
    .split(" "),
);

export function stateLines({ state }: Run): readonly string[] {
  const line = (label: string, value: string) => value !== "" && `${label}: ${value}`;
  const list = (label: string, items: readonly string[]) => {
    const told = items.filter((item) => item !== "");
    return told.length > 0 && [`${label}:`, ...told.map((item) => `- ${item}`)];
  };
  const workflows = [textOf(state["workflow"]), textOf(state["workflow_path"])].filter(Boolean);
  const [last, checkpoint] = [textOf(state["last_checkpoint"]), textOf(state["checkpoint_id"])];
  return textLines(
    line("Workflow", [...new Set(workflows)].join(", ")),
    line("Steps done", itemsIn(state["steps_completed"]).map(textOf).join(", ")),
    line("Resume from step", textOf(state["resume_from_step"])),
    line("Started", textOf(state["started_at"])),
    line("Last checkpoint", last && checkpoint ? `${last} (${checkpoint})` : last || checkpoint),
    line("Variables", [...pairsIn(state["session_variables"]), ...pairsIn(state["variables"])].join("; ")),
    list(
      "Artefacts",
      [...itemsIn(state["artefacts_produced"]), ...itemsIn(state["outputs"])].map(artefactLine),
    ),
    list("Issues", itemsIn(state["issues"]).map(textOf)),
    line("Notes", textOf(state["agent_notes"])),
    ...Object.entries(state).filter(([key]) => !SHOWN.has(key)).map(([key, value]) =>
      line(key, textOf(value))
    ),
  );
}

function textOf(value: unknown): string {
  return asText(value) ??
    (value === undefined || value === null || value === "" ? "" : JSON.stringify(value));
}

function pairsIn(value: unknown): readonly string[] {
  if (isValues(value)) return Object.entries(value).map(([key, inner]) => `${key}=${textOf(inner)}`);
  return itemsIn(value).map(textOf);
}

/** The items of a list; of a map, each as `name: value`; any other value is one item. */
function itemsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (isValues(value)) return Object.entries(value).map(([key, inner]) => `${key}: ${textOf(inner)}`);
  return textOf(value) === "" ? [] : [value];
}

function artefactLine(artefact: unknown): string {
  const { step, name, path, ...others } = asValues(artefact);
  const known = [textOf(step) && `step ${textOf(step)}`, textOf(name), textOf(path), ...pairsIn(others)];
  return known.filter((part) => part !== "").join(", ") || textOf(artefact);
}
