/** Does the encoder compute what the model defines? */
import assert from "node:assert/strict";
import { createEncoder } from "../../../../src/project/kit/memory/embed/encoder.ts";
import { writePack } from "../../../../bmad-embedded/memory/weights.ts";
import { readPack } from "../../../../src/project/kit/memory/embed/pack.ts";
import { createTokenizer } from "../../../../src/project/kit/memory/embed/word_piece.ts";
import { MEMORY_FILES } from "../../../../src/project/kit/memory/files.ts";
import { openReference } from "../../../support/minilm.ts";
import { CONTENT } from "../../../support/recall.ts";

const TEXTS = [
  "JWT expiry must be 15 min",
  "How long do access tokens live?",
  "We chose PostgreSQL.",
  "Never deploy on Friday",
  "The cache is flushed hourly",
  "Use feature flags",
  "a",
  "Who?",
  "Deno 1.2.3",
  "retry with backoff",
  "Amelia owns payments",
  "p95 < 200 ms",
  "naïve café",
  "OrderService is idempotent",
  "CI runs on three systems",
  "!!!",
  "rollback plan",
  "東京",
  "tests before code",
  "no secrets in logs",
];

Deno.test("vectors differ from the full model by less than a thousandth, with either kernel", async () => {
  const pack = readPack(Deno.readFileSync(`${CONTENT}/memory/${MEMORY_FILES.weights}`));
  const tokenize = createTokenizer(new TextDecoder().decode(pack("vocabulary")));
  const reference = await openReference();
  const expected = TEXTS.map((text) => reference(tokenize(text, 256)));
  for (const name of MEMORY_FILES.kernels) {
    const encode = createEncoder(
      pack,
      new WebAssembly.Module(Deno.readFileSync(`${CONTENT}/memory/${name}`)),
    );
    // A long text first, so that leftovers of it would show.
    encode(tokenize("word ".repeat(300), 256));
    for (const [at, text] of TEXTS.entries()) {
      const cosine = encode(tokenize(text, 256)).reduce(
        (sum, number, i) => sum + number * expected[at]![i]!,
        0,
      );
      assert.ok(cosine >= 0.999 && cosine <= 1.000001, `${JSON.stringify(text)} with ${name}: ${cosine}`);
    }
  }
});

Deno.test("a weights file returns its parts, each aligned", () => {
  const parts = new Map([["a", new Uint8Array([1, 2, 3])], ["b.c", new Uint8Array(40).fill(7)], [
    "",
    new Uint8Array(),
  ]]);
  const pack = readPack(writePack(parts));
  for (const [name, bytes] of parts) {
    assert.deepEqual(pack(name), bytes);
    assert.equal(pack(name).byteOffset % 16, 0);
  }
  assert.throws(() => pack("d"), /no part d/);
});
