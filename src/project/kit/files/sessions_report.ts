/** Sessions and runs in words: a list of all sessions, or one run in full with its queue. */
import { chooseFrom } from "../../../base/errors.ts";
import { SESSION_STATES } from "../../../base/model.ts";
import { counted, shorten } from "../../../base/text.ts";
import { asText, type Values } from "../../../content/parse.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { countTasks, type QueuedTask, readQueue } from "./queue.ts";
import { firstLines, joinLines, type Report } from "../../../base/report.ts";
import {
  findRuns,
  type Phase,
  progressOf,
  readSessions,
  type Run,
  type Session,
  stateLines,
  type StatusRequest,
} from "./sessions.ts";

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

const MAX_CHARACTERS = 1_000;
const MAX_RUNS = 20;

function sessionLines(project: ProjectFolder, session: Session): readonly string[] {
  const { branch, phase, facts, problem, runs } = session;
  const { created_at: created, purpose, status: _status, branch: _branch, ...others } = facts;
  const since = asText(created);
  const details = [phase, asText(purpose), since && `since ${since}`, ...pairsOf(others), problem];
  const lines = runs.map((run) => `  - ${runLine(project, run)}`);
  return [
    `- ${branch}: ${joinParts(details)}; runs: ${runs.length}`,
    ...firstLines(lines, MAX_RUNS, (count) => `  - and ${count} older`),
  ];
}

function pairsOf(facts: Values): readonly string[] {
  return Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key} ${shorten(asText(value) ?? JSON.stringify(value), MAX_CHARACTERS)}`);
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
  const [run, ...older] = findRuns(sessions, request);
  if (run === undefined) {
    const where = request.branch === undefined ? "" : ` on ${request.branch}`;
    return {
      text: `No runs${where} in ${project.runs[0]}`,
      data: { run: null, branches: sessions.map(({ branch }) => branch) },
    };
  }
  const tasks = readQueue(project, run.path);
  const earlier = older.filter(({ branch }) => branch === run.branch).slice(0, 5);
  const text = joinLines(
    `Run ${run.runId} on ${run.branch}: ${joinParts([statusWords(run), progressOf(run)])}`,
    run.status !== undefined && run.problem !== undefined && `Problem: ${run.problem}`,
    stateLines(run),
    `Folder: ${run.path}`,
    tasks.length > 0 && `Queue: ${countTasks(tasks)}`,
    tasks.map(taskLine),
    earlier.length > 0 && `Earlier: ${earlier.map(({ runId, phase }) => `${runId} (${phase})`).join(", ")}`,
  );
  return { text, data: { run: runFacts(project, run) } };
}

function taskLine(
  { id, status, agent, outputKey, task = "", result, error, problem, facts }: QueuedTask,
): string {
  const about = problem ?? `${agent} → ${outputKey}: ${shorten(task, MAX_CHARACTERS)}`;
  const outcome = [
    result && `result: ${shorten(result, MAX_CHARACTERS)}`,
    error && `error: ${shorten(error, MAX_CHARACTERS)}`,
  ];
  return `- ${id}: ${joinParts([status, about, ...outcome, ...pairsOf(facts)])}`;
}
