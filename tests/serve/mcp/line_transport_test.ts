/**
 * Is an answer written at once only where nothing can be in its way?
 */
import assert from "node:assert/strict";
import { openPipe, sinkOf } from "../../../src/base/pipes.ts";
import { LineTransport } from "../../../src/serve/mcp/stdio.ts";

const request = (id: number) => ({ jsonrpc: "2.0" as const, id, method: "ping" });
const answer = (id: number) => ({ jsonrpc: "2.0" as const, id, result: {} });
const line = (message: object) => new TextEncoder().encode(`${JSON.stringify(message)}\n`);

/** A transport that has read some requests, and for each write since then whether it was awaited. */
async function opened(requests: readonly number[]) {
  const { source, sink, end } = openPipe();
  const writes: boolean[] = [];
  const transport = new LineTransport(source, (_, isAwaited = false) => {
    writes.push(isAwaited);
    return Promise.resolve();
  });
  const received = Promise.withResolvers<void>();
  let count = 0;
  transport.onmessage = () => ++count === requests.length && received.resolve();
  await transport.start();
  for (const id of requests) await sink(line(request(id)));
  await received.promise;
  return { transport, writes, [Symbol.dispose]: end };
}

Deno.test("the answer to the only request is awaited, and nothing else", async () => {
  {
    using one = await opened([1]);
    await one.transport.send({ jsonrpc: "2.0", method: "notifications/progress" });
    await one.transport.send(answer(1));
    await one.transport.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    assert.deepEqual(one.writes, [false, true, false]);
  }
  using two = await opened([1, 2]);
  await two.transport.send(answer(1));
  await two.transport.send(answer(2));
  assert.deepEqual(two.writes, [false, true]);
});

Deno.test("an answer that shares its write with another message is not awaited", async () => {
  using one = await opened([1]);
  await Promise.all([
    one.transport.send({ jsonrpc: "2.0", method: "notifications/progress" }),
    one.transport.send(answer(1)),
  ]);
  assert.deepEqual(one.writes, [false]);
});

Deno.test("only what fits into an empty pipe is written without giving way, every byte of it", async () => {
  const calls: [way: string, bytes: number][] = [];
  const write = (way: string) => (bytes: Uint8Array) => {
    const count = Math.min(bytes.length, 10_000);
    calls.push([way, count]);
    return count;
  };
  const sink = sinkOf({ writeSync: write("now"), write: (bytes) => Promise.resolve(write("later")(bytes)) });
  await sink(new Uint8Array(12_000), true);
  await sink(new Uint8Array(12_000));
  await sink(new Uint8Array(17_000), true);
  assert.deepEqual(calls, [
    ["now", 10_000],
    ["now", 2_000],
    ["later", 10_000],
    ["later", 2_000],
    ["later", 10_000],
    ["later", 7_000],
  ]);
});
