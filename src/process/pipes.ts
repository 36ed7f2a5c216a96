/**
 * Bytes that come and bytes that go, read and written by plain calls.
 *
 * Web streams do the same and take a third of a short request's time: a connection passes three of them.
 */

/** Where bytes come from. */
export interface ByteSource {
  /** The next bytes, which the next call may overwrite; null at the end. */
  read(): Promise<Uint8Array | null>;
  /** Ends reading. */
  cancel(): void;
}

/** Where bytes go; resolves when they are written. */
export type ByteSink = (bytes: Uint8Array) => Promise<void>;

const READ_BYTES = 64 << 10;

/** What is read from a file or a standard stream. */
export function sourceOf(
  file: { read(bytes: Uint8Array): Promise<number | null>; close(): void },
): ByteSource {
  const buffer = new Uint8Array(READ_BYTES);
  let isEnded = false;
  return {
    read: async () => {
      if (isEnded) return null;
      try {
        const count = await file.read(buffer);
        return count === null ? null : buffer.subarray(0, count);
      } catch (error) {
        // To end reading cancels the read under way.
        if (isEnded) return null;
        throw error;
      }
    },
    cancel: () => {
      if (isEnded) return;
      isEnded = true;
      file.close();
    },
  };
}

/** Writes to a file or a standard stream. */
export function sinkOf(file: { write(bytes: Uint8Array): Promise<number> }): ByteSink {
  return async (bytes) => {
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  };
}

/** A pipe in memory. */
export interface Pipe {
  readonly source: ByteSource;
  readonly sink: ByteSink;
  /** Ends it once everything was read. */
  end(): void;
}

/** Opens a pipe in memory. */
export function openPipe(): Pipe {
  const chunks: Uint8Array[] = [];
  let isEnded = false;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const end = () => {
    isEnded = true;
    change();
  };
  return {
    source: {
      read: async () => {
        while (chunks.length === 0 && !isEnded) await changed.promise;
        return chunks.shift() ?? null;
      },
      cancel: end,
    },
    sink: (bytes) => {
      if (isEnded) return Promise.reject(new Error("Nobody reads any more"));
      chunks.push(bytes);
      change();
      return Promise.resolve();
    },
    end,
  };
}
