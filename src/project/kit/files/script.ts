/**
 * Runs a script or a command so that nothing of it is left when it is over.
 *
 * The script gets no input, only the given variables, and a time limit; the beginning and the end of its output are
 * returned.
 */
import { joinBytes } from "../../../process/lines.ts";
import { supervise } from "../../../process/supervisor.ts";
import type { Clock, Work } from "../../../base/work.ts";

export interface ScriptRequest extends Pick<Clock, "after">, Pick<Work, "signal"> {
  /** What bash gets: a script, or a command. */
  readonly args: readonly string[];
  /** Absolute and real. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/** How it ended, and what it printed. */
export interface ScriptResult {
  /** Its exit code; from 128 on, a signal ended it, as shells report it. */
  readonly code: number;
  readonly isLate: boolean;
  /** What it wrote to both of its streams, in order; only the beginning and the end if that is very long. */
  readonly output: string;
}

/** Runs it with bash. Throws a `SupervisorError` if bash cannot be started. */
export async function runScript(request: ScriptRequest): Promise<ScriptResult> {
  const { signal } = request;
  const late = new AbortController();
  const cancelLimit = request.after(request.limitMs, () => late.abort());
  const output = collectEnds();
  try {
    const code = await supervise({
      command: ["bash", ...request.args],
      shell: "bash",
      folder: request.folder,
      variables: request.variables,
      signal: AbortSignal.any([late.signal, ...signal === undefined ? [] : [signal]]),
      stdout: output.push,
    });
    signal?.throwIfAborted();
    return { code, isLate: late.signal.aborted, output: output.text() };
  } finally {
    cancelLimit();
  }
}

const HEAD_BYTES = 64 << 10;
const TAIL_BYTES = 192 << 10;

/**
 * Remembers the beginning and the end of what is pushed. The bytes are copied into two buffers that never grow: even an
 * empty view would keep its whole chunk in memory.
 */
function collectEnds() {
  const head = new Uint8Array(HEAD_BYTES);
  // A ring: each byte overwrites the one that came `TAIL_BYTES` before it.
  const tail = new Uint8Array(TAIL_BYTES);
  let size = 0;
  const push = (chunk: Uint8Array) => {
    const first = chunk.subarray(0, Math.max(0, HEAD_BYTES - size));
    if (first.length > 0) head.set(first, size);
    const last = chunk.subarray(Math.max(first.length, chunk.length - TAIL_BYTES));
    size += chunk.length;
    if (last.length === 0) return;
    const at = (size - last.length - HEAD_BYTES) % TAIL_BYTES;
    const fits = last.subarray(0, TAIL_BYTES - at);
    tail.set(fits, at);
    tail.set(last.subarray(fits.length), 0);
  };
  const decode = (...chunks: Uint8Array[]) => new TextDecoder().decode(joinBytes(chunks));
  const text = () => {
    const inTail = Math.max(0, size - HEAD_BYTES);
    if (inTail <= TAIL_BYTES) return decode(head.subarray(0, size), tail.subarray(0, inTail));
    const oldest = inTail % TAIL_BYTES;
    const omitted = inTail - TAIL_BYTES;
    return `${decode(head)}\n[${omitted} bytes omitted]\n${
      decode(tail.subarray(oldest), tail.subarray(0, oldest))
    }`;
  };
  return { push, text };
}
