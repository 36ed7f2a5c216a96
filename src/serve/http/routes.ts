import type { Config } from "../../app.ts";
import { BmadError, describe, failMissing, forbid } from "../../base/errors.ts";
import { MAX_OWNER, PRODUCT } from "../../base/model.ts";
import { hasRight, type Person, type Right } from "../../base/roles.ts";
import { oneLine, shorten } from "../../base/text.ts";
import { type Seat, seatId } from "../../base/work.ts";
import { answerApi, API_PATH, describeApi, eventsOf, methodsAt, refuse, refuseHere } from "../api/mod.ts";
import { act, canAct, refusalOf, type Refused } from "../board/mod.ts";
import { LIMITS } from "../limits.ts";
import type { Arrival, RequestHead } from "../listener/mod.ts";
import { boardDeed, type Sender } from "../mcp/mod.ts";
import type * as Pages from "../pages/mod.ts";
import {
  type Access,
  ACT_PATH,
  type BoardStreams,
  DOOR_PATH,
  EVENTS_PATH,
  PAGE_NAMES,
  RECORD_PATH,
  renderPage,
  renderRecord,
  renderRefusal,
  renderScript,
  SCRIPT_PATHS,
  withBoards,
} from "../pages/mod.ts";
import { type Kept, METADATA_PATHS, resourceMetadata, resourceOf } from "./access.ts";
import { CARD_TYPE, cardOf, CATALOG_TYPE, catalogOf, publish } from "./cards.ts";
import { isFromElsewhere, isOwnForm, isSameOrigin } from "./gate.ts";
import { measuresOf, type Metrics } from "./metrics.ts";
import type { Project, Projects } from "./projects.ts";
import type { Readiness } from "./readiness.ts";
import { localPath, openProofs, type TokenCheck, type TokenRefusal } from "./token.ts";

