/**
 * The vectors of all memories, to be compared with one: which are nearest?
 *
 * They are kept as bytes with one scale each, a quarter of their size, and all of them are compared, which misses none and
 * takes a millisecond for 10,000 with the WebAssembly kernel (bmad-embedded/memory/nearest.as.ts). Without the
 * kernel the same is done in plain code, several times slower.
 */
import type { MeaningHit } from "./fusion.ts";

/** A vector as bytes: each number is a byte times the scale. */
export interface ByteVector {
  /** What each byte is to be multiplied with. */
  readonly scale: number;
  /** From -127 to 127. */
  readonly bytes: Int8Array<ArrayBuffer>;
}

/** Vectors by the numbers of their memories. */
export interface Vectors {
  /** How many there are. */
  readonly size: number;
  /** Puts a vector in, in the place of an earlier one of the same memory. */
  set(id: number, vector: ByteVector): void;
  /** Takes one out, if it is there. */
  delete(id: number): void;
  /** The nearest to a vector, at most so many, the nearest first; of those that pass, if not of all. */
  nearest(
    vector: Float32Array,
    count: number,
    passes?: (id: number) => boolean,
  ): readonly MeaningHit<number>[];
}

/** products[i] = scales[i] · Σ rows[i][j] · vector[j]; all places are offsets into the memory, in bytes. */
type Multiply = (
  rows: number,
  scales: number,
  vector: number,
  products: number,
  count: number,
  columns: number,
) => void;

const LARGEST_BYTE = 127;
/** Vectors lie in blocks of so many, each with its scales and its products, so that none is ever moved to grow. */
const BLOCK = 1024;
/** The kernel takes so many columns at once. */
const STRIDE = 16;
const PAGE = 65_536;

/** A vector as bytes. Cosines change by less than a thousandth. */
export function toBytes(vector: Float32Array): ByteVector {
  const scale = vector.reduce((largest, number) => Math.max(largest, Math.abs(number)), 1e-9) / LARGEST_BYTE;
  return { scale, bytes: Int8Array.from(vector, (number) => Math.round(number / scale)) };
}

/** No vectors yet, of so many numbers each; compared by the kernel if there is one. */
export function createVectors(dimensions: number, kernel?: WebAssembly.Module): Vectors {
  const columns = Math.ceil(dimensions / STRIDE) * STRIDE;
  const memory = new WebAssembly.Memory({ initial: Math.ceil(2 * columns / PAGE) });
  const multiply = kernel === undefined
    ? plainMultiply(memory)
    : new WebAssembly.Instance(kernel, { env: { memory } }).exports.multiply as Multiply;
  // The numbers of the vector asked for are as large as can be without a sum ever leaving 31 bits.
  const largest = Math.min(2 ** 15 - 1, Math.floor(2 ** 31 / (LARGEST_BYTE * columns / 4)));
  const blockBytes = BLOCK * (columns + 8);
  const blockAt = (block: number) => 2 * columns + block * blockBytes;
  const scalesAt = (block: number) => blockAt(block) + BLOCK * columns;
  const productsAt = (block: number) => scalesAt(block) + BLOCK * 4;

  const ids: number[] = [];
  const rowOf = new Map<number, number>();

  function rowBytes(row: number): Int8Array {
    return new Int8Array(memory.buffer, blockAt(Math.floor(row / BLOCK)) + row % BLOCK * columns, columns);
  }

  function scaleOf(row: number): Float32Array {
    return new Float32Array(memory.buffer, scalesAt(Math.floor(row / BLOCK)) + row % BLOCK * 4, 1);
  }

  function addRow(id: number): number {
    const row = ids.push(id) - 1;
    rowOf.set(id, row);
    const missing = blockAt(Math.floor(row / BLOCK) + 1) - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    return row;
  }

  return {
    get size() {
      return ids.length;
    },
    set(id, { scale, bytes }) {
      const row = rowOf.get(id) ?? addRow(id);
      rowBytes(row).set(bytes);
      scaleOf(row)[0] = scale;
    },
    delete(id) {
      const row = rowOf.get(id);
      if (row === undefined) return;
      const last = ids.length - 1, lastId = ids[last]!;
      rowBytes(row).set(rowBytes(last));
      scaleOf(row).set(scaleOf(last));
      ids[row] = lastId;
      rowOf.set(lastId, row);
      rowOf.delete(id);
      ids.pop();
    },
    nearest(vector, count, passes) {
      const scale = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 1e-9) / largest;
      new Int16Array(memory.buffer, 0, columns).set(vector.map((number) => Math.round(number / scale)));
      const best: MeaningHit<number>[] = [];
      for (let block = 0; block * BLOCK < ids.length; block++) {
        const rows = Math.min(BLOCK, ids.length - block * BLOCK);
        multiply(blockAt(block), scalesAt(block), 0, productsAt(block), rows, columns);
        const products = new Float32Array(memory.buffer, productsAt(block), rows);
        for (let row = 0; row < rows; row++) {
          const cosine = products[row]! * scale;
          if (best.length === count && cosine <= best[count - 1]!.cosine) continue;
          const id = ids[block * BLOCK + row]!;
          if (passes === undefined || passes(id)) insert(best, { id, cosine }, count);
        }
      }
      return best;
    },
  };
}

/** Puts a hit in its place among the best, after its equals, and drops what is one too many. */
function insert(best: MeaningHit<number>[], hit: MeaningHit<number>, most: number): void {
  let at = best.length;
  while (at > 0 && best[at - 1]!.cosine < hit.cosine) at--;
  best.splice(at, 0, hit);
  if (best.length > most) best.pop();
}

/** What the kernel does, without it. */
function plainMultiply(memory: WebAssembly.Memory): Multiply {
  return (rowsAt, scalesAt, vectorAt, productsAt, count, columns) => {
    const rows = new Int8Array(memory.buffer, rowsAt, count * columns);
    const scales = new Float32Array(memory.buffer, scalesAt, count);
    const vector = new Int16Array(memory.buffer, vectorAt, columns);
    const products = new Float32Array(memory.buffer, productsAt, count);
    for (let row = 0, at = 0; row < count; row++) {
      let sum = 0;
      for (let column = 0; column < columns; column++) sum += rows[at++]! * vector[column]!;
      products[row] = sum * scales[row]!;
    }
  };
}
