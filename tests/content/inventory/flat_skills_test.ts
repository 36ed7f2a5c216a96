/**
 * Are skills read whose folders say themselves which module they belong to? Every form of the generation after 6.12,
 * in every place where it may lie. Real installations by the `skills` command are in ../../real/flat_install_test.ts.
 */
import assert from "node:assert/strict";
import { readInventory } from "../../../src/content/inventory/mod.ts";
import type { Inventory, TreeUse } from "../../../src/base/model.ts";
import { diskTree } from "../../../src/content/tree/mod.ts";
import { FLAT_FORMS, flatNames, flatSource } from "../../support/flat.ts";
import { type Files, inventoryOf, rootsOf, troubleOf } from "../../support/inventories.ts";
import { withTree } from "../../support/trees.ts";

const namesOf = ({ items }: Inventory) => items.map(({ module, id }) => `${module}/${id}`).sort();
/** The files of a form in several folders: the first has all, a link stands for each skill in the others. */
function linked(form: typeof FLAT_FORMS[number], folder: string, links: string): Files {
  const files = flatSource(form, folder);
  const up = links.split("/").map(() => "..").join("/");
  const ids = new Set(Object.keys(files).map((path) => path.slice(folder.length + 1).split("/")[0]!));
  return {
    ...files,
    ...Object.fromEntries([...ids].map((id) => [`${links}/${id}`, { link: `${up}/${folder}/${id}` }])),
  };
}

for (const form of FLAT_FORMS) {
  Deno.test(`each skill has its module: ${form} [origins:flat-skills]`, async () => {
    const inventory = await inventoryOf(flatSource(form, ".agents/skills"));
    assert.deepEqual(namesOf(inventory), flatNames(form));
    assert.deepEqual(rootsOf(inventory), ["flat skills: .agents/skills"]);
    assert.deepEqual(inventory.diagnostics, []);
    const agents = inventory.items.filter(({ roles }) => roles.includes("agent"));
    assert.deepEqual(agents.map(({ displayName }) => displayName), [
      // The first form has no roster, and this agent's own file does not name him.
      form === "manifests" ? undefined : "Dex",
      "Penny",
      ...(form === "tickets" ? ["Tess"] : []),
    ]);
    assert.ok(
      inventory.items.every(({ generation, version }) => generation === "flat" && version !== undefined),
    );
  });
}

Deno.test("a skill in several places is one item [origins:flat-places]", async (t) => {
  const copies = { ...flatSource("tickets", ".agents/skills"), ...flatSource("tickets", "agent/skills") };
  const places: Readonly<Record<string, { files: Files; use?: TreeUse; first?: string }>> = {
    "one tool": { files: flatSource("tickets", ".claude/skills"), first: ".claude/skills" },
    "a link for each": {
      files: linked("tickets", ".agents/skills", ".claude/skills"),
    },
    "copies": {
      files: { ...copies, ...flatSource("tickets", ".claude/skills") },
    },
    "links as texts": {
      files: {
        ...flatSource("tickets", ".agents/skills"),
        ".claude/skills/bmad": "../../.agents/skills/bmad",
        ".claude/skills/bmad-prd": "../../.agents/skills/bmad-prd",
      },
    },
    "dangling links": {
      files: {
        ...flatSource("tickets", ".agents/skills"),
        ".claude/skills/bmad-gone": { link: "../../gone" },
      },
    },
    "the user's folder": { files: flatSource("tickets", "."), use: "shared", first: "" },
    "a named folder": { files: flatSource("tickets", "."), use: "named", first: "" },
    "the source": { files: flatSource("tickets"), first: "skills" },
    "a marketplace of plugins": {
      files: {
        ".claude-plugin/marketplace.json": '{"plugins":[]}',
        ...flatSource("tickets", "plugins/all/skills"),
      },
      first: "plugins/all/skills",
    },
    "a whole folder as a text": {
      files: { ...flatSource("tickets", "vendor/bmad"), ".claude/skills": "../vendor/bmad\n" },
      first: "vendor/bmad",
    },
    "the shared folder, and texts in place of all others": {
      files: {
        ...flatSource("tickets", ".agents/skills"),
        ".claude/skills": "../.agents/skills",
        "agent/skills": "../.agents/skills",
        skills: ".agents/skills",
      },
    },
    ...Object.fromEntries(
      [
        "plugins/cache/market/all/1.2.3",
        "cache/market/all/1.2.3",
        "market/all/1.2.3",
        "all/1.2.3",
        "1.2.3",
      ]
        .map((above) => [
          `a cache of plugins, from ${above} on`,
          {
            files: flatSource("tickets", `${above}/skills`),
            use: "named" as const,
            first: `${above}/skills`,
          },
        ]),
    ),
    "a cache of plugins in a project": {
      files: flatSource("tickets", ".claude/plugins/cache/market/all/1.2.3/skills"),
      first: ".claude/plugins/cache/market/all/1.2.3/skills",
    },
  };
  for (const [place, { files, use, first = ".agents/skills" }] of Object.entries(places)) {
    await t.step(place, async () => {
      const inventory = await inventoryOf(files, use);
      assert.deepEqual(namesOf(inventory), flatNames("tickets"));
      assert.equal(rootsOf(inventory)[0], `flat skills: ${first}`);
      assert.ok(inventory.items.every(({ folder }) => folder.startsWith(first)));
      assert.deepEqual(inventory.diagnostics, []);
    });
  }
});

