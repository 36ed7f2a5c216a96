/** All of the board, or one story, in words and as data. */
import { groupProblems, withSubject } from "../../../base/problem_groups.ts";
import { bulleted, firstLines, joinLines, type Report, section, textLines } from "../../../base/report.ts";
import { abbreviateList, counted } from "../../../base/text.ts";
import type { Row } from "../../../content/library/mod.ts";
import { LIMITS } from "../../limits.ts";
import { epicName, type Target } from "./find.ts";
import { repairCall, type RepairCalls, repairLine } from "./repairs.ts";
import { type JournalEntry, journalLine, timesIn } from "./journal.ts";
import { questionLine } from "./questions.ts";
import {
  type ActionItem,
  type Board,
  type Epic,
  markLine,
  type Problem,
  problemLine,
  STATES,
  type Story,
  storyColumns,
  storyFacts,
  storyNotes,
} from "../formats/mod.ts";

export interface BoardReport extends Report {
  readonly rows: readonly Row[];
  /** One line for all that are alike: drift first. */
  readonly problems: readonly string[];
  readonly questions: readonly string[];
  /** Where statuses change first, and what brings files in step. */
  readonly notes: readonly string[];
}

export function reportBoard(board: Board, calls: RepairCalls = {}): BoardReport {
  const { epics, ledgers, actions } = board;
  const stories = epics.flatMap((epic) => epic.stories);
  const told = new Map(stories.map((story) => [story, toldOf(story)]));
  const problems = driftLines(epics, board.problems);
  const repair = repairCall(board, calls);
  const notes = textLines(trackerLine(stories), repairLine(repair));
  const questions = board.questions.map(questionLine);
  const free = stories.filter(({ isFree }) => isFree).map(({ ref }) => ref);
  const counts = Object.fromEntries(
    STATES.map((state) => [state, stories.filter((one) => one.state === state).length]),
  );
  const moreWords = (more: number) => `… and ${counted(more, "more problem")}`;
  const shown = firstLines(problems, LIMITS.board.problems, moreWords);
  return {
    text: joinLines(
      stories.length === 0
        ? "No stories yet."
        : `${counts["done"]} of ${counted(stories.length, "story is", "stories are")} done.`,
      free.length > 0 && `Free now: ${abbreviateList(free, LIMITS.board.freeStories)}.`,
      epics.flatMap((epic) => [
        "",
        `## ${epicLine(epic)}`,
        ...epic.stories.map((one) => `- ${one.ref} ${told.get(one)!.about}`),
      ]),
      section("Action items", bulleted(actions.map(actionLine))),
      section("Open questions", bulleted(questions)),
      section("Problems", bulleted(shown)),
      notes,
    ),
    problems,
    notes,
    questions,
    rows: epics.flatMap((epic) => [
      ...(epic.ref === "" ? [] : [epicRow(epic)]),
      ...epic.stories.map((story) => ({
        name: story.ref,
        about: told.get(story)!.about,
        columns: storyColumns(story),
        data: { ...told.get(story)!.data, epic: epic.ref },
      })),
    ]),
    data: {
      total: stories.length,
      counts,
      ledgers,
      epics: epics.map(({ stories, ...epic }) => ({
        ...epic,
        stories: stories.map((one) => told.get(one)!.data),
      })),
      actions,
      questions: board.questions,
      problems: board.problems,
      repair,
    },
  };
}

function trackerLine(stories: readonly Story[]): string | undefined {
  const kept = stories.filter(({ tracked }) => tracked !== undefined);
  const [first] = kept.filter(({ isFree, state }) => isFree && state !== "review");
  const begin = first &&
    `. To begin ${first.ref}: ${markLine(first.tracked, "in-progress", () => undefined)}`;
  return kept[0] && `Statuses change in ${kept[0].tracked!.store} first${begin ?? ""}`;
}

export function driftLines(epics: readonly Epic[], others: readonly Problem[] = []): readonly string[] {
  const drift = epics.flatMap((epic) => [
    ...withSubject(`epic ${epic.ref}`, epic.drift),
    ...epic.stories.flatMap((one) => withSubject(`story ${one.ref}`, one.drift)),
  ]);
  return groupProblems([...drift, ...others]).map(({ first, others }) => `${problemLine(first)}${others}`);
}

