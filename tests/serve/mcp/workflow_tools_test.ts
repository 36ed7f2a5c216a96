/**
 * Do the tools of the set `workflows` do what their names say, for calls as models write them?
 *
 * Over the embedded content, without the tool `bmad`: what an answer tells the model to do next must be possible with the
 * chosen tools.
 */
import assert from "node:assert/strict";
import { type Arguments, headLine, refuses, says, toolOf } from "../../support/answers.ts";
import { clientHere, ERAS } from "../../support/client.ts";
import { treeTest } from "../../support/trees.ts";

const PRD = "workflow: bmm/bmad-prd";

/** Ways to start a workflow that models come up with, and the lines that the answer opens with. */
const STARTS: readonly (readonly [Arguments, readonly string[]])[] = [
  [{ workflow_name: "prd" }, [PRD]],
  [{ workflow_name: "create-prd", params: null }, [PRD, 'note: "create-prd" is now bmm/bmad-prd']],
  [{ workflow: "BMM/prd" }, [PRD]],
  [{ name: "*prd", module: "bmm" }, [PRD]],
  [{ workflow_name: "prd", params: {} }, [PRD]],
  [{ workflow_name: "prd", params: { message: "A shop" } }, [PRD, 'user-prompt: "A shop"']],
  [{ workflow_name: "prd", params: { epic: 2, message: "A shop" } }, [
    PRD,
    'params: {"epic":2}',
    'user-prompt: "A shop"',
  ]],
  [{ workflow_name: "prd", params: '{"epic":"2\\n---"}' }, [PRD, 'params: {"epic":"2\\n---"}']],
  [{ workflow_name: "prd", params: "A shop" }, [PRD, 'user-prompt: "A shop"']],
  [{ workflow_name: "prd", params: "{half" }, [PRD, 'user-prompt: "{half"']],
  [{ workflow_name: "prd", message: "A shop" }, [PRD, 'user-prompt: "A shop"']],
  [{ workflow_name: "prd", params: { epic: 2 }, message: "A shop" }, [
    PRD,
    'params: {"epic":2}',
    'user-prompt: "A shop"',
  ]],
  // What is no workflow here is started all the same.
  [{ workflow_name: "analyst" }, ["agent: bmm/bmad-agent-analyst"]],
];

