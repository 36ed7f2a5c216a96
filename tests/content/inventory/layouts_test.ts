/** Is BMAD content found in every known layout? */
import assert from "node:assert/strict";
import type { GenerationFacts } from "../../../src/base/generations.ts";
import {
  holdsContent,
  LAYOUT_NAMES,
  type LayoutFacts,
  readInventory,
} from "../../../src/content/inventory/mod.ts";
import { diskTree } from "../../../src/content/tree/mod.ts";
import { SMALLEST } from "../../support/layouts.ts";
import {
  type Files,
  inventoryOf,
  itemOf,
  namesOf,
  rootsOf,
  skill,
  troubleOf,
} from "../../support/inventories.ts";
import { withTree } from "../../support/trees.ts";

const MODULE: Files = {
  "package.json": '{"name": "field-work", "version": "1.2.3"}',
  "src/fw-skills/module.yaml": "code: fw\nname: Field Work\ndescription: Going outside.\nagents:\n" +
    "  - code: bmad-agent-scout\n    name: Rhea\n    title: Scout\n    description: Looks around.\n",
  "src/fw-skills/module-help.csv":
    "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by,required,output-location,outputs\n" +
    "Field Work,bmad-map,Draw Map,DM,Draws.,,,anytime,,,false,,\n",
  "src/fw-skills/agents/bmad-agent-scout/SKILL.md": skill("bmad-agent-scout"),
  "src/fw-skills/agents/bmad-agent-scout/customize.toml":
    '[agent]\nname = "Rhea"\ntitle = "Scout"\nicon = "🧭"\nrole = "Finds the way."\nidentity = "Walks."\n' +
    'communication_style = "Short."\nprinciples = ["Look first.", "Then go."]\n' +
    '[[agent.menu]]\ncode = "DM"\ndescription = "Draw a map"\nskill = "bmad-map"\n' +
    '[[agent.menu]]\ncode = "AS"\ndescription = "Ask"\nprompt = "Ask for the way."\n',
  "src/fw-skills/plan/bmad-map/SKILL.md": skill("bmad-map"),
  "src/fw-skills/plan/bmad-map/agents/inner/SKILL.md": skill("inner"),
  "src/fw-skills/plan/maps/bmad-route/SKILL.md": skill("bmad-route"),
  "src/fw-skills/v6-shims/bmad-old-map/SKILL.md": skill("bmad-old-map"),
  "src/fw-skills/tests/bmad-test/SKILL.md": skill("bmad-test"),
  "src/fw-skills/node_modules/bmad-dep/SKILL.md": skill("bmad-dep"),
  "src/scripts/resolve_config.py": "print('hi')\n",
};

Deno.test("every layout is recognised by itself, and makes a folder a project with content", async () => {
  for (const layout of LAYOUT_NAMES) {
    const { roots } = await inventoryOf(SMALLEST[layout]);
    assert.deepEqual(roots.map((root) => root.layout), [layout]);
    assert.ok(await withTree(SMALLEST[layout], (dir) => holdsContent(diskTree(dir))), layout);
  }
});

type Optional<T> = { [K in keyof T]-?: Omit<T, K> extends T ? K : never }[keyof T];
type IsComplete<T> = [Optional<T>] extends [never] ? true : false;

Deno.test("a layout and a generation do not compile without an answer to every question", () => {
  const layouts: IsComplete<LayoutFacts> = true;
  const generations: IsComplete<GenerationFacts> = true;
  assert.ok(layouts && generations);
});

