/**
 * Serving over HTTP: `/mcp` for clients of both protocol eras, `/health`, `/metrics` and a page for people at `/`.
 *
 * A request passes the checks of gate.ts, is counted, and goes to the endpoint of its project. What listens was opened
 * before the rights were dropped and is handed in.
 */
import type { Config } from "../config/mod.ts";
import type { Arrival } from "../listener.ts";
import { type EndpointClock, type Journal, refuse } from "../mcp/mod.ts";
import { PRODUCT } from "../model.ts";
import { checkSource, checkToken, corsHeaders, type GateRules, type Refusal } from "./gate.ts";
import { type Gauge, openMetrics, type Outcome } from "./metrics.ts";
import { renderPage } from "./page.ts";
import { openProjects, type Projects } from "./projects.ts";

/** What serves HTTP. */
export interface HttpService {
  /** The projects that can be asked for, the usual one first. */
  readonly projects: readonly string[];
  /** Answers one request, whatever it is. */
  answer(arrival: Arrival): Promise<Response>;
  /** Settles when nothing is being answered; streams that only wait for something to happen do not count. */
  idle(): Promise<void>;
  /** Ends every session and stream. */
  close(): Promise<void>;
}

/** What the service needs of the process. */
export interface HttpHost extends EndpointClock {
  /** In bytes: the memory that the process takes. */
  memoryUsed(): number;
}

/** What stands behind each path. */
interface Route {
  readonly methods: readonly string[];
  /** Whether everybody may ask who gets so far: a load balancer has no token. */
  readonly isOpen?: true;
  answer(arrival: Arrival & { readonly message: unknown }, url: URL): Promise<Response> | Response;
}

