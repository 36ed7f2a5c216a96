/** Is knowledge found by its domain, and one fragment of it by its name or by words? */
import assert from "node:assert/strict";
import {
  findKnowledge,
  type Knowledge,
  type Library,
  openLibrary,
} from "../../../../src/content/library/mod.ts";
import { BmadError } from "../../../../src/base/errors.ts";
import { opening, openOrigins, testsOver } from "../../../support/library.ts";
import { type TreeFile, treeTest, withTree } from "../../../support/trees.ts";

const INDEX = [
  "id,name,description,tags,tier,fragment_file",
  'tides,Reading Tides,"When water comes, and when it goes","water,coast patterns",core,knowledge/tides.md',
  "winds,Trade Winds,Where they blow,air,extra,knowledge/winds.md",
  "lost,Lost,Nobody has it,,core,knowledge/lost.md",
  "out,Out,It leads out of its folder,,core,../../../../../secret.md",
  ",Nameless,It has no id,,core,knowledge/tides.md",
].join("\n");

function skill(id: string, files: Readonly<Record<string, TreeFile>>): Record<string, TreeFile> {
  const folder = `bmad/src/${id}`;
  const own = Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]);
  return {
    [`${folder}/SKILL.md`]: `---\nname: ${id}\ndescription: Does ${id}\n---\n`,
    ...Object.fromEntries(own),
  };
}

const WITH_INDEX = {
  "resources/tea-index.csv": INDEX,
  "resources/knowledge/tides.md": "# Tides\nTwice a day.\n",
  "resources/knowledge/winds.md": "# Winds\nFrom the west.\n",
};

const FILES: Readonly<Record<string, TreeFile>> = {
  "secret.md": "# Secret\n",
  "bmad/src/module.yaml": "code: sea\nname: Sea\n",
  "bmad/src/module-help.csv": "module,skill,display-name\n",
  ...skill("bmad-sail", WITH_INDEX),
  ...skill("bmad-row", WITH_INDEX),
  ...skill("bmad-harbour-architecture", {
    "data/kinds.csv": "kind,depth\nbasin,4\npier,9\n",
    "data/limits.yaml": "# Limits of a harbour\ndepth: 3\n",
    "knowledge/lights/red.md": "---\ndescription: What red means\n---\n# Red Lights\n",
    "references/pilots.md": "<!-- ours -->\n\n# Pilots\n\n- a list\n\nThey know the way in.\n",
    "references/a-template.md": "# Fill this in\n",
    "steps/data/step-01.md": "# Begin\n",
    "resources/log.example.md": "# An example\n",
    "README.md": "# Read me\n",
  }),
  ...skill("bmad-fish", { "data/kinds.csv": "kind,depth\nbasin,4\npier,9\n" }),
};

async function withSea(ask: (library: Library) => Promise<void>): Promise<void> {
  await withTree(FILES, async (dir) => ask(await openLibrary([opening("cli", 2, `${dir}/bmad`)])));
}

const seaTest = testsOver(withSea);

function linesOf(found: Knowledge): readonly string[] {
  assert.ok(found.is === "index", "an index was wanted");
  return found.rows.map(({ name, about }) => `${name}: ${about}`);
}

function urisOf(found: Knowledge): readonly string[] {
  assert.ok(found.is === "fragments", "fragments were wanted");
  return found.files.map(({ uri }) => uri);
}

const TIDES = "bmad://sea/bmad-row/resources/knowledge/tides.md";
const WINDS = "bmad://sea/bmad-row/resources/knowledge/winds.md";

seaTest("the domains are those of the content, without other files", async (library) => {
  assert.deepEqual(linesOf(await findKnowledge(library, {})), [
    "fish: 1 in sea: kinds",
    "harbour-architecture: 3 in sea: kinds, limits, pilots",
    "lights: 1 in sea: red",
    "testarch: 2 in sea: tides, winds",
  ]);
});

