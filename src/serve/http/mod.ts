/**
 * Serving over HTTP: `/mcp` for clients of both protocol eras, `/health`, `/ready`, `/metrics`, and pages for people at `/`.
 *
 * The headers of a request pass the checks of gate.ts and the limits of its client before its body is read; then it is
 * counted and goes to the endpoint of its project. The socket was opened
 * before the rights were dropped (../listener).
 */
import type { Config } from "../../app.ts";
import type { Clock } from "../../base/work.ts";
import type { Admission, Answerer, Arrival, RefusalCounter, Reply, RequestHead } from "../listener/mod.ts";
import { checkTools, isListening, type Journal, refuse, SILENT_MS, subjectOf } from "../mcp/mod.ts";
import { PRODUCT } from "../../base/model.ts";
import { type Place, userFolders } from "../../base/paths.ts";
import { tokenFile, USER_TOKEN } from "../../process/user_token.ts";
import {
  ACT_PATH,
  type BoardStreams,
  DOOR_PATH,
  EVENTS_PATH,
  openBoardStreams,
  PAGE_NAMES,
  renderDoor,
  renderForPrograms,
  renderMissing,
  renderPage,
  renderScript,
  SCRIPT_PATHS,
  withBoards,
} from "../pages/mod.ts";
import { answerAct } from "./board_act.ts";
import { checkSource, corsHeaders, type GateRules, isOwnForm, type Refusal } from "./gate.ts";
import { openInFlight } from "./in_flight.ts";
import { measuresOf } from "./measures.ts";
import { type Metrics, openMetrics } from "./metrics.ts";
import { watchOutcome } from "./outcome.ts";
import { openProjects, type Projects } from "./projects.ts";
import { openProofs } from "./proof.ts";
import { checksOf, openReadiness, type Readiness } from "./readiness.ts";
import { localPath, openTokenCheck, type TokenCheck, type TokenRefusal, withoutToken } from "./token.ts";

export type { Answerer, Arrival, Listener, RefusalCounter } from "../listener/mod.ts";

/** The HTTP service. */
export interface HttpService {
  /** The names of the projects, the default first. */
  readonly projects: readonly string[];
  readonly answer: Answerer;
  /** Counts requests that the listener refused. */
  readonly refused: RefusalCounter;
  /** Fails if the user's settings name a tool that no project has; those of a project's own file are returned. */
  checkTools(): Promise<Config["ignored"]>;
  /** Says to load balancers from now on that it is not ready. */
  stop(): void;
  /** Resolves when no request is under way; streams that only wait for changes do not count. */
  idle(): Promise<void>;
  /** Ends every session and stream. */
  close(): Promise<void>;
}

/** What the service needs from the process. */
export interface HttpHost extends Clock, Pick<Place, "home" | "os" | "env"> {
  memoryUsed(): number;
}

