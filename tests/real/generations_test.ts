/** Is every release of BMAD read completely, from its installations and from its sources? */
import assert from "node:assert/strict";
import { completeItem, readInventory } from "../../src/content/inventory/mod.ts";
import {
  diagnose,
  executeEntry,
  openLibrary,
  readEntry,
  resolveEntry,
} from "../../src/content/library/mod.ts";
import { hasKind, type Inventory, isHidden, type TreeUse } from "../../src/base/model.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import { say } from "../support/answers.ts";
import { clientHere } from "../support/client.ts";
import * as ids from "../support/ids.ts";
import { installation, type InstallRequest, type InstallVersion, ofThisRun } from "../support/installs.ts";
import { type SourcePackage, sourceTree } from "../support/installs.ts";
import { opening, openProject } from "../support/library.ts";
import { isOfThisRun } from "../support/run.ts";
import { copyTree, treeTest, withTree } from "../support/trees.ts";

const read = (dir: string, use: TreeUse = "project") => readInventory(diskTree(dir), use);

const rootsOf = ({ roots }: Inventory) =>
  roots.map(({ path, layout, generation, version }) => `${layout} ${generation} ${version}: ${path}`);

const statusesOf = ({ items }: Inventory) =>
  Object.fromEntries(
    Map.groupBy(items, ({ status }) => status).entries().map(([status, group]) => [
      status,
      group.map(({ kind, id }) => `${kind} ${id}`).sort(),
    ]),
  );

/** Reads and executes everything in a folder; the names of its agents, and how much there is. */
async function useEverything(
  dir: string,
  kind: "project" | "cli" = "project",
): Promise<{ readonly agents: string; readonly used: number }> {
  const library = await openLibrary([opening(kind, 1, dir)], { project: dir });
  const agents: string[] = [];
  for (const entry of library.effective) {
    const { text } = await readEntry(library, entry);
    assert.ok(text.includes(`${entry.module}/${entry.id}`), entry.key);
    const raw = await executeEntry(library, entry, { raw: true });
    assert.ok(raw.length > 0, entry.key);
    const executed = await executeEntry(library, entry, {});
    // A launcher is delivered as what it launches, and says so: launcher_test.ts has more.
    const isLauncher = ids.LAUNCHERS.includes(entry.id);
    // Uninstalled agents are compiled: agent_source_test.ts. What an installer fills in is filled in: placeholders_test.ts.
    const kept = entry.file.endsWith(".agent.yaml")
      ? `\n<agent id="${entry.module}/${entry.id}" `
      : raw.slice(0, 300).split(/\{root\}|\{bmad_folder\}/)[0]!;
    assert.equal(executed.includes(kept), !isLauncher, entry.key);
    if (kind === "project") {
      const role = hasKind(entry, "agent") ? "agent" : hasKind(entry, "workflow") ? "workflow" : entry.kind;
      // A template or checklist of v4 comes with its task: v4_forms_test.ts has more.
      const hasTask = entry.generation === "v4" && ["template", "checklist"].includes(entry.kind);
      const next = isLauncher ? "how: " : hasTask ? "task: " : "---\n";
      assert.ok(executed.startsWith(`---\n${role}: ${entry.module}/${entry.id}\n${next}`), entry.key);
    }
    if (!hasKind(entry, "agent")) continue;
    const { displayName, title, persona } = await completeItem(diskTree(dir), entry);
    for (const fact of [displayName, title, persona?.role, persona?.identity]) assert.ok(fact, entry.key);
    assert.ok(persona!.menu.length > 0, `${entry.key} has a menu`);
    assert.ok(persona!.menu.every(({ code }) => code !== ""), `${entry.key} has a code for all its menu`);
    agents.push(displayName!);
  }
  return { agents: [...new Set(agents)].sort().join(), used: library.effective.length };
}

