/**
 * The pages for people: what is served, where each item comes from, what overrides what, issues, and every text.
 *
 * Plain HTML that loads nothing else. Each view is a link that can be bookmarked. Only the board has a script, which keeps it
 * current.
 */
import { BmadError, type Failure } from "../../base/errors.ts";
import { hideLogins } from "../../base/text.ts";
import { once } from "../../base/work.ts";
import { boardPage, boardsPage, storyPage } from "./board.ts";
import { connectPage } from "./connect.ts";
import { entryPage, filePage } from "./details.ts";
import { documentPage, documentsPage } from "./documents.ts";
import { listPage, searchPage } from "./lists.ts";
import { type Markup, markup } from "./markup.ts";
import { overviewPage } from "./overview.ts";
import { reviewPage } from "./review.ts";
import { tracePage } from "./trace.ts";
import { memoryPage } from "./remembered.ts";
import { frame, linkedName, type Projects, rowList, rowOf, type Site, type View } from "./site.ts";
import { STYLE } from "./style.ts";

export { withBoards } from "./board.ts";
export { type BoardStreams, EVENTS_PATH, openBoardStreams, type StreamLimits } from "./live_board.ts";
export type { Project, Projects } from "./site.ts";

/** What a page is asked for. */
interface Asked {
  readonly site: Site;
  readonly url: URL;
  parameter(key: string): string | undefined;
  /** The row that a long list begins with. */
  readonly from: number;
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
    return story === undefined ? await boardPage(site) : await reviewPage(site, story);
  },
  documents: ({ site, from }) => documentsPage(site, from),
  memory: ({ site }) => memoryPage(site),
  connect: ({ site, url }) => connectPage(site, url),
};

/** Their names. */
export const PAGE_NAMES: readonly string[] = Object.keys(PAGES);

/** The response to a request for a page of a project, the default if none is named. */
export async function renderPage(projects: Projects, wanted: string | null, url: URL): Promise<Response> {
  const project = projects.find(wanted);
  const site: Site = { projects, project: project ?? projects.find(null)! };
  if (project === undefined) return await notFound(site, `Unknown project “${wanted}”.`);
  const parameter = (key: string) => url.searchParams.get(key) || undefined;
  try {
    const view = await viewFor(site, url, parameter);
    return await respond(200, await frame(site, view, parameter("q")), view.script);
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return await notFound(site, ...explain(site, error.failure) ?? [error.message]);
  }
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

async function viewFor(
  site: Site,
  url: URL,
  parameter: (key: string) => string | undefined,
): Promise<View> {
  const [q, list, show, uri, doc, page] = ["q", "list", "show", "uri", "doc", "page"].map(parameter);
  const asked = { site, url, parameter, from: Math.max(0, Math.trunc(Number(parameter("from"))) || 0) };
  if (q !== undefined) return await searchPage(site, q);
  if (show !== undefined) return await entryPage(site, show, parameter("origin"));
  if (uri !== undefined) return await filePage(site, uri, parameter("raw") !== undefined);
  if (doc !== undefined) return await documentPage(site, doc, parameter("raw") !== undefined);
  if (page !== undefined && Object.hasOwn(PAGES, page)) return await PAGES[page]!(asked);
  if (list === undefined) return await overviewPage(site);
  const { from } = asked;
  const [origin, under, find] = ["origin", "under", "find"].map(parameter);
  return await listPage(site, { list, from, origin, under, find });
}

/** The response to a browser that asks for a page that does not exist. */
export async function renderMissing(projects: Projects, { pathname }: URL): Promise<Response> {
  const site: Site = { projects, project: projects.find(null)! };
  return await notFound(site, `Nothing at ${pathname}.`);
}

async function notFound(site: Site, sentence: string, ...more: readonly Markup[]): Promise<Response> {
  const body = markup`<h1>Not found</h1><p class="note bad">${sentence}</p>${more}`;
  return await respond(404, await frame(site, { title: "Not found", body }));
}

/** Nothing may be loaded, run or sent elsewhere, and no style but ours is applied; of scripts, only the page's own runs. */
async function contentPolicy(script: string | undefined): Promise<string> {
  const own = script === undefined ? "" : `script-src ${await digestOf(script)}; connect-src 'self'; `;
  return `default-src 'none'; ${own}style-src ${await styleDigest()}; img-src data:; form-action 'self'; ` +
    `base-uri 'none'; frame-ancestors 'none'`;
}

const styleDigest = once(() => digestOf(STYLE));

async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${new Uint8Array(digest).toBase64()}'`;
}

async function respond(status: number, { text }: Markup, script?: string): Promise<Response> {
  return new Response(text, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": await contentPolicy(script),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
