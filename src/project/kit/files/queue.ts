/**
 * The writing side of the queue of a run: `.runs/{branch}/{run_id}/queue/{id}.json` for each task of a sub-agent. The
 * id is derived from the run, the agent, the task and its output key, so asking twice creates one task. Orchestrators
 * claim tasks as docs/memory.md describes; `answerTask` does it for callers without one.
 */
import { chooseFrom, fail } from "../../../base/errors.ts";
import { PRODUCT } from "../../../base/model.ts";
import { joinLines, type Report } from "../../../base/report.ts";
import { sha256 } from "../../../base/text.ts";
import { asText, type Values } from "../../../base/values.ts";
import { checkName, insidePath, joinPath } from "../../../content/tree/mod.ts";
import { TASK_ACTIONS } from "../../../settings/plan/mod.ts";
import { changeIn, makeOnce, writeNew } from "../../files/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { timeOf } from "./records.ts";
import { readSessions, readTask, runForTask, taskIds } from "./sessions.ts";
import { type ChangeTools, readForChange, toJson } from "./update.ts";

export interface TaskRequest {
  readonly agent: string;
  readonly task: string;
  readonly outputKey: string;
  readonly contextFiles: readonly string[];
  readonly runId?: string;
}

export async function spawn(
  project: ProjectFolder,
  request: TaskRequest,
  { now, changing }: ChangeTools,
): Promise<Report> {
  const time = now(), created = new Date(time).toISOString();
  const day = created.slice(0, 10).replaceAll("-", "");
  const { runId, branch, path: runPath, isKnown } = runForTask(project, request.runId, day);
  const agent = checkName("agent", request.agent);
  const outputKey = checkName("output key", request.outputKey);
  const task = checkTask(request.task);
  const contextFiles = checkFiles(project, request.contextFiles);
  const key = await sha256(JSON.stringify([branch, runId, agent, outputKey, task]));
  const id = `task-${key.slice(0, 16)}`;
  const folder = joinPath(runPath, "queue"), path = joinPath(folder, `${id}.json`);
  const known = taskIds(project, folder);
  if (known.length >= LIMITS.runs.tasks && !known.includes(id)) {
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
    created_at: created,
  };
  if (!known.includes(id)) changing?.();
  const isNew = writeNew(project.root, path, toJson(file), time);
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

function refuse(field: string, problem: string, hint?: string): never {
  return fail({ code: "invalid-input", field, problem, hint });
}

function checkTask(given: string): string {
  const task = given.trim(), most = LIMITS.runs.taskChars;
  if (task === "") refuse("task", "it is empty", "Say what the agent should do");
  if (task.length <= most) return task;
  const problem = `it has ${task.length} characters, expected at most ${most}`;
  return refuse("task", problem, "Put the long part into a context file");
}

function checkFiles({ root }: ProjectFolder, given: readonly string[]): readonly string[] {
  const most = LIMITS.runs.contextFiles;
  if (given.length > most) refuse("context files", `expected at most ${most}`);
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
  tools: ChangeTools,
): Promise<Report> {
  const action = chooseFrom(TASK_ACTIONS, "action", given);
  const id = checkName("task", taskId);
  const said = text?.trim() ?? "", most = LIMITS.runs.taskChars;
  if (action !== "claim" && said === "") refuse("text", "it is missing", "Give the result, or the reason");
  if (said.length > most) refuse("text", `expected at most ${most} characters`);
  return await changeIn({ ...tools, root: project.root, folder: project.runs[0] }, (replace) => {
    const { folder, runId, branch } = findTask(project, id);
    const path = joinPath(folder, `${id}.json`);
    const { before, values } = readForChange(project, path);
    const change = { values, id, action, said, claim: joinPath(folder, `${id}.claim`) };
    replace(path, toJson({ ...values, ...changeOf(project, change, tools) }), before);
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
  }, tools.signal);
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

interface TaskChange {
  readonly values: Values;
  readonly id: string;
  readonly action: typeof TASK_ACTIONS[number];
  readonly said: string;
  readonly claim: string;
}

function changeOf(
  project: ProjectFolder,
  { values: task, id, action, said, claim }: TaskChange,
  { now, person, changing }: ChangeTools,
): Values {
  const status = asText(task["status"]) ?? "pending", at = now();
  const refuse = (hint: string) => fail({ code: "not-allowed", what: `${action} ${id}`, hint });
  if (status !== "pending" && status !== "claimed") refuse(`it is ${status} already`);
  const time = new Date(at).toISOString();
  const isHeld = status === "claimed" && at < (timeOf(task["expires_at"]) ?? Infinity);
  if (person?.name !== undefined && isHeld && task["claimed_by"] !== person.name) {
    refuse(`${asText(task["claimed_by"]) ?? "another worker"} has claimed it`);
  }
  const finished = { finished_at: time, ...(person?.name !== undefined && { finished_by: person.name }) };
  if (action === "answer") return { status: "done", result: said, ...finished };
  if (action === "fail") return { status: "failed", error: said, ...finished };
  const since = timeOf(task["claimed_at"]) ?? project.tree.stat(claim)?.modified;
  changing?.();
  const isFree = makeOnce(project.root, claim) || (since !== undefined && at - since > LEASE_MS);
  if (!isFree) refuse("it is claimed by another worker; the claim expires after an hour");
  return {
    status: "claimed",
    claimed_by: person?.name ?? PRODUCT.name,
    claimed_at: time,
    expires_at: new Date(at + LEASE_MS).toISOString(),
  };
}
