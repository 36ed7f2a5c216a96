/**
 * Serving over HTTP: `/mcp` for clients of both protocol eras, `/health`, `/metrics` and pages for people at `/`.
 *
 * A request passes the checks of gate.ts, is counted, and goes to the endpoint of its project. What listens was opened
 * before the rights were dropped and is handed in.
 */
import type { Config } from "../../app.ts";
import { type Clock, onAbort } from "../../base/work.ts";
import type { Answerer, Arrival, RefusalCounter } from "../listener.ts";
import { isListening, type Journal, refuse, subjectOf } from "../mcp/mod.ts";
import { PRODUCT } from "../../base/model.ts";
import { followAnswer, type Outcome } from "./answer.ts";
import { checkSource, checkToken, corsHeaders, type GateRules, type Refusal } from "./gate.ts";
import { measuresOf } from "./measures.ts";
import { openMetrics } from "./metrics.ts";
import { renderPage } from "./page.ts";
import { openProjects } from "./projects.ts";

export type { Answerer, Arrival, Listener, RefusalCounter } from "../listener.ts";

/** What serves HTTP. */
export interface HttpService {
  /** The projects that can be asked for, the usual one first. */
  readonly projects: readonly string[];
  /** Answers one request, whatever it is. */
  readonly answer: Answerer;
  /** Counts what was refused before it was a request. */
  readonly refused: RefusalCounter;
  /** Settles when nothing is being answered; streams that only wait for something to happen do not count. */
  idle(): Promise<void>;
  /** Ends every session and stream. */
  close(): Promise<void>;
}

/** What the service needs of the process. */
export interface HttpHost extends Clock {
  /** In bytes: the memory that the process takes. */
  memoryUsed(): number;
}

/** A request, and what it brought as JSON. */
interface Asked extends Arrival {
  readonly message: unknown;
}

/** What stands behind each path. */
interface Route {
  readonly methods: readonly string[];
  /** Whether everybody may ask who gets so far: a load balancer has no token. */
  readonly isOpen?: true;
  answer(asked: Asked, url: URL): Promise<Response> | Response;
}

