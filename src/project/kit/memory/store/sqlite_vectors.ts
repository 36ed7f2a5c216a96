/**
 * The vectors of a file: made for memories that lack one, and searched.
 *
 * A memory is written before it is embedded, so it may lack a vector: the embedder failed, was off, or is another one
 * now. Each request that adds memories embeds its own, and then some of those.
 */
import type { SQLOutputValue } from "node:sqlite";
import type { Work } from "../../../../base/work.ts";
import type { Embedder } from "../embed/embedder.ts";
import { CANDIDATES, type VectorHit } from "../recall/fusion.ts";
import { toBytes, Vectors } from "../recall/vectors.ts";
import { EMBEDDING } from "./searchable.ts";
import type { MemoryFile } from "./sqlite_file.ts";
import { nextSeq, whereOf, WITHOUT_VECTOR, type Written } from "./sqlite_rows.ts";
import type { MemoryFilter, Rankers } from "./store.ts";

type Row = Readonly<Record<string, SQLOutputValue>>;

/** How many texts are embedded in one go. */
const BATCH = 16;

export class VectorTable {
  /** What each request is going to embed: other requests leave that alone. */
  readonly #claims = new Set<readonly Written[]>();
  #isCatchingUp = false;
  /** All vectors, as of a version of the file and its last `seq`. */
  #cache: { readonly vectors: Vectors; readonly version: number; seq: number } | undefined;

  constructor(
    readonly file: MemoryFile,
    readonly embedder: Embedder,
    readonly rankers: Pick<Rankers, "analyze" | "kernel">,
  ) {}

  /** The list may still grow, until the request disposes of the claim. */
  claim(written: readonly Written[]): Disposable {
    this.#claims.add(written);
    return { [Symbol.dispose]: () => this.#claims.delete(written) };
  }

  /** Embeds these memories, then a few others that lack a vector, unless another request is doing so. */
  async embed(written: readonly Written[], work: Work): Promise<void> {
    await this.#embedRows(this.#findMissing("number IN (SELECT value FROM json_each(?))", written), work);
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    try {
      const others = `number NOT IN (SELECT value FROM json_each(?)) LIMIT ${BATCH}`;
      await this.#embedRows(this.#findMissing(others, [...this.#claims].flat()), { signal: work.signal });
    } finally {
      this.#isCatchingUp = false;
    }
  }

  /** Inside `read`. */
  nearest(vector: Float32Array, filter: MemoryFilter): readonly VectorHit<number>[] {
    const vectors = this.#latest(vector.length);
    const { where, values } = whereOf(filter);
    if (values.length === 0) return vectors.nearest(vector, CANDIDATES);
    const matching = this.file.prepare(`SELECT number FROM memory ${where}`).all(...values);
    const numbers = new Set(matching.map(({ number }) => Number(number)));
    return vectors.nearest(vector, CANDIDATES, (number) => numbers.has(number));
  }

  /** Inside `read`, after `nearest`. */
  cosineOf(vector: Float32Array, id: number): number | undefined {
    return this.#latest(vector.length).cosineOf(vector, id);
  }

  #findMissing(condition: string, written: readonly Written[]): readonly Row[] {
    const numbers = JSON.stringify(written.map(({ number }) => number));
    return this.file.read(() =>
      this.file.prepare(`${WITHOUT_VECTOR} AND ${condition}`).all(this.embedder.id, numbers)
    );
  }

  async #embedRows(rows: readonly Row[], { signal, progress }: Work): Promise<void> {
    for (let at = 0; at < rows.length; at += BATCH) {
      const batch = rows.slice(at, at + BATCH);
      const texts = batch.map(({ text }) => this.rankers.analyze(String(text)).english);
      const vectors = await this.embedder.embed(texts, signal);
      this.file.write(() => this.#put(batch, vectors));
      progress?.(at + batch.length, rows.length, EMBEDDING);
    }
  }

  /** A memory that was replaced since its text was read stays without a vector. */
  #put(rows: readonly Row[], vectors: readonly Float32Array[]): void {
    const seq = nextSeq(this.file);
    const insert = this.file.prepare(
      `INSERT OR REPLACE INTO vector (number, model, scale, bytes, seq)
       SELECT number, ?, ?, ?, ? FROM memory WHERE number = ? AND text = ?`,
    );
    for (const [at, { number, text }] of rows.entries()) {
      const { scale, bytes } = toBytes(vectors[at]!);
      insert.run(this.embedder.id, scale, bytes, seq, number!, text!);
    }
  }

  /** With everything that this and other programs have written since the last call. */
  #latest(dimensions: number): Vectors {
    const { file, embedder } = this;
    if (this.#cache?.version !== file.version) {
      const vectors = new Vectors(dimensions, this.rankers.kernel);
      this.#cache = { vectors, version: file.version, seq: 0 };
    }
    const cache = this.#cache!, { vectors } = cache;
    const seq = file.number("SELECT seq FROM counter");
    if (seq === cache.seq) return vectors;
    const gone = file.prepare("SELECT number FROM gone WHERE seq > ?");
    // Nothing is gone from an empty cache.
    if (vectors.size > 0) {
      for (const { number } of gone.iterate(cache.seq)) {
        vectors.delete(Number(number));
      }
    }
    const added = file.prepare("SELECT number, scale, bytes FROM vector WHERE seq > ? AND model = ?");
    for (const { number, scale, bytes } of added.iterate(cache.seq, embedder.id)) {
      const { buffer, byteOffset, length } = bytes as Uint8Array<ArrayBuffer>;
      if (length !== dimensions || !Number.isFinite(scale)) continue;
      vectors.set(Number(number), { scale: Number(scale), bytes: new Int8Array(buffer, byteOffset, length) });
    }
    cache.seq = seq;
    return vectors;
  }
}
