/** Headers pass gate.ts and the limits before a body is read; then routes.ts answers. */
import type { Config } from "../../app.ts";
import { attempt } from "../../base/absence.ts";
import { fail } from "../../base/errors.ts";
import { type Place, userFolders } from "../../base/paths.ts";
import { whyNot } from "../../base/people.ts";
import { accessRuleIn, EVERY, type Person } from "../../base/roles.ts";
import { asText, asValues } from "../../base/values.ts";
import { type Clock, onAbort } from "../../base/work.ts";
import { API_PATH, refuse } from "../api/mod.ts";
import { LIMITS } from "../limits.ts";
import { tokenFile, USER_TOKEN } from "../../process/user_token.ts";
import type { Admission, Arrival, RefusalCounter, Reply, RequestHead } from "../listener/mod.ts";
import { checkTools, isListening, type Journal, SILENT_MS, subjectOf, unitsOf } from "../mcp/mod.ts";
import {
  type Access,
  EVENTS_PATH,
  openBoardStreams,
  renderDoor,
  renderForPrograms,
  renderMissing,
  renderRefused,
} from "../pages/mod.ts";
import { checkSource, corsHeaders, type GateRules, isOwnForm, type Refusal } from "./gate.ts";
import { openInFlight, openLanes, openRates } from "./limits.ts";
import { openKept, rulesOf } from "./access.ts";
import { type Ending, openMetrics, watchOutcome } from "./metrics.ts";
import { openProjects } from "./projects.ts";
import { checksOf, openReadiness } from "./readiness.ts";
import {
  API_EVENTS_PATH,
  clientOf,
  type DoorKeeper,
  type JsonRequest,
  PAGE,
  type Route,
  routesOf,
  wantedProject,
  wantsPage,
} from "./routes.ts";
import { type Admitted, openTokenCheck, withoutToken } from "./token.ts";

export type { Listener } from "../listener/mod.ts";

export type HttpService = ReturnType<typeof openHttpService>;

export interface HttpHost extends Clock, Pick<Place, "home" | "os" | "env"> {
  memoryUsed(): number;
  readonly launch: Access["launch"];
}

