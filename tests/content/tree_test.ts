/**
 * Does a tree read what lies inside its root and nothing else?
 *
 * The same suite runs on both kinds of tree, the one on disk and the embedded one. What only a disk can do
 * (links, growing files, refused folders) follows after that.
 */
import assert from "node:assert/strict";
import { BmadError, type Failure } from "../../src/base/errors.ts";
import {
  baseName,
  cacheListings,
  decodeText,
  diskTree,
  embeddedTree,
  findText,
  isInside,
  joinPath,
  MAX_FILE_BYTES,
  normalizePath,
  type PackFiles,
  parentPath,
  type Tree,
  walkFiles,
} from "../../src/content/tree/mod.ts";
import { isAlias } from "../../src/content/tree/resolve.ts";
import { verifies } from "../support/requirements.ts";
import { withTree } from "../support/trees.ts";

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

/** Each kind of tree over the same files. */
const KINDS: Readonly<Record<string, (use: (tree: Tree) => void) => Promise<void>>> = {
  "a disk tree": (use) => withTree(FILES, (dir) => use(diskTree(dir))),
  "an embedded tree": (use) =>
    withTree({}, async (dir) => {
      const files = await packOf(FILES, dir);
      await use(embeddedTree("pack", () => files, dir));
    }),
};

function failureOf(fn: () => unknown): Failure {
  try {
    fn();
  } catch (error) {
    if (error instanceof BmadError) return error.failure;
    throw error;
  }
  throw new Error("it did not fail");
}

const text = (tree: Tree, path: string) => new TextDecoder().decode(tree.read(path));

