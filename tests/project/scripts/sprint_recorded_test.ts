/**
 * Do `sprint_plan.py` and `sprint_status.py` answer as BMAD's own did, and leave the same values?
 *
 * BMAD's own need a library for YAML that few machines have, so what they answered on generated ledgers is recorded
 * beside this file. `BMAD_MCP_PINS=write deno test -A tests/project/scripts/sprint_recorded_test.ts` records.
 */
import assert from "node:assert/strict";
import { sprintPlan } from "../../../src/project/scripts/sprint_plan.ts";
import { sprintStatus } from "../../../src/project/scripts/sprint_status.ts";
import { sourceTree } from "../../support/installs.ts";
import { findRuamel } from "../../support/python.ts";
import { comparable, type Outcome, runAll, runNatives, runOriginals } from "../../support/scripts.ts";
import { CASE_LEDGER, normalizeSprint, planCases, retroCases } from "../../support/sprint_cases.ts";

/** Exit status, JSON on stdout, and the lines of a new ledger or the values of one that has changed. */
type Recorded = readonly [status: number, stdout: string, left: string];

const RECORDED = new URL("sprint_recorded.json", import.meta.url);
const SCRIPTS = [
  { script: sprintPlan, skill: "plan/bmad-sprint-planning", cases: planCases(70) },
  { script: sprintStatus, skill: "ship/bmad-retrospective", cases: retroCases(70) },
];

const recorded = ({ status, stdout, files }: Outcome): Recorded => [status, stdout, files[CASE_LEDGER]!];

for (const { script, skill, cases } of SCRIPTS) {
  Deno.test(`${script.name} answers as BMAD's own did [work:sprint-scripts]`, async () => {
    const all: Record<string, readonly Recorded[]> = JSON.parse(
      await Deno.readTextFile(RECORDED).catch(() => "{}"),
    );
    const python = Deno.env.get("BMAD_MCP_PINS") === "write" ? findRuamel() : undefined;
    if (python !== undefined) {
      const folder = `${await sourceTree("bmad-method@6.12.0")}/src/bmm-skills/${skill}`;
      const original = `${folder}/scripts/${script.name}`;
      const run = (root: string) => runOriginals(original, root, cases, python);
      all[script.name] = (await runAll(cases, run, normalizeSprint)).map(({ outcome }) => recorded(outcome));
      await Deno.writeTextFile(RECORDED, JSON.stringify(all, null, 2));
    }
    const expected = all[script.name]!;
    assert.equal(cases.length, expected.length, "record again: the cases have changed");
    const actual = await runAll(cases, (root) => runNatives(script, root, cases), normalizeSprint);
    for (const [at, { args, files }] of cases.entries()) {
      const [status, stdout, left] = expected[at]!;
      const theirs = normalizeSprint({ status, stdout: comparable(stdout), files: {} }, { files: {}, args });
      const about = `${script.name} ${JSON.stringify(args)}\n${files[CASE_LEDGER]}\n${files["epics.md"]}`;
      assert.deepEqual(recorded(actual[at]!.outcome), [status, theirs.stdout, left], about);
    }
  });
}
