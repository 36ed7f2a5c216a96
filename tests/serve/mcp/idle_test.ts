/** Is garbage collected only when that does not delay the client? */
import assert from "node:assert/strict";
import { trackIdle } from "../../../src/serve/mcp/mod.ts";

const MANY = 250;

Deno.test("garbage is collected only once the client is idle if it sends many requests at once", async () => {
  const gone = Promise.withResolvers<void>();
  const collected = Promise.withResolvers<number>();
  let size = 0;
  const idle = trackIdle(gone.promise, {
    heapSize: () => size,
    collectGarbage: () => Promise.resolve(collected.resolve(performance.now())),
  });
  const asked = Promise.withResolvers<number>();
  setTimeout(() => {
    idle.received();
    asked.resolve(performance.now());
  }, 300);
  size = 100 << 20;
  for (let n = 0; n < 4 * MANY; n++) idle.answered(false);
  assert.ok(await collected.promise - await asked.promise >= 990);
  gone.resolve();
});

Deno.test("waiting for an idle client leaves nothing behind, and ends when it disconnects", async () => {
  const { promise: closed, resolve: leave } = Promise.withResolvers<void>();
  let waiting = 0;
  const then = closed.then.bind(closed);
  closed.then = ((...reactions: Parameters<typeof then>) => {
    waiting++;
    return then(...reactions);
  }) as typeof then;
  const idle = trackIdle(closed);
  const before = waiting;
  await Promise.all(Array.from({ length: 5 }, idle.whenIdle));
  let ended = 0;
  idle.received();
  for (let n = 0; n < 5; n++) idle.whenIdle().then(() => ended++);
  assert.equal(waiting, before);
  leave();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(ended, 5);
});

Deno.test("what waits for a client to send something ends when it does, or disconnects", async () => {
  const { promise: closed, resolve: leave } = Promise.withResolvers<void>();
  const idle = trackIdle(closed);
  let ended = 0;
  idle.received();
  const first = idle.whenReceived().then(() => ended++);
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(ended, 0);
  idle.received();
  await first;
  const second = idle.whenReceived().then(() => ended++);
  leave();
  await second;
  assert.equal(ended, 2);
});

Deno.test("garbage is collected after an answer that leaves much of it, for a client that waits for no other", async () => {
  const gone = Promise.withResolvers<void>();
  let [size, collected] = [40 << 20, 0];
  const idle = trackIdle(gone.promise, {
    heapSize: () => size,
    collectGarbage: () => {
      collected++;
      size = 60 << 20;
      return Promise.resolve();
    },
  });
  idle.answered(true);
  size = 100 << 20;
  idle.answered(false);
  assert.equal(collected, 0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  idle.answered(true);
  assert.equal(collected, 1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  // It is measured against what was left.
  size = 80 << 20;
  idle.answered(true);
  assert.equal(collected, 1);
  gone.resolve();
});

Deno.test("what a start has left is collected once the client is silent, and not after it has left", async () => {
  const { promise: closed, resolve: leave } = Promise.withResolvers<void>();
  let collected = 0;
  const collectGarbage = () => Promise.resolve(void collected++);
  const idle = trackIdle(closed, { heapSize: () => 0, collectGarbage });
  const rested = idle.rest();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(collected, 0);
  await rested;
  assert.equal(collected, 1);
  idle.received();
  const last = idle.rest();
  leave();
  await last;
  assert.equal(collected, 1);
});
