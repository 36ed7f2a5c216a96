/** Is a result computed once for all who ask, and again when the first attempt failed or others took its place? */
import assert from "node:assert/strict";
import { cacheRecent, cacheTexts } from "../../src/base/cache.ts";
import { once } from "../../src/base/work.ts";

Deno.test("answers are kept until there are too many of them", () => {
  const ask = cacheRecent<number | undefined>(2);
  let made = 0;
  const make = () => ++made === 1 ? undefined : made;
  const answers = ["a", "a", "b", "a", "c", "a"].map((word) => ask(word, make));
  assert.deepEqual(answers, [undefined, undefined, 2, undefined, 3, 4]);
});

Deno.test("what a text says is kept until the text changes, or longer ones were read since", () => {
  const cache = cacheTexts<number>(10);
  cache.keep("a", "1234", 1);
  cache.keep("b", "5678", 2);
  assert.deepEqual([cache.find("a", "1234"), cache.find("b", "5678")], [1, 2]);
  assert.equal(cache.find("a", "1235"), undefined);
  cache.keep("a", "new", 3);
  assert.equal(cache.find("a", "new"), 3);
  for (const name of ["c", "d"]) cache.keep(name, "123456789", 4);
  assert.deepEqual([cache.find("d", "123456789"), cache.find("a", "new")], [4, undefined]);
});

Deno.test("work that is done once is done again only after it failed", async () => {
  let tries = 0;
  const ask = once(() => ++tries === 1 ? Promise.reject(new Error("no")) : Promise.resolve(tries));
  await Promise.all([assert.rejects(ask(), /no/), assert.rejects(ask(), /no/)]);
  assert.deepEqual([await ask(), await ask()], [2, 2]);
});
