/** Do a project's files change whole, one change at a time, and only where they may? */
import assert from "node:assert/strict";
import { changeIn, openFiles } from "../../../src/project/files/mod.ts";
import { failureOf } from "../../support/failures.ts";
import { POSIX } from "../../support/run.ts";
import { listTree, treeTest, withTree } from "../../support/trees.ts";

const open = (root: string, writable: readonly string[] = ["out"]) =>
  openFiles({ root, output: "out", writable: writable.map((folder) => `${root}/${folder}`) }, Date.now);

treeTest(
  "a file is replaced exactly, and its mode stays",
  { "out/a.yaml": "\uFEFFa: 1\r\n" },
  async (root) => {
    await Deno.chmod(`${root}/out/a.yaml`, 0o640);
    const files = open(root);
    const before = files.find("out/a.yaml");
    assert.equal(before, "\uFEFFa: 1\r\n");
    files.replace("out/a.yaml", "\uFEFFa: 2\r\n", before);
    assert.deepEqual([...await Deno.readFile(`${root}/out/a.yaml`)].slice(0, 4), [0xEF, 0xBB, 0xBF, 0x61]);
    assert.equal((await Deno.stat(`${root}/out/a.yaml`)).mode! & 0o777, 0o640);
    files.replace("out/new/deep/b.md", "b", undefined);
    assert.equal(files.find("out/new/deep/b.md"), "b");
    assert.equal(files.find("out/none.md"), undefined);
  },
);

treeTest("a change by somebody else is not overwritten", { "out/a.md": "one" }, async (root) => {
  const files = open(root);
  await Deno.writeTextFile(`${root}/out/a.md`, "two");
  assert.equal(failureOf(() => files.replace("out/a.md", "three", "one")).code, "not-allowed");
  assert.equal(failureOf(() => files.replace("out/a.md", "one", "one")).code, "not-allowed");
  assert.equal(failureOf(() => files.replace("out/a.md", "three", undefined)).code, "not-allowed");
  assert.equal(await Deno.readTextFile(`${root}/out/a.md`), "two");
  assert.deepEqual(await listTree(root), ["out/", "out/a.md 3"]);
});

treeTest("a file that would stay the same is not written", { "out/a.md": "é one" }, async (root) => {
  const { ino } = await Deno.stat(`${root}/out/a.md`);
  open(root).replace("out/a.md", "é one", "é one");
  assert.equal((await Deno.stat(`${root}/out/a.md`)).ino, ino);
  open(root).replace("out/a.md", "é two", "é one");
  assert.equal(await Deno.readTextFile(`${root}/out/a.md`), "é two");
});

treeTest("nothing is written outside the granted folders, by name or by link", {
  "out/a.md": "a",
  "src/code.ts": "x",
  "other/secret.md": "s",
}, async (root) => {
  const project = `${root}/p`;
  await Deno.mkdir(`${project}/out`, { recursive: true });
  await Deno.mkdir(`${project}/src`);
  await Deno.symlink(`${root}/other`, `${project}/out/away`);
  await Deno.symlink(`${project}/src`, `${project}/out/inside`);
  await Deno.symlink(`${root}/other/secret.md`, `${project}/out/link.md`);
  const files = open(project);
  const codes = ["src/new.ts", "out2/a.md", "out/away/a.md", "out/inside/a.md", "out/link.md", "a.md"]
    .map((path) => failureOf(() => files.replace(path, "no", undefined)).code);
  assert.deepEqual(codes, [
    "not-allowed",
    "not-allowed",
    "outside-root",
    "not-allowed",
    "outside-root",
    "not-allowed",
  ]);
  assert.equal(failureOf(() => files.pathOf("path", "../other/secret.md")).code, "invalid-input");
  assert.equal(files.pathOf("path", `${project}/out/x.md`), "out/x.md");
  assert.equal(await Deno.readTextFile(`${root}/other/secret.md`), "s");
  assert.deepEqual(await listTree(`${root}/other`), ["secret.md 1"]);
});

treeTest("changes of several openers follow one another", { "out/n.txt": "0" }, async (root) => {
  const add = () => {
    const files = open(root);
    return files.exclusively(async () => {
      const before = files.find("out/n.txt")!;
      await Promise.resolve();
      files.replace("out/n.txt", String(Number(before) + 1), before);
    });
  };
  await Promise.all(Array.from({ length: 40 }, add));
  assert.equal(await Deno.readTextFile(`${root}/out/n.txt`), "40");
  assert.equal(await Deno.readTextFile(`${root}/out/.bmad-work/.gitignore`), "*\n");
});

