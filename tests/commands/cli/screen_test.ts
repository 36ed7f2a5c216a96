/**
 * Does everything fit the screen? Real commands on terminals of four widths: no line is wider, nothing that was found is
 * lost, and a command that goes on below is still that command.
 */
import assert from "node:assert/strict";
import { COMMAND_NAMES } from "../../../src/operations/mod.ts";
import { painter, stateNamed } from "../../../src/commands/cli/style.ts";
import { fold, widthOf } from "../../../src/commands/cli/screen.ts";
import { wrap } from "../../../src/commands/cli/wrap.ts";
import { STATES } from "../../../src/project/work/formats/mod.ts";
import { runHere } from "../../support/program.ts";
import { POSIX } from "../../support/run.ts";
import { wordsOf } from "../../support/shell.ts";
import { HAS_TERMINAL, runOnTerminal } from "../../support/terminal.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const WIDTHS = [40, 60, 80, 120];

const SPRINT = "_bmad-output/implementation-artifacts";
const LONG = `${SPRINT}/2-1-see-all-free-walkers-of-the-neighbourhood.md`;
const CRITERION =
  "Given a free walker, When the owner books, Then the walker gets a message within one minute";

const PROJECT = {
  [`${SPRINT}/sprint-status.yaml`]: `development_status:
  epic-1: done
  1-1-sign-up-with-an-email-address: done
  epic-2: in-progress
  2-1-see-all-free-walkers-of-the-neighbourhood: review
  2-2-book-a-walk: in-progress
  2-3-cancel-a-walk: ready-for-dev
  2-4-散歩を予約する: backlog
`,
  [LONG]:
    "# Story 2.1: See all\n\nStatus: done\n\n## Acceptance Criteria\n\n1. It works\n\n## Tasks\n\n- [ ] One\n",
  [`${SPRINT}/2-2-book-a-walk.md`]: `# Story 2.2: Book a walk

Status: in-progress

## Acceptance Criteria

1. ${CRITERION}
2. 散歩を予約すると、${"確認の連絡が届く。".repeat(8)}

## Tasks / Subtasks

- [ ] Task 1: A task that says in many words what has to be done so that its line is wider than the screen

### Review Findings

- [ ] [Review][Patch] The counter has no lock in \`src/components/walks/booking/very/long/path/counter.ts:12\`
`,
  "_bmad-output/planning-artifacts/epics.md": `## Epic 1: People

### Story 1.1: Sign up with an email address

## Epic 2: Walks that are booked, cancelled and paid in one place by everybody 📊

### Story 2.1: See all free walkers of the neighbourhood
### Story 2.2: Book a walk

FR3

### Story 2.3: Cancel a walk
### Story 2.4: 散歩を予約する
`,
  "_bmad-output/planning-artifacts/prd.md":
    "# PRD\n\n- FR3: Users book walks and get a confirmation by email, by text message and in the app within one minute\n- FR4: Users pay\n",
  "_bmad-output/implementation-artifacts/work-log.jsonl": "",
};

const LINES: readonly string[] = [
  "board",
  "board 2-2",
  "board --epic 2",
  "next",
  "next --count 2 --by Ann",
  "check",
  "check 2-1",
  "claim 2-3 --by Ann-Kathrin",
  "log",
  "plan",
  "reconcile",
  "review 2-2",
  "trace",
  "trace FR3",
  "context 2-2",
  "list",
  "list agents",
  "list workflows",
  "list modules",
  "list next",
  "search plan a sprint",
  "show analyst",
  "execute analyst",
  "conflicts",
  "sources",
  "config",
  "doctor",
  "install --list",
  "memory status",
  "memory list",
  "cache list",
  "help",
  "help all",
  "help memory recall",
  ...COMMAND_NAMES.map((name) => `${name} --help`),
  // Errors.
  "bord",
  "mark",
  "memory",
  "start",
  "show nobody-that-anybody-has-ever-heard-of",
  "list agnets",
  "mark 2-2 done",
  "board --project /a/folder/that/does/not/exist/anywhere/on/this/machine",
  "list agents --mode of-the-day",
  "board --no-such-flag-at-all",
  "install no-such-client",
];

Deno.test("no line of any command is wider than the terminal [cli:screen]", async (t) => {
  // Every command takes a while; how lines are folded at any width is tested below. Help is folded text alone.
  for (const columns of [40, 80]) {
    const lines = columns === 40 ? LINES : LINES.filter((line) => !line.endsWith(" --help"));
    await t.step(`${columns} columns`, () =>
      withTree(PROJECT, async (cwd) => {
        for (const line of lines) {
          const { stdout, stderr } = await runHere(line.split(" "), { cwd, columns });
          assert.notEqual(stdout + stderr, "", line);
          for (const printed of `${stdout}${stderr}`.split("\n")) {
            assert.ok(widthOf(printed) <= columns, `${line}: ${widthOf(printed)} > ${columns}: ${printed}`);
          }
        }
      }));
  }
});

