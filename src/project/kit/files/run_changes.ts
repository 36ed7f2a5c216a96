/** Writes runs, one change at a time: state.json, in which foreign keys stay, and a file for each queued task. */
import { chooseFrom, failField, failFile, failInput, failMissing, forbid } from "../../../base/errors.ts";
import { PRODUCT } from "../../../base/model.ts";
import { joinLines, type Report } from "../../../base/report.ts";
import { escapeUnit, sha256 } from "../../../base/text.ts";
import { localTime } from "../../../base/time.ts";
import { asText, asTexts, asValues, isValues, parseJson, type Values } from "../../../base/values.ts";
import type { Clock, Work } from "../../../base/work.ts";
import { checkName, decodeText, insidePath, joinPath } from "../../../content/tree/mod.ts";
import { RUN_ACTIONS, TASK_ACTIONS } from "../../../settings/plan/mod.ts";
import { changeIn, makeOnce, type Replace, writeNew } from "../../files/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { timeInName, timeOf } from "./records.ts";
import {
  branchFor,
  findRuns,
  readRun,
  readSessions,
  readTask,
  type Run,
  runForTask,
  stateLines,
  taskIds,
} from "./sessions.ts";

export interface RunUpdate {
  readonly action: string;
  /** For a new run also the name of its workflow, to which the time is added. */
  readonly runId?: string;
  readonly branch?: string;
  /** The step that is done; of a new run, the one to begin with. */
  readonly step?: string;
  readonly outputs?: Values;
  readonly status?: string;
}

export type ChangeTools = Pick<Work, "signal" | "person" | "changing"> & Pick<Clock, "now">;

const ENDS = ["completed", "failed", "paused"] as const;

export async function updateRun(
  project: ProjectFolder,
  update: RunUpdate,
  tools: ChangeTools,
): Promise<Report> {
  const action = chooseFrom(RUN_ACTIONS, "action", update.action);
  // A name that is refused leaves nothing behind, not even a lock.
  branchFor(project, update.branch);
  if (update.runId !== undefined) checkName("run", update.runId);
  return await changeIn({ ...tools, root: project.root, folder: project.runs[0] }, async (replace) => {
    const now = tools.now();
    const { path, branch } = action === "start"
      ? await startRun(project, update, now, replace)
      : await changeRun(project, update, now, replace, action);
    const run = readRun(project, path, branch);
    const { runId, status, state } = run;
    const next = asText(state["resume_from_step"]) ?? asText(state["current_step"]);
    const said = { start: "Started", checkpoint: "Noted", finish: "Finished", resume: "Resumed" }[action];
    const goesOn = status === "running" && next !== undefined ? `; go on with step ${next}` : "";
    return {
      text: joinLines(
        `${said}: run ${runId} on ${branch}, ${status}${goesOn}`,
        stateLines(run),
        `Folder: ${path}`,
        project.runsProblem,
      ),
      data: { action, run_id: runId, branch, path, status, state },
    };
  }, tools.signal);
}

async function startRun(project: ProjectFolder, update: RunUpdate, now: number, replace: Replace) {
  const branch = branchFor(project, update.branch);
  const name = checkName("run", update.runId ?? "run");
  const stamp = localTime(now).slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  const runId = timeInName(name) === undefined ? checkName("run", `${name}-${stamp}`) : name;
  const folder = joinPath(project.runs[0], branch);
  const path = joinPath(folder, runId);
  if (project.tree.stat(joinPath(path, "state.json")) !== undefined) {
    failInput(`Run ${runId} already exists on ${branch}`, "Resume it, or name another");
  }
  const time = new Date(now).toISOString();
  const branchFile = joinPath(folder, "branch.json");
  if (project.tree.stat(branchFile) === undefined) {
    const facts = { branch, created_at: time, created_by: "bmad-mcp", purpose: "", parent_branch: null };
    replace(branchFile, toJson({ ...facts, status: "active" }), undefined);
  }
  const first = stepOf(update.step) ?? 1;
  const state = await withCheckpoint({
    run_id: runId,
    workflow: name.replace(/-\d{8}-\d{6}$/, ""),
    session_branch: branch,
    started_at: time,
    last_checkpoint: time,
    status: "running",
    steps_completed: [],
    current_step: first,
    resume_from_step: first,
    session_variables: {},
    artefacts_produced: artefactsIn(project, update.outputs, first),
    issues: [],
    agent_notes: "",
  });
  replace(joinPath(path, "state.json"), toJson(state), undefined);
  return { path, branch };
}

