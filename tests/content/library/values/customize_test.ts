/**
 * Are the customizations of a team and a user applied exactly once, and shown where they already were?
 *
 * Skills have TOML layers, compiled agents a YAML file that is already part of their text, v4 agents a field.
 * The library is that of library_test.ts: the project `shop` over the sources `team`, both in fixtures/.
 */
import assert from "node:assert/strict";
import { resolveValues } from "../../../../src/content/library/values/customize.ts";
import {
  diagnose,
  executeEntry,
  type Library,
  openLibrary,
  readEntry,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { fixture, opening, openShop } from "../../../support/library.ts";
import { verifies } from "../../../support/requirements.ts";
import { type TreeFile, withTree } from "../../../support/trees.ts";

type Files = Readonly<Record<string, TreeFile>>;

Deno.test(
  verifies(
    "tool:execute-customization",
    "an agent's customization is its own, then the team's, then the user's",
  ),
  async () => {
    const library = await openShop("/home/ann/shop");
    const { customization, problems } = resolveValues(library, resolveEntry(library, { name: "scout" }));
    assert.deepEqual(problems, []);
    assert.deepEqual(structuredClone(customization), {
      agent: {
        name: "Rhea",
        title: "My Scout",
        icon: "🧭",
        role: "Finds a way through unknown country.",
        identity: 'Grew up in the hills, "north side".',
        communication_style: "Short sentences.",
        principles: ["Look first.", "Then go.", "Carry water."],
        persistent_facts: ["The team walks on Mondays."],
        limits: { distance: 20, hours: 8, height: 800 },
        menu: [
          { code: "DM", description: "Draw the team's map", skill: "bmad-map" },
          { code: "AS", description: "Ask for the way", prompt: "Ask somebody, then report." },
          { code: "TW", description: "Plan the team's walk", skill: "bmad-route" },
        ],
      },
    });
  },
);

Deno.test("a project customizes a skill that only a lower origin has", () =>
  withTree({
    "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n",
    "_bmad/custom/bmad-agent-scout.toml": '[agent]\ntitle = "Shop Scout"\n',
  }, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir), opening("cli", 2, fixture("team"))]);
    const { customization } = resolveValues(library, resolveEntry(library, { name: "scout" }));
    assert.deepEqual(structuredClone(customization), { agent: { name: "Rhea", title: "Shop Scout" } });
  }));

const skill = (id: string) => `---\nname: ${id}\ndescription: Does ${id}.\n---\nDo it.\n`;

/** The customization of `bmad-map` in a project with these files, and what is said about it. */
function customized(files: Files): Promise<ReturnType<typeof resolveValues>> {
  return withTree({
    "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
      '"bmad-map","bmad-map","x","bmm","_bmad/bmm/bmad-map/SKILL.md"\n',
    ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
    ...files,
  }, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir)]);
    return resolveValues(library, resolveEntry(library, { name: "map" }));
  });
}

const BASE = ".claude/skills/bmad-map/customize.toml";
const TEAM = "_bmad/custom/bmad-map.toml";

Deno.test("a skill is given the table that it has, whatever else an override says", async () => {
  const both = "[agent]\nx = 1\n[workflow]\nx = 2\n";
  const table: readonly (readonly [base: string, customization: unknown])[] = [
    ["[workflow]\na = 0\n", { workflow: { a: 0, x: 2 } }],
    ["[agent]\na = 0\n", { agent: { a: 0, x: 1 } }],
    ["", { agent: { x: 1 } }],
  ];
  for (const [base, wanted] of table) {
    const { customization, problems } = await customized({ [BASE]: base, [TEAM]: both });
    assert.deepEqual([customization, problems], [wanted, []]);
  }
});

Deno.test("an override of a skill that cannot be customized is ignored and reported", async () => {
  const { customization, problems } = await customized({ [TEAM]: "[workflow]\nx = 1\n" });
  assert.deepEqual(customization, {});
  assert.deepEqual(problems, [`${TEAM} is ignored: bmad-map has no customize.toml`]);
});

