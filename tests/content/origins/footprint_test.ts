/** Does a footprint know whether reading a tree again would find something else? */
import assert from "node:assert/strict";
import { type Footprint, openOrigins } from "../../../src/content/origins/mod.ts";
import { treeTest, withTree } from "../../support/trees.ts";

/** Half a minute from now: what was written by then is old. */
const LATER = () => Date.now() + 30_000;

/** The clock of a file system can be slower than a test. */
const tickOver = () => new Promise((resolve) => setTimeout(resolve, 20));

async function readEverything(dir: string, now: () => number): Promise<Footprint> {
  const origin = { id: "project", kind: "project", priority: 1, location: dir } as const;
  const plan = { origin, access: { via: "folder", path: dir } } as const;
  const { footprint } = (await openOrigins([plan], { maxFile: Infinity, now })).origins[0]!;
  readAll(footprint!);
  return footprint!;
}

function readAll({ tree }: Footprint, dir = ""): void {
  for (const { name, isDirectory } of tree.list(dir)) {
    const path = dir === "" ? name : `${dir}/${name}`;
    if (isDirectory) readAll({ tree } as Footprint, path);
    else tree.stat(path);
  }
}

const FILES = { "a/one.md": "1", "a/two.md": "2", "b/c/three.md": "3", "empty/": "" };

type Act = (dir: string) => void | Promise<void>;

/** Changes by what shows them: checking the files always includes the folders. */
const CASES: Readonly<Record<"nothing" | "files" | "folders", Readonly<Record<string, Act>>>> = {
  nothing: {
    nothing: () => {},
    reading: async (dir) => void await Deno.readTextFile(`${dir}/a/one.md`),
    "a name that came and went": async (dir) => {
      await Deno.writeTextFile(`${dir}/a/.lock`, "");
      await Deno.remove(`${dir}/a/.lock`);
    },
  },
  files: {
    "another text in a file": (dir) => Deno.writeTextFile(`${dir}/a/one.md`, "!"),
  },
  folders: {
    "a new file": (dir) => Deno.writeTextFile(`${dir}/b/c/four.md`, "4"),
    "a new folder": (dir) => Deno.mkdir(`${dir}/d`),
    "a file in an empty folder": (dir) => Deno.writeTextFile(`${dir}/empty/x`, ""),
    "a file that is gone": (dir) => Deno.remove(`${dir}/a/two.md`),
    "a folder that is gone": (dir) => Deno.remove(`${dir}/b`, { recursive: true }),
    "a file with another name": (dir) => Deno.rename(`${dir}/a/two.md`, `${dir}/a/2.md`),
    "another file in the place of one": async (dir) => {
      await Deno.writeTextFile(`${dir}/a/.tmp`, "!");
      await Deno.rename(`${dir}/a/.tmp`, `${dir}/a/one.md`);
    },
    "a folder made anew with the same names": async (dir) => {
      await Deno.remove(`${dir}/b`, { recursive: true });
      await Deno.mkdir(`${dir}/b/c`, { recursive: true });
      await Deno.writeTextFile(`${dir}/b/c/three.md`, "3");
    },
    "the whole tree gone": (dir) => Deno.remove(dir, { recursive: true }),
  },
};

const ALL = Object.entries(CASES).flatMap(([shownBy, acts]) =>
  Object.entries(acts).map(([name, act]) => ({ name, act, shownBy }))
);

for (const { name, act, shownBy } of ALL) {
  const [folders, files] = [shownBy === "folders", shownBy !== "nothing"];
  Deno.test(`a footprint detects ${name}: ${folders} from the folders, ${files} from the files`, () =>
    withTree(FILES, async (dir) => {
      const tree = `${dir}/tree`;
      await Deno.mkdir(tree);
      for (const name of ["a", "b", "empty"]) await Deno.rename(`${dir}/${name}`, `${tree}/${name}`);
      const footprints = [await readEverything(tree, LATER), await readEverything(tree, LATER)];
      for (const footprint of footprints) assert.equal(await footprint.differs({ files: true }), false);
      await tickOver();
      await act(tree);
      assert.equal(await footprints[0]!.differs({ files: false }), folders);
      assert.equal(await footprints[1]!.differs({ files: true }), files);
      // What differs goes on to differ until it is read anew.
      assert.equal(await footprints[1]!.differs({ files: true }), files);
      assert.equal(await (await readEverything(tree, LATER)).differs({ files: true }), false);
    }));
}

