/** Do `sprint_plan.py` and `sprint_status.py` change only the lines that they must? */
import assert from "node:assert/strict";
import { isWriting } from "../../../src/project/scripts/script.ts";
import { sprintPlan } from "../../../src/project/scripts/sprint_plan.ts";
import { sprintStatus } from "../../../src/project/scripts/sprint_status.ts";
import { cpuClock } from "../../support/cpu.ts";
import { runNative } from "../../support/scripts.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const LEDGER = "impl/sprint-status.yaml";
const EPICS = `# Epics
## Epic 1: Base
### Story 1.1: Sign in
### Story 1.2: Sign out ##
## Epic 2: Chat
### Story 2.1: Rooms
`;
const TEXT = `# ours
generated: 2026-01-02 # a date
last_updated: "01-02-2026 09:00"
project: Shop
project_key: 'NOKEY'
tracking_system: file-system
story_location: impl

# the plan
development_status:
  # first of all
  epic-1: contexted # by hand
  1-1-sign-in: 'done'   # merged in #12
  # waits for Amy
  1-2-sign-out: backlog
  9-9-ghost: done
  epic-1-retrospective: optional

tags: [
  # inside
  alpha ]
# promised
action_items:
- epic: 1
  action: "Review errors"
  status: "open" # soon
`;
const GENERATE = [
  ...["generate", "--epic-file", "epics.md", "--status-file", LEDGER, "--stories-dir", "impl"],
  ...["--project", "Shop", "--date", "08-01-2026 14:30"],
];

Deno.test("a plan that is made again keeps every comment [work:ledger-bytes]", () =>
  withTree({ "epics.md": EPICS, "impl/1-2-sign-out.md": "x", [LEDGER]: TEXT }, async (root) => {
    const { status, stdout } = await runNative(sprintPlan, root, GENERATE);
    assert.equal(status, 0, stdout);
    const report = JSON.parse(stdout);
    assert.deepEqual(report.new_entries, ["epic-2", "2-1-rooms", "epic-2-retrospective"]);
    assert.deepEqual(report.upgraded_from_disk, ["1-2-sign-out"]);
    assert.deepEqual(report.dropped_orphans, [{ key: "9-9-ghost", status: "done" }]);
    const expected = TEXT.replace("01-02-2026 09:00", "08-01-2026 14:30").replace(
      "contexted",
      "in-progress",
    )
      .replace("1-2-sign-out: backlog", "1-2-sign-out: ready-for-dev").replace("  9-9-ghost: done\n", "")
      .replace(
        "retrospective: optional\n",
        "retrospective: optional\n\n  epic-2: backlog\n  2-1-rooms: backlog\n  epic-2-retrospective: optional\n",
      );
    assert.equal(await Deno.readTextFile(`${root}/${LEDGER}`), expected);
    await runNative(sprintPlan, root, GENERATE);
    assert.equal(await Deno.readTextFile(`${root}/${LEDGER}`), expected, "a second time changes nothing");
  }));

Deno.test("a retrospective changes its lines and no other [work:ledger-bytes]", () =>
  withTree({ [LEDGER]: `\uFEFF${TEXT.replaceAll("\n", "\r\n")}` }, async (root) => {
    const { status, stdout } = await runNative(sprintStatus, root, [
      ...["update", "--file", LEDGER, "--epic", "1", "--date", "8-1-2026 9:05", "--set-retro-done"],
      ...["--set-action-status", '[{"epic":1,"action":"Review errors","status":"done"}]'],
      ...["--add-action", '[{"action":"Say \\"why\\": #1","owner":"Amy"}]', "--ref", "retro.md"],
    ]);
    assert.equal(status, 0, stdout);
    assert.deepEqual(JSON.parse(stdout).action_items_added, 1);
    const expected = TEXT.replace("01-02-2026 09:00", "08-01-2026 09:05")
      .replace("retrospective: optional", "retrospective: done")
      .replace('"open" # soon', '"done" # soon') + `- id: "epic-1-retro-item-2-say-why-1"
  epic: 1
  action: "Say \\"why\\": #1"
  owner: "Amy"
  status: open
  ref: "retro.md"
`;
    assert.equal(
      await Deno.readTextFile(`${root}/${LEDGER}`),
      `\uFEFF${expected.replaceAll("\n", "\r\n")}`,
    );
  }));

Deno.test("a ledger that cannot be changed by lines stays as it is, and the answer says which line", () =>
  withTree({ "epics.md": EPICS, [LEDGER]: "development_status: {epic-1: backlog}\n" }, async (root) => {
    const before = await Deno.readTextFile(`${root}/${LEDGER}`);
    const plan = await runNative(sprintPlan, root, GENERATE);
    const text =
      "write or validation failed, original restored: line 1: development_status is not written line by line";
    assert.deepEqual([plan.status, JSON.parse(plan.stdout)], [1, { ok: false, error: text, restored: true }]);
    await Deno.writeTextFile(`${root}/${LEDGER}`, before.replace("epic-1:", "epic-1-retrospective:"));
    const args = ["update", "--file", LEDGER, "--epic", "1", "--set-retro-done"];
    const { status, stdout } = await runNative(sprintStatus, root, args);
    assert.deepEqual([status, JSON.parse(stdout).restored], [1, true]);
    assert.match(JSON.parse(stdout).error, /^write failed: line 1: /);
  }));

