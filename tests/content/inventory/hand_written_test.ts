/** Is content found that no installer created, at whichever level somebody points to it? */
import assert from "node:assert/strict";
import { readInventory } from "../../../src/content/inventory/mod.ts";
import {
  diagnose,
  executeEntry,
  openLibrary,
  readEntry,
  resolveEntry,
} from "../../../src/content/library/mod.ts";
import { diskTree } from "../../../src/content/tree/mod.ts";
import * as ids from "../../support/ids.ts";
import { installation, sourceTree } from "../../support/installs.ts";
import { opening, openOrigins, openProject, projectTest, withProject } from "../../support/library.ts";
import { runHere } from "../../support/program.ts";
import { below, type Files, inventoryOf, namesOf, rootsOf } from "../../support/inventories.ts";
import { copyTree, treeTest, withTree } from "../../support/trees.ts";

const ARCHITECT = "---\ndescription: Our own.\n---\n\n# House Architect\n\nYou know our house.\n";
const SKILL = "---\nname: z\ndescription: Does z.\n---\n\nBody.\n";
const WORKFLOW = "name: y\ndescription: Does y.\n";

const FLAT: Files = {
  "agents/x.md": ARCHITECT,
  "workflows/y/workflow.yaml": WORKFLOW,
  "skills/z/SKILL.md": SKILL,
};

Deno.test("a root with agents and workflows inside is read [origins:flat-root]", async () => {
  const things = ["custom/agent/x", "custom/workflow/y", "custom/skill/z"];
  const named = await inventoryOf(FLAT, "named");
  assert.deepEqual([rootsOf(named), namesOf(named)], [["hand-written: "], things]);
  for (const root of ["bmad", ".bmad", "_bmad"]) {
    for (const use of ["project", "named"] as const) {
      const inventory = await inventoryOf(below(root, FLAT), use);
      assert.deepEqual([rootsOf(inventory), namesOf(inventory)], [[`hand-written: ${root}`], things], use);
    }
  }
  for (const [path, text] of Object.entries(FLAT)) {
    assert.equal((await inventoryOf({ [path]: text }, "named")).items.length, 1, path);
  }
});

Deno.test("a path may be a project, its root or one module [origins:path-levels]", async (t) => {
  const project = await installation("6.0.4");
  const read = (dir: string) => readInventory(diskTree(dir), "named");

  await t.step("a project", async () => {
    const inventory = await read(project);
    assert.deepEqual(rootsOf(inventory), ["compiled: _bmad"]);
    assert.deepEqual(ids.shelvesOf(inventory.items), ids.V6_0_4);
  });

  await t.step("the root", async () => {
    const inventory = await read(`${project}/_bmad`);
    assert.deepEqual(rootsOf(inventory), ["compiled: "]);
    assert.deepEqual(ids.shelvesOf(inventory.items), ids.V6_0_4);
    assert.equal(inventory.roots[0]?.version, "6.0.4");
    const library = await openLibrary([opening("cli", 1, `${project}/_bmad`)], {});
    for (const entry of library.effective) await executeEntry(library, entry, {});
    assert.equal(resolveEntry(library, { name: "pm" }).file, "bmm/agents/pm.md");
  });

  await t.step("one module", async () => {
    const inventory = await read(`${project}/_bmad/bmm`);
    assert.deepEqual(ids.shelvesOf(inventory.items), { bmm: ids.V6_0_4["bmm"] });
  });

  await t.step("a project, a root and a module of other generations", async () => {
    const v4 = await installation("4.44.3");
    for (const dir of [v4, `${v4}/.bmad-core`]) {
      assert.deepEqual(ids.shelvesOf((await read(dir)).items, ids.V4_KINDS), ids.V4_CORE, dir);
    }
    for (const version of ["6.1.0", "6.2.0", "6.12.0"] as const) {
      const shelves = { "6.1.0": ids.V6_1_0, "6.2.0": ids.V6_2_0, "6.12.0": ids.V6_12_0 }[version];
      const dir = await installation(version);
      assert.deepEqual(ids.shelvesOf((await read(dir)).items), shelves, version);
    }
    const source = await sourceTree("bmad-method@6.12.0");
    for (const dir of [source, `${source}/src`]) {
      assert.deepEqual(ids.shelvesOf((await read(dir)).items), ids.V6_12_0_SHIMS);
    }
    const module = await read(`${source}/src/bmm-skills`);
    assert.deepEqual(ids.shelvesOf(module.items), { bmm: ids.V6_12_0_SHIMS["bmm"] });
  });
});