export interface JsonRequest extends Arrival {
  readonly message: unknown;
  readonly person?: Person;
  readonly isGood?: (() => boolean) | undefined;
  readonly isByCookie?: true | undefined;
  readonly id: string;
  readonly projects: Pages.Projects<Project>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

export interface Route {
  readonly methods: readonly string[] | typeof methodsAt;
  /** `nothing` if no token is needed: a load balancer has none. */
  readonly needs: Right | "nothing";
  readonly isPage?: true;
  readonly takesCookie?: true;
  readonly isForAll?: true;
  /** Its token is in the body. */
  readonly isDoor?: true;
  answer(asked: JsonRequest): Promise<Response> | Response;
}

export const API_EVENTS_PATH = `${API_PATH}/events`;

const GET = ["GET", "HEAD"] as const;
export const PAGE = { methods: GET, needs: "read", isPage: true } as const;
const PUBLIC = { methods: GET, needs: "nothing" } as const;

export interface DoorKeeper {
  readonly tokens: TokenCheck;
  turnAway(refused: TokenRefusal, request: RequestHead, to: string): Promise<Response>;
}

interface RouteTools {
  readonly projects: Projects;
  readonly metrics: Metrics;
  readonly boards: BoardStreams;
  readonly door: DoorKeeper;
  readonly host: { now(): number; memoryUsed(): number; readonly launch: Access["launch"] };
  readonly kept: Kept;
  readonly readiness: Readiness;
  readonly settings: Config["settings"];
}

export function routesOf(
  { projects: all, metrics, boards, door: { tokens, turnAway }, host, kept, readiness, settings }: RouteTools,
): Readonly<Record<string, Route>> {
  const started = host.now();
  const proofs = openProofs(kept.secret ?? settings.token);
  const projectOf = (
    { request, url, ended, projects }: JsonRequest,
    wanted = wantedProject(request, url),
  ): Project | undefined => {
    const project = projects.find(wanted);
    if (project !== undefined) all.hold(project.name, ended);
    return project;
  };
  const senderOf = ({ person, isGood, address, id }: JsonRequest, project: string): Sender => ({
    person,
    record: (deed) => {
      // A request may be at work for a while, and a batch for long.
      if (isGood?.() === false) forbid("change anything", "your token has ended");
      kept.record({ person, address, request: id, project, deed });
    },
  });
  const pageOf = async (asked: JsonRequest, page = asked.url) => {
    const { request, url, projects } = asked;
    projectOf(asked);
    return await renderPage(projects, {
      wanted: wantedProject(request, url),
      url: page,
      access: async () => ({ ...await tokens.access({ request, url }), launch: host.launch }),
      proof: await proofs.issue(asked),
    });
  };
  const pageAtPath = async (asked: JsonRequest) => {
    const page = new URL(asked.url);
    page.searchParams.set("page", page.pathname.slice(1));
    return await pageOf(asked, page);
  };
  const rows = (paths: readonly string[], row: Route) => Object.fromEntries(paths.map((path) => [path, row]));
  return {
    "/mcp": {
      methods: ["GET", "POST", "DELETE"],
      needs: "read",
      answer: async (asked) => {
        const { request, message, ended } = asked;
        const project = projectOf(asked);
        if (project === undefined) return refuseUnknown(asked);
        void project.prepare();
        // The SDK wants no more of it than we do.
        const sender = senderOf(asked, project.name);
        await project.settled;
        return await project.endpoint.answer(request as Request, message, ended, sender);
      },
    },
    "/health": {
      ...PUBLIC,
      answer: async () => {
        const { agents, workflows, origins } = await all.find(null)!.app.overview();
        return Response.json({
          status: "ready",
          name: PRODUCT.name,
          version: PRODUCT.version,
          projects: all.names.length,
          agents,
          workflows,
          origins: origins.length,
        });
      },
    },
    "/ready": { ...PUBLIC, answer: readiness.answer },
    "/metrics": {
      methods: GET,
      needs: "read",
      answer: async ({ projects, person }) => {
        const facts = { uptime: (host.now() - started) / 1_000, memory: host.memoryUsed() };
        const opened = all.opened().filter(({ name }) => projects.names.includes(name));
        const seesAll = person === undefined ||
          hasRight(person.role, "audit") && person.projects === undefined;
        const isOwn = (name: string, project: string) =>
          project === "" ? seesAll || name === person.name : projects.names.includes(project);
        return new Response(metrics.render(await measuresOf(opened, facts), isOwn), {
          headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
        });
      },
    },
    ...(settings.oidcIssuer !== undefined &&
      rows(METADATA_PATHS, { ...PUBLIC, answer: ({ url }) => resourceMetadata(settings, url) })),
    [RECORD_PATH]: {
      methods: GET,
      needs: "audit",
      isPage: true,
      answer: async ({ request, url, projects }) => {
        const deeds = kept.latest(LIMITS.http.deeds, ({ project }) => projects.names.includes(project));
        if (!wantsPage(request)) return Response.json({ items: deeds }, { headers: NOT_KEPT });
        return await renderRecord(projects, { wanted: wantedProject(request, url), deeds });
      },
    },
    [API_PATH]: {
      methods: methodsAt,
      needs: "read",
      takesCookie: true,
      answer: async (asked) => {
        const { request, url, body, projects } = asked;
        const refused = request.method === "POST" ? refusedForm(asked) : undefined;
        return refused ?? await refusedCookie(asked, proofs) ?? await answerApi({
          method: request.method,
          url,
          body: asked.message,
          isUnread: body !== undefined && asked.message === undefined,
          open: async (named) => {
            const wanted = named ?? wantedProject(request, url);
            const project = projectOf(asked, wanted);
            if (project === undefined) {
              return failMissing("project", String(wanted), { known: projects.names });
            }
            await project.settled;
            const app = project.app.forRequest({ signal: asked.ended, seat: seatOf(asked) });
            return { app, record: senderOf(asked, project.name).record };
          },
        });
      },
    },
    "/": { ...PAGE, answer: (asked) => pageOf(asked) },
    [DOOR_PATH]: {
      methods: ["GET", "HEAD", "POST"],
      needs: "nothing",
      isDoor: true,
      answer: async ({ request, url, peer, body }) => {
        const form = new URLSearchParams(new TextDecoder().decode(body));
        const to = localPath(form.get("to") ?? "/");
        // A page that was reloaded.
        if (request.method !== "POST") return new Response(null, { status: 303, headers: { location: to } });
        const entered = await tokens.enter(form.get("token") ?? "", to, { url, peer });
        return entered instanceof Response ? entered : await turnAway(entered, request, to);
      },
    },
    ...rows(PAGE_NAMES.map((name) => `/${name}`), { ...PAGE, answer: pageAtPath }),
    ...rows(SCRIPT_PATHS, { ...PAGE, answer: ({ url }) => renderScript(url) }),
    [ACT_PATH]: {
      methods: ["POST"],
      needs: "work",
      isPage: true,
      answer: async (asked) => {
        const project = projectOf(asked);
        const sender = senderOf(asked, project?.name ?? "");
        const form = formIn(asked);
        if (form === undefined) return answerAct(asked, project, proofs, sender);
        const { proof, ...message } = form;
        const answer = await answerAct({ ...asked, message }, project, proofs, sender, proof);
        return answerForm(asked, message, answer, await proofs.issue(asked));
      },
    },
    [`${API_PATH}/openapi.json`]: {
      methods: GET,
      needs: "read",
      takesCookie: true,
      answer: async () => Response.json(await describeApi()),
    },
    "/mcp/server-card": {
      ...PUBLIC,
      isForAll: true,
      answer: ({ url }) => publish(CARD_TYPE, cardOf(resourceOf(settings, url))),
    },
    "/.well-known/ai-catalog.json": {
      ...PUBLIC,
      isForAll: true,
      answer: ({ url }) => publish(CATALOG_TYPE, catalogOf(resourceOf(settings, url))),
    },
    [API_EVENTS_PATH]: {
      methods: ["GET"],
      needs: "read",
      takesCookie: true,
      answer: async (asked) => {
        const { ended, peer, person } = asked;
        const refused = await refusedCookie(asked, proofs);
        if (refused !== undefined) return refused;
        const project = projectOf(asked);
        if (project === undefined) return refuseUnknown(asked);
        return await boards.open([project.app], { ended, peer: clientOf(peer, person) }, eventsOf)
          .catch(refuseHere);
      },
    },
    [EVENTS_PATH]: {
      methods: ["GET"],
      needs: "read",
      isPage: true,
      answer: async (asked) => {
        const { url, projects, ended } = asked;
        const client = { ended, peer: clientOf(asked.peer, asked.person) };
        if (url.searchParams.has("all")) {
          const some = withBoards(projects);
          for (const { name } of some) all.hold(name, ended);
          return await boards.open(some.map(({ app }) => app), client);
        }
        const project = projectOf(asked);
        return project === undefined
          ? refuse(404, "Unknown project")
          : await boards.open([project.app], client);
      },
    },
  };
}

const NOT_KEPT = { "cache-control": "no-store" };

function refuseUnknown({ request, url, projects: { names } }: JsonRequest): Response {
  const name = String(wantedProject(request, url));
  return refuse(404, describe({ code: "not-found", what: "project", name, known: names }));
}

/** A named person counts as one client at every address. */
export function clientOf(peer: string, person: Person | undefined): string {
  return person?.name === undefined ? peer : `@${person.name}`;
}

export function wantsPage({ headers }: RequestHead): boolean {
  return /\btext\/html\b/.test(headers.get("accept") ?? "");
}

export function wantedProject(request: RequestHead, url: URL): string | null {
  const named = url.search === "" ? null : url.searchParams.get("project");
  return named ?? request.headers.get("x-bmad-project");
}

/** A page of another origin can send anything else without asking first whether it may. */
function refusedForm({ request }: JsonRequest): Response | undefined {
  return isJson(request) ? undefined : refuse(415, "Expected content-type application/json");
}

/** What a browser sends by itself is no proof that its user wants a change, or to be listened to. */
async function refusedCookie(asked: JsonRequest, proofs: ReturnType<typeof openProofs>) {
  const { request, url: { pathname }, isByCookie } = asked;
  const isRead = request.method !== "POST" && pathname !== API_EVENTS_PATH;
  if (!isByCookie || isRead) return undefined;
  const isOwn = request.method === "POST" ? isSameOrigin(request) : isOwnForm(request, { origins: [] });
  if (isOwn && !isFromElsewhere(request) && await proofs.isValid(asked)) return undefined;
  return refuse(403, "With a cookie, this takes x-bmad-proof and the Origin of a page of this server");
}

/** Programs have no session: all that use one token are one seat, told apart by their names. */
function seatOf({ request: { headers }, person }: JsonRequest): Seat {
  const { id: token, name = "user" } = person ?? {};
  const [agent = "api"] = /^[^/\s]+/.exec(headers.get("user-agent") ?? "") ?? [];
  const client = shorten(oneLine(agent), MAX_OWNER);
  return { client, id: seatId(`${token ?? name} ${client}`), ...(token !== undefined && { token }) };
}

function isJson({ headers }: RequestHead): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers.get("content-type") ?? "");
}

