/**
 * Does a program end with everything that it has started, whichever shell supervises it and whatever ends it? What
 * git, npm and the completion contract make of it is tested with them; here it is small scripts.
 */
import assert from "node:assert/strict";
import {
  collectOutput,
  supervise,
  type SupervisedRun,
  SupervisorError,
} from "../../src/process/supervisor.ts";
import { until } from "../support/waiting.ts";
import { treeTest, withTree } from "../support/trees.ts";

const ignore = Deno.build.os === "windows";
const SHELLS = ["bash", "git"] as const;

/** Runs a script below a shell; what it printed, and how it ended. */
async function run(folder: string, script: string, given: Partial<SupervisedRun>) {
  const [stdout, stderr] = [collectOutput(1 << 20), collectOutput(1 << 20)];
  const code = await supervise({
    command: ["bash", "-c", script],
    shell: "bash",
    folder,
    variables: { PATH: Deno.env.get("PATH")!, HOME: folder },
    stdout: stdout.push,
    stderr: stderr.push,
    ...given,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** Starts a process that sleeps in the background, and writes down its id. */
const SLEEPER = "sleep 300 & echo $! > new; mv new sleeper;";

async function isRunning(folder: string): Promise<boolean> {
  const pid = (await Deno.readTextFile(`${folder}/sleeper`)).trim();
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "stat=", "-p", pid] }).output();
  return /^[^Z]/.test(new TextDecoder().decode(stdout).trim());
}

Deno.test("a program has no input, two streams of its own and an exit code", { ignore }, async () => {
  await withTree({}, async (dir) => {
    for (const shell of SHELLS) {
      for (const isAlone of shell === "git" ? [false, true] : [false]) {
        const ended = await run(dir, "cat; echo out; echo err >&2; exit 7", { shell, isAlone });
        assert.deepEqual(ended, { code: 7, stdout: "out\n", stderr: "err\n" }, `${shell} ${isAlone}`);
      }
    }
    const joined = await run(dir, "echo out; echo err >&2", { stderr: undefined });
    assert.equal(joined.stdout, "out\nerr\n");
  });
});

Deno.test("a program that is stopped or prints too much ends with all it started", { ignore }, async (t) => {
  for (const shell of SHELLS) {
    await t.step(`${shell}: stopped`, () =>
      withTree({}, async (dir) => {
        const stopped = new AbortController();
        const running = run(dir, `${SLEEPER} wait`, { shell, signal: stopped.signal });
        await until("it runs", () => Deno.stat(`${dir}/sleeper`).then(() => true, () => false));
        stopped.abort();
        assert.equal((await running).code, 137);
        await until("it is gone", async () => !await isRunning(dir));
        await assert.rejects(run(dir, "touch ran", { shell, signal: stopped.signal }), {
          name: "AbortError",
        });
        await assert.rejects(Deno.stat(`${dir}/ran`), Deno.errors.NotFound);
      }));
    await t.step(`${shell}: prints too much`, () =>
      withTree({}, async (dir) => {
        await assert.rejects(run(dir, `${SLEEPER} yes`, { shell }), new SupervisorError("too-much-output"));
        await until("it is gone", async () => !await isRunning(dir));
      }));
    await t.step(`${shell}: what reads its output throws`, () =>
      withTree({}, async (dir) => {
        const stdout = () => {
          throw new RangeError("enough");
        };
        await assert.rejects(run(dir, `${SLEEPER} echo one; wait`, { shell, stdout }), RangeError);
        await until("it is gone", async () => !await isRunning(dir));
      }));
  }
});

Deno.test("a program writes no larger file than it may, and its error says so", { ignore }, async () => {
  await withTree({}, async (dir) => {
    for (const shell of SHELLS) {
      const { code } = await run(dir, "head -c 1000000 /dev/zero > large", { shell, maxFile: 65_536 });
      assert.deepEqual([code, (await Deno.stat(`${dir}/large`)).size], [1, 65_536], shell);
    }
  });
});

treeTest("a program that cannot be started is reported as such", {}, async (dir) => {
  const nowhere = run(`${dir}/nowhere`, "exit 0", {});
  await assert.rejects(
    nowhere,
    (error) => error instanceof SupervisorError && error.reason === "not-found",
  );
});
