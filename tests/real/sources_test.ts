/**
 * Is every generation of BMAD read completely from its sources?
 *
 * The trees are the npm packages themselves, as their authors packed them: without manifests, with samples, tests,
 * documents and tools beside the content. Installations of the same releases are in generations_test.ts.
 */
import assert from "node:assert/strict";
import { completeItem, readInventory } from "../../src/content/inventory/mod.ts";
import { executeEntry, openLibrary, readEntry } from "../../src/content/library/mod.ts";
import { hasKind } from "../../src/base/model.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import * as ids from "../support/ids.ts";
import { type SourcePackage, sourceTree } from "../support/installs.ts";
import { opening } from "../support/library.ts";
import { copyTree, withTree } from "../support/trees.ts";

const read = (dir: string) => readInventory(diskTree(dir), { use: "named" });

async function useEverything(dir: string): Promise<readonly string[]> {
  const library = await openLibrary([opening("cli", 1, dir)], {});
  const agents: string[] = [];
  for (const entry of library.effective) {
    assert.ok((await readEntry(library, entry)).text.includes(`${entry.module}/${entry.id}`), entry.key);
    const raw = await executeEntry(library, entry, { raw: true });
    assert.ok(raw.length > 0, entry.key);
    // Uninstalled agents are compiled, launchers rendered: agent_source_test.ts and launcher_test.ts have what becomes
    // of them.
    const kept = entry.file.endsWith(".agent.yaml")
      ? `\n<agent id="${entry.module}/${entry.id}" `
      // What an installer fills in is filled in: placeholders_test.ts.
      : raw.slice(0, 300).split(/\{root\}|\{bmad_folder\}/)[0]!;
    const executed = await executeEntry(library, entry, {});
    assert.equal(executed.includes(kept), !ids.LAUNCHERS.includes(entry.id), entry.key);
    if (!hasKind(entry, "agent")) continue;
    const { displayName, title, persona } = await completeItem(diskTree(dir), entry);
    for (const fact of [displayName, title, persona?.role, persona?.identity]) assert.ok(fact, entry.key);
    assert.ok(persona!.menu.length > 0, `${entry.key} has a menu`);
    agents.push(displayName!);
  }
  return [...new Set(agents)].sort();
}

const PACKAGES: readonly {
  readonly name: SourcePackage;
  readonly roots: readonly string[];
  readonly shelves: ids.Shelves;
  readonly people: string;
}[] = [
  {
    name: "bmad-method@6.0.0-alpha.22",
    roots: ["src/core", "src/modules/bmb", "src/modules/bmgd", "src/modules/bmm", "src/modules/cis"],
    shelves: ids.ALPHA_22,
    people:
      "Amelia,BMad Master,Barry,Bob,Bond,Caravaggio,Carson,Cloud Dragonborn,Dr. Quinn,GLaDOS,Indie,John," +
      "Link Freeman,Mary,Max,Maya,Morgan,Murat,Paige,Sally,Samus Shepard,Sophia,Victor,Wendy,Winston",
  },
  {
    name: "bmad-method@6.0.0-Beta.5",
    roots: ["src/bmm", "src/core"],
    shelves: ids.BETA_5,
    people: "Amelia,BMad Master,Barry,Bob,John,Mary,Paige,Quinn,Sally,Winston",
  },
  {
    name: "bmad-method@6.0.4",
    roots: ["src/bmm", "src/core"],
    shelves: ids.V6_0_4,
    people: "Amelia,BMad Master,Barry,Bob,John,Mary,Paige,Quinn,Sally,Winston",
  },
  {
    name: "bmad-method@6.12.0",
    roots: ["src/bmm-skills", "src/core-skills"],
    shelves: ids.V6_12_0_SHIMS,
    people: "Amelia,John,Mary,Sally,Winston",
  },
  {
    name: "bmad-method-test-architecture-enterprise@1.27.2",
    roots: ["src"],
    shelves: ids.TEA,
    people: "Murat",
  },
];

for (const { name, roots, shelves, people } of PACKAGES) {
  const version = name.split("@")[1]!;
  Deno.test(`the source of ${name} is read completely`, async (t) => {
    const dir = await sourceTree(name);
    const inventory = await read(dir);

    await t.step("its modules are found, and there are no issues", () => {
      assert.deepEqual(inventory.roots.map(({ path }) => path), roots);
      assert.deepEqual([...new Set(inventory.roots.map((root) => root.version))], [version]);
      assert.deepEqual(inventory.diagnostics, []);
    });

    await t.step("each module has exactly the items of the release, each of them once", () => {
      const found = ids.shelvesOf(inventory.items);
      assert.deepEqual(ids.countsOf(found), ids.countsOf(shelves));
      assert.deepEqual(found, shelves);
      assert.deepEqual(inventory.items.filter((item) => item.version !== version), []);
      assert.deepEqual(inventory.items.filter(({ status }) => status !== "verified"), []);
    });

    await t.step("everything can be read and executed, and each agent is a person with a menu", async () => {
      assert.equal((await useEverything(dir)).join(","), people);
    });
  });
}