function epicRow(epic: Epic): Row {
  const { stories, ...data } = epic;
  const title = `${epic.title} (${doneOf(epic)} of ${stories.length} done)`;
  return {
    name: epicName(epic),
    about: epicLine(epic),
    columns: storyColumns(epic),
    data: { ...data, title },
  };
}

function doneOf({ stories }: Epic): number {
  return stories.filter(({ state }) => state === "done").length;
}

export function reportTarget(
  { story, epic }: Pick<Target, "story" | "epic">,
  clean: (text: string) => string,
  { entries, now }: { readonly entries: readonly JournalEntry[]; readonly now: number } = {
    entries: [],
    now: 0,
  },
): BoardReport {
  if (story === undefined) {
    const facts = [
      ["state", stateWords(epic)],
      ...storyFacts(epic),
      ...epic.stories.map((one) => [one.ref, aboutOf(one)] as const),
    ] as const;
    const data = { ...epic, stories: epic.stories.map((one) => toldOf(one).data) };
    return reportFacts(epicLine(epic), [["epic", epicLine(epic)], ...facts], epic.drift, data);
  }
  const { ref, title, state } = epic;
  const shown = { ...story, criteria: story.criteria.map(clean) };
  const times = timesIn(entries, now);
  const facts: readonly Fact[] = [
    ["title", story.title],
    ["state", stateWords(story)],
    ...ref === "" ? [] : [["epic", `${ref}: ${title}`] as const],
    ...storyFacts(shown),
    ...times === undefined ? [] : [["time in each state", times] as const],
    ...entries.slice(-LIMITS.board.shownEntries).map((entry) => ["history", journalLine(entry)] as const),
  ];
  const data = { ...shown, epic: { ref, title, state }, history: entries };
  return reportFacts(`${story.ref}: ${story.title}`, facts, story.drift, data);
}

function reportFacts(
  heading: string,
  facts: readonly Fact[],
  drift: readonly Problem[],
  data: Report["data"],
): BoardReport {
  return {
    text: [`# ${heading}`, ...facts.slice(1).map(([label, value]) => `- ${label}: ${value}`)].join("\n"),
    problems: drift.map(problemLine),
    questions: [],
    notes: [],
    rows: facts.map(([name, about]) => ({ name, about, data: {} })),
    data,
  };
}

function stateWords({ state, status }: Pick<Story, "state" | "status">): string {
  return status === undefined || status === state ? state : `${state} (${status})`;
}

type Fact = readonly [label: string, value: string];

/** In words: `in-progress: Sign in (Bob, 3 of 7 boxes ticked)`. */
function toldOf(story: Story) {
  const { state, status, title } = story;
  const word = state === "blocked" && status !== "blocked" ? status : undefined;
  const notes = storyNotes(story);
  return {
    about: `${state}: ${title}${notesOf([word, ...notes.map(({ words }) => words)])}`,
    data: {
      ...story,
      criteria: story.criteria.length,
      notes: notes.filter(({ name }) => name !== "drift").map(({ words }) => words),
    },
  };
}

function epicLine(epic: Epic): string {
  const { ref, title, state, owner, waitsFor, stories, retrospective } = epic;
  const name = /^\d/.test(ref) && !title.startsWith("Epic ") ? `Epic ${ref}: ${title}` : title;
  const notes = [
    state,
    stories.length > 0 && `${doneOf(epic)} of ${stories.length} done`,
    owner,
    waitsFor.length > 0 && `waits for ${waitsFor.join(", ")}`,
    retrospective && `retrospective ${retrospective}`,
  ];
  return `${name}${notesOf(notes)}`;
}

export function aboutOf(story: Story): string {
  return toldOf(story).about;
}

function notesOf(notes: readonly (string | false | undefined)[]): string {
  const told = notes.filter(Boolean);
  return told.length === 0 ? "" : ` (${told.join(", ")})`;
}

/** `Write the migration guide (Ann, epic 1)`. */
export function actionLine({ epic, action, owner }: ActionItem): string {
  return `${action}${notesOf([owner, epic && `epic ${epic}`])}`;
}
