/**
 * `seq` only grows, and `gone` records which rows lost their vector when: so each program keeps its copy of the
 * vectors up to date. A memory is durable before it is embedded.
 */
import { rarity } from "../../../../base/ranking.ts";
import { giveWay, type Work } from "../../../../base/work.ts";
import { CANDIDATES, GLOSS_WEIGHT, matchExpression, queryStems, type VectorHit } from "../recall/ranking.ts";
import { EMBEDDING, embedQuestion, rankHits, reasonOf, searchableText } from "./rankers.ts";
import { checkHealth, type FileOptions, MemoryFile } from "./sqlite_file.ts";
import {
  countsOf,
  type MemoryFilter,
  type MemoryStore,
  namesIn,
  type Outcome,
  type Rankers,
} from "./store.ts";
import { recover } from "../../../../base/absence.ts";
import { BmadError, fail } from "../../../../base/errors.ts";
import { type Memory, MEMORY_TYPES } from "../../../../base/model.ts";
import { parseJson } from "../../../../base/values.ts";
import type { Analyzer } from "../words/analysis.ts";
import { tagsIn } from "./texts.ts";
import { MAX_BYTES, MAX_MEMORIES, MAX_VALUE } from "./sqlite_disk.ts";
import type { SQLOutputValue } from "node:sqlite";
import type { Embedder } from "../embed/built_in.ts";
import { toBytes, Vectors } from "../recall/vectors.ts";

const MEMORIES_AT_ONCE = 500;
const STORING = "Storing memories";

export function openSqlite(options: FileOptions, { analyze, embedder, kernel }: Rankers): MemoryStore {
  const file = new MemoryFile(options);
  const table = embedder && new VectorTable(file, embedder, { analyze, kernel });
  return {
    location: options.file,
    async remember(memories, work = {}) {
      const written: Written[] = [];
      checkSize(file, memories);
      file.read(() => checkRoom(file, memories));
      using _ = table?.claim(written);
      // In several transactions, between which other requests have their turn.
      for (let at = 0; at < memories.length; at += MEMORIES_AT_ONCE) {
        await giveWay(work.signal);
        const batch = memories.slice(at, at + MEMORIES_AT_ONCE);
        written.push(...file.write(() => {
          checkRoom(file, batch);
          return batch.map((memory) => putMemory(file, analyze, memory));
        }));
        work.progress?.(written.length, memories.length, STORING);
      }
      const outcomes = written.map(({ outcome }) => outcome);
      const problem = await recover(BmadError, async () => void await table?.embed(written, work), reasonOf);
      return { outcomes, isSemantic: table !== undefined && problem === undefined, problem };
    },
    async recall({ query, limit, ...filter }, { signal } = {}) {
      const question = analyze(query);
      const { vector, problem } = await embedQuestion(embedder, question, signal);
      return file.read(() => {
        const { own, all } = queryStems(question);
        const rankings = {
          terms: findByTerms(file, all, filter),
          weight: weightOf(file, own),
          vectors: vector && table ? table.nearest(vector, filter) : [],
          cosineOf: (id: number) => vector && table?.cosineOf(vector, id),
        };
        const select = file.prepare(`SELECT ${SHOWN} FROM memory WHERE number = ?`);
        // No row has a number that only the indices of a foreign file know.
        const find = (id: number) => select.all(id).map(memoryOf)[0];
        const hits = rankHits(rankings, { limit, question, analyze }, find);
        return { hits, isSemantic: vector !== undefined, problem };
      });
    },
    list: async (filter) =>
      await file.read(() => {
        const { where, values } = whereOf(filter);
        const sql = `SELECT ${SHOWN} FROM memory ${where} ORDER BY created_at DESC, number DESC`;
        return file.prepare(sql).all(...values).map(memoryOf);
      }),
    forget: async (ids, filter) => await file.write(() => deleteMemories(file, ids, filter)),
    status: async () =>
      await file.read(() => {
        checkHealth(file.prepare("PRAGMA quick_check(1)"));
        return {
          counts: countsOf((type) => file.number("SELECT count(*) FROM memory WHERE type = ?", type)),
          withoutVector: file.number(`SELECT count(*) FROM (${WITHOUT_VECTOR})`, embedder?.id ?? ""),
          facts: { bytes: file.number("PRAGMA page_count") * file.number("PRAGMA page_size") },
        };
      }),
    close: () => file.close(),
  };
}

