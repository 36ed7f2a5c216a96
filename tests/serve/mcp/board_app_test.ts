/** Is the board offered as an MCP App to clients that can show one, and does nothing change for all others? */
import assert from "node:assert/strict";
import {
  EXTENSION_ID,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
} from "@modelcontextprotocol/ext-apps/server";
import { APP_META, BOARD_APP, showsApps } from "../../../src/serve/mcp/board_app.ts";
import { clientHere, ERAS } from "../../support/client.ts";
import { treeTest } from "../../support/trees.ts";

const EXTENSIONS = { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } };

Deno.test("only a client that can show our kind of app is offered it [app:offered]", () => {
  assert.equal(showsApps({ extensions: EXTENSIONS }), true);
  const others: readonly Parameters<typeof showsApps>[0][] = [undefined, {}, { extensions: {} }, {
    extensions: { [EXTENSION_ID]: {} },
  }, {
    extensions: { [EXTENSION_ID]: { mimeTypes: ["text/html"] } },
  }];
  for (const capabilities of others) {
    assert.equal(showsApps(capabilities), false, JSON.stringify(capabilities));
  }
  assert.deepEqual(APP_META, { ui: { resourceUri: BOARD_APP }, [RESOURCE_URI_META_KEY]: BOARD_APP });
});

for (const era of ERAS) {
  treeTest(`${era}: the app is linked from the tool [app:offered]`, {
    "_bmad/bmm/config.yaml": "output_folder: out\nimplementation_artifacts: out\n",
    "out/sprint-status.yaml": "development_status:\n  epic-1: in-progress\n  1-1-a: done\n",
  }, async (cwd) => {
    const seen = async (extensions?: typeof EXTENSIONS) => {
      const features = extensions === undefined ? {} : { extensions };
      await using client = await clientHere({ era, cwd, args: ["--pack", "none"], features });
      const tools = await client.listTools();
      const { items } = await client.listResources();
      const answer = await client.callTool("bmad", { operation: "board" });
      assert.deepEqual(await client.callTool("bmad_work", { operation: "board" }), answer);
      return {
        tools,
        uris: items.map(({ uri }) => uri),
        answer,
        client: await client.readResource(BOARD_APP),
      };
    };
    const [plain, rich] = [await seen(), await seen(EXTENSIONS)];
    for (const tool of ["bmad", "bmad_work"]) {
      const metaOf = ({ tools }: typeof plain) => tools.find(({ name }) => name === tool)._meta;
      assert.equal(metaOf(plain).ui, undefined);
      assert.deepEqual(metaOf(rich).ui, { resourceUri: BOARD_APP });
    }
    const without = (tools: typeof plain.tools) => tools.map(({ _meta, ...tool }) => tool);
    assert.deepEqual(without(rich.tools), without(plain.tools));
    assert.deepEqual([plain.uris.includes(BOARD_APP), rich.uris.includes(BOARD_APP)], [false, true]);
    assert.deepEqual(rich.answer, plain.answer);
    const offers = { "bmad_work": "bmad", "bmad": "bmad_work", "bmad,bmad_work": undefined };
    for (const [excluded, reader] of Object.entries(offers)) {
      const args = ["--pack", "none", "--exclude-tools", excluded];
      await using other = await clientHere({ era, cwd, args, features: { extensions: EXTENSIONS } });
      const { items } = await other.listResources();
      assert.equal(items.some(({ uri }) => uri === BOARD_APP), reader !== undefined, excluded);
      if (reader === undefined) continue;
      const { contents: [{ text }] } = await other.readResource(BOARD_APP);
      assert.ok(text.includes(`data-app="${reader}"`));
      const drawn = await other.callTool(reader, { operation: "board", format: "app" });
      assert.match(drawn.content[0]!.text, /1-1/);
    }
    const [app] = rich.client.contents;
    assert.equal(app.mimeType, RESOURCE_MIME_TYPE);
    assert.ok(app.text.length < 56_000, "an app is small");
    assert.doesNotMatch(app.text, /https?:|<link|src=/);
  });
}
