/**
 * Is every generation of BMAD read completely from a real installation?
 *
 * Each installation is compared with the table of its release in ids.ts: nothing missing, nothing twice, nothing that
 * only looks like content. The sources of the same generations are in sources_test.ts.
 */
import assert from "node:assert/strict";
import { completeItem, readInventory } from "../../src/content/inventory/mod.ts";
import {
  diagnose,
  executeEntry,
  openLibrary,
  readEntry,
  resolveEntry,
} from "../../src/content/library/mod.ts";
import { hasKind, type Inventory } from "../../src/base/model.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import * as ids from "../support/ids.ts";
import { installation, type InstallRequest, ofThisRun, sourceTree } from "../support/installs.ts";
import { opening } from "../support/library.ts";
import { verifies } from "../support/requirements.ts";
import { copyTree, withTree } from "../support/trees.ts";

const read = (dir: string) => readInventory(diskTree(dir), { use: "project" });

const rootsOf = ({ roots }: Inventory) =>
  roots.map(({ path, layout, generation, version }) => `${layout} ${generation} ${version}: ${path}`);

const statusesOf = ({ items }: Inventory) =>
  Object.fromEntries(
    Map.groupBy(items, ({ status }) => status).entries().map(([status, group]) => [
      status,
      group.map(({ kind, id }) => `${kind} ${id}`).sort(),
    ]),
  );

async function useEverything(dir: string): Promise<{ readonly agents: readonly string[]; used: number }> {
  const library = await openLibrary([opening("project", 1, dir)], { project: dir });
  const agents: string[] = [];
  for (const entry of library.effective) {
    const { text } = await readEntry(library, entry);
    assert.ok(text.includes(`${entry.module}/${entry.id}`), entry.key);
    const raw = await executeEntry(library, entry, { raw: true });
    assert.ok(raw.length > 0, entry.key);
    const executed = await executeEntry(library, entry, {});
    const role = hasKind(entry, "agent") ? "agent" : hasKind(entry, "workflow") ? "workflow" : entry.kind;
    // A launcher is delivered as what it launches, and says so: launcher_test.ts has more.
    const isLauncher = ids.LAUNCHERS.includes(entry.id);
    // A template or checklist of v4 comes with its task: v4_forms_test.ts has more.
    const hasTask = entry.generation === "v4" && ["template", "checklist"].includes(entry.kind);
    const head = `---\n${role}: ${entry.module}/${entry.id}\n${
      isLauncher ? "how: " : hasTask ? "task: " : "---\n"
    }`;
    assert.ok(executed.startsWith(head), entry.key);
    assert.equal(executed.includes(raw.slice(0, 300)), !isLauncher, entry.key);
    if (role !== "agent") continue;
    const { displayName, title, persona } = await completeItem(diskTree(dir), entry);
    for (const fact of [displayName, title, persona?.role, persona?.identity]) assert.ok(fact, entry.key);
    assert.ok(persona!.menu.length > 0, `${entry.key} has a menu`);
    assert.ok(persona!.menu.every(({ code }) => code !== ""), `${entry.key} has a code for all its menu`);
    agents.push(displayName!);
  }
  return { agents: [...new Set(agents)].sort(), used: library.effective.length };
}

const CLAUDE = { tools: "claude-code" } as const;

const INSTALLATIONS: readonly {
  readonly request: InstallRequest;
  readonly roots: readonly string[];
  readonly shelves: ids.Shelves;
  readonly people: string;
  readonly unlisted?: readonly string[];
}[] = [
  {
    request: { version: "4.44.3", ...CLAUDE },
    roots: ["v4 v4 4.44.3: .bmad-core"],
    shelves: ids.V4_CORE,
    people: "BMad Master,BMad Orchestrator,Bob,James,John,Mary,Quinn,Sally,Sarah,Winston",
  },
  {
    request: { version: "6.0.4", ...CLAUDE },
    roots: ["compiled v6 6.0.4: _bmad"],
    shelves: ids.V6_0_4,
    people: "Amelia,BMad Master,Barry,Bob,John,Mary,Paige,Quinn,Sally,Winston",
    unlisted: ["task workflow", "workflow advanced-elicitation"],
  },
  {
    request: { version: "6.1.0", ...CLAUDE },
    roots: ["installed skills skills 6.1.0: _bmad", "compiled v6 6.1.0: _bmad"],
    shelves: ids.V6_1_0,
    people: "Amelia,BMad Master,Barry,Bob,John,Mary,Paige,Quinn,Sally,Winston",
  },
  {
    request: { version: "6.2.0", ...CLAUDE },
    roots: ["installed skills skills 6.2.0: _bmad", "compiled v6 6.2.0: _bmad"],
    shelves: ids.V6_2_0,
    people: "Amelia,Barry,Bob,John,Mary,Paige,Quinn,Sally,Winston",
  },
  {
    request: { version: "6.5.0", ...CLAUDE },
    roots: ["installed skills skills 6.5.0: _bmad"],
    shelves: ids.V6_5_0,
    people: "Amelia,John,Mary,Paige,Sally,Winston",
  },
  {
    request: { version: "6.8.0", ...CLAUDE },
    roots: ["installed skills skills 6.8.0: _bmad"],
    shelves: ids.V6_8_0,
    people: "Amelia,John,Mary,Paige,Sally,Winston",
  },
  {
    request: { version: "6.12.0", ...CLAUDE },
    roots: ["installed skills skills 6.12.0: _bmad"],
    shelves: ids.V6_12_0,
    people: "Amelia,John,Mary,Sally,Winston",
  },
  {
    request: { version: "6.12.0", tools: "cursor" },
    roots: ["installed skills skills 6.12.0: _bmad"],
    shelves: ids.V6_12_0,
    people: "Amelia,John,Mary,Sally,Winston",
  },
  {
    request: { version: "6.12.0", tools: "claude-code,cursor", extra: "shims" },
    roots: ["installed skills skills 6.12.0: _bmad"],
    shelves: ids.V6_12_0_SHIMS,
    people: "Amelia,John,Mary,Sally,Winston",
  },
];

