/** Any server with the OpenAI embeddings API. */
import { asValues, parseJson } from "../../../../base/values.ts";
import type { Endpoint } from "../../../../settings/plan/mod.ts";
import { LIMITS } from "../../../limits.ts";
import { connectTo } from "../server.ts";
import { type Embedder, embedderFailed } from "./built_in.ts";

const BATCH = 32;

export function openEndpoint({ url, model, key }: Endpoint): Embedder {
  const { base, ask } = connectTo(url, key === undefined ? {} : { authorization: `Bearer ${key}` });
  const closing = new AbortController();
  let dimensions = 0;

  async function embedBatch(input: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const body = { model, input, encoding_format: "float" };
    const { status, text } = await ask({ method: "POST", path: "/embeddings", body, signal });
    if (status >= 400) throw new Error(`HTTP status ${status}: ${errorIn(text)}`);
    const vectors = vectorsIn(text, input.length);
    dimensions ||= vectors[0]!.length;
    if (vectors.every(({ length }) => length === dimensions)) return vectors;
    throw new Error("the vectors have different lengths");
  }

  return {
    id: model,
    get dimensions() {
      return dimensions;
    },
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      while (vectors.length < texts.length) {
        const timeout = AbortSignal.timeout(LIMITS.memory.embeddingsMs);
        const signals = [timeout, closing.signal, ...(signal ? [signal] : [])];
        const batch = texts.slice(vectors.length, vectors.length + BATCH);
        try {
          vectors.push(...await embedBatch(batch, AbortSignal.any(signals)));
        } catch (error) {
          signal?.throwIfAborted();
          const reason = `the embedding server ${base}/embeddings failed: ${(error as Error).message}`;
          throw embedderFailed(reason, error);
        }
      }
      return vectors;
    },
    close: () => closing.abort(new Error("the embedder was closed")),
  };
}

function vectorsIn(reply: string, count: number): readonly Float32Array[] {
  const { data: rows } = asValues(parseJson(reply));
  if (!Array.isArray(rows) || rows.length !== count) {
    throw new Error(`expected ${count} embeddings, got ${reply.slice(0, 100)}`);
  }
  const indexOf = (row: unknown) => Number(asValues(row)["index"]);
  return rows.toSorted((a, b) => indexOf(a) - indexOf(b) || 0).map((row) => {
    const { embedding: numbers } = asValues(row);
    if (!Array.isArray(numbers) || numbers.length === 0 || !numbers.every(Number.isFinite)) {
      throw new Error("expected each embedding to be a list of numbers");
    }
    const length = Math.hypot(...numbers) || 1;
    return Float32Array.from(numbers, (number) => number / length);
  });
}

/** OpenAI and Ollama report errors in different forms. */
function errorIn(reply: string): string {
  const { error } = asValues(parseJson(reply));
  const message = asValues(error)["message"] ?? error;
  return (typeof message === "string" ? message : reply).slice(0, 200);
}
