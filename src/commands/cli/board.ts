/**
 * `bmad-mcp board` and `next`: the project's epics and stories, one story, and what to do next.
 */
import type { App, WriteCalls } from "../../app.ts";
import type { Host } from "../../base/host.ts";
import { qualifiedName } from "../../base/model.ts";
import { counted, shellWord } from "../../base/text.ts";
import type { Invocation } from "../../settings/mod.ts";
import { columnsOf } from "./columns.ts";
import { parseLimit } from "./input.ts";
import { asItems, printFacts, printJson, printRows, printText } from "./output.ts";

/** How many problems are printed below the table. */
const MAX_PROBLEMS = 10;

/** Prints the board, or one story. */
export async function board(host: Host, app: App, { operands: [story], options }: Invocation): Promise<void> {
  const work = await app.work();
  const { rows, problems, data } = await (story === undefined ? work.board() : work.show(story));
  if (options.json) return printJson(host, asItems(data, "epics"));
  if (story !== undefined) return await printFacts(host, rows.map(({ name, about }) => [name, about]));
  const shown = rows.slice(0, parseLimit(options.limit));
  await printRows(host, shown, columnsOf("board"));
  if (rows.length === 0) host.writeErr("No stories yet.\n");
  else if (shown.length < rows.length) host.writeErr(`${shown.length} of ${rows.length} shown.\n`);
  for (const problem of problems.slice(0, MAX_PROBLEMS)) host.writeErr(`${problem}\n`);
  const more = problems.length - MAX_PROBLEMS;
  if (more > 0) host.writeErr(`${counted(more, "more problem")}: bmad-mcp board --json\n`);
}

/** Prints the next step, with the command that does it. */
export async function next(host: Host, app: App, { options }: Invocation): Promise<void> {
  const { text, data } = await (await app.work()).next(CALLS, options.by);
  if (options.json) printJson(host, data);
  else printText(host, text);
}

const CALLS: WriteCalls = {
  execute: ({ entry, item, message }) =>
    `bmad-mcp execute ${qualifiedName(entry)}${given("--item", item)}${given("-m", message)}`,
  mark: (story, status, by) => `bmad-mcp mark ${shellWord(story)} ${status}${given("--by", by)}`,
};

function given(flag: string, value: string | undefined): string {
  return value === undefined ? "" : ` ${flag} ${shellWord(value)}`;
}
