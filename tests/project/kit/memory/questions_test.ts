/** Is what questions have in common taken away from them, and only from them? */
import assert from "node:assert/strict";
import { dotProduct as cosine } from "../../../../src/base/ranking.ts";
import { openEmbedder } from "../../../../src/project/kit/memory/embed/built_in.ts";
import { commonOf } from "../../../../bmad-embedded/memory/weights.ts";
import { withoutCommon } from "../../../../src/project/kit/memory/embed/encoder.ts";
import { vectorOfQuestion } from "../../../../src/project/kit/memory/store/rankers.ts";
import { CONTENT } from "../../../support/recall.ts";

Deno.test("a question keeps its length and moves away from what questions have in common", () => {
  const common = commonOf([Float32Array.of(1, 0, 0), Float32Array.of(0, 1, 0)]);
  assert.deepEqual([...common], [0.5, 0.5, 0]);
  const question = Float32Array.of(0.8, 0, 0.6), rest = withoutCommon(question, common);
  assert.ok(Math.abs(Math.hypot(...rest) - 1) < 1e-6);
  assert.ok(cosine(rest, common) < cosine(question, common));
});

Deno.test("a text that suits any question is less close to one, and an answer is closer than it", async () => {
  const embedder = openEmbedder(CONTENT)!;
  try {
    const english = "How long do access tokens live?";
    const [plain, vague, answer] = await embedder.embed([
      english,
      "What do we do, and how does it work?",
      "JWT expiry must be 15 min",
    ]);
    const asked = await vectorOfQuestion(embedder, { english, isUnderstood: true });
    assert.ok(cosine(asked!, vague!) < cosine(plain!, vague!) - 0.05);
    assert.ok(
      cosine(asked!, answer!) - cosine(asked!, vague!) > cosine(plain!, answer!) - cosine(plain!, vague!),
    );
    assert.deepEqual(await vectorOfQuestion(embedder, { english, isUnderstood: false }), plain);
    const { embed, id, dimensions, close } = embedder;
    const other = { embed, id, dimensions, close };
    assert.deepEqual(await vectorOfQuestion(other, { english, isUnderstood: true }), plain);
  } finally {
    embedder.close();
  }
});
