/**
 * The vectors of all memories in memory, and which of them are nearest to one.
 *
 * They are stored as bytes with one scale each, a quarter of their size. Every one is compared: that misses none and
 * takes a millisecond for 10,000 with the WebAssembly kernel (bmad-embedded/memory/kernels/nearest.as.ts). Without the
 * kernel, plain code does the same several times slower.
 */
import type { VectorHit } from "./fusion.ts";

/** A vector whose numbers are a byte, from -127 to 127, times the scale. */
export interface ByteVector {
  readonly scale: number;
  readonly bytes: Int8Array<ArrayBuffer>;
}

/** products[i] = scales[i] · Σ rows[i][j] · vector[j]; everything is addressed by its byte offset in the memory. */
type Multiply = (
  ...args: [rows: number, scales: number, vector: number, products: number, count: number, columns: number]
) => void;

const LARGEST_BYTE = 127;
/** Vectors lie in blocks of this many, each block with its scales and products, so that growing moves nothing. */
const BLOCK = 1024;
/** The kernel processes this many columns at once. */
const STRIDE = 16;
const PAGE = 65_536;

/** Changes cosines by less than a thousandth. */
export function toBytes(vector: Float32Array): ByteVector {
  const scale = scaleFor(vector, LARGEST_BYTE);
  return { scale, bytes: Int8Array.from(vector, (number) => Math.round(number / scale)) };
}

function scaleFor(vector: Float32Array, largest: number): number {
  return vector.reduce((most, number) => Math.max(most, Math.abs(number)), 1e-9) / largest;
}

/** Vectors by id. Their memory begins with the vector that they are compared with, followed by the blocks. */
export class Vectors {
  readonly #columns: number;
  readonly #memory: WebAssembly.Memory;
  readonly #multiply: Multiply;
  readonly #ids: number[] = [];
  readonly #rowOf = new Map<number, number>();

  constructor(dimensions: number, kernel?: WebAssembly.Module) {
    this.#columns = Math.ceil(dimensions / STRIDE) * STRIDE;
    const memory = this.#memory = new WebAssembly.Memory({ initial: Math.ceil(2 * this.#columns / PAGE) });
    this.#multiply = kernel === undefined
      ? plainMultiply(memory)
      : new WebAssembly.Instance(kernel, { env: { memory } }).exports.multiply as Multiply;
  }

  get size(): number {
    return this.#ids.length;
  }

  /** Adds a vector, or replaces the one with the same id. */
  set(id: number, { scale, bytes }: ByteVector): void {
    const row = this.#rowOf.get(id) ?? this.#addRow(id);
    this.#bytesOf(row).set(bytes);
    this.#scaleOf(row)[0] = scale;
  }

  /** The last row moves into the gap. */
  delete(id: number): void {
    const row = this.#rowOf.get(id);
    if (row === undefined) return;
    const last = this.size - 1, lastId = this.#ids[last]!;
    this.#bytesOf(row).set(this.#bytesOf(last));
    this.#scaleOf(row).set(this.#scaleOf(last));
    this.#ids[row] = lastId;
    this.#rowOf.set(lastId, row);
    this.#rowOf.delete(id);
    this.#ids.pop();
  }

  /** The cosine of one of them. */
  cosineOf(vector: Float32Array, id: number): number | undefined {
    const row = this.#rowOf.get(id);
    if (row === undefined) return undefined;
    const bytes = this.#bytesOf(row);
    return this.#scaleOf(row)[0]! * vector.reduce((sum, number, at) => sum + number * bytes[at]!, 0);
  }

  /** The nearest first; `passes` restricts the candidates. */
  nearest(vector: Float32Array, count: number, passes?: (id: number) => boolean): VectorHit<number>[] {
    const ids = this.#ids, columns = this.#columns, { buffer } = this.#memory;
    // As large as the numbers can be without a sum leaving 31 bits.
    const largest = Math.min(2 ** 15 - 1, Math.floor(2 ** 31 / (LARGEST_BYTE * columns / 4)));
    const scale = scaleFor(vector, largest);
    new Int16Array(buffer, 0, columns).set(vector.map((number) => Math.round(number / scale)));
    const best: VectorHit<number>[] = [];
    for (let first = 0; first < ids.length; first += BLOCK) {
      const block = this.#blockOf(first), length = Math.min(BLOCK, ids.length - first);
      this.#multiply(block.rows, block.scales, 0, block.products, length, columns);
      const products = new Float32Array(buffer, block.products, length);
      for (let row = 0; row < length; row++) {
        const cosine = products[row]! * scale;
        if (best.length === count && cosine <= best[count - 1]!.cosine) continue;
        const id = ids[first + row]!;
        if (passes === undefined || passes(id)) insert(best, { id, cosine }, count);
      }
    }
    return best;
  }

  #addRow(id: number): number {
    const row = this.#ids.push(id) - 1;
    this.#rowOf.set(id, row);
    const missing = this.#blockOf(row + BLOCK).rows - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
    return row;
  }

  #blockOf(row: number) {
    const columns = this.#columns;
    const rows = 2 * columns + Math.floor(row / BLOCK) * BLOCK * (columns + 8);
    const scales = rows + BLOCK * columns;
    return { rows, scales, products: scales + BLOCK * 4 };
  }

  #bytesOf(row: number): Int8Array {
    const columns = this.#columns;
    return new Int8Array(this.#memory.buffer, this.#blockOf(row).rows + row % BLOCK * columns, columns);
  }

  #scaleOf(row: number): Float32Array {
    return new Float32Array(this.#memory.buffer, this.#blockOf(row).scales + row % BLOCK * 4, 1);
  }
}

/** Inserts a hit after its equals and drops the last one beyond the limit. */
function insert(best: VectorHit<number>[], hit: VectorHit<number>, limit: number): void {
  let at = best.length;
  while (at > 0 && best[at - 1]!.cosine < hit.cosine) at--;
  best.splice(at, 0, hit);
  if (best.length > limit) best.pop();
}

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
