/** Does `check` tell CI by its exit status, and people by lines with the place, the finding and what was left out? */
import assert from "node:assert/strict";
import type { App } from "../../../src/app.ts";
import type { Host } from "../../../src/process/host.ts";
import { printAnswer } from "../../../src/commands/cli/output.ts";
import type { Answer } from "../../../src/commands/cli/session.ts";
import { runWork } from "../../../src/commands/cli/work.ts";
import { reportCheck } from "../../../src/project/work/check/mod.ts";
import type { Invocation } from "../../../src/operations/mod.ts";
import { runHere } from "../../support/program.ts";
import { withTree } from "../../support/trees.ts";

const FINDING = {
  code: "box-unticked",
  story: "1-2",
  problem: 'Story 1-2 is "done", but 1 of 2 boxes is not ticked.',
  path: "out/a.md",
  line: 3,
  fix: "Tick it.",
} as const;

async function run(
  found: boolean,
  operands: readonly string[],
  options: Invocation["options"],
  columns?: number,
) {
  const texts = { out: "", err: "", asked: "" };
  const report = reportCheck("2 stories: 2 done.", {
    findings: found ? [FINDING] : [],
    notes: [],
    unchecked: ["Commits were not read: git was not found."],
    trace: [{ id: "FR1", path: "prd.md", line: 1, by: ["1-1"] }],
  });
  const work = { check: (story?: string) => (texts.asked = String(story), Promise.resolve(report)) };
  const host = {
    terminal: { stdin: false, stdout: columns !== undefined, stderr: false },
    columns,
    colours: { stdout: false, stderr: false },
    writeOut: (text: string) => texts.out += text,
    writeErr: (text: string) => texts.err += text,
  };
  const config = { settings: {}, provenance: {} };
  const app = { project: { work: () => Promise.resolve(work) }, config } as unknown as App;
  const invocation = { name: "check", operands, options } as Invocation;
  const shown = host as unknown as Host;
  const answer = await runWork({ host: shown, open: () => Promise.resolve(app), invocation }) as Answer;
  return { status: await printAnswer(shown, answer, options.json !== undefined), ...texts };
}

Deno.test("the exit status is 1 if something was found, also as JSON [work:check-exit]", async () => {
  const found = await run(true, ["1-2"], {});
  assert.deepEqual(found, {
    status: 1,
    out: 'out/a.md:3\tStory 1-2 is "done", but 1 of 2 boxes is not ticked.\tFix: Tick it.\n',
    err: "2 stories: 2 done.\nCommits were not read: git was not found.\n1 finding.\n",
    asked: "1-2",
  });
  const clean = await run(false, [], { all: "true" });
  assert.deepEqual([clean.status, clean.out, clean.asked], [0, "2 stories: 2 done.\n", "undefined"]);
  const json = await run(true, [], { json: "true" });
  const { items, trace } = JSON.parse(json.out);
  assert.deepEqual([json.status, items, trace.length, json.err], [1, [FINDING], 1, ""]);
  await assert.rejects(run(true, ["1-2"], { all: "true" }), /Give a story or --all, not both/);
});

Deno.test("a terminal shows each finding whole, with its place and its fix [work:check]", async () => {
  const { out } = await run(true, ["1-2"], {}, 60);
  assert.deepEqual(out.trimEnd().split("\n"), [
    "CODE          FOUND",
    'box-unticked  Story 1-2 is "done", but 1 of 2 boxes is not',
    "              ticked. (out/a.md:3) Fix: Tick it.",
  ]);
});

Deno.test("in a project without stories, check and board say so, and board what comes next", () =>
  withTree({ "README.md": "# Ours\n" }, async (dir) => {
    const check = await runHere(["check", "--pack", "none"], { cwd: dir });
    assert.match(check.stdout + check.stderr, /^No stories yet\. No problems found\.$/m);
    const board = await runHere(["board", "--pack", "none"], { cwd: dir });
    assert.match(board.stderr, /^No stories yet\. The next step of this project: bmad-mcp next$/m);
  }));
