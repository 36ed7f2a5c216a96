/** Does a client get the chosen tools, each complete, in no more tokens than promised? */
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { toolOf } from "../../support/answers.ts";
import { clientHere } from "../../support/client.ts";
import { runCli } from "../../support/program.ts";

const MEMORY =
  ("get_project_context get_agent_memory get_failure_museum remember_structured recall_structured " +
    "search_codebase").split(" ");
const RUNS = ("get_workflow_status list_sessions spawn_subagent_task run_completion_contract " +
  "create_delivery_contract delegate_to_agent update_run answer_subagent_task").split(" ");
const CHANGING =
  "remember_structured spawn_subagent_task run_completion_contract update_run answer_subagent_task " +
  "create_delivery_contract";

const WORKFLOWS = "list_workflows get_workflow_details execute_workflow list_tasks execute_task get_knowledge"
  .split(" ");

const tooLong = (tokens: number, max = 1_000) =>
  `The list of tools has ${tokens} tokens, ${max} are allowed: shorten descriptions in src/serve/mcp.`;

Deno.test("a choice of tools", async (t) => {
  const offered = async (args: readonly string[], env: Record<string, string> = {}) => {
    await using client = await clientHere({ era: "2026", args, env });
    const tools = await client.listTools();
    return {
      names: tools.map(({ name }) => name),
      tokens: countTokens(JSON.stringify(tools)),
      instructions: client.instructions()!,
      prompts: (await client.listPrompts()).length,
    };
  };

  await t.step("the variables choose as the flags do, and a flag wins [toolsets:choice]", async () => {
    const env = { BMAD_TOOLSETS: "bmad,workflows", BMAD_EXCLUDE_TOOLS: "list_tasks,execute_task" };
    const { names, instructions } = await offered([], env);
    assert.deepEqual(names, [
      "bmad",
      ...WORKFLOWS.filter((name) => !name.endsWith("_task") && name !== "list_tasks"),
    ]);
    assert.match(instructions, /`get_knowledge`/);
    assert.deepEqual((await offered(["--tools", "bmm-pm"], { BMAD_TOOLS: "get_knowledge" })).names, [
      "bmm-pm",
    ]);
  });

  await t.step("the list of tools costs what it may", async () => {
    const standard = await offered([]);
    assert.ok(standard.tokens <= 1_000, tooLong(standard.tokens));
    assert.doesNotMatch(standard.instructions, /get_knowledge|execute_workflow|bmad-workflow/);
    const more = await offered(["--toolsets", "bmad,workflows"]);
    assert.deepEqual(more.names, ["bmad", ...WORKFLOWS]);
    assert.ok(more.tokens > standard.tokens && more.tokens <= 2_000, `${more.tokens}`);
    const work = await offered(["--toolsets", "bmad,work"]);
    assert.deepEqual(work.names, ["bmad", "bmad_work"]);
    assert.ok(work.tokens > standard.tokens && work.tokens <= 1_500, tooLong(work.tokens, 1_500));
    assert.match(work.instructions, /`bmad_work` \{"script"/);
    const kit = await offered(["--toolsets", "bmad,memory,runs"]);
    assert.deepEqual(kit.names, ["bmad", ...MEMORY, ...RUNS]);
    assert.ok(kit.tokens > standard.tokens && kit.tokens <= 3_200, `${kit.tokens}`);
  });

  await t.step("tools that only read are still there [toolsets:read-only]", async () => {
    const { names } = await offered(["--toolsets", "workflows"], { BMAD_READ_ONLY: "1" });
    assert.deepEqual(names, WORKFLOWS);
    const reading = await offered(["--toolsets", "memory,runs", "--read-only", "--allow-exec"]);
    assert.deepEqual(reading.names, [...MEMORY, ...RUNS].filter((name) => !CHANGING.includes(name)));
    const none = await offered(["--exclude-tools", "bmad"]);
    assert.deepEqual(none.names, []);
    assert.ok(none.prompts > 30);
  });

  await t.step("one operation of a tool can be left out [toolsets:choice]", async () => {
    const args = ["--toolsets", "bmad,work", "--exclude-tools", "bmad.search,bmad_work.mark"];
    await using client = await clientHere({ era: "2026", args });
    const [bmad, work] = await client.listTools();
    for (const [tool, name] of [[bmad, "search"], [work, "mark"]]) {
      const { operation, ...others } = tool.inputSchema.properties;
      assert.ok(!operation.enum.includes(name));
      assert.doesNotMatch(`${tool.description}${JSON.stringify(others)}`, new RegExp(`\\b${name}:`));
    }
    assert.doesNotMatch(client.instructions()!, /"search"/);
    await toolOf(client, "bmad").refuses({ operation: "search", query: "prd" }, /excludeTools leaves it out/);
    await toolOf(client, "bmad").says({ operation: "list", query: "modules" }, /^\d+ modules/);
  });

  await t.step("the instructions name only tools that are there", async () => {
    const known = (await offered(["--toolsets", "all"])).names;
    for (const set of ["bmad", "work", "workflows", "agents", "memory", "runs"]) {
      const { names, instructions } = await offered(["--toolsets", set]);
      assert.ok(instructions.length <= 4_096);
      const named = known.filter((name) =>
        new RegExp(`(?<![\\w-])${name}(?![\\w-])(?= \\{|\`)`).test(instructions)
      );
      assert.ok(named.length > 0, set);
      assert.deepEqual(named.filter((name) => !names.includes(name)), [], set);
    }
  });
});

Deno.test("an unknown tool stops the program, which names those that exist [toolsets:choice]", async () => {
  const overHttp = ["serve", "--http", "0", "--no-token"];
  for (
    const [start, ...args] of [
      [[], "--tools", "bmm-analyst,nonsense"],
      [[], "--exclude-tools", "nonsense"],
      [overHttp, "--tools", "bmm-analyst,nonsense"],
    ] as const
  ) {
    const { code, stdout, stderr } = await runCli([...start, ...args]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.equal(
      stderr,
      `bmad-mcp: Invalid ${args[0]} "nonsense": expected one of bmad, bmad_work, ${
        WORKFLOWS.join(", ")
      }, bmad-workflow, bmad-resources, ${
        [...MEMORY, ...RUNS].join(", ")
      }, or for agents bmm-analyst, bmm-architect, bmm-dev, bmm-pm, ` +
        "bmm-ux-designer, tea-tea\n",
    );
  }
});

Deno.test("a tool that is off says how it is switched on [toolsets:choice]", async () => {
  const answers = {
    remember_structured:
      /belongs to the tool set memory\. Ask the user to set BMAD_TOOLSETS=\+memory for this server$/,
    list_tasks: /is off: this server's settings leave it out$/,
    "bmm-analyst":
      /is off: agents have no tools of their own on this server\. Start the agent with bmad \{"agent":"[^"]+"\}$/,
    "bmm-pm": /is off: this server's settings leave it out$/,
    "no\u202esuch": /^MCP error -32602: Tool no\S+such not found$|Tool no\S+such not found$/,
  };
  const args = ["--toolsets", "bmad", "--exclude-tools", "list_tasks,bmm-pm"];
  await using client = await clientHere({ era: "2026", args });
  for (const [name, expected] of Object.entries(answers)) {
    await assert.rejects(client.callTool(name, {}), (error: Error) => {
      assert.match(error.message, expected);
      return !error.message.includes("\u202e");
    });
  }
});

Deno.test("a request to remember that goes elsewhere says what to do [toolsets:remember]", async () => {
  const requests: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[] = [
    ["bmad", { operation: "search", query: "remember that we use tabs" }],
    ["bmad", { operation: "execute", skill: "remember_structured" }],
    ["bmad", { operation: "execute", workflow: "remember", message: "we use tabs" }],
    ["bmad", { operation: "list", query: "memories" }],
    ["bmad", { operation: "remember", query: "we use tabs" }],
    ["bmad", { command: "*remember" }],
    ["bmad_work", { operation: "remember", text: "we use tabs" }],
    ["bmad_work", { operation: "script", script: "remember that we use tabs" }],
  ];
  const expected = {
    "bmad,work":
      /Tool remember_structured is off: .* Ask the user to set BMAD_TOOLSETS=\+memory for this server/,
    "bmad,work,memory": /Call the tool remember_structured itself/,
  };
  for (const [toolsets, answer] of Object.entries(expected)) {
    await using client = await clientHere({ era: "2026", args: ["--toolsets", toolsets] });
    for (const [tool, args] of requests) {
      const { content } = await client.callTool(tool, args);
      assert.match(JSON.stringify(content), answer, JSON.stringify(args));
    }
    for (
      const args of [{ operation: "search", query: "write a PRD" }, { operation: "list", query: "agents" }]
    ) {
      const { content } = await client.callTool("bmad", args);
      assert.doesNotMatch(JSON.stringify(content), /remember_structured/);
    }
  }
});

Deno.test("tools that are named alone are the reason why others are off [toolsets:choice]", async () => {
  await using client = await clientHere({ era: "2026", args: ["--tools", "list_tasks"] });
  await assert.rejects(
    client.callTool("bmad", {}),
    /is off: this server's settings name others alone$/,
  );
  const args = ["--tools", "bmad,remember_structured", "--read-only"];
  await using reader = await clientHere({ era: "2026", args });
  await assert.rejects(
    reader.callTool("remember_structured", {}),
    /it writes, and this server is read-only \(BMAD_READ_ONLY\)$/,
  );
});
