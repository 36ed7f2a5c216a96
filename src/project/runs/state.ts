/**
 * One run of a workflow, read from its state.json.
 *
 * The kit's running and paused are active here; completed and failed have the same names. A run with an unreadable
 * state is still shown, with the problem.
 */
import { asText, asTexts, asValues, isValues, parseJson, type Values } from "../../base/values.ts";
import { baseName } from "../../content/tree/mod.ts";
import { timeInName, timeOf } from "./dates.ts";
import { findFile, type ProjectFolder } from "./project_folder.ts";

export type Phase = "active" | "completed" | "failed";

export interface Run {
  readonly runId: string;
  readonly branch: string;
  /** Its folder, inside the project. */
  readonly path: string;
  readonly phase: Phase;
  /** The kit's own word; missing without a readable state. */
  readonly status?: string;
  /** Of its latest activity, in milliseconds since the epoch; 0 if unknown. */
  readonly time: number;
  /** Everything in the state, without secrets. */
  readonly state: Values;
  /** Why the state cannot be read. */
  readonly problem?: string;
}

const COMPLETED = ["completed", "complete", "done", "merged", "archived", "closed"];
const FAILED = ["failed", "error", "aborted", "abandoned", "rejected"];

/** The phase for a status. Whatever is not over is active. */
export function phaseOf(status = ""): Phase {
  const word = status.toLowerCase();
  return COMPLETED.includes(word) ? "completed" : FAILED.includes(word) ? "failed" : "active";
}

/** Reads the run in a folder. In the older layout its path has no branch, and the state names it. */
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

/** The object in a JSON file, with its secrets; empty, with the problem, if it cannot be read. */
export function readJson(
  project: ProjectFolder,
  path: string,
): { readonly values: Values; readonly problem?: string; readonly modified?: number } {
  const file = findFile(project, [path]);
  if (file === undefined) return { values: {}, problem: `${baseName(path)} is missing` };
  const { modified } = project.tree.stat(path) ?? {};
  const values = parseJson(file.text);
  if (isValues(values)) return { values, modified };
  const problem = file.problem === undefined ? " is not a JSON object" : `: ${file.problem}`;
  return { values: {}, problem: `${baseName(path)}${problem}`, modified };
}

/** How far a run is: `step 4 of 8`; undefined if its state does not say. */
export function progressOf({ state }: Run): string | undefined {
  const current = asText(state["current_step"]), total = asText(state["total_steps"]);
  return current && `step ${current}${total === undefined ? "" : ` of ${total}`}`;
}

export function stateLines({ state }: Run): readonly string[] {
  const line = (label: string, value: string | undefined) => value ? [`${label}: ${value}`] : [];
  const textOf = (value: unknown) => asText(value) ?? JSON.stringify(value);
  const variables = Object.entries(asValues(state["session_variables"]));
  const checkpoint = asText(state["checkpoint_id"]);
  const last = asText(state["last_checkpoint"]);
  return [
    ...line("Workflow", asText(state["workflow_path"])),
    ...line("Steps done", asTexts(state["steps_completed"]).join(", ")),
    ...line("Resume from step", asText(state["resume_from_step"])),
    ...line("Started", asText(state["started_at"])),
    ...line("Last checkpoint", last && checkpoint ? `${last} (${checkpoint})` : last ?? checkpoint),
    ...line("Variables", variables.map(([key, value]) => `${key}=${textOf(value)}`).join("; ")),
    ...list("Artefacts", state["artefacts_produced"], (artefact) => {
      const { step, name, path } = asValues(artefact);
      return [asText(step) && `step ${step}`, asText(name), asText(path)].filter(Boolean).join(", ");
    }),
    ...list("Issues", state["issues"], textOf),
    ...line("Notes", asText(state["agent_notes"])),
  ];
}

function list(label: string, value: unknown, lineOf: (item: unknown) => string): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) return [];
  return [`${label}:`, ...value.map((item) => `- ${lineOf(item) || JSON.stringify(item)}`)];
}
