/** Does a mark follow BMAD's rules, and change no more than it must? */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { runAtOnce } from "../../../../src/base/work.ts";
import { readSprintKey, SPRINT_STATUSES } from "../../../../src/project/work/formats/mod.ts";
import { type Mark, markSprint } from "../../../../src/project/work/ledger/mod.ts";
import { sprintPlan } from "../../../../src/project/scripts/sprint_plan.ts";
import { chanceFrom } from "../../../support/chance.ts";
import { runNative } from "../../../support/scripts.ts";
import { withTree } from "../../../support/trees.ts";

const LEDGER = `last_updated: "01-02-2026 09:00" # by whom?
development_status:
  epic-1: backlog # soon
  1-1-sign-in: backlog
  # Amy's
  1-2-sign-out: 'drafted'
  epic-1-retrospective: optional

  epic-2: done
  2-1-rooms: awaiting-operator
  2-6a-split: done
  2-6b-split: on-ice
`;
const markAtOnce = (...given: Parameters<typeof markSprint>) => runAtOnce(markSprint(...given));
const NOW = new Date(2026, 7, 1, 14, 5).getTime();

function mark(text: string, name: string, status: string, isForced = false) {
  const { text: after, changes } = markAtOnce("ledger.yaml", text, { name, status, isForced, now: NOW });
  return { after, changes: changes.map(({ key, from, to }) => `${key}: ${from} → ${to}`) };
}

Deno.test("nothing goes back unless it is forced [work:mark]", () => {
  assert.throws(
    () => mark(LEDGER, "1-2-sign-out", "backlog"),
    /^BmadError: Cannot move 1-2-sign-out from drafted back to/,
  );
  assert.throws(() => mark(LEDGER, "2-1-rooms", "review"), /from awaiting-operator back to review/);
  assert.throws(() => mark(LEDGER, "epic-2", "backlog"), /from done back to backlog/);
  assert.throws(() => mark(LEDGER, "epic-1", "done"), /1-1-sign-in, 1-2-sign-out are not done/);
  assert.throws(
    () => mark(LEDGER, "1-1-sign-in", "blocked"),
    /Unknown status "blocked". Use one of backlog, ready-for-dev/,
  );
  // An epic that has an open story is not done.
  assert.deepEqual(mark(LEDGER, "2-6b-split", "review").changes.at(-1), "epic-2: done → in-progress");
  assert.deepEqual(mark(LEDGER, "2-6a-split", "review", true).changes, [
    "2-6a-split: done → review",
    "epic-2: done → in-progress",
  ]);
  assert.deepEqual(mark(LEDGER, "1-1-sign-in", "on_hold", true).changes, [
    "1-1-sign-in: backlog → on-hold",
    "epic-1: backlog → in-progress",
  ]);
});

Deno.test("a key that the ledger does not have is refused with what it could be", () => {
  assert.throws(() => mark(LEDGER, "1-3-sign-on", "done"), /No story named "1-3-sign-on"/);
  assert.throws(() => mark(LEDGER, "1-2-sing-out", "done"), /1-2-sign-out/);
  assert.throws(() => mark(LEDGER, "__proto__", "done"), /No story named/);
  // The board calls an epic by its number.
  const zeros = LEDGER.replace("  epic-1:", "  epic-01:");
  assert.deepEqual(mark(zeros, "epic-1", "in-progress").changes, ["epic-01: backlog → in-progress"]);
});

Deno.test("the time is written in the form that the ledger has", () => {
  const stamp = (before: string) => {
    const { after } = mark(
      `last_updated: ${before}\n${LEDGER.slice(LEDGER.indexOf("dev"))}`,
      "1-1-sign-in",
      "done",
    );
    return (load(after) as { last_updated: string }).last_updated;
  };
  assert.equal(stamp("2026-01-02"), "2026-08-01");
  assert.equal(stamp("'2026-01-02 10:00'"), "2026-08-01 14:05");
  assert.equal(stamp("whenever"), "08-01-2026 14:05");
  assert.equal(
    mark(LEDGER.slice(LEDGER.indexOf("dev")), "1-1-sign-in", "done").after.includes("last_updated"),
    false,
  );
});