Deno.test("a link written as text leads only to its skill [origins:flat-places]", async () => {
  const source = flatSource("tickets", "vendor/bmad");
  const ids = new Set(Object.keys(source).map((path) => path.split("/")[2]!));
  const links = Object.fromEntries(
    [...ids].map((id) => [`.claude/skills/${id}`, `../../vendor/bmad/${id}`]),
  );
  const hostile = {
    ".claude/skills/bmad-self": "../../.claude/skills/bmad-self",
    ".claude/skills/bmad-out": "../../../other/skills/bmad",
    ".claude/skills/bmad-root": "../../../../../../etc",
    ".claude/skills/bmad-none": "../../gone",
    ".claude/skills/bmad-prose": "This is a text\nof two lines.",
    ".claude/skills/bmad-long": `../../${"x/".repeat(5000)}`,
    ".claude/skills/bmad-empty": "",
  };
  const inventory = await inventoryOf({ ...source, ...links, ...hostile });
  assert.deepEqual(namesOf(inventory), flatNames("tickets"));
  assert.ok(inventory.items.every(({ folder }) => folder.startsWith("vendor/bmad/")));
  assert.deepEqual(inventory.diagnostics, []);
  assert.deepEqual(namesOf(await inventoryOf({ ...source, ...hostile })), []);
});

Deno.test("of a plugin that a cache holds in several versions, the newest counts", async () => {
  const versions = ["0.9.0", "1.2.0", "1.10.0", "1.10.0-next", "unknown"];
  const files = versions.map((version) => flatSource("tickets", `cache/market/all/${version}/skills`));
  const inventory = await inventoryOf(Object.assign({}, ...files), "named");
  assert.deepEqual(namesOf(inventory), flatNames("tickets"));
  assert.ok(inventory.items.every(({ folder }) => folder.startsWith("cache/market/all/1.10.0/skills/")));
});

Deno.test("a cache of plugins is looked for in so many folders only", async () => {
  const wide = Object.fromEntries(Array.from({ length: 520 }, (_, at) => [`many/f${at}/`, ""]));
  const files = { ...wide, ...flatSource("tickets", "z/market/all/1.2.3/skills") };
  const listed = new Set<string>();
  await withTree(files, async (dir) => {
    const tree = diskTree(dir);
    const list = (folder: string) => (listed.add(folder), tree.list(folder));
    assert.deepEqual(namesOf(await readInventory({ ...tree, list }, "named")), []);
  });
  assert.ok(listed.size < 530, `${listed.size} folders`);
});

Deno.test("skills of others in the same folder are left alone, and loose ones are served as before", async () => {
  const files = {
    ...flatSource("tickets", ".claude/skills"),
    ".claude/skills/poems/SKILL.md": "---\nname: poems\ndescription: Writes poems.\n---\n",
    ".claude/skills/bmad-mine/SKILL.md": "---\nname: bmad-mine\ndescription: Is mine.\n---\n",
  };
  assert.deepEqual(namesOf(await inventoryOf(files)), [...flatNames("tickets"), "skills/bmad-mine"].sort());
});

