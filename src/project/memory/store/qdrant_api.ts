/**
 * Talking to a server of Qdrant: one function that sends, and what goes wrong in words.
 *
 * This and the endpoint for embeddings are the only places where memories leave the machine, and both go to the one
 * URL that the user configured. Redirects are not followed: the key is for nobody else.
 */
import { BmadError, fail } from "../../../base/errors.ts";

/** Where the server is. */
export interface QdrantOptions {
  /** Such as `http://localhost:6333`. */
  readonly url: string;
  /** Sent with each request. */
  readonly key?: string;
}

/** Sends a request; the result, or undefined when there is no such collection. */
export type Send = (method: string, path: string, body?: unknown, signal?: AbortSignal) => Promise<unknown>;

/** The first version that tells points without a vector from others: `has_vector`. */
const OLDEST = "1.13";

/** How long an answer may take, in milliseconds. */
const PATIENCE = 20_000;

/** What sends requests to a server. Nothing is sent yet. */
export function connectQdrant({ url, key }: QdrantOptions): Send {
  const base = url.replace(/\/+$/, "");
  const headers = { "content-type": "application/json", ...(key === undefined ? {} : { "api-key": key }) };
  return async (method, path, body, signal) => {
    const patience = AbortSignal.timeout(PATIENCE);
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        headers,
        redirect: "error",
        signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return read(base, response.status, await response.text());
    } catch (error) {
      if (error instanceof BmadError || signal?.aborted) throw error;
      const why = patience.aborted ? `it did not answer within ${PATIENCE / 1_000} seconds` : reasonOf(error);
      return unavailable(
        base,
        `cannot be reached: ${why}. Look whether it runs and BMAD_QDRANT_URL is right`,
      );
    }
  };
}

/** The result in an answer. */
function read(base: string, status: number, text: string): unknown {
  const answer = parse(text);
  if (status === 404 && answer !== undefined) return undefined;
  if (status === 401 || status === 403) {
    const fix = "Set BMAD_QDRANT_API_KEY to a key that the server takes";
    return unavailable(base, "refuses the key: set BMAD_QDRANT_API_KEY", fix);
  }
  if (answer === undefined) {
    return unavailable(base, `answered ${status} and no JSON: is it a server of Qdrant?`);
  }
  const problem = problemIn(answer);
  // An older server does not know every condition that points are chosen by.
  if ((status === 400 || status === 422) && /condition/i.test(problem)) {
    const fix = `Update the server to Qdrant ${OLDEST} or later`;
    return unavailable(
      base,
      `does not understand us, and must be Qdrant ${OLDEST} or later: ${problem}`,
      fix,
    );
  }
  if (status >= 400) return unavailable(base, `answered ${status}: ${problem}`);
  return answer["result"];
}

/** Fails with what is wrong with the server, and what mends it where that is not to start it or to name another. */
export function unavailable(base: string, problem: string, fix?: string): never {
  const reason = `Qdrant at ${base} ${problem}. Everything else goes on working`;
  return fail({ code: "memory-unavailable", reason, fix });
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? value as Readonly<Record<string, unknown>>
      : undefined;
  } catch {
    return undefined;
  }
}

const MOST_LETTERS = 300;

function problemIn({ status }: Readonly<Record<string, unknown>>): string {
  const error = typeof status === "object" && status !== null && "error" in status ? status.error : status;
  return String(error).slice(0, MOST_LETTERS);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