for (const era of ERAS) {
  Deno.test(`a ${era} client works with the tools for workflows`, async (t) => {
    await using client = await clientHere({ era, args: ["--toolsets", "workflows"] });
    const workflows = toolOf(client, "list_workflows"),
      details = toolOf(client, "get_workflow_details"),
      execute = toolOf(client, "execute_workflow"),
      knowledge = toolOf(client, "get_knowledge"),
      task = toolOf(client, "execute_task");

    await t.step("workflows and tasks are listed, by module and category [toolsets:workflows]", async () => {
      const all = await workflows.say({});
      assert.match(all, /^35 workflows\n/);
      assert.match(all, /^- bmm\/bmad-prd: Create Edit and Review PRD: Create, update/m);
      const heads: readonly (readonly [string, Arguments, RegExp])[] = [
        ["list_workflows", { category: "solutioning" }, /^5 workflows\n- bmm\/bmad-architecture: /],
        ["list_workflows", { category: "3-solutioning", module: "" }, /^5 workflows\n/],
        ["list_workflows", { phase: "Solutioning" }, /^5 workflows\n/],
        ["list_workflows", { module: "TEA" }, /^9 workflows\n/],
        [
          "list_workflows",
          { limit: 5 },
          /^35 workflows, 5 shown; next: \{"limit":5,"cursor":"at-5-35-\w+-\w+"\}\n/,
        ],
        ["list_tasks", {}, /^8 tasks\n/],
        ["list_tasks", { module: "core" }, /^8 tasks\n/],
        ["list_tasks", { module: "tea" }, /^No tasks\.$/],
      ];
      for (const [tool, args, head] of heads) await says(client, args, head, tool);
      const { items, total } = await workflows.facts({ module: "tea" });
      assert.deepEqual([items.length, total], [9, 9]);
      await workflows.refuses(
        { category: "soon" },
        /^Invalid category: expected one of analysis, planning, .*, got "soon"\. Call list_workflows \{"category":"planning"\}$/,
      );
    });

    await t.step("a workflow is shown in full [toolsets:workflows]", async () => {
      const text = await details.say({ workflow_name: "prd" });
      assert.match(text, /^name: bmm\/bmad-prd\nwhat: skill, workflow\n/);
      const uris = /^files: (.*)$/m.exec(text)![1]!.split(" ");
      assert.equal(uris.length, 8);
      assert.ok(uris.includes("bmad://bmm/bmad-prd/SKILL.md"));
      const facts = await details.facts({ name: "prd" });
      assert.deepEqual([facts.id, facts.category, facts.files.length], ["bmad-prd", "planning", 8]);
      assert.ok(text.endsWith(facts.content));
    });

    await t.step("a workflow is started, however the call is written [toolsets:workflows]", async () => {
      for (const [args, lines] of STARTS) {
        const text = await execute.say(args);
        assert.equal(
          text.slice(0, text.indexOf("\n---\n")),
          `---\n${lines.join("\n")}`,
          JSON.stringify(args),
        );
      }
      const text = await task.say({ task_name: "review", params: "the README" });
      assert.ok(text.startsWith('---\nworkflow: core/bmad-review\nuser-prompt: "the README"\n---\n'));
    });

    await t.step("what an answer says to do next can be done", async () => {
      const text = await execute.say({ workflow_name: "prd" });
      const [, uri, start] =
        /^Files: the MCP resource "(bmad:\/\/.*)PATH";.* Skills: execute_workflow (\{.*?\})\./m.exec(text) ??
          [];
      const { contents: [file] } = await client.readResource(`${uri}customize.toml`);
      assert.match(file.text, /^\[workflow\]$/m);
      const args = JSON.parse(start!.replace("…", '"bmad-ux"'));
      assert.equal(headLine(await execute.say(args)), "workflow: bmm/bmad-ux");
      const { messages: [{ content }] } = await client.getPrompt("bmad-prd");
      assert.match(content.text, /^Files: the MCP resource /m);
    });

    await t.step("a failed call is answered with what to call instead", async () => {
      const refusals: readonly (readonly [string, Arguments, string])[] = [
        [
          "execute_workflow",
          { workflow_name: "pdr" },
          'No workflow named "pdr". Did you mean bmm/bmad-prd? Call execute_workflow {"workflow_name":"bmm/bmad-prd"}',
        ],
        [
          "get_workflow_details",
          {},
          '`workflow_name` is missing. list_workflows lists them. Call get_workflow_details {"workflow_name":"NAME"}',
        ],
        [
          "execute_task",
          { task_name: "" },
          '`task_name` is missing. list_tasks lists them. Call execute_task {"task_name":"NAME"}',
        ],
        [
          "execute_task",
          { task_name: ["a"] },
          'Invalid task_name: expected text, got a list. Call execute_task {"task_name":"NAME"}',
        ],
        [
          "execute_workflow",
          { workflow_name: "prd", params: [1] },
          'Invalid params: expected text, got a list. Call execute_workflow {"workflow_name":"prd"}',
        ],
      ];
      for (const [tool, args, text] of refusals) await refuses(client, args, text, tool);
    });

    await t.step("knowledge: the domains, an index, a fragment in parts [toolsets:knowledge]", async () => {
      await knowledge.says({}, /^20 knowledge domains\n[^]*^- testarch: 59 in tea: /m);
      const index = await knowledge.say({ domain: "testarch" });
      assert.match(
        index,
        /^59 fragments on testarch\n- library-integration-mandate: Library Integration Mandate \[/,
      );
      assert.equal(index.split("\n").length, 61);
      assert.ok(index.endsWith('\n→ get_knowledge {"domain":"testarch","topic":ID}'), index.slice(-100));
      await knowledge.says(
        { domain: "testarch", topic: "playwright" },
        /^\d+ fragments on testarch that match/,
      );
      await knowledge.says({ domain: "patterns" }, /^- (testarch\/)?test-healing-patterns: /m);
      const architecture = await knowledge.say({ domain: "architecture" });
      assert.match(architecture, /^\d+ fragments on architecture\n- architecture\/architect: /);
      assert.match(architecture, /^- testarch\/fixture-architecture: /m);
      const spine = await knowledge.say({ domain: "architecture", topic: "spine-template" });
      assert.match(
        spine,
        /^=== bmad:\/\/bmm\/bmad-architecture\/assets\/spine-template\.md \(package\) ===\n/,
      );

      const both = await knowledge.say({ domain: "testarch", topic: "test-quality,burn-in", part: 1 });
      assert.match(
        both,
        /^=== bmad:\/\/tea\/bmad-tea\/resources\/knowledge\/test-quality\.md \(package\) ===\n/,
      );
      const [, parts, next] = /\n\[part 1 of (\d+); next: get_knowledge (\{.*\})\]$/.exec(both)!;
      assert.deepEqual(JSON.parse(next!), { domain: "testarch", topic: "test-quality,burn-in", part: 2 });
      let whole = "";
      for (let part = 1; part <= Number(parts); part++) {
        const text = await knowledge.say({ domain: "testarch", topic: "test-quality,burn-in", part });
        assert.ok(new TextEncoder().encode(text).length <= 16_384);
        whole += text.replace(/\n\[part \d+ of \d+[^\n]*\]$/, "");
      }
      for (const name of ["test-quality", "burn-in"]) {
        const uri = `bmad://tea/bmad-tea/resources/knowledge/${name}.md`;
        const { contents: [file] } = await client.readResource(uri);
        assert.ok(whole.includes(`=== ${uri} (package) ===\n${file.text}`), name);
      }
      const { uri, content } = JSON.parse(
        await knowledge.say({ domain: "testarch", topic: "burn-in", format: "json" }),
      );
      assert.ok(whole.includes(content));
      assert.equal(uri, "bmad://tea/bmad-tea/resources/knowledge/burn-in.md");
      await knowledge.refuses(
        { domain: "testarc" },
        /^No knowledge domain named "testarc"\. Did you mean testarch.*\? Domains: advanced-elicitation, .*\. Give one as "domain"$/,
      );
      await knowledge.refuses(
        { domain: "testarch", topic: "burn-inn" },
        /^No fragment on testarch named "burn-inn"\. Did you mean burn-in.*\. Give one as "topic"$/,
      );
      await knowledge.refuses(
        { domain: "testarch", origin: "moon" },
        /^Unknown source "moon"\. Use one of .*package.*\. Give one as "origin"$/,
      );
      await knowledge.says({ module: "tea" }, /^\d+ fragments on tea\n/);
      await knowledge.refuses(
        { domain: "testarch", topics: "burn-in" },
        /^Unknown parameter "topics"\. Did you mean topic\?$/,
      );
      await knowledge.refuses(
        { domain: "testarch", module: "bmm" },
        /^Unknown parameter "module"\. Use one of domain, topic, origin/,
      );
    });
  });
}

treeTest("a workflow that two modules have is asked for by the tool's own call", {
  "bmad/one/workflows/sail/workflow.md": "---\nname: sail\ndescription: One\n---\n",
  "bmad/two/workflows/sail/workflow.md": "---\nname: sail\ndescription: Two\n---\n",
}, async (cwd) => {
  await using client = await clientHere({ era: "2026", cwd, args: ["--toolsets", "workflows"] });
  const execute = toolOf(client, "execute_workflow");
  const text = await execute.refusal({ workflow: "sail", params: { a: 1 } });
  const calls = [...text.matchAll(/→ execute_workflow (\{.*\})$/gm)].map(([, args]) => JSON.parse(args!));
  assert.equal(calls.length, 2, text);
  for (const [at, module] of ["one", "two"].entries()) {
    assert.deepEqual(calls[at].params, { a: 1 });
    assert.equal(headLine(await execute.say(calls[at])), `workflow: ${module}/sail`);
  }
});