Deno.test("the source of 4.44.3 is read completely", async (t) => {
  const dir = await sourceTree("bmad-method@4.44.3");
  const inventory = await read(dir);
  const { common, "bmad-core": core, ...packs } = ids.shelvesOf(inventory.items, ids.V4_KINDS);

  await t.step("core, the shared files and each pack have their items", () => {
    assert.deepEqual({ "bmad-core": core, common }, ids.V4_SOURCE);
    const counts = Object.fromEntries(
      Object.entries(packs).map(([module, shelf]) => [
        module,
        ids.V4_KINDS.map((kind) => shelf[kind]?.split(" ").length ?? 0),
      ]),
    );
    assert.deepEqual(counts, ids.V4_PACK_COUNTS.source);
    assert.deepEqual(inventory.diagnostics, []);
  });

  await t.step("core has the version of the package, and a pack its own", () => {
    const versions = inventory.roots.map(({ path, version }) => `${path} ${version}`);
    assert.deepEqual(versions, [
      "bmad-core 4.44.3",
      "expansion-packs/bmad-2d-phaser-game-dev 1.13.0",
      "expansion-packs/bmad-2d-unity-game-dev 1.6.0",
      "expansion-packs/bmad-creative-writing 1.1.1",
      "expansion-packs/bmad-godot-game-dev 1.0.0",
      "expansion-packs/bmad-infrastructure-devops 1.12.0",
      "common 4.44.3",
    ]);
  });

  await t.step("web bundles and documents are ignored", () => {
    const tops = new Set(inventory.items.map(({ file }) => file.split("/")[0]));
    assert.deepEqual([...tops], ["bmad-core", "expansion-packs", "common"]);
  });

  await t.step("everything can be read and executed", async () => {
    assert.equal((await useEverything(dir)).length, 32);
  });
});

Deno.test("the source of 6.0.0-alpha.7 is read completely", async (t) => {
  const dir = await sourceTree("bmad-method@6.0.0-alpha.7");
  const inventory = await read(dir);

  await t.step("its package has a compiled tree, a module for its authors, and the sources", () => {
    assert.deepEqual(inventory.roots.map(({ path, layout }) => `${layout}: ${path}`), [
      "compiled: bmad",
      "source modules: bmd",
      "source modules: src/core",
      "source modules: src/modules/bmb",
      "source modules: src/modules/bmgd",
      "source modules: src/modules/bmm",
      "source modules: src/modules/cis",
    ]);
    assert.deepEqual(inventory.diagnostics, []);
  });

  const below = (folder: string) =>
    ids.shelvesOf(inventory.items.filter(({ file }) => file.startsWith(`${folder}/`)));

  await t.step("each of them has exactly its own items", () => {
    assert.deepEqual(below("src"), ids.ALPHA_7);
    assert.deepEqual(below("bmad"), ids.ALPHA_7_COMPILED);
    assert.deepEqual(below("bmd"), { bmd: { agent: "cli-chief doc-keeper release-chief" } });
  });

  await t.step(
    "the sources alone are read alike, and everything in them can be used",
    () =>
      withTree({}, async (copy) => {
        await copyTree(`${dir}/src`, `${copy}/src`);
        assert.deepEqual(ids.shelvesOf((await read(copy)).items), ids.ALPHA_7);
        assert.equal(
          (await useEverything(copy)).join(","),
          "Amelia,BMad Builder,BMad Master,Bob,Carson,Cloud Dragonborn,Dr. Quinn,John,Link Freeman,Mary,Max,Maya," +
            "Murat,Sally,Samus Shepard,Sophia,Victor,Winston,paige",
        );
      }),
  );
});

Deno.test("D19: a list of plugins that leaves out skills (6.12.0) does not hide them", async () => {
  const dir = await sourceTree("bmad-method@6.12.0");
  const listed = await Deno.readTextFile(`${dir}/.claude-plugin/marketplace.json`);
  assert.doesNotMatch(listed, /bmad-build-auto/);
  const { items } = await read(dir);
  assert.equal(items.find(({ id }) => id === "bmad-build-auto")?.module, "bmm");
  assert.equal(items.filter(({ kind }) => kind === "skill").length, 50);
});
