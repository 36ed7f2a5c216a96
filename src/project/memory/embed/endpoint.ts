/**
 * An embedder behind a URL: any server that speaks the embeddings API of OpenAI, such as Ollama on the same machine.
 *
 * Texts leave this process here, and only here, and go to the one URL that was configured. What a server sends is
 * checked before it is believed: as many vectors as texts, all of the same length, made of numbers.
 */
import { BmadError } from "../../../base/errors.ts";
import type { Embedder } from "./embedder.ts";

/** Where the server is and what to ask it for. */
export interface EndpointOptions {
  /** Up to and with the version: `http://localhost:11434/v1`; `/embeddings` is added. */
  readonly url: string;
  /** The name of the model as the server knows it. */
  readonly model: string;
  /** Sent as a bearer token. */
  readonly key?: string;
}

/** How many texts are sent at once, and how long an answer may take, in milliseconds. */
const BATCH = 32;
const PATIENCE = 60_000;

/** The embedder; the server is first asked when there is a text. */
export function openEndpoint({ url, model, key }: EndpointOptions): Embedder {
  const address = `${url.replace(/\/+$/, "")}/embeddings`;
  const headers = {
    "content-type": "application/json",
    ...key === undefined ? {} : { authorization: `Bearer ${key}` },
  };
  const closing = new AbortController();
  let dimensions = 0;

  async function ask(input: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const body = JSON.stringify({ model, input, encoding_format: "float" });
    const response = await fetch(address, { method: "POST", headers, body, signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`it answered ${response.status}: ${problemIn(text)}`);
    const vectors = vectorsIn(text, input.length);
    dimensions ||= vectors[0]!.length;
    if (vectors.some(({ length }) => length !== dimensions)) {
      throw new Error("it sent vectors of different lengths");
    }
    return vectors;
  }

  return {
    id: model,
    get dimensions() {
      return dimensions;
    },
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      while (vectors.length < texts.length) {
        const signals = [
          AbortSignal.timeout(PATIENCE),
          closing.signal,
          ...signal === undefined ? [] : [signal],
        ];
        const batch = texts.slice(vectors.length, vectors.length + BATCH);
        try {
          vectors.push(...await ask(batch, AbortSignal.any(signals)));
        } catch (error) {
          signal?.throwIfAborted();
          const problem = error instanceof Error ? error.message : String(error);
          const reason = `texts cannot be embedded by ${address}: ${problem}`;
          throw new BmadError({ code: "memory-unavailable", reason }, { cause: error });
        }
      }
      return vectors;
    },
    close: () => closing.abort(new Error("the embedder was closed")),
  };
}

/** The vectors of an answer in the order of the texts, each made to have length 1. */
function vectorsIn(answer: string, count: number): readonly Float32Array[] {
  const rows = memberOf(parsed(answer), "data");
  if (!Array.isArray(rows) || rows.length !== count) {
    throw new Error(`it did not send ${count} embeddings, but ${answer.slice(0, 100)}`);
  }
  const placeOf = (row: unknown) => Number(memberOf(row, "index"));
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b) || 0).map((row) => {
    const numbers = memberOf(row, "embedding");
    if (!Array.isArray(numbers) || numbers.length === 0 || !numbers.every(Number.isFinite)) {
      throw new Error("it sent an embedding that is no list of numbers");
    }
    const length = Math.hypot(...numbers) || 1;
    return Float32Array.from(numbers, (number) => number / length);
  });
}

/** What a server says went wrong, in either of the usual forms. */
function problemIn(answer: string): string {
  const error = memberOf(parsed(answer), "error");
  const message = memberOf(error, "message") ?? error;
  return (typeof message === "string" ? message : answer).slice(0, 200);
}

/** A server may answer anything; what is no JSON is nothing. */
function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
