/** The list of steps: what a project should do now and why, what else it can do, and what comes later. */
import { qualifiedName, startedAs } from "../../../base/model.ts";
import { type Filter, filterOf, type Library, type Row, type Step } from "../../../content/library/mod.ts";
import { type Advice, callFor, nameOf, VERDICTS } from "./stories.ts";
import { readRoadmap, type Roadmap, type RoadmapOptions } from "./advice.ts";

/**
 * In the order of the list. `found`: files without a status; `passed`: skipped; `step`: the next one is
 * unknown.
 */
const ORDER = ["next", "begun", "optional", "later", "step", "found", "done", "passed", "anytime"] as const;
type StepStatus = typeof ORDER[number];

/** One row per item and action, with its first standing. Without a next step, the first row says why. */
export async function listNext(
  library: Library,
  filter: Filter,
  ahead?: RoadmapOptions,
): Promise<readonly Row[]> {
  const roadmap = await readRoadmap(library, ahead);
  const passes = filterOf(filter);
  const rows = roadmap.steps.filter(({ entry }) => passes(entry)).map((step) => {
    const advice = roadmap.advice.find((one) => one.step === step);
    const standing = advice === undefined ? statusOf(step, roadmap) : "next";
    return { standing, row: stepRow(step, standing, roadmap, advice) };
  });
  const ordered = ORDER.flatMap((standing) => rows.filter((one) => one.standing === standing));
  const byItem = Map.groupBy(ordered, ({ row: { name, data } }) => `${name} ${data["action"] ?? ""}`);
  return [
    ...roadmap.advice.filter(({ step }) => step === undefined).map(verdictRow),
    ...byItem.values().map(([first]) => first!.row),
  ];
}

const BY_STATE = { done: "done", started: "begun", present: "found" } as const;

function statusOf(step: Step, { steps, advice, progressOf }: Roadmap): StepStatus {
  if (!step.isInPhase) return "anytime";
  const { state } = progressOf(step);
  if (state !== "none" && state !== "unknown") return BY_STATE[state];
  const next = advice.find((one) => one.step?.module === step.module)?.step;
  if (next === undefined) return "step";
  if (steps.indexOf(step) > steps.indexOf(next)) return "later";
  const reached = steps.slice(0, steps.indexOf(next)).findLastIndex((one) =>
    one.module === step.module && one.help.required && progressOf(one).files.length > 0
  );
  if (steps.indexOf(step) < reached) return "passed";
  // A required step comes again with another story.
  return step.help.required ? "later" : "optional";
}

function stepRow(step: Step, standing: StepStatus, { progressOf }: Roadmap, advice?: Advice): Row {
  const { entry, help: { phase, after, before, required, outputs, code, title, action, description } } = step;
  const { why, story, files = progressOf(step).files } = advice ?? {};
  const { item, message } = callFor({ ...advice, step })!;
  const { name, id, module, origin } = entry;
  const words = { title, description, code, action: action === "" ? undefined : action };
  const schedule = { phase, after, before, required, outputs };
  return {
    name: qualifiedName(entry),
    about: aboutOf(step, standing, files[0]),
    why,
    data: {
      name,
      id,
      module,
      kind: startedAs(entry),
      origin: origin.id,
      ...words,
      ...schedule,
      standing,
      why,
      item,
      story: story && nameOf(story),
      message,
      files,
    },
  };
}

/** `done: docs/prd.md`, `later (required, after bmad-prd): …`. */
function aboutOf({ help }: Step, standing: StepStatus, file: string | undefined): string {
  const { phase, after, before, required, description } = help;
  if (standing === "next") return standing;
  if (standing === "done" || standing === "begun" || standing === "found") return `${standing}: ${file}`;
  const notes = [required && "required", after && `after ${after}`, before && `before ${before}`]
    .filter(Boolean);
  const label = standing === "step" ? phase : standing;
  const noted = notes.length === 0 ? label : `${label} (${notes.join(", ")})`;
  return description === "" ? noted : `${noted}: ${description}`;
}

function verdictRow({ is, why, files }: Advice): Row {
  const name = VERDICTS[is].toLowerCase();
  return { name, about: why, data: { standing: is === "done" ? name : is, why, files } };
}
