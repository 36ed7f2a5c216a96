/** People's questions and answers in the project's list, of which every other byte stays. */
import { joinLines, type Report, textLines } from "../../../base/report.ts";
import { failField, failFile, failInput } from "../../../base/errors.ts";
import { MAX_OWNER } from "../../../base/model.ts";
import { oneLine } from "../../../base/text.ts";
import { asValues } from "../../../base/values.ts";
import { localDate } from "../../../base/time.ts";
import { parentPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type About,
  failQuestion,
  findStory,
  identityOf,
  matchesIn,
  type QuestionCalls,
  questionLine,
  questionsPath,
  recordedName,
  storiesNamed,
  type StoryMatch,
} from "../board/mod.ts";
import {
  answerRows,
  choiceLetter,
  EditedText,
  isOver,
  type Moment,
  type NotedQuestion,
  type Question,
  type QuestionList,
  questionRows,
  questionsOf,
  questionWords,
  readQuestions,
  withNumber,
} from "../formats/mod.ts";
import { nameOfOwner, note } from "./claims.ts";
import { plainLine, refuseForm, saysSomething } from "./text_lines.ts";
import { changedFiles, openRecord, refuse, type WriteContext } from "./write_context.ts";

export interface AskRequest {
  readonly question: string;
  readonly story?: string;
  readonly choices?: readonly string[];
  readonly to?: string;
  readonly by?: string;
}

export interface AnswerRequest {
  readonly number: number;
  readonly text: string;
  readonly by?: string;
}

interface QuestionOutcome {
  readonly question: NotedQuestion;
  readonly outcome: "asked" | "corrected" | "answered" | "known";
  readonly found?: StoryMatch;
  readonly files: readonly string[];
  readonly notes: readonly string[];
}

interface QuestionWorld extends WriteContext {
  clean(text: string): string;
}

const TITLE = "# Open questions";
const ANSWERED = "## Answered";
/** The last one given, for all worktrees: a list that lost questions must not give it again. */
const NUMBERS_FILE = "questions.json";
const MAX_NUMBER = 999_999_999;

export async function ask(world: QuestionWorld, request: AskRequest): Promise<QuestionOutcome> {
  const found = request.story === undefined ? undefined : findStory(world.board, request.story);
  const text = plainText(world, "question", request.question, LIMITS.questions.textLength);
  if (found === undefined && !/\s/.test(text) && storiesNamed(world.board, text).length > 0) {
    failInput("Missing question", `What is to be decided about ${text}?`);
  }
  const choices = choicesOf(world, request.choices ?? []);
  const to = request.to?.trim() ? plainText(world, "to", request.to, MAX_OWNER) : undefined;
  const by = nameOfOwner(request.by);
  const story = found && identityOf(found.epic, found.story);
  const output = parentPath(world.files.records);
  // Nothing is left in unrelated folders.
  if (world.files.realFolder(output) === undefined) {
    refuse("ask a question", `the project has no folder ${output} yet`);
  }
  return await world.files.exclusively((isShared) => {
    const { path, before, list } = open(world);
    // An earlier answer counts.
    const same = list.questions.filter((one) => one.text === text && one.story === story);
    const known = same.find(({ isOpen }) => isOpen) ?? same.findLast((one) => one.answer !== undefined);
    const isCorrected = known?.isOpen &&
      (choices.length > 0 && !isEqual(choices, known.choices) || (to ?? known.to) !== known.to);
    if (known !== undefined && !isCorrected) {
      return { question: known, outcome: "known", found, files: [], notes: [] };
    }
    const number = known?.number ?? nextNumber(world, list, isShared);
    const question: Question = {
      number,
      text,
      story,
      to: to ?? known?.to,
      choices: choices.length > 0 ? choices : known?.choices ?? [],
      asked: known === undefined ? { day: localDate(world.now()), by } : known.asked,
    };
    const after = known === undefined
      ? withQuestion(before ?? "", list, questionRows(question))
      : withCorrection(before!, known, question);
    const written = readQuestions(after).questions.find((one) => one.number === number && one.isOpen);
    const isMeant = written?.text === text && written.to === question.to &&
      isEqual(written.choices, question.choices);
    if (!isMeant) return refuseList(path);
    world.files.replace(path, after, before);
    const notes = note(world, aboutQuestion(path, question, found), {
      did: "ask",
      by,
      question: number,
      text,
    });
    return { question: written, outcome: isCorrected ? "corrected" : "asked", found, files: [path], notes };
  }, world.signal);
}

