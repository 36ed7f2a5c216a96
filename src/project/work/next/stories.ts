/**
 * What to do with the stories of a project: which one comes next, what keeps others from it, and when an epic is over.
 *
 * The board knows all stories, whatever keeps them. The furthest story comes first, as BMAD's own script recommends: a
 * retrospective is optional and keeps no epic from beginning.
 */
import type { Entry } from "../../../base/model.ts";
import { counted, fewOf, oneLine } from "../../../base/text.ts";
import { baseName } from "../../../content/tree/mod.ts";
import type { Step } from "../../../content/library/mod.ts";
import { epicName, renderEnd } from "../board/mod.ts";
import { type Action, epicWords, noStepWords, storyWords, type VERDICTS, type Words } from "./words.ts";
import {
  type Board,
  type Epic,
  isAsking,
  isClaimOf,
  isOver,
  isSprintFile,
  mayGoOn,
  questionsOf,
  questionWords,
  type State,
  stateOf,
  type Story,
} from "../formats/mod.ts";

export interface Advice {
  readonly is: keyof typeof VERDICTS;
  readonly step?: Step;
  readonly story?: Story;
  /** The epic to look back at. */
  readonly epic?: string;
  /** What to do, for people. */
  readonly words: Words;
  readonly why: string;
  readonly files: readonly string[];
  /** What gets which status when the work begins, and when it is finished. */
  readonly begin?: StatusAfter;
  readonly end?: StatusAfter;
  /** Whether the sprint can also be made from the epics at once, without the step. */
  readonly canPlan?: true;
}

/** A story, or the retrospective of an epic, and the status that it gets. */
export interface StatusAfter {
  readonly name: string;
  readonly status: string;
}

/** What a story is called where its folder is not known: `1-2-login`, `spec-shop/2`. */
export function nameOf({ ref, key }: Story): string {
  return ref.includes("/") ? ref : key;
}

/** What to execute: an item, the code in its menu, and the message for it. */
export interface StepCall {
  readonly entry: Entry;
  readonly item?: string;
  readonly message?: string;
}

/** The call that follows an advice; undefined if it has no step. */
export function callFor(
  { step, story, epic, end }: Pick<Advice, "step" | "story" | "epic" | "end">,
): StepCall | undefined {
  if (step === undefined) return undefined;
  const { entry, help: { code } } = step;
  const file = story?.file === undefined ? "" : ` (${oneLine(story.file)})`;
  return {
    entry,
    // A step of v4 is a command of an agent.
    item: entry.generation === "v4" ? code : undefined,
    message: story === undefined
      ? epic && `Epic ${epic}`
      : `Story ${nameOf(story)}${file}${end?.status === "done" ? diffOf(story) : ""}`,
  };
}

/** What a review is to look at. A build commits its work, often in one commit with the file of the story; people may not. */
function diffOf({ baseline, file }: Story): string {
  if (baseline !== undefined) return `, diff ${baseline}..HEAD and what is not committed`;
  return file === undefined
    ? ""
    : ", diff: from before the commit that added that file, with what is not committed";
}

/** What to do with a story in a state, and how to say it; the furthest story comes first. */
const BY_STATE: readonly (readonly [state: State, action: Action, words: string])[] = [
  ["in-progress", "work", "is in progress"],
  ["review", "review", "is ready for review"],
  ["ready", "work", "is ready for development"],
  ["backlog", "start", "is first in the backlog"],
];

const MAX_LEDGERS = 3;