async function changeRun(
  project: ProjectFolder,
  update: RunUpdate,
  now: number,
  replace: Replace,
  action: "checkpoint" | "finish" | "resume",
) {
  const { path, branch } = findActive(project, update, action);
  const file = joinPath(path, "state.json");
  const { before, values: state } = readForChange(project, file);
  const time = new Date(now).toISOString();
  const current = stepOf(asText(state["current_step"]));
  const done = stepOf(update.step) ?? (action === "checkpoint" ? current : undefined);
  const next = typeof done === "number" ? done + 1 : done;
  const steps = listIn(state["steps_completed"]);
  const changed = {
    ...state,
    last_checkpoint: time,
    ...(action === "resume" || done === undefined ? {} : {
      steps_completed: steps.some((one) => String(one) === String(done)) ? steps : [...steps, done],
      current_step: next,
      resume_from_step: next,
    }),
    artefacts_produced: artefactsIn(project, update.outputs, done ?? current, state["artefacts_produced"]),
    // A value that is undefined is not written.
    ...(action === "finish" ? endOf(update, time) : { status: "running", finished_at: undefined }),
    ...(action === "resume" && { resumed_at: time }),
  };
  replace(file, toJson(await withCheckpoint(changed)), before);
  return { path, branch };
}

function endOf({ status = "completed" }: RunUpdate, time: string): Values {
  const end = chooseFrom(ENDS, "status", status);
  return { status: end, ...(end === "completed" ? { resume_from_step: null } : {}), finished_at: time };
}

/** The run that is named, else the latest that is not over; a failed one can be resumed. */
function findActive(project: ProjectFolder, { runId, branch }: RunUpdate, action: string): Run {
  const runs = findRuns(readSessions(project), { runId, branch });
  const isOpen = ({ phase }: Run) => phase === "active" || (action === "resume" && phase === "failed");
  const own = branch === undefined && runId === undefined ? branchFor(project, undefined) : undefined;
  const open = runs.filter(isOpen);
  const found = open.find((run) => run.branch === own) ?? open[0];
  if (found !== undefined) return found;
  const [over] = runs;
  const problem = over === undefined
    ? "There are no runs yet"
    : `Run ${over.runId} is ${over.status ?? over.phase}`;
  return failInput(problem, "Start a new run");
}

function stepOf(given: string | undefined): number | string | undefined {
  const step = given?.trim();
  if (step === undefined || step === "") return undefined;
  return /^\d{1,6}$/.test(step) ? Number(step) : step.slice(0, 100);
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : asTexts(value);
}

