/** Are the nearest vectors found, with and without the kernel? */
import assert from "node:assert/strict";
import { dotProduct as cosine } from "../../../../src/base/ranking.ts";
import { openKernel, toBytes, Vectors } from "../../../../src/project/kit/memory/recall/vectors.ts";
import { CONTENT } from "../../../support/recall.ts";

function createChance(seed: number): (dimensions: number) => Float32Array {
  let state = seed;
  const next = () => (state = Math.imul(state, 1_664_525) + 1_013_904_223 >>> 0) / 2 ** 32 - 0.5;
  return (dimensions) => {
    const vector = Float32Array.from({ length: dimensions }, next);
    const length = Math.hypot(...vector);
    return vector.map((number) => number / length);
  };
}

const KERNELS = { "the kernel": openKernel(CONTENT), "plain code": undefined };

for (const [name, kernel] of Object.entries(KERNELS)) {
  for (const dimensions of [384, 100, 4_096]) {
    Deno.test(`${name} finds the nearest of vectors of ${dimensions} numbers`, () => {
      const chance = createChance(dimensions);
      const count = dimensions > 1_000 ? 300 : 1_500;
      const all = Array.from({ length: count }, () => chance(dimensions));
      const vectors = new Vectors(dimensions, kernel);
      for (const [id, vector] of all.entries()) vectors.set(id, toBytes(vector));
      assert.equal(vectors.size, count);
      const asked = chance(dimensions);
      const right = all.map((vector, id) => ({ id, cosine: cosine(vector, asked) })).sort((a, b) =>
        b.cosine - a.cosine
      );
      const found = vectors.nearest(asked, 20);
      for (const [at, hit] of found.entries()) {
        assert.ok(Math.abs(hit.cosine - cosine(all[hit.id]!, asked)) < 0.001);
        assert.ok(Math.abs(hit.cosine - right[at]!.cosine) < 0.001);
      }
      const [itself] = vectors.nearest(all[7]!, 1);
      assert.equal(itself!.id, 7);
      assert.ok(Math.abs(itself!.cosine - 1) < 0.001);
    });
  }
}

Deno.test("this machine supports the kernel", () => assert.ok(KERNELS["the kernel"] !== undefined));

Deno.test("vectors can be replaced, deleted and filtered", () => {
  const chance = createChance(1);
  const vectors = new Vectors(384, openKernel(CONTENT));
  const all = Array.from({ length: 5 }, () => chance(384));
  for (const [id, vector] of all.entries()) vectors.set(10 + id, toBytes(vector));
  const first = (vector: Float32Array, passes?: (id: number) => boolean) =>
    vectors.nearest(vector, 1, passes)[0]?.id;

  vectors.set(12, toBytes(all[0]!.map((number) => -number)));
  assert.equal(vectors.size, 5);
  assert.notEqual(first(all[2]!), 12);

  vectors.delete(10);
  vectors.delete(10);
  vectors.delete(99);
  assert.equal(vectors.size, 4);
  assert.equal(first(all[4]!), 14);
  assert.notEqual(first(all[0]!), 10);
  assert.deepEqual(vectors.nearest(all[0]!, 100).map(({ id }) => id).toSorted(), [11, 12, 13, 14]);

  assert.equal(first(all[4]!, (id) => id !== 14) === 14, false);
  assert.equal(first(all[4]!, () => false), undefined);
  for (const id of [11, 12, 13, 14]) vectors.delete(id);
  assert.deepEqual(vectors.nearest(all[0]!, 5), []);
});

Deno.test("a zero vector works", () => {
  const vectors = new Vectors(16);
  vectors.set(1, toBytes(new Float32Array(16)));
  assert.deepEqual(vectors.nearest(new Float32Array(16), 5), [{ id: 1, cosine: 0 }]);
});
