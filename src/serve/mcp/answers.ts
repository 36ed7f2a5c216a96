/**
 * Lists, files and things as the text of an answer, or as JSON where the call asks for it.
 *
 * Every tool answers through these, so that a list is paged, and a thing read, in one way only.
 */
import {
  type App,
  type ExecuteRequest,
  type FileContent,
  fitsBytes,
  type Report,
  type Row,
  takePage,
} from "../../app.ts";
import { callsFor } from "../handshake/mod.ts";
import { type Entry, qualifiedName } from "../../base/model.ts";
import type { Answer } from "./reply.ts";
import { type Args, flagArg, numberArg, textArg } from "./tool.ts";

const LIST_LIMIT = 50;

/** What a list is, and how much of it is said. */
export interface Listing {
  /** Of what it is, in the plural. */
  readonly what: string;
  /** The most bytes of an answer. */
  readonly maxBytes: number;
  /** How to go on with one of its things, as a call: `bmad {"operation":"execute","agent":NAME}`. */
  readonly then?: string;
  /** Whether names alone say enough: then a long list describes only the things that it leads with. */
  readonly isNamed?: boolean;
}

/** A list of things that is longer leads with those that are likely wanted, and names the others. */
const LONG = 12;
const LEAD = 8;

/** One page of a list, by `limit` and `cursor`. */
export function rowsAnswer(rows: readonly Row[], args: Args, listing: Listing): Answer {
  const { what, maxBytes, then, isNamed = false } = listing;
  const asked = numberArg(args, "limit", 1, 1_000);
  const page = takePage(rows, asked ?? LIST_LIMIT, textArg(args, "cursor"));
  const { total, nextCursor } = page;
  if (wantsJson(args)) {
    const text = JSON.stringify({ items: page.items.map((row) => row.data), total, nextCursor });
    return fitsBytes(text, maxBytes) || page.items.length < 2
      ? { text }
      : rowsAnswer(rows, { ...args, limit: Math.floor(page.items.length / 2) }, listing);
  }
  // Who says how many wants to read about each.
  const lead = isNamed && asked === undefined && page.items.length > LONG ? LEAD : page.items.length;
  const lines = page.items.slice(0, lead).map(({ name, about, why }) =>
    `- ${name}${about === "" ? "" : `: ${isNamed ? firstSentence(about) : shorten(about, 160)}`}` +
    (why === undefined ? "" : ` (${why})`)
  );
  const rest = namesInGroups(page.items.slice(lead));
  const more = nextCursor === undefined ? "" : `; next: ${JSON.stringify({ ...args, cursor: nextCursor })}`;
  const head = total === 0
    ? `No ${what}.`
    : `${total} ${what}${page.items.length < total ? `, ${page.items.length} shown` : ""}`;
  return {
    text: [head + more, ...lines, ...rest, ...total > 0 && then !== undefined ? [`→ ${then}`] : []].join(
      "\n",
    ),
  };
}

/** `bmm: create-prd, edit-prd`: short names, with what they have in common said once. */
function namesInGroups(rows: readonly Row[]): readonly string[] {
  const groups = Map.groupBy(rows, ({ data }) => String(data["standing"] ?? data["module"]));
  return [...groups].map(([group, own]) =>
    `${group}: ${own.map(({ data }) => String(data["name"])).join(", ")}`
  );
}

/** What something is, without when to use it. */
function firstSentence(text: string): string {
  return shorten(text.split(/(?<=[.!?])\s/)[0]!.replace(/\.$/, ""), 100);
}

/** One line of text is enough to choose by; who reads the thing gets the rest. */
export function shorten(text: string, most = 200): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  // Half a character at the end is none.
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** What a file holds. */
export function fileAnswer({ uri, mimeType, text, bytes }: FileContent, args: Args): Answer {
  if (wantsJson(args)) {
    return {
      text: JSON.stringify({ path: uri, uri, mimeType, content: text ?? bytes!.toBase64() }, null, 1),
    };
  }
  if (text !== undefined) return { text };
  return {
    text: `${uri} is not text (${mimeType}, ${
      bytes!.length
    } bytes). Read it as an MCP resource to get its bytes.`,
  };
}

/** What was found out, in words or as JSON. */
export function reportAnswer(report: Report, args: Args): Answer {
  return { text: wantsJson(args) ? JSON.stringify(report.data, null, 1) : report.text };
}

/** One thing in full. */
export async function entryAnswer(app: App, entry: Entry, args: Args): Promise<Answer> {
  if (flagArg(args, "raw")) return { text: await app.raw(entry) };
  const read = await app.read(entry);
  return { text: wantsJson(args) ? JSON.stringify(read.data, null, 1) : read.text };
}

/** All that a model needs to act as a thing. */
export async function executionAnswer(
  app: App,
  entry: Entry,
  request: ExecuteRequest,
  args: Args,
): Promise<Answer> {
  const raw = flagArg(args, "raw");
  const text = await app.execute(entry, { ...request, raw, calls: callsFor(app.config) });
  return { text: wantsJson(args) ? JSON.stringify({ name: qualifiedName(entry), text }) : text };
}

function wantsJson(args: Args): boolean {
  return textArg(args, "format")?.toLowerCase() === "json";
}
