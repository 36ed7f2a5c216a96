/**
 * Asks people a question, and records what they answer, in the list of the project's open questions.
 *
 * A question moves as it is written, with all that people have added to it, and every other byte of the list stays.
 */
import { fail } from "../../../base/errors.ts";
import { MAX_OWNER } from "../../../base/model.ts";
import { oneLine } from "../../../base/text.ts";
import { asValues, parseJson } from "../../../base/values.ts";
import { localDate } from "../../../base/work.ts";
import { findText, joinPath, parentPath } from "../../../content/tree/mod.ts";
import { type About, failQuestion, findStory, type Found, identityOf, questionsPath } from "../board/mod.ts";
import {
  answerRows,
  choiceLetter,
  MAX_CHOICE,
  MAX_CHOICES,
  MAX_QUESTION,
  type Moment,
  type NotedQuestion,
  type Question,
  type QuestionList,
  questionRows,
  readQuestions,
  withNumber,
} from "../formats/mod.ts";
import { aboutOf, nameOfOwner, note } from "./claims.ts";
import { endOf, insert, joined, lastFilled, linesIn } from "./text_lines.ts";
import { refuse, type WriterWorld } from "./world.ts";

/** What somebody wants to know. */
export interface AskRequest {
  readonly question: string;
  /** The story that waits for the answer; undefined for a question about the project. */
  readonly story?: string;
  readonly choices?: readonly string[];
  /** Who is asked: a role or a name. */
  readonly to?: string;
  readonly by?: string;
}

/** What somebody decides. */
export interface AnswerRequest {
  readonly number: number;
  /** The answer; one of the choices may also be given by its letter or its number. */
  readonly text: string;
  readonly by?: string;
}

/** What became of a question. */
export interface Told {
  readonly question: NotedQuestion;
  /** `known` was asked, or answered so, before. */
  readonly outcome: "asked" | "answered" | "known";
  readonly found?: Found;
  readonly files: readonly string[];
  readonly notes: readonly string[];
}

/** A question that has another number now. */
export interface Renumbered {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A writer that removes secrets from what it is given. */
export interface QuestionWorld extends WriterWorld {
  clean(text: string): string;
}

const TITLE = "# Open questions";
const ANSWERED = "## Answered";
/** The last number that was given, where all worktrees see it: a list that lost questions must not give it again. */
const NUMBERS_FILE = "questions.json";
const MAX_NUMBER = 999_999_999;

/** Asks. The same question keeps its number, and its answer. */
export async function ask(world: QuestionWorld, request: AskRequest): Promise<Told> {
  const found = request.story === undefined ? undefined : findStory(world.board, request.story);
  const text = plainText(world, "question", request.question, MAX_QUESTION);
  const choices = choicesOf(world, request.choices ?? []);
  const to = request.to?.trim() ? plainText(world, "to", request.to, MAX_OWNER) : undefined;
  const by = request.by === undefined ? undefined : nameOfOwner(request.by);
  const story = found && identityOf(found.epic, found.story);
  const output = parentPath(world.files.records);
  // A question typed in any other folder must not leave files there.
  if (world.files.realFolder(output) === undefined) {
    refuse("ask a question", `the project has no folder ${output} yet`);
  }
  return await world.files.exclusively((isShared) => {
    const { path, before, list } = open(world);
    // Nobody is asked twice: what has been answered before is the answer.
    const same = list.questions.filter((one) => one.text === text && one.story === story);
    const known = same.find(({ isOpen }) => isOpen) ?? same.findLast((one) => one.answer !== undefined);
    if (known !== undefined) return { question: known, outcome: "known", found, files: [], notes: [] };
    const number = nextNumber(world, list, isShared);
    const asked: Moment = { day: localDate(world.now()), ...(by && { by }) };
    const question: Question = { number, text, ...(story && { story }), ...(to && { to }), choices, asked };
    const after = withQuestion(before ?? "", list, questionRows(question));
    const written = readQuestions(after).questions.find((one) => one.number === number);
    if (written === undefined || !written.isOpen || written.text !== text) return refuseForm(path);
    world.files.replace(path, after, before);
    const notes = note(world, aboutQuestion(world, path, question), {
      did: "ask",
      by,
      question: number,
      text,
    });
    return { question: written, outcome: "asked", found, files: [path], notes };
  }, world.signal);
}

/** Records an answer, and moves the question to those that are answered. */
export async function answer(world: QuestionWorld, request: AnswerRequest): Promise<Told> {
  const { number } = request;
  const given = plainText(world, "text", request.text, MAX_QUESTION);
  const by = request.by === undefined ? undefined : nameOfOwner(request.by);
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
    const answered: Moment = { day: localDate(world.now()), ...(by && { by }) };
    const after = withAnswer(before, list, question, { text, answered });
    const moved = readQuestions(after).questions.find((one) =>
      one.number === number && one.text === question.text
    );
    if (moved === undefined || moved.isOpen || moved.answer !== text) return refuseForm(path);
    world.files.replace(path, after, before);
    const notes = note(world, aboutQuestion(world, path, question), {
      did: "answer",
      by,
      question: number,
      text,
    });
    return { question: moved, outcome: "answered", found, files: [path], notes };
  }, world.signal);
}

