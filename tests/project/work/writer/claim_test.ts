/**
 * Has a story one owner at most, for two hours; does the board say who; and does a claim without a name take what is next?
 */
import assert from "node:assert/strict";
import { openApp } from "../../../../src/app.ts";
import { systemTimer } from "../../../../src/base/work.ts";
import { reportBoard, reportTarget } from "../../../../src/project/work/board/mod.ts";
import { claim, release } from "../../../../src/project/work/writer/mod.ts";
import { BMM } from "../../../support/bmm_project.ts";
import { resolveConfig } from "../../../support/config.ts";
import { runHere } from "../../../support/program.ts";
import { treeTest, withTree, writeTree } from "../../../support/trees.ts";
import { marked, NOON, writerIn } from "../../../support/writer.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const CLAIMS = "out/.bmad-work/claims.json";
const FILES = {
  [LEDGER]: "development_status:\n  1-1-a: done\n  1-2-b: backlog\n  1-3-c: backlog\n  2-1-d: backlog\n",
  "out/plan/epics.md":
    "### Story 1.1: A\n### Story 1.2: B\n### Story 1.3: C\nDepends on: 1.2\n### Story 2.1: D\n",
};
const HOUR = 3_600_000;
const UNTIL = new Date(NOON + HOUR).toISOString();

type Claimant = Parameters<typeof claim>[1];
const claimAt = async (root: string, hours: number, request: Claimant) =>
  await claim(await writerIn(root, { now: NOON + hours * HOUR }), request);
const releaseAt = async (root: string, hours: number, by: string) =>
  await release(await writerIn(root, { now: NOON + hours * HOUR }), { story: "1-2", by });
const storiesIn = async (root: string, epic = 0, options = {}) =>
  (await writerIn(root, options)).board.epics[epic]!.stories;

treeTest("a story has one owner at a time, for two hours [work:claim]", FILES, async (root) => {
  const taken = await claimAt(root, 0, { story: "1.2", by: " Ann " });
  const until = new Date(NOON + 2 * HOUR).toISOString();
  assert.deepEqual(taken.claim, {
    ledger: LEDGER,
    story: "1-2-b",
    by: "Ann",
    until,
    at: new Date(NOON).toISOString(),
  });
  const held = /Cannot (?:claim|release|mark) 1-2-b: Ann holds it until 2026-08-01 \d\d:\d\d UTC/;
  await assert.rejects(claimAt(root, 1, { story: "1-2", by: "Bob" }), held);
  await assert.rejects(releaseAt(root, 1, "Bob"), held);
  for (const by of ["Bob", undefined]) await assert.rejects(marked(root, ["1-2", "review", by]), held);
  // Whoever holds it can go on, and two hours later it is free.
  await claimAt(root, 1, { story: "B", by: "Ann" });
  await assert.rejects(claimAt(root, 2.9, { story: "1-2", by: "Bob" }), held);
  assert.equal((await claimAt(root, 3.1, { story: "1-2", by: "Bob" })).claim?.by, "Bob");
  assert.equal((await claimAt(root, 3.2, { story: "1-2", by: "Cat", isForced: true })).before?.by, "Bob");
  assert.equal((await releaseAt(root, 3.3, "Cat")).before?.by, "Cat");
  assert.equal((await releaseAt(root, 3.3, "Cat")).before, undefined);
  const refused: readonly (readonly [story: string, by: string, problem: RegExp])[] = [
    ["1-1", "Ann", /Cannot claim 1-1-a: it is done/],
    ["1-3", "Ann", /Cannot claim 1-3-c: it waits for 1-2;/],
    ["2-1", " ", /Invalid owner/],
  ];
  for (const [story, by, problem] of refused) await assert.rejects(claimAt(root, 0, { story, by }), problem);
  assert.equal(Deno.readTextFileSync(`${root}/out/.bmad-work/.gitignore`), "*\n");
});

treeTest("the newest claim counts [work:claim]", FILES, async (root) => {
  const own = (by: string) => ({ ledger: LEDGER, story: "1-2-b", by, until: UNTIL });
  const planned = (by: string) => ({ ledger: "out/impl", story: "1-2", by, until: UNTIL });
  const cases = [[own("Ann"), own("Bob")], [own("Bob"), planned("Ann")], [planned("Ann"), planned("Bob")]];
  for (const claims of cases) {
    await writeTree(root, { [CLAIMS]: JSON.stringify({ claims }) });
    const { board } = await writerIn(root);
    assert.match(reportBoard(board).text, /\n- 1-2 backlog: B \(held by Bob\)\n/);
    await assert.rejects(claimAt(root, 0, { story: "1-2", by: "Cat" }), /Cannot claim 1-2-b: Bob holds it/);
    await assert.rejects(releaseAt(root, 0, "Ann"), /Bob holds it/);
    await assert.rejects(marked(root, ["1-2", "review", "Ann"]), /Bob holds it/);
    await releaseAt(root, 0, "Bob");
    assert.doesNotMatch(reportBoard((await writerIn(root)).board).text, /held by/);
  }
});

