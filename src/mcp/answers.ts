/**
 * Lists, files and things as the text of an answer, or as JSON where the call asks for it.
 *
 * Every tool answers through these, so that a list is paged, and a thing read, in one way only.
 */
import { type App, byteLength, type ExecuteRequest, type FileContent, type Row, takePage } from "../app.ts";
import { callsFor } from "../introduction/mod.ts";
import { type Entry, qualifiedName } from "../model.ts";
import type { Answer } from "./reply.ts";
import { type Args, flagArg, numberArg, textArg } from "./tool.ts";

const LIST_LIMIT = 50;

/** One page of a list, by `limit` and `cursor`; `what` says of what, in the plural. */
export function rowsAnswer(rows: readonly Row[], args: Args, what: string, maxBytes: number): Answer {
  const limit = numberArg(args, "limit", 1, 1_000) ?? LIST_LIMIT;
  const page = takePage(rows, limit, textArg(args, "cursor"));
  const { total, nextCursor } = page;
  if (wantsJson(args)) {
    const text = JSON.stringify({ items: page.items.map((row) => row.data), total, nextCursor });
    return byteLength(text) <= maxBytes || page.items.length < 2
      ? { text }
      : rowsAnswer(rows, { ...args, limit: Math.floor(page.items.length / 2) }, what, maxBytes);
  }
  const lines = page.items.map(({ name, about, why }) =>
    `- ${name}${about === "" ? "" : `: ${shorten(about)}`}${why === undefined ? "" : ` (${why})`}`
  );
  const more = nextCursor === undefined ? "" : `; next: ${JSON.stringify({ ...args, cursor: nextCursor })}`;
  const head = total === 0
    ? `No ${what}.`
    : `${total} ${what}${page.items.length < total ? `, ${page.items.length} shown` : ""}`;
  return { text: [head + more, ...lines].join("\n") };
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
