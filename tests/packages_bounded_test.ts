/**
 * Does any package that sees content take more than linear time, whatever the text?
 *
 * Each is called as the program calls it, through our own readers with their limits, on a sample of hostile texts at
 * three sizes. `deno task test:soak` mixes further texts by a seed.
 */
import assert from "node:assert/strict";
import program from "../deno.json" with { type: "json" };
import { grow, hostileTextsFor, isSlow } from "./support/hostile_texts.ts";
import { PACKAGE_READERS, packageReaders, settleReaders } from "./support/package_readers.ts";

const MAX_TEXTS = 150;

for (const { name, read, ...lures } of packageReaders()) {
  Deno.test(`${name} is read in linear time [content:bounded]`, async () => {
    const texts = hostileTextsFor(lures);
    const sample = texts.filter((_, at) => at % Math.ceil(texts.length / MAX_TEXTS) === 0);
    const slow = sample.filter((text) => isSlow((size) => read(grow(text, size))));
    await settleReaders();
    assert.deepEqual(slow, []);
  });
}

Deno.test("every package of the program has its readers listed, or why it needs none", () => {
  assert.deepEqual(Object.keys(PACKAGE_READERS).sort(), Object.keys(program.imports).sort());
});
