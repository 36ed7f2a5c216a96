/**
 * `bmad-mcp list`, `modules`, `show`, `search` and `execute`: the content from the command line, over the same app that MCP serves.
 */
import { type App, type FileContent, firstOverridden, LISTABLE, type Row } from "../../app.ts";
import { flagOf, type Invocation } from "../../operations/mod.ts";
import { listSteps } from "../../handlers.ts";
import { failUnknownCommand } from "../../settings/mod.ts";
import { BmadError, fail } from "../../base/errors.ts";
import { moduleNamed, MODULES_AS_OF, OFFICIAL_MODULES } from "../../base/official_modules.ts";
import { isUri } from "../../base/uris.ts";
import { asText } from "../../base/values.ts";
import type { Host } from "../../process/host.ts";
import { ANY_KIND, isSupporting, type Kind, kindNamed, KINDS, qualifiedName } from "../../base/model.ts";
import { contentCommands, memoryCommands, workCommands } from "./commands_shown.ts";
import { columnsOf } from "./columns.ts";
import { parseLimit } from "./input.ts";
import { printFacts, printHeading, printJson, printRows, printText } from "./output.ts";
import { command, markHidden, NO_COMMAND, oneLine, withCommand } from "../../base/text.ts";

export async function list(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const [what] = operands;
  if (what === undefined) return await printList(host, LISTABLE.map(kindRow), options, "kinds", "");
  const { module, origin, category } = options;
  const isSteps = what.toLowerCase() === "next";
  const { rows, data } = isSteps
    ? await listSteps({ app, calls: workCommands(app.config) }, { module, origin, category })
    : { rows: await app.list({ what, module, origin, category }), data: {} };
  if (options.json && isSteps) {
    return printJson(host, { ...data, ...listData(rows, parseLimit(options.limit)) });
  }
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

/** How many rows of each of the other groups are shown, unless the user says. */
const GROUP = 5;

export async function search(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const words = operands.join(" ");
  const { module, origin, category } = options;
  const found = await app.find({ words, kind: parseKind(options.kind), module, origin, category });
  const limit = parseLimit(options.limit);
  const { stories, documents, memories, items, problem } = found;
  const groups = { stories, documents, memories, items, files: await found.files() };
  if (options.json) {
    const dataOf = (rows: readonly Row[]) => rows.slice(0, limit ?? MOST_JSON).map(({ data }) => data);
    const others = { stories, documents, memories, files: groups.files };
    return printJson(host, {
      ...listData(items, limit),
      ...Object.fromEntries(Object.entries(others).map(([name, rows]) => [name, dataOf(rows)])),
    });
  }
  const filled = Object.entries(groups).filter(([, rows]) => rows.length > 0);
  for (const [name, rows] of filled) {
    const isItems = name === "items";
    const shown = rows.slice(0, limit ?? (isItems ? undefined : GROUP));
    if (host.columns !== undefined && filled.length > 1) printHeading(host, HEADINGS[name]!);
    await printRows(host, shown, columnsOf(isItems ? "search" : `found ${name}`));
    const what = isItems ? "" : `${name} `;
    // A script that gave no limit is not told about ours.
    const isTold = limit !== undefined || host.columns !== undefined;
    if (isTold && shown.length < rows.length) {
      host.writeErr(`${shown.length} of ${rows.length} ${what}shown.\n`);
    }
  }
  if (filled.length === 0) {
    const none = `No results for "${words}"${filtersOf(options)}. Try fewer or other words.`;
    host.writeErr(`${oneLine(none)}\n`);
  }
  if (problem !== undefined) host.writeErr(`Memories were not searched: ${oneLine(problem)}\n`);
  const meant = memoryCommands(app.config);
  if (meant !== undefined) host.writeErr(`${meant}.\n`);
}

const HEADINGS: Readonly<Record<string, string>> = {
  stories: "Stories",
  documents: "Documents",
  memories: "Memories",
  items: "Agents, workflows and more",
  files: "Files",
};

/** Of each of the other groups. */
const MOST_JSON = 50;

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
      steps: workCommands(app.config),
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
  if (json) return printJson(host, listData(all, parseLimit(limit)));
  const rows = all.slice(0, parseLimit(limit));
  await printRows(host, rows, columnsOf(list));
  if (all.length === 0) host.writeErr(`${oneLine(ifEmpty)}\n`);
  else if (rows.length < all.length) host.writeErr(`${rows.length} of ${all.length} shown.\n`);
}

