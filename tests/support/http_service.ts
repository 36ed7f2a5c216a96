/** The HTTP service without a socket: requests are passed to it as its listener would. */
import assert from "node:assert/strict";
import type { HttpService } from "../../src/serve/http/mod.ts";
import type { Arrival } from "../../src/serve/listener/mod.ts";

/** No bug is expected. */
export const JOURNAL = { bug: (error: unknown) => assert.fail(String(error)), info: () => {} };

export const arrivalOf = (
  path: string,
  ended: AbortSignal,
  message?: unknown,
  headers = {},
  method = message === undefined ? "GET" : "POST",
): Arrival => ({
  request: new Request(`http://localhost${path}`, {
    method,
    headers: {
      host: "localhost",
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...headers,
    },
  }),
  url: new URL(`http://localhost${path}`),
  ended,
  peer: "127.0.0.1",
  address: "127.0.0.1",
});

export const answerOf = async (
  { answer }: HttpService,
  arrival: Arrival,
  message?: unknown,
): Promise<Response> => {
  const admission = await answer(arrival);
  assert.ok("answer" in admission, "refused");
  const body = message === undefined ? undefined : new TextEncoder().encode(JSON.stringify(message));
  const { response, watch } = await admission.answer(body);
  if (response.headers.get("content-type") !== "application/json") return response;
  const whole = await response.bytes();
  if (!arrival.ended.aborted) [whole, null].forEach((part) => watch?.(part));
  return new Response(whole, response);
};
