/**
 * The queue of a run: `.runs/{branch}/{run_id}/queue/{id}.json` for each task that a sub-agent should do. The id is
 * derived from the run, the agent, the task and its output key, so asking twice creates one task. Orchestrators
 * claim tasks as docs/memory.md describes; `answerTask` does it for callers without one. A claim expires after an
 * hour.
 */
import { chooseFrom, fail } from "../../../base/errors.ts";
import { checkName, decodeText, insidePath, joinPath } from "../../../content/tree/mod.ts";
import { timeOf } from "./records.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { joinLines, type Report } from "../../../base/report.ts";
import { branchFor, readJson, readSessions, runForTask } from "./sessions.ts";
import { type ChangeTools, toJson } from "./update.ts";
import { changeIn, makeOnce, writeNew } from "../../files/mod.ts";
import { sha256 } from "../../../base/text.ts";
import { PRODUCT } from "../../../base/model.ts";
import { TASK_ACTIONS } from "../../../settings/plan/mod.ts";
import { asText, asTexts, countEach, isValues, parseJson, type Values } from "../../../base/values.ts";

const TASK_STATES = ["pending", "claimed", "done", "failed"];

export type QueuedTask = ReturnType<typeof readTask>;

export interface TaskRequest {
  readonly agent: string;
  readonly task: string;
  readonly outputKey: string;
  readonly contextFiles: readonly string[];
  readonly runId?: string;
}

const MAX_TASKS = 500;
const MAX_FILES = 50;
const MAX_CHARACTERS = 20_000;

export function readQueue(project: ProjectFolder, runPath: string): readonly QueuedTask[] {
  const folder = joinPath(runPath, "queue");
  const ids = taskIds(project, folder).slice(0, 2 * MAX_TASKS);
  const tasks = ids.map((id) => readTask(project, folder, id));
  return tasks.sort((a, b) => (timeOf(a.createdAt) ?? 0) - (timeOf(b.createdAt) ?? 0));
}

function taskIds({ tree }: ProjectFolder, folder: string): readonly string[] {
  const files = tree.list(folder).filter(({ name, isDirectory }) =>
    !isDirectory && name.endsWith(".json") && !name.startsWith(".")
  );
  return files.map(({ name }) => name.slice(0, -".json".length));
}

const KEYS = new Set(
  ("format id idempotency_key run_id session_branch agent task output_key context_files status created_at result error")
    .split(" "),
);

function readTask(project: ProjectFolder, folder: string, id: string) {
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
    facts: project.clean.values(Object.fromEntries(Object.entries(values).filter(([key]) => !KEYS.has(key)))),
    ...(problem === undefined ? {} : { problem }),
  };
}

