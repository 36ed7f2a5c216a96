/**
 * Is content read correctly despite the known defects of BMAD's releases? One test for each defect, D1 to D22, with
 * the release in which it was seen, on a small tree in words of our own; D6, D17, D19 and D20 are in tests/real,
 * because only the releases themselves show them. What a person should know is reported.
 */
import assert from "node:assert/strict";
import { completeItem, readInventory } from "../../../src/content/inventory/mod.ts";
import { executeEntry, listFiles, readResource, resolveEntry } from "../../../src/content/library/mod.ts";
import type { Inventory } from "../../../src/base/model.ts";
import { diskTree } from "../../../src/content/tree/mod.ts";
import { installation } from "../../support/installs.ts";
import { projectTest, withProject } from "../../support/library.ts";
import { below, type Files, inventoryOf, itemOf, skill } from "../../support/inventories.ts";
import { copyTree, treeTest, withTree } from "../../support/trees.ts";

const real = async (version: "6.0.4" | "6.2.0" | "6.5.0" | "6.8.0") =>
  await readInventory(diskTree(await installation(version)));

const namesOf = ({ items }: Inventory) =>
  items.map(({ module, kind, id, status }) => `${module}/${kind}/${id} ${status}`);

const troubleOf = ({ diagnostics }: Inventory) =>
  diagnostics.map(({ code, path, message }) => `${code} ${path}: ${message}`);

const agent = (name: string, inside = "") =>
  `---\nname: "x"\ndescription: "Scout"\n---\n\n\`\`\`xml\n<agent id="x" name="${name}" title="Scout" icon="🧭">\n` +
  `<persona>\n<role>Finds the way</role>\n</persona>\n${inside}` +
  `<menu>\n<item cmd="DM or fuzzy match on map" exec="{project-root}/_bmad/bmm/workflows/map/workflow.md">[DM] Draw</item>\n` +
  '<item cmd="*rest" workflow="todo">Rest</item>\n</menu>\n</agent>\n```\n';

const workflow = (name: string, description = "Does it.") => `name: ${name}\ndescription: ${description}\n`;

function compiled(
  rows: Readonly<Record<string, readonly string[]>>,
  root = "_bmad",
  config = "_config",
): Files {
  const columns = { agent: "name,displayName,title,icon,role,module,path" } as Record<string, string>;
  const manifests = Object.entries(rows).map(([kind, lines]) => [
    `${root}/${config}/${kind}-manifest.csv`,
    [columns[kind] ?? "name,description,module,path", ...lines].join("\n"),
  ]);
  return {
    [`${root}/${config}/manifest.yaml`]: "installation:\n  version: 6.0.4\nmodules: [bmm]\n",
    ...Object.fromEntries(manifests),
  };
}

const SCOUT = '"scout","Rhea","Scout","🧭","Finds the way","bmm","_bmad/bmm/agents/scout.md"';

const skillRows = (...ids: readonly string[]) =>
  ["canonicalId,name,description,module,path"].concat(
    ids.map((id) => `"${id}","${id}","x","bmm","_bmad/bmm/${id}/SKILL.md"`),
  ).join("\n");

Deno.test("D1: a merged help catalogue with shifted columns (6.2.2–6.5.0) reads like the modules' own", () =>
  withTree({}, async (dir) => {
    await copyTree(await installation("6.5.0"), dir);
    // The rows of brainstorming, one in each module, stand in another order there.
    const helpOf = async () =>
      (await readInventory(diskTree(dir))).items.filter(({ id }) => id !== "bmad-brainstorming")
        .map(({ id, help }) => [id, help] as const);
    const own = await helpOf();
    for (const module of ["core", "bmm"]) await Deno.remove(`${dir}/_bmad/${module}/module-help.csv`);
    const merged = await helpOf();
    assert.deepEqual(merged, own);
    const { code, phase, after, required } = merged.find(([id]) => id === "bmad-dev-story")![1]!;
    assert.deepEqual([code, phase, after, required], [
      "DS",
      "4-implementation",
      "bmad-create-story:validate",
      true,
    ]);
  }));

