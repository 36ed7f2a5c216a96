/** Which tools do settings choose, and what are the tools of agents called? */
import assert from "node:assert/strict";
import { type App, openApp, toolNames } from "../../../src/app.ts";
import { resolveConfig } from "../../support/config.ts";
import type { Config } from "../../../src/settings/plan/mod.ts";
import { TOOLSETS } from "../../../src/settings/mod.ts";
import { READS, type Tool } from "../../../src/serve/mcp/tool.ts";
import { chooseTools, MAX_TOOLS, TOOLS } from "../../../src/serve/mcp/toolsets.ts";
import { type Entry, RESERVED_TOOL_NAMES } from "../../../src/base/model.ts";

function configOf(args: readonly string[], env: Readonly<Record<string, string>> = {}): Config {
  return resolveConfig({
    args,
    cwd: "/home/ann/shop",
    home: "/home/ann",
    os: "linux",
    contentDir: "/opt/bmad-mcp/content",
    env: (name) => env[name],
    readSettings: () => undefined,
  });
}

function appOf(args: readonly string[], agents: readonly Entry[] = []): App {
  const clock = { now: () => 0, after: () => () => {} };
  return Object.assign(openApp(configOf(args), clock), { entries: () => Promise.resolve(agents) });
}

function agentOf(module: string, name: string, id = name): Entry {
  return {
    key: `project:${module}:agent:${id}`,
    kind: "agent",
    roles: [],
    id,
    name,
    module,
    generation: "v6",
    status: "verified",
    folder: module,
    ownsFolder: false,
    file: `${module}/agents/${id}.md`,
    description: "",
    origin: { id: "project", kind: "project", priority: 1, location: "/home/ann/shop" },
    rank: 0,
    position: 0,
  };
}

function toolOf(name: string, annotations = READS): Tool {
  return {
    name,
    title: name,
    describe: () => name,
    parameters: () => ({}),
    annotations,
    searchHint: name,
    run: () => Promise.resolve({ text: name }),
  };
}

const TABLE = {
  bmad: [toolOf("look")],
  workflows: [toolOf("list"), toolOf("write", { ...READS, readOnlyHint: false, idempotentHint: false })],
  agents: [toolOf("ask"), toolOf("run", { ...READS, readOnlyHint: false, destructiveHint: true })],
  work: [],
  memory: [],
  runs: [],
};

async function namesOf(args: readonly string[], agents: readonly Entry[] = []): Promise<string> {
  return (await chooseTools(appOf(args, agents), TABLE)).tools.map(({ name }) => name).join(" ");
}

Deno.test("tool sets and tools are lists, in flags and variables [toolsets:choice]", () => {
  const sets = (args: readonly string[], env = {}) => configOf(args, env).settings.toolsets;
  assert.deepEqual(sets(["--toolsets", "workflows"]), ["workflows"]);
  assert.deepEqual(sets(["--toolsets=Agents, bmad,agents"]), ["bmad", "agents"]);
  assert.deepEqual(sets(["--toolsets", "agents", "--toolsets", "bmad"]), ["bmad", "agents"]);
  assert.deepEqual(sets([], { BMAD_TOOLSETS: "bmad,workflows" }), ["bmad", "workflows"]);
  assert.deepEqual(sets(["--toolsets", "all"]), TOOLSETS);
  assert.deepEqual(sets(["--toolsets", "bmad,all"]), TOOLSETS);
  const { tools, excludeTools } = configOf(
    ["--tools", "a,b", "--tools", " c ,,a"],
    { BMAD_TOOLS: "d", BMAD_EXCLUDE_TOOLS: "e,f" },
  ).settings;
  assert.deepEqual([tools, excludeTools], [["a", "b", "c"], ["e", "f"]]);
  for (const [text, value] of [["1", true], ["TRUE", true], ["0", false], ["no", false]] as const) {
    assert.equal(configOf([], { BMAD_READ_ONLY: text }).settings.readOnly, value, text);
  }
});

Deno.test("an unknown tool set is refused, with those that exist [toolsets:choice]", () => {
  const wanted = `expected all, or a comma-separated list of ${TOOLSETS.join(", ")}`;
  for (const value of ["bmad,everything", "", " , "]) {
    assert.throws(() => configOf([], { BMAD_TOOLSETS: value }), {
      failure: {
        code: "invalid-config",
        setting: "toolsets",
        value,
        source: "BMAD_TOOLSETS",
        problem: wanted,
      },
    });
  }
});