export function countTasks(tasks: readonly QueuedTask[]): string | undefined {
  const byState = countEach(tasks.map(({ status }) => status));
  const states = [...new Set([...TASK_STATES, ...byState.keys()])].filter((state) => byState.has(state));
  return states.length === 0 ? undefined : states.map((state) => `${byState.get(state)} ${state}`).join(", ");
}

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
  const key = await sha256(JSON.stringify([branch, runId, agent, outputKey, task]));
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
  const isNew = writeNew(project.root, path, toJson(file), now);
  const missing = contextFiles.filter((one) => !/[*?[{]/.test(one) && !project.tree.hasFile(one));
  const queued = readTask(project, folder, id);
  const text = joinLines(
    isNew
      ? `Queued ${id} for ${queued.agent} in run ${runId} on ${branch}: ${path}`
      : `The same task already exists: ${id} for ${queued.agent}, ${queued.status}: ${path}`,
    !isKnown && "The run did not exist: this queue starts it.",
    missing.length > 0 && `Context files not found: ${missing.join(", ")}`,
    isNew
      ? "An orchestrator does the task; nothing runs here. The status of the run shows its state."
      : "Nothing was written. Use another output key or run to queue it again.",
  );
  return { text, data: { ...queued, path, created: isNew, missing, run_id: runId, branch } };
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

export interface TaskAnswer {
  readonly taskId: string;
  readonly action: string;
  readonly text?: string;
}

const LEASE_MS = 3_600_000;

export async function answerTask(
  project: ProjectFolder,
  { taskId, action: given, text }: TaskAnswer,
  { now, signal, person, changing }: ChangeTools,
): Promise<Report> {
  const action = chooseFrom(TASK_ACTIONS, "action", given);
  const id = checkName("task", taskId);
  const said = text?.trim() ?? "";
  if (action !== "claim" && said === "") {
    const hint = "Give the result, or the reason";
    fail({ code: "invalid-input", field: "text", problem: "it is missing", hint });
  }
  if (said.length > MAX_CHARACTERS) {
    fail({ code: "invalid-input", field: "text", problem: `expected at most ${MAX_CHARACTERS} characters` });
  }
  const place = { root: project.root, folder: project.runs[0], now, changing };
  return await changeIn(place, (replace) => {
    const { folder, runId, branch } = findTask(project, id);
    const path = joinPath(folder, `${id}.json`);
    const before = decodeText(project.tree.read(path)) ?? "";
    const task = parseJson(before);
    if (!isValues(task)) return fail({ code: "invalid-file", path, problem: "it is not a JSON object" });
    const change = { task, folder, id, action, said, now, person, changing };
    const changed = { ...task, ...changeOf(project, change) };
    replace(path, toJson(changed), before);
    const shown = readTask(project, folder, id);
    const isClaim = action === "claim", files = shown.contextFiles.join(", ");
    return {
      text: joinLines(
        `${id} for ${shown.agent} in run ${runId} on ${branch}: ${shown.status}`,
        isClaim && files !== "" && `Context files: ${files}`,
        isClaim && shown.task !== undefined && ["", shown.task],
      ),
      data: { ...shown, path, run_id: runId, branch },
    };
  }, signal);
}

function findTask(project: ProjectFolder, id: string) {
  const places = readSessions(project).flatMap(({ runs }) => runs).map(({ path, runId, branch }) => ({
    folder: joinPath(path, "queue"),
    runId,
    branch,
  }));
  const found = places.find(({ folder }) => taskIds(project, folder).includes(id));
  if (found !== undefined) return found;
  const known = places.flatMap(({ folder }) => taskIds(project, folder)).slice(0, 10);
  const hint = known.length === 0 ? "No tasks are queued" : `Queued are ${known.join(", ")}`;
  return fail({ code: "not-found", what: "task", name: id, hint });
}

interface TaskChange extends Pick<ChangeTools, "now" | "person" | "changing"> {
  readonly task: Values;
  readonly folder: string;
  readonly id: string;
  readonly action: typeof TASK_ACTIONS[number];
  readonly said: string;
}

function changeOf(project: ProjectFolder, change: TaskChange): Values {
  const { task, folder, id, action, said, person, now } = change;
  const status = asText(task["status"]) ?? "pending";
  const refuse = (hint: string) => fail({ code: "not-allowed", what: `${action} ${id}`, hint });
  if (status !== "pending" && status !== "claimed") refuse(`it is ${status} already`);
  const time = new Date(now).toISOString();
  const isHeld = status === "claimed" && now < (timeOf(task["expires_at"]) ?? Infinity);
  if (person?.name !== undefined && isHeld && task["claimed_by"] !== person.name) {
    refuse(`${asText(task["claimed_by"]) ?? "somebody"} has claimed it`);
  }
  const finished = { finished_at: time, ...(person?.name !== undefined && { finished_by: person.name }) };
  if (action === "answer") return { status: "done", result: said, ...finished };
  if (action === "fail") return { status: "failed", error: said, ...finished };
  const claim = joinPath(folder, `${id}.claim`);
  const since = timeOf(task["claimed_at"]) ?? project.tree.stat(claim)?.modified;
  change.changing?.();
  const isFree = makeOnce(project.root, claim) || (since !== undefined && now - since > LEASE_MS);
  if (!isFree) refuse("it is claimed by another worker; the claim expires after an hour");
  return {
    status: "claimed",
    claimed_by: person?.name ?? PRODUCT.name,
    claimed_at: time,
    expires_at: new Date(now + LEASE_MS).toISOString(),
  };
}
