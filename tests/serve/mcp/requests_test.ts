/**
 * Is a request of a wrong shape refused in words, and one of no shape at all left to the SDK?
 */
import assert from "node:assert/strict";
import { complaintAbout } from "../../../src/serve/mcp/requests.ts";

Deno.test("what no request can be is nothing to complain about", () => {
  const strange = [{ method: { toString: 1 } }, { method: ["tools/call"] }, {
    method: "tools/call",
    params: 3,
  }];
  const idless = [{ id: undefined }, { id: {} }, { id: null }].map((one) => ({
    ...one,
    method: "tools/call",
  }));
  for (const message of [...strange.map((one) => ({ id: 1, ...one })), ...idless, {}]) {
    assert.equal(complaintAbout(message), undefined);
  }
  assert.match(complaintAbout({ id: 1, method: "tools/call", params: {} })!, /needs the name of a tool/);
  assert.match(complaintAbout({ id: "a", method: "initialize" })!, /needs capabilities/);
});
