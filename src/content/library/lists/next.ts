/**
 * The list of what comes next: what a project should do now and why, what it can do beside that, what comes later.
 */
import { qualifiedName } from "../../../base/model.ts";
import type { Library } from "../library.ts";
import { type Advice, lookAhead, type Outlook } from "./advice.ts";
import { type Filter, filterOf } from "./filter.ts";
import type { Row } from "./row.ts";
import { isInPhase, type Step } from "./steps.ts";

/**
 * Where a step stands, in the order of the list. `found` is what has left something that does not say whether it is
 * finished, `passed` what was not taken when its time had come, and `step` all that can be said where nobody can tell
 * what is next.
 */
const STANDINGS = [
  "next",
  "begun",
  "optional",
  "later",
  "step",
  "found",
  "done",
  "passed",
  "anytime",
] as const;
type Standing = typeof STANDINGS[number];

/** The rows of what comes next. Where nothing does, or nobody can tell, the first row says so. */
export async function listNext(library: Library, filter: Filter): Promise<readonly Row[]> {
  const outlook = await lookAhead(library);
  const passes = filterOf(filter);
  const rows = outlook.steps.filter(({ entry }) => passes(entry)).map((step) => {
    const advice = outlook.advice.find((one) => one.step === step);
    const standing = advice === undefined ? standingOf(step, outlook) : "next";
    return { standing, row: stepRow(step, standing, outlook, advice) };
  });
  return [
    ...outlook.advice.filter(({ step }) => step === undefined).map(verdictRow),
    ...STANDINGS.flatMap((standing) => rows.filter((one) => one.standing === standing)).map(({ row }) => row),
  ];
}

/** One row about what comes next, for those who list other things. */
export async function nextRow(library: Library): Promise<Row> {
  const { advice } = await lookAhead(library);
  const lines = advice.map(({ is, step, why }) =>
    is === "next" ? `${qualifiedName(step!.entry)}, as ${why}` : `${VERDICTS[is]}: ${why}`
  );
  const data = advice.map(({ is, step, story, why, files }) => ({
    is,
    name: step && qualifiedName(step.entry),
    story,
    why,
    files,
  }));
  return { name: "next", about: lines.join("; "), data: { what: "next", advice: data } };
}

const VERDICTS = { done: "all done", unknown: "cannot tell what is next" } as const;

function standingOf(step: Step, { steps, advice, progressOf }: Outlook): Standing {
  if (!isInPhase(step)) return "anytime";
  const { state } = progressOf(step);
  if (state === "done" || state === "begun") return state;
  if (state === "there") return "found";
  const next = advice.find((one) => one.step?.module === step.module)?.step;
  if (next === undefined) return "step";
  if (steps.indexOf(step) > steps.indexOf(next)) return "later";
  const reached = steps.slice(0, steps.indexOf(next)).findLastIndex((one) =>
    one.module === step.module && one.help.required && progressOf(one).files.length > 0
  );
  return steps.indexOf(step) < reached ? "passed" : "optional";
}

function stepRow(step: Step, standing: Standing, { progressOf }: Outlook, advice?: Advice): Row {
  const { entry, help: { phase, after, before, required, outputs, code, title, action, description } } = step;
  const files = advice?.files ?? progressOf(step).files;
  return {
    name: qualifiedName(entry),
    about: aboutOf(step, standing, files[0]),
    why: advice?.why,
    data: {
      name: entry.name,
      id: entry.id,
      module: entry.module,
      origin: entry.origin.id,
      title,
      description,
      code,
      action: action === "" ? undefined : action,
      phase,
      after,
      before,
      required,
      outputs,
      standing,
      why: advice?.why,
      story: advice?.story,
      files,
    },
  };
}

/** `done: docs/prd.md`, `later (required, after bmad-prd): …`. */
function aboutOf({ help }: Step, standing: Standing, file: string | undefined): string {
  const { phase, after, before, required, description } = help;
  if (standing === "next") return standing;
  if (standing === "done" || standing === "begun" || standing === "found") return `${standing}: ${file}`;
  const notes = [required ? "required" : "", after && `after ${after}`, before && `before ${before}`].filter(
    Boolean,
  );
  const label = standing === "step" ? phase : standing;
  const noted = notes.length === 0 ? label : `${label} (${notes.join(", ")})`;
  return description === "" ? noted : `${noted}: ${description}`;
}

function verdictRow({ is, why, files }: Advice): Row {
  const name = VERDICTS[is === "done" ? "done" : "unknown"];
  return { name, about: why, data: { standing: is === "done" ? "all done" : "unknown", why, files } };
}
