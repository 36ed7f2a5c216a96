/**
 * Is memory cleared when it does not delay anybody?
 */
import assert from "node:assert/strict";
import { trackIdle } from "../../../src/serve/mcp/idle.ts";

const MANY = 250;

Deno.test("who waits for each answer has memory cleared after every 250", async () => {
  const gone = Promise.withResolvers<void>();
  let cleared = 0;
  const idle = trackIdle(gone.promise, () => cleared++);
  for (let n = 0; n < 2 * MANY; n++) idle.answered(true);
  assert.equal(cleared, 2);
  gone.resolve();
  await idle.whenIdle();
  assert.equal(cleared, 2);
});

Deno.test("who asks for much at once has it cleared only in a pause", async () => {
  const gone = Promise.withResolvers<void>();
  const cleared = Promise.withResolvers<number>();
  const idle = trackIdle(gone.promise, () => cleared.resolve(performance.now()));
  const asked = Promise.withResolvers<number>();
  setTimeout(() => {
    idle.received();
    asked.resolve(performance.now());
  }, 300);
  for (let n = 0; n < 4 * MANY; n++) idle.answered(false);
  assert.ok(await cleared.promise - await asked.promise >= 990);
  gone.resolve();
});

Deno.test("who waits for a pause leaves nothing behind, and is told at once that the client has gone", async () => {
  const { promise: closed, resolve: leave } = Promise.withResolvers<void>();
  let kept = 0;
  const then = closed.then.bind(closed);
  closed.then = ((...reactions: Parameters<typeof then>) => {
    kept++;
    return then(...reactions);
  }) as typeof then;
  const idle = trackIdle(closed, () => {});
  const before = kept;
  await Promise.all(Array.from({ length: 5 }, idle.whenIdle));
  let told = 0;
  for (let n = 0; n < 5; n++) idle.whenIdle().then(() => told++);
  assert.equal(kept, before);
  leave();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(told, 5);
});
