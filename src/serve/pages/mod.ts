/**
 * The pages for people: what is served, where each item comes from, what overrides what, issues, and every text.
 *
 * Plain HTML that loads nothing but our own scripts. Each view is a link that can be bookmarked, and is whole without a
 * script: that of all pages copies texts, and that of the board makes it act and keeps it current.
 */
import { BmadError, type Failure } from "../../base/errors.ts";
import { hideLogins } from "../../base/text.ts";
import { once } from "../../base/work.ts";
import { BOARD_SCRIPT } from "../board/mod.ts";
import { aboutPage } from "./about.ts";
import { BOARD_SCRIPT_PATH, boardPage, boardsPage } from "./board.ts";
import clientScript from "./client.js" with { type: "text" };
import { type Access, connectPage } from "./connect.ts";
import { entryPage, filePage } from "./details.ts";
import { documentPage, documentsPage } from "./documents.ts";
import { type Door, doorPage, programsPage } from "./door.ts";
import { libraryPage } from "./library.ts";
import { listPage, searchPage } from "./lists.ts";
import { type Markup, markup } from "../../base/markup.ts";
import { overviewPage } from "./overview.ts";
import { questionsPage } from "./questions.ts";
import { recordPage } from "./record.ts";
import type { RecordedDeed } from "../../process/record_file.ts";
import { reviewPage, reviewsPage } from "./review.ts";
import { storyPage } from "./story.ts";
import { tracePage } from "./trace.ts";
import { memoryPage } from "./remembered.ts";
import {
  frame,
  link,
  linkedName,
  listTitle,
  projectField,
  type Projects,
  rowList,
  rowOf,
  SCRIPT_PATH,
  type Site,
  type View,
} from "./site.ts";
import { PAGE_STYLE } from "./page_style.ts";

export { ACT_PATH, withBoards } from "./board.ts";
export { RECORD_PATH } from "./record.ts";
export { type BoardStreams, EVENTS_PATH, openBoardStreams, type StreamLimits } from "./live_board.ts";
export type { Project, Projects } from "./site.ts";
export type { Access } from "./connect.ts";
export { type Door, DOOR_PATH } from "./door.ts";

/** What a page is asked for. */
interface Asked {
  readonly site: Site;
  readonly url: URL;
  parameter(key: string): string | undefined;
  /** The row that a long list begins with. */
  readonly from: number;
  access(): Promise<Access>;
}

/** The pages with an address of their own: each is at `/` and its name. */
const PAGES: Readonly<Record<string, (asked: Asked) => View | Promise<View>>> = {
  board: async ({ site, url, parameter }) => {
    const story = parameter("story");
    if (url.searchParams.has("all")) return await boardsPage(site);
    return story === undefined ? await boardPage(site) : await storyPage(site, story);
  },
  trace: ({ site }) => tracePage(site),
  review: async ({ site, parameter }) => {
    const story = parameter("story");
    return story === undefined ? await reviewsPage(site) : await reviewPage(site, story);
  },
  questions: ({ site }) => questionsPage(site),
  documents: ({ site, from }) => documentsPage(site, from),
  memory: ({ site, parameter, from }) => {
    const [id, type, find] = ["id", "type", "find"].map(parameter);
    return memoryPage(site, { id, type, find, from });
  },
  library: ({ site }) => libraryPage(site),
  about: ({ site }) => aboutPage(site),
  connect: async ({ site, url, access }) => connectPage(site, url, await access()),
};

/** The pages from which every other one is found; the first is at `/`. */
const MAIN = ["", "board", "documents", "library", "connect"];

/** Their names. */
export const PAGE_NAMES: readonly string[] = Object.keys(PAGES);

/** The scripts of pages, by their paths. */
const SCRIPTS: Readonly<Record<string, string>> = {
  [SCRIPT_PATH]: clientScript,
  [BOARD_SCRIPT_PATH]: BOARD_SCRIPT,
};

/** Their paths. */
export const SCRIPT_PATHS: readonly string[] = Object.keys(SCRIPTS);

/** The response to a request for a script. */
export function renderScript({ pathname }: URL): Response {
  return new Response(SCRIPTS[pathname], {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache",
    },
  });
}

/** A request for a page: the project, the default for null, its address, and what a client has to send. */
export interface PageRequest {
  readonly wanted: string | null;
  readonly url: URL;
  access(): Promise<Access>;
  /** Lets the script of the page act. */
  readonly proof?: string;
}

/** The response to a request for a page of a project. */
export async function renderPage(
  projects: Projects,
  { wanted, url, access, proof }: PageRequest,
): Promise<Response> {
  const project = projects.find(wanted);
  const site: Site = { projects, project: project ?? projects.find(null)!, proof };
  if (project === undefined) return await notFound(site, `Unknown project “${wanted}”.`);
  const parameter = (key: string) => url.searchParams.get(key) || undefined;
  try {
    const view = await viewFor({ site, url, parameter, access, from: rowFrom(parameter("from")) });
    return await respond(200, await frame(site, view, parameter("q")), view);
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return await notFound(site, ...explain(site, error.failure) ?? [error.message]);
  }
}

