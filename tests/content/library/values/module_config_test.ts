/** Does an item get the effective configuration of its module? */
import assert from "node:assert/strict";
import {
  moduleConfig,
  resolveConfig,
  resolveModuleConfig,
} from "../../../../src/content/library/values/config.ts";
import { resolveValues } from "../../../../src/content/library/values/customize.ts";
import {
  type Library,
  openLibrary,
  readResource,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { assertEnds } from "../../../support/cpu.ts";
import { type Files, fixture, opening, openShop, sourceTest } from "../../../support/library.ts";
import { treeTest, withTree } from "../../../support/trees.ts";
import { mergeStructural } from "../../../../src/content/library/values/merge.ts";
import { parseToml } from "../../../../src/content/parse.ts";

function openTeam(project?: string): Promise<Library> {
  return openLibrary([opening("cli", 2, fixture("team"))], { project });
}

const skill = (id: string, text = "") => `---\nname: ${id}\ndescription: Does ${id}.\n---\n${text}\n`;

/** Runs `fn` on a project that has one skill of the module `bmm` and these files. */
function withProject<T>(files: Files, fn: (library: Library) => T | Promise<T>): Promise<T> {
  return withTree({
    "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
      '"bmad-map","bmad-map","x","bmm","_bmad/bmm/bmad-map/SKILL.md"\n',
    "_bmad/bmm/bmad-map/SKILL.md": skill("bmad-map"),
    ...files,
  }, async (dir) => await fn(await openLibrary([opening("project", 1, dir)])));
}

Deno.test("a configuration without an installation is what the modules' questions have as defaults", async () => {
  const library = await openTeam("/home/ann/shop");
  assert.deepEqual(resolveModuleConfig(library, "core"), {
    user_name: "Walker",
    output_folder: "_out",
    project_name: "shop",
  });
  assert.deepEqual(resolveModuleConfig(library, "bmm"), {
    user_name: "Walker",
    output_folder: "_out",
    project_name: "shop",
    plans: "{project-root}/_out/plans",
    compass: true,
    walkers: 3,
    pace: "slow",
  });
});

Deno.test("a default that cannot be filled keeps its placeholder", async () => {
  assert.equal(resolveModuleConfig(await openTeam(), "core")["project_name"], "{directory_name}");
  const windows = await openTeam("C:\\Users\\ann\\shop");
  assert.equal(resolveModuleConfig(windows, "core")["project_name"], "shop");
});

Deno.test("modules that refer to each other are each read once", async () => {
  const skillOf = (at: number) => `m${at}/bmad-s${at}/SKILL.md`;
  const readsOf = async (count: number) => {
    const numbers = Array.from({ length: count }, (_, at) => at);
    const files = numbers.flatMap((at) => [
      [
        `m${at}/module.yaml`,
        `code: m${at}\na${at}:\n  prompt: What?\n  default: "of {a${(at + 1) % count}}"\n`,
      ],
      [skillOf(at), skill(`bmad-s${at}`, "Ask for {a2}.")],
    ]);
    return await withTree(Object.fromEntries(files), async (dir) => {
      const { tree, ...rest } = opening("cli", 2, dir);
      let reads = 0;
      const read = (path: string) => (reads++, tree.read(path));
      const library = await openLibrary([{ ...rest, tree: { ...tree, read } }]);
      reads = 0;
      const config = resolveConfig(library)["modules"] as Record<string, unknown>;
      assert.deepEqual(config["m0"], { a0: "of of {a2}" });
      const { config: own } = resolveValues(library, resolveEntry(library, { name: "bmad-s1" }));
      assert.deepEqual(Object.keys(own), ["a1", "a2"]);
      return reads;
    });
  };
  const [few, many] = [await readsOf(10), await readsOf(40)];
  assert.ok(many <= 5 * few, `${few} reads, then ${many} for four times as many modules`);
});

Deno.test("a default with many braces is parsed quickly", () =>
  withProject({
    "_bmad/bmm/module.yaml": `code: bmm\nodd:\n  prompt: What?\n  default: "${"{".repeat(60_000)}a"\n`,
  }, (library) => {
    const read = () => assert.match(String(resolveModuleConfig(library, "bmm")["odd"]), /\{a$/);
    assertEnds("it", 1_500, read);
  }));

sourceTest("a default like {constructor} is text like any other", {
  "fw/module.yaml":
    'code: fw\nodd:\n  prompt: What?\n  default: "{constructor}"\nodder:\n  prompt: What?\n  default: "{toString}"\n',
  "fw/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws.\n---\nDraw.\n",
}, (library) => {
  assert.deepEqual(resolveModuleConfig(library, "fw"), { odd: "{constructor}", odder: "{toString}" });
});

Deno.test("defaults that refer to each other stay within bounds", () => {
  const questions = Array.from(
    { length: 60 },
    (_, at) =>
      `k${at}: {prompt: "?", default: "${
        at === 0 ? "x" : `{k${at - 1}}{k${at - 1}}`
      }", result: "{value}{value}"}\n`,
  );
  return withTree({
    "fw/module.yaml": `code: fw\n${questions.join("")}`,
    "fw/bmad-map/SKILL.md": skill("bmad-map"),
  }, async (dir) => {
    const config = resolveModuleConfig(await openLibrary([opening("cli", 2, dir)]), "fw");
    assert.equal(config["k2"], "xxxx{value}");
    assert.ok(JSON.stringify(config).length < 3_000_000);
  });
});

const LAYERS = [
  "_bmad/bmm/config.yaml",
  "_bmad/config.toml",
  "_bmad/config.user.toml",
  "_bmad/custom/config.toml",
  "_bmad/custom/config.user.toml",
];

Deno.test("each layer of a configuration overrides those below it", async () => {
  for (const [top, path] of LAYERS.entries()) {
    const files = LAYERS.slice(0, top + 1).map((layer): [string, string] => [
      layer,
      layer.endsWith(".toml") ? `[modules.bmm]\nlast = "${layer}"\n` : `last: ${layer}\n`,
    ]);
    await withProject(Object.fromEntries(files), (library) => {
      assert.deepEqual(resolveModuleConfig(library, "bmm"), { last: path });
      assert.deepEqual(resolveConfig(library)["modules"], { bmm: { last: path } });
    });
  }
});

Deno.test("of a key that is in the module and the core, the later layer counts", async () => {
  const table: readonly (readonly [files: Files, name: string])[] = [
    // 6.4 and 6.5, then 6.6.
    [{ "_bmad/config.toml": '[modules.bmm]\nproject_name = "old"\n' }, "old"],
    [{ "_bmad/config.toml": '[core]\nproject_name = "new"\n' }, "new"],
    [{ "_bmad/config.toml": '[core]\nproject_name = "core"\n[modules.bmm]\nproject_name = "own"\n' }, "own"],
    [{
      "_bmad/config.toml": '[modules.bmm]\nproject_name = "old"\n',
      "_bmad/custom/config.toml": '[core]\nproject_name = "team"\n',
    }, "team"],
    [{
      "_bmad/config.toml": '[core]\nproject_name = "new"\n',
      "_bmad/custom/config.user.toml": '[modules.bmm]\nproject_name = "mine"\n',
    }, "mine"],
    [{
      "_bmad/bmm/config.yaml": "project_name: flat\n",
      "_bmad/custom/config.toml": '[core]\nproject_name = "team"\n',
    }, "team"],
  ];
  for (const [files, name] of table) {
    await withProject(
      files,
      (library) => assert.deepEqual(resolveModuleConfig(library, "bmm"), { project_name: name }),
    );
  }
});

Deno.test("tables and lists of several layers are merged, those of the core and of a module are not", () =>
  withProject({
    "_bmad/config.toml": "[core.paths]\na = 1\n[modules.bmm]\nlist = [1]\n[modules.bmm.paths]\nc = 3\n",
    "_bmad/custom/config.toml": "[core.paths]\nb = 2\n[modules.bmm]\nlist = [2]\n",
  }, (library) => {
    assert.deepEqual(resolveModuleConfig(library, "core"), { paths: { a: 1, b: 2 } });
    assert.deepEqual(resolveModuleConfig(library, "bmm"), { list: [1, 2], paths: { a: 1, b: 2 } });
    assert.deepEqual(resolveConfig(library)["modules"], { bmm: { list: [1, 2], paths: { c: 3 } } });
  }));

Deno.test("a layer that does not fit those below it is skipped and reported on each read", () =>
  withProject({
    "_bmad/config.toml": '[modules.bmm]\npace = "slow"\n[[modules.bmm.rows]]\ncode = "a"\n',
    "_bmad/custom/config.toml": '[modules.bmm]\npace = "brisk"\n[[modules.bmm.rows]]\ncode = 1\n',
  }, (library) => {
    const { values, problems } = moduleConfig(library, "bmm");
    assert.deepEqual(values, { pace: "slow", rows: [{ code: "a" }] });
    assert.deepEqual(problems, [{
      level: "warning",
      code: "bad-file",
      message: "is ignored: expected text as `code` of a list item, got 1",
      path: "_bmad/custom/config.toml",
      origin: "project",
    }]);
  }));

treeTest("questions of the first alphas are found in their own file", {
  "src/core/_module-installer/install-config.yaml":
    'output_folder:\n  prompt: "?"\n  default: docs\n  result: "{project-root}/{value}"\n',
  "src/core/agents/master.agent.yaml": "agent:\n  metadata: {name: Ma}\n",
  "src/modules/fw/_module-installer/install-config.yaml":
    'code: fw\nmaps:\n  prompt: ["?"]\n  default: "{output_folder}/maps"\n  result: "{project-root}/{value}"\n',
  "src/modules/fw/agents/scout.agent.yaml": "agent:\n  metadata: {name: Rex}\n",
}, async (dir) => {
  for (const folders of [[dir], [`${dir}/src`, `${dir}/src/modules/fw`]]) {
    const library = await openLibrary(folders.map((folder, at) => opening("cli", 2 + at, folder)));
    assert.deepEqual(resolveModuleConfig(library, "fw"), {
      output_folder: "{project-root}/docs",
      maps: "{project-root}/docs/maps",
    });
  }
});

sourceTest("a skill gets the values of other modules that its text names", {
  "core/module.yaml": "code: core\nuser_name: {prompt: Who?, default: Ann}\n",
  "core/bmad-one/SKILL.md": skill("bmad-one", "Write to {plans}/x."),
  "core/bmad-all/SKILL.md": skill("bmad-all", "Take modules.fw from the merged JSON."),
  "core/bmad-own/SKILL.md": skill("bmad-own"),
  "core/bmad-own/customize.toml": '[workflow]\nfolder = "{maps}/y"\n',
  "core/bmad-none/SKILL.md": skill("bmad-none", "Write the plans down, {user_name}."),
  "fw/module.yaml": "code: fw\nplans: {prompt: Where?, default: p}\nmaps: {prompt: Where?, default: m}\n",
  "fw/bmad-map/SKILL.md": skill("bmad-map"),
}, (library) => {
  const configOf = (name: string) => resolveValues(library, resolveEntry(library, { name })).config;
  assert.deepEqual(configOf("bmad-one"), { user_name: "Ann", plans: "p" });
  assert.deepEqual(configOf("bmad-all"), { user_name: "Ann", plans: "p", maps: "m" });
  assert.deepEqual(configOf("bmad-own"), { user_name: "Ann", maps: "m" });
  assert.deepEqual(configOf("bmad-none"), { user_name: "Ann" });
  assert.deepEqual(configOf("bmad-map"), { user_name: "Ann", plans: "p", maps: "m" });
});

const V4_AGENT = "```yaml\nagent: {name: Rex}\n```\n";

Deno.test("a v4 agent is executed with its root's configuration, under the name that its release has", async () => {
  for (const name of ["core-config.yaml", "core-config.yml"]) {
    await withTree({
      [`.bmad-core/${name}`]: "devStoryLocation: docs/stories\nqa: {qaLocation: docs/qa}\n",
      ".bmad-core/agents/scout.md": V4_AGENT,
      ".bmad-core/tasks/look.md": "# Look\n",
    }, async (dir) => {
      const library = await openLibrary([opening("project", 1, dir)]);
      const { config, customization } = resolveValues(library, resolveEntry(library, { name: "Rex" }));
      const wanted = { devStoryLocation: "docs/stories", qa: { qaLocation: "docs/qa" } };
      assert.deepEqual([config, customization], [wanted, {}]);
      const { text } = await readResource(library, "bmad://config/current");
      assert.deepEqual(JSON.parse(text!), { core: {}, modules: { "bmad-core": wanted }, agents: {} });
    });
  }
});

treeTest("agents of a v4 pack get their own configuration over the core's", {
  ".bmad-core/core-config.yaml": "slashPrefix: BMad\ndevStoryLocation: docs/stories\n",
  ".bmad-core/agents/scout.md": V4_AGENT,
  ".bmad-maps/config.yaml":
    "name: bmad-maps\nversion: 1.0.0\nshort-title: Maps\ndescription: Draws\nauthor: Ann\nslashPrefix: maps\n",
  ".bmad-maps/agents/drawer.md": V4_AGENT.replace("Rex", "Dot"),
}, async (dir) => {
  const library = await openLibrary([opening("project", 1, dir)]);
  const { config } = resolveValues(library, resolveEntry(library, { name: "Dot" }));
  assert.deepEqual(config, { slashPrefix: "maps", devStoryLocation: "docs/stories" });
});

Deno.test("the effective configuration has BMAD's form [resources:config-current]", async () => {
  const { text } = await readResource(await openShop("/home/ann/shop"), "bmad://config/current");
  assert.deepEqual(JSON.parse(text!), {
    core: { user_name: "Ann", output_folder: "_out", project_name: "shop", language: "Deutsch" },
    modules: {
      bmm: {
        plans: "{project-root}/docs/plans",
        compass: true,
        walkers: 3,
        pace: "brisk",
        mail: { host: "mail.example.org" },
        servers: [{ name: "north" }],
      },
    },
    agents: { "bmad-agent-scout": { name: "Rhea", title: "Scout" } },
  });
});

Deno.test("documents are merged by BMAD's structural rules", () => {
  const item = (code: string, label: string) => ({ code, label });
  const table: readonly (readonly [
    what: string,
    base: Record<string, unknown>,
    over: Record<string, unknown>,
    merged: Record<string, unknown>,
  ])[] = [
    ["a scalar replaces", { a: 1, b: "x" }, { a: 2 }, { a: 2, b: "x" }],
    ["an empty text replaces too", { a: "x" }, { a: "" }, { a: "" }],
    ["false replaces true", { a: true }, { a: false }, { a: false }],
    ["a new key is added", { a: 1 }, { b: { c: 2 } }, { a: 1, b: { c: 2 } }],
    ["tables merge at every depth", { t: { a: 1, u: { b: 1 } } }, { t: { u: { c: 2 } } }, {
      t: { a: 1, u: { b: 1, c: 2 } },
    }],
    ["a plain list appends", { l: ["a", "b"] }, { l: ["b", "c"] }, { l: ["a", "b", "b", "c"] }],
    ["an empty list takes nothing away", { l: ["a"] }, { l: [] }, { l: ["a"] }],
    [
      "a list by code replaces in place and appends",
      { l: [item("A", "1"), item("B", "1")] },
      { l: [item("C", "2"), item("A", "2")] },
      { l: [item("A", "2"), item("B", "1"), item("C", "2")] },
    ],
    [
      "a replaced item loses what the new one does not say",
      { l: [{ code: "A", skill: "x" }] },
      { l: [{ code: "A", prompt: "y" }] },
      { l: [{ code: "A", prompt: "y" }] },
    ],
    ["a list by id does the same", { l: [{ id: "a", n: 1 }] }, { l: [{ id: "a", n: 2 }, { id: "b" }] }, {
      l: [{ id: "a", n: 2 }, { id: "b" }],
    }],
    [
      "a list of which one item has no key appends",
      { l: [{ code: "A" }, { name: "x" }] },
      { l: [{ code: "A" }] },
      { l: [{ code: "A" }, { name: "x" }, { code: "A" }] },
    ],
    [
      "codes and ids that are mixed append",
      { l: [{ code: "A" }] },
      { l: [{ id: "A" }] },
      { l: [{ code: "A" }, { id: "A" }] },
    ],
    [
      "twins in the base stay, and the last of them is replaced",
      { l: [item("A", "1"), item("A", "2")] },
      { l: [item("A", "3")] },
      { l: [item("A", "1"), item("A", "3")] },
    ],
    [
      "twins above the base become one",
      { l: [item("B", "1")] },
      { l: [item("A", "2"), item("A", "3")] },
      { l: [item("B", "1"), item("A", "3")] },
    ],
    ["a list replaces a scalar", { a: "x" }, { a: ["y"] }, { a: ["y"] }],
    ["a scalar replaces a table", { a: { b: 1 } }, { a: 1 }, { a: 1 }],
    ["a table that is a name of the language merges", { constructor: { a: 1 } }, { constructor: { b: 2 } }, {
      constructor: { a: 1, b: 2 },
    }],
  ];
  for (const [what, base, over, merged] of table) assert.deepEqual(mergeStructural(base, over), merged, what);
});

Deno.test("an invalid key in a list of tables is refused", () => {
  const table: readonly (readonly [base: unknown[], over: unknown[], refused: string | undefined])[] = [
    [[{ code: 7 }], [{ code: "A" }], "expected text as `code` of a list item, got 7"],
    [[{ code: "A" }], [{ code: "" }], 'expected text as `code` of a list item, got ""'],
    [[{ id: "a" }], [{ id: true }], "expected text as `id` of a list item, got true"],
    [[{ code: "A", id: 1 }], [{ code: "B", id: 2 }], undefined],
    [[{ code: 7 }], [{ name: "no key" }], undefined],
    [[{ code: 7 }], ["text"], undefined],
    [[], [], undefined],
  ];
  for (const [base, over, refused] of table) {
    const reasons: string[] = [];
    mergeStructural({ t: { l: base } }, { t: { l: over } }, (reason) => reasons.push(reason));
    assert.deepEqual(reasons, refused === undefined ? [] : [refused]);
  }
});

Deno.test("a key like __proto__ is a key like any other", () => {
  const base = parseToml('__proto__ = "x"\n[t.__proto__]\na = 1\n').value;
  const merged = mergeStructural(base, parseToml("[t.__proto__]\nb = 2\n").value);
  assert.equal(JSON.stringify(merged), '{"__proto__":"x","t":{"__proto__":{"a":1,"b":2}}}');
  assert.equal(({} as Record<string, unknown>)["b"], undefined);
});
