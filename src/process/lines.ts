/** JSON messages, one per line: the only framing of byte streams in the program. */

import type { ByteSource } from "./pipes.ts";

export type Fields = Readonly<Record<string, unknown>>;

const LINE_END = 10;

/** A line over `maxBytes` is skipped, so that it cannot fill the memory. */
export function createLineSplitter(maxBytes = Infinity) {
  let parts: Uint8Array[] = [];
  let size = 0;
  const add = (part: Uint8Array) => {
    size += part.length;
    if (size <= maxBytes) parts.push(part);
    else parts = [];
  };
  return {
    /** The lines that a chunk completes, without their ends; undefined in place of a line over the limit. */
    push(chunk: Uint8Array): readonly (Uint8Array | undefined)[] {
      const lines: (Uint8Array | undefined)[] = [];
      let from = 0;
      for (let end; (end = chunk.indexOf(LINE_END, from)) >= 0; from = end + 1) {
        add(chunk.subarray(from, end));
        lines.push(size <= maxBytes ? joinBytes(parts) : undefined);
        parts = [];
        size = 0;
      }
      // The stream may use the chunk again for the next bytes.
      if (from < chunk.length) add(chunk.slice(from));
      return lines;
    },
    rest: () => joinBytes(parts),
    restSize: () => size,
  };
}

export type LineReader = ReturnType<typeof openLineReader>;

/** Reads ahead, up to `maxBytes` in one line. It must be the only reader of the input. */
export function openLineReader(input: ByteSource, maxBytes = 1 << 20) {
  const splitter = createLineSplitter();
  const read: Uint8Array[] = [];
  const unread: Uint8Array[] = [];
  let pending: ReturnType<ByteSource["read"]> | undefined;
  let isEnded = false;

  /** False at the end or after `limit`. A chunk that comes late is there for the next call. */
  const more = async (limit: Promise<unknown> | undefined): Promise<boolean> => {
    pending ??= input.read();
    const chunk = await Promise.race([
      pending,
      ...(limit === undefined ? [] : [limit.then(() => undefined)]),
    ]);
    if (chunk === undefined) return false;
    pending = undefined;
    isEnded = chunk === null;
    // The next read may overwrite these bytes.
    if (chunk !== null) { for (const line of splitter.push(chunk.slice())) unread.push(line!); }
    return !isEnded;
  };
  return {
    /** Undefined at the end, after `limit`, and for a line that is too long to be read ahead. */
    async next(limit?: Promise<unknown>): Promise<Uint8Array | undefined> {
      while (unread.length === 0) {
        if (splitter.restSize() > maxBytes || isEnded || !await more(limit)) return undefined;
      }
      const line = unread.shift()!;
      read.push(line);
      return line;
    },
    drop: () => void read.pop(),
    /** Everything except dropped lines. Nothing can be read ahead afterwards. */
    replay: (): ByteSource => {
      let first: Uint8Array | undefined = joinBytes([
        ...[...read, ...unread].flatMap((line) => [line, NEW_LINE]),
        splitter.rest(),
      ]);
      return {
        read: () => {
          const next = first !== undefined && first.length > 0
            ? Promise.resolve(first)
            : pending ?? (isEnded ? Promise.resolve(null) : input.read());
          first = pending = undefined;
          return next;
        },
        cancel: input.cancel,
      };
    },
    cancel: input.cancel,
  };
}

const NEW_LINE = Uint8Array.of(LINE_END);

export function encodeLine(message: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${JSON.stringify(message)}\n`);
}

export function parseLine(line: Uint8Array | undefined): Fields {
  try {
    return fieldsOf(JSON.parse(new TextDecoder().decode(line)));
  } catch {
    return {};
  }
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value as Fields : {};
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