Deno.test("a real terminal shows the same [cli:screen]", { ignore: !HAS_TERMINAL }, async () => {
  await withTree(PROJECT, async (cwd) => {
    const commands = ["board", "search plan", "--help", "bord"];
    const line = commands.map((words) => `bmad-mcp ${words}`).join("; ");
    const { text } = await runOnTerminal(line, { cwd, columns: 40, env: { CI: "1" } });
    for (const printed of text.split("\n")) assert.ok(widthOf(printed) <= 40, printed);
    assert.match(text, /Did you mean board\?/);
  });
});

treeTest("what is found is whole on the smallest screen [cli:screen]", PROJECT, async (cwd) => {
  // deno-lint-ignore no-control-regex
  const squeezed = (text: string) => text.replaceAll(/\s|\x1b\[\d+m/g, "");
  const shown = async (line: string, columns?: number) => {
    const { stdout, stderr } = await runHere(line.split(" "), { cwd, columns });
    return squeezed(stdout + stderr);
  };
  assert.ok((await shown("check 2-1", 40)).includes(`(${LONG}:3)`));
  assert.ok((await shown("board", 40)).includes(`${LONG}:3:story2-1:itsays"done"`));
  assert.ok((await shown("board 2-2", 40)).includes(squeezed(CRITERION)));
  for (const line of ["trace", "context 2-2"]) {
    assert.equal(await shown(line, 40), await shown(line), line);
  }
});

treeTest("the board shows holder and boxes on any screen [cli:screen]", PROJECT, async (cwd) => {
  await runHere(["claim", "2-3", "--by", "Ann-Kathrin"], { cwd });
  for (const columns of [40, 50, 60, 70]) {
    const { stdout } = await runHere(["board"], { cwd, columns });
    // deno-lint-ignore no-control-regex
    const row = stdout.replaceAll(/\x1b\[\d+m/g, "").split("\n").find((line) => line.startsWith("2-2 "));
    assert.match(row!, / 0\/2(?: |$)/, `${columns}`);
    assert.match(stdout, /Ann-Kathrin/, `${columns}`);
  }
});

Deno.test("a command that goes on below runs as one [cli:screen]", POSIX, () => {
  const lines = [
    'bmad-mcp execute bmm/bmad-build -m "Story 2-2-book-a-walk (_bmad-output/implementation-artifacts/2-2.md)"',
    `bmad-mcp --project /${"a-long-folder/".repeat(8)}shop mark 2-2 in-progress --by "Ann Kathrin"`,
    "bmad-mcp review 2-2-book-a-walk --lens NAME",
    `bmad-mcp call bmad '{"operation":"search","query":"who can review the code of my shop before it is sold"}'`,
  ];
  for (const columns of WIDTHS) {
    for (const line of lines) {
      for (const about of ["", "Call: ", "- When the pass is over, ask whether another is due: "]) {
        const folded = fold(`${about}${line}`, columns);
        for (const one of folded.split("\n")) assert.ok(widthOf(one) <= columns, one);
        const pasted = folded.slice(folded.indexOf("bmad-mcp"));
        assert.deepEqual(wordsOf(pasted), wordsOf(line), folded);
      }
    }
  }
});

Deno.test("lines are folded below their text; JSON and addresses stay whole", () => {
  assert.equal(fold("- one two three four", 12), "- one two\n  three four");
  assert.equal(fold("10. one two three", 11), "10. one two\n    three");
  assert.equal(fold("bmad-mcp warn: one two three", 20), "bmad-mcp warn: one\ntwo three");
  assert.equal(fold("Usage: bmad-mcp mark STORY STATUS", 24), "Usage: bmad-mcp mark\nSTORY STATUS");
  assert.equal(fold("one two `bmad-mcp list`", 20), "one two\n`bmad-mcp list`");
  const json = '  "command": "/a/very/long/path/to/the/program",';
  assert.equal(fold(json, 20), json);
  const address = "http://127.0.0.1:8080/?token=0123456789";
  assert.equal(fold(`Dashboard: ${address}`, 20), `Dashboard:\n${address}`);
  assert.deepEqual(wrap("src/a/b/c.ts", 7), ["src/a/", "b/c.ts"]);
  assert.deepEqual(wrap("日本語です", 6, widthOf), ["日本語", "です"]);
  const red = painter(true)("bad", "one two three");
  assert.equal(fold(red, 7), red.replace("two ", "two\n"));
});

treeTest("every state has its colour on the board [cli:state-colours]", PROJECT, async (cwd) => {
  const paint = painter(true);
  assert.equal(new Set(STATES.map((state) => paint(stateNamed(state)!, "x"))).size, STATES.length);
  const { stdout } = await runHere(["board"], { cwd, columns: 80 });
  for (const state of ["done", "review", "in-progress", "ready", "backlog"] as const) {
    assert.ok(stdout.includes(paint(state, state.padEnd(11))), `${state}: ${stdout}`);
  }
  const one = await runHere(["board", "2-2"], { cwd, columns: 80 });
  assert.ok(one.stdout.includes(paint("in-progress", "in-progress")), one.stdout);
  assert.ok(!(await runHere(["board"], { cwd })).stdout.includes("\x1b"));
});
