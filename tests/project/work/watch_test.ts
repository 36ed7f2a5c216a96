/** Is everybody who listens told each change of the board, and is nothing watched when nobody listens? */
import assert from "node:assert/strict";
import { systemTimer } from "../../../src/base/work.ts";
import { openApp } from "../../../src/app.ts";
import type { Library } from "../../../src/content/library/mod.ts";
import { diskTree } from "../../../src/content/tree/mod.ts";
import { readBoard, readRecords, withRecords } from "../../../src/project/work/board/mod.ts";
import type { Board } from "../../../src/project/work/formats/mod.ts";
import { compareBoards } from "../../../src/project/work/board/changes.ts";
import { openBoardWatch } from "../../../src/project/work/watch.ts";
import { boardOf, FOLDERS, states } from "../../support/board.ts";
import { configOf } from "../../support/live.ts";
import { treeTest, withTree, writeTree } from "../../support/trees.ts";
import { until } from "../../support/waiting.ts";

const LEDGER = "out/impl/sprint-status.yaml";
const ledger = (status: string) => `development_status:\n  epic-1: in-progress\n  1-1-a: ${status}\n`;

function watchTest(
  name: string,
  files: Readonly<Record<string, string>>,
  fn: (scene: {
    readonly root: string;
    readonly seen: string[];
    reads(): number;
    looks(): number;
    listen(seen?: string[]): Promise<() => void>;
    replaceLibrary(): void;
    breakReading(isBroken: boolean): void;
  }) => Promise<void>,
): void {
  treeTest(name, files, async (root) => {
    let [reads, looks, isBroken, library] = [0, 0, false, {} as Library];
    const watch = openBoardWatch({ now: Date.now, after: systemTimer.after });
    const seen: string[] = [];
    const ends: (() => void)[] = [];
    const listen = async (told = seen) => {
      const wordOf = ({ epics }: Board) =>
        epics.flatMap(({ stories }) => stories.map((one) => one.claim?.by ?? one.state)).join(" ");
      const end = await watch.listen((board, before) => {
        told.push(`${before === undefined ? "" : `${wordOf(before)} → `}${wordOf(board)}`);
      }, {
        ask: async (work) => {
          looks++;
          return await work(library);
        },
        read: async (_, track) => {
          if (isBroken) throw new Error("broken");
          reads++;
          const tree = track(diskTree(root));
          const records = readRecords({ tree, folder: "out/.bmad-work" }, {
            now: Date.now(),
            clean: (text) => text,
          });
          return withRecords(await readBoard(tree, FOLDERS), records);
        },
      });
      ends.push(end);
      return end;
    };
    try {
      await fn({
        root,
        seen,
        listen,
        reads: () => reads,
        looks: () => looks,
        replaceLibrary: () => library = {} as Library,
        breakReading: (now) => isBroken = now,
      });
    } finally {
      ends.forEach((end) => end());
    }
  });
}

watchTest("each change of the board is told once, wherever its files are [work:board-notices]", {
  [LEDGER]: ledger("backlog"),
  "readme.md": "",
}, async ({ root, seen, listen }) => {
  const end = await listen();
  assert.deepEqual(seen, ["backlog"]);
  const change = async (files: Readonly<Record<string, string>>, ...words: readonly string[]) => {
    const from = seen.length;
    await writeTree(root, files);
    await until(`it told ${words}`, () => seen.length >= from + words.length, () => seen.slice(from));
    assert.deepEqual(seen.slice(from), words);
  };
  await change({ [LEDGER]: ledger("review") }, "backlog → review");
  await change({ [LEDGER]: ledger("review") + "  1-2-b: done\n" }, "review → review done");
  // Claims lie in a folder that was not there.
  const claim = (by: string) =>
    JSON.stringify({ claims: [{ ledger: LEDGER, story: "1-1-a", by, until: "2999-01-01T00:00:00Z" }] });
  await change({ "out/.bmad-work/claims.json": claim("Ann") }, "review done → Ann done");
  await change({ "out/.bmad-work/claims.json": claim("Bob") }, "Ann done → Bob done");
  // A comment changes the file and not the board.
  await writeTree(root, { [LEDGER]: `# new\n${ledger("review")}  1-2-b: done\n` });
  await change({ "out/.bmad-work/claims.json": "{}" }, "Bob done → review done");
  end();
});

