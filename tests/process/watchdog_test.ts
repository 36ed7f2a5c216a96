/**
 * Does a process end although its main thread is stuck, and does one that recovers lose nothing? A small program is
 * stuck on demand; the real program is brought to a halt by a debugger. Both are killed after five silent seconds; the
 * limit here is for a busy machine.
 */
import assert from "node:assert/strict";
import { pause } from "../../src/base/work.ts";
import { PROGRAM } from "../support/program.ts";
import { POSIX } from "../support/run.ts";
import { until, within } from "../support/waiting.ts";

const LIMIT_MS = 60_000;
const FOREVER = "1e9";

/** A running process, with its output as it comes. */
interface Running extends AsyncDisposable {
  readonly child: Deno.ChildProcess;
  readonly stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly output: { stdout: string; stderr: string };
  send(text: string): Promise<void>;
}

function run(args: readonly string[]): Running {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
  const output = { stdout: "", stderr: "" };
  const collected = (["stdout", "stderr"] as const).map(async (name) => {
    for await (const text of child[name].pipeThrough(new TextDecoderStream())) output[name] += text;
  });
  const stdin = child.stdin.getWriter();
  return {
    child,
    stdin,
    output,
    send: (text) => stdin.write(new TextEncoder().encode(text)),
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await Promise.all([child.status, ...collected, stdin.close().catch(() => {})]);
    },
  };
}

const startStuck = () => {
  const file = new URL("../support/stuck_program.ts", import.meta.url).pathname;
  return run(["run", "--quiet", "--no-prompt", "--no-check", file]);
};

const WAYS: Readonly<Record<string, (running: Running) => void | Promise<void>>> = {
  "the end of its input": ({ stdin }) => stdin.close(),
  SIGTERM: ({ child }) => child.kill("SIGTERM"),
};

/** Lets a process leave in every way at the same time: each takes five seconds. */
async function assertKilled(start: (way: string) => Promise<Running>): Promise<void> {
  await Promise.all(
    Object.entries(WAYS).map(async ([way, leave]) => {
      await using running = await start(way);
      await leave(running);
      assert.equal((await within(LIMIT_MS, running.child.status))?.signal, "SIGKILL", way);
    }),
  );
}

Deno.test("a stuck process is killed after end of input or SIGTERM [transport:stuck]", POSIX, async () => {
  await assertKilled(async () => {
    const running = startStuck();
    await running.send(`${FOREVER}\n`);
    await until("it is stuck", () => running.output.stdout !== "", () => running.output.stderr);
    return running;
  });
});

Deno.test("a process that recovers has lost no input [transport:stuck]", async () => {
  await using running = startStuck();
  await running.send("4000\n");
  await until("it is stuck", () => running.output.stdout !== "", () => running.output.stderr);
  const lines = Array.from({ length: 40 }, (_, n) => `0.${n}`);
  // Some before the worker takes over the input after three seconds, the others after that.
  const begun = performance.now();
  for (const [n, line] of lines.slice(0, 30).entries()) {
    await until("it is time for the next line", () => performance.now() - begun > n * 130);
    await running.send(`${line}\n`);
  }
  await until("it answers again", () => running.output.stdout.includes("0.29\n"));
  for (const line of lines.slice(30)) await running.send(`${line}\n`);
  await running.stdin.close();
  assert.equal((await within(LIMIT_MS, running.child.status))?.code, 0, running.output.stderr);
  await until("all is written", () => running.output.stdout.includes("0.39\n"));
  assert.equal(running.output.stdout, ["4000", ...lines, ""].join("\n"));
});

/** Two ways to be stuck: busy, or waiting for what never comes. */
const STUCK: Readonly<Record<string, string>> = {
  "the end of its input": "for (;;);",
  SIGTERM: "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
};

Deno.test({
  name:
    "the program, from the first request after its start on, is killed in the same way although it is stuck [transport:stuck]",
  ignore: Deno.build.os === "windows" || PROGRAM.file === undefined,
  fn: () =>
    assertKilled(async (way) => {
      const [first, ...others] = PROGRAM.args.filter((word) => word !== "--quiet");
      const ours = ["--mode", "strict", "--log-level", "debug"];
      const running = run([first!, "--inspect=127.0.0.1:0", ...others, ...ours]);
      const found = () => /ws:\S+/.exec(running.output.stderr)?.[0];
      await until("the debugger listens", () => found() !== undefined, () => running.output.stderr);
      await until("it is asked", async () => {
        await running.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}\n`);
        await pause(1_500);
        return running.output.stderr.includes("The watchdog is running");
      });
      const socket = new WebSocket(found()!);
      const closed = new Promise((resolve) => socket.onclose = resolve);
      await new Promise((resolve) => socket.onopen = resolve);
      const expression = `console.error("Stuck from now on"); ${STUCK[way]}`;
      socket.send(JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression } }));
      await until("it is stuck", () => running.output.stderr.includes("Stuck from now on"));
      const end = running[Symbol.asyncDispose].bind(running);
      return { ...running, [Symbol.asyncDispose]: () => end().then(() => closed).then(() => {}) };
    }),
});
