/** Does only the session that was served a skill get it in short? */
import assert from "node:assert/strict";
import { connectHttp, startHttp } from "../../support/http.ts";

const CALL = { operation: "execute", skill: "bmad-product-brief", again: true };

Deno.test("what another session has had is not known [tool:execute-again]", async () => {
  await using program = await startHttp();
  await using ann = await connectHttp("2025", `${program.url}/mcp`);
  await using bob = await connectHttp("2025", `${program.url}/mcp`);
  const isShort = async (client: typeof ann) => {
    const { content } = await client.client.callTool({ name: "bmad", arguments: CALL });
    return /^Unchanged since this session had it: its text, its values, brief-template\.md\./m.test(
      content[0].text,
    );
  };
  assert.deepEqual([await isShort(ann), await isShort(bob)], [false, false]);
  assert.deepEqual([await isShort(ann), await isShort(bob)], [true, true]);
});
