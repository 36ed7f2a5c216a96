/**
 * Problems for the doctor to find.
 *
 * Each is planted in a folder of its own. The doctor must report it with the right level; then the test does what the
 * fix says, and the problem must be gone. Fixes that are commands are run as printed.
 */
import assert from "node:assert/strict";
import { type CliResult, runHere } from "./program.ts";
import type { runAsSomebody } from "./somebody.ts";
import { type TreeFile, withTree } from "./trees.ts";

interface Problem {
  readonly level: "look" | "broken";
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

interface Findings extends CliResult {
  readonly verdict: string;
  readonly problems: readonly Problem[];
}

interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Plant {
  readonly name: string;
  /** Files below the folder, in which `shop` is the project and `settings` holds the user's settings. */
  readonly files?: Readonly<Record<string, TreeFile>>;
  prepare?(dir: string): Promise<void>;
  call?(dir: string): Partial<Call>;
  readonly ignore?: boolean;
  readonly run?: typeof runAsSomebody;
  readonly code: string;
  readonly level: Problem["level"];
  readonly message: RegExp;
  readonly fix: RegExp;
  /**
   * Does what the fix says. `found` are the groups of the pattern. Returns how to call the doctor afterwards. By default, a
   * `command` is run as printed, `args` are given to the program, a `line` is removed from its `file`, and without any of
   * them the doctor is called without arguments and variables.
   */
  follow?(found: FixWords, dir: string, call: Call): Promise<void | Call>;
}

type FixWords = Readonly<Record<string, string>>;

async function followFix({ command, args, file, line }: FixWords, call: Call): Promise<void | Call> {
  if (command !== undefined) return await runAsPrinted(command);
  if (args !== undefined) return await runOurs(args, call);
  if (line === undefined) return { args: [], env: {} };
  await removeLine(file!, line);
}

export async function removeLine(file: string, line: string): Promise<void> {
  const lines = (await Deno.readTextFile(file)).split("\n");
  await Deno.writeTextFile(file, lines.toSpliced(Number(line) - 1, 1).join("\n"));
}

export async function runAsPrinted(command: string): Promise<void> {
  const { code, stderr } = await new Deno.Command("sh", { args: ["-c", command] }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
}

export async function runOurs(fix: string, { args, env }: Call): Promise<void> {
  const { code, stderr } = await runHere([...fix.split(" "), ...args], { env });
  assert.equal(code, 0, stderr);
}

export async function diagnose(
  dir: string,
  { args, env }: Call,
  run: Plant["run"] = runHere,
): Promise<Findings> {
  const result = await run(["doctor", "--json", "--pack", "none", ...args], {
    cwd: `${dir}/shop`,
    env: { XDG_CONFIG_HOME: `${dir}/settings`, ...env },
  });
  assert.match(result.stdout, /^\{/, result.stderr);
  return { ...result, ...JSON.parse(result.stdout) };
}

const EXIT_CODES: Readonly<Record<string, number>> = { good: 0, look: 1, broken: 2 };

export function testPlant(plant: Plant): void {
  Deno.test({
    name: `the doctor finds ${plant.name}, and its fix works [cli:doctor]`,
    ignore: plant.ignore ?? false,
    fn: () =>
      withTree(plant.files ?? {}, async (dir) => {
        await plant.prepare?.(dir);
        const { args = [], env = {} } = plant.call?.(dir) ?? {};
        const hasHome = Object.keys(plant.files ?? {}).some((path) => path.startsWith("home/"));
        const call = { args, env: { ...(hasHome && { HOME: `${dir}/home` }), ...env } };
        const before = await diagnose(dir, call, plant.run);
        const found = before.problems.filter(({ code }) => code === plant.code);
        assert.equal(found.length, 1, JSON.stringify(before.problems));
        const [{ level, message, fix }] = found as [Problem];
        assert.equal(level, plant.level);
        assert.match(message, plant.message);
        assert.match(fix, plant.fix);
        assert.equal(before.code, EXIT_CODES[before.verdict]);
        assert.ok(before.code >= EXIT_CODES[plant.level]!);
        const groups = plant.fix.exec(fix)!.groups ?? {};
        const next = await (plant.follow?.(groups, dir, call) ?? followFix(groups, call)) ?? call;
        const after = await diagnose(dir, next, plant.run);
        assert.deepEqual(after.problems, []);
        assert.deepEqual([after.verdict, after.code, after.stderr], ["good", 0, ""]);
      }),
  });
}
