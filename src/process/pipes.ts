/** Plain calls: web streams take a third of a short request's time. */

export interface ByteSource {
  /** The next bytes, which the next call may overwrite; null at the end. */
  read(): Promise<Uint8Array | null>;
  cancel(): void;
}

export type ByteSink = (bytes: Uint8Array) => Promise<void>;

const READ_BYTES = 64 << 10;

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
        // Cancelling aborts the read under way.
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

export function sinkOf(file: { write(bytes: Uint8Array): Promise<number> }): ByteSink {
  return async (bytes) => {
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  };
}

export function openPipe() {
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
  const source: ByteSource = {
    read: async () => {
      while (chunks.length === 0 && !isEnded) await changed.promise;
      return chunks.shift() ?? null;
    },
    cancel: end,
  };
  const sink: ByteSink = (bytes) => {
    if (isEnded) return Promise.reject(new Error("The pipe is closed"));
    chunks.push(bytes);
    change();
    return Promise.resolve();
  };
  return { source, sink, end };
}