treeTest("a read-only start changes nothing", { "out/a.md": "a" }, async (root) => {
  const files = open(root, []);
  await assert.rejects(files.exclusively(() => {}), /read-only/);
  assert.equal(failureOf(() => files.replace("out/a.md", "b", "a")).code, "not-allowed");
  assert.deepEqual(await listTree(root), ["out/", "out/a.md 1"]);
});

treeTest("only documents are written, and none where programs keep their files", {
  "out/hooks/pre-commit": "#!",
  "out/x.md": "x",
}, async (root) => {
  const files = open(root);
  const refused = [
    "out/hooks/pre-commit",
    "out/.git/hooks/post-commit",
    "out/sub/.git/config.md",
    "out/.envrc",
    "out/node_modules/x/index.json",
    "out/.vscode/tasks.json",
    "out/_bmad/config.toml",
    "out/run.sh",
    "out/.mcp.json",
    "out/Makefile",
    "out/a/.hidden/x.md",
  ];
  for (const path of refused) {
    const before = files.find(path);
    assert.equal(failureOf(() => files.replace(path, "no", before)).code, "not-allowed", path);
  }
  for (const path of ["out/.memlog.md", "out/a/b.yaml", "out/page.html", "out/.bmad-work/claims.json"]) {
    files.replace(path, "yes", undefined);
    assert.equal(files.find(path), "yes");
  }
  assert.equal(await Deno.readTextFile(`${root}/out/hooks/pre-commit`), "#!");
});

treeTest("files that hold secrets, and git's own, are not read", {
  ".env": "A=1",
  ".git/config": "[core]",
  "out/id_rsa": "key",
  "out/a.md": "a",
}, (root) => {
  const files = open(root);
  for (const path of [".env", ".git/config", "out/id_rsa", "out/../.env"]) {
    assert.equal(files.find(path), undefined, path);
    assert.equal(files.tree.hasFile(path), false, path);
    assert.equal(failureOf(() => files.tree.read(path)).code, "not-allowed", path);
  }
  assert.equal(files.find("out/a.md"), "a");
});

Deno.test("a pipe as a file or lock is refused, and so is a link as our records", POSIX, async () => {
  await withTree({ "out/a.md": "a", "src/.gitignore": "" }, async (root) => {
    const pipe = async (path: string) =>
      void await new Deno.Command("mkfifo", { args: [`${root}/${path}`] }).output();
    await pipe("out/pipe.md");
    assert.equal(failureOf(() => open(root).replace("out/pipe.md", "x", undefined)).code, "not-allowed");
    await Deno.mkdir(`${root}/out/.bmad-work`);
    await pipe("out/.bmad-work/lock");
    await assert.rejects(open(root).exclusively(() => {}), /lock is not a plain file/);
    await Deno.remove(`${root}/out/.bmad-work`, { recursive: true });
    await Deno.symlink("../src", `${root}/out/.bmad-work`);
    await assert.rejects(open(root).exclusively(() => {}), /link to another folder/);
    assert.deepEqual(await listTree(`${root}/src`), [".gitignore 0"]);
  });
});

treeTest("what the system refuses to write is reported with the path, the reason and the fix", {
  "out/a.md": "a",
  "records/.bmad-work": "",
  "runs/.lock/": "",
}, async (root) => {
  const files = open(root);
  const long = `out/${"x".repeat(300)}.md`;
  assert.deepEqual(failureOf(() => files.replace("out/a.md/b/c.md", "x", undefined)), {
    code: "not-writable",
    path: "out/a.md/b/c.md",
    reason: "a part of its path is a file, not a folder",
    fix: "Move that file away",
  });
  assert.deepEqual(failureOf(() => files.replace(long, "x", undefined)), {
    code: "not-writable",
    path: long,
    reason: "the name is too long for this file system",
    fix: "Choose a shorter one",
  });
  const inFile = openFiles(
    { root, output: "records", writable: [`${root}/records`] },
    Date.now,
  );
  await assert.rejects(inFile.exclusively(() => {}), {
    message: "Cannot write records/.bmad-work/.gitignore: a part of its path is a file, not a folder. " +
      "Move that file away",
  });
  await assert.rejects(changeIn({ root, folder: "out/a.md", now: Date.now }, () => {}), {
    message: "Cannot write out/a.md/.lock: a part of its path is a file, not a folder. Move that file away",
  });
  await assert.rejects(
    changeIn({ root, folder: "runs", now: Date.now }, () => {}),
    /not a plain file; delete it/,
  );
  assert.deepEqual(await listTree(`${root}/out`), ["a.md 1"]);
});
