/** Is a value used again exactly as long as nothing that it was computed from has changed? */
import assert from "node:assert/strict";
import {
  decodeText,
  diskTree,
  expireAll,
  expireChecks,
  mentioning,
  noteReads,
  type Recorded,
  recordReads,
  type Tree,
} from "../../../src/content/tree/mod.ts";
import { isRecording } from "../../../src/content/tree/reads.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const later = () => Date.now() + 60_000;

function isCurrent({ reads }: Recorded<unknown>): boolean {
  expireChecks();
  return reads.isCurrent();
}

const FILES = { "a/one.md": "one", "a/two.md": "two", "b/three.md": "three" };

/** What some work asks a tree for, and a change of which the work must notice. */
const CASES: readonly (readonly [string, (tree: Tree) => unknown, (dir: string) => Promise<unknown>])[] = [
  ["a file", (tree) => tree.read("a/one.md"), (dir) => Deno.writeTextFile(`${dir}/a/one.md`, "other")],
  ["a file that goes", (tree) => tree.read("a/one.md"), (dir) => Deno.remove(`${dir}/a/one.md`)],
  ["a file that is swapped for a link", (tree) => tree.read("a/one.md"), async (dir) => {
    await Deno.remove(`${dir}/a/one.md`);
    await Deno.symlink("/etc/passwd", `${dir}/a/one.md`);
  }],
  ["the size of a file", (tree) => tree.stat("a/one.md"), (dir) => Deno.writeTextFile(`${dir}/a/one.md`, "")],
  [
    "a file whose rights are taken",
    (tree) => tree.read("a/one.md"),
    (dir) => Deno.chmod(`${dir}/a/one.md`, 0o000),
  ],
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
  treeTest(`a value computed from ${what} [resources:kept]`, FILES, async (dir) => {
    // So that what changes now gets another time, however soon that is.
    for (const path of ["", "/a", "/b", ...Object.keys(FILES).map((path) => `/${path}`)]) {
      await Deno.utime(`${dir}${path}`, 1_000_000, 1_000_000);
    }
    const tree = diskTree(dir, { now: later });
    const first = recordReads(() => work(tree));
    const second = recordReads(() => {
      noteReads(first.reads);
      return "made from another value";
    });
    assert.deepEqual([first, second].map(isCurrent), [true, true]);
    await Deno.writeTextFile(`${dir}/b/three.md`, "four");
    assert.deepEqual([first, second].map(isCurrent), [true, true], "something else changed");
    await change(dir);
    assert.deepEqual([first, second].map(isCurrent), [false, false]);
  });
}

treeTest("a value is checked once for each request", FILES, (dir) => {
  const disk = diskTree(dir, { now: later });
  const value = recordReads(() => disk.read("a/one.md"));
  Deno.writeTextFileSync(`${dir}/a/one.md`, "other");
  assert.equal(value.reads.isCurrent(), true);
  assert.equal(isCurrent(value), false);
});

treeTest("what is only mentioned is not looked at by every request", FILES, async (dir) => {
  for (const path of Object.keys(FILES)) await Deno.utime(`${dir}/${path}`, 1_000_000, 1_000_000);
  const tree = diskTree(dir, { now: later });
  const inner: Recorded<unknown>[] = [];
  const make = () =>
    recordReads(() => {
      tree.read("a/one.md");
      mentioning(() => {
        tree.stat("a/two.md");
        inner.push(recordReads(() => tree.stat("b/three.md")));
      });
    });
  const value = make();
  const user = recordReads(() => noteReads(value.reads));
  await Deno.writeTextFile(`${dir}/a/two.md`, "longer");
  await Deno.writeTextFile(`${dir}/b/three.md`, "longer");
  assert.deepEqual([value, user, inner[0]!].map(isCurrent), [true, true, false]);
  expireAll();
  assert.deepEqual(
    [value, user].map(({ reads }) => reads.isCurrent()),
    [false, false],
    "after a write of ours",
  );
  const other = make();
  await Deno.writeTextFile(`${dir}/a/one.md`, "other");
  assert.equal(isCurrent(other), false, "what it delivers is looked at each time");
  const third = make();
  await Deno.writeTextFile(`${dir}/a/two.md`, "again");
  const now = performance.now.bind(performance);
  try {
    performance.now = () => now() + 1_000;
    assert.equal(isCurrent(third), false, "after a second");
  } finally {
    performance.now = now;
  }
});

treeTest("work that waits notes what is read meanwhile, and nothing afterwards", FILES, async (dir) => {
  const tree = diskTree(dir, { now: later });
  const wait = Promise.withResolvers<void>();
  const result = recordReads(async () => {
    await wait.promise;
    return decodeText(tree.read("a/one.md"));
  });
  tree.read("a/two.md");
  wait.resolve();
  assert.equal(await result.value, "one");
  tree.read("b/three.md");
  await Deno.writeTextFile(`${dir}/b/three.md`, "3");
  assert.equal(isCurrent(result), true);
  await Deno.writeTextFile(`${dir}/a/two.md`, "2");
  assert.equal(isCurrent(result), false);
});

Deno.test("failed work leaves no recording behind", async () => {
  assert.throws(() =>
    recordReads(() => {
      throw new Error("no");
    }), /no/);
  await assert.rejects(recordReads(() => Promise.reject(new Error("no"))).value, /no/);
  assert.equal(isRecording(), false);
});

treeTest("too much, or what was written a moment ago, counts for one request only", FILES, async (dir) => {
  for (let n = 0; n < 600; n++) await Deno.writeTextFile(`${dir}/a/${n}.md`, "");
  const tree = diskTree(dir, { now: later });
  const much = recordReads(() => {
    for (let n = 0; n < 600; n++) tree.read(`a/${n}.md`);
  });
  const { mtime } = await Deno.stat(`${dir}/a`);
  const fresh = diskTree(dir, { now: () => mtime!.getTime() + 10 });
  const values = [
    much,
    recordReads(() => fresh.read("a/599.md")),
    recordReads(() => fresh.hasFile("a/missing.md")),
    recordReads(() => diskTree(dir).read("a/599.md")),
  ];
  assert.deepEqual(values.map(isCurrent), [false, false, false, false]);
});

Deno.test("a path of thousands of missing folders is not followed upwards to its end", () =>
  withTree({ "one.md": "one" }, (dir) => {
    const tree = diskTree(dir, { now: later });
    const value = recordReads(() => tree.stat(`${"a/".repeat(1_500)}two.md`));
    assert.deepEqual([value.value, isCurrent(value)], [undefined, false]);
  }));
