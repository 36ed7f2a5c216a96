/**
 * Is a result computed once for all who ask, and again when the first attempt failed or others took its place?
 */
import assert from "node:assert/strict";
import { cacheRecent } from "../../src/base/cache.ts";
import { once } from "../../src/base/work.ts";

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
