/** What can a project change without an installation of its own? */
import assert from "node:assert/strict";
import {
  compareEntry,
  executeEntry,
  listLibrary,
  menuRequests,
  openLibrary,
  readEntry,
  resolveEntry,
} from "../../../../src/content/library/mod.ts";
import {
  customizationFiles,
  resolveValues,
  valueDiagnostics,
} from "../../../../src/content/library/values/customize.ts";
import type { Values } from "../../../../src/base/values.ts";
import { opening, openOrigins } from "../../../support/library.ts";
import { treeTest, withTree } from "../../../support/trees.ts";

const SCOUT = {
  "team/bmm/module.yaml": 'code: bmm\nuser_name:\n  prompt: "Who?"\n  default: "Ann"\n  result: "{value}"\n',
  "team/bmm/bmad-agent-scout/SKILL.md":
    "---\nname: bmad-agent-scout\ndescription: Looks around\n---\n\n# Scout\n",
  "team/bmm/bmad-agent-scout/customize.toml":
    '[agent]\nname = "Rex"\nicon = "A"\nprinciples = ["Look first."]\n',
};

const openBoth = (dir: string) =>
  openLibrary([opening("project", 1, `${dir}/project`), opening("cli", 2, `${dir}/team`)], { project: dir });

treeTest("a project can customize items of other sources", {
  ...SCOUT,
  "project/_bmad/custom/bmad-agent-scout.toml": '[agent]\nicon = "B"\nprinciples = ["Then run."]\n',
  "project/_bmad/config.toml": '[core]\nuser_name = "Bob"\n',
}, async (dir) => {
  const library = await openBoth(dir);
  const text = await executeEntry(library, resolveEntry(library, { name: "scout" }), {});
  assert.match(
    text,
    /\nagent:\n {2}name: Rex\n {2}icon: B\n {2}principles:\n {4}- Look first\.\n {4}- Then run\.\n/,
  );
  assert.match(text, /\nconfig:\n {2}user_name: Bob\n/);
});

treeTest("a misspelled customization is reported with the right name [cli:doctor]", {
  ...SCOUT,
  "project/_bmad/custom/bmad-agent-scout.user.toml": '[agent]\nicon = "B"\n',
  "project/_bmad/custom/bmad-agent-scuot.toml": '[agent]\nicon = "B"\n',
  "project/_bmad/custom/Scout.user.toml": '[agent]\nicon = "B"\n',
  "project/_bmad/custom/unheard-of.toml": "[",
  "project/_bmad/custom/config.toml": '[core]\nuser_name = "Bob"\n',
  "project/_bmad/custom/ticketing-jira.toml": 'url = "x"\n',
}, async (dir) => {
  const found = await valueDiagnostics(await openBoth(dir));
  assert.deepEqual(
    found.map(({ path, message, fix = "" }) => `${path} ${message}. ${fix}`.trim()).sort(),
    [
      "_bmad/custom/Scout.user.toml is ignored: no skill is called Scout. " +
      "Rename it to bmad-agent-scout.toml, or delete it",
      "_bmad/custom/bmad-agent-scuot.toml is ignored: no skill is called bmad-agent-scuot. " +
      "Rename it to bmad-agent-scout.toml, or delete it",
      "_bmad/custom/unheard-of.toml is ignored: no skill is called unheard-of.",
    ],
  );
});

