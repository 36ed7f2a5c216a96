/**
 * Which step a project should take next, and why.
 *
 * It follows from the order in the help catalogues (content), the artefacts so far (progress.ts) and, once there is
 * one, the sprint (sprint.ts). Only required steps are recommended. Where these do not decide, the advice says why: a
 * guess would be worse.
 */
import { counted } from "../../base/text.ts";
import { type Library, listSteps, type Step } from "../../content/library/mod.ts";
import { type Artefacts, findArtefacts, type Progress } from "./progress.ts";
import { parseSprint, type Sprint, STATUS_WORDS, type StoryStatus } from "./sprint.ts";

export interface Advice {
  /** Whether a step comes next, everything is done, or it cannot be determined. */
  readonly is: "next" | "done" | "unknown";
  readonly step?: Step;
  /** The story to do it with: `1-2-login`. */
  readonly story?: string;
  /** The status of that story. */
  readonly status?: string;
  readonly why: string;
  /** The files of the project that show it. */
  readonly files: readonly string[];
}

export interface Roadmap {
  /** The steps in phases, in order, then those for any time. */
  readonly steps: readonly Step[];
  /** Never empty; several where several modules have required steps. */
  readonly advice: readonly Advice[];
  progressOf(step: Step): Progress;
  /** Undefined where there is no project. */
  readonly artefacts?: Artefacts;
}

/** Determines how far a project is. Reads its output folders on every call. */
export async function planAhead(library: Library): Promise<Roadmap> {
  const steps = await listSteps(library);
  const unknown = (why: string): Roadmap => ({
    steps,
    advice: [{ is: "unknown", why, files: [] }],
    progressOf: () => ({ state: "unknown", files: [], folders: [] }),
  });
  const paths = pathsIn(steps);
  if (paths.length === 0) return unknown("no help catalogue has required steps");
  const artefacts = findArtefacts(library, steps);
  if ("reason" in artefacts) return unknown(artefacts.reason);
  // A project that follows one module is not asked to start with another.
  const started = paths.filter((path) => required(path).some((step) => artefacts.of(step).files.length > 0));
  const advice = (started.length > 0 ? started : paths).map((path) => advise(path, artefacts));
  return { steps, advice, progressOf: artefacts.of, artefacts };
}

/** The steps in phases of each module that has required ones. */
function pathsIn(steps: readonly Step[]): readonly (readonly Step[])[] {
  const paths = Map.groupBy(steps.filter(({ isInPhase }) => isInPhase), ({ module }) => module);
  return [...paths.values()].filter((path) => required(path).length > 0);
}

function required(path: readonly Step[]): readonly Step[] {
  return path.filter(({ help }) => help.required);
}

function advise(path: readonly Step[], artefacts: Artefacts): Advice {
  const found = sprintIn(path, artefacts);
  if (found !== undefined) {
    const { sprint, file, step } = found;
    if ("problem" in sprint) return adviseRepair(step, file, sprint.problem);
    return adviseInSprint(path.slice(path.indexOf(step) + 1), sprint, file);
  }
  const steps = required(path);
  const at = steps.findLastIndex((step) => artefacts.of(step).files.length > 0);
  const last = steps[at];
  if (last === undefined) return adviseStart(steps[0]!, artefacts);
  const skipped = steps.slice(0, at).filter((step) => artefacts.of(step).state === "none");
  const but = skipped.length === 0 ? "" : `, but ${skipped.map(idOf).join(", ")} left no files`;
  const { state, files, problem } = artefacts.of(last);
  if (state === "started") return { is: "next", step: last, why: `${files[0]} is not finished${but}`, files };
  if (problem !== undefined) return { is: "unknown", why: `${problem}. Fix that line${but}`, files };
  const next = steps[at + 1];
  if (next === undefined) return { is: "done", why: `every required step is done${but}`, files };
  const more = files.length > 1 ? ` and ${files.length - 1} more` : "";
  const why = state === "done"
    ? `${idOf(last)} is done (${files[0]}${more})${but}`
    : `${idOf(last)} wrote ${files[0]}${more}${but}; if that is not finished, continue with ${idOf(last)}`;
  return { is: "next", step: next, why, files };
}

