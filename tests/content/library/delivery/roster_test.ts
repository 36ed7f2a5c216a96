/** Do party mode and help work without an installation? */
import assert from "node:assert/strict";
import { listGenerated } from "../../../../src/content/library/delivery/resources.ts";
import { resolveConfig } from "../../../../src/content/library/values/config.ts";
import type { Values } from "../../../../src/base/values.ts";
import {
  findResolvers,
  type Library,
  listFiles,
  openLibrary,
  readResource,
} from "../../../../src/content/library/mod.ts";
import { openOrigins, projectTest, withSource } from "../../../support/library.ts";
import { type TreeFile, treeTest, withTree } from "../../../support/trees.ts";

async function dataOf(library: Library, path: string) {
  const { mimeType, text } = await readResource(library, `bmad://${path}`);
  assert.equal(mimeType, "application/json");
  return JSON.parse(text!);
}

const agent = (name: string, more = "") =>
  `[agent]\nname = "${name}"\ntitle = "Guide"\nicon = "🧭"\nrole = "Leads."\nidentity = "Old hand."\n${more}`;

const SKILL = (id: string) => `---\nname: ${id}\ndescription: About ${id}.\n---\nText.\n`;

/** The sources of a module `fw` with two agents, of which it names one, and a skill for parties. */
const SOURCES: Readonly<Record<string, TreeFile>> = {
  "fw/module.yaml": "code: fw\nname: Field Work\nagents:\n  - code: bmad-agent-scout\n    name: Rhea\n" +
    "    title: Scout\n    icon: 👣\n    team: outdoors\n    description: Looks first.\n",
  "fw/agents/bmad-agent-scout/SKILL.md": SKILL("bmad-agent-scout"),
  "fw/agents/bmad-agent-scout/customize.toml": agent("Rhea"),
  "fw/agents/bmad-agent-guide/SKILL.md": SKILL("bmad-agent-guide"),
  "fw/agents/bmad-agent-guide/customize.toml": agent(
    "Ilse",
    'communication_style = "Dry."\nprinciples = ["Rest often."]\n',
  ),
  "fw/bmad-party-mode/SKILL.md": SKILL("bmad-party-mode"),
  "fw/bmad-party-mode/customize.toml": `[workflow]
party_mode = "auto"
default_party = ""
party_memory = false

[[workflow.party_members]]
code = "critic"
name = "Nay"
icon = "⛔"
title = "Critic"
persona = "Says no."

[[workflow.party_groups]]
id = "camp"
name = "The Camp"
scene = "Late, by the fire."
members = ["scout", "critic", "nobody"]
memory = true
`,
};

const RHEA = {
  code: "bmad-agent-scout",
  name: "Rhea",
  icon: "👣",
  title: "Scout",
  description: "Looks first.",
  module: "fw",
  team: "outdoors",
  source: "installed",
};
const ILSE = {
  code: "bmad-agent-guide",
  name: "Ilse",
  icon: "🧭",
  title: "Guide",
  description: "Leads. Old hand. Dry. Rest often.",
  module: "fw",
  team: "fw",
  source: "installed",
};
const NAY = {
  name: "Nay",
  code: "critic",
  source: "custom",
  icon: "⛔",
  title: "Critic",
  persona: "Says no.",
};

Deno.test("without an installation the agents are those that modules name, then those that are served", () =>
  withSource(SOURCES, async (library) => {
    const { agents } = await dataOf(library, "roster/agents");
    assert.deepEqual(Object.keys(agents), ["bmad-agent-scout", "bmad-agent-guide"]);
    assert.deepEqual(agents["bmad-agent-scout"], {
      module: "fw",
      team: "outdoors",
      name: "Rhea",
      title: "Scout",
      icon: "👣",
      description: "Looks first.",
    });
    assert.deepEqual(await dataOf(library, "roster"), {
      party_mode: "auto",
      groups: [{ id: "camp", name: "The Camp", member_count: 3 }],
      installed_agents_resolved: true,
      active: "installed",
      members: [RHEA, ILSE],
      memory_enabled: false,
    });
  }));

Deno.test("a party is found by its id, with members by code, short name and name, and unknown ones", () =>
  withSource(SOURCES, async (library) => {
    assert.deepEqual(await dataOf(library, "roster/parties/camp"), {
      active: "camp",
      name: "The Camp",
      members: [RHEA, NAY],
      unresolved: ["nobody"],
      memory_enabled: true,
      scene: "Late, by the fire.",
      party_mode: "auto",
    });
    assert.deepEqual(await dataOf(library, "roster/parties/sea"), {
      error: "unknown_group",
      requested: "sea",
      available: [{ id: "camp", name: "The Camp", member_count: 3 }],
    });
    assert.deepEqual(await dataOf(library, "roster/parties"), {
      party_mode: "auto",
      default_party: "",
      groups: [{ id: "camp", name: "The Camp", member_count: 3 }],
    });
    const { agents, members, parties } = await dataOf(library, "roster/personas");
    assert.deepEqual(agents.map(({ name }: { name: string }) => name), ["Rhea", "Ilse"]);
    assert.deepEqual(members, [NAY]);
    assert.deepEqual(parties[0].members.map(({ code }: { code: string }) => code), [
      "bmad-agent-scout",
      "critic",
    ]);
  }));