function artefactsIn(
  { root }: ProjectFolder,
  outputs: Values = {},
  step: number | string | undefined,
  known: unknown = [],
): readonly unknown[] {
  const { outputs: most, outputChars } = LIMITS.runs;
  const entries = Object.entries(outputs);
  if (entries.length > most) failField("outputs", `expected at most ${most}`);
  const added = entries.map(([name, value]) => {
    const text = asText(value) ?? JSON.stringify(value) ?? "";
    if (name.length > 100 || text.length > outputChars) {
      failField("outputs", `${name.slice(0, 100)} is longer than ${outputChars} characters`);
    }
    const isPath = /^[^\s<>{}"'|]+$/.test(text) && /(?!^)[/.]/.test(text) && !/^\w+:\/\//.test(text);
    const facts = isPath ? { path: insidePath("output", text, root) } : { value };
    return { ...(step !== undefined && { step }), name, ...facts };
  });
  const isReplaced = (one: unknown) => Object.hasOwn(outputs, asText(asValues(one)["name"]) ?? "");
  return [...listIn(known).filter((one) => !isReplaced(one)), ...added];
}

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
    const problem = `The queue of run ${runId} is full (${known.length} tasks)`;
    failInput(problem, "Delete tasks that are done, or use another run");
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

function checkTask(given: string): string {
  const task = given.trim(), most = LIMITS.runs.taskChars;
  if (task === "") failField("task", "it is empty", "Say what the agent should do");
  if (task.length <= most) return task;
  const problem = `it has ${task.length} characters, expected at most ${most}`;
  return failField("task", problem, "Put the long part into a context file");
}

function checkFiles({ root }: ProjectFolder, given: readonly string[]): readonly string[] {
  const most = LIMITS.runs.contextFiles;
  if (given.length > most) failField("context files", `expected at most ${most}`);
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
  if (action !== "claim" && said === "") failField("text", "it is missing", "Give the result, or the reason");
  if (said.length > most) failField("text", `expected at most ${most} characters`);
  return await changeIn({ ...tools, root: project.root, folder: project.runs[0] }, (replace) => {
    const { folder, runId, branch } = findTask(project, id);
    const path = joinPath(folder, `${id}.json`);
    const { before, values } = readForChange(project, path);
    const request = { id, action, said, claim: joinPath(folder, `${id}.claim`) };
    replace(path, toJson({ ...values, ...changeOf(project, values, request, tools) }), before);
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
  return failMissing("task", id, { hint });
}

const OUTCOMES = { answer: ["done", "result"], fail: ["failed", "error"] } as const;

function changeOf(
  project: ProjectFolder,
  task: Values,
  { id, action, said, claim }: Readonly<Record<"id" | "said" | "claim", string>> & {
    readonly action: typeof TASK_ACTIONS[number];
  },
  { now, person, changing }: ChangeTools,
): Values {
  const status = asText(task["status"]) ?? "pending", at = now();
  const refuse = (hint: string) => forbid(`${action} ${id}`, hint);
  if (status !== "pending" && status !== "claimed") refuse(`it is ${status} already`);
  const time = new Date(at).toISOString();
  const isHeld = status === "claimed" && at < (timeOf(task["expires_at"]) ?? Infinity);
  if (person?.name !== undefined && isHeld && task["claimed_by"] !== person.name) {
    refuse(`${asText(task["claimed_by"]) ?? "another worker"} has claimed it`);
  }
  if (action !== "claim") {
    const [outcome, field] = OUTCOMES[action];
    return { status: outcome, [field]: said, finished_at: time, finished_by: person?.name };
  }
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

function readForChange({ tree }: ProjectFolder, path: string) {
  const before = tree.stat(path) === undefined ? undefined : decodeText(tree.read(path));
  const values = parseJson(before ?? "");
  if (isValues(values)) return { before, values };
  return failFile(path, "it is not a JSON object");
}

function toJson(values: Values): string {
  return `${JSON.stringify(values, null, 2)}\n`;
}

async function withCheckpoint(state: Values): Promise<Values> {
  const variables = pythonJson(asValues(state["session_variables"]));
  const place = [asText(state["run_id"]), asText(state["current_step"]), variables].join(":");
  return { ...state, checkpoint_id: (await sha256(place)).slice(0, 6) };
}

/** JSON as Python writes it with sorted keys: the kit computes its fingerprints from it. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (isValues(value)) {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${pythonJson(key)}: ${pythonJson(value[key])}`).join(", ")}}`;
  }
  return (JSON.stringify(value) ?? "null").replaceAll(/[\u007f-\uffff]/g, escapeUnit);
}
