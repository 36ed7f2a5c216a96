/**
 * Is an installation of the skills generation read completely, wherever its skills lie and whatever is broken in it?
 */
import assert from "node:assert/strict";
import type { Inventory, Item } from "../../../src/base/model.ts";
import { type Files, filesOf, inventoryOf, skill, troubleOf } from "../../support/inventories.ts";
import type { TreeFile } from "../../support/trees.ts";

/** A row of a skill manifest: id, module and the folder below the module. */
const row = (id: string, module = "bmm", place = "") =>
  `"${id}","${id}","Listed ${id}.","${module}","_bmad/${module}/${place}${id}/SKILL.md"`;

/** The files that make `root` an installation with these rows. */
function installed(rows: readonly string[], { root = "_bmad", ides = "[claude-code]" } = {}): Files {
  return {
    [`${root}/_config/manifest.yaml`]:
      `installation:\n  version: 6.12.0\nmodules:\n  - name: core\n  - name: bmm\nides: ${ides}\n`,
    [`${root}/_config/skill-manifest.csv`]: `canonicalId,name,description,module,path\n${rows.join("\n")}\n`,
  };
}

const rolesOf = ({ items }: Inventory) =>
  Object.fromEntries(items.map(({ id, roles }): [string, Item["roles"]] => [id, roles]));
Deno.test("skills are found in the folder of a tool [origins:project-skill-folders]", async () => {
  const inventory = await inventoryOf({
    ...installed([row("bmad-map", "bmm", "plan/"), row("bmad-notes", "core")]),
    "_bmad/bmm/module-help.csv":
      "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by,required,output-location,outputs\n" +
      "Field Work,bmad-map,Draw Map,DM,Draws.,,,2-planning,,,true,,a map\n",
    ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
    ".claude/skills/bmad-map/steps/one.md": "One.",
    ".claude/skills/bmad-notes/SKILL.md": skill("bmad-notes"),
  });
  assert.deepEqual(inventory.roots, [
    { path: "_bmad", generation: "skills", layout: "installed skills", version: "6.12.0" },
  ]);
  assert.deepEqual(inventory.modules.map(({ code, version }) => [code, version]), [
    ["core", "6.12.0"],
    ["bmm", "6.12.0"],
  ]);
  assert.deepEqual(inventory.mounts, [
    { at: "", path: "_bmad" },
    { at: "bmm/bmad-map", path: ".claude/skills/bmad-map" },
    { at: "core/bmad-notes", path: ".claude/skills/bmad-notes" },
  ]);
  const help = {
    module: "Field Work",
    skill: "bmad-map",
    title: "Draw Map",
    code: "DM",
    description: "Draws.",
    phase: "2-planning",
    after: "",
    before: "",
    required: true,
    outputs: "a map",
  };
  assert.deepEqual(inventory.items[0], {
    kind: "skill",
    roles: ["workflow"],
    id: "bmad-map",
    name: "map",
    module: "bmm",
    generation: "skills",
    version: "6.12.0",
    isListed: true,
    status: "verified",
    folder: ".claude/skills/bmad-map",
    ownsFolder: true,
    file: ".claude/skills/bmad-map/SKILL.md",
    title: "Draw Map",
    displayName: undefined,
    icon: undefined,
    description: "Does bmad-map.",
    phase: "2-planning",
    persona: undefined,
    help,
  });
  assert.deepEqual(inventory.items[1]?.roles, ["workflow", "task"]);
  assert.deepEqual(inventory.diagnostics, []);
});

