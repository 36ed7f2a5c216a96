/**
 * One debug line for every answered request: what was asked, how long it took, how it ended, how many bytes were sent.
 *
 * Only names and numbers: what a user wrote and what a file contains is never logged.
 */
import type { Fields } from "../../process/lines.ts";
import type { LogFields } from "./caller.ts";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";

const MAX_CHARACTERS = 100;

/** Writes a line for each request; `now` is any clock in milliseconds. */
export function openRequestLog(write: (line: string, fields: LogFields) => void, now: () => number) {
  const open = new Map<RequestId, { readonly subject: string; readonly since: number }>();
  const close = (id: RequestId, outcome: string, bytes?: number) => {
    const request = open.get(id);
    if (request === undefined || !open.delete(id)) return;
    const { subject } = request, ms = (now() - request.since).toFixed(1);
    const sent = bytes === undefined ? "" : `, ${bytes} bytes`;
    const fields = { request: subject, ms: Number(ms), outcome, ...(bytes !== undefined && { bytes }) };
    write(`request ${subject}: ${ms} ms, ${outcome}${sent}`, fields);
  };
  return {
    received: (message: JSONRPCMessage): void => {
      if (!("method" in message)) return;
      const params = message.params ?? {};
      if ("id" in message) {
        open.set(message.id, { subject: subjectOf(message.method, params), since: now() });
      } else if (message.method === "notifications/cancelled") {
        close(params["requestId"] as RequestId, "cancelled");
      }
    },
    sent: (message: JSONRPCMessage, bytes: number): void => {
      if ("method" in message || message.id === undefined) return;
      close(message.id, outcomeOf(message), bytes);
    },
  };
}

/** What a request is about: its method, and the tool, prompt or resource that it names. */
export function subjectOf(method: string, params: Fields): string {
  const ref = params["ref"] as Fields | undefined;
  const name =
    [params["name"], params["uri"], ref?.["name"], ref?.["uri"]].find((value) => typeof value === "string") as
      | string
      | undefined ?? "";
  const shown = name.length > MAX_CHARACTERS ? `${name.slice(0, MAX_CHARACTERS)}…` : name;
  return [method, shown].filter(Boolean).join(" ");
}

function outcomeOf(message: JSONRPCMessage): string {
  if ("error" in message) return `error ${message.error.code}`;
  return "result" in message && message.result["isError"] === true ? "failed" : "ok";
}
