/**
 * Fitting text into what clients take: parts of a long text, pages of a long list.
 *
 * Nothing is lost: the parts joined are the text, and a page says how to get the next one.
 */
import { fail } from "../errors.ts";

const encoder = new TextEncoder();

/** The number of bytes of a text. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** Cuts a text into parts of at most `limit` bytes, between lines where that is possible. */
export function splitParts(text: string, limit: number): readonly string[] {
  const parts: string[] = [];
  let part = "";
  let size = 0;
  for (const piece of piecesOf(text, limit)) {
    const bytes = byteLength(piece);
    if (size + bytes > limit && part !== "") {
      parts.push(part);
      part = "";
      size = 0;
    }
    part += piece;
    size += bytes;
  }
  return part !== "" || parts.length === 0 ? [...parts, part] : parts;
}

/** The lines of a text with their ends; a line longer than a part comes in pieces. */
function* piecesOf(text: string, limit: number): Generator<string> {
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (line.length * 3 <= limit || byteLength(line) <= limit) {
      yield line;
      continue;
    }
    let piece = "";
    let size = 0;
    for (const character of line) {
      const bytes = byteLength(character);
      if (size + bytes > limit) {
        yield piece;
        piece = "";
        size = 0;
      }
      piece += character;
      size += bytes;
    }
    yield piece;
  }
}

/** One page of a list. */
export interface Page<T> {
  /** At most as many as were asked for. */
  readonly items: readonly T[];
  /** The length of the whole list, not of the page. */
  readonly total: number;
  /** Hand it back for the next page; missing on the last one. */
  readonly nextCursor?: string;
}

/** Takes a page from a list. A cursor is the opaque text that an earlier page gave. */
export function takePage<T>(items: readonly T[], limit: number, cursor: string | undefined): Page<T> {
  const start = cursor === undefined ? 0 : Number(/^at-(\d+)$/.exec(cursor)?.[1] ?? NaN);
  if (Number.isNaN(start) || start > items.length) {
    fail({ code: "invalid-input", field: "cursor", problem: `"${cursor}" is not a cursor of this list` });
  }
  const end = start + limit;
  return {
    items: items.slice(start, end),
    total: items.length,
    nextCursor: end < items.length ? `at-${end}` : undefined,
  };
}
