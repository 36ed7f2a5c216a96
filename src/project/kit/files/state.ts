/**
 * One run of a workflow, read from its state.json.
 *
 * The kit's running and paused are active here; completed and failed have the same names. A run with an unreadable
 * state is still shown, with the problem.
 */
import { asText, asValues, isValues, parseJson, type Values } from "../../../base/values.ts";
import { baseName } from "../../../content/tree/mod.ts";
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

/** The keys that the lines of a run show under a label, or that its head shows. */
const SHOWN = new Set(
  ("run_id session_branch status current_step total_steps workflow_path workflow steps_completed resume_from_step " +
    "started_at last_checkpoint checkpoint_id session_variables variables artefacts_produced outputs issues agent_notes")
    .split(" "),
);

/** Everything that a state says, the kit's own keys under a label and any other as it is. */
export function stateLines({ state }: Run): readonly string[] {
  const line = (label: string, value: string | undefined) => value ? [`${label}: ${value}`] : [];
  const workflows = ["workflow", "workflow_path"].map((key) => textOf(state[key])).filter((text) =>
    text !== ""
  );
  const variables = ["session_variables", "variables"].flatMap((key) => pairsIn(state[key]));
  const checkpoint = textOf(state["checkpoint_id"]);
  const last = textOf(state["last_checkpoint"]);
  return [
    ...line("Workflow", [...new Set(workflows)].join(", ")),
    ...line("Steps done", itemsIn(state["steps_completed"]).map(textOf).join(", ")),
    ...line("Resume from step", textOf(state["resume_from_step"])),
    ...line("Started", textOf(state["started_at"])),
    ...line("Last checkpoint", last && checkpoint ? `${last} (${checkpoint})` : last || checkpoint),
    ...line("Variables", variables.join("; ")),
    ...list(
      "Artefacts",
      ["artefacts_produced", "outputs"].flatMap((key) => itemsIn(state[key])),
      artefactLine,
    ),
    ...list("Issues", itemsIn(state["issues"]), textOf),
    ...line("Notes", textOf(state["agent_notes"])),
    ...Object.entries(state).filter(([key]) => !SHOWN.has(key)).flatMap(([key, value]) =>
      line(key, textOf(value))
    ),
  ];
}

/** A value on a line, as JSON when it is not text; empty if there is none. */
function textOf(value: unknown): string {
  return asText(value) ??
    (value === undefined || value === null || value === "" ? "" : JSON.stringify(value));
}

function pairsIn(value: unknown): readonly string[] {
  if (isValues(value)) return Object.entries(value).map(([key, inner]) => `${key}=${textOf(inner)}`);
  return itemsIn(value).map(textOf);
}

/** The items of a list; of a map, each as `name: value`; any other value is one item. */
function itemsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (isValues(value)) return Object.entries(value).map(([key, inner]) => `${key}: ${textOf(inner)}`);
  return textOf(value) === "" ? [] : [value];
}

function artefactLine(artefact: unknown): string {
  const { step, name, path, ...others } = asValues(artefact);
  const known = [textOf(step) && `step ${textOf(step)}`, textOf(name), textOf(path), ...pairsIn(others)];
  return known.filter((part) => part !== "").join(", ") || textOf(artefact);
}

function list(
  label: string,
  items: readonly unknown[],
  lineOf: (item: unknown) => string,
): readonly string[] {
  const lines = items.map(lineOf).filter((line) => line !== "");
  return lines.length === 0 ? [] : [`${label}:`, ...lines.map((line) => `- ${line}`)];
}
