/**
 * Running a script so that nothing of it is left when it is over.
 *
 * A small shell stands between us and the script. It gives the script a process group of its own and ends that whole
 * group when the script is done, when we close its input, and when we are killed, which closes it too. The script gets
 * no input, only the variables that are handed in, and a limit of time; of its output the beginning and the end are kept.
 */
import { type Clock, onAbort, type Work } from "../../base/work.ts";

/** What is to be run, and how. */
export interface ScriptRequest extends Pick<Clock, "after">, Pick<Work, "signal"> {
  /** Absolute and real. */
  readonly script: string;
  /** Absolute and real. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/** How a script ended. */
export interface ScriptEnd {
  /** Its exit code; from 128 on a signal ended it, as a shell tells it. */
  readonly code: number;
  /** Whether it took longer than it may. */
  readonly isLate: boolean;
  /** What it wrote, to both of its streams, in the order in which it came; of very much, the beginning and the end. */
  readonly output: string;
}

/** Job control gives what is started in the background a group of its own, whose number is that of its first process. */
const KEEPER = `
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

/** How long is waited for output of processes that have left the group and still hold it. */
const GRACE_MS = 1_000;
/** How long the keeper may take to end what it keeps. */
const END_MS = 5_000;

/** Runs a script with bash. Throws what the system throws when bash cannot be started. */
export async function runScript(request: ScriptRequest): Promise<ScriptEnd> {
  request.signal?.throwIfAborted();
  const child = new Deno.Command("bash", {
    args: ["-c", KEEPER, "bash", request.script],
    cwd: request.folder,
    clearEnv: true,
    env: request.variables,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    // Ctrl-C at our terminal is for us; the keeper learns of our end by its input.
    detached: Deno.build.os !== "windows",
  }).spawn();
  const kept = keepEnds(child.stdout);
  const input = child.stdin.getWriter();
  let isLate = false;
  let forgetForce = () => {};
  const end = () => {
    input.close().catch(() => {});
    forgetForce = request.after(END_MS, () => kill(child));
  };
  const forgetLimit = request.after(request.limitMs, () => {
    isLate = true;
    end();
  });
  const forgetAbort = onAbort(request.signal, end);
  try {
    const { code } = await child.status;
    const calledOff = Promise.withResolvers<void>();
    const forgetGrace = request.after(GRACE_MS, calledOff.resolve);
    await Promise.race([kept.done, calledOff.promise]);
    forgetGrace();
    request.signal?.throwIfAborted();
    return { code, isLate, output: kept.text() };
  } finally {
    forgetLimit();
    forgetForce();
    forgetAbort();
    input.close().catch(() => {});
    await kept.cancel();
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

/** Reads a stream to its end and keeps its beginning and its end. */
function keepEnds(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.getReader();
  const head: Uint8Array[] = [];
  let tail: Uint8Array[] = [];
  const size = { head: 0, tail: 0, leftOut: 0 };
  const keep = (chunk: Uint8Array) => {
    const first = chunk.subarray(0, HEAD_BYTES - size.head);
    head.push(first);
    size.head += first.length;
    tail.push(chunk.subarray(first.length));
    size.tail += chunk.length - first.length;
    if (size.tail <= 2 * TAIL_BYTES) return;
    size.leftOut += size.tail - TAIL_BYTES;
    tail = [join(tail).subarray(-TAIL_BYTES)];
    size.tail = TAIL_BYTES;
  };
  const done = (async () => {
    for (let next; !(next = await reader.read()).done;) keep(next.value!);
  })().catch(() => {});
  const decode = (chunks: readonly Uint8Array[]) => new TextDecoder().decode(join(chunks));
  return {
    done,
    text: () =>
      size.leftOut === 0
        ? decode([...head, ...tail])
        : `${decode(head)}\n[${size.leftOut} bytes are left out here]\n${decode(tail)}`,
    cancel: () => reader.cancel().catch(() => {}),
  };
}

function join(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
