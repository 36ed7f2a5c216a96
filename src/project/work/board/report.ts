/**
 * The board in words and as data: all of it, or one story.
 */
import { groupAlike, named } from "../../../base/alike.ts";
import type { Report } from "../../../base/report.ts";
import { counted, fewOf, oneLine } from "../../../base/text.ts";
import type { Row } from "../../../content/library/mod.ts";
import { epicName, type Found, type Target } from "./find.ts";
import { type Deed, deedLine, timesIn } from "./journal.ts";
import { questionLine } from "./questions.ts";
import { renderEnd } from "./records.ts";
import {
  type ActionItem,
  type Board,
  type Epic,
  type Forced,
  isOver,
  type Problem,
  questionsOf,
  questionWords,
  STATES,
  type Story,
} from "../formats/mod.ts";

/** A report that can also be shown as a table. */
export interface BoardReport extends Report {
  /** A row for each epic, followed by its stories. */
  readonly rows: readonly Row[];
  /** What is wrong, one line for all problems that are alike: drift first. */
  readonly problems: readonly string[];
  /** What people have to decide, one line each. */
  readonly questions: readonly string[];
}

/** How many problems the text lists; the data has all. */
const MAX_TOLD = 50;

/** How many stories are named that can go on, and how many requirements. */
const MAX_NAMED = 10;

/** All epics and stories. */
export function reportBoard(board: Board): BoardReport {
  const { epics, ledgers, actions } = board;
  const stories = epics.flatMap((epic) => epic.stories);
  const problems = driftLines(epics, board.problems);
  const questions = board.questions.map(questionLine);
  const free = stories.filter(({ isFree }) => isFree).map(({ ref }) => ref);
  const counts = Object.fromEntries(
    STATES.map((state) => [state, stories.filter((one) => one.state === state).length]),
  );
  const lines = [
    stories.length === 0
      ? "No stories yet."
      : `${counts["done"]} of ${counted(stories.length, "story is", "stories are")} done.`,
    ...(free.length === 0 ? [] : [`Free now: ${fewOf(free, MAX_NAMED)}.`]),
    ...epics.flatMap((
      epic,
    ) => ["", `## ${epicLine(epic)}`, ...epic.stories.map((one) => `- ${one.ref} ${aboutOf(one)}`)]),
    ...section(
      "Action items",
      actions.map(actionLine),
    ),
    ...section("Open questions", questions),
    ...section("Problems", toldOf(problems)),
  ];
  return {
    text: lines.join("\n"),
    problems,
    questions,
    rows: epics.flatMap((epic) => [
      ...(epic.ref === "" ? [] : [epicRow(epic)]),
      ...epic.stories.map((story) => ({
        name: story.ref,
        about: aboutOf(story),
        data: { ...summaryOf(story), epic: epic.ref },
      })),
    ]),
    data: {
      total: stories.length,
      counts,
      ledgers,
      epics: epics.map(({ stories, ...epic }) => ({ ...epic, stories: stories.map(summaryOf) })),
      actions,
      questions: board.questions,
      problems: board.problems,
    },
  };
}

/** The drift of epics and stories, and other problems: one line for all that are alike. */
export function driftLines(epics: readonly Epic[], others: readonly Problem[] = []): readonly string[] {
  const drift = epics.flatMap((epic) => [
    ...named(`epic ${epic.ref}`, epic.drift),
    ...epic.stories.flatMap((one) => named(`story ${one.ref}`, one.drift)),
  ]);
  return groupAlike([...drift, ...others]).map(({ first, others }) => `${problemLine(first)}${others}`);
}

function epicRow({ stories, ...epic }: Epic): Row {
  const done = stories.filter(({ state }) => state === "done").length;
  const title = `${epic.title} (${done} of ${stories.length} done)`;
  return { name: epicName(epic), about: epicLine({ stories, ...epic }), data: { ...epic, title } };
}

/** What was done with a story so far. */
export interface History {
  readonly deeds: readonly Deed[];
  readonly now: number;
}

/** How many of the last deeds are told; the data has all. */
const MAX_DEEDS = 10;

