/** The work in a few lines: what matters least goes first when the budget is short. */
import { abbreviateList, counted, quotation, shorten } from "../../base/text.ts";
import type { Report } from "../../base/report.ts";
import { tokensIn } from "../../base/tokens.ts";
import { type Board, hasHolder, isOver, type OpenQuestion, problemLine, type Story } from "./formats/mod.ts";
import type { WorkStep } from "./next/mod.ts";

export interface BriefRequest {
  readonly lead: string;
  readonly close?: string;
  readonly budget: number;
}

/** In bytes: rare characters cost a model a token for each byte. */
const MAX_TITLE = 60;
const MAX_QUESTION = 120;
const MAX_OTHERS = 3;

type Line = readonly [rank: number, text: string];

export function renderBrief({ data }: Report, board: Board, { lead, close, budget }: BriefRequest): string {
  const { next, held, questions } = data as unknown as {
    readonly next: readonly WorkStep[];
    readonly held: readonly Pick<Story, "ref" | "title" | "owner" | "claim">[];
    readonly questions: readonly OpenQuestion[];
  };
  const stories = board.epics.flatMap((epic) => epic.stories).filter(({ state }) => state !== "dropped");
  const done = stories.filter(({ state }) => isOver(state)).length;
  const others = held.filter(hasHolder).map(({ ref, title, claim, owner }) =>
    `${ref} ${quoted(title, MAX_TITLE)} (${quoted(claim?.holder ?? owner!, MAX_TITLE)})`
  );
  const loose = held.filter((one) => !hasHolder(one)).map(({ ref, title }) =>
    `${ref} ${quoted(title, MAX_TITLE)}`
  );
  const asked = questions.slice(0, MAX_OTHERS)
    .map(({ number, text }) => `${number}: ${quoted(text, MAX_QUESTION)}`);
  const more = questions.length - asked.length;
  const all: readonly (Line | false)[] = [
    [0, lead],
    board.conflict !== undefined && [0, problemLine(board.conflict)],
    ...(next[0] === undefined ? [] : linesOf(next[0])),
    ...asked.map((one, at): Line => [3 + at, `Waits for an answer: question ${one}`]),
    more > 0 && [6, counted(more, "more question waits", "more questions wait")],
    others.length > 0 && [7, `Others at work: ${abbreviateList(others, MAX_OTHERS)}`],
    loose.length > 0 && [7, `In progress without a holder: ${abbreviateList(loose, MAX_OTHERS)}`],
    board.conflict === undefined && stories.length > 0 &&
    [8, `${done} of ${counted(stories.length, "story", "stories")} done.`],
    close !== undefined && [1, close],
  ];
  let lines = all.filter((line) => line !== false);
  while (readingCost(textOf(lines)) > budget && lines.length > 1) {
    const last = Math.max(...lines.map(([rank]) => rank));
    lines = lines.filter(([rank]) => rank !== last);
  }
  return textOf(lines);
}

function linesOf({ headline, is, story, call, begin }: WorkStep): readonly Line[] {
  const facts = story === undefined ? [] : [
    story.state,
    story.claim && `held by ${quoted(story.claim.holder, MAX_TITLE)}`,
    story.boxes.total > 0 && `${story.boxes.ticked} of ${counted(story.boxes.total, "box", "boxes")} ticked`,
    story.findings && counted(story.findings, "open finding"),
  ].filter(Boolean);
  const isInHand = story?.claim !== undefined || story?.state === "in-progress" || story?.state === "review";
  const label = is !== "next" ? "" : isInHand ? "In hand: " : "Next: ";
  return [
    [
      0,
      `${label}${cutQuotation(headline, MAX_QUESTION)}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`,
    ],
    ...(call === undefined ? [] : [[1, `To do it, when the user wants that, call: ${call}`] as const]),
    ...(begin === undefined ? [] : [[2, `Before the work begins: ${begin}`] as const]),
  ];
}

/** Each byte that is not ASCII may be a token. */
function readingCost(text: string): number {
  const rare = text.replaceAll(/[\0-\x7f]+/g, "");
  return tokensIn(text.replaceAll(/[^\0-\x7f]+/g, " ")) + bytesIn(rare);
}

function bytesIn(text: string): number {
  return new TextEncoder().encode(text).length;
}

function cut(text: string, max: number): string {
  let size = max;
  while (size > 1 && bytesIn(shorten(text, size)) > max) {
    size -= Math.ceil((bytesIn(shorten(text, size)) - max) / 4);
  }
  return shorten(text, size);
}

function quoted(text: string, max: number): string {
  return cutQuotation(quotation(text, max), max);
}

/** Only the words in it become shorter. */
function cutQuotation(text: string, max: number): string {
  const [from, to] = [text.indexOf("“") + 1, text.lastIndexOf("”")];
  return from === 0 || to < from
    ? text
    : text.slice(0, from) + cut(text.slice(from, to), max) + text.slice(to);
}

function textOf(lines: readonly Line[]): string {
  return lines.map(([, text]) => text).join("\n");
}