function findByTerms(file: MemoryFile, stems: readonly string[], filter: MemoryFilter) {
  if (stems.length === 0) return [];
  const { where, values } = whereOf(filter, "words MATCH ?");
  const joined = values.length === 0 ? "" : "JOIN memory ON number = words.rowid";
  const best = file.prepare(
    `SELECT words.rowid AS number, -bm25(words, 1.0, ${GLOSS_WEIGHT}) AS bm25 FROM words ${joined} ${where}
     ORDER BY bm25 DESC LIMIT ${CANDIDATES}`,
  ).all(matchExpression(stems), ...values);
  return best.map(({ number, bm25 }) => ({ id: Number(number), bm25: Number(bm25) }));
}

function weightOf(file: MemoryFile, stems: readonly string[]): number {
  const total = file.number("SELECT count(*) FROM memory");
  const having = file.prepare("SELECT doc FROM vocabulary WHERE term = ?");
  return stems.reduce((sum, stem) => sum + rarity(Number(having.get(stem)?.doc ?? 0), total), 0);
}

interface Written {
  readonly number: number;
  readonly outcome: Outcome;
}

const COLUMNS = "id, type, agent, text, tags, project, created_at";

/** Longer values are not ours, and would take long to search and to send. */
const MAX_TEXT = 65_536, MAX_NAME = 1_000;
const cut = (name: string, length: number) =>
  `iif(octet_length(${name}) <= ${length}, ${name}, substr(${name}, 1, ${length})) AS ${name}`;
const SHOWN = [
  ...["id", "type", "agent", "project", "created_at"].map((name) => cut(name, MAX_NAME)),
  cut("text", MAX_TEXT),
  `iif(octet_length(tags) <= ${MAX_TEXT}, tags, '[]') AS tags`,
].join(", ");

const WITHOUT_VECTOR = `SELECT number, ${
  cut("text", MAX_TEXT)
} FROM memory LEFT JOIN vector USING (number) WHERE model IS NOT ?`;

function nextSeq(file: MemoryFile): number {
  return file.number("UPDATE counter SET seq = seq + 1 RETURNING seq");
}

/** Inside a transaction. More memories than this would not be opened again. */
function checkRoom(file: MemoryFile, memories: readonly Memory[]): void {
  const count = file.number("SELECT count(*) FROM memory");
  if (count + memories.length <= MAX_MEMORIES) return;
  const known = new Set(
    file.prepare("SELECT type, id FROM memory").all().map(({ type, id }) => `${type} ${id}`),
  );
  if (count + memories.filter(({ type, id }) => !known.has(`${type} ${id}`)).length <= MAX_MEMORIES) return;
  refuseMore(file, `It has room for ${MAX_MEMORIES} memories. Delete some, or use a Qdrant server`);
}

/** Nothing is written of what cannot be written whole. */
function checkSize(file: MemoryFile, memories: readonly Memory[]): void {
  const sizes = memories.map(({ text }) => text.length);
  const [most, largest] = [MAX_BYTES, MAX_VALUE].map((bytes) => bytes >> 20);
  if (sizes.every((size) => size <= MAX_VALUE) && sizes.reduce((all, size) => all + size, 0) <= MAX_BYTES) {
    return;
  }
  refuseMore(file, `It has room for ${most} MB, and for ${largest} MB of one memory`);
}

function refuseMore({ options: { file } }: MemoryFile, why: string): never {
  const reason = `${file}: ${why}`;
  return fail({ code: "memory-unavailable", problem: "too-many", reason, subject: file });
}

