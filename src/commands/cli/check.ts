/**
 * `bmad-mcp check`: whether stories are as done as they claim. Exit status 1 if something was found.
 */
import type { App } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import { counted } from "../../base/text.ts";
import type { Invocation } from "../../settings/mod.ts";
import { columnsOf } from "./columns.ts";
import { printJson, printRows } from "./output.ts";

/** Prints what was found in one story or in all. */
export async function check(
  host: Host,
  app: App,
  { operands: [story], options }: Invocation,
): Promise<number> {
  if (story !== undefined && options.all) {
    fail({ code: "invalid-input", problem: "Give a story or --all, not both" });
  }
  const { rows, unchecked, isClean, data } = await (await app.work()).check(story);
  if (options.json) printJson(host, data);
  else {
    if (isClean) host.writeOut("Nothing found.\n");
    else await printRows(host, rows, columnsOf("check"));
    for (const one of unchecked) host.writeErr(`${one}\n`);
    if (!isClean) host.writeErr(`${counted(rows.length, "finding")}.\n`);
  }
  return isClean ? 0 : 1;
}
