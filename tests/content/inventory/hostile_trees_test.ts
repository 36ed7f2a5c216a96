/** Does reading survive a tree that nobody would create on purpose? */
import assert from "node:assert/strict";
import { readInventory } from "../../../src/content/inventory/mod.ts";
import {
  diagnose,
  executeEntry,
  listFiles,
  openLibrary,
  readEntry,
  resolveEntry,
} from "../../../src/content/library/mod.ts";
import { diskTree } from "../../../src/content/tree/mod.ts";
import { opening, withProject } from "../../support/library.ts";
import { type Files, inventoryOf, namesOf, skill } from "../../support/inventories.ts";
import { withTree } from "../../support/trees.ts";

const workflow = (name: string) => `name: ${name}\ndescription: Does it.\n`;

const compiled = (rows: readonly string[] = []): Files => ({
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.4\nmodules: [bmm]\n",
  "_bmad/_config/workflow-manifest.csv": ["name,description,module,path", ...rows].join("\n"),
});

const deep = Array.from({ length: 200 }, () => "d").join("/");

Deno.test("folders nested 200 deep are followed to the end", async () => {
  const installed = await inventoryOf({
    ...compiled(),
    [`_bmad/bmm/workflows/${deep}/workflow.yaml`]: workflow("deep"),
  });
  assert.deepEqual(namesOf(installed), ["bmm/workflow/deep"]);
  const source = await inventoryOf({
    "module.yaml": "code: fw\n",
    [`${deep}/bmad-map/SKILL.md`]: skill("bmad-map"),
  });
  assert.deepEqual(namesOf(source), ["fw/skill/bmad-map"]);
  await withProject(
    { "bmad/fw/agents/x.md": "# X\n", [`bmad/fw/data/${deep}/note.md`]: "# Note\n" },
    (library) => {
      assert.equal(listFiles(library).filter(({ uri }) => uri.endsWith("/note.md")).length, 1);
    },
  );
});

Deno.test("circular links are followed once", async () => {
  const installed = await inventoryOf({
    ...compiled(),
    "_bmad/bmm/workflows/map/workflow.yaml": workflow("map"),
    "_bmad/bmm/workflows/again": { link: "../workflows" },
    "_bmad/bmm/workflows/map/up": { link: "../.." },
    "_bmad/bmm/agents": { link: "agents" },
    "_bmad/self": { link: "." },
  });
  assert.deepEqual(namesOf(installed), ["bmm/workflow/map"]);
  const source = await inventoryOf({
    "module.yaml": "code: fw\n",
    "plan/bmad-map/SKILL.md": skill("bmad-map"),
    "plan/one": { link: "../ship" },
    "ship/two": { link: "../plan" },
  });
  assert.deepEqual([...new Set(namesOf(source))], ["fw/skill/bmad-map"]);
});

Deno.test("20,000 files are all counted, and none is opened without need", () =>
  withTree(
    Object.fromEntries([
      ...Object.entries(compiled()),
      ...Array.from({ length: 10_000 }, (_, i) => [`_bmad/bmm/data/${i % 100}/${i}.txt`, "x"] as const),
      ...Array.from({ length: 9_000 }, (_, i) => [`src/app/${i % 100}/${i}.ts`, "x"] as const),
      ...Array.from({ length: 1_000 }, (_, i) => [`_bmad/bmm/tasks/task-${i}.md`, `# Task ${i}\n`] as const),
    ]),
    async (dir) => {
      const inventory = await readInventory(diskTree(dir));
      assert.equal(inventory.items.filter(({ kind }) => kind === "task").length, 1_000);
      assert.deepEqual(inventory.diagnostics, []);
      const library = await openLibrary([opening("project", 1, dir)]);
      assert.equal(resolveEntry(library, { name: "task-999" }).title, "Task 999");
      assert.ok(listFiles(library).length > 0);
    },
  ));

