/** Does a client that sends requests before it reads answers get every one of them? */
import assert from "node:assert/strict";
import { openPipe } from "../../../src/process/pipes.ts";
import { LineTransport } from "../../../src/serve/mcp/stdio.ts";
import { until } from "../../support/waiting.ts";

Deno.test("requests are read before answers are [transport:burst]", async () => {
  const { source, sink, end } = openPipe();
  const reader = Promise.withResolvers<void>();
  const written: string[] = [];
  const transport = new LineTransport(source, async (bytes) => {
    await reader.promise;
    written.push(new TextDecoder().decode(bytes));
  });
  let received = Promise.withResolvers<void>();
  transport.onmessage = (message) => {
    if (!("id" in message) || message.id === undefined) return;
    void transport.send({ jsonrpc: "2.0", id: message.id, result: { text: "x".repeat(5_000) } });
    received.resolve();
  };
  await transport.start();
  for (let id = 0; id < 500; id++) {
    received = Promise.withResolvers();
    await sink(new TextEncoder().encode(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`));
    // One by one, so that each is answered before the next one comes.
    await received.promise;
  }
  assert.deepEqual(written, []);
  reader.resolve();
  end();
  await until("every answer is written", () => written.join("").split("\n").length === 501);
  const ids = written.join("").trim().split("\n").map((line) => JSON.parse(line).id);
  assert.deepEqual(ids, Array.from({ length: 500 }, (_, id) => id));
});
