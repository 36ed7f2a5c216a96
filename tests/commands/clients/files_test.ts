/** Is a client's file changed completely or not at all, whatever happens meanwhile? */
import assert from "node:assert/strict";
import type { Edit } from "../../../src/commands/clients/file_text.ts";
import { type Change, changeFile } from "../../../src/commands/clients/file_change.ts";
import { installEntry, uninstallEntry } from "../../../src/commands/clients/entries.ts";
import { findClient } from "../../../src/commands/clients/mod.ts";
import { targetsOf } from "../../../src/commands/clients/target.ts";
import { denoHost } from "../../../src/process/host.ts";
import { listTree, treeTest, withTree } from "../../support/trees.ts";
import { POSIX } from "../../support/run.ts";

const host = denoHost(".");
const LAUNCH = { command: "/usr/bin/bmad-mcp", args: ["serve"] };
const REQUEST = { name: "bmad", force: false };
const NOW = { dryRun: false, now: () => Date.now() };

const cursor = (home: string) =>
  targetsOf(findClient("cursor")!, undefined, { ...host, home, os: "linux" }, true)[0]!;

const append = (text: string | undefined): Edit => ({
  outcome: "added",
  text: `${text ?? ""}x`,
  needsBackup: true,
});

const problemOf = (change: Change) => "problem" in change ? change.problem : change.outcome;

Deno.test("only the first change leaves a backup, with its mode [cli:install-scopes]", POSIX, async () => {
  await withTree({ ".cursor/mcp.json": '{ "a": 1 }\n' }, async (home) => {
    const file = `${home}/.cursor/mcp.json`;
    await Deno.chmod(file, 0o606);
    const first = installEntry(cursor(home), LAUNCH, REQUEST, NOW);
    assert.ok("text" in first);
    assert.equal(first.backup, `${file}.bmad-mcp-backup`);
    const second = installEntry(cursor(home), LAUNCH, { ...REQUEST, name: "two" }, NOW);
    assert.ok("text" in second && second.backup === undefined);
    assert.equal(await Deno.readTextFile(first.backup), '{ "a": 1 }\n');
    for (const path of [file, first.backup]) assert.equal((await Deno.stat(path)).mode! & 0o777, 0o606);
    assert.deepEqual(Object.keys(JSON.parse(await Deno.readTextFile(file)).mcpServers), ["bmad", "two"]);

    // Another entry is there now, so the backup stays and is reported.
    const gone = uninstallEntry(cursor(home), REQUEST, NOW);
    assert.ok("text" in gone);
    assert.equal(gone.backup, first.backup);
    assert.ok(uninstallEntry(cursor(home), { ...REQUEST, name: "two" }, NOW).outcome === "removed");
    assert.deepEqual(await listTree(home), [".cursor/", ".cursor/mcp.json 11"]);
  });
});

treeTest("a file that install created is removed with its folders", { "other.txt": "" }, async (home) => {
  assert.equal(installEntry(cursor(home), LAUNCH, REQUEST, NOW).outcome, "added");
  assert.equal(installEntry(cursor(home), LAUNCH, REQUEST, NOW).outcome, "same");
  const other = { ...LAUNCH, args: ["serve", "--toolsets", "all"] };
  assert.equal(installEntry(cursor(home), other, REQUEST, NOW).outcome, "updated");
  assert.equal(uninstallEntry(cursor(home), REQUEST, NOW).outcome, "removed");
  assert.equal(uninstallEntry(cursor(home), REQUEST, NOW).outcome, "absent");
  assert.deepEqual(await listTree(home), ["other.txt 0"]);
});

Deno.test("a link stays a link, and its target is changed", POSIX, () =>
  withTree(
    { "dotfiles/cursor.json": "{}", ".cursor/mcp.json": { link: "../dotfiles/cursor.json" } },
    async (home) => {
      assert.equal(installEntry(cursor(home), LAUNCH, REQUEST, NOW).outcome, "added");
      assert.match(await Deno.readTextFile(`${home}/dotfiles/cursor.json`), /bmad-mcp/);
      assert.equal(uninstallEntry(cursor(home), REQUEST, NOW).outcome, "removed");
      assert.deepEqual(await listTree(home), [
        ".cursor/",
        ".cursor/mcp.json -> ../dotfiles/cursor.json",
        "dotfiles/",
        "dotfiles/cursor.json 2",
      ]);
    },
  ));

treeTest("changes by another program are not overwritten", { ".cursor/mcp.json": "a" }, (home) => {
  const file = `${home}/.cursor/mcp.json`;
  let calls = 0;
  const change = changeFile(cursor(home), (text) => {
    if (calls++ === 0) Deno.writeTextFileSync(file, "b");
    return append(text);
  }, NOW);
  assert.deepEqual([calls, change.outcome, Deno.readTextFileSync(file)], [2, "added", "bx"]);

  const restless = changeFile(cursor(home), (text) => {
    Deno.writeTextFileSync(file, `c${calls++}`);
    return append(text);
  }, NOW);
  assert.match(problemOf(restless), /another program keeps changing it/);
  assert.equal(Deno.readTextFileSync(file), "c4");

  const removed = changeFile(cursor(home), () => {
    Deno.writeTextFileSync(file, `d${calls++}`);
    return { outcome: "removed", text: undefined, needsBackup: false };
  }, NOW);
  assert.equal(removed.outcome, "invalid");
  assert.equal(Deno.readTextFileSync(file), "d7");
});

Deno.test("an abandoned draft is removed, a fresh one is respected", () =>
  withTree({ ".cursor/mcp.json": "a", ".cursor/mcp.json.bmad-mcp-new": "half" }, (home) => {
    assert.match(problemOf(changeFile(cursor(home), append, NOW)), /another install is changing it/);
    assert.equal(Deno.readTextFileSync(`${home}/.cursor/mcp.json`), "a");
    const later = { ...NOW, now: () => Date.now() + 120_000 };
    assert.equal(changeFile(cursor(home), append, later).outcome, "added");
    assert.equal(Deno.readTextFileSync(`${home}/.cursor/mcp.json`), "ax");
  }));

Deno.test("a write-protected file, one not UTF-8 or a folder is kept and reported", POSIX, () =>
  withTree(
    { "a/.cursor/mcp.json": "{}", "b/.cursor/mcp.json": new Uint8Array([0xff, 0xfe, 0x7b, 0]) },
    async (dir) => {
      await Deno.chmod(`${dir}/a/.cursor/mcp.json`, 0o444);
      await Deno.mkdir(`${dir}/c/.cursor/mcp.json`, { recursive: true });
      const problems = ["a", "b", "c"].map((home) =>
        problemOf(installEntry(cursor(`${dir}/${home}`), LAUNCH, REQUEST, NOW))
      );
      assert.deepEqual(problems, ["it is write-protected", "it is not UTF-8", "it is not a file"]);
    },
  ));