function putMemory(file: MemoryFile, analyze: Analyzer, memory: Memory): Written {
  const { id, type, agent, text, project, createdAt } = memory;
  const select = file.prepare("SELECT number, text, tags FROM memory WHERE type = ? AND id = ?");
  const before = select.get(type, id);
  const tags = JSON.stringify(memory.tags), isSameText = before?.text === text;
  if (isSameText && before?.tags === tags) return { number: Number(before.number), outcome: "same" };
  const number = file.number(
    `INSERT INTO memory (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (type, id) DO UPDATE SET text = excluded.text, tags = excluded.tags RETURNING number`,
    id,
    type,
    agent,
    text,
    tags,
    project,
    createdAt,
  );
  const { terms, gloss } = analyze(searchableText(memory));
  file.prepare("INSERT OR REPLACE INTO words (rowid, terms, gloss) VALUES (?, ?, ?)")
    .run(number, terms.join(" "), gloss.join(" "));
  if (before !== undefined && !isSameText) {
    file.prepare("DELETE FROM vector WHERE number = ?").run(number);
    markGone(file, number, nextSeq(file));
  }
  return { number, outcome: before === undefined ? "new" : "changed" };
}

function deleteMemories(file: MemoryFile, ids: readonly string[], filter: MemoryFilter): number {
  const { where, values } = whereOf(filter, "id = ?");
  const select = file.prepare(`SELECT number FROM memory ${where}`);
  const numbers = ids.flatMap((id) => select.all(id, ...values)).map((row) => Number(row.number));
  const seq = nextSeq(file);
  for (const number of numbers) {
    file.prepare("DELETE FROM words WHERE rowid = ?").run(number);
    file.prepare("DELETE FROM memory WHERE number = ?").run(number);
    markGone(file, number, seq);
  }
  return numbers.length;
}

function markGone(file: MemoryFile, number: number, seq: number): void {
  file.prepare("INSERT OR REPLACE INTO gone (number, seq) VALUES (?, ?)").run(number, seq);
}

function memoryOf(row: Readonly<Record<string, unknown>>): Memory {
  return {
    id: String(row.id),
    type: MEMORY_TYPES.find((type) => type === row.type) ?? "shared-context",
    agent: String(row.agent),
    text: String(row.text),
    tags: tagsIn(parseJson(String(row.tags))),
    project: String(row.project),
    createdAt: String(row.created_at),
  };
}

function whereOf(filter: MemoryFilter, ...others: readonly string[]) {
  const { type } = filter;
  const given = [["type", type === undefined ? [] : [type]], ["agent", namesIn(filter)]] as const;
  const conditions = given.filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name} IN (${values.map(() => "?").join(", ")})`);
  const all = [...others, ...conditions];
  return {
    where: all.length === 0 ? "" : `WHERE ${all.join(" AND ")}`,
    values: given.flatMap(([, values]) => values),
  };
}

type Row = Readonly<Record<string, SQLOutputValue>>;

const EMBEDDED_AT_ONCE = 16;

class VectorTable {
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

  claim(written: readonly Written[]): Disposable {
    this.#claims.add(written);
    return { [Symbol.dispose]: () => this.#claims.delete(written) };
  }

  /** Then embeds a few others that lack a vector, unless another request is doing so. */
  async embed(written: readonly Written[], work: Work): Promise<void> {
    await this.#embedRows(this.#findMissing("number IN (SELECT value FROM json_each(?))", written), work);
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    try {
      const others = `number NOT IN (SELECT value FROM json_each(?)) LIMIT ${EMBEDDED_AT_ONCE}`;
      await this.#embedRows(this.#findMissing(others, [...this.#claims].flat()), { signal: work.signal });
    } finally {
      this.#isCatchingUp = false;
    }
  }

  nearest(vector: Float32Array, filter: MemoryFilter): readonly VectorHit<number>[] {
    const vectors = this.#latest(vector.length);
    const { where, values } = whereOf(filter);
    if (values.length === 0) return vectors.nearest(vector, CANDIDATES);
    const matching = this.file.prepare(`SELECT number FROM memory ${where}`).all(...values);
    const numbers = new Set(matching.map(({ number }) => Number(number)));
    return vectors.nearest(vector, CANDIDATES, (number) => numbers.has(number));
  }

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
    for (let at = 0; at < rows.length; at += EMBEDDED_AT_ONCE) {
      const batch = rows.slice(at, at + EMBEDDED_AT_ONCE);
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
