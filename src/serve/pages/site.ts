/**
 * What all pages share: the frame around them, links, and small pieces such as rows and tags.
 */
import { type App, LISTABLE, type Row } from "../../app.ts";
import { PRODUCT } from "../../base/model.ts";
import { hasRight } from "../../base/roles.ts";
import { counted } from "../../base/text.ts";
import { type Content, Markup, markup } from "../../base/markup.ts";
import { PAGE_STYLE } from "./page_style.ts";

/** A project as its pages know it. */
export interface Project {
  /** The name that requests use: that of its folder. */
  readonly name: string;
  readonly app: App;
}

/** The projects of a server. */
export interface Projects<One extends Project = Project> {
  /** The first is the default. */
  readonly names: readonly string[];
  /** The project of a name, the default for null; undefined if there is none. */
  find(name: string | null): One | undefined;
}

export interface Site {
  readonly projects: Projects;
  readonly project: Project;
  /** What proves to the server that an action comes from this page. */
  readonly proof?: string;
}

/** A page without its frame. */
export interface View {
  readonly title: string;
  /** The page or list that it belongs to, which is highlighted with its section. */
  readonly tab?: string;
  readonly body: Markup;
  /** The address of what the browser runs, if anything. */
  readonly script?: string;
  /** Whether its forms are sent by the script of all pages. */
  readonly sends?: true;
}

export type Target = Readonly<Record<string, string | number | undefined>>;

/** The lists of items and files. */
export const KINDS: readonly string[] = LISTABLE.filter((list) =>
  !["sources", "conflicts", "doctor", "next", "usage", "config"].includes(list)
);

/** The lists with links of their own. */
const LISTS: readonly string[] = [
  "agents",
  "workflows",
  "tasks",
  "skills",
  "resources",
  "conflicts",
  "doctor",
];

/** A part of the site: its first page, and the others that are reached from there. */
interface Section {
  readonly page: string;
  readonly others: readonly string[];
  readonly lists?: readonly string[];
  /** If it is about a project. */
  readonly isOfProject?: true;
}

/** What the navigation offers. */
const SECTIONS: readonly Section[] = [
  { page: "", others: [] },
  { page: "board", others: ["questions", "trace", "review"], isOfProject: true },
  { page: "documents", others: ["memory"], isOfProject: true },
  { page: "library", others: ["about", "record"], lists: LISTS },
  { page: "connect", others: [] },
];

/** The section of a page or list; undefined for what belongs to none. */
function sectionOf(tab: string | undefined): Section | undefined {
  if (tab === undefined) return undefined;
  return SECTIONS.find(({ page, others }) => page === tab || others.includes(tab)) ??
    SECTIONS.find(({ lists }) => lists !== undefined && LISTABLE.includes(tab));
}

export const MAX_ROWS = 100;

/** Where the script of all pages is. */
export const SCRIPT_PATH = "/pages.js";

