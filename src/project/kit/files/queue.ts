/**
 * The queue of a run: one file for each task that a sub-agent should do.
 *
 * `.runs/{branch}/{run_id}/queue/{id}.json` is written whole or not at all, and only once: the id is derived from the
 * run, the agent, the task and its output key, so asking twice creates one task. Orchestrators claim tasks and write
 * their state, as docs/memory.md describes; answer.ts does the same for callers without one.
 */
import { fail } from "../../../base/errors.ts";
import { asText, asTexts, isValues } from "../../../content/parse.ts";
import { checkName, insidePath, joinPath } from "../../../content/tree/mod.ts";
import { timeOf } from "./dates.ts";
import type { ProjectFolder } from "./project_folder.ts";
import type { Report } from "../../../base/report.ts";
import { branchFor, runForTask } from "./sessions.ts";
import { readJson } from "./state.ts";
import type { ChangeTools } from "./update.ts";
import { writeNew } from "../../files/mod.ts";

/** The states of a task, in their order. */
const TASK_STATES = ["pending", "claimed", "done", "failed"];

export type QueuedTask = ReturnType<typeof readTask>;

/** A task to queue. */
export interface TaskRequest {
  readonly agent: string;
  /** The agent's whole instructions. */
  readonly task: string;
  /** The name for its result. */
  readonly outputKey: string;
  /** Paths and patterns inside the project. */
  readonly contextFiles: readonly string[];
  /** The run that it belongs to; if missing, the one that is running. */
  readonly runId?: string;
}

/** For one run. */
const MAX_TASKS = 500;
/** For one task. */
const MAX_FILES = 50;
export const MAX_CHARACTERS = 20_000;

/** The tasks of a run, oldest first. */
export function readQueue(project: ProjectFolder, runPath: string): readonly QueuedTask[] {
  const folder = joinPath(runPath, "queue");
  const ids = taskIds(project, folder).slice(0, 2 * MAX_TASKS);
  const tasks = ids.map((id) => readTask(project, folder, id));
  return tasks.sort((a, b) => (timeOf(a.createdAt) ?? 0) - (timeOf(b.createdAt) ?? 0));
}

export function taskIds({ tree }: ProjectFolder, folder: string): readonly string[] {
  const files = tree.list(folder).filter(({ name, isDirectory }) =>
    !isDirectory && name.endsWith(".json") && !name.startsWith(".")
  );
  return files.map(({ name }) => name.slice(0, -".json".length));
}

/** What every task has, or shows under its own name. */
const KEYS = new Set(
  ("format id idempotency_key run_id session_branch agent task output_key context_files status created_at result error")
    .split(" "),
);

export function readTask(project: ProjectFolder, folder: string, id: string) {
  const { values, problem } = readJson(project, joinPath(folder, `${id}.json`));
  const textOf = (key: string) => {
    const value = values[key];
    const text = asText(value) ??
      (isValues(value) || Array.isArray(value) ? JSON.stringify(value) : undefined);
    return text && project.clean.text(text);
  };
  return {
    id,
    status: asText(values["status"]) ?? (problem === undefined ? "pending" : "unreadable"),
    agent: asText(values["agent"]),
    outputKey: asText(values["output_key"]),
    task: textOf("task"),
    contextFiles: asTexts(values["context_files"]),
    createdAt: asText(values["created_at"]),
    /** As the orchestrator wrote it. */
    result: textOf("result"),
    error: textOf("error"),
    /** Whatever else is in the file. */
    facts: project.clean.values(Object.fromEntries(Object.entries(values).filter(([key]) => !KEYS.has(key)))),
    /** Why its file cannot be read. */
    ...(problem === undefined ? {} : { problem }),
  };
}

/** How many tasks are in each state: `2 pending, 1 done`; undefined without tasks. */
export function countTasks(tasks: readonly QueuedTask[]): string | undefined {
  const byState = Map.groupBy(tasks, ({ status }) => status);
  const states = new Set([...TASK_STATES, ...byState.keys()]);
  const counts = [...states].filter((state) => byState.has(state)).map((state) =>
    `${byState.get(state)!.length} ${state}`
  );
  return counts.length === 0 ? undefined : counts.join(", ");
}

/** Queues a task for a sub-agent: chooses the run, writes the task once, and reports what was done. */
export async function spawn(
  project: ProjectFolder,
  request: TaskRequest,
  { now, changing }: Pick<ChangeTools, "now" | "changing">,
): Promise<Report> {
  const time = new Date(now).toISOString();
  const { runId, branch, path: runPath, isKnown } = runForTask(project, request.runId, {
    branch: branchFor(project, undefined),
    day: time.slice(0, 10).replaceAll("-", ""),
  });
  const agent = checkName("agent", request.agent);
  const outputKey = checkName("output key", request.outputKey);
  const task = checkTask(request.task);
  const contextFiles = checkFiles(project, request.contextFiles);
  const key = await digest([branch, runId, agent, outputKey, task]);
  const id = `task-${key.slice(0, 16)}`;
  const folder = joinPath(runPath, "queue"), path = joinPath(folder, `${id}.json`);
  const known = taskIds(project, folder);
  if (known.length >= MAX_TASKS && !known.includes(id)) {
    fail({
      code: "invalid-input",
      problem: `The queue of run ${runId} is full (${known.length} tasks)`,
      hint: "Delete tasks that are done, or use another run",
    });
  }
  const file = {
    format: "bmad-mcp.task/1",
    id,
    idempotency_key: key,
    run_id: runId,
    session_branch: branch,
    agent,
    task,
    output_key: outputKey,
    context_files: contextFiles,
    status: "pending",
    created_at: time,
  };
  if (!known.includes(id)) changing?.();
  const isNew = writeNew(project.root, path, `${JSON.stringify(file, null, 2)}\n`, now);
  const missing = contextFiles.filter((one) => !/[*?[{]/.test(one) && !project.tree.hasFile(one));
  const queued = readTask(project, folder, id);
  const lines = [
    isNew
      ? `Queued ${id} for ${queued.agent} in run ${runId} on ${branch}: ${path}`
      : `The same task already exists: ${id} for ${queued.agent}, ${queued.status}: ${path}`,
    ...(isKnown ? [] : ["The run did not exist: this queue starts it."]),
    ...(missing.length === 0 ? [] : [`Context files not found: ${missing.join(", ")}`]),
    isNew
      ? "An orchestrator does the task; nothing runs here. The status of the run shows its state."
      : "Nothing was written. Use another output key or run to queue it again.",
  ];
  const data = { ...queued, path, created: isNew, missing, run_id: runId, branch };
  return { text: lines.join("\n"), data };
}

function checkTask(given: string): string {
  const task = given.trim();
  const refuse = (problem: string, hint: string) =>
    fail({ code: "invalid-input", field: "task", problem, hint });
  if (task === "") refuse("it is empty", "Say what the agent should do");
  const problem = `it has ${task.length} characters, expected at most ${MAX_CHARACTERS}`;
  return task.length <= MAX_CHARACTERS ? task : refuse(problem, "Put the long part into a context file");
}

function checkFiles({ root }: ProjectFolder, given: readonly string[]): readonly string[] {
  if (given.length > MAX_FILES) {
    fail({ code: "invalid-input", field: "context files", problem: `expected at most ${MAX_FILES}` });
  }
  return [...new Set(given.map((file) => insidePath("context file", file, root)))];
}

async function digest(parts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