Deno.test("a source tree is recognised by its module.yaml, and everything below it counts", async () => {
  const inventory = await inventoryOf(MODULE);
  assert.deepEqual(rootsOf(inventory), ["source tree: src/fw-skills"]);
  assert.deepEqual(inventory.modules, [
    { code: "fw", name: "Field Work", description: "Going outside.", version: "1.2.3" },
  ]);
  assert.deepEqual(
    inventory.items.map(({ id, name, roles, phase, status }) => [id, name, roles, phase, status]),
    [
      ["bmad-agent-scout", "scout", ["agent"], undefined, "verified"],
      ["bmad-map", "map", ["workflow"], "anytime", "verified"],
      ["bmad-route", "route", ["workflow"], "plan", "verified"],
      ["bmad-old-map", "old-map", ["workflow", "shim"], undefined, "verified"],
    ],
  );
  assert.deepEqual(inventory.mounts, [
    { at: "fw", path: "src/fw-skills" },
    { at: "scripts", path: "src/scripts" },
    { at: "fw/bmad-agent-scout", path: "src/fw-skills/agents/bmad-agent-scout" },
    { at: "fw/bmad-map", path: "src/fw-skills/plan/bmad-map" },
    { at: "fw/bmad-route", path: "src/fw-skills/plan/maps/bmad-route" },
    { at: "fw/bmad-old-map", path: "src/fw-skills/v6-shims/bmad-old-map" },
  ]);
  assert.deepEqual(inventory.diagnostics, []);
});

Deno.test("an agent is recognised by its files and not by its name", async () => {
  const inventory = await inventoryOf({
    "module.yaml": "code: fw\n",
    "bmad-tea/SKILL.md": skill("bmad-tea"),
    "bmad-tea/customize.toml": "# Tea\n[agent]\n",
    "bmad-poet/SKILL.md": `${skill("bmad-poet")}
| Code | Description | Skill or Prompt |
|------|-------------|-------|
| OD | An ode | skill: bmad-ode |
| SO | A sonnet | prompt: sonnet.md |
| EL | An elegy | bmad-elegy |
`,
    "bmad-poet/bmad-skill-manifest.yaml":
      "type: agent\ndisplayName: Ada\ntitle: Poet\nrole: Writes.\ncommunicationStyle: In verse.\n" +
      'principles: Be brief.\ncapabilities: "odes, sonnets"\n',
    "bmad-agent-builder/SKILL.md": skill("bmad-agent-builder"),
    "bmad-agent-builder/bmad-skill-manifest.yaml": "type: skill\n",
    "bmad-agent-maker/SKILL.md": skill("bmad-agent-maker"),
    "bmad-agent-maker/customize.toml": '[workflow]\nnote = """\nsay [agent]\n"""\n',
  });
  assert.deepEqual(Object.fromEntries(inventory.items.map(({ id, roles }) => [id, roles])), {
    "bmad-agent-builder": ["workflow"],
    "bmad-agent-maker": ["workflow"],
    "bmad-poet": ["agent"],
    "bmad-tea": ["agent"],
  });
  const { displayName, title, persona } = itemOf(inventory, "bmad-poet");
  assert.deepEqual([displayName, title], ["Ada", "Poet"]);
  assert.deepEqual(persona, {
    role: "Writes.",
    identity: undefined,
    communicationStyle: "In verse.",
    principles: ["Be brief."],
    capabilities: ["odes", "sonnets"],
    menu: [
      { code: "OD", label: "An ode", target: "bmad-ode", prompt: undefined },
      { code: "SO", label: "A sonnet", target: undefined, prompt: "Follow {skill-root}/sonnet.md" },
      { code: "EL", label: "An elegy", target: "bmad-elegy", prompt: undefined },
    ],
  });
});

Deno.test("an agent's own table may be written in every way TOML allows", async () => {
  for (
    const table of [
      "  [agent]\n",
      "[ agent ]\n",
      "[agent] # who\n",
      '[[agent.menu]]\ncode = "X"\n',
      "agent.name = 'A'\n",
    ]
  ) {
    const inventory = await inventoryOf({
      "module.yaml": "code: fw\n",
      "bmad-tea/SKILL.md": skill("bmad-tea"),
      "bmad-tea/customize.toml": table,
    });
    assert.deepEqual(itemOf(inventory, "bmad-tea").roles, ["agent"], table);
  }
});