Deno.test("D2: help rows that lack a field (6.3–6.8) still have the right phase", async () => {
  for (const version of ["6.5.0", "6.8.0"] as const) {
    const phases = (await real(version)).items.flatMap(({ help }) => help === undefined ? [] : [help.phase]);
    assert.deepEqual([...new Set(phases)].sort(), [
      "1-analysis",
      "2-planning",
      "3-solutioning",
      "4-implementation",
      "anytime",
    ]);
  }
  assert.equal(itemOf(await real("6.8.0"), "bmad-investigate").help?.phase, "4-implementation");
});

Deno.test("D3: rows of another schema in the merged help (6.12) are skipped and reported", async () => {
  const inventory = await inventoryOf({
    "_bmad/_config/skill-manifest.csv": skillRows("bmad-map"),
    "_bmad/_config/bmad-help.csv":
      "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by,required,output-location,outputs\n" +
      "Land,bmad-map,Map,DM,Draws.,,,anytime,,,false,,\n" +
      "sea,1-preproduction,Sail,SA,10,_bmad/sea/sail/workflow.yaml,sea-sail,false,,,Sails.,,\n",
    ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
  });
  assert.equal(itemOf(inventory, "bmad-map").help?.code, "DM");
  assert.deepEqual(troubleOf(inventory), [
    "bad-file _bmad/_config/bmad-help.csv: skipped 1 help row of another schema",
  ]);
});