Deno.test("random marks agree with sprint_plan.py, and never go back [work:mark]", async () => {
  const epics =
    "## Epic 1\n### Story 1.1: a\n### Story 1.2: b\n## Epic 2\n### Story 2.1: c\n### Story 2.2a: d\n";
  const plan = "generate --epic-file epics.md --status-file out/l.yaml --stories-dir out --project P --date D"
    .split(" ");
  await withTree({ "epics.md": epics }, async (root) => {
    await runNative(sprintPlan, root, plan);
    const path = `${root}/out/l.yaml`;
    const markFile = async (request: Mark) => {
      try {
        const marked = markAtOnce("out/l.yaml", await Deno.readTextFile(path), request);
        await Deno.writeTextFile(path, marked.text);
        return marked;
      } catch (error) {
        return String(error);
      }
    };
    const fresh = await Deno.readTextFile(`${root}/out/l.yaml`);
    let changed = 0;
    for (let seed = 1; seed <= 30; seed++) {
      const { pick, below } = chanceFrom(seed);
      await Deno.writeTextFile(`${root}/out/l.yaml`, fresh);
      for (let round = 0; round < 8; round++) {
        const before = await statusesIn(root);
        const name = pick(Object.keys(before));
        const kind = readSprintKey(name)!.kind;
        const isForced = below(5) === 0;
        const request = { name, status: pick(SPRINT_STATUSES[kind]), isForced, now: NOW };
        const made = await markFile(request);
        const after = await statusesIn(root);
        if (typeof made === "string") {
          assert.deepEqual(after, before, made);
          continue;
        }
        changed += made.changes.length;
        for (const [key, status] of Object.entries(after)) {
          const order = SPRINT_STATUSES[readSprintKey(key)!.kind];
          // An epic that was forced to end begins again with the next of its stories.
          const isBegunAgain = key.startsWith("epic-") && kind === "story" && status === "in-progress";
          assert.ok(
            isForced || isBegunAgain || order.indexOf(status) >= order.indexOf(before[key]!),
            `${seed}: ${key}`,
          );
        }
        const stories = Object.keys(after).filter((key) => key.startsWith("1-")).map((key) => after[key]);
        if (kind === "story" && made.changes.length > 0 && name.startsWith("1-")) {
          const isDone = stories.every((status) => status === "done");
          assert.equal(after["epic-1"] === "done", isDone, `${seed}: ${JSON.stringify(after)}`);
        }
      }
      const { stdout } = await runNative(sprintPlan, root, [...plan, "--dry-run"]);
      assert.equal(JSON.parse(stdout).in_sync, true, stdout);
      const { stdout: checked } = await runNative(sprintPlan, root, [
        "validate",
        "--status-file",
        "out/l.yaml",
      ]);
      assert.deepEqual(JSON.parse(checked).problems.filter((one: string) => !one.includes("timestamp")), []);
    }
    assert.ok(changed > 60, String(changed));
  });
});

async function statusesIn(root: string): Promise<Readonly<Record<string, string>>> {
  const text = await Deno.readTextFile(`${root}/out/l.yaml`);
  return (load(text) as { development_status: Record<string, string> }).development_status;
}

Deno.test("an epic ends with its stories in whatever words the board takes for an end", () => {
  const text =
    "development_status:\n  epic-1: in-progress\n  1-1-a: Done\n  1-2-b: cancelled\n  1-3-c: review\n";
  const now = 0;
  assert.throws(() => markAtOnce("s.yaml", text, { name: "epic-1", status: "done", now }), /: 1-3-c is not/);
  const { changes } = markAtOnce("s.yaml", text, { name: "1-3-c", status: "done", now });
  assert.deepEqual(changes.map(({ key, to }) => [key, to]), [["1-3-c", "done"], ["epic-1", "done"]]);
});
