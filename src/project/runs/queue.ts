/**
 * The queue of a run: a file for each task that a sub-agent shall do.
 *
 * `.runs/{branch}/{run_id}/queue/{id}.json` is written whole or not at all, and once: the id is made from the run, the
 * agent, the task and the key of its output, so asking twice for one thing makes one task. Whoever carries tasks out
 * claims them and writes their state; docs/memory.md says how. Here they are made and counted.
 */
import { fail } from "../../base/errors.ts";
import { asText, asTexts, isValues } from "../../content/parse.ts";
import { checkName, insidePath, joinPath } from "../../content/tree/mod.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { readJson, timeOf } from "./state.ts";
import { writeNew } from "./write.ts";

/** The states of a task, in their order. */
export const TASK_STATES = ["pending", "claimed", "done", "failed"] as const;

/** A task as it stands in the queue. */
export interface QueuedTask {
  readonly id: string;
  readonly agent?: string;
  readonly status: string;
  readonly outputKey?: string;
  readonly task?: string;
  readonly contextFiles: readonly string[];
  readonly createdAt?: string;
  /** What whoever carried it out says that came of it. */
  readonly result?: string;
  /** Why it failed. */
  readonly error?: string;
  /** What is wrong with its file. */
  readonly problem?: string;
}

/** A task that is wanted. */
export interface TaskRequest {
  /** Who shall do it. */
  readonly agent: string;
  /** All that the agent is told. */
  readonly task: string;
  /** Under which name the result is wanted. */
  readonly outputKey: string;
  /** Paths and patterns inside the project. */
  readonly contextFiles: readonly string[];
}

/** Where a task goes. */
export interface TaskRun {
  readonly runId: string;
  readonly branch: string;
  /** The run's folder, inside the project. */
  readonly path: string;
}

/** What became of a wish for a task. */
export interface Spawned extends QueuedTask {
  /** Its file, inside the project. */
  readonly path: string;
  /** False when the same task was there before. */
  readonly isNew: boolean;
  /** Files of its context that are not there. */
  readonly missing: readonly string[];
}

/** The most tasks of one run. */
const MOST_TASKS = 500;
const MOST_FILES = 50;
const MOST_LETTERS = 20_000;

/** The tasks of a run, in the order of their making. */
export function readQueue(project: ProjectFolder, runPath: string): readonly QueuedTask[] {
  const folder = joinPath(runPath, "queue");
  const ids = taskIds(project, folder).slice(0, 2 * MOST_TASKS);
  const tasks = ids.map((id) => readTask(project, folder, id));
  return tasks.sort((a, b) => (timeOf(a.createdAt) ?? 0) - (timeOf(b.createdAt) ?? 0));
}

function taskIds({ tree }: ProjectFolder, folder: string): readonly string[] {
  const files = tree.list(folder).filter(({ name, isDirectory }) =>
    !isDirectory && name.endsWith(".json") && !name.startsWith(".")
  );
  return files.map(({ name }) => name.slice(0, -".json".length));
}

function readTask(project: ProjectFolder, folder: string, id: string): QueuedTask {
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
    result: textOf("result"),
    error: textOf("error"),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** How many tasks are in which state, in words: `2 pending, 1 done`; undefined when there are none. */
export function countTasks(tasks: readonly QueuedTask[]): string | undefined {
  const states = [...new Set([...TASK_STATES, ...tasks.map(({ status }) => status)])];
  const counts = states.map((state) =>
    [tasks.filter(({ status }) => status === state).length, state] as const
  );
  const words = counts.filter(([count]) => count > 0).map(([count, state]) => `${count} ${state}`);
  return words.length === 0 ? undefined : words.join(", ");
}

/** Puts a task into the queue of a run, unless it is there already. */
export async function spawnTask(
  project: ProjectFolder,
  run: TaskRun,
  request: TaskRequest,
  now: number,
): Promise<Spawned> {
  const agent = checkName("agent", request.agent);
  const outputKey = checkName("output_key", request.outputKey);
  const task = request.task.trim();
  if (task === "") fail({ code: "invalid-input", field: "task", problem: "say what the agent shall do" });
  if (task.length > MOST_LETTERS) {
    const problem = `it has ${task.length} characters, more than the ${MOST_LETTERS} that a task may have`;
    fail({
      code: "invalid-input",
      field: "task",
      problem,
      hint: "Put the long part into a file of context_files",
    });
  }
  if (request.contextFiles.length > MOST_FILES) {
    fail({ code: "invalid-input", field: "context_files", problem: `name at most ${MOST_FILES} files` });
  }
  const contextFiles = [
    ...new Set(request.contextFiles.map((file) => insidePath("context_files", file, project.root))),
  ];
  const key = await digest([run.branch, run.runId, agent, outputKey, task]);
  const id = `task-${key.slice(0, 16)}`;
  const folder = joinPath(run.path, "queue");
  const known = taskIds(project, folder);
  if (known.length >= MOST_TASKS && !known.includes(id)) {
    fail({
      code: "invalid-input",
      field: "run_id",
      problem: `the queue of ${run.runId} has ${known.length} tasks, the most that it takes`,
      hint: "Clear out those that are done, or name another run",
    });
  }
  const path = joinPath(folder, `${id}.json`);
  const file = {
    format: "bmad-mcp.task/1",
    id,
    idempotency_key: key,
    run_id: run.runId,
    session_branch: run.branch,
    agent,
    task,
    output_key: outputKey,
    context_files: contextFiles,
    status: "pending",
    created_at: new Date(now).toISOString(),
  };
  const isNew = writeNew(project, path, `${JSON.stringify(file, null, 2)}\n`, now);
  const missing = contextFiles.filter((one) => !/[*?[{]/.test(one) && !project.tree.hasFile(one));
  return { ...readTask(project, folder, id), path, isNew, missing };
}

/** What tells one task from another. */
async function digest(parts: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
