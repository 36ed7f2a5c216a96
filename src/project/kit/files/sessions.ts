/**
 * A session is a folder of `.runs`, named like its branch, with or without a branch.json, and a run a folder in it. In
 * the older layout, a run lies in `.runs` itself and its state names the branch.
 */
import { chooseFrom, failMissing } from "../../../base/errors.ts";
import { SESSION_STATES } from "../../../base/model.ts";
import { firstLines, joinLines, type Report, textLines } from "../../../base/report.ts";
import { suggest } from "../../../base/suggestions.ts";
import { counted, shorten } from "../../../base/text.ts";
import {
  asText,
  asTexts,
  asValues,
  countEach,
  isValues,
  parseJson,
  pickFields,
  type Values,
} from "../../../base/values.ts";
import { baseName, checkName, joinPath } from "../../../content/tree/mod.ts";
import { DEFAULT_BRANCH, RUNS_FOLDER } from "../../../settings/plan/mod.ts";
import { LIMITS } from "../../limits.ts";
import { readContext } from "./context.ts";
import { findFile, type ProjectFolder } from "./project_folder.ts";
import { timeInName, timeOf } from "./records.ts";

type Session = ReturnType<typeof sessionOf>;

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
      if (name === "archive") continue;
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
  return failMissing(what, name, { suggestions, hint });
}

