/**
 * Is what clients see still what it was?
 *
 * The tools of each set, the names of prompts, the templates, the instructions and what the server says of itself, as
 * they were last agreed on. A change here is seen by every client: look at it, then write it down with
 * `deno task snap`. Texts of BMAD's own are left out.
 */
import assert from "node:assert/strict";
import { startClient } from "../support/client.ts";

const FOLDER = new URL("pins/", import.meta.url);
const isWriting = Deno.env.get("BMAD_MCP_PINS") === "write";

async function pin(name: string, value: unknown): Promise<void> {
  const file = new URL(`${name}.json`, FOLDER);
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (isWriting) await Deno.writeTextFile(file, text);
  assert.equal(text, await Deno.readTextFile(file), `${name} has changed: run deno task snap if it should`);
}

for (const set of ["bmad", "workflows", "agents", "memory", "runs"]) {
  Deno.test(`the tools of the set ${set} are as agreed`, async () => {
    await using client = await startClient({ era: "2025", args: ["--toolsets", set] });
    const tools = await client.listTools();
    await pin(
      `tools-${set}`,
      tools.map(({ name, title, description, inputSchema, annotations, _meta }) =>
        // What is made for an agent has its own words in it.
        set === "agents" && !name.startsWith("bmad-")
          ? { name, inputSchema, annotations }
          : { name, title, description, inputSchema, annotations, _meta }
      ),
    );
  });
}

Deno.test("what the server says of itself is as agreed", async () => {
  await using client = await startClient({ era: "2026" });
  await pin("server", await client.request("server/discover"));
});

Deno.test("the names of prompts and the templates are as agreed", async () => {
  await using client = await startClient({ era: "2026" });
  const prompts = await client.listPrompts();
  await pin("prompts", prompts.map(({ name, arguments: args }) => ({ name, arguments: args })));
  await pin("templates", await client.listResourceTemplates());
});
