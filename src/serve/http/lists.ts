/**
 * Pages of lists: things of a kind, what a search finds, the files, and what is wrong.
 */
import type { Row } from "../../app.ts";
import type { Diagnostic } from "../../base/model.ts";
import { type Content, type Markup, markup } from "./markup.ts";
import { diagnosticRow } from "./overview.ts";
import {
  counted,
  link,
  linkedName,
  MOST_ROWS,
  paged,
  rowList,
  rowOf,
  type Site,
  tag,
  titleOf,
  type View,
} from "./site.ts";

/** What a list is asked for with. */
export interface ListQuery {
  readonly list: string;
  /** The first row that is shown. */
  readonly from: number;
  /** Only what one origin has. */
  readonly origin?: string;
  /** Of the files those below a folder: `bmm/bmad-prd/`. */
  readonly under?: string;
  /** Of the files those whose address has all of these words. */
  readonly find?: string;
}

/** A list. */
export async function listOf(site: Site, query: ListQuery): Promise<View> {
  const { list, origin, from } = query;
  const rows = await site.project.app.list({ what: list, origin });
  const title = titleOf(list);
  if (list === "resources") return { title, tab: list, body: browse(site, rows, query) };
  if (list === "doctor") return { title, tab: list, body: diagnosticsOf(site, rows) };
  const { items, pager } = paged(site, rows, from, { list, origin });
  return {
    title,
    tab: list,
    body: markup`<h1>${title} <span class="count">${rows.length}</span></h1>${
      origin !== undefined && markup`<p>Only what ${origin} has. ${link(site, { list }, "Show all")}</p>`
    }${rowList(items.map((row) => listRow(site, list, row)))}${pager}`,
  };
}

function listRow(site: Site, list: string, row: Row): Markup {
  if (list === "conflicts") return conflictRow(site, row);
  // A module is no thing of its own: its files are what there is to see.
  const name = list === "modules"
    ? link(site, { list: "resources", under: `${row.name}/` }, row.name)
    : undefined;
  return rowOf(site, row, endOf(row), name);
}

/** Where a row comes from. */
function endOf({ data: { origin } }: Row): Content {
  return typeof origin === "string" && origin !== "" && tag(origin);
}

const CONFLICTS: Readonly<Record<string, string>> = {
  thing: "several origins",
  file: "files differ",
  reference: "leads nowhere",
};

function conflictRow(site: Site, row: Row): Markup {
  const { what, differing = [] } = row.data as {
    readonly what: string;
    readonly differing?: readonly string[];
  };
  return markup`${rowOf(site, row, tag(CONFLICTS[what] ?? what, what === "reference" ? "warn" : "mark"))}${
    differing.length > 0 &&
    markup`<details><summary class="quiet">Which files</summary>${
      differing.map((uri) => markup`<p>${linkedName(site, { name: uri })}</p>`)
    }</details>`
  }`;
}

function diagnosticsOf(site: Site, rows: readonly Row[]): Markup {
  const of = (what: string) => rows.filter(({ data }) => data["what"] === what);
  const diagnostics = of("diagnostic");
  const dead = of("reference");
  return markup`<h1>Diagnostics</h1>
<p>After a look at every file that is served.</p>
${
    diagnostics.length === 0 ? markup`<p class="note good">Nothing is wrong.</p>` : rowList(
      diagnostics.slice(0, MOST_ROWS).map(({ data }) => diagnosticRow(data as unknown as Diagnostic)),
    )
  }
<h2>References that lead nowhere <span class="count">${dead.length}</span></h2>
${rowList(dead.slice(0, MOST_ROWS).map((row) => rowOf(site, row)), "None.")}
<p class="quiet">${of("references").map(({ about }) => `${about}.`)}</p>`;
}

