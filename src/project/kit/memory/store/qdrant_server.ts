/**
 * Requests to a Qdrant server, and what is wrong when one fails.
 *
 * Memories leave the machine only here and through the embedding server, and both only to the URL that was configured.
 * Redirects are not followed: the key is for no other server.
 */
import { BmadError, fail, type MemoryProblem } from "../../../../base/errors.ts";
import type { MemoryPlan } from "../../../../settings/plan/mod.ts";
import { asValues, isValues, parseJson } from "../../../../base/values.ts";
import { requestsTo } from "../../../../process/named_server.ts";
import { readReply } from "../reply.ts";

export type QdrantOptions = NonNullable<MemoryPlan["qdrant"]>;

/** Sends a request and returns its result; undefined if there is no such collection. */
export type Send = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** The first version that knows the condition `has_vector`. */
const OLDEST = "1.13";

const TIMEOUT_MS = 20_000;
const MAX_ERROR_LENGTH = 300;

/** Returns what sends requests that a signal aborts. Nothing is sent yet. */
export function connectQdrant({ url, key }: QdrantOptions): (signal?: AbortSignal) => Send {
  const base = url.replace(/(?<!\/)\/+$/, ""), request = requestsTo(base);
  const headers = { "content-type": "application/json", ...(key === undefined ? {} : { "api-key": key }) };
  return (signal) => async (method, path, body) => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await request(`${base}${path}`, {
        method,
        headers,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return resultIn(base, response.status, await readReply(response));
    } catch (error) {
      if (error instanceof BmadError || signal?.aborted) throw error;
      const why = timeout.aborted
        ? `no answer within ${TIMEOUT_MS / 1_000} seconds`
        : (error as Error).message;
      return refuse(base, "unreachable", `cannot be reached: ${why}. Check that it runs at this address`);
    }
  };
}

function resultIn(base: string, status: number, text: string): unknown {
  const reply = parseJson(text);
  if (status === 404 && isValues(reply)) return undefined;
  if (status === 401 || status === 403) return refuse(base, "key-refused", "refuses the API key");
  if (!isValues(reply)) {
    return refuse(base, "server-error", `answered ${status} without JSON. Is it a Qdrant server?`);
  }
  const error = String(asValues(reply["status"])["error"] ?? reply["status"]).slice(0, MAX_ERROR_LENGTH);
  // An older server does not know every condition that we select points by.
  if ((status === 400 || status === 422) && /condition/i.test(error)) {
    return refuse(base, "server-too-old", `is too old. Qdrant ${OLDEST} or later is required: ${error}`);
  }
  return status < 400 ? reply["result"] : refuse(base, "server-error", `answered ${status}: ${error}`);
}

export function refuse(base: string, problem: MemoryProblem, what: string): never {
  return fail({ code: "memory-unavailable", problem, reason: `Qdrant at ${base} ${what}`, subject: base });
}