Deno.test("a customization keeps its placeholders, and its dates in the form of TOML", async () => {
  const { customization } = await customized({
    [BASE]: '[workflow]\npath = "{plans}/{date}"\nsince = 2024-02-03\nat = 07:32:00\n',
  });
  const workflow = { path: "{plans}/{date}", since: "2024-02-03", at: "07:32:00.000" };
  assert.deepEqual(customization, { workflow });
});

Deno.test("a customization shows no secret, by its key or by its form", async () => {
  const { customization } = await customized({
    [BASE]: `[workflow]\napi_key = "abc"\nfacts = ["Ask with ${"ghp_" + "a1B2".repeat(9)}, please."]\n`,
  });
  assert.deepEqual(customization, { workflow: { facts: ["Ask with [removed], please."] } });
});

const COMPILED =
  '---\nname: "scout"\ndescription: "Scout"\n---\n\n```xml\n<agent id="scout" name="Rex" title="Scout">\n' +
  "<persona><role>Looks</role></persona>\n<memories><memory>Likes hills</memory></memories>\n</agent>\n```\n";

const EMPTY =
  'agent:\n  metadata:\n    name: ""\npersona:\n  role: " "\n  principles: []\nmemories: []\nmenu:\n';
const FILLED = EMPTY.replace("memories: []", 'memories: ["Likes hills"]') +
  "critical_actions: [{do: null}, Look]\n";

const AT = Date.UTC(2026, 0, 1);

/** Runs `fn` on an installation of one compiled agent, whose customization is so much younger than the agent. */
function withCompiled<T>(
  { root, custom, seconds }: { root: string; custom: string; seconds: number },
  fn: (library: Library) => Promise<T>,
): Promise<T> {
  const folder = root === "_bmad" ? "_config" : "_cfg";
  const path = `${root}/${folder}/agents/bmm-scout.customize.yaml`;
  return withTree({
    [`${root}/${folder}/manifest.yaml`]: "installation:\n  version: 6.0.4\nmodules: [bmm]\n",
    [`${root}/${folder}/agent-manifest.csv`]: "name,displayName,title,icon,module,path\n" +
      `"scout","Rex","Scout","","bmm","${root}/bmm/agents/scout.md"\n`,
    [`${root}/bmm/agents/scout.md`]: COMPILED,
    [`${root}/bmm/config.yaml`]: "user_name: Ann\n",
    [path]: custom,
  }, async (dir) => {
    await Deno.utime(`${dir}/${root}/bmm/agents/scout.md`, AT / 1000, AT / 1000);
    await Deno.utime(`${dir}/${path}`, AT / 1000 + seconds, AT / 1000 + seconds);
    return await fn(await openLibrary([opening("project", 1, dir)]));
  });
}

const APPLIED = { memories: ["Likes hills"], critical_actions: ["Look"] };

Deno.test("a compiled agent is read with its customization", async () => {
  for (const root of ["_bmad", "bmad", ".bmad"]) {
    await withCompiled({ root, custom: FILLED, seconds: -60 }, async (library) => {
      const { data, text } = await readEntry(library, resolveEntry(library, { name: "scout" }));
      assert.deepEqual(data["customization"], APPLIED, root);
      assert.equal(text.split("\n").includes(`customization: ${JSON.stringify(APPLIED)}`), true);
    });
  }
  await withCompiled({ root: "_bmad", custom: EMPTY, seconds: 60 }, async (library) => {
    const { data, text } = await readEntry(library, resolveEntry(library, { name: "scout" }));
    assert.deepEqual(data["customization"], {});
    assert.doesNotMatch(text, /^customization:/m);
  });
});

