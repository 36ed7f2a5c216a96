/**
 * `bmad-mcp list`, `search` and `execute`: the content from the command line, over the same app that MCP serves.
 */
import { type App, firstOverridden, LISTABLE, type Row } from "../../app.ts";
import { failUnknownCommand, type Invocation, OPTIONS } from "../../settings/mod.ts";
import { BmadError, fail } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import { ANY_KIND, isSupporting, type Kind, kindNamed, KINDS, qualifiedName } from "../../base/model.ts";
import { contentCommands, memoryCommands, stepCommands } from "./commands_shown.ts";
import { columnsOf } from "./columns.ts";
import { parseLimit } from "./input.ts";
import { printJson, printRows, printText } from "./output.ts";
import { command, markHidden, NO_COMMAND, oneLine, withCommand } from "../../base/text.ts";

/** Prints a list. */
export async function list(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const [what] = operands;
  if (what === undefined) return await printList(host, LISTABLE.map(kindRow), options, "kinds", "");
  const { module, origin, category } = options;
  const rows = await app.list({ what, module, origin, category });
  await printList(host, rows, options, what, `No ${what}${filtersOf(options)}.`);
  const overridden = firstOverridden(rows);
  if (overridden !== undefined && host.terminal.stdout) {
    const { name, origin } = overridden;
    const diff = command`bmad-mcp diff ${name} --origin ${origin}`;
    host.writeErr(`${withCommand("To see what an override changes", diff)}\n`);
  }
  if (what.toLowerCase() === "usage" && !app.config.settings.rememberUsage) host.writeErr(NOT_REMEMBERED);
  const isUnknown = rows[0]?.data["standing"] === "unknown";
  if (isUnknown && app.config.project === undefined) host.writeErr("Name a project with --project DIR.\n");
}

const NOT_REMEMBERED = "Uses are not remembered. To count them from now on, in one file on this machine: " +
  "bmad-mcp config set rememberUsage true\n";

function kindRow(name: string): Row {
  const line = command`bmad-mcp list ${name}` ?? NO_COMMAND;
  return { name, about: line, data: { name, command: line } };
}

/** Prints search results. */
export async function search(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const words = operands.join(" ");
  const { module, origin, category } = options;
  const rows = await app.search({ words, kind: parseKind(options.kind), module, origin, category });
  const ifEmpty = `No results for "${words}"${filtersOf(options)}. Try fewer or other words.`;
  await printList(host, rows, options, "search", ifEmpty);
  const meant = memoryCommands(app.config);
  if (meant !== undefined) host.writeErr(`${meant}.\n`);
}

/** Prints everything a model needs to act as an agent or follow a workflow. */
export async function execute(
  host: Host,
  app: App,
  { operands, options, isGuess }: Invocation,
): Promise<void> {
  const { module, origin } = options;
  const name = operands[0]!;
  const entry = await app.resolve({ name, module, origin }).catch((error) =>
    isGuess && isNotFound(error) ? failUnknownCommand(name) : Promise.reject(error)
  );
  if (isSupporting(entry.kind)) {
    const other = { name: qualifiedName(entry), kind: entry.kind };
    fail({ code: "not-found", what: ANY_KIND, name, other });
  }
  const text = markHidden(
    await app.execute(entry, {
      message: options.message,
      asked: name,
      item: options.item,
      raw: options.raw !== undefined,
      calls: contentCommands(app.config),
      steps: stepCommands(app.config),
    }),
  );
  if (options.json) printJson(host, { name: qualifiedName(entry), text });
  else printText(host, text);
}

function isNotFound(error: unknown): boolean {
  return error instanceof BmadError && error.failure.code === "not-found";
}

async function printList(
  host: Host,
  all: readonly Row[],
  { limit, json }: Invocation["options"],
  list: string,
  ifEmpty: string,
): Promise<void> {
  const rows = all.slice(0, parseLimit(limit));
  if (json) {
    return printJson(host, {
      items: rows.map(({ data, record }) => ({ ...data, ...record })),
      total: all.length,
    });
  }
  await printRows(host, rows, columnsOf(list));
  if (all.length === 0) host.writeErr(`${oneLine(ifEmpty)}\n`);
  else if (rows.length < all.length) host.writeErr(`${rows.length} of ${all.length} shown.\n`);
}

/** The filters as they were given, because an empty list may be their doing: ` with --module bmm`. */
function filtersOf(options: Invocation["options"]): string {
  const given = (["kind", "module", "category", "origin"] as const).filter((key) =>
    options[key] !== undefined
  );
  return given.map((key) => ` ${OPTIONS[key].flag} ${options[key]}`).join("").replace(/^(?=.)/, " with");
}

function parseKind(text: string | undefined): Kind | undefined {
  if (text === undefined) return undefined;
  const hint = `Use one of ${KINDS.join(", ")}`;
  return kindNamed(text) ?? fail({ code: "invalid-input", problem: `Unknown kind "${text}"`, hint });
}
