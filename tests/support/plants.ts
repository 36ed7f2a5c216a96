/**
 * Problems for the doctor to find.
 *
 * Each is planted in a folder of its own; the program looks, what the fix says is done, and it looks again: the problem
 * must be named with the right level, and then be gone. Fixes that are commands are run as they stand.
 */
import assert from "node:assert/strict";
import type { Problem } from "../../src/commands/doctor/mod.ts";
import { type CliResult, runCli } from "./program.ts";
import { verifies } from "./requirements.ts";
import type { runAsSomebody } from "./somebody.ts";
import { type TreeFile, withTree } from "./trees.ts";

/** What the doctor says, as far as a test looks at it. */
export interface Findings extends CliResult {
  readonly verdict: string;
  readonly problems: readonly Problem[];
}

/** How the doctor is called. */
export interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Something that is wrong. */
export interface Plant {
  /** What is wrong, in a few words. */
  readonly name: string;
  /** Files below the folder, in which `shop` is the project and `settings` holds the user's settings. */
  readonly files: Readonly<Record<string, TreeFile>>;
  /** Prepares what files alone cannot. */
  prepare?(dir: string): Promise<void>;
  call?(dir: string): Partial<Call>;
  readonly ignore?: boolean;
  /** How the program is run, where not as usual. */
  readonly run?: typeof runAsSomebody;
  readonly code: string;
  readonly level: Problem["level"];
  readonly message: RegExp;
  readonly fix: RegExp;
  /** Does what the fix says. `found` are the groups of the pattern. Returns how the doctor is called from then on. */
  mend(found: Readonly<Record<string, string>>, dir: string, call: Call): Promise<void | Call>;
}

/** Runs a command as a shell does. */
export async function runAsItStands(command: string): Promise<void> {
  const { code, stderr } = await new Deno.Command("sh", { args: ["-c", command] }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
}

/** Runs the program as a fix says, with what it was started with. */
export async function runOurs(fix: string, { args, env }: Call): Promise<void> {
  const { code, stderr } = await runCli([...fix.split(" "), ...args], { env });
  assert.equal(code, 0, stderr);
}

/** Has the doctor look at a planted folder. */
export async function look(dir: string, { args, env }: Call, run: Plant["run"] = runCli): Promise<Findings> {
  const result = await run(["doctor", "--json", "--pack", "none", ...args], {
    cwd: `${dir}/shop`,
    env: { XDG_CONFIG_HOME: `${dir}/settings`, ...env },
  });
  assert.match(result.stdout, /^\{/, result.stderr);
  return { ...result, ...JSON.parse(result.stdout) };
}

const EXIT_CODES: Readonly<Record<string, number>> = { good: 0, look: 1, broken: 2 };

/** A test of one problem: the doctor finds it, what the fix says is done, and it is gone. */
export function testPlant(plant: Plant): void {
  Deno.test({
    name: verifies("cli:doctor", `the doctor finds ${plant.name}, and its fix mends it`),
    ignore: plant.ignore ?? false,
    fn: () =>
      withTree(plant.files, async (dir) => {
        await plant.prepare?.(dir);
        const call = { args: [], env: {}, ...plant.call?.(dir) };
        const before = await look(dir, call, plant.run);
        const found = before.problems.filter(({ code }) => code === plant.code);
        assert.equal(found.length, 1, JSON.stringify(before.problems));
        const [{ level, message, fix }] = found as [Problem];
        assert.equal(level, plant.level);
        assert.match(message, plant.message);
        assert.match(fix, plant.fix);
        assert.equal(before.code, EXIT_CODES[before.verdict]);
        assert.ok(before.code >= EXIT_CODES[plant.level]!);
        const next = await plant.mend(plant.fix.exec(fix)!.groups ?? {}, dir, call) ?? call;
        const after = await look(dir, next, plant.run);
        assert.deepEqual(after.problems, []);
        assert.deepEqual([after.verdict, after.code, after.stderr], ["good", 0, ""]);
      }),
  });
}
