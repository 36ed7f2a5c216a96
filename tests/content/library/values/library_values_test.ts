/** Is an executed item delivered with its own text and the values that an installation would have resolved? */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { executeEntry, readEntry, resolveEntry } from "../../../../src/content/library/mod.ts";
import type { TreeFile } from "../../../support/trees.ts";
import { fixture, openShop, sourceTest, withProject, withSource } from "../../../support/library.ts";

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

Deno.test("a layer that does not parse is skipped and noted [errors:diagnostics-go-on]", async () => {
  const table: readonly (readonly [path: string, text: string, legend: string, pace: string])[] = [
    ["_bmad/bmm/bmad-map/customize.toml", "[workflow\n", "user", "brisk"],
    ["_bmad/custom/bmad-map.toml", "legend = \n", "user", "brisk"],
    ["_bmad/custom/bmad-map.user.toml", 'legend = "x\n', "team", "brisk"],
    ["_bmad/bmm/config.yaml", "pace: [\n", "user", "brisk"],
    ["_bmad/config.toml", "pace\n", "user", "slow"],
  ];
  for (const [path, text, legend, pace] of table) {
    await withProject({ ...LAYERS, [path]: text }, async (library) => {
      const executed = await executeEntry(library, resolveEntry(library, { name: "map" }), {});
      const values = valuesIn(executed);
      assert.deepEqual([values["workflow"], values["config"]], [{ legend }, { pace }], path);
      const [problem, ...others] = values["problems"] as string[];
      assert.deepEqual(others, []);
      assert.equal(problem?.startsWith(`${path} is ignored: the `), true, problem);
    });
  }
});

function valuesIn(executed: string): Record<string, unknown> {
  const [, block] = /\nAlready resolved [^\n]*\n([\s\S]*?)\nFiles: /.exec(executed) ?? [];
  return load(block ?? assert.fail("there are no resolved values")) as Record<string, unknown>;
}

Deno.test(
  "an executed workflow is a head, the values, a note on files and the file's own text [tool:execute-one-call, tool:execute-front-matter, tool:execute-file-note, tool:execute-raw-text]",
  async () => {
    const library = await openShop("/home/ann/shop");
    const executed = await executeEntry(library, resolveEntry(library, { name: "map" }), {
      message: 'Map the "north"\nside',
      by: "bmm/bmad-agent-scout",
      date: "2026-11-15",
      calls: { open: "get URI", start: "run KIND=NAME" },
    });
    const text = await Deno.readTextFile(`${fixture("shop")}/.claude/skills/bmad-map/SKILL.md`);
    const head =
      '---\nagent: bmm/bmad-agent-scout\nworkflow: bmm/bmad-map\nuser-prompt: "Map the \\"north\\"\\nside"\n---\n\n';
    assert.equal(executed.slice(0, head.length), head);
    assert.ok(executed.slice(head.length).startsWith("Already resolved (skip the steps that "));
    assert.ok(executed.endsWith(`\n---\n\n${text}`));
    const { "project-root": root, "skill-root": folder, date, ...values } = valuesIn(executed);
    assert.deepEqual([root, date], ["/home/ann/shop", "2026-11-15"]);
    assert.equal(folder, `${fixture("shop")}/.claude/skills/bmad-map`);
    assert.deepEqual(Object.keys(values), ["workflow", "config"]);
    assert.ok(executed.includes(
      '\nFiles: get "bmad://bmm/bmad-map/PATH"; {project-root}/_bmad/PATH is bmad://PATH. ' +
        "Skills: run skill=….\n---\n",
    ));
  },
);

Deno.test("an unset user name says how to set it [tool:execute-one-call]", async () => {
  const module = "code: own\nname: Own\nuser_name:\n  prompt: Your name?\n  default: BMad\n";
  const files = {
    "src/own/module.yaml": module,
    "src/own/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws.\n---\nGreet {user_name}.\n",
    "package.json": "{}",
  };
  for (
    const [set, line] of [
      [{}, "  user_name: BMad # nobody's: set user_name in ~/.bmad/config.yaml\n"],
      [{ "src/own/config.yaml": "user_name: Ann\n" }, "  user_name: Ann\n"],
    ] as const
  ) {
    await withSource({ ...files, ...set }, async (library) => {
      const executed = await executeEntry(library, resolveEntry(library, { name: "map" }), {});
      assert.ok(executed.includes(line), executed);
      assert.match((valuesIn(executed)["config"] as Record<string, string>)["user_name"]!, /^(BMad|Ann)$/);
    });
  }
});