/** What of a release is read, and what it must hold: an installation, or the sources in a package. */
const RELEASES: readonly {
  readonly of: InstallRequest | SourcePackage;
  /** Of an installation with layout, generation and version; sources have the package's version. */
  readonly roots: readonly string[];
  readonly shelves: ids.Shelves;
  readonly people: string;
  readonly unlisted?: readonly string[];
}[] = [
  {
    of: { version: "4.44.3", tools: "claude-code" },
    roots: ["v4 v4 4.44.3: .bmad-core"],
    shelves: ids.V4_CORE,
    people: "BMad Master,BMad Orchestrator,Bob,James,John,Mary,Quinn,Sally,Sarah,Winston",
  },
  {
    of: { version: "6.0.4", tools: "claude-code" },
    roots: ["compiled v6 6.0.4: _bmad"],
    shelves: ids.V6_0_4,
    people: "Amelia,BMad Master,Barry,Bob,John,Mary,Paige,Quinn,Sally,Winston",
    unlisted: ["task workflow", "workflow advanced-elicitation"],
  },
  {
    of: { version: "6.1.0", tools: "claude-code" },
    roots: ["installed skills skills 6.1.0: _bmad", "compiled v6 6.1.0: _bmad"],
    shelves: ids.V6_1_0,
    people: "Amelia,BMad Master,Barry,Bob,John,Mary,Paige,Quinn,Sally,Winston",
  },
  {
    of: { version: "6.2.0", tools: "claude-code" },
    roots: ["installed skills skills 6.2.0: _bmad", "compiled v6 6.2.0: _bmad"],
    shelves: ids.V6_2_0,
    people: "Amelia,Barry,Bob,John,Mary,Paige,Quinn,Sally,Winston",
  },
  {
    of: { version: "6.3.0", tools: "claude-code" },
    roots: ["installed skills skills 6.3.0: _bmad", "compiled v6 6.3.0: _bmad"],
    shelves: ids.V6_3_0,
    people: "Amelia,John,Mary,Paige,Sally,Winston",
  },
  {
    of: { version: "6.5.0", tools: "claude-code" },
    roots: ["installed skills skills 6.5.0: _bmad"],
    shelves: ids.V6_5_0,
    people: "Amelia,John,Mary,Paige,Sally,Winston",
  },
  {
    of: { version: "6.8.0", tools: "claude-code" },
    roots: ["installed skills skills 6.8.0: _bmad"],
    shelves: ids.V6_8_0,
    people: "Amelia,John,Mary,Paige,Sally,Winston",
  },
  {
    of: { version: "6.12.0", tools: "claude-code" },
    roots: ["installed skills skills 6.12.0: _bmad"],
    shelves: ids.V6_12_0,
    people: "Amelia,John,Mary,Sally,Winston",
  },
  {
    of: { version: "6.12.0", tools: "cursor" },
    roots: ["installed skills skills 6.12.0: _bmad"],
    shelves: ids.V6_12_0,
    people: "Amelia,John,Mary,Sally,Winston",
  },
  {
    of: { version: "6.12.0", tools: "claude-code,cursor", extra: "shims" },
    roots: ["installed skills skills 6.12.0: _bmad"],
    shelves: ids.V6_12_0_SHIMS,
    people: "Amelia,John,Mary,Sally,Winston",
  },

  {
    of: "bmad-method@6.0.0-alpha.22",
    roots: ["src/core", "src/modules/bmb", "src/modules/bmgd", "src/modules/bmm", "src/modules/cis"],
    shelves: ids.ALPHA_22,
    people:
      "Amelia,BMad Master,Barry,Bob,Bond,Caravaggio,Carson,Cloud Dragonborn,Dr. Quinn,GLaDOS,Indie,John," +
      "Link Freeman,Mary,Max,Maya,Morgan,Murat,Paige,Sally,Samus Shepard,Sophia,Victor,Wendy,Winston",
  },
  {
    of: "bmad-method@6.0.0-Beta.5",
    roots: ["src/bmm", "src/core"],
    shelves: ids.BETA_5,
    people: "Amelia,BMad Master,Barry,Bob,John,Mary,Paige,Quinn,Sally,Winston",
  },
  {
    of: "bmad-method@6.0.4",
    roots: ["src/bmm", "src/core"],
    shelves: ids.V6_0_4,
    people: "Amelia,BMad Master,Barry,Bob,John,Mary,Paige,Quinn,Sally,Winston",
  },
  {
    of: "bmad-method@6.12.0",
    roots: ["src/bmm-skills", "src/core-skills"],
    shelves: ids.V6_12_0_SHIMS,
    people: "Amelia,John,Mary,Sally,Winston",
  },
  {
    of: "bmad-method-test-architecture-enterprise@1.27.2",
    roots: ["src"],
    shelves: ids.TEA,
    people: "Murat",
  },
];

