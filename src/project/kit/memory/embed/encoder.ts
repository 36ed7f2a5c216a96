/** From the tokens of a text to its vector: a millisecond a token, so it runs in a worker. */
import { MODEL, type Pack } from "./pack.ts";

/** Gives the vector of a text from its tokens: of length 1, so that a dot product is a cosine. */
type Encoder = (tokens: readonly number[]) => Float32Array<ArrayBuffer>;

/** The kernels take byte offsets into their memory, and numbers of rows and columns. */
interface Kernels {
  dequantise(bytes: number, scales: number, to: number, groups: number, size: number): void;
  linear(x: number, w: number, bias: number, y: number, rows: number, inputs: number, outputs: number): void;
  addAndNormalise(x: number, added: number, gain: number, bias: number, rows: number): void;
  gelu(x: number, count: number): void;
  attend(queries: number, keys: number, values: number, to: number, shares: number, tokens: number): void;
}

type Linear = Readonly<Record<"weights" | "bias" | "inputs" | "outputs", number>>;
type Norm = Readonly<Record<"gain" | "bias", number>>;

const { width: WIDTH, innerWidth: INNER, mostTokens: MOST_TOKENS } = MODEL;
const FLOAT = Float32Array.BYTES_PER_ELEMENT;
const PAGE = 65_536;

class Arena {
  readonly memory = new WebAssembly.Memory({ initial: 1 });
  #used = 0;

  reserve(bytes: number): number {
    const at = this.#used;
    this.#used = Math.ceil((at + bytes) / 16) * 16;
    const missing = this.#used - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    return at;
  }

  put(bytes: Uint8Array, at = this.reserve(bytes.length)): number {
    new Uint8Array(this.memory.buffer).set(bytes, at);
    return at;
  }
}

export function createEncoder(pack: Pack, module: WebAssembly.Module): Encoder {
  const arena = new Arena(), { memory } = arena;
  const { dequantise, linear, addAndNormalise, gelu, attend } = new WebAssembly.Instance(module, {
    env: { memory },
  }).exports as unknown as Kernels;

  // The buffers that every text is computed in. While weights are unpacked, their bytes lie in `inner`.
  const rowsOf = (columns: number) => arena.reserve(MOST_TOKENS * columns * FLOAT);
  const x = rowsOf(WIDTH), queries = rowsOf(WIDTH), keys = rowsOf(WIDTH), values = rowsOf(WIDTH);
  const attended = rowsOf(WIDTH), added = rowsOf(WIDTH), inner = rowsOf(INNER);
  const shares = arena.reserve(MOST_TOKENS * FLOAT);

  const layers = loadLayers(pack, arena, dequantise, inner);
  const embeddingNorm = loadNorm(pack, arena, "embeddingNorm");
  const embed = loadEmbeddings(pack);

  return (tokens) => {
    // Kernels work on multiples of 4 rows; the surplus is ignored.
    const rows = Math.ceil(tokens.length / 4) * 4;
    const apply = ({ weights, bias, inputs, outputs }: Linear, from: number, to: number) =>
      linear(from, weights, bias, to, rows, inputs, outputs);
    const addNormalised = ({ gain, bias }: Norm) => addAndNormalise(x, added, gain, bias, rows);

    embed(tokens, new Float32Array(memory.buffer, x), new Float32Array(memory.buffer, added));
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

function loadLayers(pack: Pack, arena: Arena, dequantise: Kernels["dequantise"], scratch: number) {
  const linear = (name: string): Linear => {
    const bytes = pack(`${name}.bytes`), scales = pack(`${name}.scales`), biases = pack(`${name}.bias`);
    const outputs = biases.length / FLOAT, inputs = bytes.length / outputs;
    const bias = arena.put(biases), weights = arena.reserve(bytes.length * FLOAT);
    const from = arena.put(bytes, scratch), factors = arena.put(scales, scratch + bytes.length);
    dequantise(from, factors, weights, bytes.length / MODEL.group, MODEL.group);
    return { weights, bias, inputs, outputs };
  };
  return Array.from({ length: MODEL.layers }, (_, layer) => ({
    query: linear(`${layer}.query`),
    key: linear(`${layer}.key`),
    value: linear(`${layer}.value`),
    attended: linear(`${layer}.attended`),
    attendedNorm: loadNorm(pack, arena, `${layer}.attendedNorm`),
    inner: linear(`${layer}.inner`),
    outer: linear(`${layer}.outer`),
    outerNorm: loadNorm(pack, arena, `${layer}.outerNorm`),
  }));
}

function loadNorm(pack: Pack, arena: Arena, name: string): Norm {
  return { gain: arena.put(pack(`${name}.gain`)), bias: arena.put(pack(`${name}.bias`)) };
}

function loadEmbeddings(pack: Pack) {
  // Copies, so that the file as a whole can be collected.
  const words = new Int8Array(pack("words.bytes").slice().buffer);
  const scales = new Float32Array(pack("words.scales").slice().buffer);
  const positions = new Float32Array(pack("positions").slice().buffer);
  return (tokens: readonly number[], rows: Float32Array, added: Float32Array): void => {
    for (const [row, token] of tokens.entries()) {
      const scale = scales[token]!;
      for (let i = 0; i < WIDTH; i++) rows[row * WIDTH + i] = words[token * WIDTH + i]! * scale;
    }
    added.set(positions.subarray(0, tokens.length * WIDTH));
  };
}

function meanDirection(rows: Float32Array): Float32Array<ArrayBuffer> {
  const sum = new Float32Array(WIDTH);
  for (let i = 0; i < rows.length; i++) sum[i % WIDTH]! += rows[i]!;
  return directionOf(sum);
}

function directionOf(vector: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const length = Math.hypot(...vector);
  return vector.map((number) => number / length);
}

/** Anything from 0.3 to 0.6 measures about the same; more finds the right text less often in a large memory. */
const TAKEN_AWAY = 0.5;

/**
 * All questions lie in a similar direction, and a text that lies there too seems close to every one of them. Part of
 * what they have in common is taken away from questions only, so that stored vectors stay valid.
 */
export function withoutCommon(question: Float32Array, common: Float32Array): Float32Array<ArrayBuffer> {
  return directionOf(Float32Array.from(question, (number, at) => number - TAKEN_AWAY * common[at]!));
}
