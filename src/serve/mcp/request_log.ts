/**
 * One line for every request that was answered: what was asked, how long it took, how it ended, how much was sent.
 *
 * Names and numbers only: what a user wrote and what a file says is never written down.
 */
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";

/** Follows the requests of one connection. */
export interface RequestLog {
  /** A message of the client's has come. */
  came(message: JSONRPCMessage): void;
  /** A message of ours was written, with so many bytes. */
  sent(message: JSONRPCMessage, bytes: number): void;
}

/** Longer names are hardly names. */
const MOST_CHARACTERS = 100;

/** Writes a line for each request; `now` is any clock in milliseconds. */
export function openRequestLog(write: (line: string) => void, now: () => number): RequestLog {
  const open = new Map<RequestId, { readonly asked: string; readonly since: number }>();
  const close = (id: RequestId, ending: string) => {
    const request = open.get(id);
    if (request === undefined || !open.delete(id)) return;
    write(`request ${request.asked}: ${(now() - request.since).toFixed(1)} ms, ${ending}`);
  };
  return {
    came: (message) => {
      if (!("method" in message)) return;
      const params = message.params ?? {};
      if ("id" in message) {
        open.set(message.id, {
          asked: subjectOf(message.method, params),
          since: now(),
        });
      } else if (message.method === "notifications/cancelled") {
        close(params["requestId"] as RequestId, "cancelled");
      }
    },
    sent: (message, bytes) => {
      if ("method" in message || message.id === undefined) return;
      close(message.id, `${outcomeOf(message)}, ${bytes} bytes`);
    },
  };
}

/** What is asked: the method, and which tool, prompt or resource it is about. */
export function subjectOf(method: string, params: Readonly<Record<string, unknown>>): string {
  return [method, nameIn(params)].filter(Boolean).join(" ");
}

/** What a request is about: a tool, a prompt or a resource. */
function nameIn(params: Readonly<Record<string, unknown>>): string {
  const ref = params["ref"] as Readonly<Record<string, unknown>> | undefined;
  const name =
    [params["name"], params["uri"], ref?.["name"], ref?.["uri"]].find((value) => typeof value === "string") as
      | string
      | undefined ?? "";
  return name.length > MOST_CHARACTERS ? `${name.slice(0, MOST_CHARACTERS)}…` : name;
}

function outcomeOf(message: JSONRPCMessage): string {
  if ("error" in message) return `error ${message.error.code}`;
  const isFailure = "result" in message &&
    (message.result as { readonly isError?: unknown }).isError === true;
  return isFailure ? "failed" : "ok";
}
