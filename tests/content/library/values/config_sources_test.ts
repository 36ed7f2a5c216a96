/** Which files say something about a module's configuration, and which of them wins? */
import assert from "node:assert/strict";
import { resolveConfig, resolveModuleConfig } from "../../../../src/content/library/values/config.ts";
import {
  executeEntry,
  type Library,
  listLibrary,
  openLibrary,
  readResource,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { listGenerated } from "../../../../src/content/library/delivery/resources.ts";
import { parseYaml, type Values } from "../../../../src/content/parse.ts";
import { resolveValues, valueDiagnostics } from "../../../../src/content/library/values/customize.ts";
import { type Files, opening, openOrigins, testsOver, withProject } from "../../../support/library.ts";
import { withTree } from "../../../support/trees.ts";
import type { Tree } from "../../../../src/content/tree/mod.ts";
import { assertEnds } from "../../../support/cpu.ts";

const question = (key: string, given: string) => `${key}:\n  prompt: Which?\n  default: ${given}\n`;

const TEAM: Files = {
  "team/core/module.yaml": "code: core\n" + question("user_name", "Walker") +
    question("language", "English") +
    question("output_folder", "_out"),
  "team/core/bmad-talk/SKILL.md": "---\nname: bmad-talk\ndescription: Talks.\n---\nTalk.\n",
  "team/bmm/module.yaml": "code: bmm\n" + question("skill_level", "some") +
    question("plans", '"{output_folder}/plans"'),
  "team/bmm/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws.\n---\nDraw.\n",
};

function withSources<T>(files: Files, fn: (library: Library, dir: string) => T | Promise<T>): Promise<T> {
  return withTree({ "project/": "", "home/.bmad/": "", ...TEAM, ...files }, async (dir) => {
    const openings = [
      opening("project", 1, `${dir}/project`),
      opening("user", 4, `${dir}/home/.bmad`),
      opening("git", 5, `${dir}/team`),
    ];
    return await fn(await openLibrary(openings), dir);
  });
}

const sourcesTest = testsOver(withSources);

async function configIn(library: Library, uri: string): Promise<Values> {
  const { text } = await readResource(library, uri);
  return parseYaml(text!).value;
}

for (const root of ["_bmad", "bmad", ".bmad"]) {
  sourcesTest(`the configuration in ${root} counts without a manifest [config:no-manifest]`, {
    [`project/${root}/bmm/config.yaml`]: "user_name: Ada\nplans: '{project-root}/p'\n",
  }, async (library) => {
    assert.deepEqual(library.diagnostics, []);
    const expected = { user_name: "Ada", language: "English", output_folder: "_out" };
    const { core, modules } = resolveConfig(library);
    assert.deepEqual(core, expected);
    assert.deepEqual(modules, { bmm: { skill_level: "some", plans: "{project-root}/p" } });
    assert.deepEqual(await configIn(library, "bmad://core/config.yaml"), {
      ...expected,
      output_folder: "{project-root}/_out",
    });
    const executed = await executeEntry(library, resolveEntry(library, { name: "bmad-map" }), {});
    assert.match(executed, /user_name: Ada\n[^]*plans: '\{project-root\}\/p'/);
    // The core's skills hear of it as well, although only the module has a file.
    const talk = await executeEntry(library, resolveEntry(library, { name: "bmad-talk" }), {});
    assert.match(talk, /user_name: Ada\n/);
  });
}

Deno.test("a named folder that holds only configuration is not an empty one", () =>
  withTree(
    { ...TEAM, "mine/_bmad/bmm/config.yaml": "user_name: Ada\n", "void/notes/config.yaml": "a: 1\n" },
    async (dir) => {
      for (const folder of ["mine", "mine/_bmad"]) {
        const library = await openOrigins(dir, { cli: folder, git: "team" });
        assert.deepEqual(library.diagnostics, [], folder);
        assert.equal((await configIn(library, "bmad://bmm/config.yaml"))["user_name"], "Ada", folder);
      }
      // Any program has files of this name.
      const { diagnostics } = await openLibrary([opening("cli", 2, `${dir}/void`)]);
      assert.deepEqual(diagnostics.map(({ code }) => code), ["no-content"]);
    },
  ));

sourcesTest("the personal file is between defaults and project [config:personal]", {
  "home/.bmad/config.yaml": "user_name: Zed\nlanguage: French\nskill_level: expert\n",
  "home/.bmad/config.toml": '[core]\nlanguage = "Dutch"\n',
  "project/_bmad/core/config.yaml": "user_name: Ada\n",
}, async (library) => {
  assert.deepEqual(await configIn(library, "bmad://bmm/config.yaml"), {
    user_name: "Ada",
    language: "Dutch",
    output_folder: "{project-root}/_out",
    skill_level: "expert",
    plans: "_out/plans",
  });
  const { core, modules } = resolveConfig(library);
  assert.deepEqual([core, modules], [
    { user_name: "Ada", language: "Dutch", output_folder: "_out" },
    { bmm: { skill_level: "expert", plans: "_out/plans" } },
  ]);
});

sourcesTest(
  "a default follows the value that it refers to [config:derived]",
  { "home/.bmad/config.yaml": "output_folder: '{project-root}/docs/bmad'\n" },
  async (library) => {
    assert.equal((await configIn(library, "bmad://bmm/config.yaml"))["plans"], "docs/bmad/plans");
    const { modules } = resolveConfig(library) as Record<string, Values>;
    assert.deepEqual(modules!["bmm"], { skill_level: "some", plans: "docs/bmad/plans" });
  },
);

sourcesTest("what the home folder says of a module does not override what a project says of the core", {
  "home/.bmad/bmm/config.yaml": "user_name: Zed\nskill_level: expert\n",
  "home/.bmad/custom/config.user.toml": '[core]\nuser_name = "Zoe"\n',
  "project/_bmad/core/config.yaml": "user_name: Ada\n",
}, async (library) => {
  const config = await configIn(library, "bmad://bmm/config.yaml");
  assert.deepEqual([config["user_name"], config["skill_level"]], ["Ada", "expert"]);
  const { core, modules } = resolveConfig(library) as Record<string, Values>;
  assert.deepEqual([core!["user_name"], modules!["bmm"]], [
    "Ada",
    { skill_level: "expert", plans: "_out/plans" },
  ]);
});

Deno.test("a file of this name in a folder of skills is not the personal one", () =>
  withTree({ ...TEAM, "skills/config.yaml": "user_name: Zed\n" }, async (dir) => {
    const shared = { ...opening("user", 4, `${dir}/skills`), use: "shared" } as const;
    const library = await openLibrary([shared, opening("git", 5, `${dir}/team`)]);
    assert.equal((await configIn(library, "bmad://core/config.yaml"))["user_name"], "Walker");
  }));

sourcesTest("a configuration file is served with everything that is in force [config:in-force]", {
  "home/.bmad/config.yaml": "language: French\n",
  "project/_bmad/bmm/config.yaml": "user_name: Ada\napi_token: hush\n",
}, async (library) => {
  const { text } = await readResource(library, "{project-root}/_bmad/bmm/config.yaml");
  assert.equal(
    text,
    "# In force, from project:_bmad/bmm/config.yaml, user:config.yaml, the module's defaults.\n" +
      "user_name: Ada\nlanguage: French\noutput_folder: '{project-root}/_out'\nskill_level: some\nplans: _out/plans\n",
  );
  const { text: raw } = await readResource(library, "bmad://bmm/config.yaml", { raw: true });
  assert.equal(raw, 'user_name: Ada\napi_token: "[removed]"\n');
  // Listed once, as the file.
  assert.ok(!listGenerated(library).some(({ uri }) => uri === "bmad://bmm/config.yaml"));
});

sourcesTest("a configuration file that says all that is in force is served as it is", {
  "project/_bmad/bmm/config.yaml":
    "# Ours\nuser_name: Ada\nlanguage: Greek\noutput_folder: o\nskill_level: high\nplans: p\n",
}, async (library) => {
  const { text } = await readResource(library, "bmad://bmm/config.yaml");
  assert.match(text!, /^# Ours\n/);
});

sourcesTest("folders in the project begin with {project-root} [config:project-root]", {
  "project/_bmad/bmm/config.yaml": "output_folder: ./out\nplan_artifacts: /abs\nnotes_location: '~/n'\n" +
    "web_location: http://x\nup_folder: ../up\nbmad_folder: .bmad\nproject_knowledge: docs\nname: docs\n",
}, async (library) => {
  const executed = await executeEntry(library, resolveEntry(library, { name: "bmad-map" }), {});
  const said = parseYaml(/^config:\n(?: .*\n)+/m.exec(executed)![0]).value["config"] as Values;
  const { output_folder, plan_artifacts, notes_location, web_location, up_folder, ...rest } = said;
  assert.deepEqual(
    [output_folder, plan_artifacts, notes_location, web_location, up_folder],
    ["{project-root}/out", "/abs", "~/n", "http://x", "../up"],
  );
  assert.deepEqual([rest["bmad_folder"], rest["project_knowledge"], rest["name"]], [
    ".bmad",
    "{project-root}/docs",
    "docs",
  ]);
});

sourcesTest("the list of configuration has every value and its file [config:value-sources]", {
  "home/.bmad/config.yaml": "skill_level: expert\n",
  "project/_bmad/bmm/config.yaml": "user_name: Ada\n",
}, async (library) => {
  const rows = await listLibrary(library, { what: "config" });
  const values = rows.filter(({ data }) => data["source"] !== undefined);
  assert.deepEqual(values.map(({ name, about }) => `${name}: ${about}`), [
    "core/user_name: Ada (project:_bmad/bmm/config.yaml)",
    "core/language: English (default)",
    "core/output_folder: _out (default)",
    "bmm/plans: _out/plans (default)",
    "bmm/skill_level: expert (user:config.yaml)",
  ]);
});

sourcesTest("a home folder counts where the project says nothing [config:field-by-field]", {
  "home/.bmad/custom/config.toml": '[core]\nlanguage = "Latin"\nuser_name = "Home"\n',
  "project/_bmad/custom/config.toml": '[core]\nuser_name = "Ada"\n',
}, (library) => {
  const { user_name, language } = resolveConfig(library)["core"] as Values;
  assert.deepEqual([user_name, language], ["Ada", "Latin"]);
});

sourcesTest("a mistake in a home folder does not switch off a project's configuration", {
  "home/.bmad/custom/config.toml": '[core]\nlanguage = "Latin"\n[[rows]]\ncode = 1\n',
  "project/_bmad/custom/config.toml": '[core]\nuser_name = "Ada"\n[[rows]]\ncode = "a"\n',
}, async (library) => {
  const config = resolveConfig(library);
  const { user_name, language } = config["core"] as Values;
  assert.deepEqual([user_name, language, config["rows"]], ["Ada", "English", [{ code: "a" }]]);
  const ignored = (await valueDiagnostics(library)).filter(({ code }) => code === "bad-file");
  assert.deepEqual(ignored.map(({ origin, path }) => `${origin}:${path}`), ["user:custom/config.toml"]);
});

for (const root of ["_bmad", "bmad", ".bmad"]) {
  sourcesTest(`the config.yaml of ${root} itself counts for all modules [config:no-manifest]`, {
    [`project/${root}/config.yaml`]: "user_name: Ada\nlanguage: German\nskill_level: expert\n",
    [`project/${root}/core/config.yaml`]: "language: French\n",
    [`project/${root}/house/agents/keeper.md`]: "# Keeper\n",
    "home/.bmad/config.yaml": "user_name: Home\noutput_folder: mine\n",
  }, (library) => {
    const { core, modules } = resolveConfig(library);
    assert.deepEqual(core, { user_name: "Ada", language: "French", output_folder: "mine" });
    assert.deepEqual(modules, { bmm: { skill_level: "expert", plans: "mine/plans" } });
    assert.deepEqual(resolveModuleConfig(library, "house"), {
      user_name: "Ada",
      language: "French",
      skill_level: "expert",
      output_folder: "mine",
    });
  });
}

sourcesTest("a config.yaml beside the items of its own folder counts for them and for all others", {
  "project/_bmad/config.yaml": "user_name: Ada\n",
  "project/_bmad/agents/keeper.md": "# Keeper\n",
}, (library) => {
  const { core, modules } = resolveConfig(library);
  assert.deepEqual(core, { user_name: "Ada", language: "English", output_folder: "_out" });
  assert.deepEqual(modules, { bmm: { skill_level: "some", plans: "_out/plans" } });
});

sourcesTest(
  "a config.yaml that cannot be parsed is reported [errors:broken-served]",
  { "project/_bmad/config.yaml": "user_name: [never\n" },
  async (library) => {
    const problems = await valueDiagnostics(library);
    assert.deepEqual(problems.map(({ code, path }) => [code, path]), [["bad-file", "_bmad/config.yaml"]]);
    assert.match(problems[0]!.message, /is ignored: the YAML cannot be parsed/);
  },
);

Deno.test("tables of several files are merged field by field [config:field-by-field]", () => {
  const mail = (fields: string) => `mail: {${fields}}\nhosts: [${fields.length}]\n`;
  return withSources({
    "home/.bmad/config.yaml": mail("host: root, port: 1, sign: Home"),
    "home/.bmad/bmm/config.yaml": mail("host: home, user: hal"),
    "project/_bmad/bmm/config.yaml": mail("host: here"),
    "project/_bmad/custom/config.toml": '[modules.bmm.mail]\nvia = "tls"\n',
  }, (library) => {
    const mail = { host: "here", port: 1, sign: "Home", user: "hal", via: "tls" };
    assert.deepEqual(resolveModuleConfig(library, "bmm")["mail"], mail);
    assert.deepEqual(resolveModuleConfig(library, "bmm")["hosts"], [10]);
    const { modules } = resolveConfig(library) as { modules: Record<string, Values> };
    assert.deepEqual(modules["bmm"]!["mail"], { host: "here", user: "hal", via: "tls" });
  });
});

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

/** A project with so many modules, each with a skill and its configuration, and nothing of the core. */
const projectOf = (modules: number, more: Readonly<Record<string, string>> = {}) => ({
  "_bmad/_config/manifest.yaml": `installation:\n  version: 6.12.0\nmodules:\n${
    numbers(modules).map((at) => `  - name: m${at}\n`).join("")
  }`,
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
    numbers(modules).map((at) => `s${at},s${at},Does it,m${at},_bmad/m${at}/s${at}/SKILL.md\n`).join(""),
  ...Object.fromEntries(
    numbers(modules).flatMap((at) => [
      [`_bmad/m${at}/s${at}/SKILL.md`, `---\nname: s${at}\ndescription: Does it\n---\nSee {own_3}.\n`],
      [`_bmad/m${at}/config.yaml`, `user_name: Ann\nown_${at}: ${at}\n`],
    ]),
  ),
  ...more,
});

function counting(tree: Tree): { readonly tree: Tree; asked(): number } {
  let asked = 0;
  const count = <A extends readonly unknown[], T>(ask: (...args: A) => T) => (...args: A) => {
    asked++;
    return ask(...args);
  };
  return {
    tree: { ...tree, list: count(tree.list), stat: count(tree.stat), read: count(tree.read) },
    asked: () => asked,
  };
}

function questions(modules: number, work: (library: Library) => unknown): Promise<number> {
  return withTree(projectOf(modules), async (dir) => {
    const { tree, asked } = counting(opening("project", 1, dir).tree);
    const library = await openLibrary([
      { ...opening("project", 1, dir), tree },
      opening("cli", 2, `${dir}/none`),
    ]);
    const before = asked();
    work(library);
    return asked() - before;
  });
}

const WORK: Readonly<Record<string, (library: Library) => unknown>> = {
  "the values of one skill": (library) => resolveValues(library, library.effective[0]!),
  "the whole configuration": (library) => resolveConfig(library),
};

for (const [what, work] of Object.entries(WORK)) {
  Deno.test(`the disk is asked a few times per module: ${what} [config:limits]`, async () => {
    const [few, many] = [await questions(20, work), await questions(80, work)];
    assert.ok(many <= 4.5 * few, `${few} questions for 20 modules, ${many} for 80`);
  });
}

Deno.test("a table of many values is looked up, not copied, per value [config:limits]", async () => {
  const config = `[core]\n${numbers(2_000).map((at) => `c${at} = 1\n`).join("")}` +
    `[modules.m0]\n${numbers(4_000).map((at) => `k${at} = 1\n`).join("")}`;
  await withProject(projectOf(3, { "_bmad/config.toml": config }), (library) => {
    assertEnds("a skill", 1_000, () => resolveValues(library, library.effective[0]!));
  });
});

Deno.test("values of at most 200 modules are read, with a note [config:limits]", async () => {
  await withProject(projectOf(230), async (library) => {
    const modules = Object.keys(resolveConfig(library)["modules"] as object);
    assert.ok(modules.length <= 200, `${modules.length} modules`);
    const told = (await valueDiagnostics(library)).filter(({ code }) => code === "limit-reached");
    assert.deepEqual(told.map(({ message }) => message), [
      "only the values of the first 200 of 230 modules are read",
    ]);
  });
  await withTree(projectOf(20), async (dir) => {
    const found = await valueDiagnostics(await openLibrary([opening("project", 1, dir)]));
    assert.deepEqual(found.filter(({ code }) => code === "limit-reached"), []);
  });
});

Deno.test("a file of values over 64 KB is left out, with a note [config:limits]", async () => {
  const long = `[workflow]\nmode = "quick"\n${numbers(9_000).map((at) => `k${at} = 1\n`).join("")}`;
  const files = projectOf(2, {
    "_bmad/m0/s0/customize.toml": '[workflow]\nmode = "slow"\n',
    "_bmad/custom/s0.toml": long,
  });
  await withProject(files, async (library) => {
    const { customization, problems } = resolveValues(library, library.effective[0]!);
    assert.deepEqual(customization, { workflow: { mode: "slow" } });
    assert.deepEqual(problems, ["_bmad/custom/s0.toml is ignored: it is longer than 65536 characters"]);
    const told = (await valueDiagnostics(library)).filter(({ code }) => code === "limit-reached");
    assert.deepEqual(told.map(({ path }) => path), ["_bmad/custom/s0.toml"]);
  });
});