const labelOf = (of: InstallRequest | SourcePackage) =>
  typeof of === "string"
    ? `sources of ${of}`
    : [of.version, of.tools, of.extra].filter((word) => word !== undefined).join(" ");

for (const { of, roots, shelves, people, unlisted = [] } of RELEASES) {
  const isSource = typeof of === "string";
  const isSampled = !isSource && ofThisRun([of.version], (version) => version).length > 0;
  if (!(isSource ? isOfThisRun(false) : isSampled)) continue;
  Deno.test(`everything is read: ${labelOf(of)}`, async (t) => {
    const dir = await (isSource ? sourceTree(of) : installation(of));
    const version = isSource ? of.split("@")[1] : of.version;
    const inventory = await read(dir, isSource ? "named" : "project");

    await t.step("its roots have their versions, and there are no issues", () => {
      assert.deepEqual(isSource ? inventory.roots.map(({ path }) => path) : rootsOf(inventory), roots);
      assert.ok([...inventory.roots, ...inventory.items].every((one) => one.version === version));
      assert.deepEqual(inventory.diagnostics, []);
    });

    await t.step("each module has exactly the items of the release, each of them once", () => {
      const found = ids.shelvesOf(inventory.items, version === "4.44.3" ? ids.V4_KINDS : undefined);
      assert.deepEqual(ids.countsOf(found), ids.countsOf(shelves));
      assert.deepEqual(found, shelves);
    });

    await t.step("every record has its file, and is listed unless it is a part of the machinery", () => {
      const { "verified": _, "not-in-manifest": others = [], ...rest } = statusesOf(inventory);
      assert.deepEqual([others, rest], [unlisted, {}]);
    });

    await t.step("everything can be read and executed, and each agent is a person with a menu", async () => {
      const { agents, used } = await useEverything(dir, isSource ? "cli" : "project");
      assert.equal(agents, people);
      if (!isSource) assert.equal(used, inventory.items.length);
    });
  });
}

Deno.test("exports to coding tools are never taken for content", async (t) => {
  await t.step("the commands and rules that v4 copies are left alone", async () => {
    const dir = await installation({ version: "4.44.3", tools: "claude-code,cursor", extra: "packs" });
    assert.ok((await Deno.stat(`${dir}/.claude/commands/BMad/agents/qa.md`)).isFile);
    assert.ok((await Deno.stat(`${dir}/.cursor/rules/bmad/qa.mdc`)).isFile);
    assert.deepEqual((await read(dir)).items.filter(({ file }) => !file.startsWith(".bmad-")), []);
  });

  await t.step("the commands of 6.0 are left alone", async () => {
    const dir = await installation("6.0.4");
    assert.ok((await Deno.stat(`${dir}/.claude/commands/bmad-agent-bmm-pm.md`)).isFile);
    const files = (await read(dir)).items.map(({ file }) => file);
    assert.deepEqual(files.filter((file) => !file.startsWith("_bmad/")), []);
  });

  for (const version of ["6.1.0", "6.2.0"] as const) {
    await t.step(`the agents of ${version} are the compiled ones and not their stubs`, async () => {
      const dir = await installation(version);
      assert.match(await Deno.readTextFile(`${dir}/.claude/skills/bmad-pm/SKILL.md`), /agent-activation/);
      const { items } = await read(dir);
      assert.deepEqual(items.filter(({ id }) => id === "bmad-pm"), []);
      const agents = items.filter((item) => hasKind(item, "agent"));
      assert.deepEqual([...new Set(agents.map(({ generation }) => generation))], ["v6"]);
      assert.deepEqual(agents.filter(({ file }) => !file.startsWith("_bmad/")), []);
    });
  }
});

Deno.test("a command of v4 is found without its argument [names:menu-code]", async () => {
  const library = await openProject(await installation("4.44.3"));
  const analyst = resolveEntry(library, { name: "analyst" });
  for (const item of ["brainstorm", "*brainstorm", "brainstorm {topic}"]) {
    assert.match(await executeEntry(library, analyst, { item }), /^menu-item: brainstorm \{topic\}/m, item);
  }
});

