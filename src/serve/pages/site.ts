/** The frame around every page, and what pages are built from. */
import { type App, LISTABLE, type Row } from "../../app.ts";
import { type Content, Markup, markup } from "../../base/markup.ts";
import { PRODUCT } from "../../base/model.ts";
import { hasRight } from "../../base/roles.ts";
import { counted } from "../../base/text.ts";
import { BOARD_STYLE } from "../board/mod.ts";
import { STYLE } from "./style.ts";

export interface View {
  readonly title: string;
  readonly tab?: string;
  readonly body: Content;
  readonly script?: string;
}

export const KINDS: readonly string[] = LISTABLE.filter((list) =>
  !["sources", "conflicts", "doctor", "next", "usage", "config"].includes(list)
);

interface Section {
  readonly page: string;
  readonly others: readonly string[];
  readonly lists?: readonly string[];
  readonly isOfProject?: true;
}

const SECTIONS: readonly Section[] = [
  { page: "", others: [] },
  { page: "board", others: ["questions", "trace", "review"], isOfProject: true },
  { page: "documents", others: ["memory"], isOfProject: true },
  {
    page: "library",
    others: ["about", "record"],
    lists: ["agents", "workflows", "tasks", "skills", "resources", "conflicts", "doctor"],
  },
  { page: "connect", others: ["api"] },
];

function sectionOf(tab: string | undefined): Section | undefined {
  if (tab === undefined) return undefined;
  return SECTIONS.find(({ page, others }) => page === tab || others.includes(tab)) ??
    SECTIONS.find(({ lists }) => lists !== undefined && LISTABLE.includes(tab));
}

export const SCRIPT_PATH = "/pages.js";

export const PAGE_STYLE: string = STYLE + BOARD_STYLE;

export function shell(title: string, body: Content, script?: string): Markup {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${PRODUCT.name}</title>
<link rel="icon" href="data:,">
<style>${new Markup(PAGE_STYLE)}</style>
${script && markup`<script type="module" src="${script}"></script>`}
</head>
<body>
${body}
</body>
</html>
`;
}

export function everythingForm(
  site: Site,
  field: { readonly value?: string; readonly label: string; readonly form?: string },
): Markup {
  return searchForm(site, {
    name: "q",
    placeholder: "Stories, documents, agents …",
    button: "Search",
    ...field,
  });
}

export async function frame(site: Site, view: View, words = ""): Promise<Markup> {
  const { projects, project } = site;
  const anchor = (href: string, name: string, current: string | false) =>
    markup`<a href="${href}"${current && markup` aria-current="${current}"`}>${name}</a>`;
  const own = sectionOf(view.tab);
  const projectLinks = projects.names.map((name) =>
    anchor(linkTo({ projects, project: { ...project, name } }, {}), name, name === project.name && "page")
  );
  const tabs = SECTIONS.filter(({ isOfProject }) => !isOfProject || project.app.config.kit !== undefined)
    .map(({ page }) => {
      const current = page === own?.page && (page === view.tab ? "page" : "true");
      return anchor(linkTo(site, { page }), titleFor(page), current);
    });
  const within = own === undefined
    ? []
    : (await targetsIn(own, project.app)).map(({ name, target }) =>
      anchor(linkTo(site, target), titleFor(name), name === view.tab && "page")
    );
  return shell(
    `${view.title} · ${project.name}`,
    markup`<a class="skip" href="#main">Skip to content</a>
<header><div class="wide">
<div class="top"><a class="brand" href="${
      linkTo(site, {})
    }">${project.name} <small>${PRODUCT.name}</small></a>
<nav class="tabs" aria-label="Pages">${tabs}</nav>
${everythingForm(site, { value: words, label: "Search" })}</div>
${projectLinks.length > 1 && markup`<nav class="projects" aria-label="Projects">${projectLinks}</nav>`}
</div></header>
<main class="wide" id="main">
${
      within.length > 1 && markup`<nav class="within" aria-label="${titleFor(own!.page)}">${within}</nav>\n`
    }${view.body}
