/**
 * What a project remembers and what it is working on, in the files of the project-memory kit.
 *
 * Reads its context, the learnings of its agents, its failures, its sessions and runs; puts tasks into the queue of a
 * run, writes delivery contracts, and runs the completion contract where the user allowed that. Everything is inside the
 * project's folder. Nothing is kept between requests.
 */
import type { Clock, Work } from "../../base/work.ts";
import type { ProjectKit, ScriptVariables } from "../../settings/plan/mod.ts";
import { asText } from "../../content/parse.ts";
import { checkSection, readContext } from "./context.ts";
import { reportContext } from "./context_report.ts";
import { type ContractRequest, verifyContract } from "./contract.ts";
import { createContract } from "./delivery.ts";
import type { DeliveryRequest } from "./delivery_document.ts";
import { learningsOf, type LearningsRequest, type Ranker } from "./learnings.ts";
import { type MuseumRequest, visitMuseum } from "./museum.ts";
import { type Cleaner, openProject, type Project } from "./project.ts";
import { spawnTask, type TaskRequest } from "./queue.ts";
import type { Report } from "../../base/report.ts";
import { checkName } from "../../content/tree/mod.ts";
import { listSessions, runForTask, statusOf, type StatusRequest } from "./sessions.ts";

export type { ContractRequest } from "./contract.ts";
export type { Artefact, Choice, DeliveryRequest, Question } from "./delivery_document.ts";
export type { Learning, LearningsRequest, Ranker } from "./learnings.ts";
export type { MuseumRequest } from "./museum.ts";
export type { Cleaner } from "./project.ts";
export type { TaskRequest } from "./queue.ts";
export type { Report } from "../../base/report.ts";
export type { StatusRequest } from "./sessions.ts";

/** The memory and the runs of a project. */
export interface Runs {
  /** What the project is, whole or one section. */
  context(section?: string): Report;
  /** What an agent has learned. */
  learnings(request: LearningsRequest): Promise<Report>;
  /** What went wrong before. */
  failures(request: MuseumRequest): Report;
  /** The branches of work and their runs. */
  sessions(status?: string): Report;
  /** How one run is. */
  status(request: StatusRequest): Report;
  /** Puts a task into the queue of a run. */
  spawn(request: TaskRequest & { readonly runId?: string }): Promise<Report>;
  /** Writes a delivery contract. */
  deliver(request: DeliveryRequest): Report;
  /** Runs the completion contract. */
  verify(request: ContractRequest): Promise<Report>;
}

/** What the work on a project needs from outside. */
export interface RunsTools extends Clock, Work {
  /** Takes secrets out of what the project wrote. */
  readonly clean: Cleaner;
  /** A better way to find learnings than to compare words. */
  readonly rank?: Ranker;
  /** What a script is run with; undefined when running was not allowed. */
  readonly script: ScriptVariables | undefined;
  /** How long a script may take. */
  readonly limitMs: number;
}

/** What a project and its user are called, where the project's files say so. */
export function namesIn(
  kit: ProjectKit,
  clean: Cleaner,
): { readonly project: string | undefined; readonly user: string | undefined } {
  const { project, user } = readContext(openProject(kit, clean));
  return { project: asText(project["name"]), user: asText(user["name"]) };
}

/** Opens a project's memory and runs. Nothing is read yet. */
export function openRuns(kit: ProjectKit, tools: RunsTools): Runs {
  const project = openProject(kit, tools.clean);
  const { now, after, signal, progress, limitMs } = tools;
  return {
    context: (section) => {
      const wanted = checkSection(section);
      return reportContext(readContext(project), wanted);
    },
    learnings: (request) => learningsOf(project, request, tools.rank),
    failures: (request) => visitMuseum(project, request),
    sessions: (status) => listSessions(project, status),
    status: (request) => statusOf(project, request),
    spawn: (request) => spawn(project, request, now()),
    deliver: (request) => createContract(project, request, { now: now(), language: languageOf(project) }),
    verify: (request) =>
      verifyContract(project, request, { variables: tools.script, limitMs, now, after, signal, progress }),
  };
}

async function spawn(
  project: Project,
  request: TaskRequest & { readonly runId?: string },
  now: number,
): Promise<Report> {
  const { session } = readContext(project);
  const branch = asText(session["branch"]);
  const day = new Date(now).toISOString().slice(0, 10).replaceAll("-", "");
  const run = runForTask(project, request.runId, {
    branch: branch === undefined ? "main" : checkName("session_branch of project-context.yaml", branch),
    day,
  });
  const task = await spawnTask(project, run, request, now);
  const lines = [
    task.isNew
      ? `Queued ${task.id} for ${task.agent} in run ${run.runId} on ${run.branch}: ${task.path}`
      : `The same task is there already: ${task.id} for ${task.agent}, ${task.status}: ${task.path}`,
    ...(run.isKnown ? [] : [`No such run was there: the queue is its beginning.`]),
    ...(task.missing.length === 0 ? [] : [`Not there (yet): ${task.missing.join(", ")}`]),
    task.isNew
      ? "An orchestrator carries it out; nothing runs here. get_workflow_status shows its state."
      : "Nothing was written. Another output_key or run_id makes another task.",
  ];
  const { isNew, missing, ...facts } = task;
  return {
    text: lines.join("\n"),
    data: { ...facts, created: isNew, missing, run_id: run.runId, branch: run.branch },
  };
}

/** The language of the project's documents. */
function languageOf(project: Project): string | undefined {
  const { user } = readContext(project);
  return asText(user["document_language"]) ?? asText(user["language"]);
}
