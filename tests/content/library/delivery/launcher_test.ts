/** Is a skill that only runs a script delivered as the text that the script renders? */
import assert from "node:assert/strict";
import { BmadError } from "../../../../src/base/errors.ts";
import { sourceOf } from "../../../../src/content/library/library.ts";
import { isLauncher, renderFiles } from "../../../../src/content/library/delivery/launcher.ts";
import {
  diagnose,
  executeEntry,
  type Library,
  listLibrary,
  openLibrary,
  readResource,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { expireChecks } from "../../../../src/content/tree/mod.ts";
import { assertEnds } from "../../../support/cpu.ts";
import {
  type Files,
  fixture,
  opening,
  sourceTest,
  testsOver,
  withProject,
} from "../../../support/library.ts";
import { copyTree, treeTest, withTree } from "../../../support/trees.ts";

const SKILL = ".claude/skills/bmad-press";

const LAUNCHER = "---\nname: bmad-press\ndescription: Prints.\n---\n\nRun this and nothing else:\n\n" +
  '    uv run "{project-root}/_bmad/scripts/render_skill.py" --project-root "{project-root}" --skill "{skill-root}"\n';

const PROJECT: Files = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\n",
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
    '"bmad-press","bmad-press","Prints.","bmm","_bmad/bmm/ship/bmad-press/SKILL.md"\n',
  "_bmad/config.toml":
    '[core]\nuser_name = "Ann"\npaper = "A4"\napi_token = "hush-1"\n\n[core.mail]\nhost = "mail.example.org"\n' +
    'password = "hush-2"\n\n[modules.bmm]\nproofs = "{project-root}/proofs"\ncopies = 3\nsizes = ["A4"]\n',
  "_bmad/config.user.toml": '[core]\nuser_name = "Ann B."\n',
  [`${SKILL}/SKILL.md`]: LAUNCHER,
  [`${SKILL}/customize.toml`]:
    '[workflow]\nbefore = []\nafter = ["Wash the rollers."]\nink = "black"\nnote = ""\nspeed = 4\n' +
    '\n[workflow.paper]\ncolour = "white"\n\n[[workflow.checks]]\nid = "eye"\nname = "By Eye"\n' +
    'instruction = """\nHold it to the light.\n"""\n',
  [`${SKILL}/workflow.md`]:
    "# Press\n\nAsk {{.user_name}}, then open `[[bmad-snapshot:steps/step-01.md]]`.\n",
  [`${SKILL}/steps/step-01.md`]:
    "Print on {{config.core.paper}}.\nBack to [[bmad-snapshot:workflow.md]].\nDone.\n",
};

const URI = "bmad://rendered/bmm/bmad-press";

function withPress<T>(files: Files, fn: (library: Library) => Promise<T>): Promise<T> {
  return withTree(
    { ...PROJECT, ...files },
    async (dir) => await fn(await openLibrary([opening("project", 1, dir)], { project: dir })),
  );
}

const pressTest = testsOver(withPress);

function rendered(text: string, files: Files = {}): Promise<string | undefined> {
  return withPress(
    { [`${SKILL}/probe.md`]: text, ...files },
    async (library) => (await readResource(library, `${URI}/probe.md`)).text,
  );
}

const press = (library: Library) => resolveEntry(library, { name: "bmad-press" });

pressTest(
  "an executed launcher is its rendered workflow [tool:execute-launchers]",
  {},
  async (library) => {
    const executed = await executeEntry(library, press(library), { message: "Go" });
    assert.equal(
      executed,
      "---\nworkflow: bmm/bmad-press\n" +
        "how: Rendering is done: follow this\n" +
        'user-prompt: "Go"\n---\n\n' +
        "Already resolved (skip the steps that load configuration):\n" +
        `project-root: ${library.project}\n` +
        `skill-root: ${sourceOf(library, press(library)).tree.location}/${press(library).folder}\n` +
        `\nFiles: open "${URI}/PATH"; {project-root}/_bmad/PATH is bmad://PATH. ` +
        "Skills: start skill ….\n---\n\n" +
        `# Press\n\nAsk Ann B., then open \`${URI}/steps/step-01.md\`.\n`,
    );
  },
);

pressTest(
  "a launcher that is executed raw is its own file [tool:execute-raw-option]",
  {},
  async (library) => {
    assert.equal(await executeEntry(library, press(library), { raw: true }), LAUNCHER);
    assert.equal((await readResource(library, "bmad://bmm/bmad-press/SKILL.md")).text, LAUNCHER);
  },
);