/** Makes the service of a configuration. Nothing is read before somebody asks. */
export function openHttpService(config: Config, host: HttpHost, journal: Journal): HttpService {
  const { settings } = config;
  const rules: GateRules = {
    token: settings.token,
    hosts: settings.allowHosts,
    origins: settings.allowOrigins,
  };
  const projects = openProjects(config, journal, {
    sessions: settings.httpSessions,
    requests: settings.httpRequests,
    idleMs: settings.httpIdle * 1_000,
  }, host);
  const metrics = openMetrics();
  const begun = host.now();
  /** How many requests of each client are being answered. */
  const inFlight = new Map<string, number>();
  let rest = Promise.withResolvers<void>();

  const routes: Readonly<Record<string, Route>> = {
    "/mcp": {
      methods: ["GET", "POST", "DELETE"],
      answer: ({ request, message, ended }, url) => {
        const wanted = wantedProject(request, url);
        const project = projects.find(wanted);
        if (project !== undefined) return project.endpoint.answer(request, message, ended);
        return refuse(404, `There is no project "${wanted}": there is ${projects.names.join(", ")}`);
      },
    },
    "/health": {
      methods: ["GET", "HEAD"],
      isOpen: true,
      answer: async () => {
        const { agents, workflows, origins } = await projects.find(null)!.app.overview();
        return Response.json({
          status: "ready",
          name: PRODUCT.name,
          version: PRODUCT.version,
          projects: projects.names.length,
          agents,
          workflows,
          origins: origins.length,
        });
      },
    },
    "/metrics": {
      methods: ["GET", "HEAD"],
      answer: async () => {
        const facts = { uptime: (host.now() - begun) / 1_000, memory: host.memoryUsed() };
        return new Response(metrics.render(await measuresOf(projects, facts)), {
          headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
        });
      },
    },
    "/": {
      methods: ["GET", "HEAD"],
      answer: ({ request }, url) => renderPage(projects, wantedProject(request, url), url),
    },
  };

  /** Counts a request as being answered until its answer was taken; false when its client has too many already. */
  const enter = ({ peer, ended }: Arrival): boolean => {
    const busy = inFlight.get(peer) ?? 0;
    if (busy >= settings.httpInFlight) return false;
    if (inFlight.size === 0) rest = Promise.withResolvers();
    inFlight.set(peer, busy + 1);
    onAbort(ended, () => {
      const left = inFlight.get(peer)! - 1;
      if (left > 0) inFlight.set(peer, left);
      else inFlight.delete(peer);
      if (inFlight.size === 0) rest.resolve();
    });
    return true;
  };

  const answer = async (asked: Asked): Promise<Response> => {
    const { request } = asked;
    const url = new URL(request.url);
    const foreign = checkSource(request, rules);
    if (foreign !== undefined) return refusal(foreign);
    const route = Object.hasOwn(routes, url.pathname) ? routes[url.pathname]! : undefined;
    if (route === undefined) return refuse(404, `There is nothing at ${url.pathname}: MCP is at /mcp`);
    if (request.method === "OPTIONS" && settings.allowOrigins.length > 0) {
      return new Response(null, { status: 204 });
    }
    if (!route.methods.includes(request.method)) {
      const allow = route.methods.join(", ");
      return refuse(405, `${url.pathname} takes ${allow}`, { allow });
    }
    const unknown = route.isOpen ? undefined : await checkToken(request, rules);
    if (unknown !== undefined) return refusal(unknown);
    if (!isWaiting(asked) && !enter(asked)) {
      const most = `${settings.httpInFlight} requests of yours are being answered (--http-in-flight)`;
      return refuse(429, `${most}: wait for one of them`, { "retry-after": "1" });
    }
    return await route.answer(asked, url);
  };

  /** Counts and logs what was asked. A request that only waits is counted as soon as it is answered at all. */
  const follow = async (response: Response, asked: Asked, from: number): Promise<Response> => {
    const method = methodOf(asked);
    if (isWaiting(asked)) {
      metrics.note(method, asked.ended.aborted ? "left" : response.ok ? "ok" : "refused");
      return response;
    }
    return await followAnswer(response, asked.ended, ({ ending, bytes }: Outcome) => {
      const ms = host.now() - from;
      metrics.note(method, ending, ms / 1_000);
      const { params } = (asked.message ?? {}) as { readonly params?: Readonly<Record<string, unknown>> };
      journal.debug?.(`request ${subjectOf(method, params ?? {})}: ${ms} ms, ${ending}, ${bytes} bytes`);
    });
  };

  return {
    projects: projects.names,
    refused: () => metrics.note("http unread", "refused"),
    answer: async (arrival) => {
      const from = host.now();
      const asked = { ...arrival, message: parseBody(arrival.body) };
      let response: Response;
      try {
        response = await answer(asked);
      } catch (error) {
        response = refuse(500, `Internal error, see log ${journal.bug(error)}`);
      }
      for (const [name, value] of Object.entries(corsHeaders(arrival.request, rules))) {
        response.headers.set(name, value);
      }
      return await follow(response, asked, from);
    },
    idle: async () => inFlight.size === 0 ? undefined : await rest.promise,
    close: () => projects.close(),
  };
}

/** The project that a request names, if it names one. */
function wantedProject(request: Request, url: URL): string | null {
  return url.searchParams.get("project") ?? request.headers.get("x-bmad-project");
}

/** Whether a request only waits for what may happen. */
function isWaiting({ request: { method, url }, message }: Asked): boolean {
  return method === "GET" ? new URL(url).pathname === "/mcp" : isListening(message);
}

/** What is counted: the method of the protocol, else the path. */
function methodOf({ request, message }: Asked): string {
  const { pathname } = new URL(request.url);
  if (pathname !== "/mcp") return `http ${pathname}`;
  const { method } = (message ?? {}) as { readonly method?: unknown };
  return typeof method === "string" ? method : `http ${request.method} /mcp`;
}

/** A body as JSON; undefined when it is none. */
function parseBody(body: Uint8Array<ArrayBuffer> | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

function refusal({ status, message, headers }: Refusal): Response {
  return refuse(status, message, headers);
}
