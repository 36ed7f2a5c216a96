/**
 * Memories in one file of SQLite, which several programs may use at once.
 *
 * A memory is in the file, for good, before it is embedded: whatever happens then, it is found by words at least, and
 * what has no vector yet gets one with the next memories that are handed in. Vectors are held in memory as well; what
 * other programs write is seen by numbers that only grow.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { BmadError } from "../../../base/errors.ts";
import { MEMORY_TYPES, type MemoryType } from "../../../base/memory_types.ts";
import { fuse, LOOKED_AT, type MeaningHit, type WordHit } from "../recall/fusion.ts";
import { GLOSS_WEIGHT, matchOf, wantedOf, weightOf } from "../recall/lexical.ts";
import { createVectors, toBytes, type Vectors } from "../recall/vectors.ts";
import type { Embedder } from "../embed/embedder.ts";
import { sharedWords } from "../words/analysis.ts";
import {
  checkPages,
  type DatabaseOptions,
  inTransaction,
  openDatabase,
  speaking,
  stampOf,
} from "./database.ts";
import { questionVector, wholeText } from "./senses.ts";
import type { Hit, Memory, MemoryFilter, MemoryStore, Outcome, Senses, Waiting } from "./store.ts";

/** So many are written, and so many embedded, in one go. */
const WRITTEN_AT_ONCE = 500;
const EMBEDDED_AT_ONCE = 16;

type Row = Readonly<Record<string, unknown>>;

/** In the order of the values that are put in. */
const COLUMNS = "id, type, agent, text, tags, project, created_at";

