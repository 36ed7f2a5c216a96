/**
 * Looking around from the command line: list, search and execute, over the same app that MCP serves.
 */
import type { App, Row } from "../../app.ts";
import { type Invocation, OPTIONS } from "../../settings/mod.ts";
import { fail } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import { type Kind, kindNamed, KINDS, qualifiedName } from "../../base/model.ts";
import { columnsOf } from "./columns.ts";
import { printJson, printRows, printText } from "./output.ts";
import { oneLine } from "../../base/text.ts";

/** Prints a list. */
export async function list(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const what = operands[0]!;
  const { module, origin, category } = options;
  const rows = await app.list({ what, module, origin, category });
  const of = `${what}${filtersOf(options)}`;
  await printFound(host, take(rows, options.limit), rows.length, options.json, { list: what, of });
}

/** Prints what fits some words. */
export async function search(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const words = operands.join(" ");
  const { module, origin, category } = options;
  const rows = await app.search({ words, kind: kindOption(options.kind), module, origin, category });
  const of = `things that fit "${words}"${filtersOf(options)}`;
  await printFound(host, take(rows, options.limit), rows.length, options.json, { list: "search", of });
}

/** Prints all that a model needs to act as a thing. */
export async function execute(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const { module, origin } = options;
  const entry = await app.resolve({ name: operands[0]!, module, origin });
  const text = await app.execute(entry, {
    message: options.message,
    item: options.item,
    raw: options.raw !== undefined,
    calls: { open: "bmad-mcp show URI", start: "bmad-mcp execute NAME" },
  });
  if (options.json) printJson(host, { name: qualifiedName(entry), text });
  else printText(host, text);
}

async function printFound(
  host: Host,
  rows: readonly Row[],
  total: number,
  json: string | undefined,
  { list, of }: { readonly list: string; readonly of: string },
): Promise<void> {
  if (json) return printJson(host, { items: rows.map((row) => row.data), total });
  await printRows(host, rows, columnsOf(list));
  if (total === 0) {
    host.writeErr(`There are no ${oneLine(of)}.${list === "search" ? " Try fewer or other words." : ""}\n`);
  } else if (rows.length < total) host.writeErr(`${rows.length} of ${total} shown.\n`);
}

/** The filters of a list as they were written: what is not there may be there without them. */
function filtersOf(options: Invocation["options"]): string {
  const given = (["kind", "module", "category", "origin"] as const).filter((key) =>
    options[key] !== undefined
  );
  return given.map((key) => ` ${OPTIONS[key].flag} ${options[key]}`).join("").replace(/^(?=.)/, " with");
}

function kindOption(text: string | undefined): Kind | undefined {
  if (text === undefined) return undefined;
  const problem = `"${text}" is no kind`;
  return kindNamed(text) ??
    fail({ code: "invalid-input", field: "--kind", problem, hint: `Use one of ${KINDS.join(", ")}` });
}

function take(rows: readonly Row[], limit: string | undefined): readonly Row[] {
  if (limit === undefined) return rows;
  if (!/^[1-9]\d*$/.test(limit)) {
    fail({ code: "invalid-input", field: "--limit", problem: `"${limit}" is not a whole number above 0` });
  }
  return rows.slice(0, Number(limit));
}
