/**
 * What a project should do next, and why.
 *
 * Told from the way that help catalogues describe (steps.ts), from what the steps so far have left behind (outputs.ts)
 * and, once there is one, from the sprint (sprint.ts). Steps that a project cannot skip are recommended. Where all this
 * does not tell, the advice says so and why: a guess would be worse.
 */
import type { Library } from "../library.ts";
import { findArtefacts, type Findings, type Progress } from "./artefacts.ts";
import { parseSprint, type Sprint, type StoryStatus } from "./sprint.ts";
import { isInPhase, type Step, stepsOf } from "./steps.ts";

/** What is recommended. */
export interface Advice {
  /** Whether there is something to do next, nothing any more, or no way to tell. */
  readonly is: "next" | "done" | "unknown";
  /** What to do next; missing where there is nothing, or nobody can tell. */
  readonly step?: Step;
  /** The story to do it with: `1-2-login`. */
  readonly story?: string;
  /** Why, in half a sentence. */
  readonly why: string;
  /** The files of the project that it was told from. */
  readonly files: readonly string[];
}

/** All that is known of a project's way. */
export interface Outlook {
  /** Those on the way in order, then what can be done at any time. */
  readonly steps: readonly Step[];
  /** Never empty; several where several modules have a way of their own. */
  readonly advice: readonly Advice[];
  /** What a step has left behind. */
  progressOf(step: Step): Progress;
}

/** Looks where a project stands. Reads the project's output folders, and keeps nothing. */
export async function lookAhead(library: Library): Promise<Outlook> {
  const steps = await stepsOf(library);
  const blind = (why: string): Outlook => ({
    steps,
    advice: [{ is: "unknown", why, files: [] }],
    progressOf: () => ({ state: "unseen", files: [], folders: [] }),
  });
  const ways = waysIn(steps);
  if (ways.length === 0) return blind("no help catalogue says which steps a project cannot skip");
  const findings = findArtefacts(library, steps);
  if ("reason" in findings) return blind(findings.reason);
  // Whoever has begun one way is not asked to begin the others.
  const begun = ways.filter((way) => required(way).some((step) => findings.of(step).files.length > 0));
  const advice = (begun.length > 0 ? begun : ways).map((way) => advise(way, findings));
  return { steps, advice, progressOf: findings.of };
}

/** The steps of each module that has some that cannot be skipped. */
function waysIn(steps: readonly Step[]): readonly (readonly Step[])[] {
  const ways = Map.groupBy(steps.filter(isInPhase), ({ module }) => module);
  return [...ways.values()].filter((way) => required(way).length > 0);
}

function required(way: readonly Step[]): readonly Step[] {
  return way.filter(({ help }) => help.required);
}

/** What comes next on one way. */
function advise(way: readonly Step[], findings: Findings): Advice {
  const found = sprintIn(way, findings);
  if (found !== undefined) return adviseInSprint(way, found);
  const steps = required(way);
  const at = steps.findLastIndex((step) => findings.of(step).files.length > 0);
  const skipped = steps.slice(0, Math.max(0, at)).filter((step) => findings.of(step).state === "none");
  const but = skipped.length === 0 ? "" : `, but nothing was found of ${skipped.map(idOf).join(", ")}`;
  const last = steps[at];
  if (last === undefined) return adviseBeginning(steps[0]!, findings);
  const { state, files } = findings.of(last);
  if (state === "begun") return { is: "next", step: last, why: `${files[0]} is not finished${but}`, files };
  const next = steps[at + 1];
  if (next === undefined) return { is: "done", why: `every required step was taken${but}`, files };
  const more = files.length > 1 ? ` and ${files.length - 1} more` : "";
  const why = state === "done"
    ? `${idOf(last)} is done (${files[0]}${more})${but}`
    : `${idOf(last)} has left ${files[0]}${more}${but}; if that is not finished, go on with ${
      idOf(last)
    } first`;
  return { is: "next", step: next, why, files };
}

function adviseBeginning(first: Step, findings: Findings): Advice {
  const { state, folders } = findings.of(first);
  if (state !== "unseen") {
    const why = `it is the first required step, and no ${first.help.outputs} was found in ${
      folders.join(", ")
    }`;
    return { is: "next", step: first, why, files: [] };
  }
  const { location } = first.help;
  const where = location === ""
    ? "the catalogue does not say where"
    : `${location} is no folder in the project`;
  return { is: "unknown", why: `what ${idOf(first)} leaves behind cannot be seen: ${where}`, files: [] };
}

function idOf({ entry }: Step): string {
  return entry.id;
}

/** A sprint, the file that it is in and the step that made it. */
interface FoundSprint {
  readonly sprint: Sprint;
  readonly file: string;
  readonly step: Step;
}

const SPRINT_FILE = /(?:^|\/)sprint-status\.ya?ml$/i;

function sprintIn(way: readonly Step[], findings: Findings): FoundSprint | undefined {
  for (const step of way) {
    for (const file of findings.of(step).files.filter((path) => SPRINT_FILE.test(path))) {
      const sprint = parseSprint(findings.read(file) ?? "");
      if (sprint !== undefined) return { sprint, file, step };
    }
  }
  return undefined;
}

/** What is done with a story that is so far, and how that is said; what is furthest is done first. */
const IN_SPRINT:
  readonly (readonly [status: StoryStatus, does: "begin" | "work" | "review", says: string])[] = [
    ["in-progress", "work", "is in progress"],
    ["review", "review", "waits for its review"],
    ["ready-for-dev", "work", "is ready"],
    ["backlog", "begin", "is the first in the backlog"],
  ];

function adviseInSprint(way: readonly Step[], { sprint, file, step: planning }: FoundSprint): Advice {
  const { stories, openRetrospectives, unknown } = sprint;
  const files = [file];
  const rest = way.slice(way.indexOf(planning) + 1);
  // Older releases prepare a story in one step and build it in the next; newer ones do both in one.
  const [begin, work] = [required(rest)[0], required(rest).at(-1)];
  const named = (name: RegExp) => rest.find(({ entry }) => name.test(entry.id));
  const steps = { begin, work, review: named(/code-review$/) ?? work };
  const done = stories.filter(({ status }) => status === "done").length;
  const count = `${done} of ${stories.length} stories are done (${file})`;
  for (const [status, does, says] of IN_SPRINT) {
    const story = stories.find((one) => one.status === status)?.key;
    if (story === undefined) continue;
    const step = steps[does];
    return step === undefined
      ? { is: "unknown", why: `story ${story} ${says}, but no step is for that`, files }
      : { is: "next", step, story, why: `story ${story} ${says}; ${count}`, files };
  }
  if (unknown.length > 0) return { is: "unknown", why: `${file} says ${unknown.join(", ")}`, files };
  const [epic] = openRetrospectives;
  const step = epic === undefined ? undefined : named(/retrospective$/);
  if (step === undefined) return { is: "done", why: count, files };
  return {
    is: "next",
    step,
    why: `${count}; epic ${epic} has had no retrospective, which is optional`,
    files,
  };
}
