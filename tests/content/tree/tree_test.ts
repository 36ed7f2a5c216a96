/** Does a tree read what lies inside its root and nothing else? */
import assert from "node:assert/strict";
import {
  baseName,
  decodeText,
  diskTree,
  embeddedTree,
  findText,
  type PackFiles,
  parentPath,
  type Tree,
  walkFiles,
} from "../../../src/content/tree/mod.ts";
import { failureOf } from "../../support/failures.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const FILES = {
  "readme.md": "# Top\n",
  "b/two.md": "two",
  "b/Upper.md": "upper",
  "b/.hidden": "dot",
  "a/deep/er/file.txt": "grüß",
  "a/deep.md": "beside its folder",
  "empty.md": "",
};

/** The files as a pack: by folder, each stored once under the hash of its bytes. */
async function packOf(files: Readonly<Record<string, string>>, blobDir: string): Promise<PackFiles> {
  const pack: Record<string, Record<string, readonly [string, number]>> = {};
  for (const [path, text] of Object.entries(files)) {
    const bytes = new TextEncoder().encode(text);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    await Deno.writeFile(`${blobDir}/${hash}`, bytes);
    (pack[parentPath(path)] ??= {})[baseName(path)] = [hash, bytes.length];
  }
  return pack;
}

const KINDS: Readonly<Record<string, (use: (tree: Tree) => void) => Promise<void>>> = {
  "a disk tree": (use) => withTree(FILES, (dir) => use(diskTree(dir))),
  "an embedded tree": (use) =>
    withTree({}, async (dir) => {
      const files = await packOf(FILES, dir);
      await use(embeddedTree("pack", () => files, dir));
    }),
};

const text = (tree: Tree, path: string) => new TextDecoder().decode(tree.read(path));

const ODD = [
  "__proto__",
  "a/constructor",
  "constructor/name",
  "toString/length",
  "a".repeat(300),
  "a/".repeat(4000) + "b",
];

const NOT_INSIDE = [
  "..",
  "../x",
  "a/../../readme.md",
  "b/../../../etc/passwd",
  "..\\x",
  "a\\..\\..\\x",
  "readme.md\0",
  "\0",
];

for (const [kind, open] of Object.entries(KINDS)) {
  Deno.test(`${kind} lists a folder in the order of code units, folders marked`, () =>
    open((tree) => {
      assert.deepEqual(tree.list(""), [
        { name: "a", isDirectory: true },
        { name: "b", isDirectory: true },
        { name: "empty.md", isDirectory: false },
        { name: "readme.md", isDirectory: false },
      ]);
      assert.deepEqual(tree.list("b").map((item) => item.name), [".hidden", "Upper.md", "two.md"]);
      assert.deepEqual(tree.list("a"), [
        { name: "deep", isDirectory: true },
        { name: "deep.md", isDirectory: false },
      ]);
      assert.deepEqual(tree.list("a/deep"), [{ name: "er", isDirectory: true }]);
    }));

  Deno.test(`${kind} accepts every spelling of a path inside it`, () =>
    open((tree) => {
      for (const dir of [".", "./", "/", "b/..", "a/deep/../.."]) {
        assert.deepEqual(tree.list(dir), tree.list(""), dir);
      }
      for (
        const path of ["b/two.md", "/b/two.md", "./b//two.md", "b/./two.md", "a/../b/two.md", "b\\two.md"]
      ) {
        assert.equal(text(tree, path), "two", path);
        assert.equal(tree.stat(path)?.size, 3, path);
      }
    }));

  Deno.test(`${kind} lists nothing for a missing folder`, () =>
    open((tree) => {
      for (const dir of ["c", "a/c", "readme.md", "readme.md/x", ...NOT_INSIDE]) {
        assert.deepEqual(tree.list(dir), [], dir);
      }
    }));

  Deno.test(`${kind} states the size of a file and of nothing else`, () =>
    open((tree) => {
      assert.equal(tree.stat("readme.md")?.size, 6);
      assert.equal(tree.stat("a/deep/er/file.txt")?.size, 6);
      assert.equal(tree.stat("empty.md")?.size, 0);
      for (const path of ["", "a", "a/deep", "c.md", "readme.md/x", ...NOT_INSIDE]) {
        assert.equal(tree.stat(path), undefined, path);
      }
    }));

  Deno.test(`${kind} reads a file, as bytes or as text, and fails with not-found for one that is missing`, () =>
    open((tree) => {
      assert.equal(text(tree, "readme.md"), "# Top\n");
      assert.equal(text(tree, "a/deep/er/file.txt"), "grüß");
      assert.equal(tree.read("empty.md").length, 0);
      assert.equal(findText(tree, "readme.md"), "# Top\n");
      for (const path of ["c.md", "a", "../x"]) assert.equal(findText(tree, path), undefined, path);
      for (const path of ["c.md", "c/d.md", "readme.md/x", "etc/passwd", "/etc/passwd"]) {
        assert.deepEqual(failureOf(() => tree.read(path)), { code: "not-found", what: "file", name: path });
      }
    }));

  Deno.test(`${kind} refuses a path above its root [rights:traversal-refused]`, () =>
    open((tree) => {
      for (const path of NOT_INSIDE) {
        assert.deepEqual(failureOf(() => tree.read(path)), { code: "outside-root", path });
      }
      assert.deepEqual(tree.refused(), [], "only links are");
    }));

  Deno.test(`${kind} is not misled by a name that means something to the language or is too long`, () =>
    open((tree) => {
      for (const path of ODD) {
        assert.deepEqual(tree.list(path), [], path);
        assert.equal(tree.stat(path), undefined, path);
        assert.equal(failureOf(() => tree.read(path)).code, "not-found", path);
      }
    }));

  Deno.test(`${kind} is walked in order, without what is skipped`, () =>
    open((tree) => {
      assert.deepEqual([...walkFiles(tree, "", (path) => path === "a/deep" || path === "empty.md")], [
        "a/deep.md",
        "b/.hidden",
        "b/Upper.md",
        "b/two.md",
        "readme.md",
      ]);
      assert.deepEqual([...walkFiles(tree, "a/deep", () => false)], ["a/deep/er/file.txt"]);
    }));
}

treeTest("an embedded tree does not read a folder as a file", {}, async (dir) => {
  const files = await packOf(FILES, dir);
  const tree = embeddedTree("pack", () => files, dir);
  for (const path of ["", "a", "a/deep"]) {
    assert.equal(failureOf(() => tree.read(path)).code, "not-found", path);
  }
});

Deno.test("text is UTF-8 without zero bytes, with its byte order mark and line ends unchanged", () => {
  const bytes = (...values: number[]) => new Uint8Array(values);
  assert.equal(decodeText(new TextEncoder().encode("\ufeffa\r\nb")), "\ufeffa\r\nb");
  assert.equal(decodeText(bytes()), "");
  assert.equal(decodeText(bytes(0x61, 0x00)), undefined);
  assert.equal(decodeText(bytes(0xff, 0xfe, 0x61)), undefined);
  assert.equal(decodeText(bytes(0xc3)), undefined);
});
