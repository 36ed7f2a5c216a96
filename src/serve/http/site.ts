/**
 * What every page has: the frame around it, links to the others, and small pieces that several of them show.
 */
import { type App, LISTABLE, type Row } from "../../app.ts";
import { PRODUCT } from "../../base/model.ts";
import { type Content, Markup, markup } from "./markup.ts";
import type { Project, Projects } from "./projects.ts";
import { STYLE } from "./style.ts";

/** Where a page stands. */
export interface Site {
  readonly projects: Projects;
  /** The project that it shows. */
  readonly project: Project;
}

/** A page without its frame. */
export interface View {
  readonly title: string;
  /** The list that it belongs to, whose tab is marked. */
  readonly tab?: string;
  readonly body: Markup;
}

/** What a link asks for; each page is one. */
export type Target = Readonly<Record<string, string | number | undefined>>;

/** Lists that are kinds of things and files. */
export const KINDS: readonly string[] = LISTABLE.filter((list) =>
  !["sources", "conflicts", "doctor", "next", "config"].includes(list)
);

const TABS: readonly string[] = [
  "agents",
  "workflows",
  "tasks",
  "skills",
  "resources",
  "conflicts",
  "doctor",
];

/** More rows than anybody reads on one page. */
export const MOST_ROWS = 100;

/** The address of a page; the project is left out where it is the usual one. */
export function linkTo({ projects, project }: Site, target: Target): string {
  const parameters = new URLSearchParams();
  if (project.name !== projects.names[0]) parameters.set("project", project.name);
  for (const [key, value] of Object.entries(target)) {
    if (value !== undefined) parameters.set(key, String(value));
  }
  return parameters.size === 0 ? "/" : `/?${parameters}`;
}

/** A link. */
export function link(site: Site, target: Target, content: Content): Markup {
  return markup`<a href="${linkTo(site, target)}">${content}</a>`;
}

/** A link to what a row names: a file by its URI, a thing by its name. */
export function linkedName(site: Site, { name }: Pick<Row, "name">): Markup {
  return name.includes("://")
    ? link(site, { uri: name }, markup`<code>${name}</code>`)
    : link(site, { show: name }, name);
}

/** A word in a coloured field. */
export function tag(word: string, meaning: "good" | "warn" | "bad" | "mark" | "" = ""): Markup {
  return markup`<span class="tag ${meaning}">${word}</span>`;
}

/** A number of somethings: `1 file`, `2 files`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** A list of rows in a card; a sentence where there are none. */
export function rowList(rows: readonly Content[], none = "There is nothing here."): Markup {
  return rows.length === 0
    ? markup`<p class="quiet">${none}</p>`
    : markup`<ul class="rows card">${rows.map((row) => markup`<li>${row}</li>`)}</ul>`;
}

/** A row: its name as a link, what stands at the end of the line, and what is said of it. */
export function rowOf(site: Site, row: Row, end?: Content, name = linkedName(site, row)): Markup {
  return markup`<div class="head"><strong>${name}</strong>${
    end && markup`<span class="end">${end}</span>`
  }</div><p>${row.about}${row.why && markup` <span class="quiet">(${row.why})</span>`}</p>`;
}

/** One page of many rows, and the links to the others. */
export function paged<T>(
  site: Site,
  items: readonly T[],
  from: number,
  target: Target,
): { readonly items: readonly T[]; readonly pager: Content } {
  const shown = items.slice(from, from + MOST_ROWS);
  const step = (to: number, word: string) => link(site, { ...target, from: to || undefined }, word);
  const pager = shown.length < items.length &&
    markup`<nav class="pager" aria-label="Pages">${
      from > 0 && step(Math.max(0, from - MOST_ROWS), "← Earlier")
    }<span class="count">${from + 1}–${from + shown.length} of ${items.length}</span>${
      from + MOST_ROWS < items.length && step(from + MOST_ROWS, "Later →")
    }</nav>`;
  return { items: shown, pager };
}

/** The whole page. */
export async function frame(site: Site, view: View, words = ""): Promise<Markup> {
  const { projects, project } = site;
  const isSeveral = projects.names.length > 1;
  const tabs = await filledTabs(project.app);
  const current = (isIt: boolean) => isIt && new Markup(' aria-current="page"');
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${view.title} · ${project.name} · ${PRODUCT.name}</title>
<link rel="icon" href="data:,">
<style>${new Markup(STYLE)}</style>
</head>
<body>
<header><div class="wide">
<div class="top"><a class="brand" href="${
    linkTo(site, {})
  }">${PRODUCT.name}<small>${PRODUCT.version}</small></a>
${
    isSeveral && markup`<nav class="projects" aria-label="Projects">${
      projects.names.map((name) =>
        markup`<a href="${linkTo({ projects, project: { ...project, name } }, {})}"${
          current(name === project.name)
        }>${name}</a>`
      )
    }</nav>`
  }
<form role="search" action="/">${
    isSeveral && markup`<input type="hidden" name="project" value="${project.name}">`
  }<input type="search" name="q" value="${words}" placeholder="Agents, files …" aria-label="Search"><button>Search</button></form></div>
<nav class="tabs" aria-label="Lists"><a href="${linkTo(site, {})}"${current(view.tab === "")}>Overview</a>${
    tabs.map((list) =>
      markup`<a href="${linkTo(site, { list })}"${current(view.tab === list)}>${titleOf(list)}</a>`
    )
  }</nav>
</div></header>
<main class="wide">
${view.body}
</main>
</body>
</html>
`;
}

/** What people call a list. */
export function titleOf(list: string): string {
  const title = { doctor: "Diagnostics", resources: "Files" }[list] ?? list;
  return title[0]!.toUpperCase() + title.slice(1);
}

/** The lists that are worth a tab: kinds that there are, and what is always asked. */
async function filledTabs(app: App): Promise<readonly string[]> {
  const counts = await Promise.all(
    TABS.map(async (list) => !KINDS.includes(list) || (await app.list({ what: list })).length > 0),
  );
  return TABS.filter((_, at) => counts[at]);
}
