/**
 * `bmad-mcp check`, `trace` and `context`: whether stories are as done as they claim, what they are for, and what they
 * need from the documents.
 */
import type { App } from "../../app.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { counted } from "../../base/text.ts";
import type { Invocation } from "../../settings/mod.ts";
import { columnsOf } from "./columns.ts";
import { parseCount } from "./input.ts";
import { asItems, printJson, printReport, printRows, printText } from "./output.ts";

/** Prints what was found in one story or in all. The exit status is 1 if something was. */
export async function check(
  host: Host,
  app: App,
  { operands: [story], options }: Invocation,
): Promise<number> {
  if (story !== undefined && options.all) {
    fail({ code: "invalid-input", problem: "Give a story or --all, not both" });
  }
  const { rows, standing, unchecked, count, data } = await (await app.work()).check(story);
  if (options.json) printJson(host, asItems(data, "findings"));
  else {
    if (count === 0) {
      host.writeOut(`${standing}
`);
    } else {
      host.writeErr(`${standing}
`);
      await printRows(host, rows, columnsOf("check"));
    }
    for (const one of unchecked) host.writeErr(`${one}\n`);
    if (count > 0) host.writeErr(`${counted(count, "finding")}.\n`);
  }
  return count === 0 ? 0 : 1;
}

/** Prints what leads from requirements to commits. */
export async function trace(
  host: Host,
  app: App,
  { operands: [name], options }: Invocation,
): Promise<void> {
  const { text, mermaid, data, trace: { unread } } = await (await app.work()).trace(
    name,
    options.stale !== undefined,
  );
  if (options.json) return printJson(host, asItems(data, "requirements"));
  printText(host, options.mermaid ? mermaid : text);
  if (options.mermaid || name !== undefined) { for (const one of unread) host.writeErr(`${one}\n`); }
}

/** Prints the context pack of a story. */
export async function context(
  host: Host,
  app: App,
  { operands: [story], options }: Invocation,
): Promise<void> {
  const budget = parseCount("--budget", options.budget);
  printReport(host, await (await app.work()).context(story!, budget), options.json);
}
