/**
 * The pages for people: what is served, where each thing comes from, what shadows what, what is wrong, and every text.
 *
 * Plain HTML that needs no script and asks nobody for anything else. Each view is a link that can be kept.
 */
import { BmadError, type Failure } from "../../base/errors.ts";
import { fileOf, thingOf } from "./details.ts";
import { foundFor, listOf } from "./lists.ts";
import { type Markup, markup } from "./markup.ts";
import { overviewOf } from "./overview.ts";
import type { Projects } from "./projects.ts";
import { frame, linkedName, rowList, rowOf, type Site, type View } from "./site.ts";
import { STYLE } from "./style.ts";

/** The answer to a request for a page of a project, of the usual one where none is named. */
export async function renderPage(projects: Projects, wanted: string | null, url: URL): Promise<Response> {
  const project = projects.find(wanted);
  const site: Site = { projects, project: project ?? projects.find(null)! };
  if (project === undefined) return await failed(site, `There is no project “${wanted}”.`);
  const asked = (key: string) => url.searchParams.get(key) || undefined;
  try {
    return await respond(200, await frame(site, await viewFor(site, asked), asked("q")));
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return await failed(site, ...explain(site, error.failure) ?? [error.message]);
  }
}

/** Of a name that leads nowhere, or to several things, what to look at instead. */
function explain(site: Site, failure: Failure): [sentence: string, ...more: Markup[]] | undefined {
  if (failure.code === "ambiguous") {
    const rows = failure.candidates.map(({ name, description }) => ({ name, about: description, data: {} }));
    return [`“${failure.name}” can mean several things.`, rowList(rows.map((row) => rowOf(site, row)))];
  }
  if (failure.code !== "not-found" || !failure.suggestions?.length) return undefined;
  const near = failure.suggestions.map((name) => linkedName(site, { name }));
  return [`There is no ${failure.what} “${failure.name}”.`, markup`<h2>Near to it</h2>${rowList(near)}`];
}

async function viewFor(site: Site, asked: (key: string) => string | undefined): Promise<View> {
  const [q, list, show, uri] = ["q", "list", "show", "uri"].map(asked);
  if (q !== undefined) return await foundFor(site, q);
  if (show !== undefined) return await thingOf(site, show, asked("origin"));
  if (uri !== undefined) return await fileOf(site, uri);
  if (list === undefined) return await overviewOf(site);
  const from = Math.max(0, Math.trunc(Number(asked("from"))) || 0);
  return await listOf(site, {
    list,
    from,
    origin: asked("origin"),
    under: asked("under"),
    find: asked("find"),
  });
}

async function failed(site: Site, sentence: string, ...more: readonly Markup[]): Promise<Response> {
  const body = markup`<h1>Nothing to show</h1><p class="note bad">${sentence}</p>${more}`;
  return await respond(404, await frame(site, { title: "Nothing to show", body }));
}

let policy: Promise<string> | undefined;

/** Nothing may be loaded, run or sent elsewhere; of styles, exactly ours is applied. */
async function makePolicy(): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(STYLE));
  const style = `'sha256-${new Uint8Array(digest).toBase64()}'`;
  return `default-src 'none'; style-src ${style}; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
}

async function respond(status: number, { text }: Markup): Promise<Response> {
  return new Response(text, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": await (policy ??= makePolicy()),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
