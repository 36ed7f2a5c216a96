/** Plain HTML that loads nothing but our own scripts, and is whole without them. */
import { BmadError, type Failure } from "../../base/errors.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { hideLogins } from "../../base/text.ts";
import { once } from "../../base/work.ts";
import { undecided } from "../../handlers.ts";
import type { RecordEntry } from "../../process/record_file.ts";
import { BOARD_SCRIPT, type Refused } from "../board/mod.ts";
import { refusalView } from "./acts.ts";
import { apiPage } from "./api.ts";
import { aboutPage, recordPage } from "./about.ts";
import { BOARD_SCRIPT_PATH, boardPage, boardsPage } from "./board.ts";
import clientScript from "./client.js" with { type: "text" };
import { type Access, connectPage, type Door, doorPage, programsPage } from "./connect.ts";
import { documentPage, documentsPage, memoryPage } from "./documents.ts";
import { entryPage, filePage, libraryPage, listPage, searchPage } from "./items.ts";
import { overviewPage } from "./overview.ts";
import {
  everythingForm,
  frame,
  itemRow,
  linkedName,
  linkedStory,
  mainLinks,
  PAGE_STYLE,
  type Projects,
  rowList,
  SCRIPT_PATH,
  type Site,
  type View,
} from "./site.ts";
import { questionsPage, reviewPage, reviewsPage, storyPage, tracePage } from "./stories.ts";

export { RECORD_PATH } from "./about.ts";
export { ACT_PATH, type BoardStreams, EVENTS_PATH, openBoardStreams, withBoards } from "./board.ts";
export { type Access, DOOR_PATH } from "./connect.ts";
export type { Project, Projects } from "./site.ts";

interface Asked {
  readonly site: Site;
  readonly url: URL;
  parameter(key: string): string | undefined;
  readonly from: number;
  access(): Promise<Access>;
}

const PAGES: Readonly<Record<string, (asked: Asked) => View | Promise<View>>> = {
  board: async ({ site, url, parameter }) => {
    const story = parameter("story");
    const { app } = site.project;
    const isAll = url.searchParams.has("all") || (story === undefined && undecided(app) !== undefined);
    if (isAll) return await boardsPage(site);
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
  api: () => apiPage(),
  connect: async ({ site, url, access }) => connectPage(site, url, await access()),
};

/** Others are about one project: where none is current, people choose first. */
const OF_PLACE: readonly string[] = ["board", "library", "about", "connect"];

export const PAGE_NAMES: readonly string[] = Object.keys(PAGES);

const SCRIPTS: Readonly<Record<string, string>> = {
  [SCRIPT_PATH]: clientScript,
  [BOARD_SCRIPT_PATH]: BOARD_SCRIPT,
};

export const SCRIPT_PATHS: readonly string[] = Object.keys(SCRIPTS);

export function renderScript({ pathname }: URL): Response {
  return new Response(SCRIPTS[pathname], {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache",
    },
  });
}

interface PageRequest {
  readonly wanted: string | null;
  readonly url: URL;
  access(): Promise<Access>;
  readonly proof?: string;
}

export async function renderPage(
  projects: Projects,
  { wanted, url, access, proof }: PageRequest,
): Promise<Response> {
  const site: Site = { ...siteOf(projects, wanted), proof };
  if (projects.find(wanted) === undefined) return await notFound(site, `Unknown project “${wanted}”.`);
  const parameter = (key: string) => url.searchParams.get(key) || undefined;
  const from = Math.max(0, Math.trunc(Number(parameter("from"))) || 0);
  try {
    const view = await viewFor({ site, url, parameter, access, from });
    return await respond(200, await frame(site, view, parameter("q")), view);
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    const story = parameter("story");
    if (error.failure.code === "not-allowed" && story !== undefined) {
      const way = markup`<p>${linkedStory(site, story, "Open the story")}</p>`;
      return await notFound(site, error.message, way, "Not possible yet");
    }
    const [sentence, more] = explain(site, error.failure) ?? [error.message];
    return await notFound(site, sentence, more);
  }
}