/** Only our own page may act: any other in the same browser would act in the name of its user. */
async function answerAct(
  asked: JsonRequest,
  project: Project | undefined,
  proofs: ReturnType<typeof openProofs>,
  { record }: Sender,
  proof?: string,
): Promise<Response> {
  const { request, message, body, person } = asked;
  if (!isSameOrigin(request)) return refused(403, { message: "Only a page of this server can act" });
  if (proof === undefined && !isJson(request)) return refused(415, { message: "Expected application/json" });
  if (!await proofs.isValid(asked, proof)) {
    return refused(403, { message: "The page is out of date: reload it", isOutdated: true });
  }
  if (project === undefined) return refused(404, { message: "Unknown project" });
  if (!canAct(project.app)) return refused(403, { message: "This server is read-only" });
  const { actBytes } = LIMITS.board;
  if ((body?.length ?? 0) > actBytes) return refused(413, { message: `Expected at most ${actBytes} bytes` });
  if (message === undefined) return refused(400, { message: "Expected JSON" });
  try {
    await project.settled;
    const app = await project.app.recording(boardDeed(message), record);
    return Response.json(await act(app, message, person?.name), { headers: NOT_KEPT });
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    // What the project refuses, the page shows. A browser would also complain about the status of an error.
    return refused(error.failure.code === "invalid-input" ? 400 : 200, refusalOf(error));
  }
}

