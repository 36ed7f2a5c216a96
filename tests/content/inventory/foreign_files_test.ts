/**
 * Are a project's own files left alone? Projects have folders called `agents`, files called `config.yaml` and skills
 * of their own. None of it is ours to serve, and neither is what a link points to outside the tree.
 */
import assert from "node:assert/strict";
import { readInventory } from "../../../src/content/inventory/mod.ts";
import { diskTree } from "../../../src/content/tree/mod.ts";
import { type Files, inventoryOf, namesOf, skill } from "../../support/inventories.ts";
import { treeTest } from "../../support/trees.ts";

const PROJECT: Files = {
  "package.json": '{"name": "shop", "version": "0.0.1"}',
  "README.md": "# Shop\n",
  "src/index.ts": "export {};\n",
  "src/skills/readme.md": "Ours.\n",
  "skills/z/SKILL.md": skill("z"),
  "packages/app/agents/x.md": "# X\n",
  "packages/app/skills/z/SKILL.md": skill("z"),
  "agents/helper.md": "# Our helper\n\n```yaml\nagent: {name: X}\n```\n",
  "tasks/todo.md": "# Todo\n",
  "workflows/ci.yaml": "name: CI\n",
  "node_modules/bmad-method/src/module.yaml": "code: bmm\n",
  "node_modules/bmad-method/src/bmad-map/SKILL.md": skill("bmad-map"),
  ".claude/skills/my-own/SKILL.md": skill("my-own"),
  ".claude/agents/reviewer.md": "Reviews.\n",
  ".github/workflows/ci.yml": "on: push\n",
  "_bmad-output/prd.md": "# PRD\n",
};

Deno.test("a project without a BMAD root yields nothing [origins:foreign-files]", async () => {
  const nothing = { roots: [], modules: [], items: [], mounts: [], diagnostics: [] };
  assert.deepEqual(await inventoryOf(PROJECT), nothing);
  assert.deepEqual(await inventoryOf({}), nothing);
  assert.deepEqual(await inventoryOf({ "_bmad/": "", ".bmad-core/agents/": "", "src/": "" }), nothing);
});

Deno.test(
  "a project with agents and a config.yaml is left [origins:foreign-files]",
  async () => assert.deepEqual((await inventoryOf({ ...PROJECT, "config.yaml": "port: 80\n" })).roots, []),
);

Deno.test("a module at the top excludes tools' skills [origins:foreign-files]", async () => {
  const inventory = await inventoryOf({
    "module.yaml": "code: fw\n",
    "skills/bmad-map/SKILL.md": skill("bmad-map"),
    ".claude/skills/my-own/SKILL.md": skill("my-own"),
  });
  assert.deepEqual(namesOf(inventory), ["fw/skill/bmad-map"]);
});

treeTest("a link out of the tree is skipped and reported [rights:symlink-refused]", {
  "outside/bmad-far/SKILL.md": skill("bmad-far"),
  "project/bmad-map/SKILL.md": skill("bmad-map"),
  "project/bmad-far": { link: "../outside/bmad-far" },
}, async (dir) => {
  const inventory = await readInventory(diskTree(`${dir}/project`));
  assert.deepEqual(namesOf(inventory), ["skills/skill/bmad-map"]);
  assert.deepEqual(inventory.diagnostics, [{
    level: "warning",
    code: "link-refused",
    message: "skipped: the link points outside the served folder",
    path: "bmad-far",
  }]);
});
