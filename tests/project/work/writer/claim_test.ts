/**
 * Has a story one owner at most, for two hours, and does the board say who?
 */
import assert from "node:assert/strict";
import { reportBoard, reportTarget } from "../../../../src/project/work/board/mod.ts";
import { claim, release } from "../../../../src/project/work/writer/mod.ts";
import { verifies } from "../../../support/requirements.ts";
import { treeTest, withTree } from "../../../support/trees.ts";
import { marked, NOON, writerIn } from "../../../support/writer.ts";

const FILES = {
  "out/impl/sprint-status.yaml":
    "development_status:\n  1-1-a: done\n  1-2-b: backlog\n  1-3-c: backlog\n  2-1-d: backlog\n",
  "out/plan/epics.md":
    "### Story 1.1: A\n### Story 1.2: B\n### Story 1.3: C\nDepends on: 1.2\n### Story 2.1: D\n",
};
const HOUR = 3_600_000;

treeTest(verifies("work:claim", "a story has one owner at a time, for two hours"), FILES, async (root) => {
  const at = (hours: number) => writerIn(root, { now: NOON + hours * HOUR });
  const taken = await claim(await at(0), { story: "1.2", by: " Ann " });
  assert.deepEqual(taken.claim, {
    ledger: "out/impl/sprint-status.yaml",
    story: "1-2-b",
    by: "Ann",
    until: new Date(NOON + 2 * HOUR).toISOString(),
  });
  await assert.rejects(
    claim(await at(1), { story: "1-2", by: "Bob" }),
    /Cannot claim 1-2-b: Ann holds it until 2026-08-01 \d\d:\d\d UTC/,
  );
  await assert.rejects(
    release(await at(1), { story: "1-2", by: "Bob" }),
    /Cannot release 1-2-b: Ann holds it/,
  );
  await assert.rejects(marked(root, ["1-2", "review", "Bob"]), /Cannot mark 1-2-b: Ann holds it/);
  await assert.rejects(marked(root, ["1-2", "review"]), /Cannot mark 1-2-b: Ann holds it/);
  // Whoever holds it can go on, and two hours later it is free.
  await claim(await at(1), { story: "B", by: "Ann" });
  await assert.rejects(claim(await at(2.9), { story: "1-2", by: "Bob" }), /Ann holds it/);
  assert.equal((await claim(await at(3.1), { story: "1-2", by: "Bob" })).claim?.by, "Bob");
  assert.equal(
    (await claim(await at(3.2), { story: "1-2", by: "Cat", isForced: true })).before?.by,
    "Bob",
  );
  assert.equal((await release(await at(3.3), { story: "1-2", by: "Cat" })).before?.by, "Cat");
  assert.equal((await release(await at(3.3), { story: "1-2", by: "Cat" })).before, undefined);
  await assert.rejects(claim(await at(0), { story: "1-1", by: "Ann" }), /Cannot claim 1-1-a: it is done/);
  await assert.rejects(
    claim(await at(0), { story: "1-3", by: "Ann" }),
    /Cannot claim 1-3-c: it waits for 1-2;/,
  );
  await assert.rejects(claim(await at(0), { story: "2-1", by: " " }), /Invalid owner/);
  assert.equal(Deno.readTextFileSync(`${root}/out/.bmad-work/.gitignore`), "*\n");
});

treeTest(verifies("work:claim", "the newest claim counts"), FILES, async (root) => {
  const until = new Date(NOON + HOUR).toISOString();
  const claimOf = (by: string, ledger: string, story: string) => ({ ledger, story, by, until });
  const own = (by: string) => claimOf(by, "out/impl/sprint-status.yaml", "1-2-b");
  const planned = (by: string) => claimOf(by, "out/impl", "1-2");
  for (
    const claims of [[own("Ann"), own("Bob")], [own("Bob"), planned("Ann")], [
      planned("Ann"),
      planned("Bob"),
    ]]
  ) {
    Deno.mkdirSync(`${root}/out/.bmad-work`, { recursive: true });
    Deno.writeTextFileSync(`${root}/out/.bmad-work/claims.json`, JSON.stringify({ claims }));
    const world = await writerIn(root);
    assert.match(reportBoard(world.board).text, /\n- 1-2 backlog: B \(held by Bob\)\n/);
    await assert.rejects(claim(world, { story: "1-2", by: "Cat" }), /Cannot claim 1-2-b: Bob holds it/);
    await assert.rejects(release(world, { story: "1-2", by: "Ann" }), /Bob holds it/);
    await assert.rejects(marked(root, ["1-2", "review", "Ann"]), /Bob holds it/);
    await release(world, { story: "1-2", by: "Bob" });
    assert.doesNotMatch(reportBoard((await writerIn(root)).board).text, /held by/);
  }
});

treeTest(verifies("work:claim", "a mark claims and gives back"), FILES, async (root) => {
  const { notes: [held] } = await marked(root, ["1-2", "in-progress", "Ann"]);
  assert.match(held!, /^Ann holds it until 2026-08-01 \d\d:\d\d UTC$/);
  const { board } = await writerIn(root);
  assert.match(reportBoard(board).text, /\n- 1-2 in-progress: B \(held by Ann\)\n/);
  const [story] = board.epics[0]!.stories.slice(1);
  assert.match(
    reportTarget({ story, epic: board.epics[0]!, isRetrospective: false }, (text) => text).text,
    /\n- held by: Ann until 2026-08-01 \d\d:\d\d UTC$/,
  );
  assert.deepEqual((await marked(root, ["1-2", "review", "Ann"])).notes, ["Ann no longer holds it"]);
  assert.equal((await writerIn(root)).board.epics[0]!.stories[1]!.claim, undefined);
  // Who only marks does not take anything.
  await marked(root, ["2-1", "ready", "Ann"]);
  assert.equal((await writerIn(root)).board.epics[1]!.stories[0]!.claim, undefined);
});

