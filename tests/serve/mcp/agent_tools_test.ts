/** Does each agent have its own tool, and what if there are more agents than a client accepts tools? */
import assert from "node:assert/strict";
import { type Arguments, headLine, say, toolOf } from "../../support/answers.ts";
import { clientHere, ERAS } from "../../support/client.ts";
import { treeTest, withTree } from "../../support/trees.ts";

const ANALYST = "agent: bmm/bmad-agent-analyst";

for (const era of ERAS) {
  Deno.test(`a ${era} client works with the tools for agents`, async (t) => {
    await using client = await clientHere({ era, args: ["--toolsets", "agents"] });
    const analyst = toolOf(client, "bmm-analyst"),
      workflow = toolOf(client, "bmad-workflow"),
      resources = toolOf(client, "bmad-resources");

    await t.step("an agent's tool gives the agent, with the user's words [toolsets:agents]", async () => {
      const tools = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name), [
        "bmad-workflow",
        "bmad-resources",
        "bmm-analyst",
        "bmm-architect",
        "bmm-dev",
        "bmm-pm",
        "bmm-ux-designer",
        "tea-tea",
      ]);
      const { title, description } = tools[2];
      assert.equal(title, "📊 Mary (Business Analyst)");
      assert.match(
        description,
        /^Become the BMAD agent Mary, Business Analyst: .*\. Business analyst for market/,
      );
      assert.match(description, /Menu: BP \S.* \| /);
      assert.ok(tools.every((tool) => tool.description.length <= 1_200));
      assert.doesNotMatch(tools[0].description, /more agents/);

      const text = await analyst.say({ message: 'Say "hi"' });
      assert.ok(text.startsWith(`---\n${ANALYST}\nuser-prompt: "Say \\"hi\\""\n---\n`));
      assert.match(text, /\nagent:\n {2}name: Mary\n/);
      const synonym = await analyst.say({ prompt: "hi", item: "BP" });
      assert.match(synonym, /\nmenu-item: BP \(start skill bmad-brainstorming\)\nuser-prompt: "hi"\n/);
      await analyst.refuses({}, /^`message` is missing/);
      // Lists tell the same names.
      const { items } = await resources.facts({ operation: "agents" });
      assert.deepEqual(
        items.map(({ toolName }: { toolName: string }) => toolName).sort(),
        tools.slice(2).map(({ name }) => name),
      );
    });

    await t.step(
      "a name near an agent's tool is answered with that tool [toolsets:agents-near]",
      async () => {
        const answers: Readonly<Record<string, RegExp>> = {
          "core-john": / not found\. bmm\/bmad-agent-pm is the tool bmm-pm$/,
          "bmad-pm": / is the tool bmm-pm$/,
          "Mary": / is the tool bmm-analyst$/,
          "bmm-analysst": /Did you mean bmm-analyst\?$/,
          "bmad-resource": /Did you mean bmad-resources\?$/,
          "weather": /Tool weather not found$/,
        };
        for (const [name, message] of Object.entries(answers)) {
          await assert.rejects(client.callTool(name, { message: "hi" }), message, name);
        }
      },
    );

    await t.step("bmad-workflow starts a workflow with its context [toolsets:agents]", async () => {
      const starts: readonly (readonly [Arguments, string])[] = [
        [
          { workflow: "prd", context: "A shop" },
          '---\nworkflow: bmm/bmad-prd\nuser-prompt: "A shop"\n---\n',
        ],
        [{ workflow_name: "prd" }, "---\nworkflow: bmm/bmad-prd\n---\n"],
        [
          { workflow: "prd", context: { epic: 1 } },
          '---\nworkflow: bmm/bmad-prd\nparams: {"epic":1}\n---\n',
        ],
        [{ workflow: "bmm/analyst" }, `---\n${ANALYST}\n---\n`],
      ];
      for (const [args, head] of starts) {
        assert.ok((await workflow.say(args)).startsWith(head), JSON.stringify(args));
      }
      await workflow.refuses(
        { context: "x" },
        /^`workflow` is missing\. bmad-resources \{"operation":"workflows"\} lists them\. Call bmad-workflow /,
      );
    });

    await t.step("bmad-resources reads, lists and searches [toolsets:agents]", async () => {
      const answers: readonly (readonly [Arguments, RegExp])[] = [
        [{ operation: "read", uri: "bmad://bmm/bmad-prd/SKILL.md#lines=2-2" }, /^name: bmad-prd$/],
        [{ uri: "{project-root}/_bmad/bmm/bmad-prd/SKILL.md#lines=2-2" }, /^name: bmad-prd$/],
        [{ operation: "GET", path: "bmad://bmm/bmad-prd/SKILL.md#lines=2-2" }, /^name: bmad-prd$/],
        [{ operation: "list", pattern: "tea/modul?.yaml" }, /^1 resource\n- bmad:\/\/tea\/module\.yaml: /],
        [{ operation: "modules" }, /^4 modules\n- bmm: /],
        [{ operation: "agents" }, /^6 agents\n- bmm\/bmad-agent-analyst: Mary/],
        [{ operation: "workflows" }, /^35 workflows\n/],
        [{ operation: "tasks" }, /^8 tasks\n/],
        [
          { operation: "search", query: "market research" },
          /results for "market research"\n- core\/bmad-deep-recon: /,
        ],
        [
          { operation: "find", searchQuery: "prd", type: "agents" },
          /results for "prd"\n- bmm\/bmad-agent-pm: /,
        ],
        [{ query: "prd" }, /^\d+ results for "prd"\n/],
      ];
      for (const [args, head] of answers) await resources.says(args, head);
      const refusals: readonly (readonly [Arguments, RegExp])[] = [
        [{ operation: "read" }, /^`uri` is missing\. Call bmad-resources /],
        [
          { operation: "read", uri: "bmad://../../etc/passwd" },
          /^Access denied: "bmad:\/\/\.\.\/\.\.\/etc\/passwd"/,
        ],
        [{ operation: "search" }, /^`query` is missing\. Call /],
        [{ operation: "fly" }, /^Unknown operation "fly"\. Use one of read, list, modules/],
        [{ operation: "constructor" }, /^Unknown operation "constructor"/],
      ];
      for (const [args, text] of refusals) await resources.refuses(args, text);
    });

    await t.step("what an answer says to do next can be done", async () => {
      const text = await analyst.say({ message: "hi" });
      const [, open, start] =
        /^Files: bmad-resources (\{.*?\});.* Skills: bmad-workflow (\{.*?\})\./m.exec(text) ?? [];
      const file = await resources.say(JSON.parse(open!.replace("PATH", "customize.toml")));
      assert.match(file, /^\[agent\]$/m);
      const other = await workflow.say(JSON.parse(start!.replace("…", '"bmad-brainstorming"')));
      assert.equal(headLine(other), "workflow: core/bmad-brainstorming");
    });
  });
}

