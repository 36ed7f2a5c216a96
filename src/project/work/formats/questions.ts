/**
 * `open-questions.md`: what people have to decide, as a list that they may also edit by hand:
 *
 *     - **Q3** Which provider signs people in?
 *       - Story: 1-2-login
 *       - To: Ann
 *       - A: Google
 *       - Asked: 2026-11-18 by dev
 *
 * An answered one has `Answer: …`, a ticked box, or a heading such as “Answered” above it.
 */
import { MAX_OWNER } from "../../../base/model.ts";
import { textLines } from "../../../base/report.ts";
import { shorten, splitLines } from "../../../base/text.ts";
import { LIMITS } from "../../limits.ts";
import type { Moment, Problem, Question } from "./model.ts";
import { lengthProblem } from "./source.ts";
import { indentOf } from "./yaml_lines.ts";

export interface NotedQuestion extends Question {
  readonly isOpen: boolean;
  readonly line: number;
  readonly end: number;
}

export interface QuestionList {
  readonly questions: readonly NotedQuestion[];
  readonly answeredLine?: number;
  readonly problems: readonly Omit<Problem, "path">[];
}

const HEADING = /^ {0,3}(#{1,6})\s+(\S.*)$/;
const ANSWERED = /^\W*(?:answered|answers?|closed|resolved|settled|decided|decisions|done)\b/i;
const FENCE = /^\s*(?:`{3,}|~{3,})/;
const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$/;
const NUMBER = /^(~~)?(\*\*|__)?(Q(?:uestion)?\s?|#)?(\d{1,9})([.:)])?(?:\*\*|__)?([.:)])?\s+(\S.*)$/i;
const FIELD = /^(?:(?:\*\*|__)([a-z]+)(?::(?:\*\*|__)|(?:\*\*|__):)|([a-z]+)[:)])\s+(\S.*)$/i;
const DAY = /^(\d{4}-\d{2}-\d{2})?[,\s]*(?:by\s+)?(.*)/;

interface Draft {
  readonly number: number;
  readonly line: number;
  readonly column: number;
  readonly isClosed: boolean;
  end: number;
  readonly parts: { readonly label: string; text: string }[];
}

export function readQuestions(text: string): QuestionList {
  const excess = lengthProblem(text);
  if (excess !== undefined) return { questions: [], problems: [{ problem: excess }] };
  const drafts: Draft[] = [];
  const problems: Omit<Problem, "path">[] = [];
  let [draft, isCode, isAfterBlank]: [Draft | undefined, boolean, boolean] = [undefined, false, true];
  let answered: { readonly line: number; readonly level: number } | undefined;
  let isAnswered = false;
  for (const [at, written] of splitLines(text.replace(/^\uFEFF/, "")).entries()) {
    const line = at + 1;
    const row = written.slice(0, LIMITS.questions.lineLength);
    const wasAfterBlank = isAfterBlank;
    isAfterBlank = row.trim() === "";
    if (isAfterBlank) continue;
    const isInside = draft !== undefined && indentOf(row) > draft.column;
    const isFence = FENCE.test(row);
    if (isFence) isCode = !isCode;
    if (isCode || isFence) {
      if (isInside) draft!.end = line;
      continue;
    }
    const [, signs, title] = HEADING.exec(row) ?? [];
    if (signs !== undefined) {
      draft = undefined;
      if (ANSWERED.test(title!)) answered = { line, level: signs.length };
      isAnswered = answered !== undefined &&
        (answered.line === line || isAnswered && signs.length > answered.level);
      continue;
    }
    const [, , box, rest] = ITEM.exec(row) ?? [];
    // A paragraph goes on without indentation, but not behind a blank line.
    if (isInside || draft !== undefined && rest === undefined && !wasAfterBlank) {
      draft!.end = line;
      addPart(draft!, rest, row);
      continue;
    }
    draft = undefined;
    if (rest === undefined) continue;
    const read = numberIn(rest);
    const isClosed = isAnswered || box?.toLowerCase() === "x";
    if (read !== undefined) {
      const { number, text, isStruck } = read;
      const parts = [{ label: "", text }];
      draft = { number, line, column: indentOf(row), isClosed: isClosed || isStruck, end: line, parts };
      drafts.push(draft);
    } else if (!isClosed && rest.trimEnd().endsWith("?") && indentOf(row) < 4) {
      problems.push({ line, problem: "a question without a number: begin it with one, such as **Q1**" });
    }
  }
  const all = drafts.slice(0, LIMITS.questions.questions).map(questionOf);
  const questions = all.map((one) => ({
    ...one,
    isOpen: one.isOpen &&
      !all.some(({ isOpen, number, text }) => !isOpen && number === one.number && text === one.text),
  }));
  return {
    questions,
    answeredLine: answered?.line,
    problems: [...problems.slice(0, LIMITS.questions.questions), ...repeated(questions)],
  };
}

/** Left by a merge of two branches that both asked. */
function repeated(questions: readonly NotedQuestion[]) {
  return [...Map.groupBy(questions, ({ number }) => number).values()].flatMap(([first, ...rest]) =>
    rest.filter(({ text }) => text !== first!.text).map(({ number, line }) => {
      return { line, problem: `question ${number} is also on line ${first!.line}: reconcile renumbers it` };
    })
  );
}

function numberIn(text: string) {
  const [, struck, bold, word, digits, point, after, rest] = NUMBER.exec(text) ?? [];
  if (digits === undefined || (bold ?? word ?? point ?? after) === undefined) return undefined;
  return { number: Number(digits), text: rest!, isStruck: struck !== undefined };
}

function addPart({ parts }: Draft, item: string | undefined, row: string): void {
  if (item === undefined) {
    const last = parts.at(-1)!;
    if (last.text.length < LIMITS.questions.lineLength) last.text += ` ${row.trim()}`;
    return;
  }
  const [, bold, plain, value] = FIELD.exec(item) ?? [];
  // A choice's letter is not in bold; what has no label is a note.
  parts.push({ label: (bold ?? plain ?? "note").toLowerCase(), text: value ?? "" });
}

function questionOf({ number, line, end, isClosed, parts }: Draft): NotedQuestion {
  const valueOf = (max: number, ...labels: readonly string[]) => {
    const found = parts.find(({ label, text }) => labels.includes(label) && text !== "");
    return found && shorten(found.text, max);
  };
  const momentOf = (label: string) => readMoment(valueOf(LIMITS.questions.nameLength, label));
  const answer = valueOf(LIMITS.questions.textLength, "answer");
  const choices = parts.filter(({ label }) => /^[a-z]$/.test(label)).slice(0, LIMITS.questions.choices);
  return {
    number,
    text: valueOf(LIMITS.questions.textLength, "")!,
    story: valueOf(LIMITS.questions.nameLength, "story"),
    to: valueOf(MAX_OWNER, "to", "for"),
    choices: choices.map(({ text }) => shorten(text, LIMITS.questions.choiceLength)),
    asked: momentOf("asked"),
    answer,
    answered: momentOf("answered"),
    isOpen: !isClosed && answer === undefined,
    line,
    end,
  };
}

function readMoment(text = ""): Moment | undefined {
  const [, day, by] = DAY.exec(text) ?? [];
  return day || by ? { day, by: by ? shorten(by, MAX_OWNER) : undefined } : undefined;
}

export function renderMoment({ day, by }: Moment): string {
  return [day, by && `by ${by}`].filter(Boolean).join(" ");
}

export function choiceLetter(at: number): string {
  return String.fromCharCode(65 + at);
}

export function questionRows({ number, text, story, to, choices, asked }: Question): readonly string[] {
  return textLines(
    `- **Q${number}** ${text}`,
    story && `  - Story: ${story}`,
    to && `  - To: ${to}`,
    choices.map((choice, at) => `  - ${choiceLetter(at)}: ${choice}`),
    asked && `  - Asked: ${renderMoment(asked)}`,
  );
}

export function answerRows(answer: string, answered: Moment, indent = "  "): readonly string[] {
  return [`${indent}- Answer: ${answer}`, `${indent}- Answered: ${renderMoment(answered)}`];
}

/** Undefined if the number is not there. */
export function withNumber(row: string, from: number, to: number): string | undefined {
  const [, , , rest] = ITEM.exec(row) ?? [];
  if (rest === undefined || numberIn(rest)?.number !== from) return undefined;
  const start = row.length - rest.length;
  return row.slice(0, start) + rest.replace(String(from), String(to));
}