treeTest("a mark claims and gives back [work:claim]", FILES, async (root) => {
  const { notes: [held] } = await marked(root, ["1-2", "in-progress", "Ann"]);
  assert.match(held!, /^Ann holds it until 2026-08-01 \d\d:\d\d UTC$/);
  const { board } = await writerIn(root);
  assert.match(reportBoard(board).text, /\n- 1-2 in-progress: B \(held by Ann\)\n/);
  const target = { epic: board.epics[0]!, story: board.epics[0]!.stories[1]!, isRetrospective: false };
  const { text } = reportTarget(target, (text) => text);
  assert.match(text, /\n- held by: Ann until 2026-08-01 \d\d:\d\d UTC$/);
  const { notes: [gone] } = await marked(root, ["1-2", "review", "Ann"]);
  assert.equal(gone, "Ann no longer holds it");
  assert.equal((await storiesIn(root))[1]!.claim, undefined);
  // Who only marks does not take anything.
  await marked(root, ["2-1", "ready", "Ann"]);
  assert.equal((await storiesIn(root, 1))[0]!.claim, undefined);
});

treeTest(
  "no record holds a story for longer than a claim can [work:claim]",
  FILES,
  async (root) => {
    const ends = ["2099-01-01", "+275760-09-13", "9999-12-31T23:59:59Z", new Date(8.64e15).toISOString()];
    for (const until of ends) {
      const claims = [{ ledger: LEDGER, story: "1-2-b", by: "Eve", until }];
      await writeTree(root, { [CLAIMS]: JSON.stringify({ claims }) });
      const written = (await Deno.stat(`${root}/${CLAIMS}`)).mtime!.getTime();
      const after = (hours: number) => (written - NOON) / HOUR + hours;
      const heldAt = async (hours: number) =>
        (await storiesIn(root, 0, { now: written + hours * HOUR }))[1]!.claim;
      // Whenever it is read, it ends at the same time.
      for (const hours of [1, 23.9]) {
        const end = Date.parse((await heldAt(hours))?.until ?? "");
        assert.equal(end, written + 24 * HOUR, `${until} ends at ${end}`);
        const held = /Eve holds it until 20\d\d-/;
        await assert.rejects(claimAt(root, after(hours), { story: "1-2", by: "Bob" }), held);
        await assert.rejects(releaseAt(root, after(hours), "Bob"), held);
      }
      assert.equal(await heldAt(24.1), undefined);
      assert.equal((await claimAt(root, after(24.1), { story: "1-2", by: "Bob" })).claim?.by, "Bob");
    }
    // A clock that went back by a month: the claim still ends a day from now.
    await claimAt(root, 30 * 24, { story: "2-1", by: "Ann" });
    const [held] = await storiesIn(root, 1);
    assert.equal(held!.claim?.until, new Date(NOON + 24 * HOUR).toISOString());
  },
);

Deno.test("of very many claims, none is lost [work:claim]", () => {
  const keys = Array.from({ length: 1_200 }, (_, at) => `1-${at + 1}-a`);
  const claims = keys.map((story) => ({ ledger: LEDGER, story, by: "Ann", until: UNTIL }));
  return withTree({
    [LEDGER]: `development_status:\n${keys.map((key) => `  ${key}: backlog\n`).join("")}`,
    [CLAIMS]: JSON.stringify({ claims }),
  }, async (root) => {
    await claimAt(root, 0, { story: "1-1", by: "Ann" });
    for (const story of ["1-1", `1-${keys.length}`]) {
      await assert.rejects(claimAt(root, 0, { story, by: "Bob" }), /Ann holds it/);
    }
    const held = (await storiesIn(root)).filter((one) => one.claim?.by === "Ann");
    assert.equal(held.length, keys.length);
  });
});

treeTest("records that others wrote are read safely", {
  ...FILES,
  [CLAIMS]: JSON.stringify({
    claims: [
      { ledger: LEDGER, story: "1-2-b", by: "\u202eeve\n", until: "2099-01-01" },
      { ledger: 1, story: [], by: {}, until: "x" },
      null,
    ],
  }),
  "out/.bmad-work/forced.jsonl":
    `{"ledger":\n[]\n{"at":"2026","ledger":"${LEDGER}","story":"1-1-a","to":"done",` +
    '"reasons":["a\\nb",3]}\n',
}, async (root) => {
  const [done, held] = await storiesIn(root);
  assert.equal(held!.claim!.by, "\ufffdeve");
  assert.deepEqual(done!.forced, { at: "2026", by: undefined, reasons: ["a b", "3"] });
});

