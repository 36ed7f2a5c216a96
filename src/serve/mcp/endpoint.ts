/**
 * MCP over HTTP, for any number of clients of one project.
 *
 * Clients of 2026-07-28 need nothing to be remembered: each request gets a server of its own. Those of the 2025
 * revisions begin a session, which ends when they say so, when they have not been heard of for a while, or when they
 * have had their share. Who may ask, and how large a request may be, was settled before.
 */
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { App, Change } from "../../app.ts";
import { type Clock, onAbort } from "../../base/work.ts";
import type { Journal } from "./caller.ts";
import { complaintAbout, isFields } from "./requests.ts";
import { buildServer } from "./server.ts";
import { announce, openSubscriptions } from "./subscriptions.ts";

/** What endpoints grant their sessions. */
export interface SessionLimits {
  /** How many there can be at a time, streams on which clients without a session listen among them. */
  readonly sessions: number;
  /** How many there are now, at this endpoint and at all others that share the limit. */
  taken(): number;
  /** How many requests each can make. */
  readonly requests: number;
  /** After how many milliseconds without a request and without an open stream it ends. */
  readonly idleMs: number;
}

/** An address that clients of both eras can speak to. */
export interface Endpoint {
  /**
   * Answers one request. `body` is what it brought, as JSON; undefined when it brought nothing that is. `ended` tells
   * when the client has gone, or has got the whole answer.
   */
  answer(request: Request, body: unknown, ended: AbortSignal): Promise<Response>;
  /** How many sessions there are now, those among them that are just beginning. */
  sessions(): number;
  /** On how many streams clients without a session listen now. */
  streams(): number;
  /** Ends every session and stream. */
  close(): Promise<void>;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  seen: number;
  requests: number;
  streams: number;
  end(): Promise<void>;
}

/** Opens an endpoint of a project. */
export function openEndpoint(
  app: App,
  journal: Journal,
  limits: SessionLimits,
  clock: Clock,
): Endpoint {
  const sessions = new Map<string, Session>();
  const beginning = new Set<symbol>();
  let streams = 0;
  const isFull = () => limits.taken() >= limits.sessions;
  const refuseMore = () =>
    refuse(503, `There are ${limits.sessions} sessions already (--http-sessions): try again later`, {
      "retry-after": "60",
    });
  const listeners = openSubscriptions(app);
  const modern = createMcpHandler(async () => (await buildServer(app, journal)).mcp, {
    legacy: "reject",
    // Ours is the limit that is told with a status.
    maxSubscriptions: Infinity,
    onerror: (error) => journal.debug?.(error.message),
  });
  const tellListeners = async (change: Change) => {
    const { notify } = modern;
    if (change.overview) notify.toolsChanged();
    if (change.entries) notify.promptsChanged();
    if (change.resources) notify.resourcesChanged();
    for (const uri of await listeners.touchedBy(change)) notify.resourceUpdated(uri);
  };
  const ignoreChanges = app.onChange((change) => void tellListeners(change).catch(journal.bug));

  /** Ends the sessions that nobody has used for too long, and looks again when the next may have become one. */
  let calledOff: (() => void) | undefined;
  const sweep = () => {
    calledOff = undefined;
    for (const session of sessions.values()) {
      if (session.streams === 0 && clock.now() - session.seen >= limits.idleMs) void session.end();
    }
    if (sessions.size > 0) calledOff = clock.after(Math.min(limits.idleMs, 60_000), sweep);
  };

  const begin = async (request: Request, body: unknown): Promise<Response> => {
    if (isFull()) return refuseMore();
    // The place is taken before there is a session to count.
    const place = Symbol();
    beginning.add(place);
    try {
      return await beginAt(request, body, () => void beginning.delete(place));
    } finally {
      beginning.delete(place);
    }
  };

  const beginAt = async (request: Request, body: unknown, begun: () => void): Promise<Response> => {
    const subscriptions = openSubscriptions(app);
    const built = await buildServer(app, journal, subscriptions);
    const ignore = app.onChange((change) => {
      if (built.mcp.isConnected()) announce(change, built, subscriptions).catch(journal.bug);
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, session);
        begun();
        calledOff ??= clock.after(Math.min(limits.idleMs, 60_000), sweep);
      },
      onsessionclosed: () => void session.end(),
    });
    const session: Session = {
      transport,
      seen: clock.now(),
      requests: 1,
      streams: 0,
      end: async () => {
        ignore();
        if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
        await built.mcp.close();
      },
    };
    await built.mcp.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody: body });
    // The SDK may have found something wrong with the request.
    if (transport.sessionId === undefined) await session.end();
    return response;
  };
  const answerLegacy = (
    request: Request,
    body: unknown,
    ended: AbortSignal,
  ): Promise<Response> | Response => {
    const id = request.headers.get("mcp-session-id");
    const session = sessions.get(id ?? "");
    if (session === undefined) {
      if (id !== null) return refuse(404, "There is no such session: begin a new one with initialize");
      return isInitializeRequest(body)
        ? begin(request, body)
        : refuse(400, "A request needs the Mcp-Session-Id that initialize was answered with");
    }
    session.seen = clock.now();
    if (++session.requests > limits.requests) {
      void session.end();
      return refuse(
        429,
        `A session ends after ${limits.requests} requests (--http-requests): begin a new one`,
      );
    }
    if (request.method === "GET") {
      session.streams++;
      onAbort(ended, () => {
        session.streams--;
        session.seen = clock.now();
      });
    }
    return session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
  };

  return {
    answer: async (request, body, ended) => {
      const isLegacy = await isLegacyRequest(request, body ?? null);
      const complaint = isFields(body) ? complaintAbout(body) : undefined;
      if (complaint !== undefined) {
        // Clients of the 2025 revisions take any other status for a broken connection.
        return refuse(isLegacy ? 200 : 400, complaint, {}, {
          code: -32602,
          id: (body as { id: string | number }).id,
        });
      }
      if (isLegacy) return answerLegacy(request, body, ended);
      if (isListening(body)) {
        if (isFull()) return refuseMore();
        streams++;
        onAbort(ended, () => streams--);
      }
      listeners.overhearOne(body, ended);
      return modern.fetch(request, { parsedBody: body });
    },
    sessions: () => sessions.size + beginning.size,
    streams: () => streams,
    close: async () => {
      calledOff?.();
      ignoreChanges();
      await modern.close();
      await Promise.all(sessions.values().map((session) => session.end()));
    },
  };
}

/** Whether a message of a client without a session only waits for what may happen. */
export function isListening(message: unknown): boolean {
  return isFields(message) && message["method"] === "subscriptions/listen";
}

/** A refusal that clients of the protocol understand. */
export function refuse(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
  { code = -32000, id = null }: { readonly code?: number; readonly id?: string | number | null } = {},
): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status, headers });
}