/** Gives questions that have the number of another one a number of their own; the first that is answered keeps it. */
export async function renumber(world: WriterWorld): Promise<readonly Renumbered[]> {
  if (questionsPath(world.journal) === undefined) return [];
  const isWrong = ({ questions }: QuestionList) => repeatedIn(questions).length > 0;
  if (!isWrong(open(world).list)) return [];
  return await world.files.exclusively((isShared) => {
    const { path, before = "", list } = open(world);
    const lines = linesIn(before);
    const renumbered: Renumbered[] = [];
    for (const { number, text, line } of repeatedIn(list.questions)) {
      const to = nextNumber(world, list, isShared);
      const row = withNumber(lines[line - 1]!.text, number, to);
      if (row === undefined) continue;
      lines[line - 1]!.text = row;
      renumbered.push({ from: number, to, text });
    }
    world.files.replace(path, joined(before, lines), before);
    return renumbered;
  }, world.signal);
}

/** All but one of those that have the same number and are not the same. */
function repeatedIn(questions: readonly NotedQuestion[]): readonly NotedQuestion[] {
  return [...Map.groupBy(questions, ({ number }) => number).values()].flatMap((all) => {
    const kept = all.find(({ isOpen }) => !isOpen) ?? all[0]!;
    return all.filter((one) => one !== kept && one.text !== kept.text);
  });
}

function open(world: WriterWorld) {
  const path = questionsPath(world.journal) ??
    refuse("ask a question", "the project names no folder for its work");
  const before = world.files.find(path);
  const list = readQuestions(before ?? "");
  const unread = list.problems.find(({ line }) => line === undefined);
  if (unread !== undefined) fail({ code: "invalid-file", path, problem: unread.problem });
  return { path, before, list };
}

/** A number that no question of this project had on this machine, from now on taken. */
function nextNumber({ files }: WriterWorld, { questions }: QuestionList, isShared: boolean): number {
  const shared = isShared ? files.shared : undefined;
  const project = shared?.project ?? "";
  const path = joinPath(files.records, NUMBERS_FILE);
  const before = shared === undefined ? files.find(path) : findText(shared.tree, NUMBERS_FILE);
  const known = asValues(asValues(parseJson(before ?? ""))["last"]);
  const last = Number(known[project]);
  const highest = questions.reduce((most, { number }) => Math.max(most, number), 0);
  const number = Math.max(Number.isSafeInteger(last) ? last : 0, highest) + 1;
  if (number > MAX_NUMBER) refuse("ask a question", `its number would be above ${MAX_NUMBER}`);
  const text = `${JSON.stringify({ last: { ...known, [project]: number } })}\n`;
  if (shared === undefined) files.replace(path, text, before);
  else shared.replace(NUMBERS_FILE, text, before);
  return number;
}

/** The list with a question: below those that are open, and above those that are answered. */
function withQuestion(text: string, list: QuestionList, rows: readonly string[]): string {
  if (text.trim() === "") return [TITLE, "", ...rows, ""].join("\n");
  const lines = linesIn(text);
  const last = list.questions.findLast(({ isOpen }) => isOpen);
  const at = last?.end ?? lastFilled(lines, (list.answeredLine ?? lines.length + 1) - 1);
  const isList = last !== undefined;
  const isEnd = lines[at] === undefined || lines[at]!.text.trim() === "";
  insert(lines, at, [...(isList || at === 0 ? [] : [""]), ...rows, ...(isEnd ? [] : [""])], endOf(lines));
  return joined(text, lines);
}