Deno.test("D4: agent commands that were cut at commas (Beta.5–6.2.0) do not reach the help", async () => {
  for (const version of ["6.0.4", "6.2.0"] as const) {
    const help = (await real(version)).items.flatMap((item) => item.help ?? []);
    assert.ok(help.length > 20, `${version} has help for ${help.length} things`);
    assert.doesNotMatch(JSON.stringify(help), /bmad:[^"]*:agent:/);
  }
});

Deno.test("D5: a help row is joined by its file, whatever its command says (6.0.4)", async () => {
  const inventory = await real("6.0.4");
  // The row's command is that of an older name.
  assert.equal(itemOf(inventory, "qa-generate-e2e-tests").help?.code, "QA");
  assert.equal(itemOf(inventory, "dev-story").help?.phase, "4-implementation");
  // Five rows name a file of the writer that is not there; none becomes a thing.
  assert.deepEqual(inventory.items.filter(({ file }) => file.endsWith(".agent.yaml")), []);
});

Deno.test("D7: repeated rows (alpha.7) are one item", async () => {
  const map = '"map","Draws.","bmm","bmad/bmm/workflows/map/workflow.yaml"';
  const inventory = await inventoryOf({
    ...compiled({ agent: [SCOUT, SCOUT], workflow: [map, map, map] }, "bmad", "_cfg"),
    "bmad/_cfg/manifest.yaml": "modules: [core, bmm, core, bmm]\n",
    "bmad/bmm/agents/scout.md": agent("Rhea"),
    "bmad/bmm/workflows/map/workflow.yaml": workflow("map"),
  });
  assert.deepEqual(namesOf(inventory), ["bmm/agent/scout verified", "bmm/workflow/map verified"]);
  assert.deepEqual(inventory.modules.map(({ code }) => code).sort(), ["bmm", "core"]);
});

Deno.test("D8: rows without a file stay on record and are reported once", async () => {
  const inventory = await inventoryOf({
    ...compiled({
      agent: [SCOUT, SCOUT.replaceAll("scout", "poet")],
      workflow: [
        '"map","x","bmm","_bmad/bmm/workflows/map/workflow.yaml"',
        '"gone","x","bmm","_bmad/bmm/workflows/gone/workflow.yaml"',
      ],
    }),
    "_bmad/bmm/agents/scout.md": agent("Rhea"),
    // Only the folder is left.
    "_bmad/bmm/workflows/map/notes.md": "# Notes\n",
  });
  assert.deepEqual(namesOf(inventory), [
    "bmm/agent/scout verified",
    "bmm/agent/poet no-file-found",
    "bmm/workflow/map no-file-found",
    "bmm/workflow/gone no-file-found",
  ]);
  assert.deepEqual(troubleOf(inventory), [
    "no-file-found _bmad/_config: 3 of 4 rows in the manifests are missing (bmm/poet, bmm/map, bmm/gone)",
  ]);
});

Deno.test("D9: broken front matter loses its own values and nothing else", async () => {
  const inventory = await inventoryOf({
    "bmad/fw/workflows/colon/workflow.md":
      '---\nname: colon\ndescription: Say "a": then b: c\n---\n\nText.\n',
    "bmad/fw/workflows/double/workflow.md": "---\nname: double\nname: double\ndescription: Twice.\n---\n",
    "bmad/fw/workflows/empty/workflow.md": "---\n---\n\n# Empty\n\n---\nname: body\n---\n",
    "bmad/fw/workflows/braces/workflow.md":
      "---\nname: braces\ndescription: Fills.\ntarget: {{place}}\n---\n",
    "bmad/fw/tasks/late.md": "## <!-- made by hand -->\n\n---\ntemplate: x\n---\n\n# Comes Late\n",
  });
  assert.deepEqual(inventory.items.map(({ id, title, description }) => [id, title, description]), [
    ["braces", undefined, "Fills."],
    ["colon", undefined, 'Say "a": then b: c'],
    ["double", undefined, "Twice."],
    ["empty", undefined, ""],
    ["late", "Comes Late", ""],
  ]);
  const trouble = troubleOf(inventory).map((line) => line.split(":").slice(0, 2).join(":"));
  assert.deepEqual(trouble.filter((line) => !line.includes("braces")), [
    "bad-file bmad/fw/workflows/colon/workflow.md: the front matter cannot be parsed",
    "bad-file bmad/fw/workflows/double/workflow.md: the front matter cannot be parsed",
  ]);
});

Deno.test("a broken skill without an installation is reported once, with the line of its file", async () => {
  const files = {
    ".claude/skills/bmad-torn/SKILL.md": '---\nname: bmad-torn\ndescription: "x\n---\nDo it.\n',
  };
  const { items, diagnostics } = await withTree(files, (dir) => readInventory(diskTree(dir)));
  assert.deepEqual(items.map(({ id }) => id), ["bmad-torn"]);
  assert.equal(diagnostics.length, 1);
  assert.match(diagnostics[0]!.message, /^the front matter cannot be parsed: .* \(3:\d+\)$/);
});

treeTest("D10: an agent whose prompts make its XML malformed (Beta+) is still read", {
  ...compiled({ agent: [SCOUT] }),
  "_bmad/bmm/agents/scout.md": agent(
    "Rhea",
    '<prompts><prompt id="x">hello <world> & co</prompt></prompts>\n',
  ),
}, async (dir) => {
  const tree = diskTree(dir);
  const { displayName, persona } = await completeItem(tree, itemOf(await readInventory(tree), "scout"));
  assert.deepEqual([displayName, persona?.role], ["Rhea", "Finds the way"]);
  assert.deepEqual(persona?.menu.map(({ code, label }) => [code, label]), [["DM", "Draw"], [
    "rest",
    "Rest",
  ]]);
});

Deno.test("D11: files that only look like agents are not agents", async () => {
  const files = {
    "agents/README.md": "# Agents\n\n<agent id='x'>\n",
    "agents/foo.md": "# Notes about agents\n",
    "agents/writer/writer.md": agent("Paige"),
    "agents/writer/style.md": agent("Nobody"),
    "docs/agent-types.md": agent("Example"),
    "workflows/make/workflow.yaml": workflow("make"),
    "workflows/make/data/reference/agents/sample.agent.yaml": "agent: {metadata: {name: Sample}}\n",
    "workflows/make/agent-types.md": agent("Example"),
    "_cfg/custom/x/agents/cached.md": agent("Cached"),
  };
  const installed = await inventoryOf({ ...compiled({}), ...below("_bmad/bmm", files) });
  assert.deepEqual(namesOf(installed), [
    "bmm/agent/writer not-in-manifest",
    "bmm/workflow/make not-in-manifest",
  ]);
  const source = await inventoryOf({ "src/bmm/module.yaml": "code: bmm\n", ...below("src/bmm", files) });
  assert.deepEqual(namesOf(source), ["bmm/agent/writer verified", "bmm/workflow/make verified"]);
});

Deno.test("D12: a workflow whose name is a title gets an id that can be typed", async () => {
  const inventory = await inventoryOf({
    ...compiled({
      workflow: ['"Meal Prep & Nutrition Plan","TODO","bmm","_bmad/bmm/workflows/meal/workflow.md"'],
    }),
    "_bmad/bmm/workflows/meal/workflow.md": "---\nname: Meal Prep & Nutrition Plan\ndescription: TODO\n---\n",
    "_bmad/bmm/workflows/calm/workflow.yaml": workflow("Daily Check In"),
  });
  assert.deepEqual(inventory.items.map(({ id, title }) => [id, title]), [
    ["meal-prep-nutrition-plan", "Meal Prep & Nutrition Plan"],
    ["daily-check-in", "Daily Check In"],
  ]);
});

Deno.test("D13: files that no manifest lists count if they are items, and not if they are templates", async () => {
  const inventory = await inventoryOf({
    ...compiled({ workflow: [] }),
    "_bmad/_config/skill-manifest.csv": skillRows("bmad-validate-prd"),
    "_bmad/bmm/bmad-validate-prd/SKILL.md": skill("bmad-validate-prd"),
    "_bmad/bmm/workflows/prd/workflow-validate-prd.md": "---\nname: validate-prd\ndescription: Old.\n---\n",
    "_bmad/bmm/workflows/new/workflow.yaml": workflow("new"),
    "_bmad/bmm/workflows/new/template/workflow.yaml": 'name: "{WORKFLOW_CODE}"\n',
    "_bmad/bmm/workflows/new/workflow.md": "# Steps without front matter\n",
    "_bmad/bmm/workflows-legacy/old/workflow.yaml": workflow("old"),
    "_bmad/bmm/reference/workflows/sample/workflow.md": "---\nname: sample\ndescription: x\n---\n",
    "_bmad/core/tasks/workflow.xml": '<!-- x -->\n<task id="w" name="Execute"\n  internal="true">\n</task>\n',
    "_bmad/core/workflows/elicit/workflow.xml": '<task id="e" name="Elicit">\n</task>\n',
  });
  assert.deepEqual(namesOf(inventory).sort(), [
    "bmm/skill/bmad-validate-prd verified",
    "bmm/workflow/new not-in-manifest",
    "core/task/workflow not-in-manifest",
    "core/workflow/elicit not-in-manifest",
  ]);
  assert.deepEqual([itemOf(inventory, "workflow").roles, itemOf(inventory, "elicit").roles], [
    ["internal"],
    ["internal"],
  ]);
});

projectTest("D14: two workflows in one folder, and one name in two modules, are two items", {
  ...compiled({ workflow: [] }),
  "_bmad/bmm/workflows/gdd/workflow.yaml": workflow("gdd"),
  "_bmad/bmm/workflows/gdd/workflow.md": "---\nname: create-gdd\ndescription: Asks.\n---\n",
  "_bmad/bmgd/workflows/gdd/workflow.yaml": workflow("gdd"),
}, (library) => {
  assert.deepEqual(library.effective.map(({ module, id }) => `${module}/${id}`).sort(), [
    "bmgd/gdd",
    "bmm/create-gdd",
    "bmm/gdd",
  ]);
  assert.equal(resolveEntry(library, { name: "bmgd/gdd" }).file, "_bmad/bmgd/workflows/gdd/workflow.yaml");
  assert.throws(() => resolveEntry(library, { name: "gdd" }), /bmm\/gdd.*bmgd\/gdd/s);
});

Deno.test("D15: an agent whose menu has broken targets keeps its menu and can be executed", () =>
  withProject(
    { ...compiled({ agent: [SCOUT] }), "_bmad/bmm/agents/scout.md": agent("Rhea") },
    async (library) => {
      const entry = resolveEntry(library, { name: "scout" });
      for (const item of ["DM", "rest"]) {
        assert.match(
          await executeEntry(library, entry, { item }),
          new RegExp(`^---\nagent: bmm/scout\nmenu-item: .*${item}`, "i"),
        );
      }
    },
  ));

projectTest("D16: v4 items are found by the stem of their file, and files without their extension", {
  ".bmad-sea/config.yaml": "name: bmad-sea\n",
  ".bmad-sea/agents/sea-analyst.md":
    "```yaml\nagent: {name: Mary, id: analyst}\ndependencies: {tasks: [dive]}\n```\n",
  ".bmad-sea/tasks/dive.md": "# Dive\n",
  ".bmad-sea/workflows/voyage.yaml": "workflow: {id: voyage, name: Voyage}\n",
  ".bmad-sea/agent-teams/crew.yaml": "bundle: {name: Crew}\nworkflows: [voyage.md]\n",
}, async (library) => {
  assert.equal(resolveEntry(library, { name: "sea-analyst" }).displayName, "Mary");
  assert.equal((await readResource(library, ".bmad-sea/tasks/dive")).text, "# Dive\n");
  assert.match((await readResource(library, "bmad://bmad-sea/workflows/voyage.md")).text!, /name: Voyage/);
});

projectTest("D18: line ends are served unchanged, and Python's caches are not served", {
  "_bmad/_config/skill-manifest.csv": skillRows("bmad-map").replaceAll("\n", "\r\n"),
  ".claude/skills/bmad-map/SKILL.md": `\uFEFF${skill("bmad-map").replaceAll("\n", "\r\n")}`,
  ".claude/skills/bmad-map/methods.csv": "a,b\r\n1,2\r\n",
  ".claude/skills/bmad-map/scripts/draw.py": "print(1)\n",
  ".claude/skills/bmad-map/scripts/__pycache__/draw.cpython-312.pyc": new Uint8Array([0, 1, 2]),
}, async (library) => {
  assert.equal(resolveEntry(library, { name: "map" }).description, "Does bmad-map.");
  const { text } = await readResource(library, "bmad://bmm/bmad-map/methods.csv");
  assert.equal(text, "a,b\r\n1,2\r\n");
  const uris = listFiles(library).map(({ uri }) => uri).filter((uri) => uri.includes("bmad-map/"));
  assert.deepEqual(uris.map((uri) => uri.split("bmad-map/")[1]).sort(), [
    "SKILL.md",
    "methods.csv",
    "scripts/draw.py",
  ]);
});

projectTest("databases are not served", {
  "_bmad/_config/skill-manifest.csv": skillRows("bmad-map"),
  ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
  "_bmad/_memory/shared-context.md": "# Notes\n",
  "_bmad/_memory/memory.db": new Uint8Array([0, 1, 2]),
  "_bmad/_memory/memory.db-wal": new Uint8Array([0, 1, 2]),
  "_bmad/_memory/memory.db-shm": new Uint8Array([0, 1, 2]),
}, async (library) => {
  const kept = listFiles(library).map(({ uri }) => uri).filter((uri) => uri.includes("_memory/"));
  assert.deepEqual(kept, ["bmad://_memory/shared-context.md"]);
  await assert.rejects(async () => await readResource(library, "bmad://_memory/memory.db"));
});

Deno.test("D21: {bmad_folder} in paths (alpha.8–16) means the root, whatever its name; empty folders mean nothing", () =>
  withProject({
    ...compiled({ agent: [SCOUT.replace("_bmad/", "bmad/")] }, ".method", "_cfg"),
    ".method/bmm/agents/scout.md": agent(
      "Rhea",
      "<step>Load {project-root}/{bmad_folder}/bmm/config.yaml</step>\n",
    ),
    ".method/bmm/config.yaml": "user_name: Ann\n",
    ".method/bmm/1-analysis/": "",
    ".method/bmm/workflows/2-plan-workflows/": "",
  }, async (library) => {
    assert.deepEqual(library.effective.map(({ key, file }) => `${key} ${file}`), [
      "project:bmm:agent:scout .method/bmm/agents/scout.md",
    ]);
    for (
      const path of [
        "{project-root}/{bmad_folder}/bmm/config.yaml",
        "{bmad_folder}/bmm/config.yaml",
        ".method/bmm/config.yaml",
        "{project-root}/.method/bmm/config.yaml",
      ]
    ) {
      assert.equal((await readResource(library, path)).text, "user_name: Ann\n", path);
    }
    assert.match((await readResource(library, "{bmad_folder}/_cfg/manifest.yaml")).text!, /version: 6\.0\.4/);
  }));

Deno.test("D22: leftovers of earlier releases are left alone [origins:stale-skills]", async () => {
  const { items } = await inventoryOf({
    "_bmad/_config/skill-manifest.csv": skillRows("bmad-map"),
    ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
    ".claude/skills/bmad-bmm-dev-story/SKILL.md": skill("bmad-bmm-dev-story"),
    ".agents/skills/bmad-agent-bmm-pm/SKILL.md": skill("bmad-agent-bmm-pm"),
    ".claude/skills/my-own/SKILL.md": skill("my-own"),
    ".claude/commands/bmad-bmm-dev-story.md": "---\nname: dev-story\n---\n",
    ".claude/commands/bmad/bmm/agents/pm.md": agent("John"),
  });
  assert.deepEqual(items.map(({ id, file }) => [id, file]), [[
    "bmad-map",
    ".claude/skills/bmad-map/SKILL.md",
  ]]);
});