export function openHttpService(config: Config, host: HttpHost, journal: Journal) {
  const { settings } = config;
  const rates = openRates(settings.httpRate, host);
  const rules: GateRules = { hosts: settings.allowHosts, origins: settings.allowOrigins };
  const inFlight = openInFlight(settings.httpInFlight, host);
  const enterLane = openLanes(host);
  const silent = (closed: AbortSignal) => inFlight.silent(SILENT_MS, closed);
  const kept = openKept(config, { now: host.now, report: journal.info });
  const projects = openProjects(config, journal, host, silent, kept.sessionsOf, kept.tokens);
  checkAccess(config, projects.names);
  const metrics = openMetrics();
  const isRandom = config.provenance.token === USER_TOKEN;
  const tokens = openTokenCheck(rulesOf(config, kept, { isRandom, report: journal.info }, host), host);
  const file = isRandom ? shownFile(host) : undefined;
  const door: DoorKeeper = {
    tokens,
    turnAway: async (refused, request, to) => {
      metrics.turnAway(refused.reason);
      if (!wantsPage(request)) return refusal(refused);
      const { status, headers, reason, message } = refused;
      const problem = reason === "token_wrong" ? WRONG : `${message}.`;
      return await renderDoor(status, { to, file, ...(reason !== "token_missing" && { problem }) }, headers);
    },
  };
  const boards = openBoardStreams({ inAll: settings.httpSessions, perClient: settings.httpInFlight }, host);
  const readiness = openReadiness(checksOf(config, () => projects.find(null)!.app), host);
  const routes = routesOf({ projects, metrics, boards, door, host, kept, readiness, settings });
  const missing: Route = { ...PAGE, answer: ({ url, projects }) => renderMissing(projects, url) };

  let isClosed = false;

  const enter = async (arrival: Arrival) => {
    const { request, url, ended, peer } = arrival;
    const { pathname } = url;
    const isKnown = Object.hasOwn(routes, pathname) || !pathname.startsWith(`${API_PATH}/`);
    const path = isKnown ? pathname : API_PATH;
    const known = Object.hasOwn(routes, path) ? routes[path] : undefined;
    const foreign = checkSource(request, { ...rules, isForAll: known?.isForAll });
    if (foreign !== undefined) return refusal(foreign);
    const route = known ?? (isBrowser(request) ? missing : undefined);
    if (route === undefined) return refuse(404, `Nothing at ${url.pathname}: the MCP endpoint is /mcp`);
    if (request.method === "OPTIONS" && settings.allowOrigins.length > 0) {
      return new Response(null, { status: 204 });
    }
    const methods = typeof route.methods === "function" ? route.methods(pathname) : route.methods;
    if (methods?.includes(request.method) === false) {
      const allow = methods.join(", ");
      return refuse(405, `${url.pathname} accepts ${allow}`, { allow });
    }
    let admitted: Admitted = { person: undefined };
    if (route.needs === "nothing" && !route.isDoor) {
      return { route, ...admitted, leave: inFlight.enterAlways(ended) };
    }
    if (route.isDoor) {
      if (!isOwnForm(request, rules)) return refuse(403, `${url.pathname} is for pages of this server`);
      if (!isSmallForm(request)) {
        return refuse(413, `${url.pathname} accepts at most ${LIMITS.http.formBytes} bytes`);
      }
    } else {
      const isPage = route.isPage ?? false;
      const checked = await tokens.check({ ...arrival, isPage, takesCookie: route.takesCookie });
      if (checked instanceof Response) return checked;
      if ("reason" in checked) {
        const isLost = !isPage && isBrowser(request);
        if (!isLost) return await door.turnAway(checked, request, withoutToken(url));
        metrics.turnAway(checked.reason);
        return await renderForPrograms(checked.status, url);
      }
      admitted = checked;
      const refused = checked.person && await refusalOf(route, arrival, checked.person);
      if (refused !== undefined) return refused;
    }
    const { person } = admitted;
    if (isStream(request, url)) return { route, ...admitted, leave: () => {} };
    const leave = inFlight.enter({ peer: clientOf(peer, person), ended });
    return leave === undefined ? refuseBusy() : { route, ...admitted, leave };
  };

  const refuseBusy = () => {
    const limit = `Limit of ${settings.httpInFlight} requests at a time reached (--http-in-flight)`;
    return refuse(429, `${limit}: wait for one of them`, { "retry-after": "1" });
  };

  const refusalOf = async (
    { needs }: Route,
    { request, url: { pathname } }: Arrival,
    person: Person,
  ): Promise<Response | undefined> => {
    const own = projects.for(person);
    if (own.names.length === 0) return refuse(403, "You may use no project of this server: ask its owner");
    const why = needs === "nothing" ? undefined : whyNot(person, needs);
    if (why !== undefined) {
      const sentence = `Cannot open ${pathname}: ${why}`;
      return isBrowser(request) ? await renderRefused(own, `${sentence}.`) : refuse(403, sentence);
    }
    return limitRate(person, 1);
  };

  const limitRate = (person: Person | undefined, count: number): Response | undefined => {
    const wait = person?.name === undefined ? 0 : rates.take(person.name, count);
    if (wait === 0) return undefined;
    const limit = `Limit of ${settings.httpRate} requests per minute reached (--http-rate)`;
    return refuse(429, limit, { "retry-after": String(Math.ceil(wait / 1_000)) });
  };

  const track = (response: Response, asked: JsonRequest, since: number): Reply => {
    const method = methodOf(asked);
    const { person, projects } = asked;
    const note = (ending: Ending, seconds?: number) => {
      metrics.note(method, ending, seconds);
      if (person?.name === undefined) return;
      const wanted = wantedProject(asked.request, asked.url) ?? projects.home;
      metrics.noteUse(person.name, projects.names.includes(wanted) ? wanted : "", ending);
    };
    if (isWaiting(asked)) {
      note(asked.ended.aborted ? "left" : response.ok ? "ok" : "refused");
      return { response };
    }
    const watch = watchOutcome(response, asked.ended, ({ ending, bytes }) => {
      const ms = host.now() - since;
      note(ending, ms / 1_000);
      const subject = subjectOf(method, asValues(asValues(asked.message)["params"]));
      const { status } = response;
      const facts = { request: subject, ms, outcome: ending, bytes, status };
      const text = `request ${subject}: ${ms} ms, ${ending}, ${bytes} bytes`;
      const { id, person: { name } = {} } = asked;
      if (name === undefined) journal.debug?.(text, facts);
      else journal.debug?.(`${text}, ${name}, ${id}`, { ...facts, name, id });
    });
    return { response, watch };
  };

  return {
    projects: projects.names,
    paths: Object.keys(routes),
    refused: ((_, cause) => {
      metrics.note("http unread", "refused");
      if (cause !== undefined) metrics.turnAway(cause);
    }) satisfies RefusalCounter,
    /** Fails for the user's own unknown tools; returns those that a project's file names. */
    checkTools: async (): Promise<Config["ignored"]> => {
      if (settings.tools.length + settings.excludeTools.length === 0) return [];
      const checks = projects.names.map((name) => checkTools(projects.find(name)!.app));
      // A tool of an agent may be in one project alone.
      return await Promise.any(checks).catch(() => checks[0]!);
    },
    answer: async (arrival: Arrival): Promise<Reply | Admission> => {
      const since = host.now();
      const failed = (error: unknown) => refuse(500, `Internal error, see log ${journal.bug(error)}`);
      const id = crypto.randomUUID();
      const finish = (
        message: unknown,
        response: Response,
        person?: Person,
        own = projects.for(person),
      ): Reply => {
        for (const [name, value] of Object.entries(corsHeaders(arrival.request, rules))) {
          response.headers.set(name, value);
        }
        return track(response, { ...arrival, message, person, id, projects: own }, since);
      };
      const entered = isClosed ? refuseStopping() : await enter(arrival).catch(failed);
      if (entered instanceof Response) return finish(undefined, entered);
      return {
        isPublic: entered.route.needs === "nothing" && !entered.route.isDoor,
        isStranger: entered.route.isDoor ?? false,
        answer: async (body) => {
          const { person, isGood, isByCookie } = entered;
          const own = projects.for(person);
          const message = body && attempt(() => JSON.parse(DECODER.decode(body)));
          const asked = { ...arrival, body, message, person, isGood, isByCookie, id, projects: own };
          if (isListening(message)) entered.leave();
          const work = async () => {
            // Somebody's token may have ended while they sent the body.
            if (isGood?.() === false) return refuse(401, "Invalid token");
            // Older clients may send several at once.
            const more = Array.isArray(message) ? Math.max(1, message.length) - 1 : 0;
            const client = clientOf(arrival.peer, person);
            if (more > 0 && inFlight.enter({ peer: client, ended: arrival.ended }, more) === undefined) {
              return refuseBusy();
            }
            const limited = limitRate(person, unitsOf(message) - 1);
            if (limited !== undefined) return limited;
            if (entered.route.needs !== "nothing" && isWork(asked)) await enterLane(client, arrival.ended);
            return await entered.route.answer(asked);
          };
          // What is still under way when everything is closed may fail by that.
          const ended = (error: unknown) => isClosed ? refuseStopping() : failed(error);
          const response = isClosed ? refuseStopping() : await work().catch(ended);
          const isWatched = isGood !== undefined && isWaiting(asked);
          const sent = isWatched ? endWith(response, isGood, arrival.ended, host) : response;
          return finish(message, sent, person, own);
        },
      };
    },
    stop: readiness.stop,
    /** Streams that only wait for changes do not count. */
    idle: inFlight.idle,
    close: async (): Promise<void> => {
      isClosed = true;
      boards.close();
      await projects.close();
    },
  };
}

