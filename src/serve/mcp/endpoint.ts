/** MCP over HTTP, for the clients of one project: in 2026 each request gets its own server, 2025 clients have sessions. */
import { createMcpHandler, isLegacyRequest, type McpRequestContext } from "@modelcontextprotocol/server";
import type { App, Change } from "../../app.ts";
import { type Clock, onAbort } from "../../base/work.ts";
import type { SessionFiles } from "../../process/session_files.ts";
import { authInfoOf, type Journal, type Sender, senderIn } from "./caller.ts";
import { refuse } from "./reply.ts";
import { isValues } from "../../base/values.ts";
import { problemWith } from "./request_checks.ts";
import { appFor, buildServerFor } from "./server.ts";
import { openSessions, type SessionLimits } from "./sessions.ts";
import { LISTEN, openSubscriptions } from "./subscriptions.ts";

export interface Endpoint {
  /** `ended` is aborted when the response is complete or the client has gone. */
  answer(request: Request, body: unknown, ended: AbortSignal, sender?: Sender): Promise<Response>;
  sessions(): number;
  /** On how many streams clients without a session wait for changes. */
  streams(): number;
  close(): Promise<void>;
}

export function openEndpoint(
  shared: App,
  journal: Journal,
  limits: SessionLimits,
  clock: Clock,
  keeper?: SessionFiles,
): Endpoint {
  const sessions = openSessions(shared, journal, limits, clock, keeper);
  let streams = 0;
  // The SDK has compared the header with the message.
  const build = ({ requestInfo, authInfo }: McpRequestContext) => {
    const app = appFor(shared, senderIn(authInfo)?.person);
    return buildServerFor(requestInfo!.headers, app, journal);
  };
  const modern = createMcpHandler(build, {
    legacy: "reject",
    // Our own limit answers with a status.
    maxSubscriptions: Infinity,
    onerror: (error) => journal.debug?.(error.message),
  });
  const subscriptions = openSubscriptions(shared, (uri) => modern.notify.resourceUpdated(uri));
  const announce = async (change: Change) => {
    const { notify } = modern;
    if (change.overview) notify.toolsChanged();
    if (change.entries) notify.promptsChanged();
    if (change.resources) notify.resourcesChanged();
    for (const uri of await subscriptions.affectedBy(change)) notify.resourceUpdated(uri);
  };
  const ignoreChanges = shared.onChange((change) => void announce(change).catch(journal.bug));

  return {
    answer: async (request, body, ended, sender) => {
      // The SDK would read the body itself, but it has been read already.
      if (request.method === "POST" && body === undefined) {
        return refuse(400, "The body is not a JSON-RPC message", {}, { code: -32700 });
      }
      const isLegacy = !isModern(request, body) && await isLegacyRequest(request, body ?? null);
      const problem = isValues(body) ? problemWith(body) : undefined;
      if (problem !== undefined) {
        // 2025 clients take any other status for a broken connection.
        const { id } = body as { id: string | number };
        return refuse(isLegacy ? 200 : 400, problem, {}, { code: -32602, id });
      }
      if (isLegacy) return await sessions.answer(request, body, ended, sender);
      if (isListening(body)) {
        const leave = limits.seats.take(sender?.person);
        if (leave instanceof Response) return leave;
        streams++;
        onAbort(ended, () => {
          streams--;
          leave();
        });
      }
      subscriptions.observeRequest(body, ended);
      if (isListening(body)) await subscriptions.ready();
      return await modern.fetch(request, {
        parsedBody: body,
        ...(sender && { authInfo: authInfoOf(sender) }),
      });
    },
    sessions: sessions.count,
    streams: () => streams,
    close: async () => {
      ignoreChanges();
      subscriptions.close();
      await modern.close();
      await sessions.close();
    },
  };
}

/** Whether a request is certainly not of a 2025 client. The SDK, which always knows, takes its time over it. */
function isModern({ headers }: Request, body: unknown): boolean {
  return headers.get("mcp-protocol-version") === "2026-07-28" && isValues(body) && "method" in body &&
    "id" in body;
}

export function isListening(message: unknown): boolean {
  return isValues(message) && message["method"] === LISTEN;
}
