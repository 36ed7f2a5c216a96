/**
 * The page for people: what is served, from where, what shadows what, what is wrong, and every text of it.
 *
 * Plain HTML that needs no script and asks nobody for anything else. Each view is a link that can be kept.
 */
import { type App, LISTABLE, type Row } from "../app.ts";
import { BmadError } from "../errors.ts";
import { PRODUCT } from "../model.ts";
import { type Content, Html, html } from "./html.ts";
import type { Project, Projects } from "./projects.ts";
import { STYLE } from "./style.ts";

/** Lists that are kinds of things, each with a link of its own. */
const KINDS = LISTABLE.filter((list) => !["sources", "conflicts", "doctor", "next", "config"].includes(list));

/** More rows than anybody reads on one page. */
const MOST_ROWS = 200;

/** The answer to a request for the page. */
export async function renderPage(projects: Projects, wanted: string | null, url: URL): Promise<Response> {
  const project = projects.find(wanted);
  if (project === undefined) {
    return respond(
      404,
      frame(
        projects,
        undefined,
        "",
        html`
          <p>There is no project “${wanted ?? ""}”.</p>
        `,
      ),
    );
  }
  const [view] = VIEWS.filter(({ key }) => url.searchParams.get(key));
  const value = url.searchParams.get(view?.key ?? "") ?? "";
  try {
    const body = view === undefined ? await overview(project) : await view.render(project, value, url);
    return respond(200, frame(projects, project, view?.key === "q" ? value : "", body));
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return respond(404, frame(projects, project, "", html`<p class="bad">${error.message}</p>`));
  }
}

interface View {
  /** The parameter that asks for it. */
  readonly key: string;
  render(project: Project, value: string, url: URL): Promise<Html>;
}

const VIEWS: readonly View[] = [
  { key: "q", render: found },
  { key: "list", render: listed },
  { key: "show", render: shown },
  { key: "uri", render: opened },
];

async function overview(project: Project): Promise<Html> {
  const { app } = project;
  const [sources, conflicts, diagnostics] = await Promise.all([
    app.list({ what: "sources" }),
    app.list({ what: "conflicts" }),
    app.diagnostics(),
  ]);
  const counts = await Promise.all(
    KINDS.map(async (kind) => ({ kind, count: (await app.list({ what: kind })).length })),
  );
  return html`
    <h2>Lists</h2>
    <ul class="kinds">${counts.filter(({ count }) => count > 0).map(({ kind, count }) =>
      html`<li><a href="${linkTo(project, { list: kind })}">${kind}</a> <b>${count}</b></li>`
    )}</ul>
    <h2>Origins, the best first</h2>
    ${tableOf(sources, (row) => row.name)}
    <h2>Wrong</h2>
    ${diagnostics.length === 0
      ? html`<p class="good">Nothing.</p>`
      : html`<ul>${
        diagnostics.slice(0, MOST_ROWS).map(({ level, origin, path, message }) =>
          html`<li><span class="${level}">${level}</span> ${
            [origin, path, message].filter(Boolean).join(": ")
          }</li>`
        )
      }</ul>`}
    <h2>Conflicts</h2>
    ${conflicts.length === 0
      ? html`<p class="good">None.</p>`
      : tableOf(conflicts, (row) => linked(project, row))}
  `;
}

async function found(project: Project, words: string): Promise<Html> {
  const rows = await project.app.search({ words });
  return html`<h2>${rows.length} found for “${words}”</h2>${tableOf(rows, (row) => linked(project, row))}`;
}

async function listed(project: Project, what: string): Promise<Html> {
  const rows = await project.app.list({ what });
  return html`<h2>${rows.length} ${what}</h2>${tableOf(rows, (row) => linked(project, row))}`;
}

async function shown({ app }: Project, name: string): Promise<Html> {
  const entry = await app.resolve({ name });
  const [{ text }, chain] = await Promise.all([app.read(entry), chainOf(app, name)]);
  return html`<h2>${name}</h2>${chain}<pre>${text}</pre>`;
}

/** Which origins hold a thing, the one that counts first. */
async function chainOf(app: App, name: string): Promise<Html> {
  const conflict = (await app.list({ what: "conflicts" })).find((row) => row.name === name);
  if (conflict === undefined) return html`<p>Only one origin has it.</p>`;
  return html`<p>${conflict.about}</p>`;
}

async function opened({ app }: Project, uri: string): Promise<Html> {
  const { text, mimeType, bytes } = await app.open(uri);
  return html`<h2>${uri}</h2><p>${mimeType}</p>${
    text === undefined ? html`<p>${bytes?.length ?? 0} bytes that are no text.</p>` : html`<pre>${text}</pre>`
  }`;
}

function tableOf(rows: readonly Row[], nameOf: (row: Row) => Content): Html {
  return html`<table>${
    rows.slice(0, MOST_ROWS).map((row) =>
      html`
        <tr>
          <th scope="row">${nameOf(row)}</th>
          <td>${row.about} ${row.why && html`<i>${row.why}</i>`}</td>
        </tr>
      `
    )
  }</table>${
    rows.length > MOST_ROWS
      ? html`<p>The first ${MOST_ROWS} of ${rows.length}; search for the others.</p>`
      : ""
  }`;
}

/** A row's name, as a link to what it names. */
function linked(project: Project, { name }: Row): Html {
  const target: Readonly<Record<string, string>> = name.includes("://") ? { uri: name } : { show: name };
  return html`<a href="${linkTo(project, target)}">${name}</a>`;
}

function linkTo(project: Project, target: Readonly<Record<string, string>>): string {
  return `/?${new URLSearchParams({ project: project.name, ...target })}`;
}

function frame(projects: Projects, project: Project | undefined, words: string, body: Html): Html {
  const tabs = projects.names.map((name) =>
    html`
      <a href="/?${String(new URLSearchParams({ project: name }))}" ${name === project?.name
        ? html`
          aria-current="page"
        `
        : ""}>${name}</a>
    `
  );
  return html`
    <!doctype html>
    <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>${project?.name ?? "?"} – ${PRODUCT.name}</title>
      <style>${new Html(STYLE)}</style>
      <header>
        <h1>${PRODUCT.name} <small>${PRODUCT.version}</small></h1>
        <nav aria-label="Projects">${tabs}</nav>
        <form
          role="search"><input type="hidden" name="project" value="${project?.name ??
            ""}"><input type="search" name="q" value="${words}" placeholder="Search agents, workflows, skills …" aria-label="Search"><button>Search</button></form>
      </header>
      <main>${body}</main>
    </html>
  `;
}

function respond(status: number, { text }: Html): Response {
  return new Response(text, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}
