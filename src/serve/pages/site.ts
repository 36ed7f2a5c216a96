/** The frame around every page. */
import { type App, LISTABLE } from "../../app.ts";
import { PRODUCT } from "../../base/model.ts";
import { hasRight } from "../../base/roles.ts";
import { type Content, Markup, markup } from "../../base/markup.ts";
import { BOARD_STYLE } from "../board/mod.ts";
import { link, linkTo, searchForm, type Site } from "./elements.ts";
import { STYLE } from "./style.ts";

export interface View {
  readonly title: string;
  /** The page or list whose link is highlighted. */
  readonly tab?: string;
  readonly body: Content;
  readonly script?: string;
  /** Whether its forms are sent by the script of all pages. */
  readonly sends?: true;
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
  { page: "connect", others: [] },
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
<div class="top"><a class="brand" href="${linkTo(site, {})}">${PRODUCT.name}</a>
${projectLinks.length > 1 && markup`<nav class="projects" aria-label="Projects">${projectLinks}</nav>`}
${everythingForm(site, { value: words, label: "Search" })}</div>
<nav class="tabs" aria-label="Pages">${tabs}</nav>
</div></header>
<main class="wide" id="main">
${
      within.length > 1 && markup`<nav class="within" aria-label="${titleFor(own!.page)}">${within}</nav>\n`
    }${view.body}
</main>${view.script && markup`\n<script src="${view.script}" defer></script>`}`,
    SCRIPT_PATH,
  );
}

/** Lists of items without any are left out. */
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