for (
  const { request, roots, shelves, people, unlisted } of ofThisRun(
    INSTALLATIONS,
    ({ request }) => request.version,
  )
) {
  const label = [request.version, request.tools, request.extra].filter((word) => word !== undefined).join(
    " ",
  );
  Deno.test(`the installation of ${label} is read completely`, async (t) => {
    const dir = await installation(request);
    const inventory = await read(dir);

    await t.step("its roots have their versions, and there are no issues", () => {
      assert.deepEqual(rootsOf(inventory), roots);
      assert.deepEqual(inventory.diagnostics, []);
      assert.ok(inventory.items.every(({ version }) => version === request.version));
    });

    await t.step("each module has exactly the items of the release, each of them once", () => {
      const kinds = request.version === "4.44.3" ? ids.V4_KINDS : undefined;
      const found = ids.shelvesOf(inventory.items, kinds);
      assert.deepEqual(ids.countsOf(found), ids.countsOf(shelves));
      assert.deepEqual(found, shelves);
    });

    await t.step(
      "every record has its file, and is in a manifest unless it is a part of the machinery",
      () => {
        const { "verified": _, "not-in-manifest": others = [], ...rest } = statusesOf(inventory);
        assert.deepEqual(others, unlisted ?? []);
        assert.deepEqual(rest, {});
      },
    );

    await t.step("everything can be read and executed, and each agent is a person with a menu", async () => {
      const { agents, used } = await useEverything(dir);
      assert.equal(agents.join(","), people);
      assert.equal(used, inventory.items.length);
    });
  });
}

Deno.test("exports to coding tools are never taken for content", async (t) => {
  const filesOf = async (request: InstallRequest) =>
    (await read(await installation(request))).items.map(({ file }) => file);

  await t.step("the commands and rules that v4 copies are left alone", async () => {
    const dir = await installation({ version: "4.44.3", tools: "claude-code,cursor", extra: "packs" });
    assert.ok((await Deno.stat(`${dir}/.claude/commands/BMad/agents/qa.md`)).isFile);
    assert.ok((await Deno.stat(`${dir}/.cursor/rules/bmad/qa.mdc`)).isFile);
    assert.deepEqual((await read(dir)).items.filter(({ file }) => !file.startsWith(".bmad-")), []);
  });

  await t.step("the commands of 6.0 are left alone", async () => {
    const dir = await installation({ version: "6.0.4", ...CLAUDE });
    assert.ok((await Deno.stat(`${dir}/.claude/commands/bmad-agent-bmm-pm.md`)).isFile);
    const files = await filesOf({ version: "6.0.4", ...CLAUDE });
    assert.deepEqual(files.filter((file) => !file.startsWith("_bmad/")), []);
  });

  for (const version of ["6.1.0", "6.2.0"] as const) {
    await t.step(`the agents of ${version} are the compiled ones and not their stubs`, async () => {
      const dir = await installation({ version, ...CLAUDE });
      assert.match(await Deno.readTextFile(`${dir}/.claude/skills/bmad-pm/SKILL.md`), /agent-activation/);
      const { items } = await read(dir);
      assert.deepEqual(items.filter(({ id }) => id === "bmad-pm"), []);
      const agents = items.filter((item) => hasKind(item, "agent"));
      assert.deepEqual([...new Set(agents.map(({ generation }) => generation))], ["v6"]);
      assert.deepEqual(agents.filter(({ file }) => !file.startsWith("_bmad/")), []);
    });
  }
});

Deno.test(verifies("names:menu-code", "a command of v4 is found without its argument"), async () => {
  const library = await openLibrary([
    opening("project", 1, await installation({ version: "4.44.3", tools: "claude-code" })),
  ]);
  const analyst = resolveEntry(library, { name: "analyst" });
  for (const item of ["brainstorm", "*brainstorm", "brainstorm {topic}"]) {
    assert.match(await executeEntry(library, analyst, { item }), /^menu-item: brainstorm \{topic\}/m, item);
  }
});