Deno.test("a module at the top of its tree, in src or in skills is found", async () => {
  for (const folder of ["", "src/", "skills/", "anything/"]) {
    const inventory = await inventoryOf({
      [`${folder}module.yaml`]: "code: fw\n",
      [`${folder}plan/bmad-map/SKILL.md`]: skill("bmad-map"),
    });
    assert.deepEqual(rootsOf(inventory), [`source tree: ${folder.slice(0, -1)}`]);
    assert.deepEqual(namesOf(inventory), ["fw/skill/bmad-map"]);
    assert.equal(inventory.items[0]?.phase, "plan");
  }
});

Deno.test("a skill that does not describe itself has the description of its module's roster", async () => {
  const inventory = await inventoryOf({
    ...MODULE,
    "src/fw-skills/agents/bmad-agent-scout/SKILL.md": "---\nname: bmad-agent-scout\n---\n",
  });
  assert.equal(itemOf(inventory, "bmad-agent-scout").description, "Looks around.");
});

Deno.test("a broken module.yaml does not hide the module's skills", async () => {
  const inventory = await inventoryOf({ ...MODULE, "src/fw-skills/module.yaml": "code: [\n" });
  assert.deepEqual(inventory.items.map(({ module }) => module), ["custom", "custom", "custom", "custom"]);
  assert.deepEqual(troubleOf(inventory), ["bad-file src/fw-skills/module.yaml"]);
});

const LOOSE: Files = {
  "bmad-map/SKILL.md": skill("bmad-map"),
  "gds-draw/SKILL.md": skill("gds-draw"),
  "bmad-os-audit/SKILL.md": skill("bmad-os-audit"),
  "bmad-other/SKILL.md": skill("bmad-misnamed"),
  "bmad-silent/SKILL.md": "---\nname: bmad-silent\n---\n",
  "bmad-plain/SKILL.md": "No front matter.\n",
  "notes/readme.md": "Notes.",
};

Deno.test("a named folder of skills is served completely, except for what is not a skill", async () => {
  const inventory = await inventoryOf(LOOSE, "named");
  assert.deepEqual(namesOf(inventory), [
    "skills/skill/bmad-map",
    "skills/skill/bmad-os-audit",
    "skills/skill/gds-draw",
  ]);
  assert.deepEqual(inventory.mounts, [
    { at: "skills/bmad-map", path: "bmad-map" },
    { at: "skills/bmad-os-audit", path: "bmad-os-audit" },
    { at: "skills/gds-draw", path: "gds-draw" },
  ]);
  assert.deepEqual(troubleOf(inventory), [
    "not-a-skill bmad-other",
    "not-a-skill bmad-plain",
    "not-a-skill bmad-silent",
  ]);
});

Deno.test("a shared folder of skills yields only what BMAD's installer would claim", async () => {
  assert.deepEqual(namesOf(await inventoryOf(LOOSE, "shared")), ["skills/skill/bmad-map"]);
  const ide = Object.fromEntries(
    Object.entries(LOOSE).map(([path, file]) => [`.agents/skills/${path}`, file]),
  );
  const inventory = await inventoryOf(ide);
  assert.deepEqual(rootsOf(inventory), ["loose skills: .agents/skills"]);
  assert.deepEqual(namesOf(inventory), ["skills/skill/bmad-map"]);
});

