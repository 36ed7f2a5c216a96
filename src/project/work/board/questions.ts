/** Questions for people, and the stories that wait for them. */
import { findConflict } from "../../../base/conflicts.ts";
import { failInput, failUnknown } from "../../../base/errors.ts";
import { firstLines, joinLines, type Report, textLines } from "../../../base/report.ts";
import { counted } from "../../../base/text.ts";
import { findText, joinPath, parentPath, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Board,
  choiceLetter,
  type Moment,
  type NotedQuestion,
  type OpenQuestion,
  type Problem,
  problemLine,
  type Question,
  QUESTIONS_FILE,
  readQuestions,
  type Story,
} from "../formats/mod.ts";
import { storiesNamed, type StoryMatch } from "./find.ts";

export function questionsPath(journal: string | undefined): string | undefined {
  return journal === undefined ? undefined : joinPath(parentPath(journal), QUESTIONS_FILE);
}

export interface AskedQuestions {
  readonly path?: string;
  readonly questions: readonly NotedQuestion[];
  readonly problems: readonly Problem[];
}

export const NOTHING_ASKED: AskedQuestions = { questions: [], problems: [] };

type Clean = (text: string) => string;

export function readAsked(tree: Tree, journal: string | undefined, clean: Clean): AskedQuestions {
  const path = questionsPath(journal);
  const text = path && findText(tree, path);
  if (path === undefined || text === undefined) return NOTHING_ASKED;
  const { questions, problems } = readQuestions(text);
  const conflict = findConflict(text);
  return {
    path,
    questions: questions.map((one) => cleanQuestion(one, clean)),
    problems: (conflict === undefined ? problems : [conflict]).map((one) => ({ path, ...one })),
  };
}

function cleanQuestion(one: NotedQuestion, clean: Clean): NotedQuestion {
  const momentOf = (moment: Moment | undefined) => moment && { ...moment, by: moment.by && clean(moment.by) };
  return {
    ...one,
    text: clean(one.text),
    to: one.to && clean(one.to),
    choices: one.choices.map(clean),
    asked: momentOf(one.asked),
    answer: one.answer && clean(one.answer),
    answered: momentOf(one.answered),
  };
}

/** A question whose name fits several stories keeps all of them. */
export function askedAbout(board: Board, { path = "", questions, problems }: AskedQuestions) {
  const about = new Map<Story, NotedQuestion[]>();
  const lost: Problem[] = [];
  const ofStories = questions.filter(({ story }) => story !== undefined);
  // Most projects ask about no story.
  const named = ofStories.length === 0 ? () => [] : openNames(board);
  for (const question of ofStories) {
    const found = named(question.story!);
    for (const { story } of found) about.getOrInsertComputed(story, () => []).push(question);
    if (found.length === 0 && question.isOpen) {
      const { line, number, story } = question;
      lost.push({ path, line, problem: `question ${number} is about a story that does not exist: ${story}` });
    }
  }
  return {
    open: questions.filter(({ isOpen }) => isOpen).map((one) => openQuestion(path, one)),
    problems: [...problems, ...lost],
    factsOf: (story: Story): Pick<Story, "questions" | "answers"> => {
      const own = about.get(story) ?? [];
      const open = own.filter(({ isOpen }) => isOpen).map(({ number }) => number);
      const answers = own.filter(({ isOpen }) => !isOpen).map(answerLine);
      return {
        ...(open.length > 0 && { questions: [...new Set(open)] }),
        ...(answers.length > 0 && { answers }),
      };
    },
  };
}

function openNames(board: Board): (name: string) => readonly Pick<StoryMatch, "story">[] {
  const stories = board.epics.flatMap(({ stories }) => stories);
  const found: Map<string, readonly Pick<StoryMatch, "story">[]> = Map.groupBy(
    stories.flatMap((story) => [...new Set([story.key, story.ref])].map((name) => ({ name, story }))),
    ({ name }) => name,
  );
  const most = found.size + LIMITS.board.oddNames;
  return (name) =>
    found.get(name) ??
      (found.size < most ? found.getOrInsertComputed(name, () => storiesNamed(board, name)) : []);
}

function openQuestion(path: string, one: NotedQuestion): OpenQuestion {
  const { isOpen: _, end: __, answer: ___, answered: ____, ...open } = one;
  return { ...open, path };
}

/** `Which provider signs people in? Google (Ann, 2026-11-18)`. */
function answerLine({ text, answer = "answered", answered = {} }: Question): string {
  const { by, day } = answered;
  const who = [by, day].filter(Boolean).join(", ");
  return `${text} ${answer}${who === "" ? "" : ` (${who})`}`;
}

/** `3 (1-2-login, to Ann): Which provider signs people in? A: Google, B: GitHub`. */
export function questionLine({ number, text, story, to, choices }: Question): string {
  const about = [story, to && `to ${to}`].filter(Boolean).join(", ");
  const offered = choices.map((choice, at) => `${choiceLetter(at)}: ${choice}`).join(", ");
  return `${number}${about === "" ? "" : ` (${about})`}: ${text}${offered === "" ? "" : ` ${offered}`}`;
}

/** Missing where nothing may be written. */
export interface QuestionCalls {
  answer?(number: number): string;
}

export function questionLines(questions: readonly OpenQuestion[], calls: QuestionCalls): readonly string[] {
  const [first] = questions;
  return textLines(
    questions.map((one) => `- ${questionLine(one)}`),
    first && calls.answer && `Answer: ${calls.answer(first.number)}`,
  );
}

export interface QuestionsReport extends Report {
  readonly open: readonly OpenQuestion[];
  readonly answered: readonly Question[];
  readonly problems: readonly Problem[];
}

export function failQuestion(number: number, questions: readonly NotedQuestion[]): never {
  const open = questions.filter(({ isOpen }) => isOpen).map((one) => String(one.number));
  if (open.length > 0) return failUnknown("question", String(number), open);
  return failInput(`Unknown question "${number}": none is open`);
}

export function reportQuestions(
  { path = "", questions, problems }: AskedQuestions,
  calls: QuestionCalls,
  number?: number,
): QuestionsReport {
  const wanted = questions.filter((one) => number === undefined || one.number === number);
  if (number !== undefined && wanted.length === 0) failQuestion(number, questions);
  const open = wanted.filter(({ isOpen }) => isOpen).map((one) => openQuestion(path, one));
  const answered = wanted.filter(({ isOpen }) => !isOpen).toReversed()
    .map(({ isOpen: _, end: __, ...one }) => one);
  const answerLines = answered.map((one) =>
    `- ${one.number}${one.story === undefined ? "" : ` (${one.story})`}: ${answerLine(one)}`
  );
  const isList = number === undefined;
  const text = joinLines(
    open.length > 0 && `${counted(open.length, "open question")}:`,
    open.length === 0 && isList && problems.length === 0 && "No open questions.",
    questionLines(open, calls),
    answered.length > 0 && isList && "",
    answered.length > 0 && "Answered:",
    firstLines(answerLines, LIMITS.board.answers, (more) => `- … and ${counted(more, "more answer")}`),
    problems.map(problemLine),
  );
  return { text, open, answered, problems, data: { open, answered } };
}