Deno.test(verifies("work:claim", "no record holds a story for longer than a claim can"), () => {
  const ledger = "out/impl/sprint-status.yaml";
  const ends = ["2099-01-01", "+275760-09-13", "9999-12-31T23:59:59Z", new Date(8.64e15).toISOString()];
  return withTree(FILES, async (root) => {
    const file = `${root}/out/.bmad-work/claims.json`;
    await Deno.mkdir(`${root}/out/.bmad-work`);
    for (const until of ends) {
      await Deno.writeTextFile(
        file,
        JSON.stringify({ claims: [{ ledger, story: "1-2-b", by: "Eve", until }] }),
      );
      const written = (await Deno.stat(file)).mtime!.getTime();
      const at = (hours: number) => writerIn(root, { now: written + hours * HOUR });
      const heldAt = async (hours: number) => (await at(hours)).board.epics[0]!.stories[1]!.claim;
      // Whenever it is read, it ends at the same time.
      for (const hours of [1, 23.9]) {
        const end = Date.parse((await heldAt(hours))?.until ?? "");
        assert.equal(end, written + 24 * HOUR, `${until} ends at ${end}`);
        await assert.rejects(
          claim(await at(hours), { story: "1-2", by: "Bob" }),
          /Eve holds it until 20\d\d-/,
        );
        await assert.rejects(release(await at(hours), { story: "1-2", by: "Bob" }), /Eve holds it/);
      }
      assert.equal(await heldAt(24.1), undefined);
      assert.equal((await claim(await at(24.1), { story: "1-2", by: "Bob" })).claim?.by, "Bob");
    }
    // A clock that went back by a month: the claim still ends a day from now.
    await claim(await writerIn(root, { now: NOON + 30 * 24 * HOUR }), { story: "2-1", by: "Ann" });
    const [held] = (await writerIn(root)).board.epics[1]!.stories;
    assert.equal(held!.claim?.until, new Date(NOON + 24 * HOUR).toISOString());
  });
});

Deno.test(verifies("work:claim", "of very many claims, none is lost"), () => {
  const ledger = "out/impl/sprint-status.yaml";
  const count = 1_200;
  const rows = Array.from({ length: count }, (_, at) => `  1-${at + 1}-a: backlog\n`);
  return withTree({ [ledger]: `development_status:\n${rows.join("")}` }, async (root) => {
    const until = new Date(NOON + HOUR).toISOString();
    const claims = rows.map((_, at) => ({ ledger, story: `1-${at + 1}-a`, by: "Ann", until }));
    await Deno.mkdir(`${root}/out/.bmad-work`);
    await Deno.writeTextFile(`${root}/out/.bmad-work/claims.json`, JSON.stringify({ claims }));
    await claim(await writerIn(root), { story: "1-1", by: "Ann" });
    for (const story of ["1-1", `1-${count}`]) {
      await assert.rejects(claim(await writerIn(root), { story, by: "Bob" }), /Ann holds it/);
    }
    const { board } = await writerIn(root);
    assert.equal(board.epics[0]!.stories.filter((one) => one.claim?.by === "Ann").length, count);
  });
});

treeTest("records that somebody else wrote are read safely", {
  ...FILES,
  "out/.bmad-work/claims.json": JSON.stringify({
    claims: [
      { ledger: "out/impl/sprint-status.yaml", story: "1-2-b", by: "\u202eeve\n", until: "2099-01-01" },
      { ledger: 1, story: [], by: {}, until: "x" },
      null,
    ],
  }),
  "out/.bmad-work/forced.jsonl": '{"ledger":\n[]\n{"at":"2026","ledger":"out/impl/sprint-status.yaml",' +
    '"story":"1-1-a","to":"done","reasons":["a\\nb",3]}\n',
}, async (root) => {
  const [done, held] = (await writerIn(root)).board.epics[0]!.stories;
  assert.equal(held!.claim!.by, "\ufffdeve");
  assert.deepEqual(done!.forced, { at: "2026", by: undefined, reasons: ["a b", "3"] });
});

Deno.test(verifies("work:claim", "a claim on a planned story is kept"), () => {
  const files = { "out/plan/epics.md": "## Epic 1: Q\n### Story 1.1: A\n" };
  return withTree(files, async (root) => {
    await claim(await writerIn(root), { story: "1-1", by: "Ann" });
    await Deno.mkdir(`${root}/out/impl`, { recursive: true });
    await Deno.writeTextFile(`${root}/out/impl/1-1-a.md`, "# Story 1.1: A\n\nStatus: in-progress\n");
    await assert.rejects(claim(await writerIn(root), { story: "1-1", by: "Bob" }), /Ann holds it/);
    assert.equal((await writerIn(root)).board.epics[0]!.stories[0]!.claim?.by, "Ann");
  });
});