Deno.test("a Markdown file of 50 MB is listed, not read, and refused with its size on request", () => {
  const text = new Uint8Array(50 << 20).fill("x".charCodeAt(0));
  return withProject({
    ".bmad-core/core-config.yaml": "slashPrefix: x\n",
    ".bmad-core/agents/big.md": text,
    ".bmad-core/agents/small.md": "```yaml\nagent: {name: Rex, title: Scout}\n```\n",
    ".bmad-core/tasks/big.md": text,
    "_bmad/_config/skill-manifest.csv":
      'canonicalId,name,description,module,path\n"bmad-big","bmad-big","Told.","bmm","_bmad/bmm/bmad-big/SKILL.md"\n',
    ".claude/skills/bmad-big/SKILL.md": text,
  }, async (library) => {
    assert.deepEqual(library.effective.map(({ kind, id }) => `${kind} ${id}`), [
      "skill bmad-big",
      "agent big",
      "agent small",
    ]);
    const entry = resolveEntry(library, { name: "bmad-big" });
    assert.equal(entry.description, "Told.");
    await assert.rejects(
      executeEntry(library, entry, {}),
      /has 52428800 bytes, more than the maximum file size of 8388608/,
    );
    assert.ok((await readEntry(library, resolveEntry(library, { name: "small" }))).text.includes("Scout"));
    assert.ok((await diagnose(library)).some(({ path }) => path === ".bmad-core/agents/big.md"));
  });
});

Deno.test("names with line breaks, RTL marks and symbols are names like any others", {
  // Windows has no such names.
  ignore: Deno.build.os === "windows",
}, () =>
  withProject({
    ...compiled(),
    "_bmad/bmm/agents/new\nline.md": '<agent id="x" name="Rhea" title="Scout">\n</agent>\n',
    "_bmad/bmm/tasks/\u202Ethgir.md": "# Right\n",
    "_bmad/bmm/tasks/<b>&amp;.md": "# Bold\n",
    "_bmad/bmm/tasks/--flag.md": "# Flag\n",
    "_bmad/bmm/tasks/__proto__.md": "# Proto\n",
    "_bmad/bmm/tasks/constructor.md": "# Constructor\n",
    "_bmad/__proto__/tasks/x.md": "# X\n",
  }, async (library) => {
    assert.deepEqual(library.effective.map(({ module, id }) => `${module}/${id}`).sort(), [
      "__proto__/x",
      "bmm/--flag",
      "bmm/<b>&amp;",
      "bmm/__proto__",
      "bmm/constructor",
      "bmm/new\nline",
      "bmm/\u202Ethgir",
    ]);
    for (const entry of library.effective) {
      const { text } = await readEntry(library, entry);
      assert.ok(text.length > 0, entry.key);
      // What a name has in it must not become a line of the head that we write.
      const head = (await executeEntry(library, entry, {})).split("\n---\n")[0]!;
      assert.equal(head.split("\n").length, 2, JSON.stringify(entry.id));
    }
  }));

Deno.test("a manifest of 50,000 rows is read to its end", async () => {
  const rows = Array.from(
    { length: 50_000 },
    (_, i) =>
      `"flow-${i}","Does ""${i}"", really","bmm","_bmad/bmm/workflows/flow-${i % 10}/workflow-${i}.md"`,
  );
  const files = Object.fromEntries(
    Array.from({ length: 10 }, (_, i) =>
      [
        `_bmad/bmm/workflows/flow-${i}/workflow-${i}.md`,
        `---\nname: flow-${i}\ndescription: x\n---\n`,
      ] as const),
  );
  const { items, diagnostics } = await inventoryOf({ ...compiled(rows), ...files });
  assert.equal(items.length, 50_000);
  assert.equal(items[49_999]?.description, 'Does "49999", really');
  assert.equal(items.filter(({ status }) => status === "verified").length, 10);
  assert.deepEqual(diagnostics.map(({ message }) => message), [
    "49990 of 50000 rows in the manifests are missing (bmm/flow-10, bmm/flow-11, bmm/flow-12, …)",
  ]);
});
