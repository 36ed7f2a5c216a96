/**
 * Does a client get the chosen tools, each complete, in no more tokens than promised?
 *
 * The published names and parameters are a table below. What the tools do is in workflow_tools_test.ts and
 * agent_tools_test.ts; every way to choose among them in ../toolsets_test.ts.
 */
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { clientHere, ERAS } from "../../support/client.ts";
import { runCli } from "../../support/program.ts";
import { verifies } from "../../support/requirements.ts";

/** Parameters of each tool, those that are required with a star. */
const PUBLISHED: Readonly<Record<string, string>> = {
  bmad_work:
    "operation story status by force text choices to number severity file verdict reason lens command before after script count budget format",
  list_workflows: "category module origin",
  get_workflow_details: "workflow_name* origin",
  execute_workflow: "workflow_name* params origin",
  list_tasks: "module origin",
  execute_task: "task_name* params origin",
  get_knowledge: "domain* topic origin",
  "bmad-workflow": "workflow* context origin",
  "bmad-resources": "operation* uri pattern query type origin",
  get_project_context: "section",
  get_agent_memory: "agent* query last_n",
  get_failure_museum: "category top_n",
  remember_structured: "type* agent* text* tags",
  recall_structured: "query* type agent limit",
  search_codebase: "query* path limit",
  get_workflow_status: "run_id branch",
  list_sessions: "status",
  spawn_subagent_task: "agent* task* output_key* context_files run_id",
  run_completion_contract: "stack working_dir",
  create_delivery_contract:
    "from_team* to_team* artefacts questions decisions rejected constraints risks signed_by",
  delegate_to_agent: "agent_id* task* context max_tokens origin",
  update_run: "action* run_id branch step outputs",
  answer_subagent_task: "task_id* action* text",
  "bmm-analyst": "message*",
  "bmm-architect": "message*",
  "bmm-dev": "message*",
  "bmm-pm": "message*",
  "bmm-ux-designer": "message*",
  "tea-tea": "message*",
};

const MEMORY_TYPES = ["shared-context", "decisions", "agent-learnings", "failures", "stories"];

/** The values that parameters are published with. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  "bmad_work.operation": [
    "board",
    "next",
    "show",
    "check",
    "trace",
    "review",
    "finding",
    "context",
    "evidence",
    "ask",
    "answer",
    "mark",
    "claim",
    "release",
    "plan",
    "reconcile",
    "script",
  ],
  "remember_structured.type": [...MEMORY_TYPES],
  "update_run.action": ["start", "checkpoint", "finish", "resume"],
  "answer_subagent_task.action": ["claim", "answer", "fail"],
  "recall_structured.type": [...MEMORY_TYPES],
  "get_failure_museum.category": [
    "all",
    "CC-FAIL",
    "WRONG-ASSUMPTION",
    "CONTEXT-LOSS",
    "HALLUCINATION",
    "ARCH-MISTAKE",
    "PROCESS-SKIP",
  ],
  "list_sessions.status": ["all", "active", "completed", "failed"],
  "run_completion_contract.stack": [
    "auto",
    "go",
    "typescript",
    "python",
    "terraform",
    "ansible",
    "docker",
    "k8s",
  ],
  "bmad-resources.operation": ["read", "list", "modules", "agents", "workflows", "search"],
};

const MEMORY =
  ("get_project_context get_agent_memory get_failure_museum remember_structured recall_structured " +
    "search_codebase").split(" ");
const RUNS = ("get_workflow_status list_sessions spawn_subagent_task run_completion_contract " +
  "create_delivery_contract delegate_to_agent update_run answer_subagent_task").split(" ");
/** The tools that write or run something, and whether a second call adds nothing, and what is there can suffer. */
const CHANGING: Readonly<Record<string, { idempotentHint: boolean; destructiveHint: boolean }>> = {
  bmad_work: { idempotentHint: false, destructiveHint: true },
  remember_structured: { idempotentHint: true, destructiveHint: false },
  spawn_subagent_task: { idempotentHint: true, destructiveHint: false },
  run_completion_contract: { idempotentHint: false, destructiveHint: true },
  update_run: { idempotentHint: false, destructiveHint: true },
  answer_subagent_task: { idempotentHint: false, destructiveHint: true },
  create_delivery_contract: { idempotentHint: false, destructiveHint: false },
};

const WORKFLOWS = "list_workflows get_workflow_details execute_workflow list_tasks execute_task get_knowledge"
  .split(" ");

const tooLong = (tokens: number, max = 1_000) =>
  `The list of tools has ${tokens} tokens, ${max} are allowed: shorten descriptions in src/serve/mcp.`;

