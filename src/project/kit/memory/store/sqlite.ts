/**
 * Memories in one SQLite file, which several programs may use at once.
 *
 * A memory is durable before it is embedded: whatever happens then, its terms are indexed, and a missing vector is made
 * with the next memories. Rows are in sqlite_rows.ts, vectors in sqlite_vectors.ts.
 */
import { rarity } from "../../../../base/bm25.ts";
import { yieldTurn } from "../../../../base/work.ts";
import { CANDIDATES } from "../recall/fusion.ts";
import { GLOSS_WEIGHT, matchExpression, queryStems } from "../recall/terms.ts";
import { embedQuestion, rankHits, reasonOf } from "./searchable.ts";
import { type FileOptions, MemoryFile } from "./sqlite_file.ts";
import * as rows from "./sqlite_rows.ts";
import { VectorTable } from "./sqlite_vectors.ts";
import type { MemoryFilter, MemoryStore, Rankers } from "./store.ts";

/** How many memories are written in one transaction. */
const BATCH = 500;

/** Opens a file of memories; a writable one is created if it is missing. */
export function openSqlite(options: FileOptions, { analyze, embedder, kernel }: Rankers): MemoryStore {
  const file = new MemoryFile(options);
  const table = embedder && new VectorTable(file, embedder, { analyze, kernel });
  return {
    location: options.file,
    async remember(memories, work = {}) {
      const written: rows.Written[] = [];
      using _ = table?.claim(written);
      // In several transactions, between which other requests have their turn.
      for (let at = 0; at < memories.length; at += BATCH) {
        if (at > 0) await yieldTurn(work.signal);
        else work.signal?.throwIfAborted();
        const batch = memories.slice(at, at + BATCH);
        written.push(...file.write(() => {
          rows.checkRoom(file, batch.length);
          return batch.map((memory) => rows.putMemory(file, analyze, memory));
        }));
      }
      const outcomes = written.map(({ outcome }) => outcome);
      try {
        await table?.embed(written, work);
        return { outcomes, isSemantic: table !== undefined };
      } catch (error) {
        return { outcomes, isSemantic: false, problem: reasonOf(error) };
      }
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
        const hits = rankHits(rankings, { limit, question, analyze }, (id) => rows.findMemory(file, id));
        return { hits, isSemantic: vector !== undefined, problem };
      });
    },
    list: async (filter) => await file.read(() => rows.listMemories(file, filter)),
    forget: async (ids, filter) => await file.write(() => rows.deleteMemories(file, ids, filter)),
    status: async () => await file.read(() => rows.statusOf(file, embedder?.id ?? "")),
    close: () => file.close(),
  };
}

function findByTerms(file: MemoryFile, stems: readonly string[], filter: MemoryFilter) {
  if (stems.length === 0) return [];
  const { where, values } = rows.whereOf(filter, "words MATCH ?");
  const joined = values.length === 0 ? "" : "JOIN memory ON number = words.rowid";
  const best = file.prepare(
    `SELECT words.rowid AS number, -bm25(words, 1.0, ${GLOSS_WEIGHT}) AS bm25 FROM words ${joined} ${where}
     ORDER BY bm25 DESC LIMIT ${CANDIDATES}`,
  ).all(matchExpression(stems), ...values);
  return best.map(({ number, bm25 }) => ({ id: Number(number), bm25: Number(bm25) }));
}

/** How much all stems of a question tell together. */
function weightOf(file: MemoryFile, stems: readonly string[]): number {
  const total = file.number("SELECT count(*) FROM memory");
  const having = file.prepare("SELECT doc FROM vocabulary WHERE term = ?");
  return stems.reduce((sum, stem) => sum + rarity(Number(having.get(stem)?.doc ?? 0), total), 0);
}