treeTest("a claim on a planned story is kept [work:claim]", {
  "out/plan/epics.md": "## Epic 1: Q\n### Story 1.1: A\n",
}, async (root) => {
  await claimAt(root, 0, { story: "1-1", by: "Ann" });
  await writeTree(root, { "out/impl/1-1-a.md": "# Story 1.1: A\n\nStatus: in-progress\n" });
  await assert.rejects(claimAt(root, 0, { story: "1-1", by: "Bob" }), /Ann holds it/);
  assert.equal((await storiesIn(root))[0]!.claim?.by, "Ann");
});

async function workIn(dir: string, deeds: string[] = []) {
  const config = resolveConfig({
    args: ["--pack", "none", "--project", dir],
    cwd: dir,
    home: undefined,
    os: Deno.build.os,
    contentDir: `${dir}/none`,
    env: () => undefined,
    readSettings: () => undefined,
  });
  const app = openApp(config, { now: Date.now, after: systemTimer.after });
  return (await app.recording(["claim"], (deed) => deeds.push(deed))).project.work();
}

const CALLS = { execute: () => "", mark: () => "", plan: () => "" };

treeTest("a claim without a story takes what next hands out [work:claim]", {
  ...BMM,
  [LEDGER]: "development_status:\n  epic-1: in-progress\n  1-1-a: done\n  1-2-b: backlog\n" +
    "  1-3-c: ready-for-dev\n  1-4-d: backlog\n",
}, async (dir) => {
  const deeds: string[] = [];
  const work = await workIn(dir, deeds);
  const { data: { next } } = await work.next(CALLS, { by: "Ann" });
  assert.equal((next as readonly { readonly story: { readonly key: string } }[])[0]!.story.key, "1-3-c");
  assert.equal((await work.claim({ by: "Ann" })).data["story"], "1-3-c");
  assert.deepEqual(deeds, ["claim 1-3-c"], "the record says which one");
  // One's own comes first, and is held for longer.
  assert.equal((await work.claim({ by: "Ann" })).data["story"], "1-3-c");
  const held =
    /^BmadError: Cannot claim 1-3-c: Ann holds it until [\d: -]+ UTC; free for you: 1-2-b; or force it$/;
  await assert.rejects(work.claim({ story: "1-3", by: "Bob" }), held);
  const rest = await Promise.all(["Bob", "Cat"].map((by) => work.claim({ by })));
  assert.deepEqual(rest.map(({ data }) => data["story"]).sort(), ["1-2-b", "1-4-d"]);
  await assert.rejects(
    work.claim({ by: "Dan" }),
    /Cannot claim a story: none can be begun: everything that can be done is held/,
  );
});

treeTest("a claim on a planned story holds when the sprint is made [work:claim]", {
  ...BMM,
  "out/plan/epics.md": "## Epic 1: A\n### Story 1.1: B\n### Story 1.2: C\n",
}, async (cwd) => {
  const run = (...args: string[]) => runHere(args, { cwd });
  assert.equal(
    (await run("claim", "--by", "Ann")).stderr,
    "bmad-mcp: Cannot claim a story: none can be begun before a sprint is made of the plan (bmad-mcp plan)\n",
  );
  assert.match((await run("claim", "1-1", "--by", "Ann")).stdout, /^Ann holds 1-1 until/);
  assert.match(
    (await run("claim", "1-1", "--by", "Bob")).stderr,
    /Ann holds it until [^;]+; none can be begun before a sprint is made of the plan; or force it \(bmad-mcp plan, --force\)/,
  );
  assert.equal((await run("plan")).code, 0);
  assert.match((await run("board", "1-1")).stdout, /held by\s+Ann until/);
  assert.match(
    (await run("claim", "1-1", "--by", "Bob")).stderr,
    /Ann holds it .*; free for you: 1-2-c;/,
  );
  assert.equal((await run("release", "1-1", "--by", "Ann")).code, 0);
  assert.match((await run("claim", "1-1", "--by", "Bob")).stdout, /^Bob holds 1-1-b until/);
});

Deno.test("a configuration by hand is enough [work:board]", async () => {
  const ledger = { [LEDGER]: "development_status:\n  1-1-a: backlog\n" };
  const configs = {
    "_bmad/bmm/config.yaml": 'implementation_artifacts: "{project-root}/out/impl"\n',
    "_bmad/config.toml": '[modules.bmm]\nimplementation_artifacts = "out/impl"\n',
  };
  for (const [path, text] of Object.entries(configs)) {
    await withTree({ ...ledger, [path]: text }, async (dir) => {
      assert.match((await (await workIn(dir)).board()).text, /^0 of 1 story is done\./, path);
    });
  }
});
