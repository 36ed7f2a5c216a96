/**
 * Is every file in a BMAD folder either served, or named by the doctor with the reason?
 *
 * tests/soak/folder_fuzz.ts makes folders as people might write them; the soak tries many more of them.
 */
import assert from "node:assert/strict";
import { fuzzFolders } from "../../soak/folder_fuzz.ts";
import { installation } from "../../support/installs.ts";
import { runHere } from "../../support/program.ts";
import { verifies } from "../../support/requirements.ts";
import { copyTree, withTree } from "../../support/trees.ts";

Deno.test(
  verifies("errors:unserved-named", "the doctor names what is not served, with the reason"),
  () =>
    withTree({
      "_bmad/bmm/agents/keeper.md": "# Keeper\n",
      "_bmad/.hidden": "x\n",
      "_bmad/data/credentials.json": "{}\n",
      "_bmad/data/cards.db": "x",
      "_bmad/node_modules/x/index.js": "1\n",
      "bmad/src/main.py": "print(1)\n",
      ".claude/skills/bmad-good/SKILL.md": "---\nname: bmad-good\ndescription: Good.\n---\nDo it.\n",
      ".claude/skills/other/SKILL.md": "---\nname: other\ndescription: Another's.\n---\nDo it.\n",
    }, async (dir) => {
      const { stdout } = await runHere(["doctor", "--mode", "local", "--json"], { cwd: dir });
      const { content: { unserved } } = JSON.parse(stdout);
      const reasons = Object.fromEntries(
        unserved.map(({ path, reason }: Record<string, string>) => [path, reason]),
      );
      assert.deepEqual(Object.keys(reasons).sort(), [
        "_bmad/.hidden",
        "_bmad/data/cards.db",
        "_bmad/data/credentials.json",
        "_bmad/node_modules",
        "bmad/src",
      ]);
      assert.match(reasons["_bmad/.hidden"], /hidden/);
      assert.match(reasons["_bmad/data/cards.db"], /database/);
      assert.match(reasons["_bmad/data/credentials.json"], /secrets/);
      assert.match(reasons["_bmad/node_modules"], /program/);
      assert.match(reasons["bmad/src"], /project's own/);
      const text = await runHere(["doctor", "--mode", "local"], { cwd: dir });
      assert.match(text.stdout, /not served +project: it is hidden: _bmad\/\.hidden\n/);
    }),
);

Deno.test({
  name: verifies("errors:unserved-named", "the doctor names what no path leads to"),
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTree({
      "_bmad/bmm/agents/keeper.md": "# Keeper\n",
      "_bmad/bmm/agents/gone.md": { link: "none.md" },
      "_bmad/bmm/agents/back\\slash.md": "# Back\n",
      "_bmad/bmm/tasks/back\\slash.md": "# Back\n",
      "_bmad/loop": { link: "." },
      "_bmad/out.md": { link: "../../none.md" },
      "bmad": { link: "nowhere" },
    }, async (dir) => {
      await new Deno.Command("mkfifo", { args: [`${dir}/_bmad/pipe`] }).output();
      const { stdout } = await runHere(["doctor", "--mode", "local", "--json"], { cwd: dir });
      const { content: { unserved, origins } } = JSON.parse(stdout);
      assert.deepEqual(
        Object.fromEntries(unserved.map(({ path, reason }: Record<string, string>) => [path, reason])),
        {
          "bmad": "the link is broken",
          "_bmad/bmm/agents/back\\slash.md": "its name cannot be part of a path",
          "_bmad/bmm/agents/gone.md": "the link is broken",
          "_bmad/bmm/tasks/back\\slash.md": "its name cannot be part of a path",
          "_bmad/loop": "the folder that the link leads to is shown in another place",
          "_bmad/out.md": "the link is broken",
          "_bmad/pipe": "it is neither a file nor a folder",
        },
      );
      assert.equal(origins[0].things, 1);
    }),
});

Deno.test(
  verifies("errors:unserved-named", "the doctor calls nothing unserved that is served"),
  () =>
    withTree(
      { "_bmad/render/agents/painter.md": "# Painter\n", "_bmad/render/.hidden": "x\n" },
      async (dir) => {
        const { stdout } = await runHere(["doctor", "--mode", "local", "--json"], { cwd: dir });
        const { content: { unserved } } = JSON.parse(stdout);
        assert.deepEqual(unserved.map(({ path }: Record<string, string>) => path), ["_bmad/render/.hidden"]);
        assert.equal((await runHere(["show", "render/painter", "--mode", "local"], { cwd: dir })).code, 0);
      },
    ),
);

Deno.test(
  verifies("errors:unserved-named", "a folder with nothing but files of its own has content"),
  () =>
    withTree({ "_bmad/lonely.md": "# Lonely\n" }, async (dir) => {
      const { code, stdout } = await runHere(["doctor", "--mode", "local"], { cwd: dir });
      assert.equal(code, 0, stdout);
      assert.match(stdout, /1 project +\S+: no items, only other files, v6: hand-written/);
      assert.doesNotMatch(stdout, /no content|not served|No BMAD content/);
    }),
);

/** Copies that we keep, and those that BMAD's installer keeps. */
const COPIES = {
  "home/.bmad/cache/git/copy/agents/x.md": "# X\n",
  "home/.bmad/cache/external-modules/cis/README.md": "# CIS\n",
};

for (
  const { name, version } of [
    { name: "written by hand", version: undefined },
    { name: "installed", version: "6.0.4" },
  ] as const
) {
  Deno.test(
    verifies("errors:unserved-named", `the copies of repositories are no part of what is ${name}`),
    () =>
      withTree({ ...COPIES, "home/.bmad/cards/cache/note.md": "# Note\n" }, async (dir) => {
        if (version !== undefined) {
          await copyTree(
            `${await installation({ version, tools: "claude-code" })}/_bmad`,
            `${dir}/home/.bmad`,
          );
        }
        const run = (...args: readonly string[]) =>
          runHere([...args, "--json"], { cwd: dir, env: { HOME: `${dir}/home` } });
        const { content: { unserved } } = JSON.parse((await run("doctor")).stdout);
        const listed = JSON.parse((await run("list", "resources", "--limit", "5000")).stdout);
        const named = JSON.stringify([unserved, listed]);
        assert.doesNotMatch(named, /cache\/(?:git|external-modules)|"cache"/);
        // A folder of the user's own with that name is one like any other.
        assert.match(named, /cards\/cache\/note\.md/);
        const { code, stderr } = await run("show", "bmad://cache/git/copy/agents/x.md");
        assert.notEqual(code, 0, stderr);
      }),
  );
}

Deno.test(verifies("errors:unserved-named", "every file of a random folder is served or named"), async () => {
  const { served, named } = await fuzzFolders(40, 7);
  assert.ok(served > 100 && named > 50, `${served} served, ${named} named`);
});