pressTest(
  "a rendered file opens whole or in part [resources:mime, resources:lines]",
  {},
  async (library) => {
    const uri = `${URI}/steps/step-01.md`;
    assert.deepEqual(await readResource(library, uri), {
      uri,
      mimeType: "text/markdown",
      text: `Print on A4.\nBack to ${URI}/workflow.md.\nDone.\n`,
    });
    const part = await readResource(library, `${uri}#lines=2-2`);
    assert.deepEqual([part.uri, part.text], [`${uri}#lines=2-2`, `Back to ${URI}/workflow.md.`]);
    await assert.rejects(readResource(library, `${URI}/steps/step-02.md`), {
      message: /^No resource named /,
    });
    // What is never rendered is the file itself.
    const { uri: own } = await readResource(library, `${URI}/customize.toml`);
    assert.equal(own, "bmad://bmm/bmad-press/customize.toml");
  },
);

Deno.test("every Markdown file in a launcher's folder except the launcher is rendered", () =>
  withPress(
    { [`${SKILL}/deep/er/x.md`]: "x", [`${SKILL}/deep/SKILL.md`]: "no", [`${SKILL}/data.csv`]: "{{.x}}" },
    (library) => {
      const paths = [...renderFiles(library, press(library)).keys()].sort();
      assert.deepEqual(paths, ["deep/er/x.md", "steps/step-01.md", "workflow.md"]);
      return Promise.resolve();
    },
  ));

sourceTest("a launcher is recognised by its text, not by its name", {
  "bmad-a/SKILL.md": LAUNCHER.replace("bmad-press", "bmad-a"),
  "bmad-b/SKILL.md": LAUNCHER.replace("bmad-press", "bmad-b"),
  "bmad-b/workflow.md": "Work.\n",
  "bmad-build/SKILL.md": "---\nname: bmad-build\ndescription: Explains render_skill.py.\n---\nSee --skill.\n",
  "bmad-build/workflow.md": "Work.\n",
}, async (library) => {
  const isLaunched = ["bmad-a", "bmad-b", "bmad-build"].map((name) =>
    isLauncher(library, resolveEntry(library, { name }))
  );
  assert.deepEqual(isLaunched, [false, true, false]);
  const { text } = await readResource(library, "bmad://rendered/skills/bmad-b/workflow.md");
  assert.equal(text, "Work.\n");
});

const custom = (text: string): Files => ({ "_bmad/custom/bmad-press.toml": `[workflow]\n${text}\n` });
const config = (text: string): Files => ({ "_bmad/custom/config.toml": text });

const RENDERINGS: readonly (readonly [what: string, source: string, text: string, files?: Files])[] = [
  ["a value by its place", "{{config.core.user_name}}", "Ann B."],
  ["a value by its key", "{{.host}}", "mail.example.org"],
  ["the client's folder stays", "{{.proofs}}/x", "{project-root}/proofs/x"],
  ["the team's configuration", "{{.paper}}", "A5", config('[core]\npaper = "A5"\n')],
  ["a key that is also a list's", "{{.sizes}}", "big", config('[core]\nsizes = "big"\n')],
  ["a customized text", "{workflow.ink}{workflow.note}.", "black."],
  ["a customized text inside a table", "{workflow.paper.colour}", "white"],
  ["the team's text", "{workflow.ink}", "red", custom('ink = "red"')],
  ["a text that was empty may stay so", "[{workflow.note}]", "[ ]", custom('note = " "')],
  ["an empty list", "{workflow.before}", "_None._"],
  ["a list", "{workflow.after}", "- Wash the rollers."],
  [
    "a list with the team's items, one of many lines",
    "{workflow.after}",
    "- Wash the rollers.\n- One\n  two\n  \n  three",
    custom('after = ["One\\ntwo\\r\\n\\nthree\\n"]'),
  ],
  ["a list of tables", "{workflow.checks}", "#### By Eye (`eye`)\n\nHold it to the light."],
  [
    "tables with a condition and without a name, and one that is switched off",
    "{workflow.checks}",
    "#### nose (`nose`)\n\nRun only when: it is wet\n\nSmell it.\n\n#### Ear (`ear`)\n\nListen.",
    custom(
      '\n[[workflow.checks]]\nid = "eye"\ninstruction = " "\n\n[[workflow.checks]]\nid = "nose"\nwhen = "it is wet"\n' +
        'instruction = "Smell it."\n\n[[workflow.checks]]\nid = "ear"\nname = "Ear"\ninstruction = "Listen."\n',
    ),
  ],
  [
    "tables of which none is left",
    "{workflow.checks}",
    "No active review layers. HALT with blocking condition `no active review layers`.",
    custom('\n[[workflow.checks]]\nid = "eye"\ninstruction = ""\n'),
  ],
  ["another file", "[[bmad-snapshot:steps/step-01.md]]", `${URI}/steps/step-01.md`],
  ["the file itself", "[[bmad-snapshot:probe.md]]", `${URI}/probe.md`],
  [
    "the skill's folder in a customized text, and there alone",
    "{skill-root} {workflow.ink} {{.paper}}",
    `{skill-root} as ${URI}/a.md and ${URI}/b.md say {skill-root}`,
    {
      ...custom('ink = "as {skill-root}/a.md and {skill-root}/b.md say"'),
      ...config('[core]\npaper = "{skill-root}"\n'),
    },
  ],
  [
    "what is put in is left alone",
    "{workflow.ink}|{{.paper}}",
    "{{.user_name}} [[bmad-snapshot:workflow.md]] $& $1|{workflow.ink}",
    {
      ...custom('ink = "{{.user_name}} [[bmad-snapshot:workflow.md]] $& $1"'),
      ...config('[core]\npaper = "{workflow.ink}"\n'),
    },
  ],
  [
    "what only looks like a token",
    "{{name}} {ink} {{ .paper }} [[other:x.md]]",
    "{{name}} {ink} {{ .paper }} [[other:x.md]]",
  ],
  ["a customized text in double braces", "{{workflow.ink}}", "{black}"],
  ["lines that end with CRLF", "a\r\n{{.paper}}\r\n", "a\nA4\n"],
];

