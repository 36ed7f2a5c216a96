/** Does a tree on disk stay inside its root, whatever links, growing files and refused folders do? */
import assert from "node:assert/strict";
import { LIMITS } from "../../../src/content/limits.ts";
import {
  cacheListings,
  diskTree,
  findText,
  isSettled,
  type Tree,
  walkFiles,
} from "../../../src/content/tree/mod.ts";
import { failureOf } from "../../support/failures.ts";
import { POSIX } from "../../support/run.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const text = (tree: Tree, path: string) => new TextDecoder().decode(tree.read(path));

treeTest("a disk tree fails with invalid-input for a folder", { "a/deep/file.txt": "file" }, (dir) => {
  for (const path of ["", "a", "a/deep"]) {
    assert.deepEqual(failureOf(() => diskTree(dir).read(path)), {
      code: "invalid-input",
      field: "path",
      problem: `"${path}" is a folder`,
      hint: "Name a file in it",
    });
  }
});

treeTest("a disk tree sees what was added after it was opened", { "a.md": "a" }, (dir) => {
  const tree = diskTree(dir);
  Deno.writeTextFileSync(`${dir}/b.md`, "b");
  assert.deepEqual(tree.list("").map((item) => item.name), ["a.md", "b.md"]);
  assert.equal(text(tree, "b.md"), "b");
  assert.ok(Math.abs(tree.stat("b.md")!.modified! - Date.now()) < 60_000);
});

Deno.test("a disk tree over a folder that does not exist is empty until it is created", () =>
  withTree({ "real/": "", "alias": { link: "real" } }, (dir) => {
    const tree = diskTree(`${dir}/alias/later`);
    assert.deepEqual(tree.list(""), []);
    assert.equal(tree.stat("a.md"), undefined);
    assert.deepEqual(failureOf(() => tree.read("a.md")).code, "not-found");
    Deno.mkdirSync(`${dir}/real/later`);
    Deno.writeTextFileSync(`${dir}/real/later/a.md`, "a");
    assert.deepEqual(tree.list("").map((item) => item.name), ["a.md"]);
    assert.equal(text(tree, "a.md"), "a");
  }));

treeTest("a disk tree follows a link that stays inside its root [rights:symlink-inside]", {
  "real/file.md": "inside",
  "file.md": { link: "real/file.md" },
  "real/up.md": { link: "../real/file.md" },
  "folder": { link: "real" },
}, (dir) => {
  const tree = diskTree(dir);
  assert.deepEqual(tree.list(""), [
    { name: "file.md", isDirectory: false },
    { name: "folder", isDirectory: true },
    { name: "real", isDirectory: true },
  ]);
  for (const path of ["file.md", "real/up.md", "folder/file.md", "folder/up.md"]) {
    assert.equal(text(tree, path), "inside", path);
    assert.equal(tree.stat(path)?.size, 6, path);
  }
  assert.deepEqual(tree.refused(), []);
});

Deno.test("a disk tree may have a link as its root", () =>
  withTree({ "real/file.md": "inside", "kept": { link: "real" } }, (dir) => {
    const tree = diskTree(`${dir}/kept`);
    assert.deepEqual(tree.list(""), [{ name: "file.md", isDirectory: false }]);
    assert.equal(text(tree, "file.md"), "inside");
  }));

treeTest("a folder that becomes a link after its listing leads nowhere [rights:symlink-refused]", {
  "kept/a/b/c/f.md": "inside",
  "outside/b/c/f.md": "OUTSIDE",
}, async (dir) => {
  const tree = diskTree(`${dir}/kept`);
  for (const folder of ["", "a", "a/b"]) tree.list(folder);
  await Deno.rename(`${dir}/kept/a`, `${dir}/kept/old`);
  await Deno.symlink("../outside", `${dir}/kept/a`, { type: "dir" });
  assert.throws(() => tree.read("a/b/c/f.md"), /outside/);
  // What a listing showed holds for a second.
  const { now } = performance;
  performance.now = () => now.call(performance) + 1_100;
  try {
    assert.deepEqual(tree.list("a/b"), []);
    assert.equal(tree.stat("a/b/c/f.md"), undefined);
    assert.throws(() => tree.read("a/b/c/f.md"), /outside/);
  } finally {
    performance.now = now;
  }
});

treeTest("a folder that becomes a link between two reads leads nowhere [rights:symlink-refused]", {
  "kept/a/one.md": "inside",
  "kept/a/two.md": "inside",
  "outside/two.md": "OUTSIDE",
}, async (dir) => {
  const tree = diskTree(`${dir}/kept`);
  assert.equal(text(tree, "a/one.md"), "inside");
  await Deno.rename(`${dir}/kept/a`, `${dir}/kept/old`);
  await Deno.symlink("../outside", `${dir}/kept/a`, { type: "dir" });
  assert.throws(() => tree.read("a/two.md"), /outside the served/);
  assert.equal(tree.hasFile("a/two.md"), false);
});

