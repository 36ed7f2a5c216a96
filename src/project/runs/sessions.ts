/**
 * The runs of a project and the branches of work that they belong to.
 *
 * A session is a folder of `.runs`, with or without a branch.json; a run is a folder in it. In the older form a run lies
 * in `.runs` itself and names its branch. What was moved to `archive` is no session any more.
 */
import { RUNS_FOLDER } from "../../settings/plan/mod.ts";
import { fail } from "../../base/errors.ts";
import { SESSION_STATES } from "../../base/model.ts";
import { suggest } from "../../base/suggestions.ts";
import { asText, type Values } from "../../content/parse.ts";
import { checkName, joinPath } from "../../content/tree/mod.ts";
import type { Project } from "./project.ts";
import { countTasks, type QueuedTask, readQueue } from "./queue.ts";
import type { Report } from "../../base/report.ts";
import { type Phase, phaseOf, progressOf, readJson, readRun, type Run, stateLines } from "./state.ts";

/** A branch of work. */
interface Session {
  readonly branch: string;
  readonly phase: Phase;
  /** From branch.json, without secrets; empty when there is none. */
  readonly facts: Values;
  readonly problem?: string;
  /** The latest first. */
  readonly runs: readonly Run[];
}

const ARCHIVE = "archive";

/** Every session of a project, the one that was last worked on first. */
function readSessions(project: Project): readonly Session[] {
  const { tree } = project;
  const sessions = new Map<string, { folder?: string; runs: Run[] }>();
  const add = (branch: string, run?: Run, folder?: string) => {
    const session = sessions.get(branch) ?? { runs: [] };
    session.folder ??= folder;
    if (run !== undefined) session.runs.push(run);
    sessions.set(branch, session);
  };
  for (const output of project.outputs) {
    for (const { name, path } of foldersIn(project, joinPath(output, RUNS_FOLDER))) {
      if (name === ARCHIVE) continue;
      if (tree.hasFile(`${path}/state.json`)) {
        const run = readRun(project, path);
        add(run.branch, run);
        continue;
      }
      add(name, undefined, path);
      for (const inner of foldersIn(project, path)) {
        const isRun = tree.hasFile(`${inner.path}/state.json`) || tree.list(`${inner.path}/queue`).length > 0;
        if (isRun) add(name, readRun(project, inner.path, name), path);
      }
    }
  }
  return [...sessions].map(([branch, { folder, runs }]) => sessionOf(project, branch, folder, runs))
    .sort((a, b) => (b.runs[0]?.time ?? 0) - (a.runs[0]?.time ?? 0) || (a.branch < b.branch ? -1 : 1));
}

function foldersIn(
  { tree }: Project,
  dir: string,
): readonly { readonly name: string; readonly path: string }[] {
  return tree.list(dir).filter(({ name, isDirectory }) => isDirectory && !name.startsWith("."))
    .map(({ name }) => ({ name, path: joinPath(dir, name) }));
}

function sessionOf(
  project: Project,
  branch: string,
  folder: string | undefined,
  found: readonly Run[],
): Session {
  const runs = found.toSorted((a, b) => b.time - a.time || (a.runId < b.runId ? 1 : -1));
  const file = folder && joinPath(folder, "branch.json");
  const { values, problem } = file && project.tree.hasFile(file)
    ? readJson(project, file)
    : { values: {}, problem: undefined };
  const status = asText(values["status"]);
  // Without a word of its own, a session is what its runs are.
  const derived = runs.some(({ phase }) => phase === "active") ? "active" : runs[0]?.phase ?? "active";
  return {
    branch,
    phase: status === undefined ? derived : phaseOf(status),
    facts: project.clean.values(values),
    ...(problem === undefined ? {} : { problem }),
    runs,
  };
}

