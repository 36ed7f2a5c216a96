/** Does every tool that takes items or files take them from the source that a call names, and say so in its schema? */
import assert from "node:assert/strict";
import { type Arguments, refuses, says } from "../../support/answers.ts";
import { clientHere } from "../../support/client.ts";
import { runCli } from "../../support/program.ts";
import { treeTest } from "../../support/trees.ts";

/** The same items of two sources; the project's override the team's. */
const itemsOf = (folder: string, words: string) => ({
  [`${folder}/bmm/agents/scout.md`]: `---\nname: scout\ndescription: ${words}\n---\n# Scout ${words}\n`,
  [`${folder}/bmm/workflows/sail/workflow.md`]:
    `---\nname: sail\ndescription: ${words}\n---\n# Sail ${words}\n`,
  [`${folder}/bmm/workflows/sail/data/knots.md`]: `# Knots ${words}\n`,
  [`${folder}/bmm/tasks/row.md`]: `---\nname: row\ndescription: ${words}\n---\n# Row ${words}\n`,
});

const FILES = { ...itemsOf("one/_bmad", "Ours"), ...itemsOf("team", "Theirs") };
const SAIL = "bmad://bmm/workflows/sail/workflow.md";

/** A call of every such tool, whose answer has the words of its source. */
const CALLS: readonly (readonly [tool: string, args: Arguments])[] = [
  ["bmad", { operation: "list", query: "workflows" }],
  ["bmad", { operation: "read", workflow: "sail" }],
  ["bmad", { operation: "read", uri: SAIL }],
  ["bmad", { operation: "execute", agent: "scout" }],
  ["bmad", { operation: "search", query: "sail" }],
  ["list_workflows", {}],
  ["get_workflow_details", { workflow_name: "sail" }],
  ["execute_workflow", { workflow_name: "sail" }],
  ["list_tasks", {}],
  ["execute_task", { task_name: "row" }],
  ["get_knowledge", { domain: "sail", topic: "knots" }],
  ["bmad-workflow", { workflow: "sail" }],
  ["bmad-resources", { operation: "read", uri: SAIL }],
  ["bmad-resources", { operation: "workflows" }],
  ["bmad-resources", { operation: "search", query: "sail" }],
  ["delegate_to_agent", { agent_id: "scout", task: "Look" }],
];

treeTest("a call takes what it names from the source that it names [toolsets:origin]", FILES, async (dir) => {
  const cwd = `${dir}/one`;
  const args = ["--toolsets", "all", "--path", `${dir}/team`, "--pack", "none"];
  await using client = await clientHere({ era: "2026", cwd, args });
  const schemas = new Map((await client.listTools()).map(({ name, inputSchema }) => [name, inputSchema]));
  for (const [tool, call] of CALLS) {
    const place = `${tool} ${JSON.stringify(call)}`;
    assert.ok(Object.hasOwn(schemas.get(tool)!.properties, "origin"), place);
    await says(client, call, /Ours/, tool);
    await says(client, { ...call, origin: "cli" }, /Theirs/, tool);
    await refuses(
      client,
      { ...call, origin: "moon" },
      /^Unknown source "moon"\. Use one of project, cli, [^.]*\. Give one as "origin"$/,
      tool,
    );
  }
  const { messages } = await client.getPrompt("bmad-scout", { origin: "cli" });
  assert.match(messages[0].content.text, /# Scout Theirs/);
  for (const name of [SAIL, "sail"]) {
    const { stdout } = await runCli(["show", name, "--origin", "cli", "--path", `${dir}/team`], { cwd });
    assert.match(stdout, /Theirs/, name);
  }
});