/** From a page without scripts. Of several fields with one name, the last that is filled counts. */
function formIn({ request, body }: JsonRequest): Readonly<Record<string, string>> | undefined {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get("content-type") ?? "")) {
    return undefined;
  }
  const fields = [...new URLSearchParams(new TextDecoder().decode(body))].filter(([, value]) => value !== "");
  return { proof: "", ...Object.fromEntries(fields) };
}

async function answerForm(
  { request, url, projects }: JsonRequest,
  fields: Readonly<Record<string, string>>,
  answer: Response,
  proof: string,
): Promise<Response> {
  const { refused } = await answer.json();
  if (refused !== undefined) {
    return await renderRefusal(
      projects,
      { wanted: wantedProject(request, url), fields, refused, proof },
      answer.status,
    );
  }
  const from = URL.parse(request.headers.get("referer") ?? "", url) ?? new URL(url);
  // After a refusal, or without a referer.
  const isHere = from.pathname === ACT_PATH;
  if (isHere) from.pathname = "/board";
  const about = fields["story"] ?? fields["epic"];
  if (isHere && about !== undefined) from.searchParams.set("story", about);
  const { pathname, search } = from;
  return new Response(null, { status: 303, headers: { location: localPath(pathname + search) } });
}

function refused(
  status: number,
  refused: Partial<Refused> & { readonly message: string; readonly isOutdated?: true },
): Response {
  return Response.json({ refused }, { status, headers: NOT_KEPT });
}