/** A rule about a project that is not served would protect nothing. */
function checkAccess({ settings, provenance }: Config, names: readonly string[]): void {
  const known = [...names, EVERY];
  const strange = settings.access.flatMap((text) => accessRuleIn(text) ?? [])
    .find(({ project }) => !known.includes(project));
  if (strange === undefined) return;
  const problem = `this server has no project ${JSON.stringify(strange.project)}, only ${names.join(", ")}`;
  fail({ code: "invalid-config", setting: "access", source: provenance.access, problem });
}

function refuseStopping(): Response {
  return refuse(503, "The server is stopping: ask again", { "retry-after": "1" });
}

const WRONG = "That is not the token of this server.";

/** Without the user's name. */
function shownFile(host: HttpHost): string | undefined {
  const { state } = userFolders(host);
  const file = state && tokenFile(state);
  return host.home !== undefined && file?.startsWith(`${host.home}/`)
    ? `~${file.slice(host.home.length)}`
    : file;
}

/** The size of a stranger's form must be declared before it is read; browsers do so. */
function isSmallForm({ method, headers }: RequestHead): boolean {
  return method !== "POST" || Number(headers.get("content-length") ?? Infinity) <= LIMITS.http.formBytes;
}

/** How long a stream may outlive its token. */
const REVOKED_MS = 1_000;

function endWith(response: Response, isGood: () => boolean, ended: AbortSignal, clock: Pick<Clock, "after">) {
  if (response.body === null) return response;
  const gone = new AbortController();
  const look = () => {
    if (!isGood()) gone.abort();
    else cancel = clock.after(REVOKED_MS, look);
  };
  let cancel = clock.after(REVOKED_MS, look);
  onAbort(ended, () => cancel());
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  // What is piped ends with an error, which only says that somebody left.
  response.body.pipeTo(writable, { signal: gone.signal }).catch(() => {});
  return new Response(readable, response);
}

function isBrowser(request: RequestHead): boolean {
  return (request.method === "GET" || request.method === "HEAD") && wantsPage(request);
}

function isWaiting({ request, url, message }: JsonRequest): boolean {
  return isStream(request, url) || isListening(message);
}

/** What a client tells us, and what it answers to us, is never held up. */
function isWork(asked: JsonRequest): boolean {
  if (isWaiting(asked)) return false;
  const { message, url: { pathname } } = asked;
  if (pathname !== "/mcp" || Array.isArray(message)) return true;
  const { method, id } = asValues(message);
  return id !== undefined && asText(method)?.includes("/") === true;
}

function isStream({ method }: RequestHead, { pathname }: URL): boolean {
  return method === "GET" && ["/mcp", EVENTS_PATH, API_EVENTS_PATH].includes(pathname);
}

function methodOf({ request, url: { pathname }, message }: JsonRequest): string {
  if (pathname.startsWith(`${API_PATH}/`)) return `http ${API_PATH}`;
  if (pathname !== "/mcp") return `http ${pathname}`;
  return asText(asValues(message)["method"]) ?? `http ${request.method} /mcp`;
}

const DECODER = new TextDecoder();

function refusal({ status, message, headers }: Refusal): Response {
  return refuse(status, message, headers);
}