/** A request, and its body as JSON; undefined where it was not read. */
interface JsonRequest extends Arrival {
  readonly message: unknown;
  /** As it was sent. */
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** A request that was let in by its headers. */
interface Entered {
  readonly route: Route;
  /** Counts it no longer among those under way. */
  leave(): void;
}

interface Route {
  readonly methods: readonly string[];
  /** If no token is needed: a load balancer has none. */
  readonly isPublic?: true;
  /** If it is for people. */
  readonly isPage?: true;
  /** If the token is in its body. */
  readonly isDoor?: true;
  answer(asked: JsonRequest): Promise<Response> | Response;
}

/** Opens the service for a configuration. Nothing is read before the first request. */
export function openHttpService(config: Config, host: HttpHost, journal: Journal): HttpService {
  const { settings } = config;
  const rules: GateRules = {
    hosts: settings.allowHosts,
    origins: settings.allowOrigins,
  };
  const limits = {
    sessions: settings.httpSessions,
    requests: settings.httpRequests,
    idleMs: settings.httpIdle * 1_000,
  };
  const inFlight = openInFlight(settings.httpInFlight, host);
  const silent = (closed: AbortSignal) => inFlight.silent(SILENT_MS, closed);
  const projects = openProjects(config, journal, limits, host, silent);
  const metrics = openMetrics();
  const isRandom = config.provenance.token === USER_TOKEN;
  const tokens = openTokenCheck({ token: settings.token, isRandom }, host);
  const file = isRandom ? shownFile(host) : undefined;
  const door: DoorKeeper = {
    tokens,
    turnAway: async (refused, request, to) => {
      metrics.turnAway(refused.reason);
      if (!wantsPage(request)) return refusal(refused);
      const { status, headers, reason, message } = refused;
      const problem =
        { token_missing: undefined, token_wrong: WRONG, token_throttled: `${message}.` }[reason];
      return await renderDoor(status, { to, problem, file }, headers);
    },
  };
  const boards = openBoardStreams(
    { inAll: settings.httpSessions, perClient: settings.httpInFlight },
    host,
  );
  const readiness = openReadiness(checksOf(config, () => projects.find(null)!.app), host);
  const routes = routesOf(projects, metrics, boards, door, host, readiness, settings.token);
  const missing: Route = {
    methods: ["GET", "HEAD"],
    isPage: true,
    answer: ({ url }) => renderMissing(projects, url),
  };

  let isClosed = false;

  /** Lets a request in by its headers, or refuses it. */
  const enter = async ({ request, url, ended, peer }: Arrival): Promise<Response | Entered> => {
    const foreign = checkSource(request, rules);
    if (foreign !== undefined) return refusal(foreign);
    const route = Object.hasOwn(routes, url.pathname)
      ? routes[url.pathname]!
      : isBrowser(request)
      ? missing
      : undefined;
    if (route === undefined) return refuse(404, `Nothing at ${url.pathname}: the MCP endpoint is /mcp`);
    if (request.method === "OPTIONS" && settings.allowOrigins.length > 0) {
      return new Response(null, { status: 204 });
    }
    if (!route.methods.includes(request.method)) {
      const allow = route.methods.join(", ");
      return refuse(405, `${url.pathname} accepts ${allow}`, { allow });
    }
    if (route.isPublic) return { route, leave: inFlight.enterAlways(ended) };
    if (route.isDoor) {
      if (!isOwnForm(request, rules)) return refuse(403, `${url.pathname} is for pages of this server`);
      if (!isSmallForm(request)) return refuse(413, `${url.pathname} accepts at most ${MAX_FORM} bytes`);
    } else {
      const isPage = route.isPage ?? false;
      const stopped = await tokens.check({ request, url, peer, isPage });
      if (stopped instanceof Response) return stopped;
      if (stopped !== undefined) {
        const isLost = !isPage && isBrowser(request);
        if (!isLost) return await door.turnAway(stopped, request, withoutToken(url));
        metrics.turnAway(stopped.reason);
        return await renderForPrograms(stopped.status, url);
      }
    }
    if (isStream(request, url)) return { route, leave: () => {} };
    const leave = inFlight.enter({ peer, ended });
    if (leave !== undefined) return { route, leave };
    const limit = `Limit of ${settings.httpInFlight} requests at a time reached (--http-in-flight)`;
    return refuse(429, `${limit}: wait for one of them`, { "retry-after": "1" });
  };

  /** Counts and logs a request. One that only waits for changes is counted as soon as it has a response. */
  const track = (response: Response, asked: JsonRequest, since: number): Reply => {
    const method = methodOf(asked);
    if (isWaiting(asked)) {
      metrics.note(method, asked.ended.aborted ? "left" : response.ok ? "ok" : "refused");
      return { response };
    }
    const watch = watchOutcome(response, asked.ended, ({ ending, bytes }) => {
      const ms = host.now() - since;
      metrics.note(method, ending, ms / 1_000);
      const { params } = (asked.message ?? {}) as { readonly params?: Readonly<Record<string, unknown>> };
      const subject = subjectOf(method, params ?? {});
      const { status } = response;
      journal.debug?.(`request ${subject}: ${ms} ms, ${ending}, ${bytes} bytes`, {
        ...{ request: subject, ms, outcome: ending, bytes, status },
      });
    });
    return { response, watch };
  };

  return {
    projects: projects.names,
    refused: (_, cause) => {
      metrics.note("http unread", "refused");
      if (cause !== undefined) metrics.turnAway(cause);
    },
    checkTools: async () => {
      // Without a named tool, no project has to be opened.
      if (settings.tools.length + settings.excludeTools.length === 0) return [];
      const checks = projects.names.map((name) => checkTools(projects.find(name)!.app));
      // A tool of an agent may be in one project alone.
      return await Promise.any(checks).catch(() => checks[0]!);
    },
    answer: async (arrival) => {
      const since = host.now();
      const failed = (error: unknown) => refuse(500, `Internal error, see log ${journal.bug(error)}`);
      /** Completes a response, counts and logs it. */
      const finish = (message: unknown, response: Response): Reply => {
        for (const [name, value] of Object.entries(corsHeaders(arrival.request, rules))) {
          response.headers.set(name, value);
        }
        return track(response, { ...arrival, message }, since);
      };
      const entered = isClosed ? refuseStopping() : await enter(arrival).catch(failed);
      if (entered instanceof Response) return finish(undefined, entered);
      return {
        isPublic: entered.route.isPublic ?? false,
        isStranger: entered.route.isDoor ?? false,
        answer: async (body) => {
          const asked = { ...arrival, body, message: parseBody(body) };
          if (isListening(asked.message)) entered.leave();
          const work = async () => await entered.route.answer(asked);
          return finish(asked.message, isClosed ? refuseStopping() : await work().catch(failed));
        },
      } satisfies Admission;
    },
    stop: readiness.stop,
    idle: inFlight.idle,
    close: async () => {
      isClosed = true;
      boards.close();
      await projects.close();
    },
  };
}

/** Connections may outlive what answers. */
function refuseStopping(): Response {
  return refuse(503, "The server is stopping: ask again", { "retry-after": "1" });
}

/** Lets people in. */
interface DoorKeeper {
  readonly tokens: TokenCheck;
  /** The response to a request without the token; a person may try again, for the page at `to`. */
  turnAway(refused: TokenRefusal, request: RequestHead, to: string): Promise<Response>;
}

const WRONG = "That is not the token of this server.";

/** The file of the user's own token, without the user's name. */
function shownFile(host: HttpHost): string | undefined {
  const { state } = userFolders(host);
  const file = state && tokenFile(state);
  return host.home !== undefined && file?.startsWith(`${host.home}/`)
    ? `~${file.slice(host.home.length)}`
    : file;
}

/** Longer than any token and address. */
const MAX_FORM = 16_384;

/** Whether what a stranger sends is small, and says so before it is read; browsers do. */
function isSmallForm({ method, headers }: RequestHead): boolean {
  return method !== "POST" || Number(headers.get("content-length") ?? Infinity) <= MAX_FORM;
}

function routesOf(
  projects: Projects,
  metrics: Metrics,
  boards: BoardStreams,
  { tokens, turnAway }: DoorKeeper,
  host: HttpHost,
  readiness: Readiness,
  token: string | undefined,
): Readonly<Record<string, Route>> {
  const started = host.now();
  const proofs = openProofs(token);
  const pageOf = async (request: RequestHead, url: URL, page = url) =>
    await renderPage(projects, {
      wanted: wantedProject(request, url),
      url: page,
      access: () => tokens.access({ request, url }),
      proof: await proofs.issue(request, url),
    });
  const pageAt = (name: string): Route => ({
    methods: ["GET", "HEAD"],
    isPage: true,
    answer: async ({ request, url }) => {
      const page = new URL(url);
      page.searchParams.set("page", name);
      return await pageOf(request, url, page);
    },
  });
  return {
    "/mcp": {
      methods: ["GET", "POST", "DELETE"],
      answer: ({ request, url, message, ended }) => {
        const wanted = wantedProject(request, url);
        const project = projects.find(wanted);
        if (project === undefined) {
          return refuse(404, `Unknown project "${wanted}". Use one of ${projects.names.join(", ")}`);
        }
        void project.prepare();
        // The SDK wants no more of it than we do.
        return project.endpoint.answer(request as Request, message, ended);
      },
    },
    "/health": {
      methods: ["GET", "HEAD"],
      isPublic: true,
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
    "/ready": { methods: ["GET", "HEAD"], isPublic: true, answer: readiness.answer },
    "/metrics": {
      methods: ["GET", "HEAD"],
      answer: async () => {
        const facts = { uptime: (host.now() - started) / 1_000, memory: host.memoryUsed() };
        return new Response(metrics.render(await measuresOf(projects, facts)), {
          headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
        });
      },
    },
    "/": {
      methods: ["GET", "HEAD"],
      isPage: true,
      answer: ({ request, url }) => pageOf(request, url),
    },
    [DOOR_PATH]: {
      methods: ["GET", "HEAD", "POST"],
      isDoor: true,
      answer: async ({ request, url, peer, body }) => {
        const form = new URLSearchParams(DECODER.decode(body));
        const to = localPath(form.get("to") ?? "/");
        // A page that was reloaded.
        if (request.method !== "POST") return new Response(null, { status: 303, headers: { location: to } });
        const entered = await tokens.enter(form.get("token") ?? "", to, { url, peer });
        return entered instanceof Response ? entered : await turnAway(entered, request, to);
      },
    },
    ...Object.fromEntries(PAGE_NAMES.map((name) => [`/${name}`, pageAt(name)])),
    ...Object.fromEntries(
      SCRIPT_PATHS.map((path): [string, Route] => [path, {
        methods: ["GET", "HEAD"],
        isPage: true,
        answer: ({ url }) => renderScript(url),
      }]),
    ),
    [ACT_PATH]: {
      methods: ["POST"],
      isPage: true,
      answer: (asked) => answerAct(asked, projects.find(wantedProject(asked.request, asked.url)), proofs),
    },
    [EVENTS_PATH]: {
      methods: ["GET"],
      isPage: true,
      answer: async (asked) => {
        const { request, url } = asked;
        if (url.searchParams.has("all")) {
          return await boards.open(withBoards(projects).map(({ app }) => app), asked);
        }
        const project = projects.find(wantedProject(request, url));
        return project === undefined
          ? refuse(404, "Unknown project")
          : await boards.open([project.app], asked);
      },
    },
  };
}

/** Whether a person asks, who should see a page whatever the answer is. */
function isBrowser(request: RequestHead): boolean {
  return (request.method === "GET" || request.method === "HEAD") && wantsPage(request);
}

function wantsPage({ headers }: RequestHead): boolean {
  return /\btext\/html\b/.test(headers.get("accept") ?? "");
}

function wantedProject(request: RequestHead, url: URL): string | null {
  const named = url.search === "" ? null : url.searchParams.get("project");
  return named ?? request.headers.get("x-bmad-project");
}

/** Whether a request only waits for changes. */
function isWaiting({ request, url, message }: JsonRequest): boolean {
  return isStream(request, url) || isListening(message);
}

/** Whether a request opens a stream: that of a session, or of a board. */
function isStream({ method }: RequestHead, { pathname }: URL): boolean {
  return method === "GET" && ["/mcp", EVENTS_PATH].includes(pathname);
}

/** The name under which a request is counted: its protocol method, else its path. */
function methodOf({ request, url: { pathname }, message }: JsonRequest): string {
  if (pathname !== "/mcp") return `http ${pathname}`;
  const { method } = (message ?? {}) as { readonly method?: unknown };
  return typeof method === "string" ? method : `http ${request.method} /mcp`;
}

const DECODER = new TextDecoder();

function parseBody(body: Uint8Array<ArrayBuffer> | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(DECODER.decode(body));
  } catch {
    return undefined;
  }
}

function refusal({ status, message, headers }: Refusal): Response {
  return refuse(status, message, headers);
}