function listData(all: readonly Row[], limit: number | undefined) {
  return {
    items: all.slice(0, limit).map(({ data, record }) => ({ ...data, ...record })),
    total: all.length,
  };
}

/** The filters as they were given, because an empty list may be their doing: ` with --module bmm`. */
function filtersOf(options: Invocation["options"]): string {
  const given = (["kind", "module", "category", "origin"] as const).filter((key) =>
    options[key] !== undefined
  );
  return given.map((key) => ` ${flagOf(key)} ${options[key]}`).join("").replace(/^(?=.)/, " with");
}

function parseKind(text: string | undefined): Kind | undefined {
  if (text === undefined) return undefined;
  const hint = `Use one of ${KINDS.join(", ")}`;
  return kindNamed(text) ?? fail({ code: "invalid-input", problem: `Unknown kind "${text}"`, hint });
}

/** A path as texts spell it; the names of items have neither a variable nor an ending after a slash. */
const PATH = /^\{|[/\\][^/\\]{1,100}\.\w{1,5}$/;

export async function show(host: Host, app: App, { operands, options }: Invocation): Promise<void> {
  const name = operands[0]!;
  // `bmad:bmm:agents:pm` is a name.
  if (PATH.test(name) || (isUri(name) && name.includes(":/"))) {
    const { origin } = options;
    const file = await app.open(name, { origin, calls: contentCommands(app.config) });
    return showFile(host, file, options.json);
  }
  const entry = await app.resolve({ name, module: options.module, origin: options.origin });
  if (options.raw) return printText(host, await app.raw(entry));
  const read = await app.read(entry, name);
  if (options.json) return printJson(host, read.data);
  await printFacts(host, read.sheet.map(({ label, text }) => [label, text]));
  if (!host.terminal.stdout) return;
  const item = qualifiedName(entry);
  host.writeErr(`${withCommand("Full text", command`bmad-mcp show ${item} --raw`)}\n`);
  if (read.sheet.some(({ label }) => label === "overrides" || label === "customized")) {
    host.writeErr(`${withCommand("What is overridden", command`bmad-mcp diff ${item}`)}\n`);
  }
}

function showFile(host: Host, { uri, mimeType, text, bytes }: FileContent, json: string | undefined): void {
  if (json) return printJson(host, { uri, mimeType, text, blob: bytes?.toBase64() });
  if (text !== undefined) return printText(host, text);
  const problem = `${uri} is a binary file (${mimeType})`;
  fail({ code: "invalid-input", problem, hint: "Use --json to get its bytes" });
}

export async function modules(host: Host, app: App, { options }: Invocation): Promise<void> {
  const served = (await app.list({ what: "modules" })).flatMap(({ data }) => {
    const module = moduleNamed(asText(data["name"]) ?? "");
    const version = asText(data["version"]);
    return module === undefined
      ? []
      : [{ module, here: { origin: asText(data["origin"]), ...(version && { version }) } }];
  });
  const items = OFFICIAL_MODULES.map((module) => {
    const { code, name, purpose, source, state, note } = module;
    const here = served.find((one) => one.module === module)?.here;
    return { code, name, purpose, source, state, ...(note && { note }), ...(here && { here }) };
  });
  if (options.json) return printJson(host, { items, total: items.length, asOf: MODULES_AS_OF });
  const rows = items.map((data) => {
    const { code, purpose, source, state, note, here } = data;
    const place = here === undefined ? undefined : [here.version, here.origin].filter(Boolean).join(", ");
    const why = [...(state === "current" ? [] : [state]), ...(note === undefined ? [] : [note])].join(": ");
    const about = `${purpose}; from ${source}; ${place === undefined ? "not served here" : `here: ${place}`}`;
    return { name: code, about, ...(why !== "" && { why }), data };
  });
  await printRows(host, rows, columnsOf("official modules"));
  if (host.terminal.stdout) {
    host.writeErr(`As of ${MODULES_AS_OF}. To add one: bmad-mcp add cis\n`);
  }
}
