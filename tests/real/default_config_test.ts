/** Are a module's defaults what its installer writes when every question is answered with its default? */
import assert from "node:assert/strict";
import { resolveConfig, resolveModuleConfig } from "../../src/content/library/values/config.ts";
import { resolveValues } from "../../src/content/library/values/customize.ts";
import { type Library, openLibrary, resolveEntry } from "../../src/content/library/mod.ts";
import { rawText } from "../../src/content/library/files/reading.ts";
import { parseYaml, type Values } from "../../src/content/parse.ts";
import { installation, type InstallVersion, sourceTree } from "../support/installs.ts";
import { embedded, opening } from "../support/library.ts";
import { treeTest } from "../support/trees.ts";

const CLAUDE = { tools: "claude-code" } as const;

function openSources(...folders: readonly string[]): Promise<Library> {
  return openLibrary(folders.map((folder, at) => opening("cli", 2 + at, folder)), {
    project: "/home/ann/project",
  });
}

function openEmbedded(): Promise<Library> {
  return openLibrary([embedded("latest")], { project: "/home/ann/project" });
}

async function writtenConfig(install: string, module: string): Promise<Values> {
  const { value, problem } = parseYaml(await Deno.readTextFile(`${install}/_bmad/${module}/config.yaml`));
  assert.equal(problem, undefined);
  assert.equal(typeof value["user_name"], "string");
  return anonymous(value);
}

function anonymous({ user_name: _, ...config }: Values): Values {
  return config;
}

Deno.test("embedded defaults are those of an installation [tool:execute-defaults]", async () => {
  const install = await installation("6.12.0");
  const library = await openEmbedded();
  for (const module of ["core", "bmm"]) {
    const config = resolveModuleConfig(library, module);
    assert.equal(config["user_name"], "BMad");
    assert.deepEqual(anonymous(config), await writtenConfig(install, module), module);
  }
});

Deno.test("the whole configuration of the embedded content is that of a default installation", async () => {
  const install = await openLibrary([
    opening("project", 1, await installation("6.12.0")),
  ]);
  const { core, modules, agents } = resolveConfig(await openEmbedded()) as Record<string, Values>;
  const { bmm, tea, bmb, ...others } = modules!;
  const { "bmad-tea": architect, ...roster } = agents!;
  const written = resolveConfig(install) as Record<string, Values>;
  assert.deepEqual({ core: anonymous(core!), modules: { bmm }, agents: roster }, {
    ...written,
    core: anonymous(written["core"]!),
  });
  // The test architect and the builder are embedded, but not part of a default installation.
  assert.deepEqual([others, (architect as Values)["module"]], [{}, "tea"]);
  assert.equal((tea as Values)["test_artifacts"], "{project-root}/_bmad-output/test-artifacts");
  assert.equal((bmb as Values)["bmad_builder_output_folder"], "{project-root}/_bmad-output/skills");
});

Deno.test("the defaults of every generation's sources are what its installer writes", async (t) => {
  const versions = ["6.0.4", "6.12.0"] as const satisfies readonly InstallVersion[];
  for (const version of versions) {
    await t.step(version, async () => {
      const install = await installation(version);
      const library = await openSources(await sourceTree(`bmad-method@${version}`));
      for (const module of ["core", "bmm"]) {
        const config = anonymous(resolveModuleConfig(library, module));
        assert.deepEqual(config, await writtenConfig(install, module), module);
      }
    });
  }
});

Deno.test("the defaults of the first alphas are what their installer wrote", async () => {
  // The package of alpha.7 brings an installation along that its makers made of core and bmb.
  const tree = await sourceTree("bmad-method@6.0.0-alpha.7");
  const library = await openSources(`${tree}/src`, `${tree}/src/modules/bmb`);
  for (const module of ["core", "bmb"]) {
    const { value } = parseYaml(await Deno.readTextFile(`${tree}/bmad/${module}/config.yaml`));
    assert.equal(value["output_folder"], "{project-root}/docs");
    assert.deepEqual(resolveModuleConfig(library, module), value, module);
  }
});