treeTest("a link in place of a root that was missing at a read leads nowhere [rights:symlink-refused]", {
  "kept/own.md": "inside",
  "outside/own.md": "OUTSIDE",
}, async (dir) => {
  const tree = diskTree(`${dir}/kept`);
  assert.equal(text(tree, "own.md"), "inside");
  await Deno.rename(`${dir}/kept`, `${dir}/old`);
  assert.equal(findText(tree, "own.md"), undefined);
  await Deno.symlink("outside", `${dir}/kept`, { type: "dir" });
  assert.equal(findText(tree, "own.md"), undefined);
});

treeTest("a folder that was missing a moment ago has the files that its listing shows", {}, (dir) => {
  const tree = diskTree(dir);
  assert.equal(tree.hasFile("later/a.md"), false);
  Deno.mkdirSync(`${dir}/later`);
  Deno.writeTextFileSync(`${dir}/later/a.md`, "a");
  assert.deepEqual(tree.list("later").map(({ name }) => name), ["a.md"]);
  assert.equal(tree.hasFile("later/a.md"), true);
  assert.equal(text(tree, "later/a.md"), "a");
});

treeTest("a disk tree neither follows nor lists a link out of it [rights:symlink-refused]", {
  "kept/own.md": "own",
  "outside/secret.md": "secret",
  "kept-two/secret.md": "a neighbour whose name begins like the root's",
}, async (dir) => {
  await Deno.symlink(`${dir}/outside/secret.md`, `${dir}/kept/absolute.md`, { type: "file" });
  await Deno.symlink("../outside/secret.md", `${dir}/kept/relative.md`, { type: "file" });
  await Deno.symlink("../outside", `${dir}/kept/folder`, { type: "dir" });
  await Deno.symlink("../kept-two", `${dir}/kept/neighbour`, { type: "dir" });
  await Deno.symlink("..", `${dir}/kept/parent`, { type: "dir" });
  await Deno.symlink("folder", `${dir}/kept/twice`, { type: "dir" });
  const tree = diskTree(`${dir}/kept`);

  const refusedPaths = [
    "absolute.md",
    "relative.md",
    "folder/secret.md",
    "neighbour/secret.md",
    "twice/secret.md",
  ];
  for (const path of refusedPaths) {
    assert.deepEqual(failureOf(() => tree.read(path)), { code: "outside-root", path });
    assert.equal(tree.stat(path), undefined, path);
    assert.equal(findText(tree, path), undefined, path);
  }
  for (const path of ["folder", "neighbour", "parent", "twice", "parent/outside"]) {
    assert.deepEqual(tree.list(path), [], path);
  }
  assert.equal(text(tree, "parent/kept/own.md"), "own");
  assert.deepEqual(tree.list(""), [{ name: "own.md", isDirectory: false }]);
  for (const link of ["absolute.md", "relative.md", "folder", "neighbour", "parent", "twice"]) {
    assert.ok(tree.refused().includes(link), link);
  }
});

treeTest("a disk tree ignores broken and circular links", {
  "a": { link: "b" },
  "b": { link: "a" },
  "gone.md": { link: "nothing.md" },
  "file.md": "file",
}, (dir) => {
  const tree = diskTree(dir);
  assert.deepEqual(tree.list(""), [{ name: "file.md", isDirectory: false }]);
  for (const path of ["a", "b", "gone.md", "a/b/c"]) {
    assert.equal(failureOf(() => tree.read(path)).code, "not-found", path);
  }
  assert.deepEqual(tree.refused(), []);
});

treeTest("a disk tree with circular links between folders is walked to the end", {
  "a/file.md": "a",
  "a/again": { link: "../a" },
  "a/more": { link: ".." },
  "a/other": { link: "../b" },
  "b/file.md": "b",
  "b/other": { link: "../a" },
}, (dir) => {
  const seen: string[] = [];
  for (const path of walkFiles(diskTree(dir), "", () => false)) {
    // Two links in a circle double the paths at each level: a walk that follows them all never ends.
    if (seen.push(path) > 100) break;
  }
  assert.ok(seen.length <= 100, `${seen.length} paths and no end`);
  assert.ok(seen.includes("a/file.md") && seen.includes("b/file.md"), seen.join());
});

