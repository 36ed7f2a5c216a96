/** Which story comes next: the furthest, as BMAD's own script recommends; and what keeps others from it. */
import { textLines } from "../../../base/report.ts";
import { abbreviateList, counted, oneLine, quotation } from "../../../base/text.ts";
import type { Step } from "../../../content/library/mod.ts";
import { baseName } from "../../../content/tree/mod.ts";
import { epicName } from "../board/mod.ts";
import {
  type Board,
  type DocumentRole,
  elsewhereWords,
  type Epic,
  isAsking,
  isClaimOf,
  isOver,
  isSprintFile,
  mayGoOn,
  questionsOf,
  questionWords,
  renderEnd,
  type State,
  stateOf,
  type Story,
} from "../formats/mod.ts";

type Action = "start" | "refine" | "approve" | "work" | "review";

const VERBS: Readonly<Record<Action | "write", string>> = {
  start: "Start",
  work: "Start",
  write: "Write",
  refine: "Refine",
  approve: "Approve",
  review: "Review",
};

type Wording = Pick<Advice, "headline" | "request">;

function storyWords(action: Action | "write", { ref, title, state }: Story): Wording {
  const verb = action === "work" && state === "in-progress" ? "Continue" : VERBS[action];
  return { headline: `${verb} ${quotation(title)}`, request: `${verb} story ${ref}` };
}

const DOCUMENTS: Readonly<Partial<Record<DocumentRole, string>>> = {
  brief: "product brief",
  PRD: "PRD",
  GDD: "game design document",
  spec: "spec",
  UX: "UX design",
  architecture: "architecture",
  epics: "epics and stories",
};

export function documentHeadline(role: DocumentRole, title: string, isBegun: boolean): string {
  const noun = DOCUMENTS[role];
  if (noun === undefined) return `${isBegun ? "Continue" : "Start"} ${quotation(title)}`;
  return `${isBegun ? "Finish" : "Create"} the ${noun}`;
}

export const VERDICTS = {
  next: "Next",
  done: "All done",
  held: "Nothing is free",
  unknown: "Next step unknown",
} as const;

export function adviseNoStep(
  is: Exclude<keyof typeof VERDICTS, "next">,
  why: string,
  files: readonly string[] = [],
  headline: string = VERDICTS[is],
): Advice {
  return { is, headline, why, files };
}

export interface Advice {
  readonly is: keyof typeof VERDICTS;
  readonly step?: Step;
  readonly story?: Story;
  readonly epic?: string;
  /** `Continue “Book a walk”`, `Create the PRD`. */
  readonly headline: string;
  /** For a client, if not the headline: `Continue story 2-2`. */
  readonly request?: string;
  readonly why: string;
  readonly files: readonly string[];
  readonly begin?: StatusAfter;
  readonly end?: StatusAfter;
  readonly canPlan?: boolean;
}

export interface StatusAfter {
  readonly name: string;
  readonly status: string;
}

/** Without the folder: `1-2-login`, `spec-shop/2`. */
export function nameOf({ ref, key }: Story): string {
  return ref.includes("/") ? ref : key;
}

export type StepCall = NonNullable<ReturnType<typeof callFor>>;

export function callFor({ step, story, epic, end }: Pick<Advice, "step" | "story" | "epic" | "end">) {
  if (step === undefined) return undefined;
  const { entry, help: { code } } = step;
  const file = story?.file === undefined ? "" : ` (${oneLine(story.file)})`;
  const isReview = end?.status === "done" && (story?.file ?? story?.plan) !== undefined;
  return {
    entry,
    // In v4, it is an agent's command.
    item: entry.generation === "v4" ? code : undefined,
    message: story === undefined
      ? epic && `Epic ${epic}`
      : `Story ${nameOf(story)}${file}${isReview ? `, diff: as named by review ${nameOf(story)}` : ""}`,
  };
}