seaTest("a domain gives its index: ids, titles and tags [toolsets:knowledge]", async (library) => {
  const found = await findKnowledge(library, { domain: "testarch" });
  // Two skills carry the same index: it counts once. Rows without a file, or out of the folder, do not count.
  assert.deepEqual(linesOf(found), [
    "tides: Reading Tides [water, coast patterns]: When water comes, and when it goes",
    "winds: Trade Winds [air]: Where they blow",
  ]);
  assert.deepEqual(found.is === "index" && found.rows[0]!.data, {
    id: "tides",
    domain: "testarch",
    module: "sea",
    name: "Reading Tides",
    description: "When water comes, and when it goes",
    tags: ["water", "coast patterns"],
    tier: "core",
    uri: TIDES,
    origin: "cli",
  });
  assert.deepEqual(linesOf(await findKnowledge(library, { domain: "bmad-harbour-architecture" })), [
    "kinds: table of 2 rows: kind, depth",
    "limits: Limits of a harbour",
    "pilots: Pilots: They know the way in.",
  ]);
  assert.deepEqual(linesOf(await findKnowledge(library, { domain: "Lights" })), [
    "red: Red Lights: What red means",
  ]);
});

treeTest("a domain is said to have as many fragments as its index lists [toolsets:knowledge]", {
  ...FILES,
  ...skill("bmad-lights", { "data/bulbs.csv": "kind\nred\n" }),
  ...skill("bmad-night", { "data/lights.csv": "kind\nred\n", "data/stars.md": "# Stars\n" }),
}, async (dir) => {
  const library = await openLibrary([opening("cli", 2, `${dir}/bmad`)]);
  const all = await findKnowledge(library, {});
  assert.ok(all.is === "index");
  for (const { name, data } of all.rows) {
    const found = await findKnowledge(library, { domain: name });
    assert.equal(found.is === "index" && found.rows.length, data["fragments"], name);
  }
  assert.ok(linesOf(all).includes("lights: 3 in sea: red, bulbs, lights"), `${linesOf(all)}`);
});

seaTest(
  "a topic gives its fragments by id, title or words [toolsets:knowledge]",
  async (library) => {
    const topics: readonly (readonly [domain: string, topic: string, uris: readonly string[]])[] = [
      ["testarch", "tides", [TIDES]],
      ["TESTARCH", " Tides.md ", [TIDES]],
      ["testarch", "Reading tides", [TIDES]],
      ["testarch", "winds, tides", [WINDS, TIDES]],
      ["testarch", "water", [TIDES]],
      ["sea", "testarch/winds", [WINDS]],
      // What another domain has is given rather than refused.
      ["lights", "tides", [TIDES]],
      ["sea", "kinds", ["bmad://sea/bmad-fish/data/kinds.csv"]],
    ];
    for (const [domain, topic, uris] of topics) {
      assert.deepEqual(
        urisOf(await findKnowledge(library, { domain, topic })),
        uris,
        `${domain}: ${topic}`,
      );
    }
    const found = await findKnowledge(library, { domain: "testarch", topic: "tides" });
    assert.equal(found.is === "fragments" && found.files[0]!.text, "# Tides\nTwice a day.\n");
  },
);

seaTest("a subject is any word in names and tags [toolsets:knowledge]", async (library) => {
  const names = async (domain: string, topic?: string) =>
    linesOf(await findKnowledge(library, { domain, topic })).map((line) => line.split(":")[0]);
  assert.deepEqual(await names("architecture"), ["kinds", "limits", "pilots"]);
  assert.deepEqual(await names("pattern"), ["tides"]);
  assert.deepEqual(await names("kinds"), ["kinds"]);
  // All of a module, copies once.
  assert.deepEqual(await names("sea"), [
    "testarch/tides",
    "testarch/winds",
    "fish/kinds",
    "harbour-architecture/limits",
    "lights/red",
    "harbour-architecture/pilots",
  ]);
  assert.deepEqual(await names("sea", "harbour"), ["limits", "pilots"]);
});

