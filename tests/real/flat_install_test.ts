/** Is what `npx skills` installs served, wherever it puts it? */
import assert from "node:assert/strict";
import type { Inventory, TreeUse } from "../../src/base/model.ts";
import { readInventory } from "../../src/content/inventory/mod.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import { allItems, headLine, say } from "../support/answers.ts";
import { clientHere } from "../support/client.ts";
import { FLAT_FORMS, flatNames, flatSource } from "../support/flat.ts";
import { installation, runSkills } from "../support/installs.ts";
import { copyTree, treeTest, withTree, writeTree } from "../support/trees.ts";

const AGENTS = ["Dex", "Penny", "Tess"];

const namesOf = ({ items }: Inventory) => items.map(({ module, id }) => `${module}/${id}`).sort();

async function install(dir: string, ...args: readonly string[]): Promise<void> {
  for (const folder of ["project", "home"]) await Deno.mkdir(`${dir}/${folder}`, { recursive: true });
  const where = { directory: `${dir}/project`, home: `${dir}/home` };
  const skills = args.includes("-s") ? [] : ["-s", "*"];
  await runSkills(["add", "../source", ...skills, ...args, "-y"], where);
}

const SOURCE = Object.fromEntries(
  Object.entries(flatSource("tickets")).map(([path, text]) => [`source/${path}`, text]),
);

/** Without a tool each skill is copied for all of them, about seventy times, so that two, with their records, stand for all. */
const FEW = ["bmad-review", "bmod-core-tools", "bmad-tea", "bmod-tea"];

/** The arguments, the folder that is read first, and how many copies of each skill there are. */
const SHAPES: Readonly<Record<string, readonly [args: readonly string[], first: string, copies: number]>> = {
  "one target": [["-a", "claude-code"], ".claude/skills", 1],
  "the target that most tools share": [["-a", "cursor"], ".agents/skills", 1],
  "two targets, links in one": [["-a", "claude-code", "cursor"], ".agents/skills", 2],
  "two targets, copies": [["-a", "claude-code", "cursor", "--copy"], ".agents/skills", 2],
  "no tool found": [["-s", ...FEW], ".agents/skills", 3],
};

Deno.test("all targets give the same items [origins:flat-skills, origins:flat-places]", async (t) => {
  for (const [shape, [args, first, copies]] of Object.entries(SHAPES)) {
    await t.step(shape, () =>
      withTree(SOURCE, async (dir) => {
        await install(dir, ...args);
        const inventory = await readInventory(diskTree(`${dir}/project`));
        const wanted = flatNames("tickets").filter((name) =>
          !args.includes("-s") || FEW.includes(name.replace(/^.*\//, ""))
        );
        assert.deepEqual(namesOf(inventory), wanted);
        assert.deepEqual(inventory.diagnostics, []);
        assert.equal(inventory.roots[0]!.path, first);
        assert.equal(inventory.roots.length, copies);
        assert.ok(inventory.items.every(({ folder }) => folder.startsWith(`${first}/`)));
      }));
  }
});

treeTest("skills that are installed for a user are that user's", SOURCE, async (dir, t) => {
  await install(dir, "-g", "-a", "claude-code", "cursor");
  await t.step("the folder with the links points to the other one", async () => {
    const use: TreeUse = "shared";
    const [links, real] = await Promise.all(
      [".claude", ".agents"].map((tool) => readInventory(diskTree(`${dir}/home/${tool}/skills`), use)),
    );
    assert.deepEqual(namesOf(real!), flatNames("tickets"));
    assert.deepEqual(namesOf(links!), []);
  });
  await t.step("and nobody is told about these links", async () => {
    await using client = await clientHere({
      era: "2026",
      cwd: `${dir}/project`,
      env: { HOME: `${dir}/home` },
    });
    const agents = await allItems(client, { query: "agents" });
    assert.deepEqual(agents.map(({ displayName }) => displayName).sort(), AGENTS);
    const issues = (await allItems(client, { query: "doctor" })).filter(({ what }) => what === "diagnostic");
    assert.deepEqual(issues, []);
  });
});

Deno.test("over 6.12, only the new skills are live [origins:one-generation, origins:one-row]", async (t) => {
  const old = await installation("6.12.0");
  for (const target of ["claude-code", "cursor"]) {
    await t.step(`for ${target}`, () =>
      withTree(SOURCE, async (dir) => {
        await copyTree(old, `${dir}/project`);
        await install(dir, "-a", target);
        await using client = await clientHere({ era: "2026", cwd: `${dir}/project` });
        const skills = await allItems(client, { query: "skills" });
        const names = skills.map(({ module, id }) => `${module}/${id}`);
        assert.deepEqual(names.filter((name) => !/^(core|bmm)\//.test(name)).sort(), flatNames("tickets"));
        // The old skills that the small tree lacks stay; those that it has or has retired do not.
        const ids = skills.map(({ id }) => id);
        assert.equal(new Set(ids).size, ids.length);
        for (const gone of ["bmad-help", "bmad-sprint-planning", "bmad-create-epics-and-stories"]) {
          assert.ok(!ids.includes(gone), gone);
        }
        const agents = await allItems(client, { query: "agents" });
        const people = agents.map(({ displayName }) => displayName);
        assert.deepEqual(AGENTS.filter((name) => !people.includes(name)), []);
        assert.equal(new Set(agents.map(({ name }) => name)).size, agents.length);
        const help = await say(client, { operation: "execute", skill: "bmad-help" });
        assert.equal(headLine(help), "workflow: core-tools/bmad");
        assert.match(help, /\nnote: "bmad-help" is now core-tools\/bmad\n/);
      }));
  }
});

Deno.test("the forms that came before are read like the newest", async (t) => {
  for (const form of FLAT_FORMS.slice(0, -1)) {
    await t.step(form, () =>
      withTree({}, async (dir) => {
        await writeTree(`${dir}/source`, flatSource(form));
        await install(dir, "-a", "claude-code", "cursor");
        const inventory = await readInventory(diskTree(`${dir}/project`));
        assert.deepEqual(namesOf(inventory), flatNames(form));
        assert.deepEqual(inventory.diagnostics, []);
      }));
  }
});