/** The next step for the stories of a board; undefined if it has none. `steps` are those that follow the planning. */
export function adviseStories(
  steps: readonly Step[],
  { epics, problems }: Board,
  { planner, by }: { readonly planner?: Step; readonly by?: string } = {},
): Advice | undefined {
  const stories = epics.flatMap((epic) => epic.stories);
  const ledgers = [...new Set(epics.filter((epic) => epic.stories.length > 0).map(({ ledger }) => ledger))];
  const files = ledgers.slice(0, MAX_LEDGERS);
  const own = new Set(epics.map(({ ledger }) => ledger));
  const broken = problems.filter(({ path, line }) =>
    line !== undefined && (isSprintFile(path) || SPEC_LEDGER.test(path) || own.has(path))
  );
  const brokenLines = new Set(broken.map(({ line }) => line));
  const isUnreadable = broken.some(({ problem }) => problem.includes("cannot be parsed"));
  const fix = planner === undefined || !isUnreadable
    ? ""
    : `, or have ${planner.entry.id} write the file again`;
  const named = broken.map(({ path, line, problem }) =>
    `${ledgers.length === 1 ? baseName(path) : path}, line ${line}: ${problem}`
  );
  const doubt = named.length === 0 ? "" : `; ${fewOf(named)}. Fix that line${fix}`;
  if (stories.length === 0) {
    return broken.length === 0
      ? undefined
      : { is: "unknown", words: noStepWords("unknown"), why: doubt.slice("; ".length), files };
  }
  const done = stories.filter(({ state }) => isOver(state)).length;
  const blocked = stories.filter((story) =>
    story.state === "blocked" && !brokenLines.has(story.line) || isAsking(story)
  )
    .map((story) => `${nameOf(story)} (${blockedBy(story)})`);
  const held = blocked.length === 0 ? "" : `; blocked: ${fewOf(blocked)}`;
  const count = `${done} of ${counted(stories.length, "story", "stories")} in ${fewOf(ledgers)} ` +
    `${stories.length === 1 ? "is" : "are"} done${held}${doubt}`;
  const handlers = handlersIn(steps);
  const retrospective = steps.find(({ entry }) => /retrospective$/.test(entry.id));
  const open = retrospective === undefined ? undefined : epics.find(isLookBackOpen);
  const found = nextStory(stories, by);
  if (found !== undefined) {
    const { story, usual, words: state } = found;
    // The ledger decides which story it is; what its file calls finished is not built again.
    const isFinished = story.due !== story.state && (story.due === "review" || story.due === "done");
    const isDraft = story.state === "backlog" && story.file !== undefined && handlers.approve !== undefined;
    const [action, said] = story.isUnrefined
      ? ["refine", "has to be refined before it is built"] as const
      : isDraft
      ? ["approve", "is a draft to be approved"] as const
      : isFinished
      ? ["review", `${state}, but its file says that it is finished`] as const
      : [usual, state] as const;
    const step = handlers[action];
    // The status decides, as it does for BMAD; but where one step writes the story file and the next one works from it,
    // there is nothing to work from yet.
    const isBare = usual === "work" && story.file === undefined && isSprintFile(story.ledger) &&
      handlers.start !== handlers.work;
    const lacks = isBare
      ? `, but has no story file (${handlers.start?.entry.id ?? "another step"} writes it)`
      : "";
    const about = `story ${nameOf(story)} ${said}${lacks}`;
    const doing = action === "start" && handlers.start !== handlers.work ? "write" : action;
    const words = storyWords(doing, story);
    if (step === undefined) {
      return { is: "unknown", words, why: `${about}, but no step handles that; ${count}`, files };
    }
    const look = open === undefined ? "" : `; epic ${open.ref} has no retrospective yet (optional)`;
    return {
      is: "next",
      step,
      story,
      words,
      why: `${about}; ${count}${look}`,
      files,
      ...statusesOf(story, action, handlers),
    };
  }
  const taken = stories.filter((story) => isHeld(story, by)).map((story) =>
    `${nameOf(story)} (${story.claim!.holder} until ${renderEnd(story.claim!)})`
  );
  if (taken.length > 0) {
    const why = `everything that can be done is held: ${fewOf(taken)}; ${count}`;
    return { is: "held", words: noStepWords("held"), why, files };
  }
  const parked = stories.filter((story) => questionsOf(story).length > 0);
  if (parked.length > 0) {
    const why = `everything that can be done waits for an answer; ${count}`;
    return { is: "held", words: { headline: "Answer a question" }, why, files };
  }
  if (open !== undefined) {
    const why = `${count}; epic ${open.ref} has no retrospective yet (optional)`;
    const end = { name: epicName(open, true), status: "done" };
    return { is: "next", step: retrospective, epic: open.ref, words: epicWords(open), why, files, end };
  }
  const is = done === stories.length ? "done" : "unknown";
  return { is, words: noStepWords(is), why: count, files };
}

/** What has to happen before a story goes on. */
function blockedBy(story: Story): string {
  const asked = questionsOf(story);
  if (asked.length > 0) return questionWords(asked);
  return (isAsking(story) ? story.unknown : story.status) ?? "blocked";
}

function isHeld({ claim }: Story, by: string | undefined): boolean {
  return claim !== undefined && !isClaimOf(claim, by);
}

/** The story to do now: one's own, then what is begun, what can begin, what can be refined, what waits for unclaimed ones. */
function nextStory(stories: readonly Story[], by: string | undefined) {
  const free = stories.filter((story) => !isHeld(story, by) && !isAsking(story));
  const own = free.filter(({ claim }) => claim !== undefined);
  const mayBegin = free.filter(mayGoOn);
  const isReady = ({ isUnrefined }: Story) => !isUnrefined;
  // What a ticket waits for was declared, and keeps it back; elsewhere it was only found in texts.
  const soft = stories.some((story) => isHeld(story, by)) ? [] : free.filter(({ form }) => form !== "ticket");
  for (const some of [own, mayBegin.filter(isReady), mayBegin, soft]) {
    for (const [state, usual, words] of BY_STATE) {
      const story = some.find((one) => one.state === state);
      if (story !== undefined) return { story, usual, words };
    }
  }
  return undefined;
}

function statusesOf(
  story: Story,
  action: Action,
  handlers: ReturnType<typeof handlersIn>,
): Pick<Advice, "begin" | "end"> {
  const name = nameOf(story);
  const isBuilt = action === "work" || action === "start" && handlers.start === handlers.work;
  // No status says that a ticket is refined; its file does.
  if (action === "refine") return {};
  if (action === "review") {
    const isBehind = story.due === "review" && story.state !== "review";
    return { ...(isBehind && { begin: { name, status: "review" } }), end: { name, status: "done" } };
  }
  if (!isBuilt) return { end: { name, status: "ready-for-dev" } };
  const end = { name, status: "review" };
  // A build that does all of it sets the status itself, after it has made sure that nothing is uncommitted.
  const marksItself = handlers.start === handlers.work;
  return marksItself || story.state === "in-progress"
    ? { end }
    : { begin: { name, status: "in-progress" }, end };
}

const SPEC_LEDGER = /(?:^|\/)stories\.ya?ml$/i;

/** Older releases prepare a story in one step and build it in the next; newer ones do both in one. */
function handlersIn(steps: readonly Step[]): Readonly<Partial<Record<Action, Step>>> {
  const required = steps.filter(({ help }) => help.required);
  const [start, work] = [required[0], required.at(-1)];
  const approve = steps.find(({ help }) => help.code === "validate-story-draft");
  const review = steps.find(({ entry, help }) => /code-review$/.test(entry.id) || help.code === "review") ??
    work;
  const refine = steps.find(({ entry }) => /(?:^|-)ticket$/.test(entry.id));
  return { start, refine, approve, work, review };
}

function isLookBackOpen({ retrospective, stories }: Epic): boolean {
  return retrospective !== undefined && stateOf(retrospective) !== "done" &&
    stories.length > 0 && stories.every(({ state }) => isOver(state));
}