seaTest("an unknown domain or topic gets suggestions [toolsets:knowledge]", async (library) => {
  await assert.rejects(findKnowledge(library, { domain: "testarhc" }), {
    message: 'No knowledge domain named "testarhc". Did you mean testarch? ' +
      "Domains: fish, harbour-architecture, lights, testarch",
  });
  await assert.rejects(findKnowledge(library, { domain: "testarch", topic: "tidse" }), {
    message: 'No fragment on testarch named "tidse". Did you mean tides? ' +
      "Leave out the topic to list all 2 fragments on testarch",
  });
  await assert.rejects(findKnowledge(library, { domain: "testarch", topic: "," }), {
    failure: {
      code: "not-found",
      what: "fragment on testarch",
      name: ",",
      suggestions: [],
      hint: "Leave out the topic to list all 2 fragments on testarch",
    },
  });
  await withTree({ "bmad/bmm/agents/cook.md": "# Cook\n" }, async (dir) => {
    const empty = await openLibrary([opening("project", 1, dir)]);
    assert.deepEqual(linesOf(await findKnowledge(empty, {})), []);
    await assert.rejects(findKnowledge(empty, { domain: "testarch" }), {
      message: 'No knowledge domain named "testarch". The served content has no knowledge',
    });
  });
});

seaTest("knowledge of a higher priority overrides that of a lower one", async (sea) => {
  const mine = skill("bmad-sail", {
    "resources/tea-index.csv": "id,name,fragment_file\ntides,My Tides,knowledge/tides.md\n",
    "resources/knowledge/tides.md": "# Mine\n",
  });
  await withTree(
    { "bmad/src/module.yaml": "code: sea\n", "bmad/src/module-help.csv": "module\n", ...mine },
    async (dir) => {
      const below = sea.sources[0]!;
      const library = await openLibrary([
        opening("cli", 2, `${dir}/bmad`),
        { origin: { ...below.origin, id: "env" }, tree: below.tree, use: "named" },
      ]);
      assert.deepEqual(linesOf(await findKnowledge(library, { domain: "testarch" })), [
        "tides: My Tides",
        "winds: Trade Winds [air]: Where they blow",
      ]);
      const found = await findKnowledge(library, { domain: "testarch", topic: "tides" });
      assert.equal(found.is === "fragments" && found.files[0]!.text, "# Mine\n");
    },
  );
});

treeTest("architecture and patterns have their files [toolsets:knowledge-curated]", {
  "one/_bmad/bmm/agents/architect.md": "---\nname: architect\n---\n# Architect\n",
  "one/_bmad/bmm/workflows/create-architecture/workflow.md":
    "---\nname: create-architecture\n---\n# Create\n",
  "one/_bmad/bmm/workflows/create-architecture/template.md": "# Decisions\n",
  "one/_bmad/bmm/workflows/create-architecture/data/domains.csv": "domain\nsea\n",
  "one/_bmad/bmm/workflows/create-architecture/steps/step-01-init.md": "# Begin\n",
  "one/_bmad/bmm/workflows/create-architecture/steps/step-05-patterns.md": "# Patterns\n",
  "one/_bmad/bmm/workflows/create-architecture/notes.toml": "a = 1\n",
  "one/_bmad/bmm/workflows/sail/workflow.md": "---\nname: sail\n---\n# Sail\n",
  "one/_bmad/bmm/workflows/sail/data/knot-patterns.md": "# Knots\n",
  "two/_bmad/bmm/workflows/create-architecture/workflow.md": "---\nname: create-architecture\n---\n# Below\n",
}, async (dir) => {
  const library = await openOrigins(dir, { project: "one", cli: "two" });
  const ids = (found: Knowledge) => {
    assert.ok(found.is === "index");
    return found.rows.map(({ data }) => data["id"]);
  };
  assert.deepEqual(ids(await findKnowledge(library, { domain: "architecture" })), [
    "architect",
    "create-architecture",
    "domains",
    "step-05-patterns",
    "create-architecture-template",
  ]);
  assert.deepEqual(ids(await findKnowledge(library, { domain: "patterns" })), [
    "step-05-patterns",
    "knot-patterns",
  ]);
  const found = await findKnowledge(library, { domain: "architecture", topic: "create-architecture" });
  assert.ok(found.is === "fragments");
  assert.deepEqual(found.files.map(({ uri, origin }) => `${origin} ${uri}`), [
    "project bmad://bmm/workflows/create-architecture/workflow.md",
  ]);
  const below = { domain: "architecture", origin: "cli" };
  assert.deepEqual(ids(await findKnowledge(library, below)), ["create-architecture"]);
  await assert.rejects(findKnowledge(library, { domain: "architecture", origin: "moon" }), {
    message: 'Unknown source "moon". Use one of project, cli',
  });
});

