/**
 * `bmad-mcp validate`, `new` and `export`: for people who write modules.
 */
import type { App } from "../../app.ts";
import type { Host } from "../../process/host.ts";
import type { Invocation } from "../../operations/mod.ts";
import { columnsOf } from "./columns.ts";
import { printJson, printReport, printRows } from "./output.ts";

/** Prints the faults of a folder. The exit status is 1 if it has any that are not known upstream. */
export async function validate(host: Host, app: App, { options }: Invocation): Promise<number> {
  const { rows, isClean, summary, data } = await (await app.project.authoring()).validate();
  if (options.json) printJson(host, data);
  else {
    await printRows(host, rows, columnsOf("validate"));
    if (isClean) host.writeOut(`${summary}.\n`);
    else host.writeErr(`${summary}.\n`);
  }
  return isClean ? 0 : 1;
}

export async function exportItem(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const { module, origin, json } = options;
  const entry = await app.resolve({ name: operands[0]!, module, origin });
  printReport(host, await (await app.project.authoring()).export(entry), json);
}

export async function create(host: Host, app: App, { options }: Invocation): Promise<void> {
  printReport(host, await (await app.project.authoring()).create(), options.json);
}
