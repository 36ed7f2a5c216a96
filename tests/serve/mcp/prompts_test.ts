/** What do the prompts say? */
import assert from "node:assert/strict";
import { type Arguments, refusal, say, says } from "../../support/answers.ts";
import { clientHere, ERAS } from "../../support/client.ts";
import { withTree } from "../../support/trees.ts";

const ANALYST = "agent: bmm/bmad-agent-analyst";

for (const era of ERAS) {
  Deno.test(`a ${era} client is offered prompts`, async (t) => {
    await using client = await clientHere({ era });

    await t.step("each skill has a prompt [prompts:agents, prompts:workflows, prompts:message]", async () => {
      const prompts = await client.listPrompts();
      assert.equal(prompts.length, 41);
      const names = prompts.map(({ name }) => name);
      assert.deepEqual(names.filter((name) => /^(bmad-bmad|bmad-agent)-/.test(name)), []);
      for (const prompt of prompts) {
        assert.ok(prompt.title !== "" && prompt.description !== "", prompt.name);
      }
      const titles = new Map(prompts.map(({ name, title }) => [name, title]));
      assert.equal(titles.get("bmad-analyst"), "📊 Mary (Business Analyst)");
      assert.equal(titles.get("bmad-product-brief"), "Create Brief");
    });

    await t.step(
      "a prompt is what the tool executes, whatever its message [prompts:carries-persona, prompts:dotted-form, prompts:argument-free, prompts:tool-equal]",
      async () => {
        const promptText = async (name: string, args: Record<string, string> = {}) => {
          const { messages } = await client.getPrompt(name, args);
          assert.deepEqual([messages.length, messages[0].role, messages[0].content.type], [
            1,
            "user",
            "text",
          ]);
          return messages[0].content.text;
        };
        const executed = await say(client, { operation: "execute", agent: "analyst" });
        assert.match(executed, /You are Mary, the Business Analyst\./);
        for (const name of ["bmad-analyst", "bmm.analyst", "bmad.analyst", "bmad-agent-analyst"]) {
          assert.equal(await promptText(name), executed);
          assert.equal(await promptText(name, { message: "" }), executed);
        }
        const withMessage = executed.replace(
          `${ANALYST}\n`,
          `${ANALYST}\nuser-prompt: "$1"\n`.replaceAll("$", "$$$$"),
        );
        assert.equal(await promptText("bmad-analyst", { message: "$1" }), withMessage);
        await says(client, { operation: "execute", agent: "analyst", message: "$1" }, withMessage);
      },
    );

    await t.step("three-part names start a workflow by an agent [prompts:dotted-form]", async () => {
      const textOf = async (name: string, message = "") =>
        (await client.getPrompt(name, { message })).messages[0].content.text;
      const started = { operation: "execute", agent: "pm", workflow: "prd", message: "Now" };
      const [first] = (await say(client, started)).split("\n[part 1 of ");
      assert.ok((await textOf("bmm.pm.prd", "Now")).startsWith(first!));
      assert.match(
        await textOf("bmm.pm.prd"),
        /^---\nagent: bmm\/bmad-agent-pm\nworkflow: bmm\/bmad-prd\n/,
      );
      // These names had an agent that never was.
      const alone = await say(client, { operation: "execute", workflow: "core/party-mode" });
      assert.equal(await textOf("core.workflow-executor.party-mode"), alone);
      const names = (await client.listPrompts()).map(({ name }) => name);
      assert.deepEqual(names.filter((name) => name.includes(".")), []);
      for (const name of ["bmm.pm.nothing", "nowhere.pm.prd", "bmm.pm.", "..", "bmm.pm.analyst"]) {
        await assert.rejects(client.getPrompt(name), { code: -32602 }, name);
      }
    });

    await t.step(
      "unknown prompts and resources come with suggestions [errors:resource-not-found]",
      async () => {
        await assert.rejects(client.getPrompt("bmad-anlyst"), (error: { code: number; data: Arguments }) => {
          assert.deepEqual([error.code, error.data["suggestions"]], [-32602, ["bmad-analyst"]]);
          return true;
        });
        const uri = "bmad://bmm/bmad-prd/assets/prd-template.txt";
        await assert.rejects(client.readResource(uri), (error: { code: number; data: Arguments }) => {
          const near = ["bmad://bmm/bmad-prd/assets/prd-template.md"];
          const { uri: asked, suggestions } = error.data;
          assert.deepEqual([error.code, asked, suggestions], [-32602, uri, near]);
          return true;
        });
        const text = await refusal(client, { operation: "read", uri: "bmad://bmm/bmad-prd/SKILL.txt" });
        assert.match(text, /Did you mean bmad:\/\/bmm\/bmad-prd\/SKILL\.md/);
      },
    );
  });
}

Deno.test("prompts are paged, in one order, and can be typed [prompts:agents, prompts:workflows]", () => {
  const many = Array.from({ length: 130 }, (_, i) => `step-${String(i).padStart(3, "0")}`);
  const workflow = (name: string) =>
    [`bmad/bmm/workflows/${name}/workflow.yaml`, `name: ${name}\ndescription: "Does ${name}"\n`] as const;
  return withTree({
    "bmad/bmm/agents/My Helper (2).md": "# My helper\n\nHelp me.\n",
    ...Object.fromEntries(many.toReversed().map(workflow)),
  }, async (dir) => {
    await using client = await clientHere({ era: "2025", cwd: dir, args: ["--pack", "none"] });
    const first = await client.request("prompts/list");
    assert.equal(first.prompts.length, 100);
    const second = await client.request("prompts/list", { cursor: first.nextCursor });
    assert.equal(second.nextCursor, undefined);
    const names = [...first.prompts, ...second.prompts].map(({ name }) => name);
    assert.deepEqual(names, ["bmad-my-helper-2", ...many.map((name) => `bmad-${name}`)]);
    const { messages } = await client.getPrompt("bmad-my-helper-2");
    assert.match(messages[0].content.text, /^---\nagent: bmm\/My Helper \(2\)\n---\n[^]*Help me\./);
  });
});
