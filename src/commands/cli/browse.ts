import {
  describeProjects,
  type FileContent,
  firstOverridden,
  LISTABLE,
  type NameQuery,
  type Row,
} from "../../app.ts";
import { flagOf, type Invocation } from "../../operations/mod.ts";
import { findGroups, listRows, placeOfItem } from "../../handlers.ts";
import { failUnknownCommand } from "../../settings/mod.ts";
import { expectFailure, fail, failInput, failMissing } from "../../base/errors.ts";
import { moduleNamed, MODULES_AS_OF, OFFICIAL_MODULES } from "../../base/official_modules.ts";
import { isUri } from "../../base/uris.ts";
import { asText } from "../../base/values.ts";
import { ANY_KIND, isSupporting, type Kind, kindNamed, KINDS, qualifiedName } from "../../base/model.ts";
import { LIMITS } from "../limits.ts";
import { contentCommands, memoryCommands, workCommands } from "./commands_shown.ts";
import { printDiff } from "./diff.ts";
import { parseLimit } from "./input.ts";
import { listed, printFacts, printHeading, printRows, printText } from "./output.ts";
import type { Answer, ContentSession, Outcome, Session } from "./session.ts";
import { command, markHidden, NO_COMMAND, oneLine, withCommand } from "../../base/text.ts";

export async function list(
  { host, open, invocation: { operands: [what], options } }: ContentSession,
): Promise<Answer> {
  const app = await open();
  const limit = parseLimit(options.limit);
  if (what === undefined) return listed(LISTABLE.map(kindRow), "kinds", { limit });
  const { module, origin, category } = options;
  const { rows, data } = await listRows(
    { app, callsOn: workCommands },
    { what, module, origin, category },
  );
  const answer = listed(rows, what, { limit, ifEmpty: oneLine(`No ${what}${filtersOf(options)}.`) });
  const overridden = host.terminal.stdout ? firstOverridden(rows) : undefined;
  const diff = overridden && command`bmad-mcp diff ${overridden.name} --origin ${overridden.origin}`;
  const isForgotten = what.toLowerCase() === "usage" && !app.config.settings.rememberUsage;
  const projects = /^sources?$/i.test(what) ? describeProjects(app.config) : undefined;
  const isNowhere = rows[0]?.data["standing"] === "unknown" && app.config.project === undefined;
  return {
    ...answer,
    data: { ...data, ...answer.data, ...(projects && { projects: projects.data }) },
    notes: [
      ...projects?.lines ?? [],
      ...answer.notes,
      overridden && withCommand("To see what an override changes", diff),
      isForgotten && NOT_REMEMBERED,
      isNowhere && "Name a project with --project DIR.",
    ],
  };
}

const NOT_REMEMBERED = "Uses are not remembered. To count them from now on, in one file on this machine: " +
  "bmad-mcp config set rememberUsage true";

function kindRow(name: string): Row {
  const line = command`bmad-mcp list ${name}` ?? NO_COMMAND;
  return { name, about: line, data: { name, command: line } };
}