Deno.test("single tools come to named sets, or alone [toolsets:choice]", async () => {
  const agents = [agentOf("bmm", "pm"), agentOf("bmm", "dev")];
  const table: readonly (readonly [string, string])[] = [
    ["", "look"],
    ["--toolsets workflows", "list write"],
    ["--toolsets workflows,bmad", "look list write"],
    ["--tools run", "run"],
    ["--tools run,list", "list run"],
    ["--toolsets bmad --tools run", "look run"],
    ["--toolsets agents", "ask run bmm-dev bmm-pm"],
    ["--tools bmm-pm", "bmm-pm"],
    ["--toolsets bmad --tools bmm-pm,list", "look list bmm-pm"],
    ["--toolsets all", "look list write ask run bmm-dev bmm-pm"],
    ["--toolsets all --exclude-tools run,bmm-dev", "look list write ask bmm-pm"],
    ["--tools run,list --exclude-tools run", "list"],
    ["--exclude-tools look", ""],
    ["--tools nobody", ""],
  ];
  for (const [args, names] of table) {
    assert.equal(await namesOf(args.split(" ").filter(Boolean), agents), names, args);
  }
});

Deno.test("what writes or runs is gone, also when it was named [toolsets:read-only]", async () => {
  assert.equal(await namesOf(["--toolsets", "all", "--read-only"]), "look list ask");
  assert.equal(await namesOf(["--tools", "write,run,list", "--read-only"]), "list");
  assert.equal(await namesOf(["--toolsets", "workflows", "--tools", "run", "--read-only"]), "list");
});

Deno.test("agents get tools while there is room [toolsets:agents-cap]", async () => {
  const agents = Array.from(
    { length: 60 },
    (_, at) => agentOf("bmm", `a${String(60 - at).padStart(2, "0")}`),
  );
  const choose = async (args: readonly string[]) => {
    const { tools, leftOut } = await chooseTools(appOf(args, agents), TABLE);
    const names = tools.map(({ name }) => name);
    return { names, leftOut, agents: names.filter((name) => name.startsWith("bmm-")) };
  };
  const alone = await choose(["--toolsets", "agents"]);
  assert.deepEqual([alone.names.length, alone.agents.length, alone.leftOut], [MAX_TOOLS, 38, 22]);
  // The first of the manifest are kept, and listed by name.
  assert.deepEqual([alone.agents[0], alone.agents.at(-1)], ["bmm-a23", "bmm-a60"]);
  assert.deepEqual(alone.agents, alone.agents.toSorted());
  const all = await choose(["--toolsets", "all"]);
  assert.deepEqual([all.names.length, all.agents.length, all.leftOut], [MAX_TOOLS, 35, 25]);
  const named = await choose(["--toolsets", "agents", "--tools", "bmm-a01"]);
  assert.deepEqual([named.names.length, named.leftOut, named.agents[0]], [MAX_TOOLS, 22, "bmm-a01"]);
  const fewer = await choose([
    "--toolsets",
    "agents",
    "--exclude-tools",
    agents.slice(0, 30).map(({ name }) => `bmm-${name}`).join(),
  ]);
  assert.deepEqual([fewer.agents.length, fewer.leftOut], [30, 0]);
});

Deno.test("the name of every fixed tool is reserved [toolsets:agent-names]", () => {
  const fixed = TOOLSETS.flatMap((set) => TOOLS[set].map(({ name }) => name));
  assert.deepEqual([...RESERVED_TOOL_NAMES], fixed);
});

Deno.test("an agent's tool has a valid, unique name [toolsets:agent-names]", () => {
  const long = "a-very-".repeat(12);
  const agents = [
    agentOf("bmm", "analyst"),
    agentOf("bmm", "analyst", "bmad-analyst"),
    agentOf("my.module", "Köchin & Co"),
    agentOf("bmad", "workflow"),
    agentOf("BMAD", "resources"),
    agentOf("bmm", `${long}one`),
    agentOf("bmm", `${long}two`),
    agentOf("a-b", "c"),
    agentOf("a", "b-c"),
    agentOf("…", "…"),
    agentOf("bmad", "料理人"),
    agentOf("", "get_knowledge"),
    agentOf("", ""),
    agentOf("bmm", "-".repeat(1_000_000) + "x"),
  ];
  const names = [...toolNames(agents).values()];
  const first = ["bmm-analyst", /^bmm-analyst-\w{7}$/, "my-module-K-chin-Co", /^bmad-workflow-\w{7}$/];
  for (const [at, expected] of first.entries()) {
    if (typeof expected === "string") assert.equal(names[at], expected);
    else assert.match(names[at]!, expected);
  }
  assert.match(names[10]!, /^bmad-agent-\w{7}$/);
  for (const name of names) {
    assert.match(name, /^[a-zA-Z0-9_-]{1,50}$/);
    assert.ok(!RESERVED_TOOL_NAMES.some((reserved) => reserved === name.toLowerCase()), name);
  }
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, agents.length);
  // Neither the order nor the other agents change a name that is not the first of its kind.
  for (const agent of agents.slice(3, 7)) {
    assert.equal(toolNames([agent]).get(agent.key), toolNames(agents).get(agent.key));
  }
});