function explain(site: Site, failure: Failure): [sentence: string, more: Markup] | undefined {
  if (failure.code === "ambiguous") {
    const rows = failure.candidates.map(({ name, description: about }) =>
      itemRow(site, { name, about, data: {} })
    );
    return [`“${failure.name}” matches several items.`, rowList(rows)];
  }
  if (failure.code !== "not-found" || !failure.suggestions?.length) return undefined;
  const links = failure.suggestions.map((name) => linkedName(site, name));
  return [
    `No ${failure.what} named “${hideLogins(failure.name)}”.`,
    markup`<h2>Did you mean</h2>${rowList(links)}`,
  ];
}

async function viewFor(asked: Asked): Promise<View> {
  const { site, parameter, from } = asked;
  const [q, list, show, uri, doc, page] = ["q", "list", "show", "uri", "doc", "page"].map(parameter);
  const [origin, under, find] = ["origin", "under", "find"].map(parameter);
  const isRaw = parameter("raw") !== undefined;
  if (q !== undefined) return await searchPage(site, q);
  if (show !== undefined) return await entryPage(site, show, origin);
  if (uri !== undefined) return await filePage(site, uri, isRaw);
  const isOfMany = undecided(site.project.app) !== undefined && (doc ?? page) !== undefined &&
    !OF_PLACE.includes(page ?? "");
  if (isOfMany) return await overviewPage(site);
  if (doc !== undefined) return await documentPage(site, doc, isRaw);
  if (page !== undefined && Object.hasOwn(PAGES, page)) return await PAGES[page]!(asked);
  if (list === undefined) return await overviewPage(site);
  return await listPage(site, { list, from, origin, under, find });
}

function siteOf(projects: Projects, wanted: string | null = null): Site {
  return { projects, project: projects.find(wanted) ?? projects.find(null)! };
}

export async function renderRecord(
  projects: Projects,
  { wanted, deeds }: { readonly wanted: string | null; readonly deeds: readonly RecordEntry[] },
): Promise<Response> {
  const site = siteOf(projects, wanted);
  return await respond(200, await frame(site, recordPage(deeds)));
}

export async function renderMissing(projects: Projects, { pathname }: URL): Promise<Response> {
  return await notFound(siteOf(projects), `Nothing at ${pathname}.`);
}

export async function renderRefused(projects: Projects, sentence: string): Promise<Response> {
  const body = markup`<h1>Not allowed</h1><p class="note bad">${sentence}</p>`;
  return await respond(403, await frame(siteOf(projects), { title: "Not allowed", body }));
}

export async function renderRefusal(
  projects: Projects,
  { wanted, fields, refused, proof }: {
    readonly wanted: string | null;
    readonly fields: Readonly<Record<string, string>>;
    readonly refused: Partial<Refused> & { readonly message: string };
    readonly proof: string;
  },
  status: number,
): Promise<Response> {
  const site = { ...siteOf(projects, wanted), proof };
  const view = refusalView(site, fields, { objections: [], ...refused });
  return await respond(status, await frame(site, view));
}

async function notFound(
  site: Site,
  sentence: string,
  more?: Content,
  title = "Not found",
): Promise<Response> {
  const body = markup`<h1>${title}</h1><p class="note bad">${sentence}</p>${more}
<h2>Search for it</h2>
${everythingForm(site, { label: "Words", form: "Everything" })}
<h2>Or start here</h2>
<p>${mainLinks(site)}</p>`;
  return await respond(404, await frame(site, { title, body }));
}

/** Nothing may be loaded, run or sent elsewhere, no style but ours counts; scripts are files of this server. */
async function contentPolicy({ script }: Pick<View, "script">): Promise<string> {
  const own = script === undefined ? "" : "; connect-src 'self'";
  return `default-src 'none'; script-src 'self'${own}; style-src ${await styleDigest()}; img-src data:; form-action 'self'; ` +
    `base-uri 'none'; frame-ancestors 'none'`;
}

const styleDigest = once(async () => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(PAGE_STYLE));
  return `'sha256-${new Uint8Array(digest).toBase64()}'`;
});

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

export async function renderForPrograms(status: number, { pathname }: URL): Promise<Response> {
  return await respond(status, programsPage(pathname));
}

async function respond(status: number, { text }: Markup, needs: Pick<View, "script"> = {}) {
  return new Response(text, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": await contentPolicy(needs),
      // Otherwise a browser does not say where a form comes from.
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