Deno.test("a workflow described in two files of one folder is one item", async () => {
  const inventory = await inventoryOf({
    "bmad/fw/workflows/y/workflow.yaml": WORKFLOW,
    "bmad/fw/workflows/y/workflow.md": "# Steps of it\n",
    "bmad/fw/workflows/told/workflow.md": "# Only told\n",
  });
  assert.deepEqual(namesOf(inventory), ["fw/workflow/told", "fw/workflow/y"]);
});

Deno.test("a plain text beside an installation is one [origins:no-manifest-needed]", async () => {
  for (const version of ["6.0.4", "6.1.0", "6.12.0"] as const) {
    const project = await installation(version);
    await withTree({ "_bmad/bmm/agents/house-keeper.md": ARCHITECT }, async (dir) => {
      await copyTree(project, dir);
      const library = await openProject(dir);
      const entry = resolveEntry(library, { name: "house-keeper", kind: "agent" });
      assert.deepEqual([entry.file, entry.title], ["_bmad/bmm/agents/house-keeper.md", "House Architect"]);
      assert.match(await executeEntry(library, entry, {}), /You know our house\./, version);
    });
  }
});

const LISTED_SKILL: Files = {
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
    '"bmad-map","bmad-map","x","m","_bmad/m/skills/bmad-map/SKILL.md"\n',
  "_bmad/m/skills/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws.\n---\n",
};
const NO_AGENTS: Files = { "_bmad/_config/agent-manifest.csv": "name,module,path\n" };

/** What may lie beside own skills, and the item that it adds. */
const BESIDE: Readonly<Record<string, readonly [files: Files, item?: string]>> = {
  "no manifest": [{}],
  "a manifest of agents": [NO_AGENTS],
  "a manifest of skills": [LISTED_SKILL, "m/skill/bmad-map"],
  "manifests of agents and skills": [{ ...NO_AGENTS, ...LISTED_SKILL }, "m/skill/bmad-map"],
  "skills of a coding tool": [{ ".claude/skills/bmad-map/SKILL.md": SKILL }, "skills/skill/bmad-map"],
};

for (const [name, [files, item]] of Object.entries(BESIDE)) {
  Deno.test(`a module's own skills are found: ${name} [origins:no-manifest-needed]`, async () => {
    const inventory = await inventoryOf({
      "_bmad/m/config.yaml": "user_name: A\n",
      "_bmad/m/module-help.csv": "module,phase,name,code\nm,anytime,X,X\n",
      ...below("_bmad/m", FLAT),
      "_bmad/mine/skills/group/z/SKILL.md": SKILL,
      ...files,
    });
    assert.deepEqual(
      namesOf(inventory).toSorted(),
      [...(item === undefined ? [] : [item]), "m/agent/x", "m/skill/z", "m/workflow/y", "mine/skill/z"]
        .toSorted(),
    );
  });
}

projectTest("an item whose file was deleted is missing, and nothing else does its work [names:no-stand-in]", {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.4\n",
  "_bmad/_config/workflow-manifest.csv": [
    "name,description,module,path",
    "dev-story,Old,bmm,_bmad/bmm/workflows/dev-story/workflow.yaml",
    "build,New,bmm,_bmad/bmm/workflows/build/workflow.yaml",
    "",
  ].join("\n"),
  "_bmad/bmm/workflows/build/workflow.yaml": "name: build\n",
}, (library) =>
  assert.throws(() => resolveEntry(library, { name: "dev-story" }), {
    message: /lists it, but its file is missing; workflows here: build$/,
  }));