function adviseStart(first: Step, artefacts: Artefacts): Advice {
  const { state, folders } = artefacts.of(first);
  const { location, outputs } = first.help;
  if (state !== "unknown") {
    const why = `it is the first required step (no ${outputs} in ${folders.join(", ")})`;
    return { is: "next", step: first, why, files: [] };
  }
  const where = location === "" ? "the catalogue names no folder" : `${location} is not in the project`;
  return { is: "unknown", why: `the artefacts of ${idOf(first)} cannot be located: ${where}`, files: [] };
}

function idOf({ entry }: Step): string {
  return entry.id;
}

const SPRINT_FILE = /(?:^|\/)sprint-status\.ya?ml$/i;

/** A sprint, its file and the step that wrote it. */
function sprintIn(path: readonly Step[], artefacts: Artefacts) {
  for (const step of path) {
    for (const file of artefacts.of(step).files.filter((file) => SPRINT_FILE.test(file))) {
      const sprint = parseSprint(artefacts.read(file) ?? "");
      if (sprint !== undefined) return { sprint, file, step };
    }
  }
  return undefined;
}

/** What to do with a story by its status, and how to say it; the furthest story comes first. */
const IN_SPRINT:
  readonly (readonly [status: StoryStatus, action: "start" | "work" | "review", words: string])[] = [
    ["in-progress", "work", "is in progress"],
    ["review", "review", "is ready for review"],
    ["ready-for-dev", "work", "is ready for development"],
    ["backlog", "start", "is first in the backlog"],
  ];

function adviseRepair(step: Step, file: string, problem: string): Advice {
  const why = `${file} cannot be read: ${problem}. Fix that line, or have ${idOf(step)} write the file again`;
  return { is: "unknown", why, files: [file] };
}

/** The next step after `rest`, those that follow the planning of the sprint. */
function adviseInSprint(rest: readonly Step[], sprint: Sprint, file: string): Advice {
  const { stories, openRetrospectives, dueRetrospective, unknown } = sprint;
  const files = [file];
  // Older releases prepare a story in one step and build it in the next; newer ones do both in one.
  const [start, work] = [required(rest)[0], required(rest).at(-1)];
  const named = (name: RegExp) => rest.find(({ entry }) => name.test(entry.id));
  const steps = { start, work, review: named(/code-review$/) ?? work };
  const done = stories.filter(({ status }) => status === "done").length;
  const total = stories.length + unknown.length;
  const doubt = unknown.length === 0 ? "" : `; unknown status: ${fewOf(unknown)}`;
  const count = `${done} of ${counted(total, "story is done", "stories are done")} (${file})${doubt}`;
  const retrospective = named(/retrospective$/);
  const review = (epic: string, story?: string): Advice => {
    const others = story === undefined ? "" : `; or start story ${story}`;
    const why = `${count}; epic ${epic} has no retrospective yet (optional${others})`;
    return { is: "next", step: retrospective, why, files };
  };
  for (const [status, action, words] of IN_SPRINT) {
    const story = stories.find((one) => one.status === status)?.key;
    if (story === undefined) continue;
    if (status === "backlog" && dueRetrospective !== undefined && retrospective !== undefined) {
      return review(dueRetrospective, story);
    }
    const step = steps[action];
    return step === undefined
      ? { is: "unknown", why: `story ${story} ${words}, but no step handles that`, files }
      : { is: "next", step, story, status, why: `story ${story} ${words}; ${count}`, files };
  }
  const [epic] = openRetrospectives;
  if (epic !== undefined && retrospective !== undefined) return review(epic);
  if (unknown.length === 0) return { is: "done", why: count, files };
  return { is: "unknown", why: `${count}. Known are ${STATUS_WORDS.join(", ")}`, files };
}

/** How many unknown values are named. */
const MAX_NAMED = 3;

function fewOf(values: readonly string[]): string {
  const more = values.length - MAX_NAMED;
  return values.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
