/**
 * The first lines of a stream, read ahead, and the stream as if nobody had read them.
 */

/** Reads lines ahead. */
export interface LineReader {
  /** The next line; undefined at the end, after `limit`, and when the line is too long to be read ahead. */
  next(limit?: Promise<unknown>): Promise<string | undefined>;
  /** Takes the line that was read last out of the stream. */
  drop(): void;
  /** The whole stream but for what was taken out. Nothing can be read ahead any more. */
  rest(): ReadableStream<Uint8Array>;
}

/** More than a client has to say before it knows us. */
const MAX_BYTES = 1 << 20;

/** A reader of a stream that nobody else reads. */
export function openLineReader(input: ReadableStream<Uint8Array>): LineReader {
  const reader = input.getReader();
  const lines: Uint8Array[] = [];
  let ahead = new Uint8Array();
  let pending: ReturnType<typeof reader.read> | undefined;
  let isEnded = false;

  /** Waits for more; false when there is none, or none in time. What comes later is still there for the next. */
  const more = async (limit: Promise<unknown> | undefined): Promise<boolean> => {
    pending ??= reader.read();
    const read = await Promise.race([pending, ...(limit === undefined ? [] : [limit.then(() => undefined)])]);
    if (read === undefined) return false;
    pending = undefined;
    isEnded = read.done;
    if (read.done) return false;
    const joined = new Uint8Array(ahead.length + read.value.length);
    joined.set(ahead);
    joined.set(read.value, ahead.length);
    ahead = joined;
    return true;
  };
  return {
    next: async (limit) => {
      for (;;) {
        const end = ahead.indexOf(10) + 1;
        if (end > 0) {
          const line = ahead.subarray(0, end);
          ahead = ahead.subarray(end);
          lines.push(line);
          return new TextDecoder().decode(line);
        }
        if (ahead.length > MAX_BYTES || isEnded || !await more(limit)) return undefined;
      }
    },
    drop: () => void lines.pop(),
    rest: () =>
      new ReadableStream({
        start: (controller) => {
          for (const part of [...lines, ahead]) if (part.length > 0) controller.enqueue(part);
          if (isEnded) controller.close();
        },
        pull: async (controller) => {
          const { value, done } = await (pending ?? reader.read());
          pending = undefined;
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      }),
  };
}
