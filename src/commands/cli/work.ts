import type { App, BoardReport, BoardState, CheckReport, Report, Row, TraceReport } from "../../app.ts";
import { expectFailure, fail, failInput, sentences } from "../../base/errors.ts";
import {
  command,
  counted,
  divided,
  escapeControls,
  oneLine,
  splitLines,
  withCommand,
} from "../../base/text.ts";
import { renderTime } from "../../base/time.ts";
import { dataOf, readLog, runOperation, undecided } from "../../handlers.ts";
import {
  describeCommand,
  type Invocation,
  type OptionName,
  type Param,
  paramsOf,
  type WorkOperation,
} from "../../operations/mod.ts";
import type { Host } from "../../process/host.ts";
import { LIMITS } from "../limits.ts";
import { programOf, workCommands } from "./commands_shown.ts";
import { parseCount, parseLimit } from "./input.ts";
import { columnsOf } from "./columns.ts";
import { printFacts, printRows, printTable, printText } from "./output.ts";
import type { Answer, ContentSession, Session } from "./session.ts";
import { type Painter, painter } from "./style.ts";

type Args = Readonly<Record<string, unknown>>;

interface View {
  print?(host: Host, report: Report, invocation: Invocation): Promise<void> | void;
  code?(report: Report): number;
}

const printSteps: View["print"] = (host, { text }) =>
  printText(host, text, (text) => emphasized(text, painter(host.colours.stdout)));

const VIEWS: Readonly<Partial<Record<WorkOperation, View>>> = {
  board: {
    print: (host, report, { options }) => printBoard(host, report as BoardReport, options),
  },
  show: {
    print: (host, report) =>
      printFacts(host, (report as BoardReport).rows.map(({ name, about }) => [name, about])),
  },
  next: {
    print: (host, report, invocation) =>
      "rows" in report
        ? printRows(host, report.rows as readonly Row[], "next")
        : printSteps(host, report, invocation),
  },
  mark: { print: printSteps },
  plan: { print: printSteps },
  check: {
    print: (host, report) => printCheck(host, report as CheckReport),
    code: (report) => (report as CheckReport).count === 0 ? 0 : 1,
  },
  trace: {
    print: (host, report, invocation) => printTrace(host, report as TraceReport, invocation),
  },
};

function emphasized(text: string, paint: Painter): string {
  return text.replaceAll(/(?<=^|\n\n)(?![A-Z][\w ]+:)[^\n]+/g, (line) => paint("heading", line))
    .replaceAll(/^[A-Z][\w ]+:(?=\s)/gm, (label) => paint("aside", label));
}

export async function runWork({ host, open, invocation }: ContentSession): Promise<Answer | number> {
  const { name, options } = invocation;
  const app = await open();
  const args = argumentsOf(invocation);
  const chosen = name === "board"
    ? boardOf(invocation, args)
    : { operation: describeCommand(name).operation, args };
  const operation = chosen.operation as WorkOperation;
  if (name === "check" && args["story"] !== undefined && options.all) {
    failInput("Give a story or --all, not both");
  }
  if (name === "ask") await refuseAgent(app, invocation.operands);
  if (options.watch !== undefined) {
    const projects = undecided(app);
    if (projects !== undefined) (await import("../../projects.ts")).failUndecided(projects, "board --watch");
    const draw = (report: BoardReport) => printBoard(host, report, options);
    return await watchBoard(host, app, { json: options.json !== undefined, draw });
  }
  const caller = { app, callsOn: workCommands, goesOn: options.json === undefined };
  const report = await runOperation(operation, caller, chosen.args as never)
    .catch((error) => withExample(error, app, invocation)) as Report;
  // Commands that always look at the content have said it; this one does so only to choose a story.
  const { standIn } = name === "claim" && args["story"] === undefined ? await app.overview() : {};
  if (standIn !== undefined) host.writeErr(`${standIn}.\n`);
  const { print, code } = VIEWS[operation] ?? {};
  if (!options.json) {
    await print?.(host, report, invocation);
    // Of other projects; a text says it itself.
    if (print !== undefined && "rows" in report && "beside" in report) host.writeErr(`${report.beside}\n`);
  }
  return {
    ...(print === undefined && { text: report.text }),
    data: dataOf(operation, report),
    ...(code && { code: code(report) }),
  };
}

function argumentsOf({ name, operands, options }: Invocation): Args {
  const params = paramsOf(describeCommand(name).operation, "terminal");
  const places = params.filter(([, { operand }]) => operand !== undefined);
  // Those that may be missing before a required one are left out first: `ask [STORY] QUESTION`.
  const lastRequired = places.findLastIndex(([, { isRequired }]) => isRequired);
  const isFree = ([, { isRequired }]: typeof places[number], at: number) => !isRequired && at < lastRequired;
  const surplus = Math.max(0, lastRequired + 1 - operands.length);
  const free = places.filter(isFree).slice(0, surplus);
  const filled = places.filter((place) => !free.includes(place));
  return Object.fromEntries(params.map(([key, param]) => {
    const at = filled.findIndex(([one]) => one === key);
    const text = param.operand === undefined ? options[key as OptionName] : operands[at];
    return [key, valueOf(param, param.operand ?? param.flag ?? `--${key}`, text)];
  }));
}

