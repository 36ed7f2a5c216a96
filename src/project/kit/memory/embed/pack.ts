/** The file of the weights: an index as JSON, after its length, then arrays that are used in place. */

export const MODEL = {
  id: "all-MiniLM-L6-v2",
  width: 384,
  innerWidth: 1536,
  layers: 6,
  /** A text is embedded by its first tokens, including the mark at each end, as its authors do. */
  mostTokens: 256,
  /** The matrices of a layer, each with the parts `.bytes`, `.scales` (one for each `group` of bytes) and `.bias`. */
  matrices: ["query", "key", "value", "attended", "inner", "outer"],
  group: 64,
  norms: ["attendedNorm", "outerNorm"],
} as const;

export type Pack = (name: string) => Uint8Array<ArrayBuffer>;

const ALIGNMENT = 16;

export function readPack(file: Uint8Array<ArrayBuffer>): Pack {
  const indexLength = new DataView(file.buffer, file.byteOffset).getUint32(0, true);
  const places = JSON.parse(new TextDecoder().decode(file.subarray(4, 4 + indexLength)));
  const start = aligned(4 + indexLength);
  return (name) => {
    const place = places[name];
    if (place === undefined) throw new Error(`the weights have no part ${name}`);
    return file.subarray(start + place[0], start + place[0] + place[1]);
  };
}

export function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}
