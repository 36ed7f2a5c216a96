/** Does a project speak one generation, with one row for each item? */
import assert from "node:assert/strict";
import { clientHere, type ProgramClient } from "../support/client.ts";
import { installation, type InstallVersion, sourceTree } from "../support/installs.ts";
import { runCli } from "../support/program.ts";
import { copyTree, withTree } from "../support/trees.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const AGENTS = {
  "4.44.3": 10,
  "6.0.4": 10,
  "6.1.0": 10,
  "6.2.0": 9,
  "6.5.0": 6,
  "6.8.0": 6,
  "6.12.0": 5,
} as const;
const VERSIONS = Object.keys(AGENTS) as readonly (keyof typeof AGENTS)[];
const ROLES = ["analyst", "architect", "pm", "dev"];
const TOOLSETS = ["--toolsets", "all"];

async function bmad(client: ProgramClient, args: Json): Promise<string> {
  const { content } = await client.callTool("bmad", args);
  return content.map(({ text }) => text).join("\n");
}

async function rows(client: ProgramClient, query: string, args: Json = {}): Promise<readonly Json[]> {
  const text = await bmad(client, { operation: "list", query, format: "json", limit: 1_000, ...args });
  return JSON.parse(text).items;
}

function repeated(values: readonly string[]): readonly string[] {
  return [...Map.groupBy(values, (value) => value.toLowerCase())].filter(([, same]) => same.length > 1)
    .map(([value]) => value);
}

async function serve<T>(
  project: string,
  work: (client: ProgramClient) => Promise<T>,
  args: readonly string[] = [],
) {
  await using client = await clientHere({ era: "2025", args: ["--project", project, ...TOOLSETS, ...args] });
  return await work(client);
}

async function install(version: InstallVersion): Promise<string> {
  return await installation(version);
}

async function checkCount(client: ProgramClient): Promise<void> {
  const { description } = (await client.listTools()).find(({ name }) => name === "bmad");
  const [, count] = /Served now: (\d+) agents? /.exec(description) ?? [];
  assert.equal(Number(count), (await rows(client, "agents")).length, description);
}

async function checkProject(client: ProgramClient, origins: readonly string[] = ["project"]): Promise<void> {
  const agents = await rows(client, "agents");
  assert.ok(agents.length > 0);
  for (const list of ["agents", "workflows", "tasks", "skills", "knowledge", "next"]) {
    const foreign = (await rows(client, list)).filter(({ origin }) => origin && !origins.includes(origin));
    assert.deepEqual(foreign.map(({ name }) => name), [], list);
  }
  assert.deepEqual(repeated(agents.map(({ displayName, name }) => displayName ?? name)), [], "agents");
  const workflows = await rows(client, "workflows");
  assert.deepEqual(repeated(workflows.map(({ module, name }) => `${module}/${name}`)), [], "workflows");
  const prompts = (await client.listPrompts()).map(({ name }) => name);
  assert.deepEqual(repeated(prompts), []);
  for (const role of ROLES.filter((role) => agents.some(({ name }) => name === role))) {
    assert.ok(prompts.includes(`bmad-${role}`), `bmad-${role} in ${prompts.join(" ")}`);
  }
  const tools = (await client.listTools()).map(({ name }) => name);
  await checkCount(client);
  assert.deepEqual(tools.filter((name) => /-2$/.test(name)), [], "numbered tools");
  const roster = JSON.parse((await client.readResource("bmad://roster/agents")).contents[0].text);
  assert.deepEqual(repeated(Object.values(roster.agents).map((agent: Json) => agent.name)), [], "roster");
}

Deno.test("an installation lists its own items once [origins:one-generation, origins:one-row]", async (t) => {
  for (const version of VERSIONS) {
    await t.step(
      version,
      async () => await serve(await install(version), (client) => checkProject(client)),
    );
  }
});

Deno.test("the same holds for the trees of the alphas", async (t) => {
  for (const version of ["6.0.0-alpha.7", "6.0.0-alpha.22"] as const) {
    await t.step(version, () =>
      withTree({}, async (dir) => {
        const source = await sourceTree(`bmad-method@${version}`);
        if (version === "6.0.0-alpha.7") await copyTree(`${source}/bmad`, `${dir}/bmad`);
        else await copyTree(`${source}/src`, `${dir}/src`);
        await serve(dir, (client) => checkProject(client));
      }));
  }
});