const V4: Files = {
  ".bmad-core/install-manifest.yaml": "version: 4.44.3\ninstall_type: full\n",
  ".bmad-core/agents/scout.md":
    "<!-- made by hand -->\n\n# scout\n\n```yaml\nagent:\n  name: Rex\n  id: another\n  title: Scout\n  icon: 🧭\n" +
    "  whenToUse: When lost\npersona:\n  role: Pathfinder\n  style: Calm\n  identity: Knows the hills\n" +
    "  core_principles:\n    - Look first\ncommands:\n  - help: Show what there is\n  - map {place}: Draw it\n" +
    "  - steps:\n      - One\n      - Two\n```\n",
  ".bmad-core/agents/chief.md":
    "```yml\nagent: {name: Olga, title: Chief}\npersona: {role: Leads}\ncore_principles: [Decide]\n" +
    "commands:\n  help: Show help\n  team: Form a team\n```\n",
  ".bmad-core/agents/poet.md":
    '```yaml\nagent: {title: Poet}\ncommands:\n  - "*help - Show help"\n  - \'"*ode" - Write one\'\n  - rest\n```\n',
  ".bmad-core/agents/broken.md": '```yaml\ncommands:\n  - "*help" - Show: this\n```\n',
  ".bmad-core/agents/empty.md": "No block.\n",
  ".bmad-core/agents/README.md": "Not an agent.\n",
  ".bmad-core/workflows/survey.yaml":
    "workflow:\n  id: survey\n  name: Survey\n  description: Walks it all.\n  type: greenfield\n",
  ".bmad-core/workflows/plain.yml": "name: Plain\ntitle: Not this\nsteps: []\n",
  ".bmad-core/workflows/told.md": "# Told in words\n",
  ".bmad-core/tasks/create-doc.md": "<!-- x -->\r\n\r\n# Create a Document\r\n\r\nText.\r\n",
  ".bmad-core/agent-teams/all.yaml":
    "bundle: {name: Everybody, icon: 🚀, description: All of them.}\nagents: ['*']\n",
  ".bmad-core/templates/map-tmpl.yaml": "template: {id: map, name: Map, version: 2.0}\n",
  ".bmad-core/checklists/done.md": "# Done\n",
  ".bmad-core/data/guide.md": "# Guide\n",
  ".bmad-core/data/picture.png": new Uint8Array([1]),
  ".bmad-core/utils/helper.md": "# Helper\n",
};

Deno.test("a v4 root is read folder by folder, and an item's id is the stem of its file", async () => {
  const inventory = await inventoryOf(V4);
  assert.deepEqual(inventory.roots, [{
    path: ".bmad-core",
    layout: "v4",
    generation: "v4",
    version: "4.44.3",
  }]);
  assert.deepEqual(inventory.mounts, [{ at: "bmad-core", path: ".bmad-core" }]);
  assert.deepEqual(
    inventory.items.map(({ kind, id, title, description }) => [kind, id, title, description]),
    [
      ["agent", "broken", undefined, ""],
      ["agent", "chief", "Chief", "Leads"],
      ["agent", "empty", undefined, ""],
      ["agent", "poet", "Poet", ""],
      ["agent", "scout", "Scout", "When lost"],
      ["workflow", "plain", "Plain", ""],
      ["workflow", "survey", "Survey", "Walks it all."],
      ["workflow", "told", "Told in words", ""],
      ["task", "create-doc", "Create a Document", ""],
      ["team", "all", "Everybody", "All of them."],
      ["template", "map-tmpl", "Map", ""],
      ["checklist", "done", "Done", ""],
      ["knowledge", "guide", "Guide", ""],
    ],
  );
  assert.deepEqual(troubleOf(inventory), [
    "bad-file .bmad-core/agents/broken.md",
    "bad-file .bmad-core/agents/empty.md",
  ]);
});