</main>${view.script && markup`\n<script src="${view.script}" defer></script>`}`,
    SCRIPT_PATH,
  );
}

async function targetsIn({ page, others, lists = [] }: Section, app: App) {
  const { hasMemoryResources, httpState, person } = app.config;
  const isShown: Readonly<Record<string, boolean>> = {
    memory: hasMemoryResources,
    record: httpState !== undefined && hasRight(person?.role ?? "owner", "audit"),
  };
  const isFilled = await Promise.all(
    lists.map(async (list) => !KINDS.includes(list) || (await app.list({ what: list })).length > 0),
  );
  return [
    { name: page, target: { page } },
    ...lists.filter((_, at) => isFilled[at]).map((list) => ({ name: list, target: { list } })),
    ...others.filter((one) => isShown[one] ?? true).map((one) => ({ name: one, target: { page: one } })),
  ];
}

const TITLES: Readonly<Record<string, string>> = {
  "": "Overview",
  api: "API",
  doctor: "Issues",
  resources: "Files",
  review: "Reviews",
};

export function titleFor(name: string): string {
  const title = Object.hasOwn(TITLES, name) ? TITLES[name]! : name;
  return title[0]!.toUpperCase() + title.slice(1);
}

export function mainLinks(site: Site): Content {
  return SECTIONS.map(({ page }, at) => [at > 0 && " · ", link(site, { page }, titleFor(page))]);
}

export interface Project {
  readonly name: string;
  readonly app: App;
}

export interface Projects<One extends Project = Project> {
  readonly names: readonly string[];
  /** Without a name: a project, or the place of all. */
  readonly home: string;
  find(name: string | null): One | undefined;
}

export interface Site {
  readonly projects: Projects;
  readonly project: Project;
  readonly proof?: string;
}

type Target = Readonly<Record<string, string | number | undefined>>;

export const MAX_ROWS = 100;

export function linkTo({ projects, project }: Site, target: Target, at?: string): string {
  const parameters = new URLSearchParams();
  if (project.name !== projects.home) parameters.set("project", project.name);
  const { page, ...rest } = target;
  for (const [key, value] of Object.entries(rest)) {
    if (value !== undefined) parameters.set(key, String(value));
  }
  const path = at ?? `/${page ?? ""}`;
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

export function link(site: Site, target: Target, content: Content): Markup {
  return markup`<a href="${linkTo(site, target)}">${content}</a>`;
}

export function linkedName(site: Site, name: string): Markup {
  return name.includes("://")
    ? link(site, { uri: name }, markup`<code>${name}</code>`)
    : link(site, { show: name }, name);
}

export function linkedStory(site: Site, ref: string, content: Content = ref): Markup {
  return link(site, { page: "board", story: ref }, content);
}

export function tag(word: string, meaning: "good" | "warn" | "bad" | "mark" | "" = ""): Markup {
  return markup`<span class="tag ${meaning}">${word}</span>`;
}

export function quiet(content: Content): Markup {
  return markup`<span class="quiet">${content}</span>`;
}

export function quietLine(content: Content): Markup {
  return markup`<p class="quiet">${content}</p>`;
}

export function place(path: string, line?: number): Markup {
  return markup`<span class="path">${path}${line !== undefined && `:${line}`}</span>`;
}

export function head(title: Content, end?: Content, marks?: Content): Markup {
  return line(markup`<strong>${title}</strong>${marks}`, end);
}

export function line(content: Content, end?: Content): Markup {
  return markup`<div class="head">${content}${end && markup`<span class="end">${end}</span>`}</div>`;
}

export function rowList(rows: readonly Content[], none = "Nothing here."): Markup {
  if (rows.length === 0) return quietLine(none);
  return markup`<ul class="rows card">${rows.map((row) => markup`<li>${row}</li>`)}</ul>`;
}

export function firstRows(rows: readonly Content[], none?: string, most = MAX_ROWS): Content {
  const hidden = rows.length - most;
  return [rowList(rows.slice(0, most), none), hidden > 0 && quietLine(`${hidden} more.`)];
}

export function section(title: Content, content: Content): Content {
  return isFilled(content) && markup`<h2>${title}</h2>${content}`;
}

function isFilled(content: Content): boolean {
  return Array.isArray(content)
    ? content.length > 0
    : content !== undefined && content !== "" && content !== false;
}

export function listSection(title: Content, rows: readonly Content[], most?: number): Content {
  return section(title, rows.length > 0 && rowList(rows.slice(0, most)));
}

export function withCount(title: string, count: number | string): Content {
  return markup`${title} <span class="count">${count}</span>`;
}

type Facts = readonly (readonly [label: string, value: Content])[];

export function factList(facts: Facts): Content {
  const known = facts.filter(([, value]) => isFilled(value));
  return known.length > 0 &&
    markup`<dl>${known.map(([label, value]) => markup`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`;
}

export function factCard(title: string, facts: Facts): Content {
  const list = factList(facts);
  return section(title, list && markup`<div class="card">${list}</div>`);
}

export function itemRow(site: Site, row: Row, end?: Content, name?: Markup): Markup {
  const title = name === undefined ? titleOf(row) : undefined;
  const about = title !== undefined && row.about.startsWith(`${title}: `)
    ? row.about.slice(title.length + 2)
    : row.about;
  const linked = title === undefined ? linkedName(site, row.name) : link(site, { show: row.name }, title);
  const marks = title !== undefined && markup`<span class="path quiet">${row.name}</span>`;
  return markup`${head(name ?? linked, end, marks)}<p>${about}${row.why && [" ", quiet(`(${row.why})`)]}</p>`;
}

export function titleOf({ data }: Pick<Row, "data">): string | undefined {
  const words = [data["displayName"], data["title"]].filter((word) =>
    typeof word === "string" && word !== ""
  );
  return words.length === 0 ? undefined : words.join(", ");
}

/** A script that can copy shows the button. */
export function copyable(text: string): Markup {
  return markup`<span class="copy"><code>${text}</code> <button type="button" data-copy="${text}" aria-label="${`Copy: ${text}`}">Copy</button></span>`;
}

export function sayLine(text: string): Markup {
  return markup`<p>${quiet("Say in your client")} ${copyable(text)}</p>`;
}

export function paged<T>(site: Site, items: readonly T[], from: number, target: Target) {
  const shown = items.slice(from, from + MAX_ROWS);
  const step = (to: number, word: string) => link(site, { ...target, from: to || undefined }, word);
  const pager = shown.length < items.length &&
    markup`<nav class="pager" aria-label="Pages">${
      from > 0 && step(Math.max(0, from - MAX_ROWS), "← Previous")
    }<span class="count">${from + 1}–${from + shown.length} of ${items.length}</span>${
      from + MAX_ROWS < items.length && step(from + MAX_ROWS, "Next →")
    }</nav>`;
  return { items: shown, pager };
}

export function sizeText(bytes: number): string {
  if (bytes < 1_024) return counted(bytes, "byte");
  const [size, unit] = bytes < 1 << 20 ? [bytes / 1_024, "KB"] : [bytes / (1 << 20), "MB"];
  return `${size.toFixed(1).replace(/\.0$/, "")} ${unit}`;
}

export function searchForm(
  { projects, project }: Site,
  { action = "/", name, value, placeholder, label, form, hidden = {}, button = "Find" }: {
    readonly action?: string;
    readonly name: string;
    readonly value?: string;
    readonly placeholder: string;
    readonly label: string;
    readonly form?: string;
    readonly hidden?: Readonly<Record<string, string | undefined>>;
    readonly button?: string;
  },
): Markup {
  const own = { project: projects.names.length > 1 ? project.name : undefined, ...hidden };
  const fields = Object.entries(own).map(([key, text]) =>
    text !== undefined && markup`<input type="hidden" name="${key}" value="${text}">`
  );
  return markup`<form action="${action}" role="search"${
    form && markup` aria-label="${form}"`
  }>${fields}<input type="search" name="${name}"${
    value !== undefined && markup` value="${value}"`
  } placeholder="${placeholder}" aria-label="${label}"><button>${button}</button></form>`;
}

/** The parser loads with the first text. */
export async function proseOf(text: string): Promise<Markup> {
  const { renderProse } = await import("./prose.ts");
  const { body, headings } = renderProse(text);
  const main = headings.filter(({ level }) => level <= 3).slice(0, MAX_HEADINGS);
  if (main.length < 4) return body;
  const entries = main.map(({ level, text, anchor }) =>
    markup`<li class="level-${level}"><a href="#${anchor}">${text}</a></li>`
  );
  return markup`<details class="card"><summary>Contents</summary><ul>${entries}</ul></details>${body}`;
}

const MAX_HEADINGS = 200;
