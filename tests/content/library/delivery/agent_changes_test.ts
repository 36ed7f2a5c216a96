/** Does the `.customize.yaml` of a compiled agent reach what is delivered, once, wherever it lies? */
import assert from "node:assert/strict";
import { compareFiles } from "../../../../src/content/library/compare/differences.ts";
import { HANDLERS } from "../../../../src/content/library/delivery/compile_agent.ts";
import { applyChanges } from "../../../../src/content/library/delivery/agent_changes.ts";
import {
  compareVersions,
  executeEntry,
  type Library,
  listLibrary,
  menuRequests,
  openLibrary,
  readEntry,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import { assertEnds } from "../../../support/cpu.ts";
import {
  customizationFiles,
  resolveValues,
  valueDiagnostics,
} from "../../../../src/content/library/values/customize.ts";
import { type Files, opening, projectTest, testsOver } from "../../../support/library.ts";
import { withTree } from "../../../support/trees.ts";

const AGENT = `---
name: "scout"
description: "Scout"
---
<agent id="scout" name="Rex" title="Scout" icon="S">
<activation critical="MANDATORY">
  <step n="1">Load persona</step>
  <step n="2">Greet the user</step>
  <step n="3">Wait</step>
  <menu-handlers><handlers>
    <handler type="exec">Follow it</handler>
  </handlers></menu-handlers>
</activation>
  <persona>
    <role>Looks</role>
    <identity>A dog</identity>
  </persona>
  <menu>
    <item cmd="*help">Help</item>
    <item cmd="*map" exec="{project-root}/map.md">Draw a map</item>
    <item cmd="*exit">Leave</item>
  </menu>
</agent>
`;

const CHANGES = {
  agent: { metadata: { name: "Zoe", title: 'The "one" & only' } },
  persona: { role: "Leads $& all" },
  critical_actions: ["Look $1 around"],
  memories: ["Likes a > b"],
  menu: [{ trigger: "climb", workflow: "{project-root}/climb.yaml", description: "Climb" }],
  prompts: [{ id: "p", content: "Say <hi>" }],
};

Deno.test("a customization replaces names and persona, and adds the rest in its place", () => {
  assert.equal(
    applyChanges(AGENT, CHANGES),
    `---
name: "scout"
description: "Scout"
---
<agent id="scout" name="Zoe" title="The &quot;one&quot; &amp; only" icon="S">
<activation critical="MANDATORY">
  <step n="1">Load persona</step>
  <step n="2">Look $1 around</step>
  <step n="3">Greet the user</step>
  <step n="4">Wait</step>
  <menu-handlers><handlers>
    <handler type="exec">Follow it</handler>
  <handler type="workflow">${handlerWords()}</handler>
  </handlers></menu-handlers>
</activation>
  <persona>
    <role>Leads $&amp; all</role>
  </persona>
  <prompts>
    <prompt id="p">
      <content>
Say <hi>
      </content>
    </prompt>
  </prompts>
  <memories>
    <memory>Likes a &gt; b</memory>
  </memories>
  <menu>
    <item cmd="*help">Help</item>
    <item cmd="*map" exec="{project-root}/map.md">Draw a map</item>
    <item cmd="*climb" workflow="{project-root}/climb.yaml">Climb</item>
    <item cmd="*exit">Leave</item>
  </menu>
</agent>
`,
  );
});

function handlerWords(): string {
  return HANDLERS.find(([type]) => type === "workflow")![2];
}

Deno.test("a customization that the text has already changes nothing, and an edited one only what was edited", () => {
  const once = applyChanges(AGENT, CHANGES);
  assert.equal(applyChanges(once, CHANGES), once);
  const [item] = CHANGES.menu;
  const edited = applyChanges(once, { menu: [{ ...item, description: "Climb higher" }] });
  assert.equal(edited, once.replace(">Climb<", ">Climb higher<"));
});

Deno.test("the first alphas kept the fields of a persona that a customization does not give", () => {
  const text = applyChanges(AGENT, { persona: { role: "Leads" } }, true);
  assert.match(text, /<persona>\n {4}<role>Leads<\/role>\n {4}<identity>A dog<\/identity>\n {2}<\/persona>/);
});

Deno.test("a text without an agent's element stays as it is", () => {
  assert.equal(applyChanges("# Scout\n", CHANGES), "# Scout\n");
});

const changes = (name: string, more = "") => `agent:\n  metadata:\n    name: ${name}\n${more}`;

function withSources<T>(files: Files, fn: (library: Library) => T | Promise<T>): Promise<T> {
  return withTree({ "project/": "", "home/.bmad/": "", ...files }, async (dir) => {
    const openings = [opening("project", 1, `${dir}/project`), opening("user", 4, `${dir}/home/.bmad`)];
    return await fn(await openLibrary(openings));
  });
}

const sourcesTest = testsOver(withSources);

const PLACES: Readonly<Record<string, Files>> = {
  "a root without a manifest": {
    "project/_bmad/bmm/agents/scout.md": AGENT,
    "project/_bmad/_config/agents/bmm-scout.customize.yaml": changes("Zoe"),
  },
  "an alpha": {
    "project/bmad/_cfg/manifest.yaml": "installation:\n  version: 6.0.0-alpha.7\nmodules: [bmm]\n",
    "project/bmad/_cfg/agent-manifest.csv": "name,displayName,title,icon,module,path\n" +
      '"scout","Rex","Scout","","bmm","bmad/bmm/agents/scout.md"\n',
    "project/bmad/bmm/agents/scout.md": AGENT,
    "project/bmad/_cfg/agents/bmm-scout.customize.yaml": changes("Zoe"),
  },
  "the home folder": {
    "project/_bmad/bmm/agents/scout.md": AGENT,
    "home/.bmad/_cfg/agents/bmm-scout.customize.yaml": changes("Zoe"),
  },
  "the project, over the home folder": {
    "home/.bmad/bmm/agents/scout.md": AGENT,
    "home/.bmad/_config/agents/bmm-scout.customize.yaml": changes("Max"),
    "project/_bmad/_config/agents/bmm-scout.customize.yaml": changes("Zoe"),
  },
  "an agent that nobody installed": {
    "project/src/bmm/agents/scout.agent.yaml":
      "agent:\n  metadata:\n    name: Rex\n    title: Scout\n  persona:\n    role: Looks\n  menu:\n" +
      "    - trigger: map\n      exec: map.md\n      description: Map\n",
    "project/src/bmm/module.yaml": "code: bmm\n",
    "project/_bmad/_config/agents/bmm-scout.customize.yaml": changes("Zoe"),
  },
};

for (const [place, files] of Object.entries(PLACES)) {
  Deno.test(`the customization in ${place} is applied, and its name resolves [config:agent-changes]`, () =>
    withSources(files, async (library) => {
      assert.deepEqual(
        (await listLibrary(library, { what: "agents" })).map(({ data }) => data["displayName"]),
        [
          "Zoe",
        ],
      );
      const entry = resolveEntry(library, { name: "Zoe" });
      assert.match(await executeEntry(library, entry, {}), /<agent [^>]*name="Zoe"/);
      assert.equal((await readEntry(library, entry)).data["displayName"], "Zoe");
      const raw = await executeEntry(library, entry, { raw: true });
      assert.match(raw, /Rex/);
    }));
}

Deno.test("a persona keeps fields that no customization gives [config:field-by-field]", async () => {
  const roles = {
    "home/.bmad/_config/agents/bmm-scout.customize.yaml":
      "persona:\n  role: Leads\n  communication_style: Brief\n",
    "project/_bmad/_config/agents/bmm-scout.customize.yaml": "persona:\n  role: Guides\n",
    "project/_bmad/bmm/agents/scout.md": AGENT,
  };
  const personaIn = (files: Files) =>
    withSources(files, async (library) => {
      const text = await executeEntry(library, resolveEntry(library, { name: "scout" }), {});
      return Array.from(
        /<persona>[^]*<\/persona>/.exec(text)![0].matchAll(/<(\w+)>([^<]+)<\/\1>/g),
        ([, tag, value]) => `${tag}: ${value}`,
      );
    });
  const merged = ["role: Guides", "communication_style: Brief"];
  assert.deepEqual(await personaIn(roles), [...merged, "identity: A dog"]);
  const installed = {
    "project/_bmad/_config/manifest.yaml": "installation:\n  version: 6.0.4\nmodules: [bmm]\n",
    "project/_bmad/_config/agent-manifest.csv": "name,displayName,title,icon,module,path\n" +
      '"scout","Rex","Scout","","bmm","_bmad/bmm/agents/scout.md"\n',
  };
  assert.deepEqual(await personaIn({ ...roles, ...installed }), merged);
});

sourcesTest("a mistake in a home folder does not switch off a project's customization of an agent", {
  "home/.bmad/_config/agents/bmm-scout.customize.yaml": changes("Max", "prompts:\n  - id: 1\n"),
  "project/_bmad/_config/agents/bmm-scout.customize.yaml": changes(
    "Zoe",
    "prompts:\n  - id: go\n    content: Go on\n",
  ),
  "project/_bmad/bmm/agents/scout.md": AGENT,
}, async (library) => {
  const entry = resolveEntry(library, { name: "scout" });
  assert.match(await executeEntry(library, entry, {}), /<agent [^>]*name="Zoe"[^]*Go on/);
  const ignored = "_config/agents/bmm-scout.customize.yaml";
  const message = "is ignored: expected text as `id` of a list item, got 1";
  assert.deepEqual(resolveValues(library, entry).problems, [`${ignored} ${message}`]);
  assert.deepEqual(
    (await valueDiagnostics(library)).filter(({ code }) => code === "bad-file")
      .map(({ path, origin, message }) => [path, origin, message]),
    [[ignored, "user", message]],
  );
  assert.deepEqual(customizationFiles(library, entry).map(({ source }) => source.origin.id), ["project"]);
});

sourcesTest("an item that a customization adds to the menu can be started", {
  "project/_bmad/bmm/agents/scout.md": AGENT,
  "project/_bmad/_config/agents/bmm-scout.customize.yaml":
    "persona:\n  role: Leads\nmenu:\n  - trigger: climb\n    action: Climb the hill\n    description: Climb\n",
}, async (library) => {
  const entry = resolveEntry(library, { name: "scout" });
  assert.match(
    await executeEntry(library, entry, { item: "climb" }),
    /\nmenu-item: climb \(Climb the hill\)\n/,
  );
  assert.ok((await menuRequests(library, entry)).includes("climb: Climb"));
  const { data } = await readEntry(library, entry);
  assert.deepEqual((data["persona"] as Record<string, unknown>)["role"], "Leads");
});

sourcesTest("a customization that cannot be parsed is reported, and the agent is delivered without it", {
  "project/_bmad/bmm/agents/scout.md": AGENT,
  "project/_bmad/_config/agents/bmm-scout.customize.yaml": "persona: [unclosed\n",
}, async (library) => {
  const executed = await executeEntry(library, resolveEntry(library, { name: "scout" }), {});
  assert.match(executed, /name="Rex"/);
  assert.match(executed, /problems:\n\s+- .*bmm-scout\.customize\.yaml is ignored: /);
});

Deno.test("hostile agents and customizations are applied quickly, or not at all", () => {
  const pieces = [
    "<persona>",
    "<agent ",
    '<step n="1">',
    "<item ",
    '<item cmd="*climb"',
    '<prompt id="p">',
    " ",
    "<menu>",
  ];
  const many = {
    ...CHANGES,
    menu: Array.from({ length: 10_000 }, (_, at) => ({ trigger: `t${at}`, description: "x" })),
  };
  for (const piece of pieces) {
    const text = AGENT.replace("<activation", () => piece.repeat(200_000 / piece.length) + "<activation");
    assertEnds(JSON.stringify(piece), 10_000, () => applyChanges(text, many));
  }
});

Deno.test("customizations that another version makes void are named [add:update]", async () => {
  const menu = (...items: readonly string[]) => `menu:\n${items.map((one) => `  - ${one}\n`).join("")}`;
  const custom = (id: string, text: string) => ({
    [`project/_bmad/_config/agents/bmm-${id}.customize.yaml`]: text,
  });
  const version = (at: string, files: Files) =>
    Object.fromEntries(Object.entries(files).map(([path, file]) => [`${at}/_bmad/${path}`, file]));
  const agent = (id: string, prompt = "") => ({
    [`bmm/agents/${id}.md`]: AGENT.replaceAll("scout", id).replace("  <menu>", `${prompt}  <menu>`),
  });
  const map = '<prompts><prompt id="chart">Chart it.</prompt></prompts>\n';
  await withTree({
    "project/_bmad/bmm/notes.md": "Ours.\n",
    ...custom("scout", changes("Zoe")),
    ...custom("cook", changes("Max")),
    ...custom("pilot", changes("Pit")),
    ...custom("empty", "persona:\n  role: ''\n"),
    ...custom(
      "mate",
      menu(
        'trigger: chart\n    action: "#chart"',
        'trigger: own\n    action: "#own"',
        "trigger: climb\n    exec: '{project-root}/_bmad/bmm/tasks/climb.md'",
        "trigger: row\n    exec: '{project-root}/_bmad/bmm/tasks/row.md'",
      ) + "prompts:\n  - id: own\n    content: Mine.\n",
    ),
    ...version("before", {
      ...Object.assign({}, ...["scout", "cook", "pilot", "empty"].map((id) => agent(id))),
      ...agent("mate", map),
      "bmm/tasks/climb.md": "Climb.\n",
      "bmm/tasks/row.md": "Row.\n",
    }),
    ...version("after", {
      ...agent("scout"),
      ...agent("mate"),
      "bmm/agents/pilot.md": "---\nname: pilot\ndescription: Pilot\n---\n\n# Pilot\n",
      "bmm/tasks/row.md": "Row faster.\n",
    }),
  }, async (dir) => {
    const versions = ["after", "before"].map((id) => ({
      ...opening("git", 5, `${dir}/${id}`),
      origin: { id, kind: "git", priority: 5, location: "git+https://example.test/team.git" } as const,
    }));
    const library = await openLibrary([opening("project", 1, `${dir}/project`), ...versions]);
    const { customizations } = await compareVersions(library, "before", "after");
    assert.deepEqual(
      customizations.map(({ file, reason }) => `${file.slice(dir.length)}: ${reason}`).sort(),
      [
        "bmm-cook.customize.yaml: it is gone",
        "bmm-mate.customize.yaml: the menu item chart starts #chart, which is gone",
        "bmm-mate.customize.yaml: the menu item climb starts {project-root}/_bmad/bmm/tasks/climb.md, which is gone",
        "bmm-pilot.customize.yaml: it is no longer a compiled agent",
      ].map((line) => `/project/_bmad/_config/agents/${line}`),
    );
  });
});

Deno.test("files that differ everywhere are compared up to a limit [add:update]", () => {
  // Two sequences of a few different lines have a long way from one to the other.
  const lines = (step: number) =>
    Array.from({ length: 400 }, (_, at) => `${(at * at * step) % 7}\n`).join("");
  const version = (at: string, step: number) => ({
    [`${at}/skills/bmad-x/SKILL.md`]: "---\nname: bmad-x\ndescription: X\n---\nDo it.\n",
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`${at}/skills/bmad-x/f${n}.md`, lines(step + n)]),
    ),
  });
  return withTree({ ...version("before", 3), ...version("after", 40) }, async (dir) => {
    const versions = ["after", "before"].map((id) => ({
      ...opening("git", 5, `${dir}/${id}`),
      origin: { id, kind: "git", priority: 5, location: dir } as const,
    }));
    const library = await openLibrary(versions);
    const entryOf = (id: string) => library.manifest.entries.find(({ origin }) => origin.id === id)!;
    const budget = { left: 500_000 };
    const diffs = [...compareFiles(library, entryOf("before"), entryOf("after"), budget)];
    const isTooMuch = diffs.map(({ diff }) => /too different to be compared/.test(diff));
    assert.equal(diffs.length, 20);
    assert.ok(!isTooMuch[0] && isTooMuch.at(-1), JSON.stringify(isTooMuch));
    assert.ok(budget.left < 100_000, `${budget.left} left`);
  });
});

projectTest("changes of an agent in plain Markdown stand beside its text [config:agent-changes]", {
  "_bmad/fleet/agents/mate.md": "---\nname: mate\ndescription: Helps\n---\n# Mate\n",
  "_bmad/_cfg/agents/fleet-mate.customize.yaml":
    "persona:\n  role: Navigator\nmemories:\n  - Low tide at six\n",
}, async (library) => {
  const text = await executeEntry(library, resolveEntry(library, { name: "mate" }), {});
  assert.match(
    text,
    /\ncustomization:\n {2}persona:\n {4}role: Navigator\n {2}memories:\n {4}- Low tide at six\n/,
  );
  assert.match(text, /\n# Mate\n$/);
});
