/**
 * Memories as rows: written with their terms, deleted, listed and counted.
 *
 * Vectors follow later (sqlite_vectors.ts). The counter `seq` only grows, and `gone` records which rows lost their
 * vector when, so that every program can keep its copy of the vectors up to date.
 */
import { fail } from "../../../../base/errors.ts";
import { MEMORY_TYPES } from "../../../../base/model.ts";
import { parseJson } from "../../../../base/values.ts";
import type { Analyzer } from "../words/analyzer.ts";
import { searchableText } from "./searchable.ts";
import { damageError, MAX_MEMORIES } from "./sqlite_errors.ts";
import type { MemoryFile } from "./sqlite_file.ts";
import {
  countsOf,
  type Memory,
  type MemoryFilter,
  namesIn,
  type Outcome,
  type StoreStatus,
} from "./store.ts";

export interface Written {
  readonly number: number;
  readonly outcome: Outcome;
}

/** In the order of the inserted values. */
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

/** Memories without a vector of a model. */
export const WITHOUT_VECTOR = `SELECT number, ${
  cut("text", MAX_TEXT)
} FROM memory LEFT JOIN vector USING (number) WHERE model IS NOT ?`;

export function nextSeq(file: MemoryFile): number {
  return file.number("UPDATE counter SET seq = seq + 1 RETURNING seq");
}

/** Inside a transaction. More memories than this would not be opened again. */
export function checkRoom(file: MemoryFile, count: number): void {
  if (file.number("SELECT count(*) FROM memory") + count <= MAX_MEMORIES) return;
  const reason =
    `${file.options.file}: It has room for ${MAX_MEMORIES} memories. Delete some, or use a Qdrant server`;
  fail({ code: "memory-unavailable", problem: "too-many", reason, subject: file.options.file });
}

/** Inside a transaction. */
export function putMemory(file: MemoryFile, analyze: Analyzer, memory: Memory): Written {
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

/** Inside a transaction. Returns how many there were. */
export function deleteMemories(file: MemoryFile, ids: readonly string[], filter: MemoryFilter): number {
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

export function listMemories(file: MemoryFile, filter: MemoryFilter): readonly Memory[] {
  const { where, values } = whereOf(filter);
  const sql = `SELECT ${SHOWN} FROM memory ${where} ORDER BY created_at DESC, number DESC`;
  return file.prepare(sql).all(...values).map(memoryOf);
}

/** Undefined for a number that only the indices of a foreign file know. */
export function findMemory(file: MemoryFile, number: number): Memory | undefined {
  const row = file.prepare(`SELECT ${SHOWN} FROM memory WHERE number = ?`).get(number);
  return row && memoryOf(row);
}

/** Fails if the file is damaged, even where its counts would still make sense. */
export function statusOf(file: MemoryFile, model: string): StoreStatus {
  const check = file.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  if (check !== "ok") throw damageError(check);
  return {
    counts: countsOf((type) => file.number("SELECT count(*) FROM memory WHERE type = ?", type)),
    withoutVector: file.number(`SELECT count(*) FROM (${WITHOUT_VECTOR})`, model),
    facts: { bytes: file.number("PRAGMA page_count") * file.number("PRAGMA page_size") },
  };
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

function tagsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((tag) => typeof tag === "string") : [];
}

/** A filter as a WHERE clause, after other conditions, and the values for it. */
export function whereOf(filter: MemoryFilter, ...others: readonly string[]) {
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