Deno.test("what a v4 manifest lists and the disk lacks, and the other way round, is on record", async () => {
  const { items, diagnostics } = await inventoryOf({
    ".bmad-core/install-manifest.yaml": [
      "version: 4.44.3",
      "files:",
      ...["agents/pm.md", "agents/gone.md", "tasks/do.md", "user-guide.md", "utils/none.md"].map((path) =>
        `  - path: .bmad-core/${path}\n    hash: 0123456789abcdef`
      ),
      "",
    ].join("\n"),
    ".bmad-core/agents/pm.md": "# PM\n\n```yaml\nagent:\n  id: pm\n```\n",
    ".bmad-core/agents/own.md": "# Own\n\n```yaml\nagent:\n  id: own\n```\n",
    ".bmad-core/tasks/do.md": "# Do\n",
  });
  assert.deepEqual(items.map(({ kind, id, status }) => `${kind} ${id} ${status}`), [
    "agent own not-in-manifest",
    "agent pm verified",
    "agent gone no-file-found",
    "task do verified",
  ]);
  assert.deepEqual(diagnostics.map(({ code, message }) => `${code}: ${message}`), [
    "no-file-found: 1 of 4 files in the manifest is missing (bmad-core/gone)",
  ]);
});

Deno.test("a v4 agent has its persona and its commands, in each of their three forms", async () => {
  const inventory = await inventoryOf(V4);
  const { displayName, icon, persona } = itemOf(inventory, "scout");
  assert.deepEqual([displayName, icon], ["Rex", "🧭"]);
  assert.deepEqual(persona, {
    role: "Pathfinder",
    identity: "Knows the hills",
    communicationStyle: "Calm",
    principles: ["Look first"],
    capabilities: [],
    menu: [
      { code: "help", label: "Show what there is" },
      { code: "map {place}", label: "Draw it" },
      { code: "steps", label: "One Two" },
    ],
  });
  assert.deepEqual(itemOf(inventory, "chief").persona?.principles, ["Decide"]);
  assert.deepEqual(itemOf(inventory, "chief").persona?.menu, [
    { code: "help", label: "Show help" },
    { code: "team", label: "Form a team" },
  ]);
  assert.deepEqual(itemOf(inventory, "poet").persona?.menu, [
    { code: "help", label: "Show help" },
    { code: "ode", label: "Write one" },
    { code: "rest", label: "" },
  ]);
});

Deno.test("an expansion pack, a source and a named root are v4 roots too", async () => {
  const agent = "```yaml\nagent: {name: Rex}\n```\n";
  const inventory = await inventoryOf({
    ".bmad-sea/config.yaml": "name: bmad-sea\n",
    ".bmad-sea/agents/pilot.md": agent,
    "bmad-land/agents/guide.md": agent,
    "bmad-land/tasks/walk.md": "# Walk\n",
    "bmad-air/agents/flyer.md": agent,
    "bmad-core/core-config.yml": "slashPrefix: x\n",
    "bmad-core/agents/scout.md": agent,
  });
  assert.deepEqual(rootsOf(inventory), ["v4: .bmad-sea", "v4: bmad-core", "v4: bmad-land"]);
  assert.deepEqual(namesOf(inventory), [
    "bmad-sea/agent/pilot",
    "bmad-core/agent/scout",
    "bmad-land/agent/guide",
    "bmad-land/task/walk",
  ]);
  const named = await withTree(V4, (dir) => readInventory(diskTree(`${dir}/.bmad-core`)));
  assert.deepEqual([rootsOf(named), named.items[0]?.module], [["v4: "], "bmad-core"]);
});

Deno.test("files with CRLF and a byte order mark are read like any others", async () => {
  const odd = (text: string) => `\uFEFF${text.replaceAll("\n", "\r\n")}`;
  const everything: Files = { ...MODULE, ...V4 };
  const plain = await inventoryOf(everything);
  const crlf = await inventoryOf(Object.fromEntries(
    Object.entries(everything).map(([path, text]) => [path, typeof text === "string" ? odd(text) : text]),
  ));
  assert.deepEqual(
    crlf.items.map(({ id, roles, description }) => [id, roles, description]),
    plain.items.map(({ id, roles, description }) => [id, roles, description]),
  );
  assert.deepEqual([crlf.roots, crlf.modules, crlf.mounts], [plain.roots, plain.modules, plain.mounts]);
});