for (const [what, source, text, files] of RENDERINGS) {
  Deno.test(`a rendered text: ${what}`, async () => assert.equal(await rendered(source, files), text));
}

const set = (path: string) => `Set ${path} in _bmad/custom/config.toml`;
const unset = (path: string) => `the configuration has no value for it. ${set(path)}`;

/** A text that cannot be rendered, and what is said of it. */
const REFUSALS: readonly (readonly [source: string, message: string, files?: Files])[] = [
  ["{{.colour}}", unset("core.colour")],
  ["{{.constructor}}", unset("core.constructor")],
  ["{{config.core.a}}", unset("core.a")],
  ["{{config.core.toString}}", unset("core.toString")],
  [
    "{{.paper}}",
    "ambiguous between core.paper, modules.x.paper. Keep only one of them in the configuration",
    config('[modules.x]\npaper = "A3"\n'),
  ],
  ["{{.copies}}", `expected text. ${set("modules.bmm.copies")}`],
  ["{{config.core.mail}}", `expected text. ${set("core.mail")}`],
  ["{{.paper}}", `must not be empty. ${set("core.paper")}`, config('[core]\npaper = " "\n')],
  ["{workflow.glue}", "missing in the skill's customize.toml"],
  ["{workflow.glue}", "missing in the skill's customize.toml", custom('glue = "new"')],
  ["{workflow.speed}", "expected a text or a list"],
  ["{workflow.paper}", "expected a text or a list"],
  ["{workflow.ink}", "must not be empty", custom('ink = ""')],
  ["{workflow.note}", "expected text", custom("note = 1")],
  ["{workflow.before}", "expected a list", custom('before = "x"')],
  ["{workflow.before}", "must not be empty", custom('before = [""]')],
  ["{workflow.before}", "expected text", custom("before = [1]")],
  ["{workflow.checks}", "expected a table as item 2", custom('checks = ["x"]')],
  ["{workflow.checks}", "id of item 2: expected text", custom('[[workflow.checks]]\nname = "x"')],
  [
    "{workflow.checks}",
    "name of item 2: must not be empty",
    custom('[[workflow.checks]]\nid = "x"\nname = ""'),
  ],
  ["{workflow.checks}", "instruction of item 2: expected text", custom('[[workflow.checks]]\nid = "x"')],
  [
    "{workflow.checks}",
    "when of item 1: must not be empty",
    custom('[[workflow.checks]]\nid = "eye"\ninstruction = "x"\nwhen = ""'),
  ],
  [
    "{workflow.checks}",
    'two items have the id "eye"',
    // Beside an item that has a code only, ids are no keys and the lists are joined.
    custom('[[workflow.checks]]\nid = "eye"\ninstruction = "x"\n\n[[workflow.checks]]\ncode = "x"'),
  ],
  ["[[bmad-snapshot:gone.md]]", "no such file"],
  ["[[bmad-snapshot:../x.md]]", "no such file"],
];

