/**
 * Does recall find the right memory, in English and in French?
 *
 * Each file is a set of documents, questions and answers (recall_set.ts describes the format); no set is part of this
 * repository. Prints recall@5 and MRR@10 of plain full-text search (FTS5 with its English stemmer), of our terms only,
 * and of terms and meaning together; then the cost of a question as a ratio to plain full-text search in the same run,
 * and the cost of embedding as a ratio to a short text. Fails when a known set stays below its limit, or when we answer
 * any set worse than plain full-text search.
 *
 * Embedding 1,500 documents takes a minute or two; the vectors are cached in the temporary folder for the next run.
 *
 *     deno run -A --config deno.dev.json bench/recall.ts FILE… [--misses]
 */
import { tmpdir } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { type Embedder, openEmbedder } from "../src/project/kit/memory/embed/built_in.ts";
import { openKernel } from "../src/project/kit/memory/recall/vectors.ts";
import { openAnalyzer } from "../src/project/kit/memory/words/analysis.ts";
import { CONTENT, createTextIndex } from "../tests/support/recall.ts";
import { qualityOf, readRecallSet, type RecallSet } from "./recall_set.ts";
import { print } from "./support.ts";

/** The least recall@5 and MRR@10 of known sets. */
const LIMITS: Readonly<Record<string, readonly [recall: number, rank: number]>> = {
  "fx-en": [0.78, 0.64],
  "fx-fr": [0.6, 0.45],
};

const analyze = openAnalyzer(CONTENT);
const kernel = openKernel(CONTENT);
const embedder = openEmbedder(CONTENT);
if (embedder === undefined) throw new Error("the embedder is missing: run `deno task embed`");
const vectorsOf = await cacheVectors(embedder);
const showMisses = Deno.args.includes("--misses");

print(`${"".padEnd(26)}  questions  documents  recall@5   MRR@10`);
for (const file of Deno.args.filter((argument) => !argument.startsWith("--"))) {
  await measure(readRecallSet(await Deno.readTextFile(file), file));
}
await measureEmbedder(embedder);
embedder.close();

async function measure(set: RecallSet): Promise<void> {
  const texts = set.documents.map(analyze);
  const index = createTextIndex(texts, await vectorsOf(texts.map(({ english }) => english)), kernel);
  const plain = fullTextSearch(set.documents);
  const questions = set.questions.map(({ text }) => ({ text, analysis: analyze(text) }));
  const vectors: Float32Array[] = [];
  for (const { analysis } of questions) vectors.push(await embedder!.embedQuestion!(analysis.english));
  const ask = (at: number, vector?: Float32Array) =>
    index.ask(questions[at]!.analysis, vector).map(({ id }) => id);

  const theirs = questions.map(({ text }) => plain(text));
  const words = questions.map((_, at) => ask(at));
  const whole = questions.map((_, at) => ask(at, vectors[at]));
  const [limit, , ours] = [["full text", theirs], ["our words", words], ["words and meaning", whole]].map(
    ([name, answers]) => {
      const quality = qualityOf(set, answers as readonly (readonly number[])[]);
      const figures = [questions.length, texts.length, quality.recall.toFixed(3), quality.rank.toFixed(3)];
      print(
        `${`${set.name}: ${name}`.padEnd(27)} ${
          figures.map((figure) => String(figure).padStart(9)).join("  ")
        }`,
      );
      return quality;
    },
  );
  const [recall, rank] = LIMITS[set.name] ?? [limit!.recall, limit!.rank];
  if (ours!.recall < recall || ours!.rank < rank) {
    print(`${set.name}: below its limit of ${recall.toFixed(3)} and ${rank.toFixed(3)}`);
    Deno.exitCode = 1;
  }
  for (const [at, { text, analysis }] of questions.entries()) {
    const isMissed = !whole[at]!.slice(0, 5).some((hit) => set.questions[at]!.answers.has(hit));
    if (showMisses && isMissed) print(`  missed: ${text} → ${analysis.english}`);
  }

  const asked = questions.slice(0, 100);
  const plainTime = await bestTime(() => asked.forEach(({ text }) => plain(text)));
  const search = await bestTime(() => asked.forEach(({ text }, at) => index.ask(analyze(text), vectors[at])));
  const embedding = await bestTime(() =>
    embedder!.embed(asked.slice(0, 10).map(({ analysis }) => analysis.english))
  );
  const ratios = [search, search + 10 * embedding].map((time) => (time / plainTime).toFixed(1));
  print(
    `${set.name}: a question costs ${ratios[0]} times full text without its embedding, ${
      ratios[1]
    } times with it`,
  );
  index.close();
}

/** Plain full-text search of SQLite; returns the indices of documents, the best first. */
function fullTextSearch(documents: readonly string[]): (question: string) => readonly number[] {
  const database = new DatabaseSync(":memory:");
  database.exec(
    `CREATE VIRTUAL TABLE words USING fts5(text, tokenize="porter unicode61 remove_diacritics 2")`,
  );
  const insert = database.prepare("INSERT INTO words(rowid, text) VALUES (?, ?)");
  for (const [place, text] of documents.entries()) insert.run(place, text);
  const matching = database.prepare(
    "SELECT rowid AS id FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10",
  );
  return (question) => {
    const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
    if (words.length === 0) return [];
    return matching.all(words.map((word) => `"${word}"`).join(" OR ")).map(({ id }) => Number(id));
  };
}

/** The cost of loading the embedder, and of longer texts. */
async function measureEmbedder(warm: Embedder): Promise<void> {
  const text = (words: number) => "memory ".repeat(words - 2);
  const times = [];
  for (const words of [10, 50, 256]) times.push(await bestTime(() => warm.embed([text(words)])));
  const loading = await bestTime(async () => {
    const fresh = openEmbedder(CONTENT)!;
    await fresh.embed([text(10)]);
    fresh.close();
  });
  const [short, medium, long] = times as [number, number, number];
  const ratios = [medium, long, loading - short].map((time) => (time / short).toFixed(1));
  print(
    `embedding 10 tokens takes ${short.toFixed(0)} ms; 50 tokens ${ratios[0]} times that, 256 tokens ${
      ratios[1]
    }, ` +
      `loading ${ratios[2]}`,
  );
}

/** The best of five, because other programs use the same machine. */
async function bestTime(work: () => unknown): Promise<number> {
  const times = [];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

/** Embeds texts, each only once for these weights. */
async function cacheVectors(embedder: Embedder) {
  const weights = await Deno.readFile(`${CONTENT}/memory/minilm.pack`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", weights)).toHex().slice(0, 12);
  const database = new DatabaseSync(`${tmpdir()}/bmad-mcp-vectors-${hash}.db`);
  database.exec("CREATE TABLE IF NOT EXISTS vectors(text TEXT PRIMARY KEY, vector BLOB NOT NULL)");
  const select = database.prepare("SELECT vector FROM vectors WHERE text = ?");
  const insert = database.prepare("INSERT OR REPLACE INTO vectors VALUES (?, ?)");
  return async (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    const missing = texts.filter((text) => select.get(text) === undefined);
    for (let at = 0; at < missing.length; at += 50) {
      const batch = missing.slice(at, at + 50);
      for (const [i, vector] of (await embedder.embed(batch)).entries()) {
        insert.run(batch[i]!, new Uint8Array(vector.buffer));
      }
    }
    return texts.map((text) => new Float32Array((select.get(text)!.vector as Uint8Array).slice().buffer));
  };
}