Deno.test("agents without room for a tool are named [toolsets:agents-cap]", async () => {
  const agents = Array.from({ length: 50 }, (_, at) => `cook-${String(at + 1).padStart(2, "0")}`);
  const files = Object.fromEntries(agents.map((name) => [
    `bmad/food/agents/${name}.md`,
    `---\nname: ${name}\ndescription: Cooks\n---\n\n# ${name}\n`,
  ]));
  await withTree(files, async (cwd) => {
    await using client = await clientHere({
      era: "2026",
      cwd,
      args: ["--mode", "local", "--toolsets", "all"],
    });
    const workflow = toolOf(client, "bmad-workflow"), resources = toolOf(client, "bmad-resources");
    const tools = await client.listTools();
    assert.equal(tools.length, 40);
    const own = tools.map(({ name }) => name).filter((name) => name.startsWith("food-"));
    assert.deepEqual(own, agents.slice(0, 16).map((name) => `food-${name}`));
    const { description } = tools.find(({ name }) => name === "bmad-workflow");
    const [, count, list, start] =
      / (\d+) more agents have no tool, .*: bmad-resources (\{.*?\}) lists all, (\{.*?\}) starts one here\.$/
        .exec(description) ?? [];
    assert.equal(Number(count), agents.length - own.length);
    await resources.says(JSON.parse(list!), /^50 agents\n/);
    const left = JSON.parse(start!.replace("MODULE/AGENT", "food/cook-50"));
    assert.equal(headLine(await workflow.say(left)), "agent: food/cook-50");
    await assert.rejects(client.callTool("food-cook-50", { message: "hi" }), (error: Error) => {
      const [, tool, args] =
        /at most 40 are offered\. Start the agent with (\S+) (\{.*\})$/.exec(error.message) ??
          [];
      assert.deepEqual([tool, args], ["bmad", '{"agent":"food/cook-50"}'], error.message);
      return true;
    });
    assert.match(
      client.stderr(),
      /34 agents have no tool, because clients accept at most 40\. Choose tools with --tools/,
    );
  });
});

treeTest("an agent that was never installed opens files with the tools that its client has", {
  "src/modules/sea/agents/pilot.agent.yaml":
    "agent:\n  metadata: {name: Ann, title: Pilot}\n  persona: {role: Pilot}\n  menu: []\n",
  "src/modules/sea/module.yaml": "code: sea\n",
  "src/core/module.yaml": "code: core\n",
}, async (dir) => {
  const args = ["--mode", "strict", "--toolsets", "agents", dir];
  await using client = await clientHere({ era: "2025", args });
  const text = await say(client, { message: "hi" }, "sea-pilot");
  assert.match(
    text,
    /: bmad-resources \{"uri":PATH\}\. .*: bmad-workflow \{"workflow":NAME\}/,
  );
});