for (const [source, problem, files] of REFUSALS) {
  const changed = files === undefined ? "" : ` after ${JSON.stringify(Object.values(files).join())}`;
  Deno.test(`${source} is refused${changed}: ${problem}`, () =>
    withPress({ [`${SKILL}/probe.md`]: `x ${source}`, ...files }, async (library) => {
      const hint = source.startsWith("{workflow") ? ". Set it in _bmad/custom/bmad-press.toml" : "";
      const message = `Invalid ${source} in probe.md of bmm/bmad-press: ${problem}${hint}`;
      await assert.rejects(readResource(library, `${URI}/probe.md`), { name: "BmadError", message });
      // Nobody begins a work whose last step cannot be rendered.
      await assert.rejects(executeEntry(library, press(library), {}), { name: "BmadError", message });
      assert.equal(await executeEntry(library, press(library), { raw: true }), LAUNCHER);
      const found = (await diagnose(library)).find(({ code }) => code === "bad-launcher");
      assert.deepEqual([found?.path, found?.message], [`${SKILL}/SKILL.md`, `cannot be started: ${message}`]);
      const health = await listLibrary(library, { what: "doctor" });
      assert.ok(health.some(({ about }) => about.includes(`cannot be started: ${message}`)));
    }));
}

Deno.test("the files beside a workflow are from the last launch, whatever changes afterwards", () =>
  withProject(PROJECT, async (library, dir) => {
    const stepAfter = async (act: () => Promise<unknown>) => {
      expireChecks();
      await act();
      return (await readResource(library, `${URI}/steps/step-01.md`)).text?.split("\n")[0];
    };
    const launch = () => executeEntry(library, press(library), {});
    const change = () => Deno.writeTextFile(`${dir}/_bmad/config.user.toml`, '[core]\npaper = "A5"\n');
    assert.equal(await stepAfter(launch), "Print on A4.");
    assert.equal(await stepAfter(change), "Print on A4.");
    assert.equal(await stepAfter(() => diagnose(library)), "Print on A4.");
    assert.equal(await stepAfter(launch), "Print on A5.");
  }));

Deno.test("a secret is never put into a rendered text", () =>
  withPress(
    { [`${SKILL}/probe.md`]: "{{.api_token}} {{config.core.api_token}} {{.password}} {{.host}}" },
    async (library) => {
      const { text } = await readResource(library, `${URI}/probe.md`);
      assert.equal(text, "{{.api_token}} {{config.core.api_token}} {{.password}} mail.example.org");
      assert.doesNotMatch(await executeEntry(library, press(library), {}), /hush/);
    },
  ));

Deno.test("a text that would exceed the file limit is refused", async () => {
  const files = config(`[core]\npaper = "${"x".repeat(60_000)}"\n`);
  assert.equal((await rendered("{{.paper}}".repeat(100), files))?.length, 6_000_000);
  await assert.rejects(rendered("{{.paper}}".repeat(150), files), { message: /makes the skill too large$/ });
});

Deno.test("no hostile launcher with tokens takes long [tool:launchers-bounded]", async (t) => {
  const keys = Array.from({ length: 4_000 }, (_, at) => `key_${at}`);
  const many = config(`[core]\n${keys.map((key) => `${key} = "x"`).join("\n")}\n`);
  const hostile: Readonly<Record<string, readonly [text: string, files: Files]>> = {
    "one long line of tokens": ["{{.paper}}, ".repeat(80_000), {}],
    "every key of a large configuration": [keys.map((key) => `{{.${key}}}`).join("\n"), many],
    "a long value, over and over": [
      "{{.paper}}".repeat(100),
      config(`[core]\npaper = "${"x y ".repeat(15_000)}"\n`),
    ],
    "conditions": ['[[bmad-if:workflow.ink == "black"]]\n[[bmad-endif]]\n'.repeat(20_000), {}],
    "thousands of files": [
      "x",
      Object.fromEntries(keys.slice(0, 3_000).map((key) => [`${SKILL}/${key}.md`, "x ".repeat(2_000)])),
    ],
  };
  for (const [what, [text, files]] of Object.entries(hostile)) {
    await t.step(what, () =>
      withPress({ [`${SKILL}/probe.md`]: text, ...files }, async (library) => {
        const entry = press(library);
        await readResource(library, `${URI}/steps/step-01.md`).catch(() => {});
        const attempt = () => {
          try {
            renderFiles(library, entry);
          } catch (error) {
            assert.ok(error instanceof BmadError, String(error));
          }
        };
        assertEnds(what, 1_000, attempt);
      }));
  }
});

