import {
  type App,
  type ExecuteRequest,
  type FileContent,
  type Findings,
  fitsBytes,
  type Report,
  type Row,
  type SearchRequest,
  takePage,
} from "../../app.ts";
import { type Entry, qualifiedName } from "../../base/model.ts";
import { findAll } from "../../handlers.ts";
import { counted, shorten } from "../../base/text.ts";
import { flagArg, formatArg, isGiven, numberArg, textArg } from "./args.ts";
import type { Answer } from "./reply.ts";
import { callsOn, contentCallsOn } from "./step_calls.ts";
import type { Args } from "./tool.ts";

const PAGE_SIZE = 50;

interface Beside {
  readonly lines: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Listing {
  /** In the plural: `agents`, `domains of knowledge`. */
  readonly what: string;
  /** Starts one of its items: `bmad {"operation":"execute","agent":NAME}`. */
  readonly then?: string;
  /** If names say enough: only the first items of a long list are then described. */
  readonly isNamed?: boolean;
  readonly before?: Beside;
  readonly behind?: Beside;
}

const LONG_LIST = 12;
const DESCRIBED = 8;

export function rowsAnswer(
  app: { readonly config: { readonly settings: Pick<App["config"]["settings"], "maxResult"> } },
  rows: readonly Row[],
  args: Args,
  listing: Listing,
): Answer {
  const { what, then, isNamed = false, before, behind } = listing;
  const limit = numberArg(args, "limit", 1, 1_000);
  const page = takePage(rows, limit ?? PAGE_SIZE, textArg(args, "cursor"), ({ name }) => name);
  const { total, nextCursor } = page;
  if (wantsJson(args)) {
    const items = page.items.map(({ data, record }) => ({ ...data, ...record }));
    const text = JSON.stringify({ ...before?.data, ...behind?.data, items, total, nextCursor });
    return fitsBytes(text, app.config.settings.maxResult) || page.items.length < 2
      ? { text }
      : rowsAnswer(app, rows, { ...args, limit: Math.floor(page.items.length / 2) }, listing);
  }
  // A caller that gives a limit wants to read about each item.
  const isShort = !isNamed || limit !== undefined || page.items.length <= LONG_LIST;
  const described = isShort ? page.items : page.items.slice(0, DESCRIBED);
  const more = nextCursor === undefined ? "" : `; next: ${JSON.stringify({ ...args, cursor: nextCursor })}`;
  const shown = page.items.length < total ? `, ${page.items.length} shown` : "";
  return {
    isList: true,
    text: [
      ...before?.lines ?? [],
      (total === 0 ? `No ${what}.` : `${total} ${total === 1 ? singularOf(what) : what}${shown}`) + more,
      ...described.map((row) => {
        const { name, why } = row;
        const about = aboutOf(row, isNamed);
        return `- ${name}${about === "" ? "" : `: ${about}`}${why === undefined ? "" : ` (${why})`}`;
      }),
      ...namesInGroups(page.items.slice(described.length)),
      ...(total > 0 && then !== undefined ? [`→ ${then}`] : []),
      ...behind?.lines ?? [],
    ].join("\n"),
  };
}

/** A reason is never cut, because its end has the fix. */
function aboutOf({ about, data }: Row, isNamed: boolean): string {
  if (data["why"] === about) return about;
  return isNamed ? firstSentence(about) : shorten(about, 160);
}

function singularOf(what: string): string {
  return what.replace(/s(?= (?:of|on|for) |$)/, "");
}

export async function searchAnswer(
  app: App,
  request: SearchRequest,
  args: Args,
  then: string,
): Promise<Answer> {
  const isContinued = isGiven(args["cursor"]);
  const shown = isContinued ? 0 : numberArg(args, "limit", 1, 1_000);
  const found = await findAll(app, { ...request, shown });
  const what = `results for "${request.words}"`;
  // The next pages have items only.
  if (isContinued) return rowsAnswer(app, found.items, args, { what, then });
  const own = projectResults(app, found);
  if (found.isItemMeant) return rowsAnswer(app, found.items, args, { what, then, behind: own });
  const isFound = own.lines.length > 0;
  return rowsAnswer(app, found.items, args, { what: isFound ? `other ${what}` : what, then, before: own });
}

const PER_GROUP = 5;

function projectResults({ config }: App, { stories, documents, memories }: Findings): Beside {
  const show = config.kit === undefined ? "" : ' → bmad {"operation":"show","story":REF}';
  const filled = [
    { name: "stories", one: "story", rows: stories, note: show },
    { name: "documents", one: "document", rows: documents, note: "" },
    { name: "memories", one: "memory", rows: memories, note: "" },
  ].filter(({ rows }) => rows.length > 0);
  return {
    lines: filled.flatMap(({ name, one, rows, note }) => [
      `${counted(rows.length, one, name)} of the project${
        rows.length > PER_GROUP ? `, ${PER_GROUP} shown` : ""
      }${note}`,
      ...rows.slice(0, PER_GROUP).map(({ name, about, why, data }) => {
        const snippet = data["snippet"] === undefined ? "" : `: ${shorten(String(data["snippet"]), 120)}`;
        return `- ${data["text"] === undefined ? `${name}: ` : ""}${shorten(about, 160)}${
          why === undefined ? "" : ` (${why})`
        }${snippet}`;
      }),
    ]),
    data: Object.fromEntries(
      filled.map(({ name, rows }) => [name, rows.slice(0, PER_GROUP).map(({ data }) => data)]),
    ),
  };
}

function namesInGroups(rows: readonly Row[]): readonly string[] {
  const groups = Map.groupBy(rows, ({ data }) => String(data["standing"] ?? data["module"]));
  return [...groups].map(([group, own]) =>
    `${group}: ${
      own.map(({ data: { name, action } }) => action === undefined ? name : `${name} (${action})`).join(", ")
    }`
  );
}

function firstSentence(text: string): string {
  return shorten(text.split(/(?<=[.!?])\s/)[0]!.replace(/\.$/, ""), 100);
}

/** Ends with the call for the paths of another item, which `openOf` has. */
export function fileAnswer(
  file: FileContent & { readonly origin?: string },
  args: Args,
  openOf?: (item: string) => string,
): Answer {
  const { uri, mimeType, text, bytes, item, origin } = file;
  if (wantsJson(args)) {
    const content = text ?? bytes!.toBase64();
    return { text: JSON.stringify({ path: uri, uri, origin, item, mimeType, content }, null, 1) };
  }
  if (text !== undefined && item !== undefined && openOf !== undefined) {
    return { text: `${text}\n[file of ${item}; its paths: ${openOf(item)}]` };
  }
  if (text !== undefined) return { text };
  const size = `${mimeType}, ${bytes!.length} bytes`;
  return { text: `${uri} is a binary file (${size}). Read it as an MCP resource to get its bytes.` };
}

export function reportAnswer(report: Report, args: Args): Answer {
  return { text: wantsJson(args) ? JSON.stringify(report.data, null, 1) : report.text };
}

export interface Named {
  readonly entry: Entry;
  readonly asked?: string;
}

export async function entryAnswer(app: App, { entry, asked }: Named, args: Args): Promise<Answer> {
  if (flagArg(args, "raw")) return { text: await app.raw(entry) };
  const isDiff = formatArg(args) === "diff";
  return reportAnswer(isDiff ? await app.compare(entry) : await app.read(entry, asked), args);
}

export async function executionAnswer(
  app: App,
  { entry, asked }: Named,
  request: ExecuteRequest,
  args: Args,
): Promise<Answer> {
  const raw = flagArg(args, "raw");
  const calls = contentCallsOn(app);
  const steps = calls.next === undefined ? undefined : callsOn(app);
  const again = flagArg(args, "again");
  const text = await app.execute(entry, { ...request, asked, raw, again, calls, steps });
  return {
    text: wantsJson(args) ? JSON.stringify({ name: qualifiedName(entry), text }) : text,
    isActivation: true,
  };
}

export function wantsJson(args: Args): boolean {
  return formatArg(args) === "json";
}