const BY_STATE: readonly (readonly [state: State, action: Action, words: string])[] = [
  ["in-progress", "work", "is in progress"],
  ["review", "review", "is ready for review"],
  ["ready", "work", "is ready for development"],
  ["backlog", "start", "is first in the backlog"],
];

const MAX_LEDGERS = 3;

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
  const named = broken.map(({ path, line, problem }) =>
    `${ledgers.length === 1 ? baseName(path) : path}, line ${line}: ${problem}`
  );
  const isUnreadable = broken.some(({ problem }) => problem.includes("cannot be parsed"));
  const again = planner && isUnreadable ? `, or have ${planner.entry.id} write the file again` : "";
  const toFix = broken.length > 0 && `${abbreviateList(named)}. Fix that line${again}`;
  if (stories.length === 0) return toFix ? adviseNoStep("unknown", toFix, files) : undefined;
  const brokenLines = new Set(broken.map(({ line }) => line));
  const done = stories.filter(({ state }) => isOver(state)).length;
  const blocked = stories
    .filter((story) => story.state === "blocked" && !brokenLines.has(story.line) || isAsking(story))
    .map((story) => `${nameOf(story)} (${blockedBy(story)})`);
  const total = `${counted(stories.length, "story", "stories")} in ${abbreviateList(ledgers)}`;
  const count = textLines(
    `${done} of ${total} ${stories.length === 1 ? "is" : "are"} done`,
    blocked.length > 0 && `blocked: ${abbreviateList(blocked)}`,
    toFix,
  ).join("; ");
  const handlers = handlersIn(steps);
  const retrospective = steps.find(({ entry }) => /retrospective$/.test(entry.id));
  const open = retrospective === undefined ? undefined : epics.find(isLookBackOpen);
  const lookBack = open === undefined ? "" : `; epic ${open.ref} has no retrospective yet (optional)`;
  const found = pickStory(stories, by);
  if (found !== undefined) {
    const { story, usual } = found;
    const [action, said] = actionFor(found, handlers);
    const step = handlers[action];
    // As in BMAD, the status decides, unless another step has yet to write the story file.
    const isBare = usual === "work" && story.file === undefined && isSprintFile(story.ledger) &&
      handlers.start !== handlers.work;
    const lacks = isBare
      ? `, but has no story file (${handlers.start?.entry.id ?? "another step"} writes it)`
      : "";
    const about = `story ${nameOf(story)} ${said}${lacks}`;
    const words = storyWords(
      action === "start" && handlers.start !== handlers.work ? "write" : action,
      story,
    );
    if (step === undefined) {
      return { is: "unknown", ...words, why: `${about}, but no step handles that; ${count}`, files };
    }
    const why = `${about}; ${count}${lookBack}`;
    return { is: "next", step, story, ...words, why, files, ...statusesOf(story, action, handlers) };
  }
  const taken = stories.flatMap((story) => {
    const { state, claim, elsewhere } = story;
    if (isHeld(story, by)) return `${nameOf(story)} (${claim!.holder} until ${renderEnd(claim!)})`;
    return elsewhere === undefined || isOver(state) ? [] : `${nameOf(story)} (${elsewhereWords(elsewhere)})`;
  });
  if (taken.length > 0) {
    const why = `everything that can be done is held: ${abbreviateList(taken)}; ${count}`;
    return adviseNoStep("held", why, files);
  }
  if (stories.some((story) => questionsOf(story).length > 0)) {
    const why = `everything that can be done waits for an answer; ${count}`;
    return adviseNoStep("held", why, files, "Answer a question");
  }
  if (open !== undefined) {
    return {
      is: "next",
      step: retrospective,
      epic: open.ref,
      headline: `Look back at ${quotation(open.title)}`,
      request: `Hold the retrospective of epic ${open.ref}`,
      why: `${count}${lookBack}`,
      files,
      end: { name: epicName(open, true), status: "done" },
    };
  }
  return adviseNoStep(done === stories.length ? "done" : "unknown", count, files);
}

