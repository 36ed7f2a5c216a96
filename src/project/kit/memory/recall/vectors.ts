/** Bytes with one scale for each vector. The nearest are found in a millisecond for 10,000. */
import { dotProduct } from "../../../../base/ranking.ts";
import type { VectorHit } from "./ranking.ts";
import { unlessMissing } from "../../../../base/absence.ts";
import { MEMORY_FILES, memoryFile } from "../files.ts";

type ByteVector = ReturnType<typeof toBytes>;

/** products[i] = scales[i] · Σ rows[i][j] · vector[j]; everything is addressed by its byte offset in the memory. */
type Multiply = (
  ...args: [rows: number, scales: number, vector: number, products: number, count: number, columns: number]
) => void;

const LARGEST_BYTE = 127;
/** Vectors that are compared at once: their scales and products lie before all rows. */
const BLOCK = 1024;
/** The kernel processes this many columns at once. */
const STRIDE = 16;
const PAGE = 65_536;

export function toBytes(vector: Float32Array) {
  const scale = scaleFor(vector, LARGEST_BYTE);
  return { scale, bytes: Int8Array.from(vector, (number) => Math.round(number / scale)) };
}

function scaleFor(vector: Float32Array, largest: number): number {
  return vector.reduce((most, number) => Math.max(most, Math.abs(number)), 1e-9) / largest;
}

/** The memory begins with the vector that all are compared with, followed by the blocks. */
export class Vectors {
  readonly #columns: number;
  readonly #memory: WebAssembly.Memory;
  readonly #multiply: Multiply;
  readonly #ids: number[] = [];
  readonly #rowOf = new Map<number, number>();
  readonly #scales: number[] = [];

  constructor(dimensions: number, kernel?: WebAssembly.Module) {
    this.#columns = Math.ceil(dimensions / STRIDE) * STRIDE;
    const memory = this.#memory = new WebAssembly.Memory({ initial: Math.ceil(this.#rowAt(0) / PAGE) });
    this.#multiply = kernel === undefined
      ? plainMultiply(memory)
      : new WebAssembly.Instance(kernel, { env: { memory } }).exports.multiply as Multiply;
  }

  get size(): number {
    return this.#ids.length;
  }

  set(id: number, { scale, bytes }: ByteVector): void {
    const row = this.#rowOf.get(id) ?? this.#addRow(id);
    this.#bytesOf(row).set(bytes);
    this.#scales[row] = scale;
  }

  delete(id: number): void {
    const row = this.#rowOf.get(id);
    if (row === undefined) return;
    const last = this.size - 1, lastId = this.#ids[last]!;
    this.#bytesOf(row).set(this.#bytesOf(last));
    this.#scales[row] = this.#scales[last]!;
    this.#ids[row] = lastId;
    this.#rowOf.set(lastId, row);
    this.#rowOf.delete(id);
    this.#ids.pop();
    this.#scales.pop();
  }

  cosineOf(vector: Float32Array, id: number): number | undefined {
    const row = this.#rowOf.get(id);
    if (row === undefined) return undefined;
    const bytes = this.#bytesOf(row);
    return this.#scales[row]! * dotProduct(vector, bytes);
  }

  nearest(vector: Float32Array, count: number, passes?: (id: number) => boolean): VectorHit<number>[] {
    const ids = this.#ids, columns = this.#columns, { buffer } = this.#memory;
    // As large as the numbers can be without a sum leaving 31 bits.
    const largest = Math.min(2 ** 15 - 1, Math.floor(2 ** 31 / (LARGEST_BYTE * columns / 4)));
    const scale = scaleFor(vector, largest);
    new Int16Array(buffer, 0, columns).set(vector.map((number) => Math.round(number / scale)));
    const scales = new Float32Array(buffer, 2 * columns, BLOCK);
    const products = new Float32Array(buffer, 2 * columns + BLOCK * 4, BLOCK);
    const best: VectorHit<number>[] = [];
    for (let first = 0; first < ids.length; first += BLOCK) {
      const length = Math.min(BLOCK, ids.length - first);
      scales.set(this.#scales.slice(first, first + length));
      this.#multiply(this.#rowAt(first), scales.byteOffset, 0, products.byteOffset, length, columns);
      for (let row = 0; row < length; row++) {
        const cosine = products[row]! * scale;
        if (best.length === count && cosine <= best[count - 1]!.cosine) continue;
        const id = ids[first + row]!;
        if (passes?.(id) === false) continue;
        best.splice(best.findLastIndex((better) => better.cosine >= cosine) + 1, 0, { id, cosine });
        if (best.length > count) best.pop();
      }
    }
    return best;
  }

  #addRow(id: number): number {
    const row = this.#ids.push(id) - 1;
    this.#rowOf.set(id, row);
    const missing = this.#rowAt(row + BLOCK) - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE));
    return row;
  }

  #rowAt(row: number): number {
    return 2 * this.#columns + BLOCK * 8 + row * this.#columns;
  }

  #bytesOf(row: number): Int8Array {
    return new Int8Array(this.#memory.buffer, this.#rowAt(row), this.#columns);
  }
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

export function openKernel(contentDir: string): WebAssembly.Module | undefined {
  const bytes = unlessMissing(() => Deno.readFileSync(memoryFile(contentDir, MEMORY_FILES.nearest)));
  return bytes && WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : undefined;
}
