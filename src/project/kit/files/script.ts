/**
 * Runs a script so that nothing of it is left when it is over.
 *
 * A small shell supervises the script. It gives the script a process group of its own and kills that whole group when
 * the script is done, when we close the shell's input, and when we are killed, which closes it too. The script gets no
 * input, only the given variables, and a time limit; the beginning and the end of its output are returned.
 */
import { joinBytes } from "../../../process/lines.ts";
import { type Clock, onAbort, pause, type Work } from "../../../base/work.ts";

export interface ScriptRequest extends Pick<Clock, "after">, Pick<Work, "signal"> {
  /** Absolute and real, like the folder. */
  readonly script: string;
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

export interface ScriptResult {
  /** Its exit code; from 128 on, a signal ended it, as shells report it. */
  readonly code: number;
  readonly isLate: boolean;
  /** What it wrote to both of its streams, in order; only the beginning and the end if that is very long. */
  readonly output: string;
}

/** With job control, a background job has a process group of its own, numbered like its first process. */
const SUPERVISOR = `
set -m
exec 3<&0 </dev/null
"$BASH" -- "$1" 3<&- 2>&1 &
job=$!
{ read -r _ <&3; kill -KILL -- "-$job"; } >/dev/null 2>&1 &
watch=$!
wait "$job"
code=$?
exec 3<&-
kill -KILL -- "-$watch" "-$job" 2>/dev/null
exit "$code"
`;

/** How long to wait for output of processes that have left the group and still hold the stream. */
const GRACE_MS = 1_000;
/** How long the supervisor may take to kill the group. */
const KILL_MS = 5_000;

/** Runs a script with bash. Throws the system's error if bash cannot be started. */
export async function runScript(request: ScriptRequest): Promise<ScriptResult> {
  const { signal, after } = request;
  signal?.throwIfAborted();
  const child = new Deno.Command("bash", {
    args: ["-c", SUPERVISOR, "bash", request.script],
    cwd: request.folder,
    clearEnv: true,
    env: request.variables,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    // Ctrl-C at our terminal is meant for us; the supervisor notices our end by its input.
    detached: Deno.build.os !== "windows",
  }).spawn();
  const output = collectOutput(child.stdout);
  const input = child.stdin.getWriter();
  let isLate = false;
  let cancelKill = () => {};
  const end = () => {
    input.close().catch(() => {});
    cancelKill = after(KILL_MS, () => kill(child));
  };
  const cancelLimit = after(request.limitMs, () => {
    isLate = true;
    end();
  });
  const cancelAbort = onAbort(signal, end);
  try {
    const { code } = await child.status;
    const closed = new AbortController();
    output.done.then(() => closed.abort());
    await pause(GRACE_MS, closed.signal, { after });
    signal?.throwIfAborted();
    return { code, isLate, output: output.text() };
  } finally {
    cancelLimit();
    cancelKill();
    cancelAbort();
    input.close().catch(() => {});
    await output.cancel();
  }
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has just ended.
  }
}

const HEAD_BYTES = 64 << 10;
const TAIL_BYTES = 192 << 10;

/**
 * Reads a stream to its end and remembers its beginning and its end. The bytes are copied into two buffers that never
 * grow: even an empty view would keep its whole chunk in memory.
 */
function collectOutput(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.getReader();
  const head = new Uint8Array(HEAD_BYTES);
  // A ring: each byte overwrites the one that came `TAIL_BYTES` before it.
  const tail = new Uint8Array(TAIL_BYTES);
  let size = 0;
  const add = (chunk: Uint8Array) => {
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
  const done = (async () => {
    for (let next; !(next = await reader.read()).done;) add(next.value!);
  })().catch(() => {});
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
  return { done, text, cancel: () => reader.cancel().catch(() => {}) };
}