export function runForTask(project: ProjectFolder, runId: string | undefined, day: string) {
  const branch = branchFor(project, undefined);
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

type Phase = "active" | "completed" | "failed";

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

function readJson(
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

function progressOf({ state }: Run): string | undefined {
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
  return asText(value) ?? ((value ?? "") === "" ? "" : JSON.stringify(value));
}

function pairsIn(value: unknown): readonly string[] {
  if (isValues(value)) return Object.entries(value).map(([key, inner]) => `${key}=${textOf(inner)}`);
  return itemsIn(value).map(textOf);
}

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

const TASK_STATES = ["pending", "claimed", "done", "failed"];

type QueuedTask = ReturnType<typeof readTask>;

function readQueue(project: ProjectFolder, runPath: string): readonly QueuedTask[] {
  const folder = joinPath(runPath, "queue");
  const ids = taskIds(project, folder).slice(0, 2 * LIMITS.runs.tasks);
  const tasks = ids.map((id) => readTask(project, folder, id));
  return tasks.sort((a, b) => (timeOf(a.createdAt) ?? 0) - (timeOf(b.createdAt) ?? 0));
}

export function taskIds({ tree }: ProjectFolder, folder: string): readonly string[] {
  const files = tree.list(folder).filter(({ name, isDirectory }) =>
    !isDirectory && name.endsWith(".json") && !name.startsWith(".")
  );
  return files.map(({ name }) => name.slice(0, -".json".length));
}

const KEYS = new Set(
  ("format id idempotency_key run_id session_branch agent task output_key context_files status created_at result error")
    .split(" "),
);

export function readTask(project: ProjectFolder, folder: string, id: string) {
  const { values, problem } = readJson(project, joinPath(folder, `${id}.json`));
  const textIn = (key: string) =>
    textOf(values[key]) === "" ? undefined : project.clean.text(textOf(values[key]));
  return {
    id,
    status: asText(values["status"]) ?? (problem === undefined ? "pending" : "unreadable"),
    agent: asText(values["agent"]),
    outputKey: asText(values["output_key"]),
    task: textIn("task"),
    contextFiles: asTexts(values["context_files"]),
    createdAt: asText(values["created_at"]),
    result: textIn("result"),
    error: textIn("error"),
    facts: project.clean.values(pickFields(values, (key) => !KEYS.has(key))),
    ...(problem && { problem }),
  };
}

function countTasks(tasks: readonly QueuedTask[]): string | undefined {
  const byState = countEach(tasks.map(({ status }) => status));
  const states = [...new Set([...TASK_STATES, ...byState.keys()])].filter((state) => byState.has(state));
  return states.length === 0 ? undefined : states.map((state) => `${byState.get(state)} ${state}`).join(", ");
}

export function reportSessions(project: ProjectFolder, status = "all"): Report {
  const state = chooseFrom(SESSION_STATES, "status", status);
  const isAll = state === "all";
  const fits = ({ phase }: { readonly phase: Phase }) => isAll || phase === state;
  const sessions = readSessions(project)
    .map((session) => ({ ...session, runs: session.runs.filter(fits), all: session.runs.length }))
    .filter((session) => fits(session) || session.runs.length > 0);
  const filter = isAll ? "" : `, ${state} or with ${state} runs`;
  const head = sessions.length === 0
    ? `No ${isAll ? "sessions" : `${state} sessions or runs`} in ${project.runs[0]}`
    : `${counted(sessions.length, "session")}${filter}, latest first`;
  return {
    text: joinLines(head, project.runsProblem, sessions.flatMap((session) => sessionLines(project, session))),
    // Lazy, because reading the queues of all runs takes time and most callers want the text.
    get data() {
      const rows = sessions.map(({ branch, phase, facts, problem, runs, all }) => ({
        branch,
        status: phase,
        problem,
        details: facts,
        totalRuns: all,
        runs: runs.map((run) => runFacts(project, run)),
      }));
      return { status: state, total: rows.length, sessions: rows };
    },
  };
}

function sessionLines(project: ProjectFolder, session: Session): readonly string[] {
  const { branch, phase, facts, problem, runs } = session;
  const { created_at: created, purpose, status: _status, branch: _branch, ...others } = facts;
  const since = asText(created);
  const details = [phase, asText(purpose), since && `since ${since}`, ...pairsOf(others), problem];
  const lines = runs.map((run) => `  - ${runLine(project, run)}`);
  return [
    `- ${branch}: ${joinParts(details)}; runs: ${runs.length}`,
    ...firstLines(lines, LIMITS.runs.shown, (count) => `  - and ${count} older`),
  ];
}

function pairsOf(facts: Values): readonly string[] {
  return Object.entries(facts).filter(([, value]) => (value ?? null) !== null)
    .map(([key, value]) =>
      `${key} ${shorten(asText(value) ?? JSON.stringify(value), LIMITS.runs.shownChars)}`
    );
}

function runLine(project: ProjectFolder, run: Run): string {
  const queue = countTasks(readQueue(project, run.path));
  const problem = run.status === undefined ? undefined : run.problem;
  const parts = [statusWords(run), progressOf(run), queue && `queue: ${queue}`, problem];
  return `${run.runId}: ${joinParts(parts)}`;
}

function joinParts(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join("; ");
}

function statusWords({ status, phase, problem }: Run): string {
  return status === undefined ? `${phase} (${problem})` : status === phase ? status : `${status} (${phase})`;
}

function runFacts(project: ProjectFolder, run: Run): Readonly<Record<string, unknown>> {
  const { runId, branch, path, phase, status, problem, state } = run;
  return { runId, branch, path, phase, status, problem, state, queue: readQueue(project, path) };
}

export function reportRun(project: ProjectFolder, request: StatusRequest): Report {
  const sessions = readSessions(project);
  // Of what fits, the session's own branch is meant, however far others have come since.
  const own = branchFor(project, undefined);
  const [run, ...older] = findRuns(sessions, request)
    .toSorted((a, b) => Number(b.branch === own) - Number(a.branch === own));
  if (run === undefined) {
    const where = request.branch === undefined ? "" : ` on ${request.branch}`;
    return {
      text: `No runs${where} in ${project.runs[0]}`,
      data: { run: null, branches: sessions.map(({ branch }) => branch) },
    };
  }
  const tasks = readQueue(project, run.path);
  const earlier = older.filter(({ branch }) => branch === run.branch).slice(0, 5);
  const newer = older.filter(({ branch, time }) => branch !== run.branch && time > run.time);
  const text = joinLines(
    `Run ${run.runId} on ${run.branch}: ${joinParts([statusWords(run), progressOf(run)])}`,
    run.status !== undefined && run.problem !== undefined && `Problem: ${run.problem}`,
    stateLines(run),
    `Folder: ${run.path}`,
    tasks.length > 0 && `Queue: ${countTasks(tasks)}`,
    tasks.map(taskLine),
    newer.length > 0 &&
      `Newer: ${
        newer.slice(0, 5).map(({ runId, branch, phase }) => `${runId} on ${branch} (${phase})`).join(", ")
      }`,
    earlier.length > 0 && `Earlier: ${earlier.map(({ runId, phase }) => `${runId} (${phase})`).join(", ")}`,
  );
  return { text, data: { run: runFacts(project, run) } };
}

function taskLine({ id, status, agent, outputKey, task = "", result, error, problem, facts }: QueuedTask) {
  const about = problem ?? `${agent} → ${outputKey}: ${shorten(task, LIMITS.runs.shownChars)}`;
  const outcome = [
    result && `result: ${shorten(result, LIMITS.runs.shownChars)}`,
    error && `error: ${shorten(error, LIMITS.runs.shownChars)}`,
  ];
  return `- ${id}: ${joinParts([status, about, ...outcome, ...pairsOf(facts)])}`;
}