for (const era of ERAS) {
  Deno.test(`a ${era} client is offered every tool when all are chosen`, async (t) => {
    await using client = await clientHere({ era, args: ["--toolsets", "all"] });
    const tools = await client.listTools();

    await t.step(
      verifies(
        [
          "toolsets:choice",
          "toolsets:schemas",
          "toolsets:workflows",
          "toolsets:agents",
          "toolsets:memory",
          "toolsets:runs",
        ],
        "the tools have the names and parameters that are published, in one order",
      ),
      async () => {
        assert.deepEqual(tools.map(({ name }) => name), ["bmad", ...Object.keys(PUBLISHED)]);
        assert.deepEqual(tools, await client.listTools());
        for (const { name, inputSchema: { properties, required = [] } } of tools.slice(1)) {
          const parameters = Object.keys(properties).map((key) => required.includes(key) ? `${key}*` : key);
          assert.equal(parameters.join(" "), PUBLISHED[name], name);
          for (const [key, { enum: values }] of Object.entries<{ enum?: string[] }>(properties)) {
            assert.deepEqual(values, VALUES[`${name}.${key}`], `${name}.${key}`);
          }
        }
      },
    );

    await t.step(
      verifies(
        ["tool:annotations", "tool:meta-hints"],
        "each tool has a title, all annotations, hints and a short description",
      ),
      () => {
        for (const { name, title, description, annotations, outputSchema, _meta } of tools) {
          assert.ok(title.length > 3, name);
          assert.deepEqual(annotations, {
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false,
            ...(name in CHANGING ? { readOnlyHint: false, ...CHANGING[name] } : {}),
          });
          assert.equal(outputSchema, undefined);
          assert.match(_meta["anthropic/searchHint"], /BMAD/);
          assert.equal(_meta["anthropic/maxResultSizeChars"], 20_400);
          assert.equal(_meta["anthropic/alwaysLoad"], name === "bmad" ? true : undefined);
          assert.match(name, /^[a-zA-Z0-9_-]{1,60}$/);
          assert.match(description, /BMAD/);
          if (name !== "bmad") {
            assert.ok(/^.*?[.](?=\s|$)/.exec(description)![0].length <= 150, description);
          }
        }
      },
    );
  });
}

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

  await t.step(
    verifies("toolsets:choice", "the variables choose as the flags do, and a flag wins"),
    async () => {
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
    },
  );

  await t.step("the list of tools costs what it may", async () => {
    const standard = await offered([]);
    assert.ok(standard.tokens <= 1_000, tooLong(standard.tokens));
    assert.doesNotMatch(standard.instructions, /get_knowledge|execute_workflow|bmad-workflow/);
    const more = await offered(["--toolsets", "bmad,workflows"]);
    assert.deepEqual(more.names, ["bmad", ...WORKFLOWS]);
    assert.ok(more.tokens > standard.tokens && more.tokens <= 2_000, `${more.tokens}`);
    const work = await offered(["--toolsets", "bmad,work"]);
    assert.deepEqual(work.names, ["bmad", "bmad_work"]);
    assert.ok(work.tokens > standard.tokens && work.tokens <= 1_200, tooLong(work.tokens, 1_200));
    assert.match(work.instructions, /`bmad_work` \{"script"/);
    const kit = await offered(["--toolsets", "bmad,memory,runs"]);
    assert.deepEqual(kit.names, ["bmad", ...MEMORY, ...RUNS]);
    assert.ok(kit.tokens > standard.tokens && kit.tokens <= 3_200, `${kit.tokens}`);
  });

  await t.step(
    verifies("toolsets:read-only", "tools that only read are still there, and prompts without any tool"),
    async () => {
      const { names } = await offered(["--toolsets", "workflows"], { BMAD_READ_ONLY: "1" });
      assert.deepEqual(names, WORKFLOWS);
      const reading = await offered(["--toolsets", "memory,runs", "--read-only", "--allow-exec"]);
      assert.deepEqual(reading.names, [...MEMORY, ...RUNS].filter((name) => !(name in CHANGING)));
      const none = await offered(["--exclude-tools", "bmad"]);
      assert.deepEqual(none.names, []);
      assert.ok(none.prompts > 30);
    },
  );

  await t.step("the instructions name only tools that are there", async () => {
    for (const set of ["bmad", "work", "workflows", "agents", "memory", "runs"]) {
      const { names, instructions } = await offered(["--toolsets", set]);
      assert.ok(instructions.length <= 4_096);
      const known = [...Object.keys(PUBLISHED), "bmad"];
      const named = known.filter((name) =>
        new RegExp(`(?<![\\w-])${name}(?![\\w-])(?= \\{|\`)`).test(instructions)
      );
      assert.ok(named.length > 0, set);
      assert.deepEqual(named.filter((name) => !names.includes(name)), [], set);
    }
  });
});

Deno.test(
  verifies("toolsets:choice", "an unknown tool stops the program, which names those that exist"),
  async () => {
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
    const { code, stderr } = await runCli(["--toolsets", "bmad,memori"]);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /Invalid --toolsets "bmad,memori": expected all, or a comma-separated list of bmad, work, workflows, agents,/,
    );
  },
);

Deno.test(verifies("toolsets:choice", "a tool that is off says how it is switched on"), async () => {
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

Deno.test(
  verifies("toolsets:remember", "a request to remember that goes elsewhere says what to do"),
  async () => {
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
  },
);

Deno.test(
  verifies("toolsets:choice", "tools that are named alone are the reason why others are off"),
  async () => {
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
  },
);