export async function answer(world: QuestionWorld, request: AnswerRequest): Promise<QuestionOutcome> {
  const { number } = request;
  const given = plainText(world, "text", request.text, LIMITS.questions.textLength);
  const by = nameOfOwner(request.by);
  return await world.files.exclusively(() => {
    const { path, before = "", list } = open(world);
    const all = list.questions.filter((one) => one.number === number);
    const asked = all.filter(({ isOpen }) => isOpen);
    const [question = all[0]] = asked;
    if (question === undefined) return failQuestion(number, list.questions);
    if (asked.length > 1) {
      refuse(`answer question ${number}`, `several questions have that number; reconcile renumbers them`);
    }
    const text = chosen(question, given);
    const found = storyOf(world, question);
    if (!question.isOpen) {
      if (question.answer === text) return { question, outcome: "known", found, files: [], notes: [] };
      refuse(`answer question ${number}`, answeredAs(question, path));
    }
    const after = withAnswer(before, list, question, text, { day: localDate(world.now()), by });
    const moved = readQuestions(after).questions
      .find((one) => one.number === number && one.text === question.text);
    if (moved === undefined || moved.isOpen || moved.answer !== text) return refuseList(path);
    world.files.replace(path, after, before);
    const notes = note(world, aboutQuestion(path, question, found), {
      did: "answer",
      by,
      question: number,
      text,
    });
    return { question: moved, outcome: "answered", found, files: [path], notes };
  }, world.signal);
}

/** Duplicates get new numbers; the first answered question keeps its own. */
export async function renumber(world: WriteContext) {
  if (questionsPath(world.journal) === undefined) return [];
  if (repeatedIn(open(world).list.questions).length === 0) return [];
  return await world.files.exclusively((isShared) => {
    const { path, before = "", list } = open(world);
    const edited = new EditedText(before);
    const renumbered: { readonly from: number; readonly to: number; readonly text: string }[] = [];
    for (const { number, text, line } of repeatedIn(list.questions)) {
      const to = nextNumber(world, list, isShared);
      const row = withNumber(edited.lines[line - 1]!.text, number, to);
      if (row === undefined) continue;
      edited.lines[line - 1]!.text = row;
      renumbered.push({ from: number, to, text });
    }
    world.files.replace(path, edited.toString(), before);
    return renumbered;
  }, world.signal);
}

function repeatedIn(questions: readonly NotedQuestion[]): readonly NotedQuestion[] {
  return [...Map.groupBy(questions, ({ number }) => number).values()].flatMap((all) => {
    const kept = all.find(({ isOpen }) => !isOpen) ?? all[0]!;
    return all.filter((one) => one !== kept && one.text !== kept.text);
  });
}

function open(world: WriteContext) {
  const path = questionsPath(world.journal) ??
    refuse("ask a question", "the project names no folder for its work");
  const before = world.files.find(path);
  const list = readQuestions(before ?? "");
  const unread = list.problems.find(({ line }) => line === undefined);
  if (unread !== undefined) failFile(path, unread.problem);
  return { path, before, list };
}

function nextNumber(world: WriteContext, { questions }: QuestionList, isShared: boolean): number {
  const { project, values, replace } = openRecord(world, NUMBERS_FILE, isShared);
  const known = asValues(values["last"]);
  const last = Number(known[project]);
  const highest = questions.reduce((most, { number }) => Math.max(most, number), 0);
  const number = Math.max(Number.isSafeInteger(last) ? last : 0, highest) + 1;
  if (number > MAX_NUMBER) refuse("ask a question", `its number would be above ${MAX_NUMBER}`);
  replace({ last: { ...known, [project]: number } });
  return number;
}

function withQuestion(text: string, list: QuestionList, rows: readonly string[]): string {
  if (text.trim() === "") return [TITLE, "", ...rows, ""].join("\n");
  const edited = new EditedText(text);
  const last = list.questions.findLast(({ isOpen }) => isOpen);
  const at = last?.end ?? edited.lastFilled(list.answeredLine && list.answeredLine - 1);
  const isEnd = (edited.lines[at]?.text ?? "").trim() === "";
  edited.insert(at, [...(last !== undefined || at === 0 ? [] : [""]), ...rows, ...(isEnd ? [] : [""])]);
  return edited.toString();
}

function isEqual(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}

/** The rows of its addressee and choices are replaced; the others stay. */
function withCorrection(text: string, known: NotedQuestion, question: Question): string {
  const edited = new EditedText(text);
  const own = edited.lines.slice(known.line, known.end);
  const kept = own.filter(({ text }) =>
    !/^\s*[-*+]\s+(?:\*\*|__)?(?:to|for|[a-z])(?:\*\*|__)?[:)]/i.test(text)
  );
  const story = kept.findIndex(({ text }) => /^\s*[-*+]\s+(?:\*\*|__)?story\b/i.test(text));
  edited.replace(known.line, own.length, kept);
  const rows = questionRows({ ...question, story: undefined, asked: undefined }).slice(1);
  edited.insert(known.line + story + 1, rows);
  return edited.toString();
}

