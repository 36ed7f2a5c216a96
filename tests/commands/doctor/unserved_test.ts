/**
 * Is every file in a BMAD folder either served, or named by the doctor with the reason?
 *
 * tests/soak/folder_fuzz.ts makes folders as people might write them; the soak tries many more of them.
 */
import assert from "node:assert/strict";
import { fuzzFolders } from "../../soak/folder_fuzz.ts";
import { runHere } from "../../support/program.ts";
import { verifies } from "../../support/requirements.ts";
import { withTree } from "../../support/trees.ts";

Deno.test(
  verifies("errors:unserved-named", "the doctor names what is not served, with the reason"),
  () =>
    withTree({
      "_bmad/bmm/agents/keeper.md": "# Keeper\n",
      "_bmad/.hidden": "x\n",
      "_bmad/data/credentials.json": "{}\n",
      "_bmad/data/cards.db": "x",
      "_bmad/node_modules/x/index.js": "1\n",
      "_bmad/cache/git/copy/agents/x.md": "# X\n",
      "bmad/src/main.py": "print(1)\n",
    }, async (dir) => {
      const { stdout } = await runHere(["doctor", "--mode", "local", "--json"], { cwd: dir });
      const { content: { unserved } } = JSON.parse(stdout);
      const reasons = Object.fromEntries(
        unserved.map(({ path, reason }: Record<string, string>) => [path, reason]),
      );
      assert.deepEqual(Object.keys(reasons).sort(), [
        "_bmad/.hidden",
        "_bmad/cache",
        "_bmad/data/cards.db",
        "_bmad/data/credentials.json",
        "_bmad/node_modules",
        "bmad/src",
      ]);
      assert.match(reasons["_bmad/.hidden"], /hidden/);
      assert.match(reasons["_bmad/cache"], /repositories/);
      assert.match(reasons["_bmad/data/cards.db"], /database/);
      assert.match(reasons["_bmad/data/credentials.json"], /secrets/);
      assert.match(reasons["_bmad/node_modules"], /program/);
      assert.match(reasons["bmad/src"], /project's own/);
      const text = await runHere(["doctor", "--mode", "local"], { cwd: dir });
      assert.match(text.stdout, /not served +project: it is hidden: _bmad\/\.hidden\n/);
    }),
);

Deno.test(verifies("errors:unserved-named", "every file of a random folder is served or named"), async () => {
  const { served, named } = await fuzzFolders(40, 7);
  assert.ok(served > 100 && named > 50, `${served} served, ${named} named`);
});