export async function search({ host, open, invocation }: Session): Promise<Answer | void> {
  const app = await open();
  const { operands, options } = invocation;
  const words = operands.join(" ");
  const { module, origin, category } = options;
  const request = { words, kind: parseKind(options.kind), module, origin, category };
  const { found: { problem }, groups, data } = await findGroups(app, request);
  const limit = parseLimit(options.limit);
  if (options.json) return { data: data(limit) };
  const filled = Object.entries(groups).filter(([, rows]) => rows.length > 0);
  for (const [name, rows] of filled) {
    const isItems = name === "items";
    const shown = rows.slice(0, limit ?? (isItems ? undefined : LIMITS.search.shown));
    if (host.columns !== undefined && filled.length > 1) printHeading(host, HEADINGS[name]!);
    await printRows(host, shown, isItems ? "search" : `found ${name}`);
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

export async function execute({ host, open, invocation }: ContentSession): Promise<Answer> {
  const { operands: [name = ""], options, isGuess } = invocation;
  const app = await placeOfItem(await open(), "execute", queryOf(invocation));
  const entry = await app.resolve(queryOf(invocation)).catch((error) =>
    isGuess && expectFailure(error).code === "not-found" ? failUnknownCommand(name) : Promise.reject(error)
  );
  if (isSupporting(entry.kind)) {
    const other = { name: qualifiedName(entry), kind: entry.kind };
    failMissing(ANY_KIND, name, { other });
  }
  const text = markHidden(
    await app.execute(entry, {
      message: options.message,
      asked: name,
      item: options.item,
      raw: options.raw !== undefined,
      calls: contentCommands(app),
      steps: workCommands(app),
    }),
  );
  return { text, data: { name: qualifiedName(entry), text }, notes: [host.terminal.stdout && FOR_A_MODEL] };
}

const FOR_A_MODEL =
  "This text is for the model of a client. To have the conversation in one: bmad-mcp install";

function queryOf({ operands: [name = ""], options: { module, origin } }: Invocation): NameQuery {
  return { name, module, origin };
}

/** An empty list may be their doing: ` with --module bmm`. */
function filtersOf(options: Invocation["options"]): string {
  const given = (["kind", "module", "category", "origin"] as const).filter((key) =>
    options[key] !== undefined
  );
  return given.map((key) => ` ${flagOf(key)} ${options[key]}`).join("").replace(/^(?=.)/, " with");
}

function parseKind(text: string | undefined): Kind | undefined {
  if (text === undefined) return undefined;
  const hint = `Use one of ${KINDS.join(", ")}`;
  return kindNamed(text) ?? failInput(`Unknown kind "${text}"`, hint);
}

/** A path as texts spell it; the names of items have neither a variable nor an ending after a slash. */
const PATH = /^\{|[/\\][^/\\]{1,100}\.\w{1,5}$/;

export async function show({ host, open, invocation }: Session): Promise<Outcome> {
  const opened = await open();
  const { operands: [name = ""], options } = invocation;
  // `bmad:bmm:agents:pm` is a name.
  if (PATH.test(name) || (isUri(name) && name.includes(":/"))) {
    const { origin } = options;
    const file = await opened.open(name, { origin, calls: contentCommands(opened) });
    return showFile(file, options.json);
  }
  const app = await placeOfItem(opened, "read", queryOf(invocation));
  const entry = await app.resolve(queryOf(invocation)).catch(expectFailure);
  if ("code" in entry) {
    const { runWork } = await import("./work.ts");
    const { module, origin, raw, ...others } = options;
    if (entry.code !== "not-found" || (module ?? origin ?? raw)) return fail(entry);
    // A story, too, may have any name.
    const board = { ...invocation, name: "board", options: others } as const;
    return await runWork({ host, open: async () => await opened, invocation: board })
      .catch((error) => expectFailure(error).code === "not-found" ? fail(entry) : Promise.reject(error));
  }
  if (options.raw) return printText(host, await app.raw(entry));
  const { sheet, data } = await app.read(entry, name);
  if (options.json) return { data };
  await printFacts(host, sheet.map(({ label, text }) => [label, text]));
  const item = qualifiedName(entry);
  const isOther = sheet.some(({ label }) => label === "overrides" || label === "customized");
  const notes = [
    withCommand("Full text", command`bmad-mcp show ${item} --raw`),
    isOther && withCommand("What is overridden", command`bmad-mcp diff ${item}`),
  ];
  return { data, ...(host.terminal.stdout && { notes }) };
}

function showFile({ uri, mimeType, text, bytes }: FileContent, json: string | undefined): Answer {
  const data = { uri, mimeType, text, blob: bytes?.toBase64() };
  if (json || text !== undefined) return { text: text || "\n", data };
  return failInput(`${uri} is a binary file (${mimeType})`, "Use --json to get its bytes");
}

export async function modules({ host, open }: Session): Promise<Answer> {
  const served = (await (await open()).list({ what: "modules" })).flatMap(({ data }) => {
    const module = moduleNamed(asText(data["name"]) ?? "");
    const version = asText(data["version"]);
    const here = { origin: asText(data["origin"]), ...(version && { version }) };
    return module === undefined ? [] : [{ module, here }];
  });
  const items = OFFICIAL_MODULES.map((module) => {
    const { code, name, purpose, source, state, note } = module;
    const here = served.find((one) => one.module === module)?.here;
    return { code, name, purpose, source, state, ...(note && { note }), ...(here && { here }) };
  });
  const rows = items.map((data): Row => {
    const { code, purpose, source, state, note, here } = data;
    const place = here === undefined ? undefined : [here.version, here.origin].filter(Boolean).join(", ");
    const why = [...(state === "current" ? [] : [state]), ...(note === undefined ? [] : [note])].join(": ");
    const about = `${purpose}; from ${source}; ${place === undefined ? "not served here" : `here: ${place}`}`;
    return { name: code, about, ...(why !== "" && { why }), data };
  });
  return {
    rows,
    list: "official modules",
    notes: [host.terminal.stdout && `As of ${MODULES_AS_OF}. To add one: bmad-mcp add cis`],
    data: { items, total: items.length, asOf: MODULES_AS_OF },
  };
}

export async function diff({ host, open, invocation, json }: Session): Promise<Answer> {
  const app = await open();
  const { text, data } = await app.compare(await app.resolve(queryOf(invocation)));
  if (!json) printDiff(host, text);
  return { data };
}

/** The exit status is 1 if a folder has faults that are not known upstream. */
export async function validate({ host, open, json }: Session): Promise<Answer> {
  const { rows, isClean, summary, data } = await (await (await open()).project.authoring()).validate();
  if (!json) {
    await printRows(host, rows, "validate");
    (isClean ? host.writeOut : host.writeErr)(`${summary}.\n`);
  }
  return { data, code: isClean ? 0 : 1 };
}

export async function create({ open }: Session): Promise<Answer> {
  return await (await (await open()).project.authoring()).create();
}

export async function exportItem({ open, invocation }: Session): Promise<Answer> {
  const app = await open();
  const entry = await app.resolve(queryOf(invocation));
  return await (await app.project.authoring()).export(entry);
}