Deno.test("a launcher whose workflow is not text is refused", () =>
  withPress(
    { [`${SKILL}/workflow.md`]: new Uint8Array([0, 255]), [`${SKILL}/steps/step-01.md`]: "" },
    (library) =>
      assert.rejects(executeEntry(library, press(library), {}), {
        message: "Invalid bmm/bmad-press: workflow.md is too large or not a text file",
      }),
  ));

Deno.test("a few texts may be emptied by a customization", async () => {
  const base = { [`${SKILL}/customize.toml`]: '[workflow]\nopen_spec = "Open it."\n' };
  assert.equal(await rendered("{workflow.open_spec}", base), "Open it.");
  assert.equal(await rendered("[{workflow.open_spec}]", { ...base, ...custom('open_spec = ""') }), "[]");
});

pressTest("an invalid layer is ignored, and the answer says so", config("[core\n"), async (library) => {
  const executed = await executeEntry(library, press(library), {});
  assert.match(executed, /\nAsk Ann B\., then open /);
  assert.match(executed, /\nproblems:\n {2}- '?_bmad\/custom\/config\.toml is ignored: the TOML /);
});

Deno.test("without an installation the values are the defaults", () => {
  const agents =
    "agents:\n  - code: bmad-agent-scout\n    name: Rhea\n  - code: bmad-agent-cook\n    team: kitchen\n";
  const tokens = {
    "{{.user_name}}": "Walker",
    "{{config.core.output_folder}}": "_out",
    "{{.plans}}": "{project-root}/_out/plans",
    "{{config.modules.bmm.pace}}": "slow",
    "{{.project_name}}": "shop",
    "{{.name}}": "Rhea",
    "{{config.agents.bmad-agent-scout.module}}": "bmm",
    "{{config.agents.bmad-agent-scout.team}}": "bmm",
    "{{config.agents.bmad-agent-cook.team}}": "kitchen",
  };
  return withTree({
    "bmm/ship/bmad-press/SKILL.md": LAUNCHER,
    "bmm/ship/bmad-press/workflow.md": Object.keys(tokens).join("\n"),
  }, async (dir) => {
    await copyTree(fixture("team"), dir);
    await Deno.writeTextFile(`${dir}/bmm/module.yaml`, agents, { append: true });
    const library = await openLibrary([opening("cli", 2, dir)], { project: "/home/ann/shop" });
    const { text } = await readResource(library, `${URI}/workflow.md`);
    assert.equal(text, Object.values(tokens).join("\n"));
  });
});

treeTest("the values of an installation override the defaults", {
  ...PROJECT,
  "_bmad/config.toml": '[core]\nuser_name = "Ann"\npaper = "A4"\n\n[modules.other]\nplans = "theirs"\n',
  [`${SKILL}/probe.md`]: "{{.user_name}} {{.plans}} {{.pace}}",
}, async (dir) => {
  const library = await openLibrary([opening("project", 1, dir), opening("cli", 2, fixture("team"))]);
  assert.equal((await readResource(library, `${URI}/probe.md`)).text, "Ann B. theirs slow");
});

treeTest("a launcher outside any module has the values of all modules", {
  "bmad-press/SKILL.md": LAUNCHER,
  "bmad-press/workflow.md": "{{.user_name}} {{.plans}}",
}, async (dir) => {
  const library = await openLibrary([opening("cli", 2, dir), opening("env", 3, fixture("team"))]);
  const { text } = await readResource(library, "bmad://rendered/skills/bmad-press/workflow.md");
  assert.equal(text, "Walker {project-root}/_out/plans");
});

pressTest(
  "rendered files are listed, suggested and found by name [resources:rendered]",
  {},
  async (library) => {
    const rows = await listLibrary(library, { what: "resources", pattern: "bmad://rendered/**" });
    assert.deepEqual(rows.map(({ name }) => name).toSorted(), [
      `${URI}/steps/step-01.md`,
      `${URI}/workflow.md`,
    ]);
    for (const { name } of rows) await readResource(library, name);
    await assert.rejects(readResource(library, `${URI}/steps/step-1.md`), {
      message: new RegExp(`Did you mean ${URI}/steps/step-01\\.md`),
    });
    const of = resolveEntry(library, { name: "bmad-press" });
    assert.equal((await readResource(library, "step-01.md", { of })).uri, `${URI}/steps/step-01.md`);
  },
);