Deno.test("named values come with a skill [tool:execute-customization]", async () => {
  const library = await openEmbedded();
  const { core, modules } = resolveConfig(library) as Record<string, Values>;
  const keys = Object.keys(Object.assign({}, core, ...Object.values(modules!)));
  let named = 0;
  for (const entry of library.effective) {
    const { customization, config } = resolveValues(library, entry);
    const text = rawText(library, entry) + JSON.stringify(customization);
    for (const key of keys.filter((key) => text.includes(`{${key}}`))) {
      assert.ok(Object.hasOwn(config, key), `${entry.id} names {${key}}`);
      named++;
    }
  }
  assert.ok(named > 100, `${named} values are named`);
  // A skill of the core that asks for values of other modules.
  const { config } = resolveValues(library, resolveEntry(library, { name: "bmad-deep-recon" }));
  assert.equal(config["planning_artifacts"], "{project-root}/_bmad-output/planning-artifacts");
});

const ODD_MODULE = `code: odd
name: Odd Questions
description: Every kind of question
agents:
  - { code: bmad-odd, name: Ode, title: Asker, icon: "?", description: Asks. }
plain: { prompt: "?", default: "  spaced ", result: "{value}" }
fixed: { result: "{project-root}/{output_folder}/fixed" }
flag: { prompt: "?", default: false, result: "{value}" }
flag_text: { prompt: "?", default: true, result: "is-{value}" }
count: { prompt: "?", default: 0, result: "{value}" }
several:
  prompt: "?"
  default: [a, b]
  result: "{project-root}/{value}"
  multi-select: [{ value: a, label: A }, { value: b, label: B }, { value: c, label: C }]
empty: { prompt: "?", default: "", result: "{value}" }
nothing: { prompt: "?", result: "{value}" }
no_result: { prompt: "?", default: x }
many_lines: { prompt: ["?", "!"], default: y, result: "{value}" }
rooted: { prompt: "?", default: "{project-root}/deep/{project_name}", result: "{project-root}/{value}" }
rooted_value: { prompt: "?", default: "{project-root}/deep", result: "{value}" }
named: { prompt: "?", default: "{directory_name}-{user_skill_level}", result: "{value}" }
own_result: { prompt: "?", default: leaf, result: "{rooted}/{value}/{value}/{flag}" }
other_module: { prompt: "?", default: "{planning_artifacts}/y", result: "{implementation_artifacts}/{value}" }
unknown: { prompt: "?", default: "{never_heard}/z", result: "{value}-{never_heard}" }
later: { prompt: "?", default: q, result: "{last}/{value}" }
last: { prompt: "?", default: end, result: "{value}" }
inherited: { inherit: plain }
`;

treeTest("questions of every kind are answered as the installer answers them", {
  "odd/skills/module.yaml": ODD_MODULE,
  "odd/skills/module-help.csv": "module,skill\n",
  "odd/skills/bmad-odd/SKILL.md": "---\nname: bmad-odd\ndescription: Asks\n---\nAsk.\n",
  "odd/.claude-plugin/marketplace.json": JSON.stringify({
    name: "odd",
    plugins: [{ name: "odd", source: "./", skills: ["./skills/bmad-odd"] }],
  }),
  "cache/": "",
}, async (dir) => {
  const request = { version: "6.12.0", ...CLAUDE, source: `${dir}/odd` } as const;
  const install = await installation(request, { cache: `${dir}/cache` });
  const sources = await openSources(await sourceTree("bmad-method@6.12.0"), `${dir}/odd/skills`);
  const config = anonymous(resolveModuleConfig(sources, "odd"));
  assert.deepEqual(config, await writtenConfig(install, "odd"));
  const written = resolveConfig(await openLibrary([opening("project", 1, install)]));
  const { agents } = resolveConfig(sources);
  assert.deepEqual(agents, written["agents"]);
});
