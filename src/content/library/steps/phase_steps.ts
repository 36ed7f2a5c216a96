/**
 * The steps of a module without a help catalogue, as the alphas are: its workflows, by the phase in the name of their
 * folder (`2-plan-workflows`).
 *
 * What a workflow leaves, and whether a project needs it, is known for BMAD's own workflows by their names. Any other one
 * is an optional step.
 */
import { phaseCategory } from "../../../base/generations.ts";
import { type Entry, isOf } from "../../../base/model.ts";
import type { HelpStep } from "../../inventory/mod.ts";

/** Workflows that each pattern names, in the order in which a project runs them, and what they leave. */
const ROWS: readonly (readonly [names: RegExp, outputs: string, required?: true])[] = [
  [/^(?:create-)?product-brief$/, "product brief"],
  [/^(?:create-)?prd$/, "prd", true],
  [/^(?:create-)?tech-spec$/, "tech spec"],
  [/^create-ux-design$/, "ux design"],
  [/^(?:create-)?architecture$/, "architecture", true],
  [/^create-epics-and-stories$/, "epics", true],
  [/^(?:solutioning-gate-check|check-implementation-readiness)$/, "implementation readiness report"],
  [/^sprint-planning$/, "sprint status", true],
  [/^create-story$/, "", true],
  [/^dev-story$/, "", true],
  [/^code-review$/, ""],
  [/^retrospective$/, "retrospective"],
];

/** The folders of documents, as configurations have named them; the output folder holds what has no other. */
const PLANNING = "planning_artifacts|output_folder";
const BUILDING = "implementation_artifacts|sprint_artifacts|output_folder";

/** The steps of modules for which `isKnown` does not hold; none of a module that has no required one. */
export function phaseSteps(entries: readonly Entry[], isKnown: (module: string) => boolean) {
  const steps = entries.filter((entry) =>
    entry.generation !== "flat" && isOf(entry, "workflow") && !isKnown(entry.module) &&
    phaseCategory(entry.phase) !== "other"
  ).map((entry) => {
    const place = ROWS.findIndex(([names]) => names.test(entry.name));
    return { entry, place: place < 0 ? ROWS.length : place };
  }).toSorted((a, b) => a.place - b.place).map(({ entry, place }) => ({
    entry,
    help: helpOf(entry, ROWS[place]),
    module: entry.module,
  }));
  const modules = new Set(steps.filter(({ help }) => help.required).map(({ module }) => module));
  return steps.filter(({ module }) => modules.has(module));
}

function helpOf(entry: Entry, row: typeof ROWS[number] | undefined): HelpStep {
  const { module, id, title, name, description, phase = "" } = entry;
  const [, outputs = "", required = false] = row ?? [];
  return {
    module,
    skill: id,
    title: title ?? name,
    code: "",
    description,
    action: "",
    phase,
    after: "",
    before: "",
    required,
    location: phaseCategory(phase) === "implementation" ? BUILDING : PLANNING,
    outputs,
    file: "",
  };
}
