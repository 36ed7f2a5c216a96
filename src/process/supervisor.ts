/**
 * Runs another program through a small shell, which kills it and its children when our end of the shell's input
 * closes, at the latest when we are killed. Deno kills no process group without the right to run everything.
 */
import { attempt } from "../base/absence.ts";
import { onAbort, pause, systemTimer } from "../base/work.ts";
import { joinBytes } from "./lines.ts";

export interface SupervisedRun {
  readonly command: readonly [name: string, ...args: string[]];
  /** What starts the shell: bash, or git as an alias, where git is all that we may run. */
  readonly shell: "bash" | "git";
  /** It starts no other program, so it needs no process group, for which the runtime would copy itself. */
  readonly isAlone?: boolean;
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** In bytes: the memory that each of its processes may use, and the largest file that it may write. */
  readonly maxMemory?: number;
  readonly maxFile?: number;
  readonly signal?: AbortSignal;
  /** Get what it prints; an error that they throw stops it. Without `stderr`, both streams are one. */
  stdout(bytes: Uint8Array): void;
  stderr?(bytes: Uint8Array): void;
}

export class SupervisorError extends Error {
  override name = "SupervisorError";
  constructor(readonly reason: "not-found" | "not-allowed" | "too-much-output", cause?: unknown) {
    super(reason, { cause });
  }
}

const KILL_MS = 2_000;
/** After its end: a process that has left the group may hold the stream. */
const GRACE_MS = 1_000;
const NEWLINE = new TextEncoder().encode("\n");

/** Returns the exit code, from 128 on of a signal. Throws what `stdout` or `stderr` threw, or a `SupervisorError`. */
export async function supervise(run: SupervisedRun): Promise<number> {
  run.signal?.throwIfAborted();
  const child = start(run);
  const input = child.stdin.getWriter();
  const close = () => void input.close().catch(() => {});
  const streams = [
    openStream(child.stdout, run.stdout),
    ...run.stderr === undefined ? [] : [openStream(child.stderr, run.stderr)],
  ];
  const printed = Promise.all(streams.map(({ done }) => done));
  let cancelKill = () => {};
  const stop = () => {
    close();
    cancelKill();
    if (isSupervised(run)) cancelKill = systemTimer.after(KILL_MS, () => kill(child));
    else kill(child);
  };
  const cancelStop = onAbort(run.signal, stop);
  printed.catch(stop);
  try {
    const { code, signal } = await child.status;
    // A line says that all is over. If it was killed, what it has started may still run.
    if (signal === null) input.write(NEWLINE).catch(() => {});
    close();
    const ended = new AbortController();
    printed.catch(() => {}).finally(() => ended.abort());
    await pause(GRACE_MS, ended.signal);
    await Promise.all(streams.map(({ cancel }) => cancel()));
    await printed;
    return code;
  } finally {
    cancelStop();
    cancelKill();
  }
}

export function collectOutput(maxSize: number) {
  const parts: Uint8Array[] = [];
  let size = 0;
  return {
    push: (part: Uint8Array) => {
      size += part.length;
      if (size > maxSize) throw new SupervisorError("too-much-output");
      parts.push(part);
    },
    bytes: () => joinBytes(parts),
    text: () => new TextDecoder().decode(joinBytes(parts)),
  };
}

/** The shell that git brings to Windows can neither limit nor kill. */
function isSupervised({ shell }: SupervisedRun): boolean {
  return shell === "bash" || Deno.build.os !== "windows";
}

function start(run: SupervisedRun): Deno.ChildProcess {
  const [program, ...args] = supervisedCommand(run);
  try {
    return new Deno.Command(program, {
      args,
      cwd: run.folder,
      env: run.variables,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: run.stderr === undefined ? "null" : "piped",
      // A group of its own: the shell may kill all of it, and Ctrl-C at our terminal is meant for us.
      detached: Deno.build.os !== "windows" && !run.isAlone,
    }).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new SupervisorError("not-found", error);
    if (error instanceof Deno.errors.NotCapable) throw new SupervisorError("not-allowed", error);
    throw error;
  }
}

function supervisedCommand(run: SupervisedRun): readonly [program: string, ...args: string[]] {
  if (!isSupervised(run)) return run.command;
  if (run.shell === "bash") {
    return ["bash", "--noprofile", "--norc", "-c", bashSupervisor(run), "bash", ...run.command];
  }
  const supervisor = run.isAlone ? aloneSupervisor(run) : groupSupervisor(run);
  return ["git", "-c", `alias.bounded=!bounded() {\n${supervisor}\n}; bounded`, "bounded", ...run.command];
}

/** A shell that cannot set a limit goes on without it. Without its signal, a full file is an error to the program. */
function limits({ maxMemory, maxFile, shell }: SupervisedRun): string {
  const lines: string[] = [];
  if (maxMemory !== undefined) lines.push(`ulimit -v ${maxMemory / 1_024} 2>/dev/null`);
  if (maxFile !== undefined) {
    const blocks = Math.ceil(maxFile / (shell === "bash" ? 1_024 : 512));
    lines.push(
      `[ "$(ulimit -f)" -le ${blocks} ] 2>/dev/null || ulimit -f ${blocks} 2>/dev/null`,
      "trap '' XFSZ",
    );
  }
  return lines.join("\n");
}

/** For bash. With job control, a background job has a process group of its own, numbered like its first process. */
function bashSupervisor(run: SupervisedRun): string {
  return `${limits(run)}
set -m
exec 3<&0 </dev/null
"$@" 3<&- ${run.stderr === undefined ? "2>&1" : ""} &
job=$!
exec 2>/dev/null
{ read -r _ <&3; kill -KILL -- "-$job"; } >/dev/null &
watch=$!
wait "$job"
code=$?
exec 3<&-
kill -KILL -- "-$watch" "-$job"
exit "$code"`;
}

/** Git's plain shell has no job control without a terminal: its own group is killed, and it with it. */
function groupSupervisor(run: SupervisedRun): string {
  return `${limits(run)}
exec 3<&0 </dev/null
"$@" 3<&- &
program=$!
{ read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 &
watch=$!
wait "$program" 2>/dev/null
code=$?
if [ "$code" -gt 129 ]; then
  echo "fatal: $1 was killed by signal $((code - 128))" >&2
  kill -KILL 0
fi
exec 2>/dev/null
kill -KILL "$watch"
exit "$code"`;
}

/** For a program that replaces the shell. It is not killed after it has ended: its number may be another's by then. */
function aloneSupervisor(run: SupervisedRun): string {
  return `${limits(run)}
exec 3<&0 </dev/null
{ read -r _ <&3 || kill -KILL $$; } >/dev/null 2>&1 &
exec "$@" 3<&-`;
}

function openStream(stream: ReadableStream<Uint8Array>, take: (bytes: Uint8Array) => void) {
  const reader = stream.getReader();
  const read = async () => {
    for (let part; !(part = await reader.read()).done;) take(part.value);
  };
  return { done: read(), cancel: () => reader.cancel().catch(() => {}) };
}

/** It may already have ended. */
function kill(child: Deno.ChildProcess): void {
  attempt(() => child.kill("SIGKILL"));
}
