/** Is an installation of thousands of items read fast, and is nothing lost by that? */
import assert from "node:assert/strict";
import { readInventory, surveyTree } from "../../../src/content/inventory/mod.ts";
import { diagnose, openLibrary } from "../../../src/content/library/mod.ts";
import { diskTree, type Tree } from "../../../src/content/tree/mod.ts";
import { treeTest } from "../../support/trees.ts";

const COUNT = 2_100;
const MANIFEST = "bmad/_cfg/workflow-manifest.csv";
const HEAD = "name,description,module,path\n";
const fileOf = (at: number) => `bmad/bmm/workflows/flow-${at}/workflow.yaml`;
const NUMBERS = Array.from({ length: COUNT }, (_, at) => at);
const ROWS = NUMBERS.map((at) => `"flow-${at}","Workflow number ${at}","bmm","${fileOf(at)}"\n`).join("");

/** A tree that counts how often the manifest is read, and how often files are asked for. */
function counting(dir: string): { readonly tree: Tree; readonly count: { read: number; asked: number } } {
  const count = { read: 0, asked: 0 };
  const tree = diskTree(dir);
  const read: Tree["read"] = (path) => {
    if (path === MANIFEST) count.read++;
    return tree.read(path);
  };
  const hasFile: Tree["hasFile"] = (path) => {
    count.asked++;
    return tree.hasFile(path);
  };
  return { tree: { ...tree, read, hasFile }, count };
}

treeTest("thousands of workflows", {
  "bmad/_cfg/manifest.yaml": "installation:\n  version: 6.0.0-alpha.7\nmodules: [bmm]\n",
  [MANIFEST]: `${HEAD}${ROWS}"broken`,
  ...Object.fromEntries(NUMBERS.map((at) => [fileOf(at), `name: flow-${at}\n`])),
}, async (dir, t) => {
  await t.step("a manifest that was counted is not read again [start:large]", async () => {
    const { tree, count } = counting(dir);
    const { estimate } = await surveyTree(tree);
    const inventory = await readInventory(tree);
    assert.deepEqual([estimate?.workflows, count.read], [COUNT, 1]);
    assert.deepEqual(inventory, await readInventory(diskTree(dir)));
    assert.ok(inventory.diagnostics.some(({ message }) => message.includes("unclosed quote")));
  });

  await t.step("a manifest that has changed since then is [start:large]", async () => {
    await Deno.writeTextFile(`${dir}/${MANIFEST}`, HEAD + ROWS);
    const { tree } = counting(dir);
    await surveyTree(tree);
    await readInventory(tree);
    await Deno.writeTextFile(`${dir}/${MANIFEST}`, HEAD + ROWS.replace("Workflow number 0", "Changed"));
    const [first] = (await readInventory(tree)).items;
    assert.equal(first!.description, "Changed");
  });

  await t.step("only some files are asked for; the scan knows all [start:large]", async () => {
    for (const at of [0, COUNT - 1]) await Deno.remove(`${dir}/${fileOf(at)}`);
    await Deno.remove(`${dir}/bmad/bmm/workflows/flow-${COUNT - 2}`, { recursive: true });
    const { tree, count } = counting(dir);
    const inventory = await readInventory(tree);
    assert.ok(count.asked < COUNT - 50, `${count.asked}`);
    const missing = inventory.items.filter(({ status }) => status === "no-file-found").map(({ id }) => id);
    assert.deepEqual(missing, ["flow-0", `flow-${COUNT - 2}`]);
    const origin = { id: "project", kind: "project", location: dir, priority: 1 } as const;
    const library = await openLibrary([{ origin, tree, use: "project", inventory }]);
    const found = (await diagnose(library)).filter(({ code }) => code === "no-file-found");
    assert.deepEqual(found.map(({ path }) => path), ["bmad/_cfg", fileOf(COUNT - 1)]);
  });
});