Deno.test("a skill in several folders is read from that of the configured coding tool", async () => {
  const places = [".agents/skills", ".claude/skills", ".kiro/skills", "_bmad/bmm"];
  const bodies = Object.fromEntries(
    places.map((place) => [`${place}/bmad-map/SKILL.md`, skill("bmad-map")]),
  );
  const table: readonly (readonly [ides: string, without: readonly string[], place: string])[] = [
    ["[claude-code]", [], ".claude/skills"],
    ["[cursor]", [], ".agents/skills"],
    ["[kiro]", [], ".kiro/skills"],
    ["[codex, claude-code]", [], ".claude/skills"],
    ["[]", [], ".agents/skills"],
    ["[claude-code]", [".claude/skills"], ".agents/skills"],
    ["[cursor]", [".agents/skills"], ".claude/skills"],
    ["[claude-code]", [".claude/skills", ".agents/skills", ".kiro/skills"], "_bmad/bmm"],
  ];
  for (const [ides, without, place] of table) {
    const kept = Object.entries(bodies).filter(([path]) => !without.some((gone) => path.startsWith(gone)));
    const inventory = await inventoryOf({
      ...installed([row("bmad-map")], { ides }),
      ...Object.fromEntries(kept),
    });
    assert.deepEqual(filesOf(inventory), [`${place}/bmad-map/SKILL.md`], `${ides} without ${without}`);
  }
});

Deno.test("an installation that keeps its skills below its root takes their phase from the path", async () => {
  const { items, diagnostics } = await inventoryOf({
    ...installed([row("bmad-map", "bmm", "2-plan-workflows/maps/"), row("bmad-help", "core")]),
    "_bmad/bmm/2-plan-workflows/maps/bmad-map/SKILL.md": skill("bmad-map"),
    "_bmad/core/bmad-help/SKILL.md": skill("bmad-help"),
  });
  assert.deepEqual(items.map(({ file, phase }) => [file, phase]), [
    ["_bmad/bmm/2-plan-workflows/maps/bmad-map/SKILL.md", "2-plan-workflows"],
    ["_bmad/core/bmad-help/SKILL.md", undefined],
  ]);
  assert.deepEqual(diagnostics, []);
});

Deno.test("a row without a file stays on record, with its agent from the roster, and is reported once", async () => {
  const { items, diagnostics, mounts } = await inventoryOf({
    ...installed([
      row("bmad-agent-scout"),
      row("bmad-map", "bmm", "plan/"),
      row("bmad-old", "bmm", "v6-shims/"),
    ]),
    "_bmad/config.toml": '[agents.bmad-agent-scout]\nname = "Rhea"\ntitle = "Scout"\nicon = "🧭"\n',
    "_bmad/custom/config.toml": '[agents.bmad-agent-scout]\ntitle = "Chief Scout"\n',
  });
  assert.deepEqual(
    items.map(({ id, name, roles, file, description }) => [`${id} ${name}`, roles, file, description]),
    [
      [
        "bmad-agent-scout scout",
        ["agent"],
        "_bmad/bmm/bmad-agent-scout/SKILL.md",
        "Listed bmad-agent-scout.",
      ],
      ["bmad-map map", ["workflow"], "_bmad/bmm/plan/bmad-map/SKILL.md", "Listed bmad-map."],
      ["bmad-old old", ["workflow", "shim"], "_bmad/bmm/v6-shims/bmad-old/SKILL.md", "Listed bmad-old."],
    ],
  );
  assert.ok(items.every(({ status, folder }) => status === "no-file-found" && folder === ""));
  const [{ displayName, title, icon } = {} as Item] = items;
  assert.deepEqual([displayName, title, icon], ["Rhea", "Chief Scout", "🧭"]);
  assert.deepEqual(mounts, [{ at: "", path: "_bmad" }]);
  assert.deepEqual(diagnostics, [{
    level: "warning",
    code: "no-file-found",
    message: "3 of 3 skills in the manifest are missing (bmm/bmad-agent-scout, bmm/bmad-map, bmm/bmad-old)",
    path: "_bmad/_config/skill-manifest.csv",
  }]);
});

