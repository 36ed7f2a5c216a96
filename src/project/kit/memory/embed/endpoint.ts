/**
 * An embedder behind a URL: any server with the OpenAI embeddings API. Texts are sent to that one URL and nowhere
 * else, so redirects are not followed.
 */
import { BmadError } from "../../../../base/errors.ts";
import type { Endpoint } from "../../../../settings/plan/mod.ts";
import { asValues, parseJson } from "../../../../base/values.ts";
import { requestsTo } from "../../../../process/named_server.ts";
import type { Embedder } from "./built_in.ts";

const BATCH = 32;
const TIMEOUT = 60_000;

export function openEndpoint({ url, model, key }: Endpoint): Embedder {
  const address = `${url.replace(/(?<!\/)\/+$/, "")}/embeddings`;
  const headers = {
    "content-type": "application/json",
    ...key === undefined ? {} : { authorization: `Bearer ${key}` },
  };
  const request = requestsTo(url);
  const closing = new AbortController();
  let dimensions = 0;

  async function embedBatch(input: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const body = JSON.stringify({ model, input, encoding_format: "float" });
    const response = await request(address, { method: "POST", headers, body, signal });
    const text = await readReply(response);
    if (!response.ok) throw new Error(`HTTP status ${response.status}: ${errorIn(text)}`);
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
        const signals = [AbortSignal.timeout(TIMEOUT), closing.signal, ...(signal ? [signal] : [])];
        const batch = texts.slice(vectors.length, vectors.length + BATCH);
        try {
          vectors.push(...await embedBatch(batch, AbortSignal.any(signals)));
        } catch (error) {
          signal?.throwIfAborted();
          throw unavailable(address, error);
        }
      }
      return vectors;
    },
    close: () => closing.abort(new Error("the embedder was closed")),
  };
}

function unavailable(address: string, error: unknown): BmadError {
  const reason = `the embedding server ${address} failed: ${(error as Error).message}`;
  return new BmadError({ code: "memory-unavailable", problem: "embedder-failed", reason }, { cause: error });
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

const MAX_BYTES = 64 * 2 ** 20;

export async function readReply(response: Response): Promise<string> {
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new Error("it redirects, which is not followed. Configure the address it redirects to");
  }
  const decoder = new TextDecoder();
  let text = "", size = 0;
  for await (const bytes of response.body ?? []) {
    size += bytes.length;
    // Leaving the loop cancels the rest.
    if (size > MAX_BYTES) throw new Error(`its reply exceeds ${MAX_BYTES / 2 ** 20} MB`);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
