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