function actionFor(
  { story, usual, words }: NonNullable<ReturnType<typeof pickStory>>,
  { approve }: Handlers,
): readonly [Action, why: string] {
  const { state, file, due } = story;
  if (story.isUnrefined) return ["refine", "has to be refined before it is built"];
  if (state === "backlog" && file !== undefined && approve !== undefined) {
    return ["approve", `is a draft to be approved: ${file}`];
  }
  // Work that the file calls finished is not built again.
  const isFinished = due !== state && (due === "review" || due === "done");
  return isFinished
    ? ["review", `${words}, but ${file ?? "its file"} says that it is finished`]
    : [usual, words];
}

function blockedBy(story: Story): string {
  const asked = questionsOf(story);
  if (asked.length > 0) return questionWords(asked);
  return (isAsking(story) ? story.unknown : story.status) ?? "blocked";
}

function isHeld({ claim }: Story, by: string | undefined): boolean {
  return claim !== undefined && !isClaimOf(claim, by);
}

/** Own claims, then what is begun, can begin, needs refining, or waits for unclaimed stories. */
function pickStory(stories: readonly Story[], by: string | undefined) {
  const free = stories.filter((story) => !isHeld(story, by) && !isAsking(story));
  const own = free.filter(({ claim }) => claim !== undefined);
  const mayBegin = free.filter(mayGoOn);
  const isReady = ({ isUnrefined }: Story) => !isUnrefined;
  // Elsewhere than in tickets, what they wait for was only found in texts.
  const soft = stories.some((story) => isHeld(story, by)) ? [] : free.filter(({ form }) => form !== "ticket");
  for (const some of [own, mayBegin.filter(isReady), mayBegin, soft]) {
    for (const [state, usual, words] of BY_STATE) {
      const story = some.find((one) => one.state === state);
      if (story !== undefined) return { story, usual, words };
    }
  }
  return undefined;
}

function statusesOf(story: Story, action: Action, { start, work }: Handlers): Pick<Advice, "begin" | "end"> {
  const name = nameOf(story);
  // It checks that nothing is uncommitted, and sets the status itself.
  const marksItself = start === work;
  // The file shows that a ticket is refined, not a status.
  if (action === "refine") return {};
  const review = { name, status: "review" };
  if (action === "review") {
    const isBehind = story.due === "review" && story.state !== "review";
    return { begin: isBehind ? review : undefined, end: { name, status: "done" } };
  }
  if (action === "approve" || action === "start" && !marksItself) {
    return { end: { name, status: "ready-for-dev" } };
  }
  const isBegun = marksItself && story.tracked === undefined || story.state === "in-progress";
  return { begin: isBegun ? undefined : { name, status: "in-progress" }, end: review };
}

const SPEC_LEDGER = /(?:^|\/)stories\.ya?ml$/i;

type Handlers = Readonly<Partial<Record<Action, Step>>>;

/** Two steps in older releases, one in newer ones. */
function handlersIn(steps: readonly Step[]): Handlers {
  const required = steps.filter(({ help }) => help.required);
  const [start, work] = [required[0], required.at(-1)];
  const approve = steps.find(({ help }) => help.code === "validate-story-draft");
  const review = steps.find(({ entry, help }) => /code-review$/.test(entry.id) || help.code === "review") ??
    work;
  const refine = steps.find(({ entry }) => /(?:^|-)ticket$/.test(entry.id));
  return { start, refine, approve, work, review };
}

export function builderOf(steps: readonly Step[], module: string): Step["entry"] | undefined {
  return handlersIn(steps.filter((step) => step.isInPhase && step.module === module)).work?.entry;
}

function isLookBackOpen({ retrospective, stories }: Epic): boolean {
  return retrospective !== undefined && stateOf(retrospective) !== "done" &&
    stories.length > 0 && stories.every(({ state }) => isOver(state));
}