Deno.test("content that stepped back is there on request [origins:pack-on-request]", async (t) => {
  const project = await install("4.44.3");
  await t.step("by its origin", () =>
    serve(project, async (client) => {
      assert.ok((await rows(client, "agents", { origin: "package" })).some(({ displayName }) =>
        displayName === "Murat"
      ));
      const text = await bmad(client, { operation: "execute", workflow: "prd", origin: "package" });
      assert.match(text, /^---\nworkflow: bmm\/bmad-prd\norigin: package\n/);
      const [, call = ""] = /^Files: bmad (\{[^}]+\})/m.exec(text) ?? [];
      const opened = await bmad(client, { operation: "read", ...JSON.parse(call), uri: "SKILL.md" });
      assert.match(opened, /bmad-prd/);
      const found = await bmad(client, { operation: "search", query: "prd", origin: "package" });
      assert.match(found, /bmm\/bmad-prd/);
      const { messages } = await client.getPrompt("bmad-analyst", { origin: "package" });
      assert.match(messages[0].content.text, /^---\nagent: bmm\/bmad-agent-analyst\norigin: package\n/);
    }));
  await t.step("not otherwise", () =>
    serve(project, async (client) => {
      const text = await bmad(client, { operation: "execute", workflow: "prd" });
      assert.match(text, /^No workflow named "prd"\./);
      assert.match(text, /bmm\/bmad-prd 6\.12\.0 is used only if you choose the source "package"/);
      assert.doesNotMatch(client.instructions()!, /Amelia|Murat/);
      assert.doesNotMatch(
        await bmad(client, { operation: "search", query: "Murat test architect" }),
        /tea\//,
      );
      assert.match(await bmad(client, { operation: "list", query: "sources" }), /package: .*on standby/);
    }));
  await t.step("with --pack latest it is added", () =>
    serve(project, async (client) => {
      const agents = await rows(client, "agents");
      assert.deepEqual(repeated(agents.map(({ displayName }) => displayName)), []);
      assert.equal(agents.find(({ displayName }) => displayName === "Murat").origin, "package");
      assert.equal(agents.find(({ displayName }) => displayName === "Mary").origin, "project");
    }, ["--pack", "latest"]));
  await t.step("on the command line", async () => {
    const shown = await runCli(["show", "prd", "--origin", "package", "--project", project]);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /bmm\/bmad-prd/);
  });
});

Deno.test("of two generations, the newer hides what both have [origins:newer-hides-older]", () =>
  withTree({}, async (dir) => {
    await copyTree(await install("6.0.4"), dir);
    await Deno.rename(`${dir}/_bmad`, `${dir}/bmad`);
    await copyTree(await install("6.12.0"), dir);
    await serve(dir, async (client) => {
      await checkProject(client);
      const agents = await rows(client, "agents");
      const generations = new Map(agents.map(({ displayName, id }) => [displayName, id]));
      assert.equal(generations.get("Mary"), "bmad-agent-analyst");
      // 6.12 has no scrum master: the one of 6.0 stays.
      assert.equal(generations.get("Bob"), "sm");
      assert.match(
        await bmad(client, { operation: "execute", workflow: "create-prd" }),
        /note: "create-prd" is now/,
      );
    });
  }));

const ZOE = `---
name: architect
description: Designs our systems
---

<agent id="architect" name="Zoe" title="Our Architect" icon="Z">
<persona><role>Architect of this house</role></persona>
</agent>
`;

Deno.test("a hand-written agent overrides everywhere [origins:override-everywhere]", async (t) => {
  const files = { "bmad/bmm/agents/architect.md": ZOE };
  const check = async (client: ProgramClient) => {
    await checkCount(client);
    const names = (await rows(client, "agents")).map(({ displayName }) => displayName);
    assert.ok(names.includes("Zoe") && !names.includes("Winston"), names.join(" "));
    const roster = (await client.readResource("bmad://roster/agents")).contents[0].text;
    assert.match(roster, /Zoe/);
    assert.doesNotMatch(roster, /Winston/);
    const text = await bmad(client, { operation: "execute", agent: "Winston" });
    assert.match(text, /^---\nagent: bmm\/architect\n/);
    assert.match(text, /\nnote: Winston (?:of \w+|\(\S+\)) is overridden by bmm\/architect(?: \(\S+\))?\n/);
    const { messages } = await client.getPrompt("bmad-architect");
    assert.match(messages[0].content.text, /Zoe/);
    const conflicts = await bmad(client, { operation: "list", query: "conflicts" });
    assert.match(conflicts, /bmm\/architect: .*bmad\/bmm\/agents\/architect\.md/);
  };
  await t.step("without an installation", () => withTree(files, (dir) => serve(dir, check)));
  await t.step("beside one", () =>
    withTree(files, async (dir) => {
      await copyTree(await install("6.12.0"), dir);
      await serve(dir, check);
    }));
});