Deno.test("a skill without its record keeps the module that it names, and that is reported", async () => {
  const { ".agents/skills/bmod-tea/bmod.toml": _, ...files } = flatSource("tickets", ".agents/skills");
  const inventory = await inventoryOf(files);
  assert.deepEqual(namesOf(inventory), flatNames("tickets"));
  assert.deepEqual(troubleOf(inventory), [
    "bad-record .agents/skills/bmad-tea/bmod.toml",
    "bad-record .agents/skills/bmad-testarch-ci/bmod.toml",
  ]);
});

Deno.test("broken and hostile records cost only their own skills their module", async () => {
  const files: Files = {
    ...flatSource("tickets", ".agents/skills"),
    ".agents/skills/bmad-review/bmod.toml": "[skill\nbmod = ",
    ".agents/skills/bmod-evil/bmod.toml":
      '[bmod]\ncode = "../../etc"\nversion = "1"\nskills = ["bmad-prd"]\n',
    ".agents/skills/bmod-evil/SKILL.md": "---\nname: bmod-evil\ndescription: Evil.\n---\n",
    ".agents/skills/bmod-large/bmod.toml": `[bmod]\ncode = "large"\n# ${"x".repeat(70_000)}\n`,
    ".agents/skills/bmod-twice/bmod.toml": '[bmod]\ncode = "Method"\nversion = "9"\nskills = []\n',
  };
  const inventory = await inventoryOf(files);
  // Its record still lists the skill whose own file is broken.
  assert.deepEqual(namesOf(inventory), flatNames("tickets"));
  assert.deepEqual(inventory.modules.map(({ code }) => code).sort(), [
    "core-tools",
    "method",
    "notes",
    "tea",
  ]);
  assert.deepEqual(troubleOf(inventory), [
    "bad-file .agents/skills/bmad-review/bmod.toml",
    "bad-record .agents/skills/bmod-evil/bmod.toml",
    "bad-record .agents/skills/bmod-twice/bmod.toml",
    "limit-reached .agents/skills/bmod-large/bmod.toml",
  ]);
});

Deno.test("what a module has retired is not served, unless nothing took its place", async () => {
  const files: Files = {
    ...flatSource("tickets", ".agents/skills"),
    ".claude/skills/bmad-help/SKILL.md": "---\nname: bmad-help\ndescription: Old help.\n---\n",
    ".agents/skills/bmad-preview-ticketing/SKILL.md":
      "---\nname: bmad-preview-ticketing\ndescription: Old.\n---\n",
    ".agents/skills/bmad-preview-ticketing/bmod.toml": '[skill]\nbmod = "bmod-method"\n',
  };
  const inventory = await inventoryOf(files);
  assert.deepEqual(namesOf(inventory), flatNames("tickets"));
  assert.deepEqual(troubleOf(inventory), ["retired-skill .claude/skills/bmad-help"]);
  const formerIds = inventory.items.filter((item) => item.formerIds).map((
    { id, formerIds },
  ) => [id, formerIds]);
  assert.deepEqual(formerIds, [["bmad", ["bmad-help"]], ["bmad-ticket", ["bmad-preview-ticketing"]]]);
  const isOfTicket = (path: string) => path.startsWith(".agents/skills/bmad-ticket/");
  const early = Object.fromEntries(Object.entries(files).filter(([path]) => !isOfTicket(path)));
  assert.ok(namesOf(await inventoryOf(early)).includes("method/bmad-preview-ticketing"));
});

Deno.test("a lock file says where a skill was installed from, and cannot do harm", async () => {
  const lock = (skills: unknown) => ({
    ...flatSource("tickets", ".agents/skills"),
    "skills-lock.json": typeof skills === "string" ? skills : JSON.stringify({ version: 1, skills }),
  });
  const from = async (files: Files, id: string) =>
    (await inventoryOf(files)).items.find((item) => item.id === id)?.installedFrom;
  const known = {
    bmad: { source: "somebody/skills", sourceType: "github", ref: "main" },
    gone: { source: "x" },
  };
  assert.equal(await from(lock(known), "bmad"), "github somebody/skills at main");
  assert.equal(await from(lock(known), "bmad-prd"), undefined);
  assert.equal(
    await from(lock({ bmad: { source: "a\nb\u001b[31m", sourceType: 7 } }), "bmad"),
    "7 a b\u241B[31m",
  );
  for (
    const broken of ["{", "[]", '{"skills": [1]}', '{"skills": {"bmad": "x", "__proto__": {"source": "y"}}}']
  ) {
    assert.deepEqual(namesOf(await inventoryOf(lock(broken))), flatNames("tickets"));
  }
});
