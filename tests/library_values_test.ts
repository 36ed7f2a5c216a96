/**
 * Does an executed thing carry its own text and the values that an installation would have resolved for it?
 *
 * Customization and configuration are laid over each other as BMAD's scripts do it. The library is that of
 * library_test.ts: the project `shop` over the sources `team`, both in fixtures/.
 */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { mergeStructural, resolveModuleConfig, resolveValues } from "../src/library/customize.ts";
import { executeEntry, type Library, openLibrary, readEntry, resolveEntry } from "../src/library/mod.ts";
import { verifies } from "./support/requirements.ts";
import { type TreeFile, withTree } from "./support/trees.ts";
import { fixture, opening, openShop } from "./support/library.ts";

function openTeam(project?: string): Promise<Library> {
  return openLibrary([opening("cli", 2, fixture("team"))], { project });
}

Deno.test("one document is laid over another by BMAD's structural rules", () => {
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
    ["a list replaces a scalar", { a: "x" }, { a: ["y"] }, { a: ["y"] }],
    ["a scalar replaces a table", { a: { b: 1 } }, { a: 1 }, { a: 1 }],
  ];
  for (const [what, base, over, merged] of table) assert.deepEqual(mergeStructural(base, over), merged, what);
});

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

Deno.test("a configuration is the flat files under the four layers of an installation", async () => {
  const config = resolveModuleConfig(await openShop("/home/ann/shop"), "bmm");
  // Of user_name, pace and compass several layers speak; the last one counts.
  assert.deepEqual(structuredClone({ ...config, servers: undefined, mail: undefined }), {
    user_name: "Ann",
    output_folder: "_out",
    project_name: "shop",
    plans: "{project-root}/docs/plans",
    compass: true,
    walkers: 3,
    pace: "brisk",
    language: "Deutsch",
    api_token: "t0p",
    signing_key: "k3y",
    servers: undefined,
    mail: undefined,
  });
});

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

Deno.test("a default that names something of the language is text like any other", () =>
  withTree({
    "fw/module.yaml":
      'code: fw\nodd:\n  prompt: What?\n  default: "{constructor}"\nodder:\n  prompt: What?\n  default: "{toString}"\n',
    "fw/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws.\n---\nDraw.\n",
  }, async (dir) => {
    const library = await openLibrary([opening("cli", 2, dir)]);
    assert.deepEqual(resolveModuleConfig(library, "fw"), { odd: "{constructor}", odder: "{toString}" });
  }));

/** A library of one skill with a file for each layer, which a test may break. */
const LAYERS: Readonly<Record<string, TreeFile>> = {
  "_bmad/_config/skill-manifest.csv":
    'canonicalId,name,description,module,path\n"bmad-map","bmad-map","x","bmm","_bmad/bmm/bmad-map/SKILL.md"\n',
  "_bmad/bmm/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws.\n---\nDraw.\n",
  "_bmad/bmm/bmad-map/customize.toml": '[workflow]\nlegend = "own"\n',
  "_bmad/custom/bmad-map.toml": '[workflow]\nlegend = "team"\n',
  "_bmad/custom/bmad-map.user.toml": '[workflow]\nlegend = "user"\n',
  "_bmad/bmm/config.yaml": "pace: slow\n",
  "_bmad/config.toml": '[modules.bmm]\npace = "brisk"\n',
};

Deno.test(
  verifies(
    "errors:diagnostics-go-on",
    "a layer that does not parse is left out, and the executed text says so",
  ),
  async () => {
    const table: readonly (readonly [path: string, text: string, legend: string, pace: string])[] = [
      ["_bmad/bmm/bmad-map/customize.toml", "[workflow\n", "user", "brisk"],
      ["_bmad/custom/bmad-map.toml", "legend = \n", "user", "brisk"],
      ["_bmad/custom/bmad-map.user.toml", 'legend = "x\n', "team", "brisk"],
      ["_bmad/bmm/config.yaml", "pace: [\n", "user", "brisk"],
      ["_bmad/config.toml", "pace\n", "user", "slow"],
    ];
    for (const [path, text, legend, pace] of table) {
      await withTree({ ...LAYERS, [path]: text }, async (dir) => {
        const library = await openLibrary([opening("project", 1, dir)]);
        const executed = await executeEntry(library, resolveEntry(library, { name: "map" }), {});
        const values = valuesIn(executed);
        assert.deepEqual([values["workflow"], values["config"]], [{ legend }, { pace }], path);
        const [problem, ...others] = values["problems"] as string[];
        assert.deepEqual(others, []);
        assert.equal(problem?.startsWith(`${path} does not count: the `), true, problem);
      });
    }
  },
);

/** The resolved values in an executed text. */
function valuesIn(executed: string): Record<string, unknown> {
  const [, block] = /\n---\nResolved by the server [^\n]*\n([\s\S]*)\nFiles: /.exec(executed) ?? [];
  return load(block ?? assert.fail("there are no resolved values")) as Record<string, unknown>;
}

Deno.test(
  verifies(
    ["tool:execute-one-call", "tool:execute-front-matter", "tool:execute-file-note", "tool:execute-raw-text"],
    "an executed workflow is a head, the file's own text, the values and a note on files",
  ),
  async () => {
    const library = await openShop("/home/ann/shop");
    const executed = await executeEntry(library, resolveEntry(library, { name: "map" }), {
      message: 'Map the "north"\nside',
      by: "bmm/bmad-agent-scout",
    });
    const text = await Deno.readTextFile(`${fixture("shop")}/.claude/skills/bmad-map/SKILL.md`);
    const head =
      '---\nagent: bmm/bmad-agent-scout\nworkflow: bmm/bmad-map\nuser-prompt: "Map the \\"north\\"\\nside"\n---\n\n';
    assert.equal(executed.slice(0, head.length), head);
    assert.equal(executed.slice(head.length, head.length + text.length), text);
    assert.deepEqual(Object.keys(valuesIn(executed)), ["workflow", "config"]);
    assert.equal(
      executed.slice(executed.lastIndexOf("\n") + 1),
      'Files: bmad {"uri":"bmad://bmm/bmad-map/PATH"}; {project-root}/_bmad/PATH is bmad://PATH. ' +
        'Skills: bmad {"skill":…}.',
    );
  },
);

