/** Splits what is too long for a client: a text into parts, a list into pages. */
import { failField } from "../../base/errors.ts";
import { hashText } from "../../base/text.ts";

export function byteLength(text: string): number {
  return globalThis.Buffer.byteLength(text);
}

/** Usually its length decides: a UTF-16 unit takes up to three bytes. */
export function fitsBytes(text: string, limit: number): boolean {
  return text.length * 3 <= limit || (text.length <= limit && byteLength(text) <= limit);
}

export function splitParts(text: string, limit: number): readonly string[] {
  const parts: string[] = [];
  let part = "";
  let size = 0;
  for (const piece of splitPieces(text, limit)) {
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

function* splitPieces(text: string, limit: number): Generator<string> {
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (fitsBytes(line, limit)) {
      yield line;
      continue;
    }
    // A lone surrogate does not survive encoding: such a line is split by its characters.
    yield* line.isWellFormed() ? cutBytes(new TextEncoder().encode(line), limit) : cutCharacters(line, limit);
  }
}

function* cutBytes(bytes: Uint8Array, limit: number): Generator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let from = 0; from < bytes.length;) {
    let to = Math.min(from + limit, bytes.length);
    // Back to the start of a character; forward to its end when not even one fits.
    while (to > from && isInside(bytes[to])) to--;
    if (to === from) {
      to++;
      while (isInside(bytes[to])) to++;
    }
    yield decoder.decode(bytes.subarray(from, to));
    from = to;
  }
}

function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function* cutCharacters(line: string, limit: number): Generator<string> {
  const step = Math.max(1, Math.floor(limit / 4));
  const characters = [...line];
  for (let at = 0; at < characters.length; at += step) yield characters.slice(at, at + step).join("");
}

/** How many items were shown, of how many, and the hashes of the last one shown and of the next. */
const CURSOR = /^at-(\d{1,12})(?:-(\d{1,12})-(\w{1,7})-(\w{1,7}))?$/;

/** Where the page before ended is found by the items around it: a list that has changed since continues without a gap. */
export function takePage<T>(
  items: readonly T[],
  limit: number,
  cursor: string | undefined,
  keyOf: (item: T) => string,
) {
  const start = cursor === undefined ? 0 : findStart(items, cursor, keyOf);
  const end = start + limit;
  const hashed = (at: number) => hashOf(keyOf(items[at]!));
  return {
    items: items.slice(start, end),
    total: items.length,
    nextCursor: end < items.length
      ? `at-${end}-${items.length}-${hashed(end - 1)}-${hashed(end)}`
      : undefined,
  };
}

function findStart<T>(items: readonly T[], cursor: string, keyOf: (item: T) => string): number {
  const [, at, of = at, last, next] = CURSOR.exec(cursor) ?? [];
  if (at === undefined) {
    return failField("cursor", `"${cursor}" is not a cursor of this list`);
  }
  const start = Number(at);
  if (last === undefined || next === undefined) return start;
  const isAt = (hash: string) => (at: number) => hashOf(keyOf(items[at]!)) === hash;
  const shown = nearest(items.length, start - 1, isAt(last));
  if (shown === start - 1) return start;
  // One of the two may have moved, because it was used.
  const places = [shown === undefined ? undefined : shown + 1, nearest(items.length, start, isAt(next))]
    .filter((place) => place !== undefined)
    .sort((a, b) => Math.abs(a - start) - Math.abs(b - start));
  // If both have gone, items may be shown twice, but none is left out.
  return places[0] ?? Math.max(0, start - Math.max(0, Number(of) - items.length));
}

/** Mostly the wanted one itself, and of two equal items the one meant. */
function nearest(length: number, wanted: number, passes: (at: number) => boolean): number | undefined {
  const from = Math.min(wanted, length);
  for (let distance = 0; distance <= length; distance++) {
    for (const at of distance === 0 ? [from] : [from - distance, from + distance]) {
      if (at >= 0 && at < length && passes(at)) return at;
    }
  }
  return undefined;
}

function hashOf(key: string): string {
  return hashText(key).toString(36);
}
