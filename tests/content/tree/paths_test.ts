/** Are paths taken apart, joined and compared correctly, on every system? */
import assert from "node:assert/strict";
import { baseName, isInside, joinPath, normalizePath, parentPath } from "../../../src/content/tree/mod.ts";
import { isAlias } from "../../../src/content/tree/disk.ts";
import { POSIX } from "../../support/run.ts";

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

Deno.test("a folder is inside itself and not inside one whose name starts the same", POSIX, () => {
  assert.equal(isInside("/a/b", "/a/b"), true);
  assert.equal(isInside("/a/b/c", "/a/b"), true);
  assert.equal(isInside("/a/bc", "/a/b"), false);
  assert.equal(isInside("/a", "/a/b"), false);
  assert.equal(isInside("/a", "/"), true);
});

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