Deno.test("a repeated row counts once, and separately for each module", async () => {
  const { items } = await inventoryOf({
    ...installed([row("bmad-map"), row("bmad-map"), row("bmad-map", "core"), '"","","","bmm",""']),
    ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
  });
  assert.deepEqual(items.map(({ module, id }) => `${module}/${id}`), ["bmm/bmad-map", "core/bmad-map"]);
});

Deno.test("a root may have any name", async () => {
  for (const root of ["_bmad", "bmad", ".bmad", "my method"]) {
    const { roots, mounts } = await inventoryOf({
      ...installed([row("bmad-map")], { root }),
      ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
    });
    assert.deepEqual(roots.map(({ path }) => path), [root]);
    assert.deepEqual(mounts[0], { at: "", path: root });
  }
});

Deno.test("a tree that is itself the root is read, and reports the skills that are missing", async () => {
  const inRoot = await inventoryOf({
    ...strip(installed([row("bmad-map")])),
    "bmm/bmad-map/SKILL.md": skill("bmad-map"),
  });
  assert.deepEqual(inRoot.roots.map(({ path }) => path), [""]);
  assert.deepEqual(filesOf(inRoot), ["bmm/bmad-map/SKILL.md"]);
  assert.deepEqual(inRoot.mounts, [{ at: "", path: "" }, { at: "bmm/bmad-map", path: "bmm/bmad-map" }]);
  const elsewhere = await inventoryOf(strip(installed([row("bmad-map")])));
  assert.deepEqual(elsewhere.items.map(({ status }) => status), ["no-file-found"]);
  assert.equal(elsewhere.diagnostics[0]!.message, "1 of 1 skills in the manifest is missing (bmm/bmad-map)");
});

function strip(files: Files): Files {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.slice(path.indexOf("/") + 1), text]),
  );
}

Deno.test("a shim is recognised in three ways [tool:list-hides-shims]", async () => {
  const inventory = await inventoryOf({
    ...installed([
      row("bmad-says"),
      row("bmad-lies", "bmm", "v6-shims/"),
      row("bmad-described"),
      row("bmad-core-old", "core", "v6-shims/"),
      row("bmad-none"),
      row("bmad-agent-scout", "bmm", "v6-shims/"),
    ]),
    ".claude/skills/bmad-says/SKILL.md": skill("bmad-says", "metadata:\n  lifecycle: shim\n"),
    ".claude/skills/bmad-lies/SKILL.md": skill("bmad-lies"),
    ".claude/skills/bmad-described/SKILL.md":
      "---\nname: bmad-described\ndescription: DEPRECATED, use bmad-map.\n---\n",
    ".claude/skills/bmad-core-old/SKILL.md": skill("bmad-core-old"),
    ".claude/skills/bmad-none/SKILL.md":
      "---\nname: bmad-none\ndescription: Replaces deprecated calls.\nmetadata: {lifecycle: active}\n---\n",
    ".claude/skills/bmad-agent-scout/SKILL.md": skill("bmad-agent-scout"),
    ".claude/skills/bmad-agent-scout/customize.toml": "[agent]\n",
  });
  assert.deepEqual(rolesOf(inventory), {
    "bmad-says": ["workflow", "shim"],
    "bmad-lies": ["workflow", "shim"],
    "bmad-described": ["workflow", "shim"],
    "bmad-core-old": ["workflow", "task", "shim"],
    "bmad-none": ["workflow"],
    "bmad-agent-scout": ["agent"],
  });
});

