/** Is everybody answered, however much one client asks for? */
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { knowRequests, noteArrival, sharedRuns } from "../../../src/base/work.ts";
import { openLanes } from "../../../src/serve/http/limits.ts";
import { openDeadlines } from "../../../src/serve/listener/exchange.ts";
import { LIMITS } from "../../../src/serve/limits.ts";
import { unitsOf } from "../../../src/serve/mcp/mod.ts";

function openScene() {
  const timers = new Map<() => void, number>();
  const enter = openLanes({
    after: (ms, call) => {
      timers.set(call, ms);
      return () => void timers.delete(call);
    },
  }, () => Promise.resolve());
  const entered: string[] = [];
  const ask = (client: string, name = client) => {
    const ended = new AbortController();
    void enter(client, ended.signal).then(() => void entered.push(name));
    return ended;
  };
  const settled = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    return entered.splice(0);
  };
  return { ask, settled, timers };
}

Deno.test("a client's requests wait for each other, and for nobody else's [load:lanes]", async () => {
  const { ask, settled, timers } = openScene();
  const all = Array.from({ length: 20 }, (_, at) => ask("ann", `ann ${at}`));
  const ben = ask("ben");
  assert.deepEqual(await settled(), ["ann 0", "ann 1", "ben"]);
  all[1]!.abort();
  assert.deepEqual(await settled(), ["ann 2"]);
  ben.abort();
  for (const one of all) one.abort();
  await settled();
  assert.equal(timers.size, 0);
  ask("ann");
  ask("ann");
  assert.deepEqual(await settled(), ["ann", "ann"]);
});

Deno.test("who leaves while waiting takes nobody's turn [load:lanes]", async () => {
  const { ask, settled } = openScene();
  const [first, , third] = [ask("ann", "1"), ask("ann", "2"), ask("ann", "3"), ask("ann", "4")];
  assert.deepEqual(await settled(), ["1", "2"]);
  third.abort();
  await settled();
  first.abort();
  assert.deepEqual(await settled(), ["4"]);
});

Deno.test("a request that is long at work, as for a person's answer, holds up no other [load:lanes]", async () => {
  const { ask, settled, timers } = openScene();
  for (const name of ["1", "2", "3"]) ask("ann", name);
  assert.deepEqual(await settled(), ["1", "2"]);
  assert.deepEqual([...timers.values()], [LIMITS.http.laneMs, LIMITS.http.laneMs]);
  [...timers.keys()][0]!();
  assert.deepEqual(await settled(), ["3"]);
});

Deno.test("one run is for all who ask before it begins: who waits for it takes no lane [load:lanes, load:one-board]", async () => {
  const enter = openLanes({ after: () => () => {} }, () => Promise.resolve());
  const asked = new AsyncLocalStorage<ReturnType<typeof noteArrival>>();
  knowRequests(() => asked.getStore());
  const runs = sharedRuns<number>();
  const before = Promise.withResolvers<number>();
  let count = 0;
  const ask = async () => {
    const ended = new AbortController();
    await enter("ann", ended.signal);
    const run = await runs("board", () => Promise.resolve(++count));
    ended.abort();
    return run;
  };
  try {
    const first = runs("board", () => before.promise);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    const all = Array.from({ length: 20 }, () => asked.run(noteArrival(), ask));
    for (let turn = 0; turn < 200; turn++) await Promise.resolve();
    before.resolve(0);
    assert.equal(await first, 0);
    assert.deepEqual(await Promise.all(all), Array(20).fill(1));
  } finally {
    knowRequests(() => undefined);
  }
});

Deno.test("a list of script lines counts as many requests as it has [load:units]", () => {
  const call = (script: unknown) => ({ method: "tools/call", params: { arguments: { script } } });
  assert.equal(unitsOf(call("a")), 1);
  assert.equal(unitsOf(call(["a", "b", "c"])), 3);
  assert.equal(unitsOf([call(["a", "b"]), { method: "ping" }]), 3);
  assert.equal(unitsOf(undefined), 1);
  assert.equal(unitsOf([]), 1);
});

Deno.test("time in which the program itself was busy counts against nobody [load:deadlines]", async () => {
  using deadlines = openDeadlines(200);
  const late = Promise.withResolvers<void>();
  let hasEnded = false;
  deadlines.begin(() => {
    hasEnded = true;
    late.resolve();
  });
  const until = performance.now() + 500;
  while (performance.now() < until);
  // The first turn of the event loop in which a timer can end.
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(hasEnded, false);
  await late.promise;
  assert.ok(performance.now() - until >= 150, String(performance.now() - until));
});