treeTest("a footprint of a missing folder detects when it appears", {}, async (dir) => {
  const footprint = await readEverything(`${dir}/later`, LATER);
  assert.equal(await footprint.differs({ files: false }), false);
  await Deno.mkdir(`${dir}/later`);
  assert.equal(await footprint.differs({ files: false }), false);
  await tickOver();
  await Deno.writeTextFile(`${dir}/later/one.md`, "1");
  assert.equal(await footprint.differs({ files: false }), true);
});

treeTest("a footprint detects changes behind a link, and a link with a new target", {
  "real/one.md": "1",
  "other/one.md": "1",
  "tree/folder": { link: "../real" },
  "tree/inner/two.md": "2",
  "tree/file.md": { link: "inner/two.md" },
}, async (dir) => {
  const look = async (act: () => Promise<void>) => {
    const footprint = await readEverything(dir, LATER);
    footprint.tree.list("tree/folder");
    for (const path of ["tree/folder/one.md", "tree/file.md"]) footprint.tree.read(path);
    assert.equal(await footprint.differs({ files: true }), false);
    await tickOver();
    await act();
    return await footprint.differs({ files: true });
  };
  assert.equal(await look(() => Deno.writeTextFile(`${dir}/tree/inner/two.md`, "2!")), true);
  assert.equal(await look(() => Deno.writeTextFile(`${dir}/real/one.md`, "1!")), true);
  const relink = async () => {
    await Deno.remove(`${dir}/tree/folder`);
    await Deno.symlink("../other", `${dir}/tree/folder`, { type: "dir" });
  };
  assert.equal(await look(relink), true);
  assert.equal(await look(() => Promise.resolve()), false);
});

Deno.test("a change between reading and the first check is detected, an older one is not", () =>
  withTree(FILES, async (dir) => {
    const old = new Date(Date.now() - 60_000);
    await Deno.utime(`${dir}/a/one.md`, old, old);
    // A status change cannot be dated back: only a footprint of the future finds all of it old.
    assert.equal(await (await readEverything(dir, LATER)).differs({ files: true }), false);
    assert.equal(await (await readEverything(dir, Date.now)).differs({ files: true }), true);
  }));

Deno.test("a folder that changed before the first check is detected by its names", () =>
  withTree({ "a/b/": "", "c/": "" }, async (dir) => {
    const [same, footprint] = [await readEverything(dir, Date.now), await readEverything(dir, Date.now)];
    assert.equal(await same.differs({ files: true }), false);
    await Deno.remove(`${dir}/a/b`);
    assert.equal(await footprint.differs({ files: false }), true);
  }));

treeTest("a file from the future is not a change at every check", { "one.md": "1" }, async (dir) => {
  const future = new Date(Date.now() + 3_600_000);
  await Deno.utime(`${dir}/one.md`, future, future);
  const footprint = await readEverything(dir, LATER);
  assert.equal(await footprint.differs({ files: true }), false);
  await Deno.utime(`${dir}/one.md`, future, new Date(future.getTime() + 1_000));
  assert.equal(await footprint.differs({ files: true }), true);
});

Deno.test("the first listing of a folder counts, whatever a later one shows", () =>
  withTree({ "a/one.md": "1" }, async (dir) => {
    const footprint = await readEverything(dir, LATER);
    assert.equal(await footprint.differs({ files: false }), false);
    await tickOver();
    await Deno.writeTextFile(`${dir}/a/two.md`, "2");
    assert.equal(footprint.tree.list("a").length, 2);
    assert.equal(await footprint.differs({ files: false }), true);
  }));

treeTest("only folders that were not empty are worth watching", FILES, async (dir) => {
  assert.deepEqual([...(await readEverything(dir, LATER)).folders()].sort(), ["", "a", "b", "b/c"]);
});

treeTest("a check of many files yields to other work", {}, async (dir) => {
  for (let i = 0; i < 1_200; i++) Deno.writeTextFileSync(`${dir}/${i}.md`, "");
  const footprint = await readEverything(dir, LATER);
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  assert.equal(await footprint.differs({ files: true }), false);
  clearInterval(timer);
  assert.ok(turns >= 2, `${turns}`);
});

Deno.test("a tree knows when the newest of the files it read was written", () =>
  withTree({ "old.md": "1", "new.md": "2", "unread.md": "3" }, async (dir) => {
    const times = [["old.md", 1_000], ["new.md", 2_000], ["unread.md", 3_000]] as const;
    for (const [name, seconds] of times) await Deno.utime(`${dir}/${name}`, seconds, seconds);
    const { tree } = await readEverything(dir, LATER);
    assert.equal(tree.newestRead(), 0);
    tree.read("new.md");
    tree.read("old.md");
    assert.equal(tree.newestRead(), 2_000_000);
  }));
