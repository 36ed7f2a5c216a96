/**
 * `bmad-mcp board` and `next`: the project's epics and stories, one story, and what to do next.
 */
import type { App, BoardReport } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { counted } from "../../base/text.ts";
import type { Invocation } from "../../settings/mod.ts";
import { columnsOf } from "./columns.ts";
import { stepCommands } from "./commands_shown.ts";
import { parseCount, parseLimit } from "./input.ts";
import { asItems, printFacts, printJson, printReport, printRows, printText } from "./output.ts";

/** More stories than anybody begins at once. */
const MAX_STORIES = 50;
/** How many questions and problems are printed below the table. */
const MAX_TOLD = 10;

/** Prints the board, or one story; what is watched ends with an exit code. */
export async function board(
  host: Host,
  app: App,
  { operands: [key], options }: Invocation,
): Promise<number | void> {
  const story = key ?? options.epic?.replace(/^(?:epic-)?/i, "epic-");
  const json = options.json !== undefined;
  const limit = parseLimit(options.limit);
  if (options.watch !== undefined) {
    if (story !== undefined) {
      fail({
        code: "invalid-input",
        problem: "Unexpected argument with --watch, which shows the whole board: leave out the story",
      });
    }
    const draw = (report: BoardReport) => printBoard(host, report, limit);
    return await (await import("./watch.ts")).watchBoard(host, app, { json, draw });
  }
  const work = await app.work();
  const report = await (story === undefined ? work.board() : work.show(story));
  if (json) return printJson(host, asItems(report.data, "epics"));
  if (story === undefined) return await printBoard(host, report, limit);
  await printFacts(host, report.rows.map(({ name, about }) => [name, about]));
}

async function printBoard(
  host: Host,
  { rows, problems, questions }: BoardReport,
  limit?: number,
): Promise<void> {
  const shown = rows.slice(0, limit);
  await printRows(host, shown, columnsOf("board"));
  if (rows.length === 0) host.writeErr("No stories yet. The next step of this project: bmad-mcp next\n");
  else if (shown.length < rows.length) host.writeErr(`${shown.length} of ${rows.length} shown.\n`);
  for (const question of questions.slice(0, MAX_TOLD)) host.writeErr(`Open question ${question}\n`);
  for (const problem of problems.slice(0, MAX_TOLD)) host.writeErr(`${problem}\n`);
  const more = problems.length - MAX_TOLD;
  if (more > 0) host.writeErr(`${counted(more, "more problem")}: bmad-mcp board --json\n`);
}

/** Prints what was done with the stories, or with one, the oldest first. */
export async function log(host: Host, app: App, { operands: [story], options }: Invocation): Promise<void> {
  const limit = parseLimit(options.limit);
  const { deeds = [], rows = [] } = await (await app.work()).log(story) ?? {};
  const from = limit === undefined ? 0 : Math.max(0, rows.length - limit);
  if (options.json) return printJson(host, { items: deeds.slice(from), total: deeds.length });
  if (rows.length === 0) {
    return printText(host, "Nothing is in the journal. `bmad-mcp team init` starts one.");
  }
  await printRows(host, rows.slice(from), columnsOf("log"));
}

/** Prints the next step, with the command that does it. */
export async function next(host: Host, app: App, { options }: Invocation): Promise<void> {
  const request = { by: options.by, count: parseCount("--count", options.count, MAX_STORIES) };
  printReport(host, await (await app.work()).next(stepCommands(app.config), request), options.json);
}