/** Makes the service of a configuration. Nothing is read before somebody asks. */
export function openHttpService(config: Config, host: HttpHost, journal: Journal): HttpService {
  const { settings } = config;
  const rules: GateRules = {
    token: settings.token,
    hosts: settings.allowHosts,
    origins: settings.allowOrigins,
  };
  const limits = {
    sessions: settings.httpSessions,
    requests: settings.httpRequests,
    idleMs: settings.httpIdle * 1_000,
  };
  const projects = openProjects(config, journal, limits, host);
  const metrics = openMetrics();
  const inFlight = new Map<string, number>();
  const begun = host.now();
  let busy = 0;
  let rest = Promise.withResolvers<void>();

  const routes: Readonly<Record<string, Route>> = {
    "/mcp": {
      methods: ["GET", "POST", "DELETE"],
      answer: ({ request, message, ended }, url) => {
        const wanted = url.searchParams.get("project") ?? request.headers.get("x-bmad-project");
        const project = projects.find(wanted);
        if (project === undefined) {
          return refuse(404, `There is no project "${wanted}": there is ${projects.names.join(", ")}`);
        }
        return project.endpoint.answer(request, message, ended);
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
      answer: async () =>
        new Response(metrics.render(await gaugesOf(projects, host, begun)), {
          headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
        }),
    },
    "/": {
      methods: ["GET", "HEAD"],
      answer: (_arrival, url) => renderPage(projects, url),
    },
  };

  const answer = async (arrival: Arrival & { readonly message: unknown }): Promise<Response> => {
    const { request, peer } = arrival;
    const url = new URL(request.url);
    const route = Object.hasOwn(routes, url.pathname) ? routes[url.pathname]! : undefined;
    const refused = checkSource(request, rules);
    if (refused !== undefined) return plainRefusal(refused);
    if (route === undefined) {
      return plainRefusal({ status: 404, message: `There is nothing at ${url.pathname}: MCP is at /mcp` });
    }
    if (request.method === "OPTIONS" && settings.allowOrigins.length > 0) {
      return new Response(null, { status: 204 });
    }
    if (!route.methods.includes(request.method)) {
      const message = `${url.pathname} takes ${route.methods.join(", ")}`;
      return plainRefusal({ status: 405, message, headers: { allow: route.methods.join(", ") } });
    }
    const unknown = route.isOpen ? undefined : await checkToken(request, rules);
    if (unknown !== undefined) return plainRefusal(unknown);
    const busy = inFlight.get(peer) ?? 0;
    if (busy >= settings.httpInFlight) {
      const message = `${busy} requests of yours are being answered (--http-in-flight): wait for one of them`;
      return plainRefusal({ status: 429, message, headers: { "retry-after": "1" } });
    }
    inFlight.set(peer, busy + 1);
    try {
      return await route.answer(arrival, url);
    } finally {
      const left = inFlight.get(peer)! - 1;
      if (left === 0) inFlight.delete(peer);
      else inFlight.set(peer, left);
    }
  };

  return {
    projects: projects.names,
    answer: async (arrival) => {
      const from = host.now();
      const message = parseBody(arrival.body);
      if (!isWaiting(arrival.request, message)) {
        if (busy++ === 0) rest = Promise.withResolvers();
        // The signal tells that the whole answer was sent, or that nobody wants it.
        arrival.ended.addEventListener("abort", () => --busy === 0 ? rest.resolve() : undefined);
      }
      let response: Response;
      try {
        response = await answer({ ...arrival, message });
      } catch (error) {
        response = refuse(500, `Internal error, see log ${journal.bug(error)}`);
      }
      for (const [name, value] of Object.entries(corsHeaders(arrival.request, rules))) {
        response.headers.set(name, value);
      }
      metrics.note(
        methodOf(arrival.request, message),
        outcomeOf(response.status),
        (host.now() - from) / 1_000,
      );
      return response;
    },
    idle: async () => busy === 0 ? undefined : await rest.promise,
    close: () => projects.close(),
  };
}

/** Whether a request only waits for what may happen. */
function isWaiting({ method, url }: Request, message: unknown): boolean {
  if (method === "GET") return new URL(url).pathname === "/mcp";
  return (message as { readonly method?: unknown } | undefined)?.method === "subscriptions/listen";
}

/** What is counted: the method of the protocol, else the path. */
function methodOf(request: Request, message: unknown): string {
  const { pathname } = new URL(request.url);
  if (pathname !== "/mcp") return `http ${pathname}`;
  const { method } = (message ?? {}) as { readonly method?: unknown };
  return typeof method === "string" ? method : `http ${request.method}`;
}

function outcomeOf(status: number): Outcome {
  return status < 400 ? "ok" : status < 500 ? "refused" : "failed";
}

/** A body as JSON; undefined when it is none. */
function parseBody(body: Uint8Array<ArrayBuffer> | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

function plainRefusal(
  { status, message, headers }: Omit<Refusal, "status"> & { readonly status: number },
): Response {
  return refuse(status, message, headers);
}

async function gaugesOf(projects: Projects, host: HttpHost, begun: number): Promise<readonly Gauge[]> {
  const opened = await Promise.all(
    projects.opened().map(async ({ name, app, endpoint }) => ({
      name,
      endpoint,
      overview: await app.overview(),
      diagnostics: await app.diagnostics(),
    })),
  );
  return [
    {
      name: "bmad_mcp_info",
      help: "The version that is running.",
      values: [{ value: 1, labels: { version: PRODUCT.version } }],
    },
    {
      name: "bmad_mcp_uptime_seconds",
      help: "How long it has been running.",
      values: [{ value: (host.now() - begun) / 1_000 }],
    },
    {
      name: "bmad_mcp_resident_memory_bytes",
      help: "The memory that the process takes.",
      values: [{ value: host.memoryUsed() }],
    },
    {
      name: "bmad_mcp_sessions",
      help: "Sessions of clients of the 2025 revisions.",
      values: opened.map(({ name, endpoint }) => ({ value: endpoint.sessions(), labels: { project: name } })),
    },
    {
      name: "bmad_mcp_origin_things",
      help: "Things found in each origin.",
      values: opened.flatMap(({ name, overview }) =>
        overview.origins.map(({ origin, things }) => ({
          value: things,
          labels: { project: name, origin: origin.id },
        }))
      ),
    },
    {
      name: "bmad_mcp_diagnostics",
      help: "What was found wrong, by how grave it is.",
      values: opened.flatMap(({ name, diagnostics }) =>
        ["error", "warning", "info"].map((level) => ({
          value: diagnostics.filter((each) => each.level === level).length,
          labels: { project: name, level },
        }))
      ),
    },
  ];
}