/** Names with a meaning in JavaScript, or too long for the system. */
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
      for (
        const path of ["", "a", "a/deep", "c.md", "readme.md/x", ...NOT_INSIDE]
      ) {
        assert.equal(tree.stat(path), undefined, path);
      }
    }));

  Deno.test(`${kind} reads a file's bytes`, () =>
    open((tree) => {
      assert.equal(text(tree, "readme.md"), "# Top\n");
      assert.equal(text(tree, "a/deep/er/file.txt"), "grüß");
      assert.equal(tree.read("empty.md").length, 0);
    }));

  Deno.test(`${kind} fails with not-found for a file that is missing`, () =>
    open((tree) => {
      for (
        const path of [
          "c.md",
          "c/d.md",
          "readme.md/x",
          "etc/passwd",
          "/etc/passwd",
        ]
      ) {
        assert.deepEqual(failureOf(() => tree.read(path)), {
          code: "not-found",
          what: "file",
          name: path,
        });
      }
    }));

  Deno.test(
    verifies("rights:traversal-refused", `${kind} refuses a path above its root`),
    () =>
      open((tree) => {
        for (const path of NOT_INSIDE) {
          assert.deepEqual(failureOf(() => tree.read(path)), { code: "outside-root", path });
        }
      }),
  );

  Deno.test(`${kind} is not misled by a name that means something to the language or is too long`, () =>
    open((tree) => {
      for (const path of ODD) {
        assert.deepEqual(tree.list(path), [], path);
        assert.equal(tree.stat(path), undefined, path);
        assert.equal(failureOf(() => tree.read(path)).code, "not-found", path);
      }
    }));

  Deno.test(`${kind} without links has refused none`, () =>
    open((tree) => {
      tree.list("");
      for (const path of NOT_INSIDE) tree.stat(path);
      assert.deepEqual(tree.refused(), []);
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

  Deno.test(`${kind} finds text or nothing without failing`, () =>
    open((tree) => {
      assert.equal(findText(tree, "readme.md"), "# Top\n");
      for (const path of ["c.md", "a", "../x"]) assert.equal(findText(tree, path), undefined, path);
    }));
}

Deno.test("a disk tree fails with invalid-input for a folder", () =>
  withTree(FILES, (dir) => {
    for (const path of ["", "a", "a/deep"]) {
      assert.deepEqual(failureOf(() => diskTree(dir).read(path)), {
        code: "invalid-input",
        field: "path",
        problem: `"${path}" is a folder`,
        hint: "Name a file in it",
      });
    }
  }));

Deno.test("an embedded tree does not read a folder as a file", () =>
  withTree({}, async (dir) => {
    const files = await packOf(FILES, dir);
    const tree = embeddedTree("pack", () => files, dir);
    for (const path of ["", "a", "a/deep"]) {
      assert.equal(failureOf(() => tree.read(path)).code, "not-found", path);
    }
  }));

Deno.test("a disk tree over a folder that does not exist is empty", () =>
  withTree({}, (dir) => {
    const tree = diskTree(`${dir}/later`);
    assert.deepEqual(tree.list(""), []);
    assert.equal(tree.stat("a.md"), undefined);
    assert.deepEqual(failureOf(() => tree.read("a.md")).code, "not-found");
  }));

Deno.test("a disk tree sees what was added after it was opened", () =>
  withTree({ "a.md": "a" }, (dir) => {
    const tree = diskTree(dir);
    Deno.writeTextFileSync(`${dir}/b.md`, "b");
    assert.deepEqual(tree.list("").map((item) => item.name), ["a.md", "b.md"]);
    assert.equal(text(tree, "b.md"), "b");
    assert.ok(Math.abs(tree.stat("b.md")!.modified! - Date.now()) < 60_000);
  }));

Deno.test("a disk tree serves a folder that was created after the tree was opened", () =>
  withTree({ "real/": "", "alias": { link: "real" } }, (dir) => {
    const tree = diskTree(`${dir}/alias/later`);
    Deno.mkdirSync(`${dir}/real/later`);
    Deno.writeTextFileSync(`${dir}/real/later/a.md`, "a");
    assert.deepEqual(tree.list("").map((item) => item.name), ["a.md"]);
    assert.equal(text(tree, "a.md"), "a");
  }));

Deno.test(
  verifies("rights:symlink-inside", "a disk tree follows a link that stays inside its root"),
  () =>
    withTree({
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
    }),
);

Deno.test("a disk tree may have a link as its root", () =>
  withTree({ "real/file.md": "inside", "kept": { link: "real" } }, (dir) => {
    const tree = diskTree(`${dir}/kept`);
    assert.deepEqual(tree.list(""), [{ name: "file.md", isDirectory: false }]);
    assert.equal(text(tree, "file.md"), "inside");
  }));

Deno.test(
  verifies(
    "rights:symlink-refused",
    "a disk tree neither follows nor lists a link that points out of its root",
  ),
  () =>
    withTree({
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
    }),
);

Deno.test("a disk tree ignores broken and circular links", () =>
  withTree({
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
  }));

Deno.test("a disk tree with circular links between folders is walked to the end", () =>
  withTree({
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
  }));

Deno.test(
  verifies("rights:file-size", "a disk tree refuses a file over the size limit and names the limit"),
  () =>
    withTree({ "limit.bin": "", "large.bin": "" }, (dir) => {
      Deno.truncateSync(`${dir}/limit.bin`, MAX_FILE_BYTES);
      Deno.truncateSync(`${dir}/large.bin`, MAX_FILE_BYTES + 1);
      const tree = diskTree(dir);
      assert.equal(tree.read("limit.bin").length, 8_388_608);
      assert.equal(tree.stat("large.bin")?.size, 8_388_609);
      assert.deepEqual(failureOf(() => tree.read("large.bin")), {
        code: "invalid-input",
        field: "path",
        problem: '"large.bin" has 8388609 bytes, more than the maximum file size of 8388608',
      });
    }),
);

Deno.test({
  name: "a disk tree neither lists nor reads pipes and devices",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTree({ "file.md": "file" }, async (dir) => {
      await new Deno.Command("mkfifo", { args: [`${dir}/pipe`] }).output();
      await Deno.symlink("pipe", `${dir}/link`);
      await Deno.symlink("/dev/zero", `${dir}/zero`);
      const tree = diskTree(dir);
      assert.deepEqual(tree.list(""), [{ name: "file.md", isDirectory: false }]);
      assert.equal(tree.stat("pipe"), undefined);
      assert.equal(failureOf(() => tree.read("zero")).code, "outside-root");
    }),
});

Deno.test({
  name: "a disk tree does not block on a pipe",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTree({}, async (dir) => {
      await new Deno.Command("mkfifo", { args: [`${dir}/pipe`] }).output();
      // In a process of its own, because a read that waits holds everything up.
      const module = JSON.stringify(new URL("../../src/content/tree/mod.ts", import.meta.url));
      const code = `import { diskTree } from ${module}; diskTree(Deno.args[0]).read("pipe");`;
      const args = ["eval", code, dir];
      const child = new Deno.Command(Deno.execPath(), {
        args,
        stdin: "null",
        stdout: "null",
        stderr: "piped",
      }).spawn();
      const limit = setTimeout(() => child.kill("SIGKILL"), 5_000);
      const { stderr } = await child.output();
      clearTimeout(limit);
      assert.match(new TextDecoder().decode(stderr), /"pipe" is outside the served folders/);
    }),
});

Deno.test("a normalized path has no dots, no empty parts and no backslashes", () => {
  const table: readonly (readonly [string, string | undefined])[] = [
    ["", ""],
    [".", ""],
    ["/", ""],
    ["a", "a"],
    ["a/./b/../c", "a/c"],
    ["/a//b/", "a/b"],
    ["a\\b\\..\\c", "a/c"],
    ["a/..", ""],
    ["a/../..", undefined],
    ["..", undefined],
    ["../a", undefined],
    ["./../a", undefined],
    ["..\\a", undefined],
    ["a/../../a", undefined],
    ["...", "..."],
    ["a/..b/c..", "a/..b/c.."],
    [" a / b ", " a / b "],
    ["%2e%2e/a", "%2e%2e/a"],
    ["a\0b", undefined],
    ["C:\\a", "C:/a"],
    ["\\\\server\\share", "server/share"],
  ];
  for (const [path, expected] of table) assert.equal(normalizePath(path), expected, JSON.stringify(path));
});

Deno.test("a path is joined and split at its slashes", () => {
  assert.equal(joinPath("a", "", "b/c"), "a/b/c");
  assert.equal(joinPath("", ""), "");
  assert.equal(parentPath("a/b/c.md"), "a/b");
  assert.equal(parentPath("c.md"), "");
  assert.equal(baseName("a/b/c.md"), "c.md");
  assert.equal(baseName("c.md"), "c.md");
});

Deno.test({
  name: "a folder is inside itself and not inside one whose name starts the same",
  ignore: Deno.build.os === "windows",
  fn: () => {
    assert.equal(isInside("/a/b", "/a/b"), true);
    assert.equal(isInside("/a/b/c", "/a/b"), true);
    assert.equal(isInside("/a/bc", "/a/b"), false);
    assert.equal(isInside("/a", "/a/b"), false);
    assert.equal(isInside("/a", "/"), true);
  },
});

Deno.test("text is UTF-8 without zero bytes, with its byte order mark and line ends unchanged", () => {
  const bytes = (...values: number[]) => new Uint8Array(values);
  assert.equal(decodeText(new TextEncoder().encode("\ufeffa\r\nb")), "\ufeffa\r\nb");
  assert.equal(decodeText(bytes()), "");
  assert.equal(decodeText(bytes(0x61, 0x00)), undefined);
  assert.equal(decodeText(bytes(0xff, 0xfe, 0x61)), undefined);
  assert.equal(decodeText(bytes(0xc3)), undefined);
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

Deno.test("a name with a special meaning on Windows is not a path there", () => {
  for (
    const path of ["a.md::$DATA", "a.md:secret", "C:/x", "config.yaml.", "config.yaml ", "dir./x", "a/./b "]
  ) {
    assert.equal(normalizePath(path, "windows"), undefined, path);
    assert.notEqual(normalizePath(path, "linux"), undefined, path);
  }
  assert.equal(normalizePath("a/../.claude/x.y", "windows"), ".claude/x.y");
});

Deno.test("a path that resolves to another name without a link is an alias", () => {
  const links = ["/served/linked"];
  const isLink = (name: string) => links.includes(name);
  assert.equal(isAlias("Config.yaml", "/served", isLink), true);
  assert.equal(isAlias("DIR~1/config.yaml", "/served", isLink), true);
  assert.equal(isAlias("linked/config.yaml", "/served", isLink), false);
  assert.equal(isAlias("linked", "/served", isLink), false);
});