/** One story, in full. */
export function reportStory(
  { story: found, epic }: Found,
  clean: (text: string) => string,
  { deeds, now }: History = { deeds: [], now: 0 },
): BoardReport {
  const story = { ...found, criteria: found.criteria.map(clean) };
  const { ref, title, state } = epic;
  const facts = present([
    ["state", stateWords(story)],
    ["epic", ref === "" ? undefined : `${ref}: ${title}`],
    ...storyFacts(story),
    ["time in each state", timesIn(deeds, now)],
    ...deeds.slice(-MAX_DEEDS).map((deed) => ["history", deedLine(deed)] as const),
  ]);
  const data = { ...story, epic: { ref, title, state }, history: deeds };
  return reportFacts(`${story.ref}: ${story.title}`, [["title", story.title], ...facts], story.drift, data);
}

/** A story, or an epic with its stories, in full. */
export function reportTarget(
  { story, epic }: Target,
  clean: (text: string) => string,
  history?: History,
): BoardReport {
  return story === undefined ? reportEpic(epic) : reportStory({ story, epic }, clean, history);
}

function reportEpic(epic: Epic): BoardReport {
  const { ledger: path, line, file, stories, drift, covers, after } = epic;
  const facts = present([
    ["state", stateWords(epic)],
    ["file", file && oneLine(file)],
    ["ledger", placeOf({ path, line })],
    ["after", listed(after)],
    ["covers", listed(covers)],
    ...drift.map((one) => ["drift", problemLine(one)] as const),
    ...stories.map((one) => [one.ref, aboutOf(one)] as const),
  ]);
  const data = { ...epic, stories: stories.map(summaryOf) };
  return reportFacts(epicLine(epic), [["epic", epicLine(epic)], ...facts], drift, data);
}

/** A heading and facts; the first of them is what the heading says. */
function reportFacts(
  heading: string,
  facts: readonly (readonly [label: string, value: string])[],
  drift: readonly Problem[],
  data: Report["data"],
): BoardReport {
  return {
    text: [`# ${heading}`, ...facts.slice(1).map(([label, value]) => `- ${label}: ${value}`)].join("\n"),
    problems: drift.map(problemLine),
    questions: [],
    rows: facts.map(([name, about]) => ({ name, about, data: {} })),
    data,
  };
}

function stateWords({ state, status }: Pick<Story, "state" | "status">): string {
  return status === undefined || status === state ? state : `${state} (${status})`;
}

type Fact = readonly [label: string, value: string | undefined];

function present(facts: readonly Fact[]): readonly (readonly [string, string])[] {
  return facts.flatMap(([label, value]) => value === undefined ? [] : [[label, value] as const]);
}

/** What is known of a story besides its title, its state and its epic; a label may come several times. */
export function storyFacts(story: Story): readonly (readonly [label: string, value: string])[] {
  const { ledger, line, file, plan, owner, reason, boxes } = story;
  return present([
    ["file", file && oneLine(file)],
    ["plan", plan && oneLine(plan)],
    ["ledger", placeOf({ path: ledger, line })],
    ["owner", owner],
    ["held by", story.claim && `${story.claim.holder} until ${renderEnd(story.claim)}`],
    ["reason", reason],
    ["open question", story.unknown],
    ["waits for an answer", questionsOf(story).length > 0 ? questionWords(questionsOf(story)) : undefined],
    ["refined", story.isUnrefined && "not yet"],
    ["note", story.note],
    ["forced", story.forced && forcedAs(story.forced)],
    ["builds on", listed(story.after)],
    ["waits for", listed(story.waitsFor)],
    ["covers", listed(story.covers)],
    ["boxes", boxes.total === 0 ? undefined : `${boxes.ticked} of ${boxes.total} ticked`],
    ["findings", story.findings ? `${story.findings} open` : undefined],
    ["stale", story.stale && staleWords(story.stale)],
    ...(story.answers ?? []).map((one) => ["answered", one] as const),
    ...story.criteria.map((one) => ["done when", one] as const),
    ...story.drift.map((one) => ["drift", problemLine(one)] as const),
  ]);
}

