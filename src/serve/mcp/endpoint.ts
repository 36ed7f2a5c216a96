/** In 2026 each request gets its own server, 2025 clients have sessions. */
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpRequestContext,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { App, Change } from "../../app.ts";
import { leaveLocks } from "../../process/lock.ts";
import { isSamePerson, type Person } from "../../base/roles.ts";
import { isValues } from "../../base/values.ts";
import { type Clock, onAbort } from "../../base/work.ts";
import type { SessionFiles } from "../../process/session_files.ts";
import { authInfoOf, type Journal, type Sender, senderIn } from "./caller.ts";
import { refuse } from "./reply.ts";
import { problemWith } from "./request_checks.ts";
import { appFor, buildServer, buildServerFor, type BuiltServer } from "./server.ts";
import { LISTEN, notifyOfChanges, openSubscriptions } from "./subscriptions.ts";

export type Endpoint = ReturnType<typeof openEndpoint>;

export function openEndpoint(
  shared: App,
  journal: Journal,
  limits: SessionLimits,
  clock: Clock,
  keeper?: SessionFiles,
) {
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
    /** `ended` is aborted when the response is complete or the client has gone. */
    answer: async (request: Request, body: unknown, ended: AbortSignal, sender?: Sender) => {
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
        const leave = limits.capacity.take(sender?.person);
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
    close: async (): Promise<void> => {
      ignoreChanges();
      subscriptions.close();
      await modern.close();
      await sessions.close();
    },
  };
}

/** Certain if true. The SDK, which always knows, takes its time. */
function isModern({ headers }: Request, body: unknown): boolean {
  return headers.get("mcp-protocol-version") === "2026-07-28" && isValues(body) && "method" in body &&
    "id" in body;
}

export function isListening(message: unknown): boolean {
  return isValues(message) && message["method"] === LISTEN;
}

interface SessionLimits {
  readonly capacity: Capacity;
  readonly requests: number;
  readonly idleMs: number;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly person: Person | undefined;
  lastUsed: number;
  requests: number;
  streams: number;
  messages: readonly unknown[];
  end(isKept?: boolean): Promise<void>;
}

const SWEEP_MS = 60_000;

