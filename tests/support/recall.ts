/**
 * A small memory without a disk: texts that can be asked, with all that recall is made of.
 *
 * Full-text index, vectors and fusion are those of the program; only the tables around them are missing.
 */
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { rarity } from "../../src/base/ranking.ts";
import {
  CANDIDATES,
  fuse,
  GLOSS_WEIGHT,
  matchExpression,
  queryStems,
} from "../../src/project/kit/memory/recall/ranking.ts";
import { toBytes, Vectors } from "../../src/project/kit/memory/recall/vectors.ts";
import type { Analysis } from "../../src/project/kit/memory/words/analysis.ts";

export const CONTENT = fileURLToPath(new URL("../../bmad-embedded/content", import.meta.url));

export function createTextIndex(
  texts: readonly Analysis[],
  vectors: readonly Float32Array[],
  kernel?: WebAssembly.Module,
) {
  const database = new DatabaseSync(":memory:");
  database.exec(`
    CREATE VIRTUAL TABLE words USING fts5(terms, gloss, content='', contentless_delete=1, tokenize='ascii');
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
  `);
  const insert = database.prepare("INSERT INTO words(rowid, terms, gloss) VALUES (?, ?, ?)");
  for (const [id, { terms, gloss }] of texts.entries()) insert.run(id, terms.join(" "), gloss.join(" "));
  const matching = database.prepare(
    `SELECT rowid AS id, -bm25(words, 1.0, ${GLOSS_WEIGHT}) AS bm25 FROM words WHERE words MATCH ?
     ORDER BY bm25 DESC, rowid LIMIT ${CANDIDATES}`,
  );
  const having = database.prepare("SELECT doc FROM vocabulary WHERE term = ?");

  const table = new Vectors(vectors[0]?.length ?? 0, kernel);
  for (const [id, vector] of vectors.entries()) table.set(id, toBytes(vector));

  return {
    ask(question: Analysis, vector?: Float32Array, limit = 10) {
      const { own, all } = queryStems(question);
      const weights = own.map((stem) => rarity(Number(having.get(stem)?.doc ?? 0), texts.length));
      const terms = all.length === 0 ? [] : matching.all(matchExpression(all)).map(({ id, bm25 }) => ({
        id: Number(id),
        bm25: Number(bm25),
      }));
      const vectors = vector === undefined ? [] : table.nearest(vector, CANDIDATES);
      return fuse({ terms, weight: weights.reduce((sum, weight) => sum + weight, 0), vectors }, limit);
    },
    close: () => database.close(),
  };
}