/** `by Ann on 2026-08-01: 2 of 3 boxes are not ticked`. */
function forcedAs({ at, by, reasons }: Forced): string {
  return `${by === undefined ? "" : `by ${by} `}on ${at.slice(0, 10)}: ${
    reasons.join("; ") || "no reason known"
  }`;
}

/** `FR3 changed since it began`: requirements of a story. */
export function staleWords(ids: readonly string[]): string {
  return `${fewOf(ids, MAX_NAMED)} changed since it began`;
}

function listed(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(", ");
}

/** What lists have of a story: its criteria are only counted, and its notes are in words. */
function summaryOf(story: Story) {
  const notes = Object.values(storyNotes(story)).filter((note) => note);
  return { ...story, criteria: story.criteria.length, notes };
}

function epicLine({ ref, title, state, owner, waitsFor, stories, retrospective }: Epic): string {
  const done = stories.filter((one) => one.state === "done").length;
  const name = ref === "" || title.startsWith("Epic ")
    ? title
    : /^\d/.test(ref)
    ? `Epic ${ref}: ${title}`
    : title;
  return `${name}${
    notesOf([
      state,
      stories.length === 0 ? undefined : `${done} of ${stories.length} done`,
      owner,
      waitsFor.length === 0 ? undefined : `waits for ${waitsFor.join(", ")}`,
      retrospective && `retrospective ${retrospective}`,
    ])
  }`;
}

/** `in-progress: Sign in (Bob, 3 of 7 boxes ticked)`. */
export function aboutOf(story: Story): string {
  const { state, status, title, drift } = story;
  const word = state === "blocked" && status !== "blocked" ? status : undefined;
  const notes = [word, ...Object.values(storyNotes(story)), drift.length === 0 ? undefined : "drift"];
  return `${state}: ${title}${notesOf(notes)}`;
}

/** What lists and changes say of a story besides its status, in words. */
export function storyNotes(story: Story): Readonly<Record<string, string | undefined>> {
  const { state, reason, isUnrefined, unknown, owner, claim, boxes, waitsFor, forced, findings, stale } =
    story;
  return {
    reason,
    isUnrefined: isUnrefined && "to be refined",
    unknown: unknown && !isOver(state) ? `open question: ${unknown}` : undefined,
    questions: questionsOf(story).length > 0 ? `waits for ${questionWords(questionsOf(story))}` : undefined,
    owner,
    claim: claim && `held by ${claim.holder}`,
    boxes: boxes.total === 0
      ? undefined
      : `${boxes.ticked} of ${counted(boxes.total, "box", "boxes")} ticked`,
    waitsFor: waitsFor.length === 0 || state === "done" ? undefined : `waits for ${waitsFor.join(", ")}`,
    forced: forced && "forced",
    findings: findings ? `${counted(findings, "finding")} open` : undefined,
    stale: stale && `stale: ${fewOf(stale)} changed`,
  };
}

function notesOf(notes: readonly (string | false | undefined)[]): string {
  const told = notes.filter(Boolean);
  return told.length === 0 ? "" : ` (${told.join(", ")})`;
}

/** `Write the migration guide (Ann, epic 1)`. */
export function actionLine({ epic, action, owner }: ActionItem): string {
  return `${action}${notesOf([owner, epic && `epic ${epic}`])}`;
}

/** `out/a.md:3: it says …`. */
export function problemLine({ problem, ...place }: Problem): string {
  return `${placeOf(place)}: ${problem}`;
}

/** `out/a.md:3`. */
export function placeOf({ path, line }: Pick<Problem, "path" | "line">): string {
  return oneLine(line === undefined ? path : `${path}:${line}`);
}

function toldOf(problems: readonly string[]): readonly string[] {
  const more = problems.length - MAX_TOLD;
  return [...problems.slice(0, MAX_TOLD), ...(more > 0 ? [`… and ${counted(more, "more problem")}`] : [])];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, ...lines.map((line) => `- ${line}`)];
}