/** The sessions that are, or have runs that are, in a state; of their runs those that are in it. */
export function listSessions(project: Project, wanted = "all"): Report {
  const state = SESSION_STATES.find((one) => one === wanted.toLowerCase());
  if (state === undefined) {
    const problem = `${JSON.stringify(wanted.slice(0, 60).toWellFormed())} is no status`;
    return fail({
      code: "invalid-input",
      field: "status",
      problem,
      hint: `Use ${SESSION_STATES.join(", ")}`,
    });
  }
  const fits = ({ phase }: { readonly phase: Phase }) => state === "all" || phase === state;
  const sessions = readSessions(project)
    .map((session) => ({ ...session, runs: session.runs.filter(fits), all: session.runs.length }))
    .filter((session) => fits(session) || session.runs.length > 0);
  const head = sessions.length === 0
    ? `No sessions${state === "all" ? "" : ` that are ${state}`} in ${
      joinPath(project.outputs[0], RUNS_FOLDER)
    }.`
    : `${sessions.length} ${sessions.length === 1 ? "session" : "sessions"}${
      state === "all" ? "" : ` with what is ${state}`
    }, the latest first`;
  return {
    text: [head, ...sessions.flatMap((session) => sessionLines(project, session))].join("\n"),
    // To read the queues of all runs takes its time, and most want the text.
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

/** More runs of one session are only counted. */
const SHOWN_RUNS = 20;

function sessionLines(project: Project, { branch, phase, facts, problem, runs }: Session): readonly string[] {
  const details = [
    phase,
    asText(facts["purpose"]),
    asText(facts["created_at"])?.replace(/^/, "since "),
    problem,
  ];
  return [
    `- ${branch}: ${details.filter((part) => part !== undefined).join("; ")}; runs: ${runs.length}`,
    ...runs.slice(0, SHOWN_RUNS).map((run) => `  - ${runLine(project, run)}`),
    ...(runs.length > SHOWN_RUNS ? [`  - and ${runs.length - SHOWN_RUNS} older`] : []),
  ];
}

function runLine(project: Project, run: Run): string {
  const queue = countTasks(readQueue(project, run.path));
  const parts = [
    statusWords(run),
    progressOf(run),
    queue && `queue: ${queue}`,
    run.status === undefined ? undefined : run.problem,
  ];
  return `${run.runId}: ${parts.filter((part) => part !== undefined).join("; ")}`;
}

/** The kit's word, and what it comes to where that is another one. */
function statusWords({ status, phase, problem }: Run): string {
  return status === undefined ? `${phase} (${problem})` : status === phase ? status : `${status} (${phase})`;
}

function runFacts(project: Project, run: Run): Readonly<Record<string, unknown>> {
  const { runId, branch, path, phase, status, problem, state } = run;
  return { runId, branch, path, phase, status, problem, state, queue: readQueue(project, path) };
}

/** Which run is asked about. */
export interface StatusRequest {
  /** The latest when it is missing. */
  readonly runId?: string;
  /** Any when it is missing. */
  readonly branch?: string;
}

/** How a run is: the one that is named, else the latest, of one branch or of all. */
export function statusOf(project: Project, request: StatusRequest): Report {
  const sessions = readSessions(project);
  const runs = runsOf(sessions, request);
  const run = runs[0];
  if (run === undefined) {
    const where = request.branch === undefined ? "" : ` on ${request.branch}`;
    const text = `No runs${where} in ${joinPath(project.outputs[0], RUNS_FOLDER)}.`;
    return { text, data: { run: null, branches: sessions.map(({ branch }) => branch) } };
  }
  const tasks = readQueue(project, run.path);
  const others = runs.slice(1).filter((other) => other.branch === run.branch).slice(0, 5);
  const lines = [
    `Run ${run.runId} on ${run.branch}: ${[statusWords(run), progressOf(run)].filter(Boolean).join("; ")}`,
    ...(run.problem === undefined || run.status === undefined ? [] : [`Problem: ${run.problem}`]),
    ...stateLines(run),
    `Folder: ${run.path}`,
    ...(tasks.length === 0 ? [] : [`Queue: ${countTasks(tasks)}`]),
    ...tasks.map(taskLine),
    ...(others.length === 0
      ? []
      : [`Earlier: ${others.map((one) => `${one.runId} (${one.phase})`).join(", ")}`]),
  ];
  return { text: lines.join("\n"), data: { run: runFacts(project, run) } };
}

function taskLine({ id, status, agent, outputKey, task, error, problem }: QueuedTask): string {
  const about = problem ?? `${agent} → ${outputKey}: ${firstLine(task)}`;
  return `- ${id}: ${status}; ${about}${error === undefined ? "" : `; ${firstLine(error)}`}`;
}

function firstLine(text = ""): string {
  const [line = ""] = text.split("\n");
  return line.length > 120 ? `${line.slice(0, 119).toWellFormed()}…` : line;
}

/** The runs that are asked about, the latest first. A branch or a run that there is not is a failure. */
function runsOf(sessions: readonly Session[], { runId, branch }: StatusRequest): readonly Run[] {
  const wantedBranch = branch === undefined ? undefined : checkName("branch", branch);
  const wantedRun = runId === undefined ? undefined : checkName("run_id", runId);
  const inBranch = sessions.filter((session) =>
    wantedBranch === undefined || session.branch === wantedBranch
  );
  if (wantedBranch !== undefined && inBranch.length === 0) {
    missing("session branch", wantedBranch, sessions.map((session) => session.branch));
  }
  const runs = inBranch.flatMap((session) => session.runs).sort((a, b) => b.time - a.time);
  if (wantedRun === undefined) return runs;
  const found = runs.filter((run) => run.runId === wantedRun);
  return found.length > 0 ? found : missing("run", wantedRun, runs.map((run) => run.runId));
}

function missing(what: string, name: string, known: readonly string[]): never {
  const near = suggest(
    name.toLowerCase(),
    known.map((label) => ({ label, spellings: [label.toLowerCase()] })),
  );
  const hint = known.length === 0 ? "There are none yet" : `The latest are ${known.slice(0, 10).join(", ")}`;
  return fail({ code: "not-found", what, name, suggestions: near, hint });
}

/** The run that a task goes to: the one that is named, also when it is not there yet, else the latest that is active. */
export function runForTask(
  project: Project,
  runId: string | undefined,
  { branch, day }: { readonly branch: string; readonly day: string },
): { readonly runId: string; readonly branch: string; readonly path: string; readonly isKnown: boolean } {
  const wanted = runId === undefined ? undefined : checkName("run_id", runId);
  const runs = readSessions(project).flatMap((session) => session.runs);
  const own = [
    ...runs.filter((run) => run.branch === branch),
    ...runs.filter((run) => run.branch !== branch),
  ];
  const found = wanted === undefined
    ? runs.find((run) => run.branch === branch && run.status === "running")
    : own.find((run) => run.runId === wanted);
  if (found !== undefined) {
    return { runId: found.runId, branch: found.branch, path: found.path, isKnown: true };
  }
  // Without any run, the tasks of a day belong together.
  const id = wanted ?? `subagents-${day}`;
  return { runId: id, branch, path: joinPath(project.outputs[0], RUNS_FOLDER, branch, id), isKnown: false };
}
