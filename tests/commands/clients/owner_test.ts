/**
 * Whose are the files and folders that install and uninstall write?
 *
 * Root may work in the home of somebody else (`sudo bmad-mcp install …`), whose clients must still be able to write
 * their own files. Only folders that a test made are given away.
 */
import assert from "node:assert/strict";
import { runCli } from "../../support/program.ts";
import { giveToSomebody, HAS_SOMEBODY, runAsSomebody } from "../../support/somebody.ts";
import { listTree, withTree } from "../../support/trees.ts";

const IS_ROOT = Deno.build.os !== "windows" && Deno.uid() === 0;

async function accessTo(path: string): Promise<readonly [number | null, number | null, string]> {
  const { uid, gid, mode } = await Deno.lstat(path);
  return [uid, gid, (mode! & 0o777).toString(8)];
}

Deno.test("root keeps the owner of file and backup [cli:install-owner]", { ignore: !IS_ROOT }, async () => {
  await withTree({ ".cursor/mcp.json": '{ "a": 1 }\n' }, async (home) => {
    const file = `${home}/.cursor/mcp.json`;
    await Deno.chmod(file, 0o640);
    await Deno.chown(file, 65_534, 65_533);
    const run = async (command: string) => {
      const { code, stderr } = await runCli([command, "cursor"], { env: { HOME: home }, cwd: home });
      assert.equal(code, 0, stderr);
    };
    await run("install");
    for (const path of [file, `${file}.bmad-mcp-backup`]) {
      assert.deepEqual(await accessTo(path), [65_534, 65_533, "640"], path);
    }
    await run("uninstall");
    assert.deepEqual(await accessTo(file), [65_534, 65_533, "640"]);
    assert.deepEqual(await listTree(home), [".cursor/", ".cursor/mcp.json 11"]);
  });
});

Deno.test("root's new files belong to a home's owner [cli:install-owner]", { ignore: !IS_ROOT }, async () => {
  await withTree({}, async (home) => {
    await Deno.chown(home, 65_534, 65_533);
    const { code, stderr } = await runCli(["install", "zed", "kiro"], { env: { HOME: home }, cwd: home });
    assert.equal(code, 0, stderr);
    const paths = [
      ".config",
      ".config/zed",
      ".config/zed/settings.json",
      ".kiro",
      ".kiro/settings",
      ".kiro/settings/mcp.json",
    ];
    for (const path of paths) {
      assert.deepEqual((await accessTo(`${home}/${path}`)).slice(0, 2), [65_534, 65_533], path);
    }
  });
});

Deno.test({
  name: "a file whose owner cannot be kept is left alone, and the message says so [cli:install-owner]",
  ignore: !IS_ROOT || !HAS_SOMEBODY,
  fn: () =>
    withTree({ "home/": "", "shop/.mcp.json": "{}\n" }, async (dir) => {
      await giveToSomebody(dir);
      await Deno.chown(`${dir}/shop/.mcp.json`, 0, 0);
      await Deno.chmod(`${dir}/shop/.mcp.json`, 0o666);
      const { code, stderr } = await runAsSomebody(["install", "claude-code", "--project", `${dir}/shop`], {
        cwd: `${dir}/shop`,
      });
      assert.equal(code, 3, stderr);
      assert.match(stderr, /Cannot change \S+\.mcp\.json: it belongs to user 0 and group 0, which /);
      assert.deepEqual(await accessTo(`${dir}/shop/.mcp.json`), [0, 0, "666"]);
      assert.deepEqual(await listTree(`${dir}/shop`), [".mcp.json 3"]);
    }),
});