Deno.test("a disk tree refuses a file over the size limit by name [rights:file-size]", () =>
  withTree({ "limit.bin": "", "large.bin": "" }, (dir) => {
    Deno.truncateSync(`${dir}/limit.bin`, LIMITS.tree.fileBytes);
    Deno.truncateSync(`${dir}/large.bin`, LIMITS.tree.fileBytes + 1);
    const tree = diskTree(dir);
    assert.equal(tree.read("limit.bin").length, 8_388_608);
    assert.equal(tree.stat("large.bin")?.size, 8_388_609);
    assert.deepEqual(failureOf(() => tree.read("large.bin")), {
      code: "invalid-input",
      field: "path",
      problem: '"large.bin" has 8388609 bytes, more than the maximum file size of 8388608',
    });
  }));

Deno.test("a disk tree neither lists nor reads pipes and devices", POSIX, async () => {
  await withTree({ "file.md": "file" }, async (dir) => {
    await new Deno.Command("mkfifo", { args: [`${dir}/pipe`] }).output();
    await Deno.symlink("pipe", `${dir}/link`);
    await Deno.symlink("/dev/zero", `${dir}/zero`);
    const tree = diskTree(dir);
    assert.deepEqual(tree.list(""), [{ name: "file.md", isDirectory: false }]);
    assert.equal(tree.stat("pipe"), undefined);
    assert.equal(failureOf(() => tree.read("zero")).code, "outside-root");
  });
});

