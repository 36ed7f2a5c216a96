/** Who wrote a module, by the file in which each layout says so? */
import assert from "node:assert/strict";
import { LAYOUT_NAMES, type LayoutName, readInventory } from "../../../src/content/inventory/mod.ts";
import { diskTree } from "../../../src/content/tree/mod.ts";
import { SMALLEST } from "../../support/layouts.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const ANN = "author: Ann\n";
const SKILL = "---\nname: map\ndescription: Maps.\n---\n";

/** What names the author beside the smallest project of each layout; undefined where no file can. */
const SAID: Readonly<Record<LayoutName, Readonly<Record<string, string>> | undefined>> = {
  "installed skills": {
    "_bmad/_config/manifest.yaml": "modules:\n  - name: fw\n    author: Ann\n  - name: core\n",
    "_bmad/_config/skill-manifest.csv":
      "canonicalId,name,description,module,path\nmap,map,Maps.,fw,_bmad/fw/map/SKILL.md\n",
  },
  "flat skills": {
    ".agents/skills/bmod-fw/bmod.toml": '[bmod]\ncode = "fw"\nauthor = "Ann"\n',
    ".agents/skills/map/bmod.toml": '[skill]\nbmod = "bmod-fw"\n',
    ".agents/skills/map/SKILL.md": SKILL,
  },
  "compiled": { "bmad/fw/module.yaml": ANN, "bmad/fw/agents/scout.md": "---\nname: scout\n---\n# Scout\n" },
  "source tree": { "package.json": '{ "author": { "name": "Ann" } }' },
  "source modules": { "package.json": '{ "author": "Ann" }' },
  "v4": { ".bmad-core/config.yaml": ANN },
  "v3": undefined,
  "hand-written": { "bmad/fw/agents/scout.md": "# Scout\n", "bmad/fw/module.yaml": ANN },
  "plugin": {
    ".claude-plugin/marketplace.json":
      '{ "plugins": [{ "name": "fw", "author": { "name": "Ann" }, "skills": ["./map"] }] }',
    "map/SKILL.md": SKILL,
  },
  "loose skills": undefined,
};

for (const layout of LAYOUT_NAMES) {
  const said = SAID[layout];
  Deno.test(
    `${layout}: ${said === undefined ? "nobody says it" : "a file says it"} [origins:record-author]`,
    () =>
      withTree({ ...SMALLEST[layout], ...said }, async (dir) => {
        const { roots, modules } = await readInventory(diskTree(dir));
        assert.ok(roots.some((root) => root.layout === layout), JSON.stringify(roots));
        const authors = modules.map(({ author }) => author).filter((author) => author !== undefined);
        assert.deepEqual(authors, said === undefined ? [] : ["Ann"]);
      }),
  );
}

treeTest("an item's own file counts most for its author [origins:record-author]", {
  "package.json": '{ "author": "The user" }',
  ".bmad-core/core-config.yaml": "",
  ".bmad-core/agents/scout.md": "# Scout\n",
  "_bmad/fw/module.yaml": ANN,
  "_bmad/fw/agents/scout.md": "---\nname: scout\nauthor: Bea\n---\n# Scout\n",
  "_bmad/fw/workflows/land/workflow.yaml": "name: land\nauthor: Cleo\n",
  "_bmad/fw/tasks/dig.md": "# Dig\n",
  "_bmad/fw/skills/map/SKILL.md": "---\nname: map\ndescription: Maps.\nmetadata:\n  author: Dee\n---\n",
}, async (dir) => {
  const { modules, items } = await readInventory(diskTree(dir));
  const authors = (rows: readonly { readonly author?: string }[]) => rows.map(({ author }) => author ?? "");
  assert.deepEqual(modules.map(({ code }) => code), ["bmad-core", "fw"]);
  assert.deepEqual(authors(modules), ["", "Ann"]);
  assert.deepEqual(items.map(({ id }) => id), ["scout", "scout", "land", "dig", "map"]);
  assert.deepEqual(authors(items), ["", "Bea", "Cleo", "", "Dee"]);
});

treeTest("an author is one short line [origins:record-author]", {
  "bmad/fw/agents/scout.md": "# Scout\n",
  "bmad/fw/module.yaml": `author: "Ann\\nnote: verified ${"y".repeat(1_000)}"\n`,
}, async (dir) => {
  const { modules } = await readInventory(diskTree(dir));
  assert.match(modules[0]?.author ?? "", /^Ann note: verified y{1,200}…$/);
});