function valueOf({ kind, range }: Param, field: string, text: string | undefined): unknown {
  if (kind === "flag") return text !== undefined;
  if (kind === "list") return text === undefined ? [] : divided(text);
  if (kind === "text" || text === undefined) return text;
  return parseCount(field, text.replace(/^(?:Q|#)(?=\d)/i, ""), range);
}

function boardOf({ options }: Invocation, args: Args) {
  const story = args["story"] ?? options.epic?.replace(/^(?:epic-)?/i, "epic-");
  if (story === undefined) return { operation: "board", args };
  if (options.watch !== undefined) {
    failInput("Unexpected argument with --watch, which shows the whole board: leave out the story");
  }
  return { operation: "show", args: { story } };
}

function withExample(
  error: unknown,
  { config }: App,
  { name, operands: [story, second], options: { before, after } }: Invocation,
): never {
  const failure = expectFailure(error);
  const line = { line: programOf(config) };
  const example = name === "mark" && second === undefined
    ? command`${line} mark ${story!} in-progress`
    : name === "evidence" && (before ?? after) === undefined
    ? command`${line} evidence ${story!} ${second!} --after passed`
    : undefined;
  if (example === undefined || failure.code !== "invalid-input") throw error;
  return fail({ ...failure, hint: sentences(failure.hint, withCommand("As in", example)) });
}

/** People talk to agents; a question to one would wait for an answer forever. */
async function refuseAgent(app: App, [name, message]: readonly string[]): Promise<void> {
  if (/\s/.test(name!)) return;
  const entry = await app.resolve({ name: name!, kind: "agent" }).catch(expectFailure);
  if ("code" in entry) return;
  const line = { line: message === undefined ? "" : command` -m ${message}` };
  const talk = withCommand("To talk to it", command`bmad-mcp execute ${name!}${line}`);
  failInput(`"${oneLine(name!)}" is an agent. ${talk}. To ask people: bmad-mcp ask QUESTION`);
}

async function printBoard(
  host: Host,
  { rows, problems, questions, notes }: BoardReport,
  options: Invocation["options"],
): Promise<void> {
  const shown = rows.slice(0, parseLimit(options.limit));
  await printRows(host, shown, "board");
  if (rows.length === 0) host.writeErr("No stories yet. The next step of this project: bmad-mcp next\n");
  else if (shown.length < rows.length) host.writeErr(`${shown.length} of ${rows.length} shown.\n`);
  const most = LIMITS.board.notes;
  for (const question of questions.slice(0, most)) host.writeErr(`Open question ${question}\n`);
  for (const problem of problems.slice(0, most)) host.writeErr(`${problem}\n`);
  const more = problems.length - most;
  if (more > 0) host.writeErr(`${counted(more, "more problem")}: bmad-mcp board --json\n`);
  for (const note of notes) host.writeErr(`${note}\n`);
}

async function printCheck(host: Host, { rows, standing, notes, unchecked, count, ways }: CheckReport) {
  (count === 0 ? host.writeOut : host.writeErr)(`${standing}\n`);
  const cellsOf = ({ name, about, data }: Row) => [name, about, `Fix: ${data["fix"]}`];
  if (count > 0) await printTable(host, rows, columnsOf("check", rows), cellsOf);
  for (const one of [...notes, ...unchecked]) host.writeErr(`${one}\n`);
  if (count > 0) host.writeErr(`${counted(count, "finding")}.\n`);
  for (const way of ways) host.writeErr(`${way}\n`);
}

function printTrace(
  host: Host,
  { text, mermaid, data: { unread } }: TraceReport,
  { operands: [name], options }: Invocation,
): void {
  printText(host, options.mermaid ? mermaid : text);
  if (options.mermaid || name !== undefined) unread.forEach((one) => host.writeErr(`${one}\n`));
}

export async function log({ open, invocation }: Session): Promise<Answer> {
  const { operands: [story], options } = invocation;
  const { path, rows, data } = await readLog(await open(), story, parseLimit(options.limit));
  if (rows === undefined) {
    return { text: "This project keeps no journal. `bmad-mcp team init` begins one.", data };
  }
  if (rows.length === 0) {
    return { text: `The journal has nothing about ${story ?? "any story"} yet: ${path}`, data };
  }
  return { rows, list: "log", data };
}

/** The cursor to the upper left corner, and everything below it and above the screen erased. */
const CLEAR = "\x1b[H\x1b[2J\x1b[3J";

/** Until a signal arrives: a terminal is drawn again, a pipe gets a line or a JSON object for each change. */
async function watchBoard(
  host: Host,
  app: App,
  { json, draw }: { readonly json: boolean; draw(report: BoardReport): Promise<void> },
): Promise<number> {
  const stop = Promise.withResolvers<number>();
  let drawn: Promise<unknown> = Promise.resolve();
  const redraw = async (state: BoardState) => {
    host.writeOut(CLEAR);
    await draw(state.report());
    host.writeErr(`Last change ${renderTime(host.now())}. Ctrl-C stops.\n`);
  };
  const summary = ({ text, data }: Report): Report => ({
    text: splitLines(text)[0]!,
    data: { board: dataOf("board", { data }) },
  });
  const print = (state: BoardState) => {
    const at = new Date(host.now()).toISOString();
    for (const { text, data } of state.isFirst ? [summary(state.report())] : state.changes()) {
      host.writeOut(
        json ? `${escapeControls(JSON.stringify({ at, ...data }))}\n` : `${at} ${oneLine(text)}\n`,
      );
    }
  };
  const end = await (await app.project.work()).watch((state) => {
    drawn = drawn.then(() => host.terminal.stdout && !json ? redraw(state) : print(state)).catch(stop.reject);
  });
  host.onStop(stop.resolve);
  return await stop.promise.finally(end);
}
