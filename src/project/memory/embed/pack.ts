/**
 * How many named arrays lie in one file.
 *
 * A file opens with the length of its index as a 32-bit number (little endian), then the index as JSON, then the
 * arrays, each at a multiple of 16 bytes so that it can be used where it lies. bmad-embedded/memory/build.ts writes
 * such a file, and the encoder reads it; both know the names of the parts from MODEL.
 */

/** The shape of all-MiniLM-L6-v2, and what the weights of it are called in the file. */
export const MODEL = {
  id: "all-MiniLM-L6-v2",
  /** Numbers for each token, and of the vector of a text. */
  width: 384,
  /** Numbers for each token inside a layer. */
  innerWidth: 1536,
  layers: 6,
  /** A text is embedded by its first tokens, the mark at each end included, as its makers do it. */
  mostTokens: 256,
  /** The matrices of a layer. Each has the parts `.bytes`, `.scales` (one for each `group` of bytes) and `.bias`. */
  matrices: ["query", "key", "value", "attended", "inner", "outer"],
  group: 64,
  /** Where rows are normalised: after the embeddings, and twice in a layer. Each has the parts `.gain` and `.bias`. */
  norms: ["attendedNorm", "outerNorm"],
} as const;

/** Hands out an array of the file by its name. */
export type Pack = (name: string) => Uint8Array<ArrayBuffer>;

const ALIGNMENT = 16;

/** A file with these parts. */
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

/** The parts of such a file; they are views of it. A part that it lacks makes it useless, and is an error. */
export function readPack(file: Uint8Array<ArrayBuffer>): Pack {
  const indexLength = new DataView(file.buffer, file.byteOffset).getUint32(0, true);
  const places = JSON.parse(new TextDecoder().decode(file.subarray(4, 4 + indexLength)));
  const start = aligned(4 + indexLength);
  return (name) => {
    const place = places[name];
    if (place === undefined) throw new Error(`the file of weights has no part ${name}`);
    return file.subarray(start + place[0], start + place[0] + place[1]);
  };
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}
