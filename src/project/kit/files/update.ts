/** Writes the course of a run into the kit's own state.json, one change at a time. Keys that others wrote stay. */
import { chooseFrom, fail } from "../../../base/errors.ts";
import { joinLines, type Report } from "../../../base/report.ts";
import { sha256 } from "../../../base/text.ts";
import { localTime } from "../../../base/time.ts";
import { asText, asTexts, asValues, isValues, parseJson, type Values } from "../../../base/values.ts";
import type { Clock, Work } from "../../../base/work.ts";
import { checkName, decodeText, insidePath, joinPath } from "../../../content/tree/mod.ts";
import { RUN_ACTIONS } from "../../../settings/plan/mod.ts";
import { changeIn, type Replace } from "../../files/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { ProjectFolder } from "./project_folder.ts";
import { timeInName } from "./records.ts";
import { branchFor, findRuns, readRun, readSessions, type Run, stateLines } from "./sessions.ts";

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
    const change = { project, update, now: tools.now(), replace };
    const { path, branch } = action === "start" ? await startRun(change) : await changeRun(change, action);
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

interface Change {
  readonly project: ProjectFolder;
  readonly update: RunUpdate;
  readonly now: number;
  readonly replace: Replace;
}

type Place = Pick<Run, "path" | "branch">;

async function startRun({ project, update, now, replace }: Change): Promise<Place> {
  const branch = branchFor(project, update.branch);
  const name = checkName("run", update.runId ?? "run");
  const stamp = localTime(now).slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  const runId = timeInName(name) === undefined ? checkName("run", `${name}-${stamp}`) : name;
  const folder = joinPath(project.runs[0], branch);
  const path = joinPath(folder, runId);
  if (project.tree.stat(joinPath(path, "state.json")) !== undefined) {
    fail({
      code: "invalid-input",
      problem: `Run ${runId} already exists on ${branch}`,
      hint: "Resume it, or name another",
    });
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
    artefacts_produced: artefactsIn(project, update.outputs, first, []),
    issues: [],
    agent_notes: "",
  });
  replace(joinPath(path, "state.json"), toJson(state), undefined);
  return { path, branch };
}

async function changeRun(
  { project, update, now, replace }: Change,
  action: "checkpoint" | "finish" | "resume",
): Promise<Place> {
  const { path, branch } = findActive(project, update, action);
  const file = joinPath(path, "state.json");
  const { before, values: state } = readForChange(project, file);
  const time = new Date(now).toISOString();
  const done = stepOf(update.step) ??
    (action === "checkpoint" ? stepOf(asText(state["current_step"])) : undefined);
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
    artefacts_produced: artefactsIn(
      project,
      update.outputs,
      done ?? stepOf(asText(state["current_step"])),
      listIn(state["artefacts_produced"]),
    ),
    // A value that is undefined is not written.
    ...(action === "finish" ? endOf(update, time) : { status: "running", finished_at: undefined }),
    ...(action === "resume" ? { resumed_at: time } : {}),
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
  const over = runs[0];
  return fail({
    code: "invalid-input",
    problem: over === undefined
      ? "There are no runs yet"
      : `Run ${over.runId} is ${over.status ?? over.phase}`,
    hint: "Start a new run",
  });
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
  known: readonly unknown[],
): readonly unknown[] {
  const { outputs: most, outputChars } = LIMITS.runs;
  const entries = Object.entries(outputs);
  const refuse = (problem: string) => fail({ code: "invalid-input", field: "outputs", problem });
  if (entries.length > most) refuse(`expected at most ${most}`);
  const added = entries.map(([name, value]) => {
    const text = asText(value) ?? JSON.stringify(value) ?? "";
    if (name.length > 100 || text.length > outputChars) {
      refuse(`${name.slice(0, 100)} is longer than ${outputChars} characters`);
    }
    const isPath = /^[^\s<>{}"'|]+$/.test(text) && /(?!^)[/.]/.test(text) && !/^\w+:\/\//.test(text);
    const facts = isPath ? { path: insidePath("output", text, root) } : { value };
    return { ...(step !== undefined && { step }), name, ...facts };
  });
  return [...known.filter((one) => !Object.hasOwn(outputs, asText(asValues(one)["name"]) ?? "")), ...added];
}

export function readForChange({ tree }: ProjectFolder, path: string) {
  const before = tree.stat(path) === undefined ? undefined : decodeText(tree.read(path));
  const values = parseJson(before ?? "");
  if (isValues(values)) return { before, values };
  return fail({ code: "invalid-file", path, problem: "it is not a JSON object" });
}

export function toJson(values: Values): string {
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
  const text = JSON.stringify(value) ?? "null";
  return text.replaceAll(
    /[\u007f-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