Deno.test("an executed thing without values has only its head, its text and the note", () =>
  withTree({ "bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws.\n---\nDraw.\n" }, async (dir) => {
    const library = await openLibrary([opening("cli", 2, dir)]);
    assert.equal(
      await executeEntry(library, resolveEntry(library, { name: "map" }), {}),
      "---\nworkflow: skills/bmad-map\n---\n\n---\nname: bmad-map\ndescription: Draws.\n---\nDraw.\n\n" +
        'Files: bmad {"uri":"bmad://skills/bmad-map/PATH"}; {project-root}/_bmad/PATH is bmad://PATH. ' +
        'Skills: bmad {"skill":…}.',
    );
  }));

Deno.test(
  verifies("tool:execute-raw-option", "a raw execution is the file, byte for byte"),
  () =>
    withTree({
      "bmad-map/SKILL.md":
        "\uFEFF---\r\nname: bmad-map\r\ndescription: Draws.\r\n---\r\n\r\nDraw.  \r\n\r\n\r\n",
    }, async (dir) => {
      const library = await openLibrary([opening("cli", 2, dir)]);
      const entry = resolveEntry(library, { name: "map" });
      const raw = await executeEntry(library, entry, { raw: true, message: "left out" });
      assert.deepEqual(
        new TextEncoder().encode(raw),
        await Deno.readFile(`${dir}/bmad-map/SKILL.md`),
      );
    }),
);

Deno.test(
  verifies("names:menu-code", "a menu code names what an agent is to begin with, in any case"),
  async () => {
    const library = await openShop("/home/ann/shop");
    const scout = resolveEntry(library, { name: "Rhea" });
    const table: readonly (readonly [string, string])[] = [
      ["DM", "menu-item: DM (start skill bmad-map)"],
      ["dm", "menu-item: DM (start skill bmad-map)"],
      ["*DM", "menu-item: DM (start skill bmad-map)"],
      ["AS", "menu-item: AS (Ask somebody, then report.)"],
    ];
    for (const [item, line] of table) {
      const executed = await executeEntry(library, scout, { item });
      assert.equal(executed.split("\n")[2], line, item);
    }
  },
);

Deno.test(
  verifies("names:menu-code", "a menu code that the team added names what an agent is to begin with"),
  async () => {
    const library = await openShop("/home/ann/shop");
    const executed = await executeEntry(library, resolveEntry(library, { name: "Rhea" }), { item: "TW" });
    assert.equal(executed.split("\n")[2], "menu-item: TW (start skill bmad-route)");
  },
);

Deno.test("a menu code that an agent does not have is answered with those it has", async () => {
  const library = await openShop("/home/ann/shop");
  const failing = (name: string, item: string) =>
    executeEntry(library, resolveEntry(library, { name }), { item });
  await assert.rejects(failing("Rhea", "XX"), {
    message: /^Cannot find menu item "XX"\. bmm\/bmad-agent-scout has DM, AS/,
  });
  await assert.rejects(failing("map", "DM"), {
    failure: { code: "not-found", what: "menu item", name: "DM", near: [], hint: "bmm/bmad-map has no menu" },
  });
});

Deno.test("a v4 agent is executed with its root's configuration", () =>
  withTree({
    ".bmad-core/core-config.yaml": "devStoryLocation: docs/stories\n",
    ".bmad-core/agents/scout.md": "```yaml\nagent: {name: Rex}\n```\n",
  }, async (dir) => {
    const library = await openLibrary([opening("project", 1, dir)]);
    const { config, customization } = resolveValues(library, resolveEntry(library, { name: "Rex" }));
    assert.deepEqual([config, customization], [{ devStoryLocation: "docs/stories" }, {}]);
  }));

Deno.test(
  verifies("tool:read-agent-fields", "an agent that is read tells all about itself"),
  async () => {
    const library = await openShop("/home/ann/shop");
    const { data, text } = await readEntry(library, resolveEntry(library, { name: "scout" }));
    const { customization: _, content, files: __, ...facts } = data;
    assert.deepEqual(facts, {
      name: "scout",
      id: "bmad-agent-scout",
      module: "bmm",
      displayName: "Rhea",
      title: "Scout",
      description: "Finds the way. Use when the user asks for Rhea or a scout.",
      kind: "skill",
      origin: "project",
      icon: "👣",
      role: "Finds a way through unknown country.",
      toolName: "bmm-scout",
      version: "6.12.0",
      generation: "skills",
      status: "verified",
      uri: "bmad://bmm/bmad-agent-scout/SKILL.md",
      shadows: ["cli"],
      persona: {
        role: "Finds a way through unknown country.",
        identity: 'Grew up in the hills, "north side".',
        communicationStyle: "Short sentences.",
        principles: ["Look first.", "Then go."],
      },
      capabilities: [],
      menu: [
        { code: "DM", label: "Draw a map", target: "bmad-map", prompt: undefined },
        { code: "AS", label: "Ask for the way", target: undefined, prompt: "Ask somebody, then report." },
      ],
      workflows: ["bmad-map"],
    });
    assert.equal(text.endsWith(`\n---\n${content}`), true);
  },
);