Deno.test("v4 with all its packs is read completely", async (t) => {
  const dir = await installation({ version: "4.44.3", tools: "claude-code,cursor", extra: "packs" });
  const inventory = await read(dir);

  await t.step(
    verifies("origins:project-roots", "core and each pack is a root with a version of its own"),
    () => {
      assert.deepEqual(rootsOf(inventory), [
        "v4 v4 1.13.0: .bmad-2d-phaser-game-dev",
        "v4 v4 1.6.0: .bmad-2d-unity-game-dev",
        "v4 v4 4.44.3: .bmad-core",
        "v4 v4 1.1.1: .bmad-creative-writing",
        "v4 v4 1.0.0: .bmad-godot-game-dev",
        "v4 v4 1.12.0: .bmad-infrastructure-devops",
      ]);
      assert.deepEqual(inventory.diagnostics, []);
    },
  );

  await t.step("every module has its items: 43 agents, 30 of them different", () => {
    const { "bmad-core": core, ...packs } = ids.shelvesOf(inventory.items, ids.V4_KINDS);
    assert.deepEqual({ "bmad-core": core }, ids.V4_CORE);
    const counts = Object.fromEntries(
      Object.entries(packs).map(([module, shelf]) => [
        module,
        ids.V4_KINDS.map((kind) => shelf[kind]?.split(" ").length ?? 0),
      ]),
    );
    assert.deepEqual(counts, ids.V4_PACK_COUNTS.installed);
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

Deno.test("the compiled tree in the package of 6.0.0-alpha.7 is read completely", () =>
  withTree({}, async (dir) => {
    await copyTree(`${await sourceTree("bmad-method@6.0.0-alpha.7")}/bmad`, `${dir}/bmad`);
    const inventory = await read(dir);
    assert.deepEqual(rootsOf(inventory), ["compiled v6 6.0.0-alpha.6: bmad"]);
    // Its manifests name most items two or three times.
    assert.deepEqual(ids.shelvesOf(inventory.items), ids.ALPHA_7_COMPILED);
    assert.deepEqual(inventory.modules.map(({ code }) => code).sort(), ["bmb", "core"]);
    assert.deepEqual(Object.keys(statusesOf(inventory)), ["verified"]);
    const { agents } = await useEverything(dir);
    assert.deepEqual(agents, ["BMad Builder", "BMad Master"]);
  }));

Deno.test("several generations in one project are all read, each separately", (t) =>
  withTree({}, async (dir) => {
    await copyTree(await installation({ version: "4.44.3", ...CLAUDE }), dir);
    await copyTree(await installation({ version: "6.12.0", ...CLAUDE }), dir);
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
      const library = await openLibrary([opening("project", 1, dir)], { project: dir });
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
  }));

Deno.test("an installation without a coding tool lists its skills and reports that they have no files", () =>
  withTree({}, async (dir) => {
    await copyTree(await installation({ version: "6.5.0", ...CLAUDE }), dir);
    await Deno.remove(`${dir}/.claude`, { recursive: true });
    const inventory = await read(dir);
    assert.deepEqual(ids.shelvesOf(inventory.items), ids.V6_5_0);
    assert.deepEqual(Object.keys(statusesOf(inventory)), ["no-file-found"]);
    assert.deepEqual(inventory.diagnostics.map(({ message }) => message), [
      "42 of 42 skills in the manifest have no file (core/bmad-advanced-elicitation, core/bmad-brainstorming, core/bmad-customize, …)",
    ]);
    const library = await openLibrary([opening("project", 1, dir)], { project: dir });
    assert.deepEqual(library.effective, []);
  }));

const openAt = (dir: string) => openLibrary([opening("project", 1, dir)], { project: dir });

Deno.test("D6: manifest paths into an empty root (6.3+) mean the skills of the IDE", async () => {
  const { items } = await read(await installation({ version: "6.12.0", ...CLAUDE }));
  assert.deepEqual([...new Set(items.map(({ file }) => file.split("/").slice(0, 2).join("/")))], [
    ".claude/skills",
  ]);
  assert.deepEqual(items.filter(({ status }) => status !== "verified"), []);
});

Deno.test("D17: a skill that was put into the wrong module (6.2.0) is found there and by its name", async () => {
  const library = await openAt(await installation({ version: "6.2.0", ...CLAUDE }));
  for (const name of ["bmad-create-prd", "create-prd", "core/create-prd"]) {
    assert.equal(resolveEntry(library, { name }).key, "project:core:skill:bmad-create-prd", name);
  }
});

Deno.test("D20: files that a text only names as examples are not reported", async () => {
  const library = await openAt(await installation({ version: "6.12.0", ...CLAUDE }));
  const entry = resolveEntry(library, { name: "analyst" });
  assert.match(await executeEntry(library, entry, { raw: true }), /references\/guide\.md/);
  assert.deepEqual(await diagnose(library), []);
});