/** What fits some words: things, then files. */
export async function foundFor(site: Site, words: string): Promise<View> {
  const { app } = site.project;
  const [rows, files] = await Promise.all([app.search({ words }), app.list({ what: "resources" })]);
  const fitting = withWords(files, words);
  return {
    title: `Search: ${words}`,
    body: markup`<h1>“${words}” <span class="count">${rows.length + fitting.length}</span></h1>
<h2>Things <span class="count">${rows.length}</span></h2>
${
      rowList(
        rows.slice(0, MOST_ROWS).map((row) => rowOf(site, row, endOf(row))),
        "Nothing fits. Try fewer or other words.",
      )
    }
<h2>Files <span class="count">${fitting.length}</span></h2>
${rowList(fitting.slice(0, 30).map((row) => fileRow(site, row)), "No file has these words in its name.")}${
      fitting.length > 30 &&
      markup`<p>${link(site, { list: "resources", find: words }, `All ${fitting.length} files`)}</p>`
    }`,
  };
}

function withWords(files: readonly Row[], words: string): readonly Row[] {
  const wanted = words.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return files.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)));
}

function fileRow(site: Site, row: Row, name = row.name): Markup {
  const { size, origin } = row.data as { readonly size?: number; readonly origin?: string };
  return markup`<div class="head">${
    link(site, { uri: row.name }, markup`<code>${name}</code>`)
  }<span class="end">${size === undefined ? row.about : sizeText(size)} ${
    origin !== undefined && tag(origin)
  }</span></div>`;
}

/** A number of bytes, as people say it. */
export function sizeText(bytes: number): string {
  return bytes < 1_024
    ? `${bytes} B`
    : bytes < 1 << 20
    ? `${(bytes / 1_024).toFixed(1)} KB`
    : `${(bytes / (1 << 20)).toFixed(1)} MB`;
}

const SCHEME = "bmad://";

/** The files as folders that can be walked through, or those that have some words in their address. */
function browse(
  site: Site,
  rows: readonly Row[],
  { under = "", find = "", from, origin }: ListQuery,
): Markup {
  const inside = rows.filter(({ name }) => name.startsWith(SCHEME + under));
  const target = { list: "resources", under: under || undefined, find: find || undefined, origin };
  const found = find === "" ? undefined : withWords(inside, find);
  const folders = Map.groupBy(
    found === undefined ? inside.filter((row) => below(row, under).includes("/")) : [],
    (row) => below(row, under).split("/")[0]!,
  );
  const files = found ?? inside.filter((row) => !below(row, under).includes("/"));
  const entries = [
    ...[...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, held]) =>
      markup`<div class="head">${
        link(site, { ...target, under: `${under}${name}/` }, markup`<code>${name}/</code>`)
      }<span class="end">${counted(held.length, "file")}</span></div>`
    ),
    ...files.map((row) => fileRow(site, row, found === undefined ? below(row, under) : row.name)),
  ];
  const { items, pager } = paged(site, entries, from, target);
  return markup`<h1>Files <span class="count">${found?.length ?? inside.length}</span></h1>
${crumbs(site, under)}
<form action="/" role="search"><input type="hidden" name="list" value="resources">${
    site.projects.names.length > 1 &&
    markup`<input type="hidden" name="project" value="${site.project.name}">`
  }${
    under !== "" && markup`<input type="hidden" name="under" value="${under}">`
  }<input type="search" name="find" value="${find}" placeholder="Part of a file’s name or folder" aria-label="Find files"><button>Find</button></form>
<h2>${found === undefined ? under || "Everything that is served" : `With “${find}”`}</h2>
${rowList(items, "There is no such file.")}${pager}`;
}

function below({ name }: Row, under: string): string {
  return name.slice(SCHEME.length + under.length);
}

/** The folders above a place, each as a link. */
export function crumbs(site: Site, under: string): Markup {
  const parts = under.split("/").filter((part) => part !== "");
  const steps = parts.map((part, at) =>
    markup` / ${link(site, { list: "resources", under: `${parts.slice(0, at + 1).join("/")}/` }, part)}`
  );
  return markup`<nav class="crumbs" aria-label="Folders">${
    link(site, { list: "resources" }, "Files")
  }${steps}</nav>`;
}
