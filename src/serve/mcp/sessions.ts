/**
 * Sessions of 2025 clients over HTTP. Where they are kept, a server that starts goes on with those of the one before it: it
 * repeats what their clients have said to shape them.
 */
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { App } from "../../app.ts";
import { isSamePerson, type Person } from "../../base/roles.ts";
import { type Clock, onAbort } from "../../base/work.ts";
import type { SessionFiles } from "../../process/session_files.ts";
import { authInfoOf, type Journal, type Sender } from "./caller.ts";
import { refuse } from "./reply.ts";
import { isValues } from "../../base/values.ts";
import { appFor, buildServer, type BuiltServer } from "./server.ts";
import { notifyOfChanges } from "./subscriptions.ts";

export interface SessionLimits {
  /** For sessions and for the streams of clients without one, at all endpoints. */
  readonly seats: Seats;
  readonly requests: number;
  readonly idleMs: number;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly person: Person | undefined;
  lastUsed: number;
  requests: number;
  streams: number;
  /** What its client has said to shape it. */
  messages: readonly unknown[];
  /** Ends it; one that is kept can be gone on with. */
  end(isKept?: boolean): Promise<void>;
}

const SWEEP_MS = 60_000;

/** The requests whose effects a session keeps. */
const SHAPING = ["logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
/** More than a client needs; the latest count. */
const MAX_MESSAGES = 200;

export function openSessions(
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

  const begin = async (
    request: Request,
    body: unknown,
    sender: Sender | undefined,
    given?: string,
  ): Promise<Response> => {
    const person = sender?.person;
    const leave = limits.seats.take(person);
    if (leave instanceof Response) return leave;
    const app = appFor(shared, person);
    let built: BuiltServer | undefined;
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
        await built?.mcp.close();
      },
    };
    try {
      built = await buildServer(app, journal, changes.subscriptions);
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
    answer: async (
      request: Request,
      body: unknown,
      ended: AbortSignal,
      sender?: Sender,
    ): Promise<Response> => {
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

/** Each session, and each stream of a client without one, takes a seat of the server. */
interface Seats {
  /** Takes one: what gives it back, or the refusal. Those who share a token count as one. */
  take(person: Person | undefined): (() => void) | Response;
}

/** Of those whom the server tells apart, nobody takes more, so that there is room for others. */
const SHARE = 1 / 4;

export function openSeats(limit: number): Seats {
  const share = Math.max(1, Math.ceil(limit * SHARE));
  /** How many each name has; undefined is the user who runs the program. */
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
