/**
 * How does a test of ranking get the vectors of hundreds of texts without embedding them each time?
 *
 * `openKeptEmbedder` is the built-in embedder, which is asked for each text once. Its vectors are kept beside the real
 * installations (installs.ts), under a name made from all that they depend on: the model, its kernels and the code that
 * runs it. Tests of the embedder itself open their own.
 */
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { type Embedder, openEmbedder } from "../../src/project/kit/memory/embed/built_in.ts";
import { testCache } from "./installs.ts";
import { CONTENT } from "./recall.ts";

/** The built-in embedder with what it was asked before, in this run or an earlier one. */
export async function openKeptEmbedder(): Promise<Required<Embedder> & Disposable> {
  const embedder = openEmbedder(CONTENT) as Required<Embedder> | undefined;
  if (embedder === undefined) throw new Error("the embedder is missing: run `deno task embed`");
  const kept = await openVectors();

  async function vectorsOf(
    kind: string,
    texts: readonly string[],
    embed: (missing: readonly string[]) => Promise<readonly Float32Array[]>,
  ): Promise<readonly Float32Array[]> {
    const found = new Map(texts.map((text) => [text, kept.get(kind, text)]));
    const missing = [...found].filter(([, vector]) => vector === undefined).map(([text]) => text);
    const embedded = missing.length === 0 ? [] : await embed(missing);
    for (const [at, vector] of embedded.entries()) {
      found.set(missing[at]!, vector);
      kept.set(kind, missing[at]!, vector);
    }
    return texts.map((text) => found.get(text)!);
  }

  const close = () => {
    embedder.close();
    kept.close();
  };
  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    embed: (texts, signal) => vectorsOf("text", texts, (missing) => embedder.embed(missing, signal)),
    embedQuestion: async (question, signal) => {
      const ask = async () => [await embedder.embedQuestion(question, signal)];
      return (await vectorsOf("question", [question], ask))[0]!;
    },
    embedWords: (words, signal) =>
      vectorsOf("word", words, (missing) => embedder.embedWords(missing, signal)),
    close,
    [Symbol.dispose]: close,
  };
}

async function openVectors() {
  const cache = await testCache();
  await Deno.mkdir(cache, { recursive: true });
  const database = new DatabaseSync(`${cache}/vectors-${keyOfEmbedder()}.db`);
  // Other tests write at the same time; what a killed run loses is made again.
  database.exec(`
    PRAGMA busy_timeout = 20000;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS vectors (kind TEXT, text TEXT, vector BLOB, PRIMARY KEY (kind, text)) WITHOUT ROWID;
  `);
  const find = database.prepare("SELECT vector FROM vectors WHERE kind = ? AND text = ?");
  const put = database.prepare("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)");
  return {
    get(kind: string, text: string): Float32Array | undefined {
      const bytes = find.get(kind, text)?.["vector"] as Uint8Array | undefined;
      return bytes === undefined ? undefined : new Float32Array(bytes.slice().buffer);
    },
    set: (kind: string, text: string, vector: Float32Array) =>
      void put.run(kind, text, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)),
    close: () => database.close(),
  };
}

function keyOfEmbedder(): string {
  const hash = createHash("sha256").update(JSON.stringify(Deno.version));
  for (
    const folder of [
      new URL("../../src/project/kit/memory/embed/", import.meta.url).pathname,
      `${CONTENT}/memory/`,
    ]
  ) {
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    for (const name of names) hash.update(`${name}\0`).update(Deno.readFileSync(`${folder}${name}`));
  }
  return hash.digest("hex").slice(0, 16);
}
