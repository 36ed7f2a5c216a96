/**
 * Is the board offered as an MCP App to clients that can show one, and does nothing change for all others?
 *
 * tests/browser/app_test.ts shows it in a browser.
 */
import assert from "node:assert/strict";
import {
  EXTENSION_ID,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
} from "@modelcontextprotocol/ext-apps/server";
import { appMeta, BOARD_APP, showsApps } from "../../../src/serve/mcp/board_app.ts";
import { clientHere, ERAS } from "../../support/client.ts";
import { verifies } from "../../support/requirements.ts";
import { withTree } from "../../support/trees.ts";

const EXTENSIONS = { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } };

Deno.test(verifies("app:offered", "only a client that can show our kind of app is offered it"), () => {
  assert.equal(showsApps({ extensions: EXTENSIONS }), true);
  const others: readonly Parameters<typeof showsApps>[0][] = [undefined, {}, { extensions: {} }, {
    extensions: { [EXTENSION_ID]: {} },
  }, {
    extensions: { [EXTENSION_ID]: { mimeTypes: ["text/html"] } },
  }];
  for (const capabilities of others) {
    assert.equal(showsApps(capabilities), false, JSON.stringify(capabilities));
  }
  assert.deepEqual(appMeta("bmad_work"), {
    ui: { resourceUri: BOARD_APP },
    [RESOURCE_URI_META_KEY]: BOARD_APP,
  });
  assert.deepEqual(appMeta("bmad"), {});
});

for (const era of ERAS) {
  Deno.test(
    verifies("app:offered", `${era}: the app is linked from the tool, and its text is that of every client`),
    () =>
      withTree({
        "_bmad/bmm/config.yaml": "output_folder: out\nimplementation_artifacts: out\n",
        "out/sprint-status.yaml": "development_status:\n  epic-1: in-progress\n  1-1-a: done\n",
      }, async (cwd) => {
        const seen = async (extensions?: typeof EXTENSIONS) => {
          const features = extensions === undefined ? {} : { extensions };
          await using client = await clientHere({ era, cwd, args: ["--pack", "none"], features });
          const tools = await client.listTools();
          const { items } = await client.listResources();
          const answer = await client.callTool("bmad_work", { operation: "board" });
          return {
            tools,
            uris: items.map(({ uri }) => uri),
            answer,
            client: await client.readResource(BOARD_APP),
          };
        };
        const [plain, rich] = [await seen(), await seen(EXTENSIONS)];
        const metaOf = ({ tools }: typeof plain) => tools.find(({ name }) => name === "bmad_work")._meta;
        assert.equal(metaOf(plain).ui, undefined);
        assert.deepEqual(metaOf(rich).ui, { resourceUri: BOARD_APP });
        const without = (tools: typeof plain.tools) => tools.map(({ _meta, ...tool }) => tool);
        assert.deepEqual(without(rich.tools), without(plain.tools));
        assert.deepEqual([plain.uris.includes(BOARD_APP), rich.uris.includes(BOARD_APP)], [false, true]);
        assert.deepEqual(rich.answer, plain.answer);
        await using other = await clientHere({
          era,
          cwd,
          args: ["--pack", "none", "--exclude-tools", "bmad_work"],
          features: { extensions: EXTENSIONS },
        });
        const { items } = await other.listResources();
        assert.equal(items.some(({ uri }) => uri === BOARD_APP), false, "there is nothing without its tool");
        const [app] = rich.client.contents;
        assert.equal(app.mimeType, RESOURCE_MIME_TYPE);
        assert.ok(app.text.length < 56_000, "an app is small");
        assert.doesNotMatch(app.text, /https?:|<link|src=/);
      }),
  );
}