Deno.test("an executed item without values has only its head, its text and the note", () =>
  withSource(
    { "bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws.\n---\nDraw.\n" },
    async (library, dir) => {
      assert.equal(
        await executeEntry(library, resolveEntry(library, { name: "map" }), {}),
        "---\nworkflow: skills/bmad-map\n---\n\n" +
          "Already resolved (skip the steps that load configuration):\n" +
          `skill-root: ${dir}/bmad-map\n\n` +
          'Files: open "bmad://skills/bmad-map/PATH"; {project-root}/_bmad/PATH is bmad://PATH. ' +
          "Skills: start skill ….\n---\n\n---\nname: bmad-map\ndescription: Draws.\n---\nDraw.\n",
      );
    },
  ));

sourceTest("a raw execution is the file, byte for byte [tool:execute-raw-option]", {
  "bmad-map/SKILL.md": "\uFEFF---\r\nname: bmad-map\r\ndescription: Draws.\r\n---\r\n\r\nDraw.  \r\n\r\n\r\n",
}, async (library, dir) => {
  const entry = resolveEntry(library, { name: "map" });
  const raw = await executeEntry(library, entry, { raw: true, message: "left out" });
  assert.deepEqual(
    new TextEncoder().encode(raw),
    await Deno.readFile(`${dir}/bmad-map/SKILL.md`),
  );
});

Deno.test("a menu code, in any case, selects the first step [names:menu-code]", async () => {
  const library = await openShop("/home/ann/shop");
  const scout = resolveEntry(library, { name: "Rhea" });
  const table: readonly (readonly [string, string])[] = [
    ["DM", "menu-item: DM (start skill bmad-map)"],
    ["dm", "menu-item: DM (start skill bmad-map)"],
    ["*DM", "menu-item: DM (start skill bmad-map)"],
    ["AS", "menu-item: AS (Ask somebody, then report.)"],
    ["TW", "menu-item: TW (start skill bmad-route)"],
  ];
  for (const [item, line] of table) {
    const executed = await executeEntry(library, scout, { item });
    assert.equal(executed.split("\n")[2], line, item);
  }
});

Deno.test("an unknown menu code is answered with the known ones", async () => {
  const library = await openShop("/home/ann/shop");
  const failing = (name: string, item: string) =>
    executeEntry(library, resolveEntry(library, { name }), { item });
  await assert.rejects(failing("Rhea", "XX"), {
    message: /^Unknown menu item "XX"\. Use one of DM, AS/,
  });
  await assert.rejects(failing("map", "DM"), {
    failure: { code: "not-found", what: "menu item", name: "DM", hint: "bmm/bmad-map has no menu" },
  });
});

Deno.test("an agent is read as overridden [tool:read-agent-fields, tool:effective-item]", async () => {
  const library = await openShop("/home/ann/shop");
  const { data, text } = await readEntry(library, resolveEntry(library, { name: "scout" }));
  const { customization: _, content, files: __, customizedIn: ___, customized, ...facts } = data;
  assert.deepEqual(facts, {
    name: "scout",
    id: "bmad-agent-scout",
    module: "bmm",
    displayName: "Rhea",
    title: "My Scout",
    author: "",
    source: "both",
    installedFrom: undefined,
    description: "Finds the way. Use when the user asks for Rhea or a scout.",
    kind: "skill",
    origin: "project",
    icon: "🧭",
    role: "Finds a way through unknown country.",
    toolName: "bmm-scout",
    version: "6.12.0",
    generation: "skills",
    status: "verified",
    uri: "bmad://bmm/bmad-agent-scout/SKILL.md",
    location: "/shop",
    path: ".claude/skills/bmad-agent-scout/SKILL.md",
    shadows: ["cli"],
    shadowedBy: [],
    uses: [],
    persona: {
      role: "Finds a way through unknown country.",
      identity: 'Grew up in the hills, "north side".',
      communicationStyle: "Short sentences.",
      principles: ["Look first.", "Then go.", "Carry water."],
    },
    capabilities: [],
    menu: [
      { code: "DM", label: "Draw the team's map", target: "bmad-map", prompt: undefined },
      { code: "AS", label: "Ask for the way", target: undefined, prompt: "Ask somebody, then report." },
      { code: "TW", label: "Plan the team's walk", target: "bmad-route", prompt: undefined },
    ],
    workflows: ["bmad-map", "bmad-route"],
  });
  assert.equal(text.endsWith(`\n---\n${content}`), true);
  const marked = customized as readonly { readonly key: string; readonly was?: unknown }[];
  assert.deepEqual(marked.find(({ key }) => key === "agent.title"), {
    key: "agent.title",
    value: "My Scout",
    was: "Scout",
  });
});