export function linkTo({ projects, project }: Site, target: Target, at?: string): string {
  const parameters = new URLSearchParams();
  if (project.name !== projects.names[0]) parameters.set("project", project.name);
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

/** A link to a file by its URI, or to an item by its name. */
export function linkedName(site: Site, { name }: Pick<Row, "name">): Markup {
  return name.includes("://")
    ? link(site, { uri: name }, markup`<code>${name}</code>`)
    : link(site, { show: name }, name);
}

/** A word on a coloured background. */
export function tag(word: string, meaning: "good" | "warn" | "bad" | "mark" | "" = ""): Markup {
  return markup`<span class="tag ${meaning}">${word}</span>`;
}

/** Rows in a card, or a sentence if there are none. */
export function rowList(rows: readonly Content[], none = "Nothing here."): Markup {
  return rows.length === 0
    ? markup`<p class="quiet">${none}</p>`
    : markup`<ul class="rows card">${rows.map((row) => markup`<li>${row}</li>`)}</ul>`;
}

/** A row: its title or name as a link, what is at the end of the line, and its description. */
export function rowOf(site: Site, row: Row, end?: Content, name?: Markup): Markup {
  const title = name === undefined ? titleOf(row) : undefined;
  const about = title !== undefined && row.about.startsWith(`${title}: `)
    ? row.about.slice(title.length + 2)
    : row.about;
  return markup`<div class="head"><strong>${
    name ?? (title === undefined ? linkedName(site, row) : link(site, { show: row.name }, title))
  }</strong>${title !== undefined && markup`<span class="path quiet">${row.name}</span>`}${
    end && markup`<span class="end">${end}</span>`
  }</div><p>${about}${row.why && markup` <span class="quiet">(${row.why})</span>`}</p>`;
}

/** What people call an item: `Mary, Business Analyst`; undefined if it has only a name. */
export function titleOf({ data }: Pick<Row, "data">): string | undefined {
  const words = [data["displayName"], data["title"]].filter((word) =>
    typeof word === "string" && word !== ""
  );
  return words.length === 0 ? undefined : words.join(", ");
}

/** A text to say or paste elsewhere; the button is shown by the script that can copy. */
export function copyable(text: string): Markup {
  return markup`<span class="copy"><code>${text}</code> <button type="button" data-copy="${text}" aria-label="${`Copy: ${text}`}" hidden>Copy</button></span>`;
}

/** One page of many rows, and links to the others. */
export function paged<T>(
  site: Site,
  items: readonly T[],
  from: number,
  target: Target,
): { readonly items: readonly T[]; readonly pager: Content } {
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

/** A number of bytes: `900 bytes`, `56 KB`, `1.5 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return counted(bytes, "byte");
  const [size, unit] = bytes < 1 << 20 ? [bytes / 1_024, "KB"] : [bytes / (1 << 20), "MB"];
  return `${size.toFixed(1).replace(/\.0$/, "")} ${unit}`;
}

/** The hidden field that keeps a form in its project. */
export function projectField({ projects, project }: Site): Content {
  return projects.names.length > 1 && markup`<input type="hidden" name="project" value="${project.name}">`;
}

export async function frame(site: Site, view: View, words = ""): Promise<Markup> {
  const { projects, project } = site;
  const current = (isIt: boolean, value = "page") => isIt && markup` aria-current="${value}"`;
  const section = sectionOf(view.tab);
  const tabs = SECTIONS.filter(({ isOfProject }) => !isOfProject || project.app.config.kit !== undefined);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${view.title} · ${project.name} · ${PRODUCT.name}</title>
<link rel="icon" href="data:,">
<style>${new Markup(PAGE_STYLE)}</style>
<script type="module" src="${SCRIPT_PATH}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><div class="wide">
<div class="top"><a class="brand" href="${linkTo(site, {})}">${PRODUCT.name}</a>
${
    projects.names.length > 1 &&
    markup`<nav class="projects" aria-label="Projects">${
      projects.names.map((name) =>
        markup`<a href="${linkTo({ projects, project: { ...project, name } }, {})}"${
          current(name === project.name)
        }>${name}</a>`
      )
    }</nav>`
  }
<form role="search" action="/">${
    projectField(site)
  }<input type="search" name="q" value="${words}" placeholder="Stories, documents, agents …" aria-label="Search"><button>Search</button></form></div>
<nav class="tabs" aria-label="Pages">${
    tabs.map((one) =>
      markup`<a href="${linkTo(site, { page: one.page })}"${
        current(one === section, one.page === view.tab ? "page" : "true")
      }>${listTitle(one.page)}</a>`
    )
  }</nav>
</div></header>
<main class="wide" id="main">
${section && await linksWithin(site, section, view.tab!)}${view.body}
</main>${view.script && markup`\n<script src="${view.script}" defer></script>`}
</body>
</html>
`;
}

/** The pages and lists of a section, if it has several. */
async function linksWithin({ projects, project }: Site, section: Section, tab: string): Promise<Content> {
  const { page, others, lists = [] } = section;
  const { app } = project;
  const isShown: Readonly<Record<string, boolean>> = {
    memory: app.config.hasMemoryResources,
    record: app.config.httpState !== undefined && hasRight(app.config.person?.role ?? "owner", "audit"),
  };
  const pages = others.filter((one) => isShown[one] ?? true);
  const targets = [
    { name: page, target: { page } },
    ...(await filled(app, lists)).map((list) => ({ name: list, target: { list } })),
    ...pages.map((one) => ({ name: one, target: { page: one } })),
  ];
  return targets.length > 1 &&
    markup`<nav class="within" aria-label="${listTitle(page)}">${
      targets.map(({ name, target }) =>
        markup`<a href="${linkTo({ projects, project }, target)}"${
          name === tab && markup` aria-current="page"`
        }>${listTitle(name)}</a>`
      )
    }</nav>\n`;
}

const TITLES: Readonly<Record<string, string>> = {
  "": "Overview",
  doctor: "Issues",
  resources: "Files",
  review: "Reviews",
};

export function listTitle(list: string): string {
  const title = Object.hasOwn(TITLES, list) ? TITLES[list]! : list;
  return title[0]!.toUpperCase() + title.slice(1);
}

/** Lists of files and problems, and those of items that exist. */
async function filled(app: App, lists: readonly string[]): Promise<readonly string[]> {
  const isFilled = await Promise.all(
    lists.map(async (list) => !KINDS.includes(list) || (await app.list({ what: list })).length > 0),
  );
  return lists.filter((_, at) => isFilled[at]);
}