Deno.test("a workflow needs no folder and no fixed name [origins:own-workflows]", async () => {
  const described = "---\ndescription: Lands it.\n---\n\n# Land\n";
  const files: Files = {
    "workflows/ship.yaml": "description: Ships it.\n",
    "workflows/ship.md": "# How to ship\n",
    "workflows/land.md": described,
    "workflows/rise-workflow.yml": "description: Rises.\n",
    "workflows/air/fly-workflow.yaml": "name: Fly\ndescription: Flies.\n",
    "workflows/README.md": "# About these\n",
    // What lies in a workflow's own folder is a part of it.
    "workflows/y/workflow.yaml": WORKFLOW,
    "workflows/y/deep/scan-workflow.md": described,
    "workflows/y/notes.md": "# Notes\n",
  };
  const inventory = await inventoryOf(below("_bmad/bmm", files));
  const found = inventory.items.map(({ id, description, ownsFolder, file }) =>
    [id, description, ownsFolder, file.slice("_bmad/bmm/workflows/".length)].join(" | ")
  );
  assert.deepEqual(found.toSorted(), [
    "fly | Flies. | true | air/fly-workflow.yaml",
    "land | Lands it. | false | land.md",
    "rise | Rises. | false | rise-workflow.yml",
    "ship | Ships it. | false | ship.yaml",
    "y | Does y. | true | y/workflow.yaml",
  ]);
  const library = await withProject(
    below("_bmad/bmm", files),
    async (library) => {
      assert.match(
        await executeEntry(library, resolveEntry(library, { name: "land" }), {}),
        /# Land/,
      );
      return library;
    },
  );
  assert.equal(library.diagnostics.length, 0);
});

treeTest("a workflow with another's name wins, and says so under any [origins:own-note]", {
  "project/_bmad/bmm/workflows/map.md": "---\nname: map\ndescription: Our map\n---\n\n# Ours\n",
  "team/bmm/module.yaml": "code: bmm\n",
  "team/bmm/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws maps\n---\n\n# Theirs\n",
}, async (dir) => {
  const library = await openOrigins(dir, { project: "project", cli: "team" });
  const note = "map of cli is overridden by bmm/map";
  for (const asked of ["map", "bmad-map", "bmm/map"]) {
    const entry = resolveEntry(library, { name: asked });
    assert.equal(entry.file, "_bmad/bmm/workflows/map.md", asked);
    assert.ok((await executeEntry(library, entry, { asked })).includes(`\nnote: ${note}\n`), asked);
    const { text, data, sheet } = await readEntry(library, entry, asked);
    assert.ok(text.includes(`\nnote: ${note}\n`), asked);
    assert.equal(data["note"], note);
    assert.deepEqual(sheet.filter(({ label }) => label === "note"), [{ label: "note", text: note }]);
  }
  const below = resolveEntry(library, { name: "map", origin: "cli" });
  assert.equal((await readEntry(library, below, "map")).data["note"], undefined);
});

treeTest("a name shared with a hand-written item says both have it [origins:own-note]", {
  "project/_bmad/workflows/bmad-map.md": "---\nname: bmad-map\ndescription: Our map\n---\n\n# Ours\n",
  "project/_bmad/mine/agents/scout.md": "---\nname: scout\ndescription: Our scout\n---\n\n# Ours\n",
  "team/bmm/module.yaml": "code: bmm\n",
  "team/bmm/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws maps\n---\n\n# Theirs\n",
  "team/bmm/bmad-agent-scout/SKILL.md":
    "---\nname: bmad-agent-scout\ndescription: Looks around\n---\n\n# Scout\n",
  "team/bmm/bmad-agent-scout/customize.toml": '[agent]\nname = "Rex"\n',
}, async (dir) => {
  const library = await openOrigins(dir, { project: "project", cli: "team" });
  const noteOf = async (asked: string) => {
    const { data } = await readEntry(library, resolveEntry(library, { name: asked }), asked);
    return [data["module"], data["note"]];
  };
  assert.deepEqual(await noteOf("bmad-map"), [
    "custom",
    '"bmad-map" is also a name of bmm/bmad-map (cli)',
  ]);
  assert.deepEqual(await noteOf("scout"), [
    "mine",
    '"scout" is also a name of bmm/bmad-agent-scout (cli)',
  ]);
  for (const asked of ["custom/bmad-map", "bmm/bmad-map", "mine/scout", "Rex"]) {
    assert.equal((await noteOf(asked))[1], undefined, asked);
  }
});

Deno.test("a row of a manifest may name a workflow's folder [origins:own-workflows]", async () => {
  const { items, diagnostics } = await inventoryOf({
    "_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.4\n",
    "_bmad/_config/workflow-manifest.csv": [
      "name,description,module,path",
      "y,Does y,bmm,_bmad/bmm/workflows/y",
      "fly,Flies,bmm,_bmad/bmm/workflows/fly/",
      "ship,Ships,bmm,_bmad/bmm/workflows/ship",
      "gone,Is gone,bmm,_bmad/bmm/workflows/gone",
      "",
    ].join("\n"),
    "_bmad/bmm/workflows/y/workflow.md": "# Y\n",
    "_bmad/bmm/workflows/fly/fly-workflow.yaml": "name: fly\n",
    "_bmad/bmm/workflows/ship.yaml": "name: ship\n",
    "_bmad/bmm/workflows/own.md": "---\nname: own\n---\n",
  });
  const found = items.map(({ id, status, file }) => `${id} ${status} ${file.slice(20)}`);
  assert.deepEqual(found.toSorted(), [
    "fly verified fly/fly-workflow.yaml",
    "gone no-file-found gone",
    "own not-in-manifest own.md",
    "ship verified ship.yaml",
    "y verified y/workflow.md",
  ]);
  assert.deepEqual(diagnostics.map(({ code }) => code), ["no-file-found"]);
});

