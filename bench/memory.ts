/**
 * What do memories cost, and what does a search in a project's files?
 *
 * Measures recall at 10,000 and 100,000 memories as a ratio to the full-text query alone, in the same run and on the
 * same file; the size of the file per memory; and a warm search_codebase in a tree of 5,000 files as a ratio to a
 * ripgrep search for one word or, if ripgrep is not installed, to reading the same files. Fails above the limits.
 *
 *     deno run -A --config deno.dev.json bench/memory.ts [COUNT…]
 *
 * Texts are composed of the words of our own documents, with a natural distribution. Their vectors are random: the time
 * to compare vectors does not depend on their values. The question is embedded for real.
 */
import { DatabaseSync } from "node:sqlite";
import { openCodebase } from "../src/project/codebase/mod.ts";
import { type Embedder, openEmbedder } from "../src/project/kit/memory/embed/built_in.ts";
import { openAnalyzer, stemsOf } from "../src/project/kit/memory/mod.ts";
import { openKernel } from "../src/project/kit/memory/recall/vectors.ts";
import { GLOSS_WEIGHT, matchExpression, queryStems } from "../src/project/kit/memory/recall/ranking.ts";
import { memoryId } from "../src/project/kit/memory/store/checks.ts";
import { openSqlite } from "../src/project/kit/memory/store/sqlite.ts";
import { MEMORY_TYPES } from "../src/base/model.ts";
import { CONTENT } from "../tests/support/recall.ts";
import { print } from "./support.ts";

/** The cost limit of a recall in full-text queries, by the number of memories; the strictest for other numbers. */
const MOST_QUERIES: Readonly<Record<number, number>> = { 10_000: 8, 100_000: 6 };
const MOST_BYTES = 1_536;
const MOST_SEARCHES = 4;
const CHARACTERS = 264;
const FILES = 5_000;
const ROUNDS = 30;
/** Used in turns, so that no search repeats the one before. */
const QUESTIONS = [
  "where rights are dropped before the parsers load",
  "how memories are embedded",
  "git repository copies in the cache",
] as const;

const analyze = openAnalyzer(CONTENT);
const real = openEmbedder(CONTENT);
if (real === undefined) throw new Error("The embedder is missing. Run `deno task embed`");
const random = createRandom(20_261_115);
const words = await vocabulary();
const folder = await Deno.makeTempDir({ prefix: "bmad-mcp-bench-memory-" });
let isWithin = true;

try {
  const counts = Deno.args.length === 0 ? [10_000, 100_000] : Deno.args.map(Number);
  for (const count of counts) await measureRecall(count);
  await measureSearch();
} finally {
  real.close();
  await Deno.remove(folder, { recursive: true });
}
if (!isWithin) Deno.exit(1);

async function measureRecall(count: number): Promise<void> {
  const file = `${folder}/${count}.db`;
  const store = openSqlite({ file, readOnly: false }, {
    analyze,
    embedder: quickEmbedder(real!),
    kernel: openKernel(CONTENT),
  });
  const texts = Array.from({ length: count }, () => makeText(CHARACTERS));
  const memories = await Promise.all(texts.map(async (text, at) => ({
    id: await memoryId({ project: "bmad-bench", agent: "dev", text: `${at} ${text}` }),
    type: MEMORY_TYPES[at % MEMORY_TYPES.length]!,
    agent: "dev",
    text,
    tags: [],
    project: "bmad-bench",
    createdAt: "2026-11-15T10:00:00.000",
  })));
  await store.remember(memories);
  const questions = Array.from({ length: ROUNDS }, () => makeText(40));
  await store.recall({ query: questions[0]!, limit: 5 });

  const plain = new DatabaseSync(file, { readOnly: true });
  const query = plain.prepare(
    `SELECT rowid, -bm25(words, 1.0, ${GLOSS_WEIGHT}) AS score FROM words WHERE words MATCH ? ORDER BY score DESC LIMIT 100`,
  );
  const theirs: number[] = [], ours: number[] = [];
  for (const question of questions) {
    const match = matchExpression(queryStems(analyze(question)).all);
    theirs.push(await timed(() => query.all(match)));
    ours.push(await timed(() => store.recall({ query: question, limit: 5 })));
  }
  plain.close();
  store.close();
  const bytes = (await Deno.stat(file)).size / count;
  const most = MOST_QUERIES[count] ?? Math.min(...Object.values(MOST_QUERIES));
  report(`recall at ${count} memories, in full-text queries`, median(ours) / median(theirs), most);
  report(`bytes per memory of ${CHARACTERS} characters, at ${count}`, bytes, MOST_BYTES);
}