const packCounts = (packs: ids.Shelves) =>
  Object.fromEntries(
    Object.entries(packs).map(([module, shelf]) => [
      module,
      ids.V4_KINDS.map((kind) => shelf[kind]?.split(" ").length ?? 0),
    ]),
  );

Deno.test("v4 with all its packs is read completely", async (t) => {
  const dir = await installation({ version: "4.44.3", tools: "claude-code,cursor", extra: "packs" });
  const inventory = await read(dir);

  await t.step("core and each pack is a root with a version of its own [origins:project-roots]", () => {
    assert.deepEqual(rootsOf(inventory), [
      "v4 v4 1.13.0: .bmad-2d-phaser-game-dev",
      "v4 v4 1.6.0: .bmad-2d-unity-game-dev",
      "v4 v4 4.44.3: .bmad-core",
      "v4 v4 1.1.1: .bmad-creative-writing",
      "v4 v4 1.0.0: .bmad-godot-game-dev",
      "v4 v4 1.12.0: .bmad-infrastructure-devops",
    ]);
    assert.deepEqual(inventory.diagnostics, []);
  });

  await t.step("every module has its items: 43 agents, 30 of them different", () => {
    const { "bmad-core": core, ...packs } = ids.shelvesOf(inventory.items, ids.V4_KINDS);
    assert.deepEqual({ "bmad-core": core }, ids.V4_CORE);
    assert.deepEqual(packCounts(packs), ids.V4_PACK_COUNTS.installed);
    const agents = Object.fromEntries(Object.entries(packs).map(([module, { agent }]) => [module, agent]));
    assert.deepEqual(agents, ids.V4_PACK_AGENTS);
    const all = inventory.items.filter(({ kind }) => kind === "agent").map(({ id }) => id);
    assert.deepEqual([all.length, new Set(all).size], [43, 30]);
  });

  await t.step("everything can be read and executed", async () => {
    const { used } = await useEverything(dir);
    assert.equal(used, 290);
  });
});

treeTest("several generations in one project are all read, each separately", {}, async (dir, t) => {
  await copyTree(await installation("4.44.3"), dir);
  await copyTree(await installation("6.12.0"), dir);
  const { roots, items, diagnostics } = await read(dir);
  assert.deepEqual(roots.map(({ path, version }) => `${path} ${version}`), [
    "_bmad 6.12.0",
    ".bmad-core 4.44.3",
  ]);
  assert.deepEqual(ids.shelvesOf(items.filter(({ generation }) => generation === "skills")), ids.V6_12_0);
  const old = items.filter(({ generation }) => generation === "v4");
  assert.deepEqual(ids.shelvesOf(old, ids.V4_KINDS), ids.V4_CORE);
  assert.deepEqual(diagnostics, []);

  await t.step("each of them is found by its module, and a plain name means the newest", async () => {
    const library = await openProject(dir);
    for (
      const [name, file] of [
        ["bmm/analyst", ".claude/skills/bmad-agent-analyst/SKILL.md"],
        ["bmad-core/analyst", ".bmad-core/agents/analyst.md"],
        ["bmad-agent-pm", ".claude/skills/bmad-agent-pm/SKILL.md"],
        ["ux-expert", ".claude/skills/bmad-agent-ux-designer/SKILL.md"],
      ] as const
    ) {
      assert.equal(resolveEntry(library, { name }).file, file);
    }
  });
});

Deno.test("D6: manifest paths into an empty root (6.3+) mean the skills of the IDE", async () => {
  const { items } = await read(await installation("6.12.0"));
  assert.deepEqual([...new Set(items.map(({ file }) => file.split("/").slice(0, 2).join("/")))], [
    ".claude/skills",
  ]);
  assert.deepEqual(items.filter(({ status }) => status !== "verified"), []);
});

Deno.test("D17: a skill that was put into the wrong module (6.2.0) is found there and by its name", async () => {
  const library = await openProject(await installation("6.2.0"));
  for (const name of ["bmad-create-prd", "create-prd", "core/create-prd"]) {
    assert.equal(resolveEntry(library, { name }).key, "project:core:skill:bmad-create-prd", name);
  }
});