treeTest("a customization of an unserved skill is reported [cli:doctor]", {
  ...SCOUT,
  "team/bmm/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws maps\n---\n",
  "team/bmm/bmad-map/customize.toml": '[workflow]\nscale = "A"\n',
  "project/_bmad/bmm/workflows/bmad-map/workflow.yaml": "name: bmad-map\ndescription: Our own maps\n",
  "project/_bmad/custom/bmad-map.toml": '[workflow]\nscale = "B"\n',
  "project/_bmad/bmm/workflows/ship/workflow.yaml": "name: ship\ndescription: Ships it\n",
  "project/_bmad/custom/ship.user.toml": '[workflow]\nflag = "C"\n',
}, async (dir) => {
  const found = await valueDiagnostics(await openBoth(dir));
  assert.deepEqual(
    found.map(({ code, path, message }) => [code, `${path} ${message}`]).sort(),
    [
      [
        "stray-customization",
        "_bmad/custom/bmad-map.toml is ignored: bmm/bmad-map is served from " +
        "_bmad/bmm/workflows/bmad-map/workflow.yaml, which is not a skill",
      ],
      [
        "stray-customization",
        "_bmad/custom/ship.user.toml is ignored: bmm/ship is served from " +
        "_bmad/bmm/workflows/ship/workflow.yaml, which is not a skill",
      ],
    ],
  );
});

treeTest("a workflow that a project adds to an agent's menu is listed with that agent", {
  ...SCOUT,
  "team/bmm/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws maps\n---\n",
  "project/_bmad/custom/bmad-agent-scout.toml":
    '[[agent.menu]]\ncode = "MP"\ndescription = "Draw it"\nskill = "bmad-map"\n',
}, async (dir) => {
  const library = await openBoth(dir);
  const [map] = await listLibrary(library, { what: "workflows" });
  assert.deepEqual([map?.name, map?.data["agents"]], ["bmm/bmad-map", ["scout"]]);
  assert.deepEqual(await menuRequests(library, resolveEntry(library, { name: "map" })), ["Draw it"]);
});

treeTest("templates, checklists, knowledge and configuration inside skills are entries, each once", {
  ...SCOUT,
  "team/bmm/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws maps\n---\n",
  "team/bmm/bmad-map/assets/map-template.md": "# {{name}}\n",
  "team/bmm/bmad-map/checklist.md": "- [ ] North is up\n",
  "team/bmm/bmad-map/resources/knowledge/rivers.md": "# Rivers\n",
  "team/bmm/bmad-agent-scout/resources/knowledge/rivers.md": "# Rivers\n",
}, async (dir) => {
  const library = await openLibrary([opening("cli", 2, `${dir}/team`)]);
  const names = async (what: string) => (await listLibrary(library, { what })).map(({ name }) => name);
  assert.deepEqual(await names("templates"), ["bmm/map-template"]);
  assert.deepEqual(await names("checklists"), ["bmm/bmad-map-checklist"]);
  assert.deepEqual(await names("knowledge"), ["bmm/rivers"]);
  assert.deepEqual(await names("config"), ["bmm/module", "bmm/user_name"]);
  assert.equal(resolveEntry(library, { name: "map-template" }).file, "bmm/bmad-map/assets/map-template.md");
});

Deno.test("the diagnostics of all origins are collected, each with its origin", async () => {
  const gone = { level: "error", code: "origin-unavailable", message: "gone", origin: "git" } as const;
  const odd = { level: "warning", code: "bad-file", message: "odd", path: "x.yaml" } as const;
  const inventory = { roots: [], modules: [], items: [], mounts: [], diagnostics: [odd] };
  const user = { ...opening("user", 4, "/nowhere"), inventory };
  const library = await openLibrary([user], { diagnostics: [gone] });
  assert.deepEqual(library.diagnostics, [gone, { ...odd, origin: "user" }]);
});

