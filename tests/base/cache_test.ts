/**
 * Is work that many ask for at once done once, and again when it is asked for later?
 */
import assert from "node:assert/strict";
import { cacheRecent, shareConcurrent } from "../../src/base/cache.ts";
import { once } from "../../src/base/work.ts";

Deno.test("work is shared by those who ask before it is done, and by nobody else", async () => {
  const done: string[] = [];
  const ask = shareConcurrent((key) => Promise.resolve(done.push(key)));
  assert.deepEqual(await Promise.all(["a", "b", "a"].map(ask)), [1, 2, 1]);
  assert.equal(await ask("a"), 3);
  assert.deepEqual(done, ["a", "b", "a"]);
});

Deno.test("who shares a failure is told of it, and the next one tries again", async () => {
  let tries = 0;
  const ask = shareConcurrent(() => Promise.reject(new Error(`no ${++tries}`)));
  await Promise.all([assert.rejects(ask("a"), /no 1/), assert.rejects(ask("a"), /no 1/)]);
  await assert.rejects(ask("a"), /no 2/);
});

Deno.test("answers are kept until there are too many of them", () => {
  const ask = cacheRecent<number | undefined>(2);
  let made = 0;
  const make = () => ++made === 1 ? undefined : made;
  assert.deepEqual(["a", "a", "b", "a", "c", "a"].map((word) => ask(word, make)), [
    undefined,
    undefined,
    2,
    undefined,
    3,
    4,
  ]);
});

Deno.test("work that is done once is done again only after it failed", async () => {
  let tries = 0;
  const ask = once(() => ++tries === 1 ? Promise.reject(new Error("no")) : Promise.resolve(tries));
  await Promise.all([assert.rejects(ask(), /no/), assert.rejects(ask(), /no/)]);
  assert.deepEqual([await ask(), await ask()], [2, 2]);
});
