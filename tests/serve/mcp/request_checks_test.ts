/**
 * Is an invalid request refused in one sentence, and what is not a request left to the SDK?
 */
import assert from "node:assert/strict";
import { problemWith } from "../../../src/serve/mcp/request_checks.ts";

Deno.test("a message that is not a request has no problem", () => {
  const strange = [{ method: { toString: 1 } }, { method: ["tools/call"] }, {
    method: "tools/call",
    params: 3,
  }];
  const idless = [{ id: undefined }, { id: {} }, { id: null }].map((one) => ({
    ...one,
    method: "tools/call",
  }));
  for (const message of [...strange.map((one) => ({ id: 1, ...one })), ...idless, {}]) {
    assert.equal(problemWith(message), undefined);
  }
  assert.match(problemWith({ id: 1, method: "tools/call", params: {} })!, /name must be the name of a tool/);
  assert.match(problemWith({ id: "a", method: "initialize" })!, /capabilities must be an object/);
});
