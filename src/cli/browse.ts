/**
 * Looking around from the command line: list, show, search and execute, over the same app that MCP serves.
 */
import { type App, type FileContent, LISTABLE } from "../app.ts";
import type { Invocation } from "../config/mod.ts";
import { fail } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Row } from "../app.ts";
import { qualifiedName } from "../model.ts";
import { printJson, printRows, printText } from "./output.ts";

/** Prints a list. */
export async function list(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const what = operands[0]!;
  const rows = await app.list({ what, module: options.module, category: options.category });
  printFound(host, take(rows, options.limit), rows.length, options.json, what);
}

/** Prints what fits some words. */
export async function search(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const words = operands.join(" ");
  const rows = await app.search({ words, module: options.module });
  printFound(host, take(rows, options.limit), rows.length, options.json, `things that fit "${words}"`);
}

/** Prints one thing in full. */
export async function show(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  if (operands[0]!.startsWith("bmad://")) return showFile(host, await app.open(operands[0]!), options.json);
  const entry = await app.resolve({ name: operands[0]!, module: options.module });
  if (options.raw) return printText(host, await app.raw(entry));
  const read = await app.read(entry);
  if (options.json) printJson(host, read.data);
  else printText(host, read.text);
}

function showFile(host: Host, { uri, mimeType, text, bytes }: FileContent, json: string | undefined): void {
  if (json) return printJson(host, { uri, mimeType, text, blob: bytes?.toBase64() });
  if (text !== undefined) return printText(host, text);
  fail({
    code: "invalid-input",
    field: "show",
    problem: `${uri} is no text (${mimeType})`,
    hint: "Use --json to get its bytes",
  });
}

/** Prints all that a model needs to act as a thing. */
export async function execute(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const entry = await app.resolve({ name: operands[0]!, module: options.module });
  const text = await app.execute(entry, {
    message: options.message,
    item: options.item,
    raw: options.raw !== undefined,
  });
  if (options.json) printJson(host, { name: qualifiedName(entry), text });
  else printText(host, text);
}

function printFound(
  host: Host,
  rows: readonly Row[],
  total: number,
  json: string | undefined,
  what: string,
): void {
  if (json) return printJson(host, { items: rows.map((row) => row.data), total });
  printRows(host, rows);
  if (total === 0) {
    host.writeErr(`There are no ${what}.${LISTABLE.includes(what) ? "" : " Try fewer or other words."}\n`);
  } else if (rows.length < total) host.writeErr(`${rows.length} of ${total} shown.\n`);
}

function take(rows: readonly Row[], limit: string | undefined): readonly Row[] {
  if (limit === undefined) return rows;
  if (!/^[1-9]\d*$/.test(limit)) {
    fail({ code: "invalid-input", field: "--limit", problem: `"${limit}" is not a whole number above 0` });
  }
  return rows.slice(0, Number(limit));
}
