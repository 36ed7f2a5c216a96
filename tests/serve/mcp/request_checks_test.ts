/** Is an invalid request refused in one sentence, and what is not a request left to the SDK? */
import assert from "node:assert/strict";
import { parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { isPlainRequest, problemWith } from "../../../src/serve/mcp/request_checks.ts";

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

Deno.test("what counts as a plain request is one for the SDK, and stays as it is", () => {
  const choices: Readonly<Record<string, readonly string[]>> = {
    jsonrpc: ['"2.0"', '"1.0"', "2", ""],
    id: ["1", '"a"', '""', "-3", "1.5", "9007199254740993", "null", "{}", "true", ""],
    method: ['"ping"', '""', "1", "null", '["ping"]', ""],
    params: [
      "{}",
      '{"a":[1]}',
      '{"__proto__":1}',
      '{"_meta":{"progressToken":1}}',
      '{"_meta":3}',
      "[]",
      "null",
      "",
    ],
    more: ["1", ""],
  };
  let lines = [""];
  for (const [key, values] of Object.entries(choices)) {
    lines = lines.flatMap((line) => values.map((value) => value === "" ? line : `${line},"${key}":${value}`));
  }
  const messages = [...lines.map((line) => JSON.parse(`{${line.slice(1)}}`)), [], null, "ping", 1];
  const plain = messages.filter(isPlainRequest);
  for (const message of plain) assert.deepEqual(parseJSONRPCMessage(structuredClone(message)), message);
  assert.equal(plain.length, 4 * 2 * 3, "ids, methods, params");
});
