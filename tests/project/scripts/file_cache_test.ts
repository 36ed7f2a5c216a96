/**
 * Is what was read from files cached as long as it is right, and within its limit?
 */
import assert from "node:assert/strict";
import { diskTree, type Stamp, type Tree } from "../../../src/content/tree/mod.ts";
import { cacheFiles } from "../../../src/project/scripts/file_cache.ts";
import { listCustomizableSkills } from "../../../src/project/scripts/list_customizable_skills.ts";
import { runNative } from "../../support/scripts.ts";
import { verifies } from "../../support/requirements.ts";
import { withTree } from "../../support/trees.ts";

const NOW = 1_800_000_000_000;

/** A tree of which only the stamps count. */
function treeOf(stamps: Readonly<Record<string, Stamp>>): Tree {
  return { ...diskTree("/nowhere"), location: `/${crypto.randomUUID()}`, stamp: (path) => stamps[path] };
}

Deno.test("a file is asked again once its state is another one, was a moment ago, or is unknown", () => {
  const stamp = (mark: string, age: number): Stamp => ({ mark, time: NOW - age, changedBy: NOW - age });
  const stamps: Record<string, Stamp> = { old: stamp("1", 9_000), young: stamp("1", 20) };
  const cached = cacheFiles(treeOf(stamps), NOW);
  let count = 0;
  const ask = (path: string, what = "x") => cached(what, path, () => ({ value: ++count, size: 1 }));
  assert.deepEqual([ask("old"), ask("old"), ask("old", "y"), ask("old")], [1, 1, 2, 1]);
  assert.deepEqual([ask("young"), ask("young"), ask("none"), ask("none")], [3, 4, 5, 6]);
  stamps["old"] = stamp("2", 9_000);
  assert.deepEqual([ask("old"), ask("old")], [7, 7]);
});

Deno.test(verifies("work:script-limits", "what is cached between calls has a limit in all"), () => {
  const old: Stamp = { mark: "1", time: 0, changedBy: 0 };
  const cached = cacheFiles(treeOf(new Proxy({}, { get: () => old })), NOW);
  const read: string[] = [];
  const ask = (path: string, size: number) =>
    cached("x", path, () => (read.push(path), { value: path, size }));
  ask("first", 1);
  ask("first", 1);
  assert.deepEqual(read, ["first"]);
  for (const at of Array(40).keys()) ask(`${at}`, 1 << 20);
  ask("first", 1);
  assert.equal(read.filter((path) => path === "first").length, 2, "it had to make room");
  ask("huge", 1 << 30);
  ask("huge", 1 << 30);
  assert.equal(read.filter((path) => path === "huge").length, 2, "too large for any room");
});

Deno.test("a skill that changes is listed as it is", () =>
  withTree({
    "skills/a/customize.toml": "[agent]\n",
    "skills/a/SKILL.md": "---\ndescription: One\n---\n",
  }, async (root) => {
    const old = new Date(Date.now() - 60_000);
    const list = async (files: Readonly<Record<string, string>>) => {
      for (const [path, text] of Object.entries(files)) await Deno.writeTextFile(`${root}/${path}`, text);
      for (const path of ["skills/a/customize.toml", "skills/a/SKILL.md"]) {
        await Deno.utime(`${root}/${path}`, old, old).catch(() => {});
      }
      const args = ["--project-root", ".", "--skills-root", "skills"];
      const clock = { now: () => Date.now() + 3_600_000 };
      const { stdout } = await runNative(listCustomizableSkills, root, args, "", { clock });
      const { agents, workflows } = JSON.parse(stdout);
      return [agents, workflows].map((rows: { description: string }[]) => rows.map((row) => row.description));
    };
    assert.deepEqual(await list({}), [["One"], []]);
    assert.deepEqual(await list({}), [["One"], []]);
    assert.deepEqual(await list({ "skills/a/SKILL.md": "---\ndescription: Three\n---\n" }), [["Three"], []]);
    assert.deepEqual(await list({ "skills/a/customize.toml": "[workflow]\n" }), [[], ["Three"]]);
    await Deno.remove(`${root}/skills/a/customize.toml`);
    assert.deepEqual(await list({}), [[], []]);
  }));