Deno.test("a disk tree does not block on a pipe", POSIX, () =>
  withTree({}, async (dir) => {
    await new Deno.Command("mkfifo", { args: [`${dir}/pipe`] }).output();
    // In a process of its own, because a read that waits holds everything up.
    const module = JSON.stringify(new URL("../../../src/content/tree/mod.ts", import.meta.url));
    const code = `import { diskTree } from ${module}; diskTree(Deno.args[0]).read("pipe");`;
    const args = ["eval", code, dir];
    const child = new Deno.Command(Deno.execPath(), {
      args,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const limit = setTimeout(() => child.kill("SIGKILL"), 60_000);
    const { stderr } = await child.output();
    clearTimeout(limit);
    assert.match(new TextDecoder().decode(stderr), /"pipe" is outside the served folders/);
  }));

treeTest("a scan does not ask the disk for what a listing did not show", { "a/file.md": "inside" }, (dir) => {
  const asked: string[] = [];
  const disk = diskTree(dir);
  const note = <T>(ask: (path: string) => T) => (path: string): T => {
    asked.push(path);
    return ask(path);
  };
  const tree = cacheListings({
    ...disk,
    stat: note(disk.stat),
    hasFile: note((path) => disk.hasFile(path)),
    read: note(disk.read),
  });
  tree.list("a");
  assert.equal(findText(tree, "a/none.md"), undefined);
  assert.deepEqual(["a/file.md", "a/none.md", "b/none.md"].map(tree.hasFile), [true, false, false]);
  assert.deepEqual(asked, []);
  assert.equal(findText(tree, "a/file.md"), "inside");
  assert.deepEqual(asked, ["a/file.md"]);
});

Deno.test("a disk tree knows whether a file exists, listed before or not, and follows no link out of its root", () =>
  withTree({
    "kept/a/file.md": "inside",
    "kept/a/deep/more.md": "inside",
    "kept/a/inward.md": { link: "file.md" },
    "kept/a/outward.md": { link: "../../secret.md" },
    "secret.md": "outside",
  }, (dir) => {
    const fresh = diskTree(`${dir}/kept`);
    const listed = diskTree(`${dir}/kept`);
    listed.list("");
    listed.list("a");
    for (const tree of [fresh, listed, cacheListings(diskTree(`${dir}/kept`))]) {
      const found = [
        "a/file.md",
        "a/deep/more.md",
        "a/inward.md",
        "a/outward.md",
        "a/deep",
        "a/none.md",
        "../secret.md",
      ]
        .filter((path) => tree.hasFile(path));
      assert.deepEqual(found, ["a/file.md", "a/deep/more.md", "a/inward.md"]);
    }
  }));

treeTest("a scan knows no secret behind a link, whatever is missing beside it", {
  "real/.env": "secret",
  "real/own.md": "own",
  "docs": { link: "real" },
}, (dir) => {
  const tree = cacheListings(diskTree(dir));
  const found = (...paths: readonly string[]) => paths.filter(tree.hasFile);
  const none = Array.from({ length: 9 }, (_, at) => `docs/none${at}.md`);
  assert.deepEqual(found("docs/.env", ...none, "docs/.env", "docs/own.md"), ["docs/own.md"]);
});

treeTest("a scan finds the files of a folder that it cannot list", { "docs/a.md": "a" }, (dir) => {
  const disk = diskTree(dir);
  // As for a folder that this user may only enter.
  const tree = cacheListings({ ...disk, list: (path) => path === "docs" ? [] : disk.list(path) });
  const none = Array.from({ length: 9 }, (_, at) => `docs/none${at}.md`);
  assert.deepEqual([...none, "docs/a.md"].filter(tree.hasFile), ["docs/a.md"]);
  assert.equal(findText(tree, "docs/a.md"), "a");
});

treeTest("a scan lists a folder once several files are missing in it, and asks no more for others", {
  "docs/a.md": "a",
}, (dir) => {
  const disk = diskTree(dir);
  const [asked, listed]: [string[], string[]] = [[], []];
  const tree = cacheListings({
    ...disk,
    hasFile: (path) => asked.push(path) > 0 && disk.hasFile(path),
    list: (path) => {
      if (path !== "") listed.push(path);
      return disk.list(path);
    },
  });
  const names = ["a", "b", "c", "d", "e", "f", "g"].map((name) => `docs/${name}.md`);
  assert.deepEqual(names.slice(0, 4).map(tree.hasFile), [true, false, false, false]);
  assert.deepEqual(listed, [], "one of thousands of files takes long to list");
  assert.deepEqual(names.slice(4).map(tree.hasFile), [false, false, false]);
  assert.deepEqual(asked, names.slice(0, 5));
  assert.deepEqual(listed, ["docs"]);
});

Deno.test("a folder that becomes a link is one in the next listing [rights:symlink-refused]", () =>
  withTree({ "kept/a/deep/file.md": "inside", "outside/deep/file.md": "outside" }, async (dir) => {
    const tree = diskTree(`${dir}/kept`);
    const look = () => ["", "a", "a/deep"].map((path) => tree.list(path).map(({ name }) => name).join());
    assert.deepEqual(look(), ["a", "deep", "file.md"]);
    await Deno.remove(`${dir}/kept/a`, { recursive: true });
    await Deno.symlink("../outside", `${dir}/kept/a`, { type: "dir" });
    assert.deepEqual(look().slice(0, 2), ["", ""]);
    assert.equal(tree.hasFile("a/deep/file.md"), false);
  }));

Deno.test("taking away rights and giving them back within a second shows in the mark", POSIX, async () => {
  await withTree({ "a.md": "a" }, (dir) => {
    const tree = diskTree(dir);
    const markWith = (mode: number) => {
      Deno.chmodSync(`${dir}/a.md`, mode);
      return tree.stamp("a.md")?.mark;
    };
    const full = markWith(0o644);
    assert.notEqual(markWith(0o000), full);
  });
});

Deno.test("what has just changed is not settled before its second is over, or two where times are coarse", () => {
  const stamp = (time: number, changedBy = time) => ({ mark: "", time, changedBy });
  const [whole, exact] = [1_800_000_000_000, 1_800_000_000_700];
  const after = (ages: readonly number[], ...args: Parameters<typeof stamp>) =>
    ages.map((age) => isSettled(stamp(...args), whole + age));
  assert.deepEqual(after([710, 990, 1_040, 1_060], exact), [false, false, false, true]);
  assert.deepEqual(after([100, 1_999, 2_001], whole), [false, false, true]);
  assert.deepEqual(after([1_500, 3_000], exact, whole + 999), [false, true], "a copy that keeps its time");
  assert.deepEqual(after([5_000], whole + 900_000, whole), [true], "a file from the future");
  assert.deepEqual(after([0, -5_000], exact), [false, false], "it changed while others were read");
});

treeTest("no link leads into a folder that belongs to a program [rights:symlink-refused]", {
  "kept/cache/git/copy/SKILL.md": "a copy",
  "kept/cached/own.md": "own",
  "kept/skills/bmad-file.md": { link: "../cache/git/copy/SKILL.md" },
  "kept/skills/bmad-folder": { link: "../cache/git/copy" },
  "kept/skills/bmad-all": { link: "../cache" },
  "kept/skills/bmad-own": { link: "../cached" },
}, (dir) => {
  const tree = diskTree(`${dir}/kept`, { closed: ["cache"] });
  assert.deepEqual(tree.list("skills").map(({ name }) => name), ["bmad-own"]);
  for (const path of ["bmad-file.md", "bmad-folder/SKILL.md", "bmad-all/git/copy/SKILL.md"]) {
    assert.equal(tree.stat(`skills/${path}`), undefined, path);
    assert.equal(findText(tree, `skills/${path}`), undefined, path);
  }
  assert.ok(tree.refused().includes("skills/bmad-folder"));
  assert.equal(text(tree, "skills/bmad-own/own.md"), "own");
});
