/**
 * One run of a workflow, from its state.json.
 *
 * What the kit calls running or paused is active here; completed and failed are the same. A state that nobody can read
 * does not hide the run: it is told with what is wrong.
 */
import { asText, asTexts, asValues, isValues, type Values } from "../../content/parse.ts";
import { baseName } from "../../content/tree/mod.ts";
import { findFile, type ProjectFolder } from "./project_folder.ts";

/** What a run or a session has come to. */
export type Phase = "active" | "completed" | "failed";

/** A run, as its files tell of it. */
export interface Run {
  readonly runId: string;
  readonly branch: string;
  /** Its folder, inside the project. */
  readonly path: string;
  readonly phase: Phase;
  /** In the kit's own word; missing when there is no state. */
  readonly status?: string;
  /** When something last happened, in milliseconds since the epoch; 0 when nothing tells. */
  readonly time: number;
  /** All that the state says, without secrets. */
  readonly state: Values;
  /** What is wrong with the state. */
  readonly problem?: string;
}

/** The words for the end of a run or a session. */
const ENDS: Readonly<Record<string, Phase>> = {
  completed: "completed",
  complete: "completed",
  done: "completed",
  merged: "completed",
  archived: "completed",
  closed: "completed",
  failed: "failed",
  error: "failed",
  aborted: "failed",
  abandoned: "failed",
  rejected: "failed",
};

/** What a word for a status comes to. What is not over is active. */
export function phaseOf(status: string | undefined): Phase {
  const word = status?.toLowerCase() ?? "";
  return Object.hasOwn(ENDS, word) ? ENDS[word]! : "active";
}

/** Reads the run in a folder. In the older form, without a branch in its path, the state names the branch. */
export function readRun(project: ProjectFolder, path: string, branch?: string): Run {
  const { values: raw, problem, modified } = readJson(project, `${path}/state.json`);
  const values = project.clean.values(raw);
  const status = asText(values["status"]);
  const runId = baseName(path);
  return {
    runId,
    branch: branch ?? asText(values["session_branch"]) ?? "main",
    path,
    phase: phaseOf(status),
    ...(status === undefined ? {} : { status }),
    time: timeOf(values["last_checkpoint"]) ?? timeOf(values["started_at"]) ?? timeInName(runId) ??
      modified ?? 0,
    state: values,
    ...(problem === undefined ? {} : { problem }),
  };
}

/** A file of JSON, secrets and all; what cannot be read is empty, with the problem. */
export function readJson(project: ProjectFolder, path: string): {
  readonly values: Values;
  readonly problem?: string;
  readonly modified?: number;
} {
  const file = findFile(project, [path]);
  if (file === undefined) return { values: {}, problem: `there is no ${baseName(path)}` };
  const { modified } = project.tree.stat(path) ?? {};
  if (file.problem !== undefined) {
    return { values: {}, problem: `${baseName(path)}: ${file.problem}`, modified };
  }
  try {
    const values: unknown = JSON.parse(file.text);
    if (isValues(values)) return { values, modified };
  } catch {
    // Said below.
  }
  return { values: {}, problem: `${baseName(path)} is not the JSON of an object`, modified };
}

/** A time that is written down, in milliseconds since the epoch. */
export function timeOf(value: unknown): number | undefined {
  const time = Date.parse(asText(value) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** The time in the name of a run: `dev-story-20260227-143022`. */
function timeInName(runId: string): number | undefined {
  const [, year, month, day, hour, minute, second] =
    /(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})$/.exec(runId) ?? [];
  return timeOf(year && `${year}-${month}-${day}T${hour}:${minute}:${second}`);
}

/** How far a run is, in words: `step 4 of 8`; undefined when its state does not tell. */
export function progressOf({ state }: Run): string | undefined {
  const [current, total] = [asText(state["current_step"]), asText(state["total_steps"])];
  if (current === undefined) return undefined;
  return `step ${current}${total === undefined ? "" : ` of ${total}`}`;
}

/** What a state says, as lines for a model. */
export function stateLines({ state }: Run): readonly string[] {
  const done = asTexts(state["steps_completed"]);
  const line = (label: string, value: string | undefined) =>
    value === undefined ? [] : [`${label}: ${value}`];
  const checkpoint = asText(state["checkpoint_id"]);
  const last = asText(state["last_checkpoint"]);
  return [
    ...line("Workflow", asText(state["workflow_path"])),
    ...line("Steps done", done.length === 0 ? undefined : done.join(", ")),
    ...line("Resume from step", asText(state["resume_from_step"])),
    ...line("Started", asText(state["started_at"])),
    ...line("Last checkpoint", last && checkpoint ? `${last} (${checkpoint})` : last ?? checkpoint),
    ...line("Variables", pairsOf(asValues(state["session_variables"]))),
    ...list("Artefacts", state["artefacts_produced"], (artefact) => {
      const { step, name, path } = asValues(artefact);
      return [asText(step) && `step ${step}`, asText(name), asText(path)].filter(Boolean).join(", ");
    }),
    ...list("Issues", state["issues"], (issue) => asText(issue) ?? JSON.stringify(issue)),
    ...line("Notes", asText(state["agent_notes"])),
  ];
}

function pairsOf(values: Values): string | undefined {
  const pairs = Object.entries(values).map(([key, value]) =>
    `${key}=${asText(value) ?? JSON.stringify(value)}`
  );
  return pairs.length === 0 ? undefined : pairs.join("; ");
}

function list(label: string, value: unknown, lineOf: (item: unknown) => string): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) return [];
  return [`${label}:`, ...value.map((item) => `- ${lineOf(item) || JSON.stringify(item)}`)];
}