Deno.test("the customization of a compiled agent is not applied twice", () =>
  withCompiled({ root: "_bmad", custom: FILLED, seconds: -60 }, async (library) => {
    const entry = resolveEntry(library, { name: "scout" });
    assert.deepEqual(resolveValues(library, entry), {
      customization: {},
      config: { user_name: "Ann" },
      problems: [],
    });
    const executed = await executeEntry(library, entry, {});
    assert.equal(executed.split("Likes hills").length, 2);
  }));

Deno.test("an agent that was customized after it was compiled is reported as stale", async () => {
  const cases: readonly (readonly [custom: string, seconds: number, isStale: boolean])[] = [
    [FILLED, 60, true],
    [FILLED, -60, false],
    // Files of one checkout are written at nearly the same time, in any order.
    [FILLED, 1, false],
    [EMPTY, 60, false],
  ];
  for (const [custom, seconds, isStale] of cases) {
    await withCompiled({ root: "_bmad", custom, seconds }, async (library) => {
      const path = "_bmad/_config/agents/bmm-scout.customize.yaml";
      const message = "is newer than _bmad/bmm/agents/scout.md: " +
        "it applies here, but not where others read that file";
      const found = { level: "warning", code: "stale-agent", message, path, origin: "project" };
      const issues = await diagnose(library);
      assert.deepEqual(issues.map(({ fix: _, ...facts }) => facts), isStale ? [found] : []);
      const entry = resolveEntry(library, { name: "scout" });
      // A model need not know: it gets the text as customized.
      assert.deepEqual(resolveValues(library, entry).problems, []);
    });
  }
});

Deno.test("a v4 agent is read with its customization", () =>
  withTree({
    ".bmad-core/core-config.yaml": "slashPrefix: BMad\n",
    ".bmad-core/agents/scout.md":
      "```yaml\nagent:\n  name: Rex\n  id: scout\n  customization: |\n    Walk slowly.\n    Ask twice.\n```\n",
    ".bmad-core/agents/drawer.md": "```yaml\nagent:\n  name: Dot\n  id: drawer\n  customization: null\n```\n",
  }, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir)]);
    const read = async (name: string) => await readEntry(library, resolveEntry(library, { name }));
    const customization = { agent: { customization: "Walk slowly.\nAsk twice." } };
    assert.deepEqual((await read("scout")).data["customization"], customization);
    assert.ok((await read("scout")).text.includes(`\ncustomization: ${JSON.stringify(customization)}\n`));
    assert.deepEqual((await read("drawer")).data["customization"], {});
    // The agent's own text has it already.
    assert.deepEqual(resolveValues(library, resolveEntry(library, { name: "scout" })).customization, {});
  }));

Deno.test(
  verifies("errors:diagnostics-go-on", "each ignored file of values is reported once"),
  () =>
    withTree({
      "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
        '"bmad-map","bmad-map","x","bmm","_bmad/bmm/bmad-map/SKILL.md"\n' +
        '"bmad-way","bmad-way","x","bmm","_bmad/bmm/bmad-way/SKILL.md"\n',
      ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
      [BASE]: "[workflow]\na = 1\n",
      ".claude/skills/bmad-way/SKILL.md": skill("bmad-way"),
      "_bmad/custom/bmad-map.user.toml": "a = \n",
      "_bmad/custom/bmad-way.toml": "[workflow]\na = 2\n",
      "_bmad/config.toml": "[core\n",
      "_bmad/bmm/config.yaml": "a: [\n",
    }, async (dir) => {
      const library = await openLibrary([opening("project", 1, dir)]);
      const found = (await diagnose(library)).map((
        { level, code, path, origin },
      ) => [level, code, path, origin]);
      assert.deepEqual(found.map(([, , path]) => path).sort(), [
        "_bmad/bmm/config.yaml",
        "_bmad/config.toml",
        "_bmad/custom/bmad-map.user.toml",
        "_bmad/custom/bmad-way.toml",
      ]);
      for (const [level, code, , origin] of found) {
        assert.deepEqual([level, code, origin], ["warning", "bad-file", "project"]);
      }
    }),
);
