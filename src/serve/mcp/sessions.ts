/**
 * Sessions: how 2025 clients speak to the server over HTTP.
 *
 * A session begins with `initialize` and ends when its client says so, has used up its requests, or has neither sent a
 * request nor kept a stream open for a while. The limit on their number is shared with other endpoints.
 */
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { App } from "../../app.ts";
import { type Clock, onAbort } from "../../base/work.ts";
import type { Journal } from "./caller.ts";
import { refuse } from "./reply.ts";
import { buildServer, type BuiltServer } from "./server.ts";
import { announce, openSubscriptions } from "./subscriptions.ts";

/** The limits of sessions. */
export interface SessionLimits {
  /** How many there may be at a time, the streams of clients without a session included. */
  readonly sessions: number;
  /** How many there are now, at all endpoints that share the limit. */
  taken(): number;
  /** How many requests each may make. */
  readonly requests: number;
  /** After how many milliseconds without a request and an open stream a session ends. */
  readonly idleMs: number;
}

/** The sessions of one endpoint. */
export interface Sessions {
  /** Answers a request of a 2025 client. `ended` is aborted when the response is complete or the client has gone. */
  answer(request: Request, body: unknown, ended: AbortSignal): Promise<Response>;
  /** How many there are, including those that are about to begin. */
  count(): number;
  close(): Promise<void>;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  lastUsed: number;
  requests: number;
  streams: number;
  end(): Promise<void>;
}

/** How often idle sessions are looked for, at least. */
const SWEEP_MS = 60_000;

export function openSessions(app: App, journal: Journal, limits: SessionLimits, clock: Clock): Sessions {
  const sessions = new Map<string, Session>();
  let beginning = 0;
  let cancelSweep: (() => void) | undefined;

  const planSweep = () => cancelSweep ??= clock.after(Math.min(limits.idleMs, SWEEP_MS), sweep);
  const sweep = () => {
    cancelSweep = undefined;
    for (const session of sessions.values()) {
      if (session.streams === 0 && clock.now() - session.lastUsed >= limits.idleMs) void session.end();
    }
    if (sessions.size > 0) planSweep();
  };

  const begin = async (request: Request, body: unknown): Promise<Response> => {
    if (isFull(limits)) return refuseFull(limits);
    // Counted from here on, so that sessions that begin at the same time cannot exceed the limit.
    beginning++;
    let isCounted = true;
    const uncount = () => {
      if (isCounted) beginning--;
      isCounted = false;
    };
    try {
      const session = await openSession(app, journal, clock, {
        begun: (id, session) => {
          sessions.set(id, session);
          uncount();
          planSweep();
        },
        ended: (id) => sessions.delete(id),
      });
      const response = await session.transport.handleRequest(request, { parsedBody: body });
      // The SDK may have refused the request.
      if (session.transport.sessionId === undefined) await session.end();
      return response;
    } finally {
      uncount();
    }
  };

  return {
    answer: async (request, body, ended) => {
      const id = request.headers.get("mcp-session-id");
      const session = sessions.get(id ?? "");
      if (session === undefined) {
        if (id !== null) return refuse(404, "Unknown session: start a new one with initialize");
        return isInitializeRequest(body)
          ? await begin(request, body)
          : refuse(400, "Missing Mcp-Session-Id header: send the one that initialize returned");
      }
      session.lastUsed = clock.now();
      if (++session.requests > limits.requests) {
        void session.end();
        const limit = `Limit of ${limits.requests} requests per session reached (--http-requests)`;
        return refuse(429, `${limit}: start a new session`);
      }
      if (request.method === "GET") {
        session.streams++;
        onAbort(ended, () => {
          session.streams--;
          session.lastUsed = clock.now();
        });
      }
      return await session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
    },
    count: () => sessions.size + beginning,
    close: async () => {
      cancelSweep?.();
      await Promise.all(sessions.values().map((session) => session.end()));
    },
  };
}

/** Whether the limit of sessions and streams is reached. */
export function isFull({ taken, sessions }: SessionLimits): boolean {
  return taken() >= sessions;
}

export function refuseFull({ sessions }: SessionLimits): Response {
  const message = `Limit of ${sessions} sessions reached (--http-sessions): try again later`;
  return refuse(503, message, { "retry-after": "60" });
}

/** Builds a server for one session and connects it. */
async function openSession(
  app: App,
  journal: Journal,
  clock: Clock,
  on: { begun(id: string, session: Session): void; ended(id: string): void },
): Promise<Session> {
  const subscriptions = openSubscriptions(app, (uri) => {
    if (built.mcp.isConnected()) built.mcp.server.sendResourceUpdated({ uri }).catch(journal.bug);
  });
  const built: BuiltServer = await buildServer(app, journal, subscriptions);
  const ignoreChanges = app.onChange((change) => {
    if (built.mcp.isConnected()) announce(change, built, subscriptions).catch(journal.bug);
  });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => on.begun(id, session),
    onsessionclosed: () => void session.end(),
  });
  const session: Session = {
    transport,
    lastUsed: clock.now(),
    requests: 1,
    streams: 0,
    end: async () => {
      ignoreChanges();
      subscriptions.close();
      if (transport.sessionId !== undefined) on.ended(transport.sessionId);
      await built.mcp.close();
    },
  };
  await built.mcp.connect(transport);
  return session;
}
