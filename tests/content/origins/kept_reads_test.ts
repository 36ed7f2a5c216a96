/**
 * Is a file read once while it stays the same, and again as soon as it differs?
 */
import assert from "node:assert/strict";
import { keepReads } from "../../../src/content/origins/kept_reads.ts";
import { decodeText, diskTree, type Tree } from "../../../src/content/tree/mod.ts";
import { failureOf } from "../../support/failures.ts";
import { withTree } from "../../support/trees.ts";

/** A tree that counts what the disk is asked for. */
function counting(dir: string): { readonly tree: Tree; readonly asked: string[] } {
  const asked: string[] = [];
  const tree = diskTree(dir);
  const note = <T>(what: string, work: (path: string) => T) => (path: string): T => {
    asked.push(`${what} ${path}`);
    return work(path);
  };
  return {
    asked,
    tree: {
      ...tree,
      list: note("list", tree.list),
      stat: note("stat", tree.stat),
      read: note("read", tree.read),
      stamp: note("stamp", tree.stamp),
    },
  };
}

function withoutStamps(asked: readonly string[]): readonly string[] {
  return asked.filter((what) => !what.startsWith("stamp "));
}

/** Long after every file was written. */
const later = () => Date.now() + 60_000;

Deno.test("what stays the same is asked for once", () =>
  withTree({ "a/one.md": "one" }, (dir) => {
    const { tree, asked } = counting(dir);
    const kept = keepReads(tree, later);
    for (let turn = 0; turn < 3; turn++) {
      assert.deepEqual(kept.list("a"), [{ name: "one.md", isDirectory: false }]);
      assert.equal(decodeText(kept.read("a/one.md")), "one");
    }
    assert.deepEqual(withoutStamps(asked), ["list a", "read a/one.md"]);
  }));

Deno.test("a file is read without being measured before, and measured from then on", () =>
  withTree({ "a/one.md": "one" }, (dir) => {
    const { tree, asked } = counting(dir);
    const kept = keepReads(tree, later);
    kept.read("a/one.md");
    kept.read("a/one.md");
    assert.deepEqual(asked, ["read a/one.md", "stamp a/one.md"]);
  }));

Deno.test("what is missing is looked for once, as long as the folder around it stays the same", () =>
  withTree({ "a/one.md": "one" }, (dir) => {
    const { tree, asked } = counting(dir);
    const kept = keepReads(tree, later);
    const look = () => {
      assert.equal(kept.stat("a/b/c/two.md"), undefined);
      assert.deepEqual(kept.list("a/b/c/d"), []);
      assert.equal(failureOf(() => kept.read("a/b/two.md")).code, "not-found");
    };
    look();
    asked.length = 0;
    look();
    assert.deepEqual(asked, ["stamp a", "stamp a", "stamp a"]);
  }));

Deno.test("what was missing is found as soon as it is there", () =>
  withTree({ "a/one.md": "one" }, async (dir) => {
    const kept = keepReads(diskTree(dir), later);
    const look = () => [kept.stat("a/b/c/two.md")?.size, kept.list("a/b/c").length];
    assert.deepEqual(look(), [undefined, 0]);
    // Each step leaves the folder unchanged in which the one before it was missing.
    await Deno.mkdir(`${dir}/a/b`);
    assert.deepEqual(look(), [undefined, 0]);
    await Deno.mkdir(`${dir}/a/b/c`);
    assert.deepEqual(look(), [undefined, 0]);
    await Deno.writeTextFile(`${dir}/a/b/c/two.md`, "two");
    assert.deepEqual(look(), [3, 1]);
    await Deno.remove(`${dir}/a/b`, { recursive: true });
    assert.deepEqual(look(), [undefined, 0]);
  }));

Deno.test("a folder that has just changed says nothing of what is missing in it", () =>
  withTree({ "a/one.md": "one" }, (dir) => {
    const { tree, asked } = counting(dir);
    const kept = keepReads(tree, Date.now);
    kept.stat("a/two.md");
    kept.stat("a/two.md");
    assert.deepEqual(withoutStamps(asked), ["stat a/two.md", "stat a/two.md"]);
  }));

Deno.test("a path of thousands of missing folders is not followed upwards to its end", () =>
  withTree({ "one.md": "one" }, (dir) => {
    const { tree, asked } = counting(dir);
    const kept = keepReads(tree, later);
    assert.equal(kept.stat(`${"a/".repeat(1_500)}two.md`), undefined);
    assert.ok(asked.length < 20, `${asked.length}`);
  }));

Deno.test("what differs is asked for again", () =>
  withTree({ "a/one.md": "one" }, async (dir) => {
    const kept = keepReads(diskTree(dir), later);
    const look =
      () => [kept.list("a").length, kept.stat("a/one.md")?.size, decodeText(kept.read("a/one.md"))];
    assert.deepEqual(look(), [1, 3, "one"]);
    assert.equal(kept.stat("a/two.md"), undefined);
    await Deno.writeTextFile(`${dir}/a/one.md`, "other");
    await Deno.writeTextFile(`${dir}/a/two.md`, "two");
    assert.deepEqual(look(), [2, 5, "other"]);
    assert.equal(kept.stat("a/two.md")?.size, 3);
    await Deno.remove(`${dir}/a/one.md`);
    assert.equal(failureOf(() => kept.read("a/one.md")).code, "not-found");
  }));

Deno.test("a file that was written a moment ago is not relied on", () =>
  withTree({ "one.md": "one" }, (dir) => {
    const { tree, asked } = counting(dir);
    const kept = keepReads(tree, Date.now);
    kept.read("one.md");
    kept.read("one.md");
    assert.deepEqual(withoutStamps(asked), ["read one.md", "read one.md"]);
  }));

Deno.test("a file that is swapped for a link out of the tree is refused", () =>
  withTree({ "in/one.md": "one", "out/secret.md": "two" }, async (dir) => {
    const kept = keepReads(diskTree(`${dir}/in`), later);
    kept.read("one.md");
    await Deno.remove(`${dir}/in/one.md`);
    await Deno.symlink(`${dir}/out/secret.md`, `${dir}/in/one.md`);
    assert.equal(failureOf(() => kept.read("one.md")).code, "outside-root");
  }));

Deno.test("old files make room for new ones", () =>
  withTree(
    Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}.md`, "x".repeat(200_000)])),
    (dir) => {
      const { tree, asked } = counting(dir);
      const kept = keepReads(tree, later);
      for (let at = 0; at < 40; at++) kept.read(`${at}.md`);
      kept.read("39.md");
      kept.read("0.md");
      assert.equal(asked.filter((what) => what === "read 39.md").length, 1);
      assert.equal(asked.filter((what) => what === "read 0.md").length, 2);
    },
  ));