watchTest(
  "who comes later hears the board as it is, and who has left nothing more [work:board-notices]",
  { [LEDGER]: ledger("backlog") },
  async ({ root, seen, listen }) => {
    const late: string[] = [];
    const [end, endLate] = await Promise.all([listen(), listen(late)]);
    assert.deepEqual([seen, late], [["backlog"], ["backlog"]]);
    end();
    await writeTree(root, { [LEDGER]: ledger("done") });
    await until("the other one is told", () => late.length === 2);
    assert.deepEqual([seen, late], [["backlog"], ["backlog", "backlog → done"]]);
    endLate();
    await writeTree(root, { [LEDGER]: ledger("review") });
    const again: string[] = [];
    const endAgain = await listen(again);
    assert.deepEqual([again, late.length], [["review"], 2]);
    endAgain();
  },
);

watchTest("many who come at once wait for the same look at the files [work:board-notices]", {
  [LEDGER]: ledger("backlog"),
}, async ({ seen, listen, looks }) => {
  await Promise.all(Array.from({ length: 50 }, () => listen()));
  assert.deepEqual(seen, Array(50).fill("backlog"));
  assert.equal(looks(), 1);
});

watchTest("expired claims and broken files are noticed [work:board-notices]", {
  [LEDGER]: ledger("backlog"),
}, async (scene) => {
  const { root, seen, listen, reads } = scene;
  const expires = new Date(Date.now() + 4_000).toISOString();
  const claims = [{ ledger: LEDGER, story: "1-1-a", by: "Ann", until: expires }];
  await writeTree(root, { "out/.bmad-work/claims.json": JSON.stringify({ claims }) });
  const end = await listen();
  assert.deepEqual(seen, ["Ann"]);
  await until("the claim has expired", () => seen.length === 2);
  assert.equal(seen[1], "Ann → backlog");
  const before = reads();
  scene.replaceLibrary();
  await until("it was read again", () => reads() > before);
  scene.breakReading(true);
  await writeTree(root, { [LEDGER]: ledger("done") });
  await assert.rejects(listen([]), /broken/);
  scene.breakReading(false);
  await until("it is read at last", () => seen.length === 3);
  assert.equal(seen[2], "backlog → done");
  end();
});

Deno.test("a change is told in words and as data [work:board-notices]", async () => {
  const files = (status: string, story: string, plan = "") => ({
    [LEDGER]: `development_status:\n  epic-1: in-progress\n  1-1-a: ${status}\n${plan}`,
    "out/impl/1-1-a.md": story,
  });
  const before = await boardOf(files("backlog", "# Story 1.1: Sign in\n\n- [ ] Do it\n", "  1-2-b: done\n"));
  const after = await boardOf({
    ...files("in-progress", "# Story 1.1: Sign in\n\nStatus: done\n\n- [x] Do it\n", "  1-3-c: paused\n"),
    "out/impl/1-3-c.md": "---\nstatus: [\n---\n",
  });
  assert.deepEqual(states(after).length, 1);
  const reports = compareBoards(before, after);
  assert.deepEqual(reports.map(({ text }) => text), [
    '1-1-a Sign in: backlog → in-progress, 1 of 1 box ticked, drift: out/impl/1-1-a.md:3: it says "done", but the ' +
    'ledger says "in-progress"',
    "1-3-c C: new, paused, out/impl/1-3-c.md",
    "1-2-b B: removed",
    "problem: out/impl/1-3-c.md:2: the front matter cannot be parsed: unexpected end of the stream within a flow " +
    "collection (2:10)",
  ]);
  assert.deepEqual(reports[2]!.data, {
    name: "1-2-b",
    title: "B",
    from: "done",
    to: undefined,
    changes: ["removed"],
  });
  assert.equal(reports[0]!.data["to"], "in-progress");
  assert.deepEqual(compareBoards(after, after), []);
});

Deno.test("a folder without a project cannot be watched", async () => {
  await withTree({ "a.md": "" }, async (dir) => {
    const app = openApp({ ...configOf(dir), kit: undefined }, { now: Date.now, after: systemTimer.after });
    await assert.rejects((await app.project.work()).watch(() => {}), /no project|mode/);
  });
});