/** The response to a request for the record. */
export async function renderRecord(
  projects: Projects,
  { wanted, deeds }: { readonly wanted: string | null; readonly deeds: readonly RecordedDeed[] },
): Promise<Response> {
  const site: Site = { projects, project: projects.find(wanted) ?? projects.find(null)! };
  return await respond(200, await frame(site, recordPage(deeds)));
}

/** What to look at instead of a name that is unknown or ambiguous. */
function explain(site: Site, failure: Failure): [sentence: string, ...more: Markup[]] | undefined {
  if (failure.code === "ambiguous") {
    const rows = failure.candidates.map(({ name, description }) => ({ name, about: description, data: {} }));
    return [`“${failure.name}” matches several items.`, rowList(rows.map((row) => rowOf(site, row)))];
  }
  if (failure.code !== "not-found" || !failure.suggestions?.length) return undefined;
  const links = failure.suggestions.map((name) => linkedName(site, { name }));
  return [
    `No ${failure.what} named “${hideLogins(failure.name)}”.`,
    markup`<h2>Did you mean</h2>${rowList(links)}`,
  ];
}

function rowFrom(text: string | undefined): number {
  return Math.max(0, Math.trunc(Number(text)) || 0);
}

async function viewFor(asked: Asked): Promise<View> {
  const { site, parameter, from } = asked;
  const [q, list, show, uri, doc, page] = ["q", "list", "show", "uri", "doc", "page"].map(parameter);
  if (q !== undefined) return { tab: "library", ...await searchPage(site, q) };
  if (show !== undefined) return await entryPage(site, show, parameter("origin"));
  if (uri !== undefined) return await filePage(site, uri, parameter("raw") !== undefined);
  if (doc !== undefined) return await documentPage(site, doc, parameter("raw") !== undefined);
  if (page !== undefined && Object.hasOwn(PAGES, page)) return await PAGES[page]!(asked);
  if (list === undefined) return await overviewPage(site);
  const [origin, under, find] = ["origin", "under", "find"].map(parameter);
  return await listPage(site, { list, from, origin, under, find });
}

/** The response to a browser that asks for a page that does not exist. */
export async function renderMissing(projects: Projects, { pathname }: URL): Promise<Response> {
  const site: Site = { projects, project: projects.find(null)! };
  return await notFound(site, `Nothing at ${pathname}.`);
}

/** The response to a person who may not see a page. */
export async function renderRefused(projects: Projects, sentence: string): Promise<Response> {
  const site: Site = { projects, project: projects.find(null)! };
  const body = markup`<h1>Not allowed</h1><p class="note bad">${sentence}</p>`;
  return await respond(403, await frame(site, { title: "Not allowed", body }));
}

async function notFound(site: Site, sentence: string, ...more: readonly Markup[]): Promise<Response> {
  const body = markup`<h1>Not found</h1><p class="note bad">${sentence}</p>${more}
<h2>Search for it</h2>
<form action="/" role="search" aria-label="Everything">${
    projectField(site)
  }<input type="search" name="q" placeholder="Stories, documents, agents …" aria-label="Words"><button>Search</button></form>
<h2>Or start here</h2>
<p>${
    MAIN.map((page, at) => [at > 0 && " · ", link(site, { page }, page ? listTitle(page) : "Overview")])
  }</p>`;
  return await respond(404, await frame(site, { title: "Not found", body }));
}

/** Nothing may be loaded, run or sent elsewhere, and no style but ours is applied; scripts are files of this server. */
async function contentPolicy({ script, sends }: Pick<View, "script" | "sends">): Promise<string> {
  const own = script === undefined && !sends ? "" : "; connect-src 'self'";
  return `default-src 'none'; script-src 'self'${own}; style-src ${await styleDigest()}; img-src data:; form-action 'self'; ` +
    `base-uri 'none'; frame-ancestors 'none'`;
}

const styleDigest = once(() => digestOf(PAGE_STYLE));

async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${new Uint8Array(digest).toBase64()}'`;
}

/** The response to a person who has not shown the token. */
export async function renderDoor(
  status: number,
  door: Door,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const response = await respond(status, doorPage(door));
  for (const [name, value] of Object.entries(headers)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}

/** The response to a person who opens an address for programs. */
export async function renderForPrograms(status: number, { pathname }: URL): Promise<Response> {
  return await respond(status, programsPage(pathname));
}

async function respond(
  status: number,
  { text }: Markup,
  needs: Pick<View, "script" | "sends"> = {},
): Promise<Response> {
  return new Response(text, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": await contentPolicy(needs),
      // With none, a browser does not say where a form comes from.
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
