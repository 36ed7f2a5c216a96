/**
 * Do `sprint_plan.py` and `sprint_status.py` answer as BMAD's own, and leave the same values?
 *
 * BMAD's own need a library for YAML that few machines have. What they answered on generated ledgers is recorded beside
 * this file; where the library is present, they are asked again, about more ledgers.
 * `BMAD_MCP_PINS=write deno test -A tests/project/scripts/sprint_recorded_test.ts` records.
 */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import type { Script } from "../../../src/project/scripts/script.ts";
import { sprintPlan } from "../../../src/project/scripts/sprint_plan.ts";
import { sprintStatus } from "../../../src/project/scripts/sprint_status.ts";
import { sourceTree } from "../../support/installs.ts";
import { findRuamel } from "../../support/python.ts";
import { verifies } from "../../support/requirements.ts";
import { runNative, runOriginals, type ScriptCase, withoutReason } from "../../support/scripts.ts";
import { CASE_LEDGER, planCases, retroCases } from "../../support/sprint_cases.ts";
import { withTree } from "../../support/trees.ts";

/** What a call left: exit status, JSON on stdout, and the lines of a new ledger or the values of one that has changed. */
type Outcome = readonly [status: number, stdout: string, left: string];

const RECORDED = new URL("sprint_recorded.json", import.meta.url);
const SCRIPTS: Readonly<
  Record<string, [Script, string, (count: number, seed?: number) => readonly ScriptCase[]]>
> = {
  "sprint_plan.py": [sprintPlan, "plan/bmad-sprint-planning", planCases],
  "sprint_status.py": [sprintStatus, "ship/bmad-retrospective", retroCases],
};
const COUNT = 70;

/** What parsers and the system say differs, and so does what is said of the file's own form. */
function comparable(stdout: string): string {
  const rest = String.raw`(?:[^"\\]|\\.)*`;
  return withoutReason(stdout).replaceAll(/\[Errno \d+\] | \(got \w+\)/g, "")
    .replaceAll(/, file (?:datetime\.\w+\([\d, ]+\)|'\d[\d-]+')/g, ", file …")
    .replaceAll(new RegExp(`((?:valid YAML|JSON): )${rest}`, "g"), "$1…")
    .replace(
      new RegExp(`"error": "(?:while |expected |the YAML |line \\d|could not )${rest}"`),
      '"error": "…"',
    );
}

/** The values of a ledger in their order. Dates and numbers are compared as texts: the original puts them in quotes. */
function valuesOf(text: string | undefined): string {
  if (text === undefined) return "";
  try {
    const value = load(text) ?? null;
    const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isMap) return JSON.stringify(value);
    const entries = Object.entries(value).map((
      [key, inner],
    ) => [key, typeof inner === "number" ? `${inner}` : inner]);
    return JSON.stringify(entries);
  } catch {
    return text;
  }
}

/** The lines of a new ledger; the comment above it is ours. */
function linesOf(text: string): string {
  return text.split("\n").filter((line) => !line.startsWith("#")).join("\n").trim();
}

async function outcomesOf(
  cases: readonly ScriptCase[],
  run: (root: string) => Promise<readonly { readonly status: number; readonly stdout: string }[]>,
): Promise<readonly Outcome[]> {
  const trees = Object.fromEntries(cases.flatMap(({ files }, at) => [
    [`${at}/`, ""],
    ...Object.entries(files).map(([path, text]) => [`${at}/${path}`, text]),
  ]));
  return await withTree(trees, async (root) => {
    const results = await run(root);
    return await Promise.all(results.map(async ({ status, stdout }, at): Promise<Outcome> => {
      const text = await Deno.readTextFile(`${root}/${at}/${CASE_LEDGER}`).catch(() => undefined);
      const before = cases[at]!.files[CASE_LEDGER] as string | undefined;
      const left = text === before ? "" : before === undefined ? linesOf(text!) : valuesOf(text);
      return [status, comparable(stdout), left];
    }));
  });
}

async function compare(
  name: string,
  cases: readonly ScriptCase[],
  expected: readonly Outcome[],
): Promise<void> {
  const [script] = SCRIPTS[name]!;
  const actual = await outcomesOf(cases, async (root) => {
    const results = [];
    for (const [at, { args }] of cases.entries()) {
      results.push(await runNative(script, `${root}/${at}`, args));
    }
    return results;
  });
  assert.equal(cases.length, expected.length, "record again: the cases have changed");
  for (const [at, { args, files }] of cases.entries()) {
    const about = `${name} ${JSON.stringify(args)}\n${files[CASE_LEDGER]}\n${files["epics.md"]}`;
    assert.deepEqual(actual[at], expected[at], about);
  }
}

async function askOriginal(name: string, cases: readonly ScriptCase[], python: string) {
  const [, skill] = SCRIPTS[name]!;
  const original = `${await sourceTree("bmad-method@6.12.0")}/src/bmm-skills/${skill}/scripts/${name}`;
  return await outcomesOf(cases, (root) => runOriginals(original, root, cases, python));
}

const PYTHON = findRuamel();

for (const [name, [, , casesOf]] of Object.entries(SCRIPTS)) {
  Deno.test(verifies("work:sprint-scripts", `${name} answers as BMAD's own did`), async () => {
    const recorded = JSON.parse(await Deno.readTextFile(RECORDED).catch(() => "{}"));
    if (Deno.env.get("BMAD_MCP_PINS") === "write" && PYTHON !== undefined) {
      recorded[name] = await askOriginal(name, casesOf(COUNT), PYTHON);
      const lines = Object.entries<readonly Outcome[]>(recorded).map(([name, outcomes]) =>
        `${JSON.stringify(name)}: [\n${outcomes.map((one) => JSON.stringify(one)).join(",\n")}\n]`
      );
      await Deno.writeTextFile(RECORDED, `{\n${lines.join(",\n")}\n}\n`);
    }
    const outcomes = (recorded[name] as readonly Outcome[]).map(([status, stdout, left]) =>
      [status, comparable(stdout), left] as const
    );
    await compare(name, casesOf(COUNT), outcomes);
  });

  Deno.test({
    name: `${name} answers as BMAD's own does`,
    ignore: PYTHON === undefined,
    fn: async () => {
      const cases = casesOf(150, 2);
      await compare(name, cases, await askOriginal(name, cases, PYTHON!));
    },
  });
}