Deno.test("only what changes the ledger is a writer", () => {
  assert.equal(isWriting(sprintPlan, GENERATE), true);
  assert.equal(isWriting(sprintPlan, [...GENERATE, "--dry-run"]), false);
  assert.equal(isWriting(sprintPlan, ["validate", "--status-file", LEDGER]), false);
  assert.equal(isWriting(sprintStatus, ["update", "--file", LEDGER, "--epic", "1"]), true);
  assert.equal(isWriting(sprintStatus, ["detect-epic", "--file", LEDGER]), false);
});

Deno.test("hostile headings and ledgers are read in bounded time [work:hostile]", () => {
  const spaces = " ".repeat(200_000);
  const epics = `## Epic 1${spaces}x${spaces}\n### Story 1.1:${spaces}${
    "#".repeat(200_000)
  }${spaces}x\n#${spaces}epi\n`;
  const ledger = `development_status:\n  epic-1: '${"''".repeat(100_000)}\n  1-1-x: a${spaces}b\n`;
  const many = Array.from({ length: 30_000 }, (_, at) => `### Story 1.${at}: ${"x".repeat(40)}\n`).join("");
  const rows = Array.from({ length: 29_000 }, (_, at) => `  1-${at}-x: backlog\n`).join("");
  const files = { "epics.md": epics, "many.md": many, "small.md": EPICS, [LEDGER]: ledger };
  return withTree({ ...files, "rows.yaml": `development_status:\n${rows}` }, async (root) => {
    const took = cpuClock();
    const crowd = await runNative(sprintPlan, root, [
      ...GENERATE.with(2, "many.md").with(4, "none.yaml"),
      "--dry-run",
    ]);
    assert.equal(JSON.parse(crowd.stdout).stories, 30_000);
    const summed = await runNative(sprintPlan, root, ["status", "--status-file", "rows.yaml"]);
    assert.equal(JSON.parse(summed.stdout).stories.backlog, 29_000);
    const dry = await runNative(sprintPlan, root, [...GENERATE.with(4, "none.yaml"), "--dry-run"]);
    assert.equal(dry.status, 0, dry.stdout);
    // The ledger would be longer than any that is read.
    const full = await runNative(sprintPlan, root, GENERATE.with(2, "many.md").with(4, "none.yaml"));
    assert.match(full.stdout, /original restored: the text has more than/);
    const odd = await runNative(sprintPlan, root, GENERATE.with(2, "small.md"));
    assert.equal(odd.status, 1);
    assert.ok(took() < 10_000);
  });
});

treeTest("a time without quotes is read and shown as Python does", {}, async (root) => {
  // As BMAD's own script answered, whose library has another class for times with a zone.
  const table = [
    ["2026-01-02 09:00:00", "2026-01-02 09:00:00", true],
    ["2026-01-02T09:00:05Z", "2026-01-02 09:00:05", true],
    ["2026-01-02 09:00:05.25", "2026-01-02 09:00:05.250000", true],
    ["'2026-01-02 09:00:00'", "2026-01-02 09:00:00", true],
    ["2026-01-02", "2026-01-02", false],
  ] as const;
  for (const [written, shown, isOdd] of table) {
    await Deno.writeTextFile(
      `${root}/s.yaml`,
      `generated: ${written}\nproject: x\ndevelopment_status:\n  epic-1: done\n`,
    );
    const args = ["status", "--status-file", "s.yaml", "--date", "2026-08-01"];
    const { generated, warnings } = JSON.parse((await runNative(sprintPlan, root, args)).stdout);
    assert.equal(generated, shown);
    const expected = isOdd
      ? [`timestamp format not recognized (--date '2026-08-01', file '${shown}'); staleness check skipped`]
      : [];
    assert.deepEqual(warnings, expected, written);
  }
});

treeTest("headings of BMAD's own templates are not warned about [work:plan]", {
  "epics.md": "# Shop - Epic Breakdown\n# Epic Breakdown\n## Epic List\n### Epic 1: A\n## Epic 1: A\n" +
    "### Story 1.1: B\n## Story Map - Epic 1\n## Stories - Epic 1\n## The epic end\n### Story 1-2: C\n",
}, async (root) => {
  const { warnings } = JSON.parse((await runNative(sprintPlan, root, GENERATE)).stdout);
  const lines = warnings.map((text: string) => / at epics\.md:(\d+): /.exec(text)?.[1]);
  assert.deepEqual(lines, ["9", "10"]);
});
