/** Are the customizations of a team and a user applied exactly once, and shown where they already were? */
import assert from "node:assert/strict";
import { resolveValues } from "../../../../src/content/library/values/customize.ts";
import {
  diagnose,
  executeEntry,
  type Library,
  listLibrary,
  openLibrary,
  readEntry,
  resolveEntry,
  searchLibrary,
} from "../../../../src/content/library/mod.ts";
import {
  type Files,
  opening,
  openOrigins,
  openShop,
  projectTest,
  withProject,
} from "../../../support/library.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

const skill = (id: string) => `---\nname: ${id}\ndescription: Does ${id}.\n---\nDo it.\n`;

function customized(files: Files): Promise<ReturnType<typeof resolveValues>> {
  return withProject({
    "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
      '"bmad-map","bmad-map","x","bmm","_bmad/bmm/bmad-map/SKILL.md"\n',
    ".claude/skills/bmad-map/SKILL.md": skill("bmad-map"),
    ...files,
  }, (library) => {
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

const COMPILED =
  '---\nname: "scout"\ndescription: "Scout"\n---\n\n```xml\n<agent id="scout" name="Rex" title="Scout">\n' +
  "<persona><role>Looks</role></persona>\n<memories><memory>Likes hills</memory></memories>\n</agent>\n```\n";

const EMPTY =
  'agent:\n  metadata:\n    name: ""\npersona:\n  role: " "\n  principles: []\nmemories: []\nmenu:\n';
const FILLED = EMPTY.replace("memories: []", 'memories: ["Likes hills"]') +
  "critical_actions: [{do: null}, Look]\n";

const AT = Date.UTC(2026, 0, 1);

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

projectTest("a v4 agent is read with its customization", {
  ".bmad-core/core-config.yaml": "slashPrefix: BMad\n",
  ".bmad-core/agents/scout.md":
    "```yaml\nagent:\n  name: Rex\n  id: scout\n  customization: |\n    Walk slowly.\n    Ask twice.\n```\n",
  ".bmad-core/agents/drawer.md": "```yaml\nagent:\n  name: Dot\n  id: drawer\n  customization: null\n```\n",
}, async (library) => {
  const read = async (name: string) => await readEntry(library, resolveEntry(library, { name }));
  const customization = { agent: { customization: "Walk slowly.\nAsk twice." } };
  assert.deepEqual((await read("scout")).data["customization"], customization);
  assert.ok((await read("scout")).text.includes(`\ncustomization: ${JSON.stringify(customization)}\n`));
  assert.deepEqual((await read("drawer")).data["customization"], {});
  // The agent's own text has it already.
  assert.deepEqual(resolveValues(library, resolveEntry(library, { name: "scout" })).customization, {});
});

projectTest("each ignored file of values is reported once [errors:diagnostics-go-on]", {
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
}, async (library) => {
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
});

Deno.test("every changed value is told with what it was [cli:show-overrides]", async () => {
  const library = await openShop();
  const { data, sheet } = await readEntry(library, resolveEntry(library, { name: "scout" }));
  const rows = sheet.filter(({ label, text }) => label === "customized" || text.endsWith(" (customized)"));
  assert.deepEqual(rows.map(({ label, text }) => `${label} ${text}`), [
    "who 🧭 Rhea, My Scout (customized)",
    "customized agent.title: My Scout (was Scout)",
    "customized agent.icon: 🧭 (was 👣)",
    "customized agent.principles: added Carry water.",
    "customized agent.persistent_facts: added The team walks on Mondays.",
    "customized agent.limits.distance: 20 (was 10)",
    "customized agent.limits.height: 800",
    "customized agent.menu.DM: Draw the team's map (was Draw a map)",
    "customized agent.menu.TW: Plan the team's walk",
    "menu DM Draw the team's map (customized)",
    "menu TW Plan the team's walk (customized)",
  ]);
  const changed = data["customized"] as readonly object[];
  assert.deepEqual(changed[0], { key: "agent.title", value: "My Scout", was: "Scout" });
  assert.deepEqual(changed[5], { key: "agent.limits.height", value: 800 });
});

Deno.test("an item that nobody changed has no marks [cli:show-overrides]", async () => {
  const library = await openShop();
  const { data, sheet } = await readEntry(library, resolveEntry(library, { name: "map" }));
  assert.deepEqual(data["customized"], []);
  assert.equal(sheet.some(({ text }) => text.includes("(customized)")), false);
});

projectTest("every supporting file is named, with what it is for [cli:show-files]", {
  "_bmad/bmm/workflows/map/workflow.yaml": 'name: map\ntemplate: "{installed_path}/template.md"\n' +
    'data: "{project-root}/_bmad/bmm/data/rivers.csv"\nstart: "{project-root}/_bmad/bmm/tasks/walk.md"\n',
  "_bmad/bmm/workflows/map/template.md": "# Map\n",
  "_bmad/bmm/workflows/map/instructions.md": "# How\n",
  "_bmad/bmm/workflows/map/checklist.md": "- [ ] North is up\n",
  "_bmad/bmm/workflows/map/steps/step-01-look.md": "# Look\n",
  "_bmad/bmm/data/rivers.csv": "name\nRhine\n",
  "_bmad/bmm/tasks/walk.md": "# Walk\n",
}, async (library) => {
  const { data, sheet, text } = await readEntry(library, resolveEntry(library, { name: "map" }));
  const named = (key: string) =>
    (data[key] as { path: string; use?: string }[]).map(({ path, use }) => `${use}: ${path.slice(10)}`)
      .sort();
  assert.deepEqual(named("files"), [
    "checklist: workflows/map/checklist.md",
    "instructions: workflows/map/instructions.md",
    "step: workflows/map/steps/step-01-look.md",
    "template: workflows/map/template.md",
    "undefined: workflows/map/workflow.yaml",
  ]);
  // A task is an item by itself.
  assert.deepEqual(named("uses"), ["data: data/rivers.csv"]);
  assert.deepEqual(sheet.filter(({ label }) => label === "uses"), [{
    label: "uses",
    text: "bmad://bmm/data/rivers.csv (data, 11 bytes): _bmad/bmm/data/rivers.csv",
    uri: "bmad://bmm/data/rivers.csv",
  }]);
  assert.ok(text.includes("\nuses: bmad://bmm/data/rivers.csv\n"), text);
});

const SKILL = "---\nname: bmad-agent-scout\ndescription: Finds the way\n---\n# Scout\n";
const AGENT = '[agent]\nname = "Rhea"\ntitle = "Scout"\nicon = "S"\nrole = "Looks"\n';

const names = async (library: Library) =>
  (await listLibrary(library, { what: "agents" })).map(({ about }) => about);

projectTest("an agent has the name that its team gave it, in every list [names:customized]", {
  "_bmad/bmm/skills/bmad-agent-scout/SKILL.md": SKILL,
  "_bmad/bmm/skills/bmad-agent-scout/customize.toml": AGENT,
  "_bmad/custom/bmad-agent-scout.toml": '[agent]\nname = "Zoe"\ntitle = "Pathfinder"\n',
  "_bmad/custom/bmad-agent-scout.user.toml": '[agent]\nname = "Zora"\n',
}, async (library) => {
  assert.deepEqual(await names(library), ["Zora, Pathfinder: Finds the way"]);
  // Texts still use the name in its own file.
  for (const name of ["Zora", "zora", "Pathfinder", "scout", "Rhea"]) {
    const entry = resolveEntry(library, { name });
    assert.equal(entry.displayName, "Zora", name);
    assert.match(
      await executeEntry(library, entry, { asked: name }),
      /^---\nagent: bmm\/bmad-agent-scout/,
    );
  }
  assert.equal((await searchLibrary(library, { words: "Zora" }))[0]?.name, "bmm/bmad-agent-scout");
  assert.throws(() => resolveEntry(library, { name: "Zoe" }), /No agent, workflow or skill named "Zoe"/);
  const { data } = await readEntry(library, resolveEntry(library, { name: "Zora", origin: "project" }));
  assert.equal(data["displayName"], "Zora");
});

treeTest("only a customization that applies renames an agent [names:customized]", {
  "own/_bmad/bmm/skills/bmad-agent-scout/SKILL.md": SKILL,
  "own/_bmad/bmm/skills/bmad-agent-scout/customize.toml": AGENT,
  "own/_bmad/bmm/skills/bmad-agent-cook/SKILL.md": SKILL.replace("scout", "cook"),
  "own/_bmad/bmm/skills/bmad-agent-cook/bmad-skill-manifest.yaml": "type: agent\ndisplayName: Ada\n",
  // Not TOML; for an agent without values; a table that it does not read; for nobody.
  "own/_bmad/custom/bmad-agent-scout.toml": '[agent\nname = "Zoe"\n',
  "own/_bmad/custom/bmad-agent-scout.user.toml": '[workflow]\nname = "Zoe"\n',
  "own/_bmad/custom/bmad-agent-cook.toml": '[agent]\nname = "Zoe"\n',
  "own/_bmad/custom/__proto__.toml": '[agent]\nname = "Zoe"\n',
  "own/_bmad/custom/constructor.toml": '[agent]\nname = "Zoe"\n',
  "below/_bmad/custom/bmad-agent-scout.toml": '[agent]\nname = "Zoe"\n',
}, async (dir) => {
  const library = await openOrigins(dir, { project: "own", cli: "below" });
  assert.deepEqual((await names(library)).map((about) => about.split(/[,:]/)[0]).sort(), ["Ada", "Rhea"]);
});