Deno.test("D20: files that a text only names as examples are not reported", async () => {
  const library = await openProject(await installation("6.12.0"));
  const entry = resolveEntry(library, { name: "analyst" });
  assert.match(await executeEntry(library, entry, { raw: true }), /references\/guide\.md/);
  assert.deepEqual(await diagnose(library), []);
});

if (isOfThisRun(false)) {
  Deno.test("the source of 4.44.3 is read completely", async (t) => {
    const dir = await sourceTree("bmad-method@4.44.3");
    const inventory = await read(dir, "named");
    const { common, "bmad-core": core, ...packs } = ids.shelvesOf(inventory.items, ids.V4_KINDS);

    await t.step("core, the shared files and each pack have their items", () => {
      assert.deepEqual({ "bmad-core": core, common }, ids.V4_SOURCE);
      assert.deepEqual(packCounts(packs), ids.V4_PACK_COUNTS.source);
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
      assert.equal((await useEverything(dir, "cli")).agents.split(",").length, 32);
    });
  });
}

Deno.test("the source of 6.0.0-alpha.7 is read completely", async (t) => {
  const dir = await sourceTree("bmad-method@6.0.0-alpha.7");
  const inventory = await read(dir, "named");

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
        assert.deepEqual(ids.shelvesOf((await read(copy, "named")).items), ids.ALPHA_7);
        assert.equal(
          (await useEverything(copy, "cli")).agents,
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
  const { items } = await read(dir, "named");
  assert.equal(items.find(({ id }) => id === "bmad-build-auto")?.module, "bmm");
  assert.equal(items.filter(({ kind }) => kind === "skill").length, 50);
});

const V6: readonly InstallVersion[] = ["6.0.4", "6.1.0", "6.2.0", "6.5.0", "6.8.0", "6.12.0"];

/** With and without its module, every id, person, command and skill that an installer wrote for Claude Code. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  return entries.map(({ name }) => name.replace(/\.md$/, ""));
}

for (const version of ofThisRun(V6, (version) => version)) {
  Deno.test(`names in a ${version} project mean its own items [names:best-origin]`, async () => {
    const dir = await installation(version);
    const library = await openLibrary([
      opening("project", 1, dir),
      opening("git", 5, await sourceTree("bmad-method-test-architecture-enterprise@1.27.2")),
      opening("package", 9, await sourceTree("bmad-method@6.12.0")),
    ]);
    const own = library.manifest.entries.filter((entry) => entry.rank === 0 && !isHidden(entry));
    const names = new Set([
      ...await namesIn(`${dir}/.claude/commands`),
      ...await namesIn(`${dir}/.claude/skills`),
      ...own.flatMap(({ module, id, displayName }) => [
        id,
        ...[`${module}/${id}`, `${module}-${id}`, `${module}.${id}`],
        id.replaceAll("-", " "),
        ...(displayName === undefined ? [] : [displayName]),
      ]),
    ]);
    assert.ok(names.size > 100, `${names.size} names`);
    const strays = [...names].map((name) => [name, resolveEntry(library, { name }).key] as const)
      .filter(([, key]) => !key.startsWith("project:"));
    assert.deepEqual(strays, []);
  });
}

const SAMPLES: readonly InstallVersion[] = ["4.44.3", "6.0.4", "6.2.0", "6.12.0"];

for (const version of ofThisRun(SAMPLES, (version) => version)) {
  Deno.test(`the agents of ${version} are in the context [memory:context-agents]`, async () => {
    const cwd = await installation(version);
    const args = ["--toolsets", "memory", "--no-embedder"];
    await using client = await clientHere({ era: "2026", cwd, args });
    const call = { section: "agents", format: "json" };
    const { agents } = JSON.parse(await say(client, call, "get_project_context"));
    const names = agents.map(({ name, displayName }: Record<string, string>) => `${name} ${displayName}`);
    for (const name of ["analyst Mary", "architect Winston", "pm John"]) {
      assert.equal(names.filter((one: string) => one === name).length, 1, `${name}: ${names.join(", ")}`);
    }
    assert.equal(new Set(names).size, names.length);
    assert.match(await say(client, { section: "agents" }, "get_project_context"), /\n- architect: .*Winston/);
  });
}
