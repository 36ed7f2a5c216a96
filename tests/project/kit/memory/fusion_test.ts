/** Are two rankings joined in the way that measured best? */
import assert from "node:assert/strict";
import { rarity } from "../../../../src/base/bm25.ts";
import { fuse } from "../../../../src/project/kit/memory/recall/fusion.ts";
import { matchExpression, queryStems } from "../../../../src/project/kit/memory/recall/terms.ts";

const NONE = { terms: [], weight: 1, vectors: [] };

Deno.test("terms count six tenths of their share, meaning four tenths between best and worst", () => {
  const ranked = fuse({
    terms: [{ id: "both", bm25: 5 }, { id: "words", bm25: 2.5 }],
    weight: 10,
    vectors: [{ id: "meaning", cosine: 0.6 }, { id: "both", cosine: 0.5 }, { id: "last", cosine: 0.2 }],
  }, 10);
  const byId = Object.fromEntries(ranked.map((hit) => [hit.id, hit]));
  assert.deepEqual(ranked.map(({ id }) => id), ["both", "meaning", "words", "last"]);
  assert.ok(Math.abs(byId.both!.score - (0.6 * 0.5 + 0.4 * 0.75)) < 1e-9);
  assert.deepEqual([byId.both!.lexical, byId.both!.semantic], [0.5, 0.5]);
  assert.deepEqual([byId.words!.lexical, byId.words!.semantic], [0.25, undefined]);
  assert.ok(Math.abs(byId.meaning!.score - 0.4) < 1e-9);
});

Deno.test("a single weak term does not beat the same meaning", () => {
  const [first] = fuse({
    terms: [{ id: "weak", bm25: 0.5 }],
    weight: 10,
    vectors: [{ id: "same", cosine: 0.5 }, { id: "weak", cosine: 0.1 }],
  }, 1);
  assert.equal(first!.id, "same");
});

Deno.test("a memory without a shared term and with another meaning does not match", () => {
  const vectors = [{ id: 1, cosine: 0.4 }, { id: 2, cosine: 0.09 }, { id: 3, cosine: -0.2 }];
  assert.deepEqual(fuse({ ...NONE, vectors }, 10).map(({ id }) => id), [1]);
  assert.deepEqual(fuse({ ...NONE, terms: [{ id: 3, bm25: 1 }], vectors }, 10).map(({ id }) => id), [3, 1]);
});

Deno.test("terms only, meaning only, one memory and none all work", () => {
  assert.deepEqual(fuse(NONE, 10), []);
  const terms = [{ id: 7, bm25: 2 }, { id: 8, bm25: 1 }];
  assert.deepEqual(fuse({ ...NONE, terms, weight: 0 }, 10).map(({ id }) => id), [7, 8]);
  const [only] = fuse({ ...NONE, vectors: [{ id: 7, cosine: 0.3 }] }, 10);
  assert.ok(Math.abs(only!.score - 0.4) < 1e-9);
});

Deno.test("equal memories keep their order, and the limit holds", () => {
  const terms = [4, 2, 9, 1].map((id) => ({ id, bm25: 1 }));
  assert.deepEqual(fuse({ ...NONE, terms }, 3).map(({ id }) => id), [4, 2, 9]);
});

Deno.test("a question is looked up by each stem once, its own ones first, up to a limit", () => {
  const analysis = { language: "fr", isUnderstood: true, english: "", parts: [] } as const;
  const { own, all } = queryStems({ ...analysis, terms: ["a", "b", "a"], gloss: ["c", "b", "c"] });
  assert.deepEqual([own, all], [["a", "b"], ["a", "b", "c"]]);
  const many = Array.from({ length: 1_000 }, (_, i) => `w${i}`);
  const cut = queryStems({ ...analysis, terms: many, gloss: many });
  assert.deepEqual([cut.own.length, cut.all.length], [64, 128]);
  assert.equal(matchExpression(["jeton", "or", "near"]), '"jeton" OR "or" OR "near"');
});

Deno.test("rare terms weigh more, and no term weighs less than nothing", () => {
  assert.ok(rarity(1, 1_000) > rarity(10, 1_000));
  assert.ok(rarity(0, 1_000) > rarity(1, 1_000));
  assert.ok(rarity(1_000, 1_000) > 0);
});