/** The requests whose effects a session keeps. */
const SHAPING = ["logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
/** More than a client needs; the latest count. */
const MAX_MESSAGES = 200;

function openSessions(
  shared: App,
  journal: Journal,
  limits: SessionLimits,
  clock: Clock,
  keeper?: SessionFiles,
) {
  const sessions = new Map<string, Session>();
  let cancelSweep: (() => void) | undefined;

  const planSweep = () => cancelSweep ??= clock.after(Math.min(limits.idleMs, SWEEP_MS), sweep);
  const sweep = () => {
    cancelSweep = undefined;
    for (const session of sessions.values()) {
      if (session.streams === 0 && clock.now() - session.lastUsed >= limits.idleMs) void session.end();
      else if (session.transport.sessionId !== undefined) keeper?.touch(session.transport.sessionId);
    }
    if (sessions.size > 0) planSweep();
  };

  const begin = async (request: Request, body: unknown, sender: Sender | undefined, given?: string) => {
    const person = sender?.person;
    const leave = limits.capacity.take(person);
    if (leave instanceof Response) return leave;
    const app = appFor(shared, person);
    let built: BuiltServer | undefined;
    // Not the id of the session, which nobody else may know.
    const seat = crypto.randomUUID();
    const changes = notifyOfChanges(app, () => built, journal.bug);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => given ?? crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, session);
        if (given === undefined) keep(id, session);
        planSweep();
      },
      onsessionclosed: () => void session.end(),
    });
    const session: Session = {
      transport,
      person,
      lastUsed: clock.now(),
      requests: 1,
      streams: 0,
      messages: [body],
      end: async (isKept = false) => {
        changes.close();
        leave();
        const { sessionId } = transport;
        if (sessionId !== undefined && sessions.delete(sessionId) && !isKept) keeper?.remove(sessionId);
        leaveLocks(seat);
        await built?.mcp.close();
      },
    };
    try {
      built = await buildServer(app, journal, { id: seat }, changes.subscriptions);
      await built.mcp.connect(transport);
      return await transport.handleRequest(request, optionsOf(body, sender));
    } finally {
      // The SDK may have refused the request.
      if (transport.sessionId === undefined) await session.end();
    }
  };

  const keep = (id: string, { person, messages }: Session) =>
    keeper?.save(id, { ...(person !== undefined && { person }), messages });

  const resume = async (id: string, { url }: Request, sender: Sender | undefined): Promise<void> => {
    const kept = keeper?.find(id);
    if (kept === undefined || !isSamePerson(kept.person, sender?.person)) return;
    const [initialize, ...messages] = kept.messages;
    if (!isInitializeRequest(initialize)) return;
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const begun = await begin(new Request(url, { method: "POST", headers }), initialize, sender, id);
    await begun.text();
    const session = sessions.get(id);
    for (const message of [INITIALIZED, ...messages]) {
      const said = new Request(url, { method: "POST", headers: { ...headers, "mcp-session-id": id } });
      const answer = await session?.transport.handleRequest(said, optionsOf(message, sender));
      await answer?.text();
    }
    if (session !== undefined) session.messages = kept.messages;
  };
  const resuming = new Map<string, Promise<void>>();

  return {
    /** A session is that of the person who began it: nobody else finds it. */
    answer: async (request: Request, body: unknown, ended: AbortSignal, sender?: Sender) => {
      const id = request.headers.get("mcp-session-id");
      if (id !== null && keeper !== undefined && !sessions.has(id)) {
        // Several requests of one session may arrive first.
        const under = resuming.get(id) ?? resume(id, request, sender).finally(() => resuming.delete(id));
        resuming.set(id, under);
        await under;
      }
      const session = sessions.get(id ?? "");
      if (session === undefined || !isSamePerson(session.person, sender?.person)) {
        if (id !== null) return refuse(404, "Unknown session: start a new one with initialize");
        return isInitializeRequest(body)
          ? await begin(request, body, sender)
          : refuse(400, "Missing Mcp-Session-Id header: send the one that initialize returned");
      }
      session.lastUsed = clock.now();
      session.requests += Array.isArray(body) ? body.length : 1;
      if (session.requests > limits.requests) {
        void session.end();
        const limit = `Limit of ${limits.requests} requests per session reached (--http-requests)`;
        return refuse(429, `${limit}: start a new session`);
      }
      if (isValues(body) && SHAPING.includes(String(body["method"]))) {
        const [initialize, ...others] = session.messages;
        session.messages = [initialize, ...[...others, body].slice(-MAX_MESSAGES)];
        keep(id!, session);
      }
      if (request.method === "GET") {
        session.streams++;
        onAbort(ended, () => {
          session.streams--;
          session.lastUsed = clock.now();
        });
      }
      return await session.transport.handleRequest(request, optionsOf(body, sender));
    },
    count: () => sessions.size,
    close: async () => {
      cancelSweep?.();
      sessions.forEach((_, id) => keeper?.touch(id));
      await Promise.all(sessions.values().map((session) => session.end(true)));
    },
  };
}

function optionsOf(body: unknown, sender: Sender | undefined) {
  return {
    ...(body !== undefined && { parsedBody: body }),
    ...(sender !== undefined && { authInfo: authInfoOf(sender) }),
  };
}

const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

interface Capacity {
  /** Gives back a function that frees it, or the refusal. Those who share a token count as one. */
  take(person: Person | undefined): (() => void) | Response;
}

/** Nobody takes more, so that there is room for others. */
const SHARE = 1 / 4;

export function openCapacity(limit: number): Capacity {
  const share = Math.max(1, Math.ceil(limit * SHARE));
  /** Undefined is the user who runs the program. */
  const taken = new Map<string | undefined, number>();
  const full = (status: number, sentence: string) =>
    refuse(status, `${sentence} reached (--http-sessions): try again later`, { "retry-after": "60" });
  return {
    take: (person) => {
      const name = person && (person.name ?? "");
      const own = taken.get(name) ?? 0;
      const all = taken.values().reduce((sum, count) => sum + count, 0);
      if (all >= limit) return full(503, `Limit of ${limit} sessions`);
      if (name !== undefined && own >= share) return full(429, `Limit of ${share} sessions of one person`);
      taken.set(name, own + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        const left = taken.get(name)! - 1;
        if (left > 0) taken.set(name, left);
        else taken.delete(name);
      };
    },
  };
}