async function measureSearch(): Promise<void> {
  const root = `${folder}/tree`;
  for (let at = 0; at < FILES; at++) {
    const dir = `${root}/part${at % 50}/area${at % 7}`;
    await Deno.mkdir(dir, { recursive: true });
    const lines = Array.from({ length: 200 }, () => makeText(34));
    await Deno.writeTextFile(`${dir}/file${at}.ts`, lines.join("\n"));
  }
  // As in a real project: a repository, and patterns that both programs follow.
  await Deno.mkdir(`${root}/.git`);
  const rules = Array.from(
    { length: 100 },
    (_, at) => [`*.log${at}`, `out${at}/`, `/dist${at}/**/*.js`][at % 3]!,
  );
  await Deno.writeTextFile(`${root}/.gitignore`, rules.join("\n"));

  const codebase = openCodebase({
    root,
    stemsOf: (text) => stemsOf(analyze(text)),
    clean: (text) => text,
    now: () => Date.now(),
    after: () => () => {},
  });
  const cold = await timed(() => codebase.search({ query: QUESTIONS[0] }));
  // The cache does not trust files younger than two seconds: the second search reads them again, later ones do not.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await codebase.search({ query: QUESTIONS[0] });
  const theirs: number[] = [], ours: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const query = QUESTIONS[round % QUESTIONS.length]!;
    theirs.push(await timed(hasRipgrep() ? () => ripgrep(root) : () => readAll(root)));
    ours.push(await timed(() => codebase.search({ query })));
  }
  const against = hasRipgrep() ? "ripgrep for one word" : "reading the same files";
  const shown = (times: readonly number[]) =>
    `${median(times).toFixed(0)} ms (best ${Math.min(...times).toFixed(0)})`;
  print(
    `search_codebase, ${FILES} files: cold ${cold.toFixed(0)} ms, warm ${shown(ours)}; ${against}: ${
      shown(theirs)
    }`,
  );
  report(`warm search, as a ratio to ${against}`, median(ours) / median(theirs), MOST_SEARCHES);
}

/** Random vectors for batches of texts, a real one for a single question. */
function quickEmbedder(embedder: Embedder): Embedder {
  return {
    ...embedder,
    embed: (texts, signal) =>
      texts.length === 1 ? embedder.embed(texts, signal) : Promise.resolve(texts.map(() => {
        const vector = Float32Array.from({ length: embedder.dimensions }, () => random() - 0.5);
        const length = Math.hypot(...vector);
        return vector.map((number) => number / length);
      })),
  };
}

async function vocabulary(): Promise<readonly string[]> {
  const counts = new Map<string, number>();
  for await (const { name } of Deno.readDir(new URL("../docs", import.meta.url))) {
    if (!name.endsWith(".md")) continue;
    const text = await Deno.readTextFile(new URL(`../docs/${name}`, import.meta.url));
    for (const word of text.toLowerCase().match(/[a-z]{2,}/g) ?? []) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
}

/** Words with the frequencies of the documents: the nth has about 1/n of the first one's share. */
function makeText(characters: number): string {
  let text = "";
  while (text.length < characters) text += `${words[Math.floor(words.length ** random()) - 1] ?? words[0]} `;
  return text.trim();
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function report(what: string, value: number, most: number): void {
  isWithin &&= value <= most;
  print(`${what}: ${value.toFixed(2)} (limit ${most})${value <= most ? "" : "  ABOVE THE LIMIT"}`);
}

function hasRipgrep(): boolean {
  try {
    return new Deno.Command("rg", { args: ["--version"], stdout: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

async function ripgrep(root: string): Promise<void> {
  await new Deno.Command("rg", { args: ["--fixed-strings", "dropped", root], stdout: "null" }).output();
}

async function readAll(dir: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(dir)) {
    if (isDirectory) await readAll(`${dir}/${name}`);
    else await Deno.readTextFile(`${dir}/${name}`);
  }
}