/** The list with an answered question at the end of those that are answered. */
function withAnswer(
  text: string,
  list: QuestionList,
  { line, end }: NotedQuestion,
  { text: words, answered }: { readonly text: string; readonly answered: Moment },
): string {
  const lines = linesIn(text);
  const newline = endOf(lines);
  const moved = lines.slice(line - 1, end).map((one) => ({ ...one, end: one.end || newline }));
  const below = /^\s+(?=[-*+]\s)/.exec(moved[1]?.text ?? "")?.[0];
  moved.push(...answerRows(words, answered, below).map((row) => ({ text: row, end: newline })));
  // Two blank lines in the place of the question would be one too many.
  const isBetweenBlanks = (lines[line - 2]?.text.trim() ?? "") === "" && lines[end]?.text.trim() === "";
  const removed = end - line + 1 + (isBetweenBlanks ? 1 : 0);
  const heading = list.answeredLine;
  const isBelow = heading !== undefined && heading > line;
  lines.splice(line - 1, removed);
  const headingAt = heading === undefined ? undefined : heading - (isBelow ? removed : 0);
  if (headingAt === undefined) {
    const at = lastFilled(lines, lines.length);
    insert(lines, at, [...(at === 0 ? [] : [""]), ANSWERED, ""], newline);
    lines.splice(at + (at === 0 ? 2 : 3), 0, ...moved);
    return joined(text, lines);
  }
  const level = /^ {0,3}(#+)/.exec(lines[headingAt - 1]!.text)![1]!.length;
  const next = lines.findIndex((one, at) =>
    at >= headingAt && (/^ {0,3}(#{1,6})\s/.exec(one.text)?.[1]?.length ?? Infinity) <= level
  );
  const at = lastFilled(lines, next < 0 ? lines.length : next);
  if (lines[at - 1]!.end === "") lines[at - 1]!.end = newline;
  lines.splice(at, 0, ...(at === headingAt ? [{ text: "", end: newline }] : []), ...moved);
  return joined(text, lines);
}

/** The choice that an answer names, or the answer itself. */
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

function answeredAs({ answer: words, answered = {} }: Question, path: string): string {
  const { by, day } = answered;
  const who = `${by ?? "somebody"} answered it${day === undefined ? "" : ` on ${day}`}`;
  return `${who}${words === undefined ? "" : `: ${words}`}; to change that, edit ${path}`;
}

/** What the journal says that a question is about: its story, or the question itself. */
function aboutQuestion(world: WriterWorld, path: string, question: Question): About {
  const found = storyOf(world, question);
  return found === undefined ? { ledger: path, story: `Q${question.number}` } : aboutOf(found);
}

function storyOf({ board }: WriterWorld, { story: name }: Question): Found | undefined {
  for (const epic of name === undefined ? [] : board.epics) {
    const story = epic.stories.find((one) =>
      identityOf(epic, one) === name || one.key === name || one.ref === name
    );
    if (story !== undefined) return { story, epic };
  }
  return undefined;
}

function choicesOf(world: QuestionWorld, given: readonly string[]): readonly string[] {
  const choices = [...new Set(given.map((one) => plainText(world, "choices", one, MAX_CHOICE)))];
  if (choices.length <= MAX_CHOICES) return choices;
  return fail({ code: "invalid-input", field: "choices", problem: `More than ${MAX_CHOICES}` });
}

/** A text on one line, without secrets, that cannot hide or end what stands around it in the list. */
function plainText({ clean }: QuestionWorld, field: string, given: string, max: number): string {
  const text = clean(oneLine(given).trim()).replaceAll("<!--", "&lt;!--").replaceAll("-->", "--&gt;");
  if (!/[\p{L}\p{N}]/u.test(text)) fail({ code: "invalid-input", field, problem: "It says nothing" });
  if (text.length > max) fail({ code: "invalid-input", field, problem: `Longer than ${max} characters` });
  return text;
}

function refuseForm(path: string): never {
  const problem = "it is written in a way that a question cannot be added or moved; edit it by hand";
  return fail({ code: "invalid-file", path, problem });
}