Deno.test("the same id in two modules is two items [origins:two-modules]", async (t) => {
  const home = { "home/.bmad/core/agents/architect.md": ZOE.replaceAll("Zoe", "Yara") };
  const own = { "mine/bmad/bmm/agents/architect.md": ZOE, ...home };
  const check = async (dir: string, overridden: string) => {
    await using client = await clientHere({
      era: "2025",
      cwd: `${dir}/mine`,
      args: TOOLSETS,
      env: { HOME: `${dir}/home` },
    });
    const agents = await rows(client, "agents");
    const architects = agents.filter(({ id }) => id === "architect");
    assert.deepEqual(architects.map(({ module, id, displayName }) => `${module}/${id} ${displayName}`), [
      "bmm/architect Zoe",
      "core/architect Yara",
    ]);
    assert.ok(!agents.some(({ displayName }) => displayName === "Winston"));
    const meanings: Readonly<Record<string, string>> = {
      "architect": "bmm/architect",
      "bmm/architect": "bmm/architect",
      "core/architect": "core/architect",
      "core.architect": "core/architect",
      "Zoe": "bmm/architect",
      "Yara": "core/architect",
      "Winston": "bmm/architect",
    };
    for (const [agent, name] of Object.entries(meanings)) {
      const text = await bmad(client, { operation: "execute", agent });
      assert.match(text, new RegExp(`^---\nagent: ${name}\n`), agent);
    }
    const prompts = (await client.listPrompts()).map(({ name }) => name);
    for (
      const [prompt, name] of [["bmad-bmm-architect", "Zoe"], ["bmad-core-architect", "Yara"]] as const
    ) {
      assert.ok(prompts.includes(prompt), prompt);
      assert.match((await client.getPrompt(prompt)).messages[0].content.text, new RegExp(name));
    }
    const roster = (await client.readResource("bmad://roster/agents")).contents[0].text;
    for (const name of ["Zoe", "Yara"]) assert.match(roster, new RegExp(name));
    assert.match(await bmad(client, { operation: "search", query: "Yara" }), /core\/architect/);
    const conflicts = await bmad(client, { operation: "list", query: "conflicts" });
    assert.match(conflicts, new RegExp(`bmm/architect: .*${overridden}`));
    assert.doesNotMatch(conflicts, /core\/(agents\/)?architect/);
  };
  await t.step("with embedded content", () => withTree(own, (dir) => check(dir, "package")));
  await t.step("beside an installation", () =>
    withTree(own, async (dir) => {
      await copyTree(await install("6.12.0"), `${dir}/mine`);
      await check(dir, "bmad-agent-architect");
    }));
});

Deno.test("names of older menus and servers lead to successors [names:successors]", async () => {
  const names: Readonly<Record<string, string>> = {
    "brainstorm-project": "core/bmad-brainstorming",
    "workflow-status": "core/bmad-help",
    "workflow-init": "core/bmad-help",
    "sm": "bmm/bmad-agent-dev",
    "tech-writer": "bmm/bmad-agent-analyst",
    "index-docs": "bmm/bmad-project-context",
    "shard-doc": "bmm/bmad-spec",
    "/bmad:tea:automate": "tea/bmad-testarch-automate",
    "bmad bmm/architect": "bmm/bmad-agent-architect",
    "bmad *party-mode": "core/bmad-party-mode",
    "bmad": "core/bmad-help",
  };
  await using client = await clientHere({ era: "2025", args: TOOLSETS });
  for (const [name, successor] of Object.entries(names)) {
    const text = await bmad(client, { operation: "execute", name });
    assert.match(text, new RegExp(`^---\n\\w+: ${successor}\n`), name);
    const isFormer = !name.includes(" ") && !name.startsWith("/");
    if (isFormer) assert.match(text, /\nnote: "/, name);
  }
  await serve(await install("6.0.4"), async (client) => {
    const own = await bmad(client, { operation: "execute", agent: "sm" });
    assert.match(own, /^---\nagent: bmm\/sm\n(?!.*note)/);
    const story = await bmad(client, { operation: "execute", workflow: "dev-story" });
    assert.match(story, /^---\nworkflow: bmm\/dev-story\n(?!.*note)/);
  });
  await serve(await install("6.12.0"), async (client) => {
    const story = await bmad(client, { operation: "execute", workflow: "dev-story" });
    assert.match(story, /^---\nworkflow: bmm\/bmad-build\n[^]*\nnote: "dev-story" no longer exists/);
  });
});

Deno.test("an unknown source or module lists the known ones [origins:filters-checked]", () =>
  serve(Deno.makeTempDirSync(), async (client) => {
    const calls = [
      { operation: "list", query: "agents" },
      { operation: "read", agent: "analyst" },
      { operation: "execute", agent: "analyst" },
      { operation: "search", query: "analyst" },
    ];
    for (const call of calls) {
      assert.match(await bmad(client, { ...call, origin: "pakage" }), /Unknown source "pakage".*package/);
      assert.match(
        await bmad(client, { ...call, module: "bmmm" }),
        /Unknown module "bmmm".*bmm, core|core, bmm/,
      );
    }
    const everything = await bmad(client, { operation: "search", query: "analyst", type: "all" });
    assert.match(everything, /bmad-agent-analyst/);
  }));

Deno.test("a category finds workflows in every generation [tool:list-categories]", async (t) => {
  const expected = {
    analysis: ["product-brief", "create-product-brief"],
    planning: ["prd", "create-prd"],
    solutioning: ["architecture", "create-architecture"],
    implementation: ["sprint-planning"],
  };
  for (const version of ["6.0.4", "6.5.0", "6.12.0"] as const) {
    await t.step(version, async () =>
      await serve(await install(version), async (client) => {
        for (const [category, names] of Object.entries(expected)) {
          const found = (await rows(client, "workflows", { category })).map(({ name }) => name);
          assert.ok(names.some((name) => found.includes(name)), `${category}: ${found.join(" ")}`);
        }
      }));
  }
});