Deno.test("a broken file loses its own values only [errors:diagnostics-go-on]", async () => {
  const inventory = await inventoryOf({
    ...installed([row("bmad-front"), row("bmad-agent-scout"), row("bmad-agent-guide"), row("bmad-map")]),
    "_bmad/bmm/module-help.csv": "",
    "_bmad/config.toml": "[agents\n",
    ".claude/skills/bmad-front/SKILL.md": '---\nname: bmad-front\ndescription: Use "x": now\nx: [\n---\n',
    ".claude/skills/bmad-agent-scout/SKILL.md": "No front matter at all.\n",
    ".claude/skills/bmad-agent-scout/customize.toml": '[agent]\nname = "Rhea\n',
    ".claude/skills/bmad-agent-guide/SKILL.md": "---\nname: bmad-agent-guide\n",
    ".claude/skills/bmad-agent-guide/bmad-skill-manifest.yaml": "type: agent\ntype: agent\n",
    ".claude/skills/bmad-map/SKILL.md": new Uint8Array([0xff, 0xfe, 0x00, 0x41]),
  });
  assert.deepEqual(inventory.items.map(({ id, description }) => [id, description]), [
    ["bmad-front", 'Use "x": now'],
    ["bmad-agent-scout", "Listed bmad-agent-scout."],
    ["bmad-agent-guide", "Listed bmad-agent-guide."],
    ["bmad-map", "Listed bmad-map."],
  ]);
  assert.deepEqual(inventory.items.map(({ status }) => status), Array(4).fill("verified"));
  assert.deepEqual(rolesOf(inventory)["bmad-agent-scout"], ["agent"]);
  assert.deepEqual(troubleOf(inventory), [
    "bad-file .claude/skills/bmad-agent-guide/SKILL.md",
    "bad-file .claude/skills/bmad-agent-guide/bmad-skill-manifest.yaml",
    "bad-file .claude/skills/bmad-agent-scout/customize.toml",
    "bad-file .claude/skills/bmad-front/SKILL.md",
    "bad-file .claude/skills/bmad-map/SKILL.md",
    "bad-file _bmad/bmm/module-help.csv",
    "bad-file _bmad/config.toml",
  ]);
});

Deno.test("an installation whose manifest.yaml is broken or missing still knows its modules", async () => {
  for (const manifest of ["installation: [\n", undefined]) {
    const files: Record<string, TreeFile> = {
      ...installed([row("bmad-map")]),
      ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
    };
    if (manifest === undefined) delete files["_bmad/_config/manifest.yaml"];
    else files["_bmad/_config/manifest.yaml"] = manifest;
    const inventory = await inventoryOf(files);
    assert.deepEqual(filesOf(inventory), [".claude/skills/bmad-map/SKILL.md"]);
    assert.deepEqual(
      troubleOf(inventory),
      manifest === undefined ? [] : ["broken-manifest _bmad/_config/manifest.yaml"],
    );
    assert.deepEqual(inventory.modules.map(({ code }) => code), ["bmm"]);
  }
});

Deno.test("skills that an empty or broken manifest does not list are served from disk", async () => {
  for (const csv of ["", '"']) {
    const inventory = await inventoryOf({
      ...installed([]),
      "_bmad/_config/skill-manifest.csv": csv,
      ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
    });
    assert.deepEqual(filesOf(inventory), [".claude/skills/bmad-map/SKILL.md"]);
    assert.deepEqual(troubleOf(inventory), ["broken-manifest _bmad/_config/skill-manifest.csv"]);
  }
});

Deno.test("a row cannot open a folder outside the skill folders and the root", async () => {
  const { mounts } = await inventoryOf({
    ...installed([row("../../private"), '"x","x","x","bmm","_bmad/../private/SKILL.md"', row("../..")]),
    ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
    "private/SKILL.md": skill("private"),
    "SKILL.md": skill("shop"),
  });
  assert.deepEqual(mounts, [{ at: "", path: "_bmad" }]);
});

Deno.test("an old list of modules may hold strings, and one of them twice", async () => {
  const { modules } = await inventoryOf({
    ...installed([row("bmad-map")]),
    "_bmad/_config/manifest.yaml":
      "installation: {version: 6.2.1}\nmodules: [core, bmm, core, {name: bmm}]\n",
  });
  assert.deepEqual(modules.map(({ code, version }) => [code, version]), [["core", "6.2.1"], [
    "bmm",
    "6.2.1",
  ]]);
});