treeTest("a missing curated domain is embedded [toolsets:knowledge-curated]", {
  "own/_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - name: bmm\n",
  "own/_bmad/bmm/agents/architect.md": "---\nname: architect\n---\n# Architect\n",
  "pack/_bmad/bmm/agents/architect.md": "---\nname: architect\n---\n# Embedded\n",
  "pack/_bmad/bmm/workflows/sail/workflow.md": "---\nname: sail\n---\n# Sail\n",
  "pack/_bmad/bmm/workflows/sail/data/knot-patterns.md": "# Knots\n",
}, async (dir) => {
  const library = await openLibrary([
    opening("project", 1, `${dir}/own`),
    { ...opening("package", 9, `${dir}/pack`), isFallback: true },
  ]);
  const named = (found: Knowledge) => {
    assert.ok(found.is === "index");
    return [found.of, ...found.rows.map(({ data }) => `${data["id"]} (${data["origin"]})`)];
  };
  assert.deepEqual(named(await findKnowledge(library, { domain: "architecture" })), [
    "fragments on architecture",
    "architect (project)",
  ]);
  assert.deepEqual(named(await findKnowledge(library, { domain: "patterns" })), [
    "fragments on patterns from package",
    "knot-patterns (package)",
  ]);
  await assert.rejects(findKnowledge(library, { domain: "sail" }), (error) => {
    assert.ok(error instanceof BmadError && error.failure.code === "not-found");
    assert.equal(error.failure.origin, "package");
    assert.equal(
      error.message,
      'No knowledge domain named "sail". This project has its own BMAD, so this domain is used only ' +
        'if you choose the source "package"',
    );
    return true;
  });
  await assert.rejects(findKnowledge(library, { domain: "moon" }), {
    message: 'No knowledge domain named "moon". Domains: architecture',
  });
});

treeTest("the source that curates a domain is used [toolsets:knowledge-curated]", {
  "own/_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - name: bmm\n",
  "own/_bmad/bmm/agents/architect.md": "---\nname: architect\n---\n# Architect\n",
  "first/_bmad/patterns/workflows/row/workflow.md": "---\nname: row\n---\n# Row\n",
  "first/_bmad/patterns/workflows/row/data/oars.md": "# Oars\n",
  "second/_bmad/bmm/workflows/sail/workflow.md": "---\nname: sail\n---\n# Sail\n",
  "second/_bmad/bmm/workflows/sail/data/knot-patterns.md": "# Knots\n",
}, async (dir) => {
  const library = await openLibrary([
    opening("project", 1, `${dir}/own`),
    { ...opening("npm", 8, `${dir}/first`), isFallback: true },
    { ...opening("package", 9, `${dir}/second`), isFallback: true },
  ]);
  const ids = (found: Knowledge) => found.is === "index" ? found.rows.map(({ data }) => data["id"]) : [];
  const uncurated = await findKnowledge(library, { domain: "patterns", origin: "npm" });
  assert.deepEqual(ids(uncurated), ["oars"]);
  assert.deepEqual(ids(await findKnowledge(library, { domain: "patterns" })), ["knot-patterns"]);
  await assert.rejects(findKnowledge(library, { domain: "row" }), /choose the source "npm"/);
});
