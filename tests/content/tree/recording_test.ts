/**
 * Is a result taken for current exactly as long as nothing that it was made from has changed?
 */
import assert from "node:assert/strict";
import { trackReads } from "../../../src/content/origins/mod.ts";
import {
  decodeText,
  diskTree,
  isRecording,
  recordReads,
  recordReadsNow,
  type Tree,
} from "../../../src/content/tree/mod.ts";
import { verifies } from "../../support/requirements.ts";
import { withTree } from "../../support/trees.ts";

const later = () => Date.now() + 60_000;

const FILES = { "a/one.md": "one", "a/two.md": "two", "b/three.md": "three" };

/** What some work asks a tree for, and a change of which the work must notice. */
const CASES: readonly (readonly [string, (tree: Tree) => unknown, (dir: string) => Promise<unknown>])[] = [
  ["a file", (tree) => tree.read("a/one.md"), (dir) => Deno.writeTextFile(`${dir}/a/one.md`, "other")],
  ["a file that goes", (tree) => tree.read("a/one.md"), (dir) => Deno.remove(`${dir}/a/one.md`)],
  ["the size of a file", (tree) => tree.stat("a/one.md"), (dir) => Deno.writeTextFile(`${dir}/a/one.md`, "")],
  ["a list", (tree) => tree.list("a"), (dir) => Deno.writeTextFile(`${dir}/a/new.md`, "new")],
  [
    "a file that is missing",
    (tree) => tree.hasFile("a/new.md"),
    (dir) => Deno.writeTextFile(`${dir}/a/new.md`, "new"),
  ],
  [
    "the size of a file that is missing",
    (tree) => tree.stat("a/new.md"),
    (dir) => Deno.writeTextFile(`${dir}/a/new.md`, "new"),
  ],
  ["a file in a folder that is missing", (tree) => tree.stat("c/d/new.md"), async (dir) => {
    await Deno.mkdir(`${dir}/c/d`, { recursive: true });
    await Deno.writeTextFile(`${dir}/c/d/new.md`, "new");
  }],
];

for (const [what, work, change] of CASES) {
  Deno.test(
    verifies("resources:kept", `a result made from ${what}`),
    () =>
      withTree(FILES, async (dir) => {
        const { tree } = trackReads(diskTree(dir), later);
        // Once before: what the tree keeps by itself is noted like a first read.
        work(tree);
        const result = recordReadsNow(() => work(tree));
        assert.deepEqual([result.hasRead, result.isCurrent()], [true, true]);
        await Deno.writeTextFile(`${dir}/b/three.md`, "four");
        assert.equal(result.isCurrent(), true, "something else changed");
        await change(dir);
        assert.equal(result.isCurrent(), false);
      }),
  );
}

Deno.test("work that waits notes what is read meanwhile, and nothing afterwards", () =>
  withTree(FILES, async (dir) => {
    const { tree } = trackReads(diskTree(dir), later);
    const wait = Promise.withResolvers<void>();
    const recording = recordReads(async () => {
      await wait.promise;
      return decodeText(tree.read("a/one.md"));
    });
    tree.read("a/two.md");
    wait.resolve();
    const result = await recording;
    tree.read("b/three.md");
    assert.equal(result.value, "one");
    await Deno.writeTextFile(`${dir}/b/three.md`, "3");
    assert.equal(result.isCurrent(), true);
    await Deno.writeTextFile(`${dir}/a/two.md`, "2");
    assert.equal(result.isCurrent(), false);
  }));

Deno.test("a result of failed work, of too much, or of a file just written is not relied on", () =>
  withTree(FILES, async (dir) => {
    const { tree } = trackReads(diskTree(dir), later);
    assert.throws(() =>
      recordReadsNow(() => {
        throw new Error("no");
      }), /no/);
    await assert.rejects(recordReads(() => Promise.reject(new Error("no"))), /no/);
    assert.equal(isRecording(), false);
    tree.read("a/one.md");
    assert.equal(recordReadsNow(() => 1).hasRead, false);
    for (let n = 0; n < 60; n++) await Deno.writeTextFile(`${dir}/a/${n}.md`, "");
    const much = recordReadsNow(() => {
      for (let n = 0; n < 60; n++) tree.read(`a/${n}.md`);
    });
    assert.equal(much.isCurrent(), false);
    const fresh = trackReads(diskTree(dir), Date.now).tree;
    assert.equal(recordReadsNow(() => fresh.read("a/1.md")).isCurrent(), false);
  }));
