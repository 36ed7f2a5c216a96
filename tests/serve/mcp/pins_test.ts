/**
 * Do clients still see the same?
 *
 * The tools of each set, the names of prompts, the templates, the instructions and the identity of the server, as last
 * recorded. Every client sees a change here: review it, then record it with `deno task snap`. BMAD's own texts are left
 * out.
 */
import assert from "node:assert/strict";
import { PRODUCT } from "../../../src/base/model.ts";
import { startClient } from "../../support/client.ts";
import { pin } from "../../support/pins.ts";

const FOLDER = new URL("pins/", import.meta.url);
for (const set of ["bmad", "work", "workflows", "agents", "memory", "runs"]) {
  Deno.test(
    `the tools of the set ${set} are as agreed, each complete [tool:annotations, tool:meta-hints, toolsets:choice, toolsets:schemas, toolsets:workflows, toolsets:agents, toolsets:memory, toolsets:runs]`,
    async () => {
      await using client = await startClient({ era: "2025", args: ["--toolsets", set] });
      const tools = await client.listTools();
      assert.deepEqual(tools, await client.listTools());
      for (const { name, title, description, annotations, outputSchema, _meta } of tools) {
        assert.ok(title.length > 3, name);
        assert.equal(Object.values(annotations).filter((hint) => typeof hint === "boolean").length, 4, name);
        assert.equal(outputSchema, undefined);
        assert.match(_meta["anthropic/searchHint"], /BMAD/);
        assert.match(name, /^[a-zA-Z0-9_-]{1,60}$/);
        assert.match(description, /BMAD/);
        // Clients search the first sentence.
        assert.ok(name === "bmad" || /^.*?[.](?=\s|$)/.exec(description)![0].length <= 150, description);
      }
      await pin(
        FOLDER,
        `tools-${set}`,
        tools.map(({ name, title, description, inputSchema, annotations, _meta }) =>
          // What is made for an agent has its own words in it.
          set === "agents" && !name.startsWith("bmad-")
            ? { name, inputSchema, annotations }
            : { name, title, description, inputSchema, annotations, _meta }
        ),
      );
    },
  );
}

Deno.test("what the server says of itself is as agreed", async () => {
  await using client = await startClient({ era: "2026" });
  const said = await client.request("server/discover");
  const about = said._meta["io.modelcontextprotocol/serverInfo"];
  assert.equal(about.version, PRODUCT.version);
  // Each release has another.
  about.version = "VERSION";
  await pin(FOLDER, "server", said);
});

Deno.test("the names of prompts and the templates are as agreed", async () => {
  await using client = await startClient({ era: "2026" });
  const prompts = await client.listPrompts();
  await pin(FOLDER, "prompts", prompts.map(({ name, arguments: args }) => ({ name, arguments: args })));
  await pin(FOLDER, "templates", await client.listResourceTemplates());
});