/** Opens a file of memories, and makes it if there is none. */
export function openSqlite(options: DatabaseOptions, { analyze, embedder, kernel }: Senses): MemoryStore {
  const { file } = options;
  let { database, stamp } = openDatabase(options);
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const prepared = (sql: string) => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const all = (sql: string, ...values: readonly SQLInputValue[]): readonly Row[] =>
    prepared(sql).all(...values);
  const one = (sql: string, ...values: readonly SQLInputValue[]): Row | undefined =>
    prepared(sql).get(...values);
  const run = (sql: string, ...values: readonly SQLInputValue[]) => prepared(sql).run(...values);
  const nextSeq = () => Number(one("UPDATE counter SET seq = seq + 1 RETURNING seq")!["seq"]);

  let vectors: Vectors | undefined;
  /** What requests have written and are embedding: nobody need catch up with that. */
  const underWay = new Set<number>();
  /** Whether a request embeds what was left without a vector: others do not wait for that, too. */
  let isCatchingUp = false;
  /** The number of the last change that the vectors in memory have. */
  let seen = 0;

  /** Reads what has been written since a copy was made. Only between two awaits: no statement is under way then. */
  function renew(): void {
    if (stamp === undefined || stampOf(file) === stamp) return;
    const renewed = openDatabase(options);
    database.close();
    statements.clear();
    vectors = undefined;
    seen = 0;
    ({ database, stamp } = renewed);
  }

  const reading = <T>(work: () => T): T =>
    speaking(file, () => {
      renew();
      return work();
    });

  function put(memory: Memory): { readonly number: number; readonly outcome: Outcome } {
    const { id, type, agent, text, project, createdAt } = memory;
    const before = one("SELECT number, text, tags FROM memory WHERE type = ? AND id = ?", type, id);
    const tags = JSON.stringify(memory.tags), isSameText = before?.["text"] === text;
    if (isSameText && before?.["tags"] === tags) return { number: Number(before["number"]), outcome: "same" };
    const row = one(
      `INSERT INTO memory (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (type, id) DO UPDATE SET text = excluded.text, tags = excluded.tags RETURNING number`,
      ...[id, type, agent, text, tags, project, createdAt],
    );
    const number = Number(row!["number"]);
    const { terms, gloss } = analyze(wholeText(memory));
    const words = [terms.join(" "), gloss.join(" ")];
    run("INSERT OR REPLACE INTO words (rowid, terms, gloss) VALUES (?, ?, ?)", number, ...words);
    if (before !== undefined && !isSameText) {
      run("DELETE FROM vector WHERE number = ?", number);
      run("INSERT OR REPLACE INTO gone (number, seq) VALUES (?, ?)", number, nextSeq());
    }
    return { number, outcome: before === undefined ? "new" : "changed" };
  }

  const missing = "SELECT number, text FROM memory LEFT JOIN vector USING (number) WHERE model IS NOT ?";

  /** Embeds some memories, then a few others that have no vector yet, unless another request is about that. */
  async function embed(model: Embedder, numbers: readonly number[], waiting: Waiting): Promise<void> {
    const own = `${missing} AND number IN (SELECT value FROM json_each(?))`;
    await embedRows(model, speaking(file, () => all(own, model.id, JSON.stringify(numbers))), waiting);
    if (isCatchingUp) return;
    isCatchingUp = true;
    try {
      const others =
        `${missing} AND number NOT IN (SELECT value FROM json_each(?)) LIMIT ${EMBEDDED_AT_ONCE}`;
      const left = speaking(file, () => all(others, model.id, JSON.stringify([...underWay])));
      await embedRows(model, left, { signal: waiting.signal });
    } finally {
      isCatchingUp = false;
    }
  }

  /** One that is replaced meanwhile stays without a vector. */
  async function embedRows(model: Embedder, rows: readonly Row[], waiting: Waiting): Promise<void> {
    for (let at = 0; at < rows.length; at += EMBEDDED_AT_ONCE) {
      const some = rows.slice(at, at + EMBEDDED_AT_ONCE);
      const found = await model.embed(some.map(({ text }) => analyze(String(text)).english), waiting.signal);
      speaking(file, () => inTransaction(database, () => putVectors(model.id, some, found)));
      waiting.progress?.(at + some.length, rows.length);
    }
  }

  function putVectors(model: string, rows: readonly Row[], found: readonly Float32Array[]): void {
    const seq = nextSeq();
    for (const [at, { number, text }] of rows.entries()) {
      const { scale, bytes } = toBytes(found[at]!);
      run(
        `INSERT OR REPLACE INTO vector (number, model, scale, bytes, seq)
         SELECT number, ?, ?, ?, ? FROM memory WHERE number = ? AND text = ?`,
        ...[model, scale, bytes, seq, Number(number), String(text)],
      );
    }
  }

  /** The vectors, with what was written since the last look, by us and by others. */
  function allVectors(dimensions: number): Vectors {
    vectors ??= createVectors(dimensions, kernel);
    const now = Number(one("SELECT seq FROM counter")!["seq"]);
    if (now === seen) return vectors;
    for (const { number } of all("SELECT number FROM gone WHERE seq > ?", seen)) {
      vectors.delete(Number(number));
    }
    const added = prepared("SELECT number, scale, bytes FROM vector WHERE seq > ? AND model = ?");
    for (const { number, scale, bytes } of added.iterate(seen, embedder!.id)) {
      const { buffer, byteOffset, length } = bytes as Uint8Array<ArrayBuffer>;
      if (length !== dimensions) continue;
      vectors.set(Number(number), { scale: Number(scale), bytes: new Int8Array(buffer, byteOffset, length) });
    }
    seen = now;
    return vectors;
  }

  function byWords(stems: readonly string[], filter: MemoryFilter): readonly WordHit<number>[] {
    if (stems.length === 0) return [];
    const { where, values } = conditions(filter);
    const joined = values.length === 0 ? "" : `JOIN memory ON number = words.rowid`;
    return all(
      `SELECT words.rowid AS number, -bm25(words, 1.0, ${GLOSS_WEIGHT}) AS bm25 FROM words ${joined}
       WHERE words MATCH ? ${where.map((condition) => `AND ${condition}`).join(" ")}
       ORDER BY bm25 DESC LIMIT ${LOOKED_AT}`,
      ...[matchOf(stems), ...values],
    ).map(({ number, bm25 }) => ({ id: Number(number), bm25: Number(bm25) }));
  }

  function byMeaning(vector: Float32Array, filter: MemoryFilter): readonly MeaningHit<number>[] {
    const known = allVectors(vector.length);
    const { where, values } = conditions(filter);
    if (values.length === 0) return known.nearest(vector, LOOKED_AT);
    const fitting = all(`SELECT number FROM memory WHERE ${where.join(" AND ")}`, ...values);
    const numbers = new Set(fitting.map(({ number }) => Number(number)));
    return known.nearest(vector, LOOKED_AT, (number) => numbers.has(number));
  }

  /** In several transactions, between which others have their turn. */
  async function putAll(
    memories: readonly Memory[],
    { signal }: Waiting,
  ): Promise<readonly ReturnType<typeof put>[]> {
    const done: ReturnType<typeof put>[] = [];
    try {
      for (let at = 0; at < memories.length; at += WRITTEN_AT_ONCE) {
        if (at > 0) await new Promise((resolve) => setTimeout(resolve));
        signal?.throwIfAborted();
        const some = memories.slice(at, at + WRITTEN_AT_ONCE);
        const written = speaking(file, () => inTransaction(database, () => some.map(put)));
        done.push(...written);
        // At once: other requests must not take them for what somebody left behind.
        if (embedder !== undefined) written.forEach(({ number }) => underWay.add(number));
      }
    } catch (error) {
      done.forEach(({ number }) => underWay.delete(number));
      throw error;
    }
    return done;
  }

  return {
    place: file,
    async remember(memories, waiting = {}) {
      const put = await putAll(memories, waiting);
      const outcomes = put.map(({ outcome }) => outcome);
      if (embedder === undefined) return { outcomes, isSemantic: false };
      const numbers = put.map(({ number }) => number);
      try {
        await embed(embedder, numbers, waiting);
        return { outcomes, isSemantic: true };
      } catch (error) {
        if (!(error instanceof BmadError)) throw error;
        return { outcomes, isSemantic: false, problem: error.message };
      } finally {
        numbers.forEach((number) => underWay.delete(number));
      }
    },
    async recall(question, { signal } = {}) {
      const asked = analyze(question.query);
      const { vector, problem } = await questionVector(embedder, asked.english, signal);
      return reading(() => {
        const { own, all: stems } = wantedOf(asked);
        const total = Number(one("SELECT count(*) AS n FROM memory")!["n"]);
        const weights = own.map((stem) => {
          const having = one("SELECT doc FROM vocabulary WHERE term = ?", stem);
          return weightOf(Number(having?.["doc"] ?? 0), total);
        });
        const weight = weights.reduce((sum, each) => sum + each, 0);
        const meanings = vector === undefined ? [] : byMeaning(vector, question);
        const ranked = fuse({ words: byWords(stems, question), weight, meanings }, question.limit);
        const hits = ranked.map(({ id, ...why }): Hit => {
          const memory = memoryOf(one(`SELECT ${COLUMNS} FROM memory WHERE number = ?`, id)!);
          return { memory, ...why, words: sharedWords(asked, analyze(wholeText(memory))) };
        });
        return { hits, isSemantic: vector !== undefined, problem };
      });
    },
    list: async (filter) =>
      await reading(() => {
        const { where, values } = conditions(filter);
        const only = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
        return all(`SELECT ${COLUMNS} FROM memory ${only} ORDER BY created_at DESC, number DESC`, ...values)
          .map(memoryOf);
      }),
    forget: async (ids, filter) =>
      await speaking(file, () =>
        inTransaction(database, () => {
          const { where, values } = conditions(filter);
          const rows = ids.flatMap((id) =>
            all(`SELECT number FROM memory WHERE ${["id = ?", ...where].join(" AND ")}`, id, ...values)
          );
          const seq = nextSeq();
          for (const { number } of rows) {
            run("DELETE FROM words WHERE rowid = ?", Number(number));
            run("DELETE FROM memory WHERE number = ?", Number(number));
            run("INSERT OR REPLACE INTO gone (number, seq) VALUES (?, ?)", Number(number), seq);
          }
          return rows.length;
        })),
    status: async () =>
      await reading(() => {
        checkPages(database);
        const counted = all("SELECT type, count(*) AS n FROM memory GROUP BY type");
        const countOf = (type: MemoryType) => Number(counted.find((row) => row["type"] === type)?.["n"] ?? 0);
        const model = embedder?.id ?? "";
        return {
          counts: Object.fromEntries(MEMORY_TYPES.map((type) => [type, countOf(type)])) as Record<
            MemoryType,
            number
          >,
          withoutVector: Number(one(`SELECT count(*) AS n FROM (${missing})`, model)!["n"]),
          facts: {
            bytes: Number(one("PRAGMA page_count")!["page_count"]) *
              Number(one("PRAGMA page_size")!["page_size"]),
          },
        };
      }),
    close: () => database.close(),
  };
}

function memoryOf(row: Row): Memory {
  return {
    id: String(row["id"]),
    type: row["type"] as MemoryType,
    agent: String(row["agent"]),
    text: String(row["text"]),
    tags: JSON.parse(String(row["tags"])),
    project: String(row["project"]),
    createdAt: String(row["created_at"]),
  };
}

/** What a filter asks of a row. */
function conditions({ type, agent }: MemoryFilter): {
  readonly where: readonly string[];
  readonly values: readonly string[];
} {
  const given = [["type", type], ["agent", agent]].filter((pair) => pair[1] !== undefined);
  return { where: given.map(([name]) => `${name} = ?`), values: given.map((pair) => pair[1]!) };
}