Deno.test("6.0.0-alpha.8 to 16 are found under any name [origins:project-roots]", async () => {
  const compiled = `${await sourceTree("bmad-method@6.0.0-alpha.7")}/bmad`;
  for (const root of [".bmad", "_bmad", "our.method", ".ai"]) {
    await withTree({}, async (dir) => {
      await copyTree(compiled, `${dir}/${root}`);
      const inventory = await readInventory(diskTree(dir));
      assert.deepEqual(rootsOf(inventory), [`compiled: ${root}`]);
      assert.deepEqual(ids.shelvesOf(inventory.items), ids.ALPHA_7_COMPILED);
      assert.deepEqual(inventory.items.filter(({ status }) => status !== "verified"), []);
    });
  }
});

treeTest("what has BMAD's own id, with its prefix, overrides it [origins:own-note]", {
  "project/_bmad/bmm/workflows/bmad-prd.md": "---\nname: bmad-prd\ndescription: Mine\n---\n\n# Mine\n",
  "team/bmm/module.yaml": "code: bmm\n",
  "team/bmm/bmad-prd/SKILL.md": "---\nname: bmad-prd\ndescription: Theirs\n---\n",
}, async (dir) => {
  const library = await openOrigins(dir, { project: "project", cli: "team" });
  assert.deepEqual(library.effective.map(({ id, description }) => `${id}: ${description}`).sort(), [
    "bmad-prd: Mine",
  ]);
  for (const name of ["prd", "bmad-prd", "bmm/prd", "create-prd"]) {
    assert.equal(resolveEntry(library, { name }).origin.id, "project", name);
  }
});

Deno.test("paths that name each other are filled in up to a limit [content:bounded]", () => {
  const lines = Array.from({ length: 5_000 }, (_, at) => `- \`k${at}\` = \`{b1}\``);
  const text = ["---", "name: bomb", "---", `- \`b0\` = \`{project-root}${"y".repeat(480)}\``];
  text.push(`- \`b1\` = \`${"{b0}".repeat(19)}\``, ...lines);
  return withProject({ "_bmad/mm/workflows/bomb/workflow.md": text.join("\n") }, async (library) => {
    const { length } = await executeEntry(library, resolveEntry(library, { name: "bomb" }), {});
    assert.ok(length < 500_000, `${length}`);
  });
});

treeTest("of two files with one name, the second is reported [origins:own-workflows]", {
  "_bmad/m/workflows/a.yaml": "name: clash\n",
  "_bmad/m/workflows/b.yaml": "name: clash\n",
}, async (dir) => {
  const found = await diagnose(await openLibrary([opening("project", 1, dir)]));
  assert.deepEqual(found.map(({ path, message }) => `${path} ${message}`), [
    "_bmad/m/workflows/b.yaml is served only as a file: _bmad/m/workflows/a.yaml already has the name m/clash",
  ]);
});

treeTest("a hidden file is no item, whatever its ending [errors:unserved-named]", {
  "_bmad/m/agents/.md": "x",
  "_bmad/m/agents/.draft.md": "x",
  "_bmad/m/agents/ok.md": "You help.\n",
  "_bmad/m/workflows/.yaml": "name: x\n",
  "_bmad/m/tasks/.md": "x",
}, async (dir) => {
  const { stdout } = await runHere(["list", "agents", "--mode", "local"], { cwd: dir });
  assert.match(stdout, /^m\/ok\t.*\n$/);
  for (const kind of ["workflows", "tasks"]) {
    assert.equal((await runHere(["list", kind, "--mode", "local"], { cwd: dir })).stdout, "", kind);
  }
  const { stdout: report } = await runHere(["doctor", "--mode", "local"], { cwd: dir });
  assert.match(report, /agents\/\.md.* \(project\): it is hidden/);
});