treeTest("what an override changes is shown, file by file and value by value [tool:diff]", {
  ...SCOUT,
  "team/bmm/bmad-agent-scout/old.md": "Gone\n",
  "team/bmm/bmad-agent-scout/same.md": "Same\n",
  "team/bmm/bmad-agent-scout/map.png": new Uint8Array([0, 1]),
  "project/_bmad/bmm/agents/scout.md": "---\nname: scout\ndescription: Looks around\n---\n\n# Our scout\n",
  "project/_bmad/bmm/agents/scout-notes.md": "Not of this item\n",
}, async (dir) => {
  const library = await openBoth(dir);
  const { text, data } = await compareEntry(library, resolveEntry(library, { name: "scout" }));
  assert.match(text, /^bmm\/scout: project overrides bmm\/bmad-agent-scout of cli\n/);
  assert.match(
    text,
    /\n--- cli\/bmm\/bmad-agent-scout\/SKILL\.md\n\+\+\+ project\/_bmad\/bmm\/agents\/scout\.md\n/,
  );
  assert.match(text, /\n-# Scout\n\+# Our scout\n/);
  const changes = (data["differences"] as { file: string; change: string }[]).map(({ file, change }) =>
    `${change} ${file}`
  );
  assert.deepEqual(changes.toSorted(), [
    "changed its own file",
    "removed customize.toml",
    "removed map.png",
    "removed old.md",
    "removed same.md",
  ]);
  assert.match(text, /\nBinary files cli\/bmm\/bmad-agent-scout\/map\.png and \/dev\/null differ\n/);
  const overridden = resolveEntry(library, { name: "bmad-agent-scout", origin: "cli" });
  assert.equal((await compareEntry(library, overridden)).text, text);
});

treeTest("customized values are compared with those of the skill, without secrets [tool:diff]", {
  ...SCOUT,
  "project/_bmad/custom/bmad-agent-scout.toml": '[agent]\nicon = "B"\napi_key = "s3cret-0123456789"\n',
}, async (dir) => {
  const library = await openBoth(dir);
  const { text } = await compareEntry(library, resolveEntry(library, { name: "scout" }));
  assert.match(text, /^bmm\/bmad-agent-scout: only cli has it, and it is customized\n/);
  assert.match(text, /\n- {2}icon: A\n\+ {2}icon: B\n/);
  assert.doesNotMatch(text, /s3cret/);
});

treeTest(
  "an item that nothing changes says so [tool:diff]",
  { ...SCOUT, "project/": "" },
  async (dir) => {
    const library = await openBoth(dir);
    const { text } = await compareEntry(library, resolveEntry(library, { name: "scout" }));
    assert.equal(text, "bmm/bmad-agent-scout: only cli has it, and nothing customizes it\n");
  },
);

treeTest("a skill gets the values of every source that customizes it [config:field-by-field]", {
  ...SCOUT,
  "home/.bmad/custom/bmad-agent-scout.toml": '[agent]\nicon = "H"\ntitle = "Home"\nprinciples = ["Rest."]\n',
  "home/.bmad/custom/bmad-agent-scout.user.toml": '[agent]\nname = "Max"\ntitle = "Mine"\n',
  "project/_bmad/custom/bmad-agent-scout.toml": '[agent]\nicon = "B"\nprinciples = ["Then run."]\n',
}, async (dir) => {
  const library = await openOrigins(dir, { project: "project", user: "home/.bmad", git: "team" });
  const entry = resolveEntry(library, { name: "scout" });
  const { data, sheet } = await readEntry(library, entry);
  assert.deepEqual(data["customization"], {
    agent: {
      name: "Max",
      icon: "B",
      principles: ["Look first.", "Rest.", "Then run."],
      title: "Mine",
    },
  });
  assert.equal(data["displayName"], "Max");
  assert.deepEqual(sheet.filter(({ label }) => label === "customized in").map(({ text }) => text), [
    "user:custom/bmad-agent-scout.toml",
    "user:custom/bmad-agent-scout.user.toml",
    "project:_bmad/custom/bmad-agent-scout.toml",
  ]);
});

function withOverrides(
  { home, project, base = SCOUT["team/bmm/bmad-agent-scout/customize.toml"] }: Readonly<
    Partial<Record<"home" | "project" | "base", string>>
  >,
) {
  return withTree({
    ...SCOUT,
    "team/bmm/bmad-agent-scout/customize.toml": base,
    "project/": "",
    ...(home && { "home/.bmad/custom/bmad-agent-scout.toml": home }),
    ...(project && { "project/_bmad/custom/bmad-agent-scout.toml": project }),
  }, async (dir) => {
    const library = await openOrigins(dir, { project: "project", user: "home/.bmad", git: "team" });
    const entry = resolveEntry(library, { name: "scout" });
    const { customization, problems } = resolveValues(library, entry);
    return {
      agent: customization["agent"] as Values,
      problems,
      files: customizationFiles(library, entry).map(({ path }) => path),
    };
  });
}

Deno.test("a mistake at home keeps the project's override [config:field-by-field]", async () => {
  const project = '[agent]\nicon = "P"\nprinciples = ["Run."]\n[[agent.shortcuts]]\ncode = "a"\n' +
    '[[agent.rows]]\nid = "b"\n';
  const mistakes = [
    ["[[agent.shortcuts]]\ncode = 1\n", "expected text as `code` of a list item, got 1"],
    ['[[agent.rows]]\ncode = "x"\nid = 1\n', "expected text as `id` of a list item, got 1"],
  ] as const;
  for (const [mistake, reason] of mistakes) {
    const { agent, problems, files } = await withOverrides({
      home: `[agent]\nicon = "U"\ntitle = "U"\n${mistake}`,
      project,
    });
    assert.deepEqual(agent, {
      name: "Rex",
      icon: "P",
      principles: ["Look first.", "Run."],
      shortcuts: [{ code: "a" }],
      rows: [{ id: "b" }],
    });
    assert.deepEqual(problems, [`custom/bmad-agent-scout.toml is ignored: ${reason}`]);
    assert.deepEqual(files, ["_bmad/custom/bmad-agent-scout.toml"]);
  }
});

Deno.test("a table of a skill is not replaced by a value of a home folder", async () => {
  const base = '[agent]\nname = "Rex"\n[agent.limits]\nhours = 8\n';
  const own = { name: "Rex", limits: { hours: 8 } };
  const project = '[agent]\nicon = "P"\n';
  for (const [home, key] of [['agent = "oops"\n', "agent"], ["[agent]\nlimits = []\n", "limits"]] as const) {
    const problems = [`custom/bmad-agent-scout.toml is ignored: expected a table as \`${key}\``];
    assert.deepEqual(await withOverrides({ base, home }), { agent: own, problems, files: [] });
    assert.deepEqual(await withOverrides({ base, home, project }), {
      agent: { ...own, icon: "P" },
      problems,
      files: ["_bmad/custom/bmad-agent-scout.toml"],
    });
  }
  // A table that the skill does not have is never read.
  assert.deepEqual((await withOverrides({ base, home: "[workflow]\nx = 1\n" })).files, []);
  // What is wrong in a home folder never counts against the project.
  const { agent, problems } = await withOverrides({ base, home: "[agent.icon]\nx = 1\n", project });
  assert.deepEqual([agent, problems], [{ ...own, icon: "P" }, []]);
});

Deno.test("a skill is customized by no source below its own but the user's", () => {
  const principle = (text: string) => `[agent]\nprinciples = ["${text}"]\n`;
  const skill = (folder: string) =>
    Object.fromEntries(
      Object.entries(SCOUT).map(([path, text]) => [path.replace(/^team\/bmm/, folder), text]),
    );
  return withTree({
    ...skill("project/_bmad/bmm/skills"),
    "project/_bmad/custom/bmad-agent-scout.toml": principle("Project."),
    "home/.bmad/custom/bmad-agent-scout.toml": principle("User."),
    ...skill("team/_bmad/bmm/skills"),
    "team/_bmad/custom/bmad-agent-scout.toml": principle("Team."),
  }, async (dir) => {
    const library = await openOrigins(dir, { project: "project", user: "home/.bmad", git: "team" });
    const principlesOf = (origin: string) => {
      const entry = resolveEntry(library, { name: "bmad-agent-scout", origin });
      return (resolveValues(library, entry).customization["agent"] as Values)["principles"];
    };
    assert.deepEqual(principlesOf("project"), ["Look first.", "User.", "Project."]);
    assert.deepEqual(principlesOf("git"), ["Look first.", "Team.", "User.", "Project."]);
  });
});