treeTest("a team's and a user's overrides add personas, override an agent and choose the party", {
  ...SOURCES,
  "p/_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - name: fw\n",
  "p/_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n",
  "p/_bmad/custom/bmad-party-mode.toml":
    '[[workflow.party_members]]\ncode = "Scout"\nname = "Rhea the Second"\n\n' +
    '[[workflow.party_groups]]\nid = "open"\nscene = "Whoever fits."\n',
  "p/_bmad/custom/bmad-party-mode.user.toml": '[workflow]\ndefault_party = "open"\n',
}, async (dir) => {
  const library = await openOrigins(dir, { project: "p", cli: "fw" });
  const roster = await dataOf(library, "roster");
  assert.deepEqual([roster.active, roster.open_cast, roster.members], ["open", true, []]);
  assert.deepEqual(roster.groups[1], { id: "open", name: "open", member_count: 0, open_cast: true });
  const { members } = await dataOf(library, "roster/parties/camp");
  assert.deepEqual(members[0], { ...RHEA, name: "Rhea the Second", source: "custom" });
});

treeTest("the agents are those of an installation's configuration, with those of its team and user", {
  ...SOURCES,
  "p/_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - name: fw\n",
  "p/_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n",
  "p/_bmad/config.toml": '[agents.bmad-agent-scout]\nmodule = "fw"\nname = "Rhea"\n',
  "p/_bmad/custom/config.toml": '[agents.token-keeper]\nname = "Kay"\napi_token = "hush"\n',
  "p/_bmad/custom/config.user.toml": '[agents.bmad-agent-scout]\ntitle = "Head Scout"\n',
}, async (dir) => {
  const library = await openOrigins(dir, { project: "p", cli: "fw" });
  assert.deepEqual(await dataOf(library, "roster/agents"), {
    agents: {
      "bmad-agent-scout": { module: "fw", name: "Rhea", title: "Head Scout" },
      "token-keeper": { name: "Kay" },
    },
  });
});

function withAgents(files: Readonly<Record<string, TreeFile>>, fn: (library: Library) => Promise<void>) {
  return withTree({ ...SOURCES, "p/": "", "home/.bmad/": "", ...files }, async (dir) =>
    await fn(
      await openOrigins(dir, { project: "p", user: "home/.bmad", git: "fw" }),
    ));
}

Deno.test("of what several sources say of an agent the project's counts, as in the configuration", () =>
  withAgents({
    "p/_bmad/config.toml":
      '[agents.bmad-agent-guide]\nname = "Ilse"\n[agents.bmad-agent-scout]\nname = "Rhea"\n',
    "p/_bmad/custom/config.toml": '[agents.bmad-agent-scout]\nicon = "P"\n',
    "home/.bmad/custom/config.toml":
      '[agents.bmad-agent-scout]\nicon = "U"\nname = "Max"\ntitle = "Mine"\n[agents.pal]\nname = "Pal"\n',
  }, async (library) => {
    const { agents } = await dataOf(library, "roster/agents");
    assert.deepEqual(Object.keys(agents), ["bmad-agent-guide", "bmad-agent-scout", "pal"]);
    const answers = [
      agents,
      resolveConfig(library)["agents"],
      (await findResolvers(library)).roster([], true)["agents"],
    ] as readonly Record<string, Values>[];
    for (const answer of answers) {
      const { icon, name, title } = answer["bmad-agent-scout"]!;
      assert.deepEqual({ icon, name, title }, { icon: "P", name: "Rhea", title: "Mine" });
    }
  }));

Deno.test("a customization of one agent does not hide the others that are served", () =>
  withAgents({
    "p/_bmad/custom/config.toml": '[agents.bmad-agent-scout]\nicon = "P"\n',
  }, async (library) => {
    const { agents } = await dataOf(library, "roster/agents");
    assert.deepEqual(Object.keys(agents), ["bmad-agent-scout", "bmad-agent-guide"]);
    assert.deepEqual([agents["bmad-agent-scout"].icon, agents["bmad-agent-scout"].name], ["P", "Rhea"]);
  }));

treeTest("a person of two generations is listed once, from the highest priority", {
  ...SOURCES,
  "v4/.bmad-core/agents/scout.md":
    "# Scout\n\n```yaml\nagent:\n  name: Old Rhea\n  id: scout\n  title: Scout\n```\n",
  "v4/.bmad-core/core-config.yaml": "markdownExploder: true\n",
  "v4/.bmad-core/tasks/go.md": "# Go\n",
}, async (dir) => {
  const library = await openOrigins(dir, { project: "v4", cli: "fw" });
  const { members } = await dataOf(library, "roster");
  assert.deepEqual(members.map(({ name }: { name: string }) => name), ["Old Rhea", "Ilse"]);
});

Deno.test("a library without agents has an empty party", async () => {
  assert.deepEqual(await dataOf(await openLibrary([]), "roster"), {
    party_mode: "session",
    groups: [],
    installed_agents_resolved: false,
    active: "installed",
    members: [],
    memory_enabled: true,
  });
  const { party_mode_found } = await dataOf(await openLibrary([]), "roster/personas");
  assert.equal(party_mode_found, false);
});

const COLUMNS =
  "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by,required,output-location,outputs";

projectTest("a help catalogue of an installation overrides the generated one, and is listed once", {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - name: fw\n",
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n",
  "_bmad/_config/bmad-help.csv": `${COLUMNS}\nFrom a file,bmad-map,,,,,,plan,,,,,`,
  "_bmad/fw/module-help.csv": `${COLUMNS}\nField Work,bmad-map,,,,,,plan,,,,,`,
}, async (library) => {
  const { text } = await readResource(library, "bmad://_config/bmad-help.csv");
  assert.match(text ?? "", /From a file/);
  const uris = [...listGenerated(library), ...listFiles(library)].map(({ uri }) => uri);
  assert.equal(uris.filter((uri) => uri === "bmad://_config/bmad-help.csv").length, 1);
});