function withAnswer(
  text: string,
  list: QuestionList,
  { line, end }: NotedQuestion,
  words: string,
  answered: Moment,
): string {
  const edited = new EditedText(text);
  const { lines, newline } = edited;
  const moved = lines.slice(line - 1, end).map((one) => ({ ...one, end: one.end || newline }));
  const below = /^\s+(?=[-*+]\s)/.exec(moved[1]?.text ?? "")?.[0];
  moved.push(...answerRows(words, answered, below).map((row) => ({ text: row, end: newline })));
  // Otherwise, two blank lines would remain.
  const isBetweenBlanks = (lines[line - 2]?.text.trim() ?? "") === "" && lines[end]?.text.trim() === "";
  const removed = end - line + 1 + (isBetweenBlanks ? 1 : 0);
  const heading = list.answeredLine;
  edited.replace(line - 1, removed, []);
  if (heading === undefined) {
    const at = edited.lastFilled();
    const added = [...(at === 0 ? [] : [""]), ANSWERED, ""];
    edited.insert(at, added);
    edited.replace(at + added.length, 0, moved);
    return edited.toString();
  }
  const left = edited.lines;
  const headingAt = heading - (heading > line ? removed : 0);
  const level = /^ {0,3}(#+)/.exec(left[headingAt - 1]!.text)![1]!.length;
  const next = left.findIndex((one, at) =>
    at >= headingAt && (/^ {0,3}(#{1,6})\s/.exec(one.text)?.[1]?.length ?? Infinity) <= level
  );
  const at = edited.lastFilled(next < 0 ? undefined : next);
  edited.replace(at, 0, [...(at === headingAt ? [{ text: "", end: newline }] : []), ...moved]);
  return edited.toString();
}

function chosen({ choices }: Question, given: string): string {
  const plain = given.trim().toLowerCase();
  const named = choices.find((one) => one.toLowerCase() === plain);
  if (named !== undefined) return named;
  const short = plain.replace(/[.:)]$/, "");
  return choices.find((one, at) =>
    choiceLetter(at).toLowerCase() === short || String(at + 1) === short ||
    plain === `${choiceLetter(at)}: ${one}`.toLowerCase()
  ) ?? given;
}

function answeredAs({ answer: words, answered: { by, day } = {} }: Question, path: string): string {
  const who = `${by ?? "somebody"} answered it${day === undefined ? "" : ` on ${day}`}`;
  return `${who}${words === undefined ? "" : `: ${words}`}; to change that, edit ${path}`;
}

function aboutQuestion(path: string, { number }: Question, found: StoryMatch | undefined): About {
  return found === undefined ? { ledger: path, story: `Q${number}` } : recordedName(found);
}

function storyOf({ board }: WriteContext, { story: name }: Question): StoryMatch | undefined {
  if (name === undefined) return undefined;
  return matchesIn(board)
    .find(({ story, epic }) => [identityOf(epic, story), story.key, story.ref].includes(name));
}

function choicesOf(world: QuestionWorld, given: readonly string[]): readonly string[] {
  const choices = given.map((one) => plainText(world, "choices", one, LIMITS.questions.choiceLength));
  const unique = [...new Set(choices)];
  if (unique.length <= LIMITS.questions.choices) return unique;
  return failField("choices", `More than ${LIMITS.questions.choices}`);
}

function plainText({ clean }: QuestionWorld, field: string, given: string, max: number): string {
  const text = plainLine(clean(oneLine(given)));
  if (!saysSomething(text)) failField(field, "It says nothing");
  if (text.length > max) failField(field, `Longer than ${max} characters`);
  return text;
}

function refuseList(path: string): never {
  return refuseForm(path, "it is written in a way that a question cannot be added or moved; edit it by hand");
}

const HEADS: Readonly<Record<string, string>> = {
  known: "Asked before: question",
  corrected: "Corrected: question",
};

export function reportQuestion(
  { question, outcome, found, files, notes }: QuestionOutcome,
  { answer }: QuestionCalls,
  remembered?: string,
): Report {
  const { number, isOpen, text, to, choices, answer: words } = question;
  const name = found && identityOf(found.epic, found.story);
  const others = found === undefined ? [] : questionsOf(found.story).filter((one) => one !== number);
  const isKnown = outcome === "known";
  const allNotes = textLines(notes, remembered);
  const effect = isOpen
    ? "waits for the answer; `next` hands out other stories"
    : others.length === 0
    ? "can go on"
    : `still waits for ${questionWords(others)}`;
  return {
    text: joinLines(
      isOpen
        ? `${HEADS[outcome] ?? "Question"} ${questionLine(question)}`
        : `Question ${number} is answered${isKnown ? " already" : ""}: ${words}`,
      changedFiles(files),
      found !== undefined && !isOver(found.story.state) && `${name} ${effect}.`,
      isOpen && answer !== undefined && `Answer: ${answer(number)}`,
      remembered,
      notes.map((note) => `Note: ${oneLine(note)}`),
    ),
    data: {
      number,
      question: text,
      story: name,
      to,
      choices,
      outcome,
      answer: words,
      files,
      notes: allNotes,
    },
  };
}
