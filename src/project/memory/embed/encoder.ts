/**
 * From the tokens of a text to its vector: one pass through the model.
 *
 * The weights come from the file that `deno task embed` packs, as bytes and their scales; the arithmetic is in
 * the WebAssembly kernels (bmad-embedded/memory/minilm.as.ts). Here is only which kernel runs on what, and where
 * everything lies in their memory. Slow by nature (a millisecond a token): it runs in a worker.
 */
import { MODEL, type Pack } from "./pack.ts";

/** What gives the vector of a text from its tokens: of length 1, so that a dot product is a cosine. */
export type Encoder = (tokens: readonly number[]) => Float32Array<ArrayBuffer>;

/** The functions of the kernels, which take offsets into their memory and numbers of rows and columns. */
interface Kernels {
  dequantise(bytes: number, scales: number, to: number, groups: number, size: number): void;
  linear(
    x: number,
    weights: number,
    bias: number,
    y: number,
    rows: number,
    inputs: number,
    outputs: number,
  ): void;
  addAndNormalise(x: number, added: number, gain: number, bias: number, rows: number): void;
  gelu(x: number, count: number): void;
  attend(queries: number, keys: number, values: number, to: number, shares: number, tokens: number): void;
}

/** A matrix and what is added after it, as offsets. */
interface Linear {
  readonly weights: number;
  readonly bias: number;
  readonly inputs: number;
  readonly outputs: number;
}

/** The offsets of what a normalised row is multiplied with, and of what is added then. */
interface Norm {
  readonly gain: number;
  readonly bias: number;
}

const { width: WIDTH, innerWidth: INNER, mostTokens: MOST_TOKENS } = MODEL;
const FLOAT = Float32Array.BYTES_PER_ELEMENT;
const PAGE = 65_536;

/** The encoder of these weights and compiled kernels; its memory is freed with it. */
export function createEncoder(pack: Pack, kernels: WebAssembly.Module): Encoder {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { dequantise, linear, addAndNormalise, gelu, attend } = new WebAssembly.Instance(kernels, {
    env: { memory },
  }).exports as unknown as Kernels;

  let used = 0;
  const reserve = (bytes: number) => {
    const at = used;
    used = Math.ceil((used + bytes) / 16) * 16;
    const missing = used - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    return at;
  };
  const put = (bytes: Uint8Array, at = reserve(bytes.length)) => {
    new Uint8Array(memory.buffer).set(bytes, at);
    return at;
  };
  const rowsOf = (columns: number) => reserve(MOST_TOKENS * columns * FLOAT);

  // The room that one text after the other is worked out in. While weights are loaded, their bytes lie in `inner`.
  const x = rowsOf(WIDTH), queries = rowsOf(WIDTH), keys = rowsOf(WIDTH), values = rowsOf(WIDTH);
  const attended = rowsOf(WIDTH), added = rowsOf(WIDTH), inner = rowsOf(INNER);
  const shares = reserve(MOST_TOKENS * FLOAT);

  const normOf = (name: string): Norm => ({
    gain: put(pack(`${name}.gain`)),
    bias: put(pack(`${name}.bias`)),
  });
  const linearOf = (name: string): Linear => {
    const bytes = pack(`${name}.bytes`), scales = pack(`${name}.scales`);
    const biases = pack(`${name}.bias`);
    const outputs = biases.length / FLOAT, inputs = bytes.length / outputs;
    const bias = put(biases), weights = reserve(bytes.length * FLOAT);
    const [from, factors] = [put(bytes, inner), put(scales, inner + bytes.length)];
    dequantise(from, factors, weights, bytes.length / MODEL.group, MODEL.group);
    return { weights, bias, inputs, outputs };
  };
  const layers = Array.from({ length: MODEL.layers }, (_, layer) => ({
    query: linearOf(`${layer}.query`),
    key: linearOf(`${layer}.key`),
    value: linearOf(`${layer}.value`),
    attended: linearOf(`${layer}.attended`),
    attendedNorm: normOf(`${layer}.attendedNorm`),
    inner: linearOf(`${layer}.inner`),
    outer: linearOf(`${layer}.outer`),
    outerNorm: normOf(`${layer}.outerNorm`),
  }));
  const embeddingNorm = normOf("embeddingNorm");
  // Copies, so that the file as a whole can be forgotten.
  const words = new Int8Array(pack("words.bytes").slice().buffer);
  const wordScales = new Float32Array(pack("words.scales").slice().buffer);
  const positions = new Float32Array(pack("positions").slice().buffer);

  /** Each token's own row in `x`, that of its place in `added`. Rows up to a multiple of 4 are worked on, and ignored. */
  function placeTokens(tokens: readonly number[]): void {
    const own = new Float32Array(memory.buffer, x, tokens.length * WIDTH);
    for (const [row, token] of tokens.entries()) {
      const scale = wordScales[token]!;
      for (let i = 0; i < WIDTH; i++) own[row * WIDTH + i] = words[token * WIDTH + i]! * scale;
    }
    new Float32Array(memory.buffer, added).set(positions.subarray(0, tokens.length * WIDTH));
  }

  return (tokens) => {
    const rows = Math.ceil(tokens.length / 4) * 4;
    const apply = ({ weights, bias, inputs, outputs }: Linear, from: number, to: number) =>
      linear(from, weights, bias, to, rows, inputs, outputs);
    const addNormalised = ({ gain, bias }: Norm) => addAndNormalise(x, added, gain, bias, rows);

    placeTokens(tokens);
    addNormalised(embeddingNorm);
    for (const layer of layers) {
      apply(layer.query, x, queries);
      apply(layer.key, x, keys);
      apply(layer.value, x, values);
      attend(queries, keys, values, attended, shares, tokens.length);
      apply(layer.attended, attended, added);
      addNormalised(layer.attendedNorm);
      apply(layer.inner, x, inner);
      gelu(inner, rows * INNER);
      apply(layer.outer, inner, added);
      addNormalised(layer.outerNorm);
    }
    return meanDirection(new Float32Array(memory.buffer, x, tokens.length * WIDTH));
  };
}

/** The mean of the rows, made to have length 1. */
function meanDirection(rows: Float32Array): Float32Array<ArrayBuffer> {
  const sum = new Float32Array(WIDTH);
  for (let i = 0; i < rows.length; i++) sum[i % WIDTH]! += rows[i]!;
  const length = Math.hypot(...sum);
  return sum.map((number) => number / length);
}
