/**
 * The pages of lists: items of a kind, search results, files, and issues.
 */
import type { Row } from "../../app.ts";
import type { Diagnostic } from "../../base/model.ts";
import { counted } from "../../base/text.ts";
import { type Content, type Markup, markup } from "./markup.ts";
import { diagnosticRow } from "./about.ts";
import { personCards } from "./people.ts";
import {
  link,
  linkedName,
  listTitle,
  MAX_ROWS,
  paged,
  projectField,
  rowList,
  rowOf,
  type Site,
  sizeText,
  tag,
  type View,
} from "./site.ts";

interface ListQuery {
  readonly list: string;
  /** The first row that is shown. */
  readonly from: number;
  /** Only from this origin. */
  readonly origin?: string;
  /** Only files below this folder: `bmm/bmad-prd/`. */
  readonly under?: string;
  /** Only files whose address has all of these words. */
  readonly find?: string;
}

export async function listPage(site: Site, query: ListQuery): Promise<View> {
  const { list, origin, from } = query;
  const rows = await site.project.app.list({ what: list, origin });
  const title = listTitle(list);
  if (list === "resources") return { title, tab: list, body: filesBody(site, rows, query) };
  if (list === "doctor") return { title, tab: list, body: issuesBody(site, rows) };
  const { items, pager } = paged(site, rows, from, { list, origin });
  return {
    title,
    tab: list,
    body: markup`<h1>${title} <span class="count">${rows.length}</span></h1>${
      origin !== undefined && markup`<p>Only from ${origin}. ${link(site, { list }, "Show all")}</p>`
    }${
      list === "agents"
        ? await personCards(site, items)
        : rowList(items.map((row) => listRow(site, list, row)))
    }${pager}`,
  };
}

function listRow(site: Site, list: string, row: Row): Markup {
  if (list === "conflicts") return conflictRow(site, row);
  // A module has no page of its own: its files are shown.
  const name = list === "modules"
    ? link(site, { list: "resources", under: `${row.name}/` }, row.name)
    : undefined;
  return rowOf(site, row, originTag(row), name);
}

function originTag({ data: { origin } }: Row): Content {
  return typeof origin === "string" && origin !== "" && tag(origin);
}

const CONFLICTS: Readonly<Record<string, string>> = {
  thing: "in several sources",
  file: "files differ",
  reference: "broken reference",
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

function issuesBody(site: Site, rows: readonly Row[]): Markup {
  const of = (what: string) => rows.filter(({ data }) => data["what"] === what);
  const diagnostics = of("diagnostic");
  const broken = of("reference");
  return markup`<h1>Issues</h1>
<p>From a full scan of every served file.</p>
${
    diagnostics.length === 0 ? markup`<p class="note good">No issues found.</p>` : rowList(
      diagnostics.slice(0, MAX_ROWS).map(({ data }) => diagnosticRow(data as unknown as Diagnostic)),
    )
  }
<h2>Broken references <span class="count">${broken.length}</span></h2>
${rowList(broken.slice(0, MAX_ROWS).map((row) => rowOf(site, row)), "None.")}
<p class="quiet">${of("references").map(({ about }) => `${about}.`)}</p>`;
}

const MAX_FILES = 30;

/** Search results: items, then files. */
export async function searchPage(site: Site, words: string): Promise<View> {
  const { app } = site.project;
  const [rows, allFiles] = await Promise.all([app.search({ words }), app.list({ what: "resources" })]);
  const files = withWords(allFiles, words);
  return {
    title: `Search: ${words}`,
    body: markup`<h1>“${words}” <span class="count">${rows.length + files.length}</span></h1>
<h2>Agents, workflows and more <span class="count">${rows.length}</span></h2>
${
      rowList(
        rows.slice(0, MAX_ROWS).map((row) => rowOf(site, row, originTag(row))),
        "No matches. Try fewer or other words.",
      )
    }
<h2>Files <span class="count">${files.length}</span></h2>
${rowList(files.slice(0, MAX_FILES).map((row) => fileRow(site, row)), "No file name has these words.")}${
      files.length > MAX_FILES &&
      markup`<p>${link(site, { list: "resources", find: words }, `View all ${files.length} files`)}</p>`
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

const SCHEME = "bmad://";

/** The files: a folder and what it contains, or those with some words in their address. */
function filesBody(
  site: Site,
  rows: readonly Row[],
  { under = "", find = "", from, origin }: ListQuery,
): Markup {
  const inside = rows.filter(({ name }) => name.startsWith(SCHEME + under));
  const target = { list: "resources", under: under || undefined, find: find || undefined, origin };
  const matching = find === "" ? undefined : withWords(inside, find);
  const entries = matching?.map((row) => fileRow(site, row)) ?? folderRows(site, inside, under, target);
  const { items, pager } = paged(site, entries, from, target);
  return markup`<h1>Files <span class="count">${matching?.length ?? inside.length}</span></h1>
${crumbs(site, under)}
<form action="/" role="search"><input type="hidden" name="list" value="resources">${projectField(site)}${
    under !== "" && markup`<input type="hidden" name="under" value="${under}">`
  }<input type="search" name="find" value="${find}" placeholder="Part of a file or folder name" aria-label="Find files"><button>Find</button></form>
<h2>${matching === undefined ? under || "All files" : `With “${find}”`}</h2>
${rowList(items, "No such file.")}${pager}`;
}

/** What a folder contains: its folders, then its files. */
function folderRows(
  site: Site,
  inside: readonly Row[],
  under: string,
  target: Readonly<Record<string, string | undefined>>,
): readonly Markup[] {
  const below = ({ name }: Row) => name.slice(SCHEME.length + under.length);
  const isDeeper = (row: Row) => below(row).includes("/");
  const folders = Map.groupBy(inside.filter(isDeeper), (row) => below(row).split("/")[0]!);
  return [
    ...[...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, files]) =>
      markup`<div class="head">${
        link(site, { ...target, under: `${under}${name}/` }, markup`<code>${name}/</code>`)
      }<span class="end">${counted(files.length, "file")}</span></div>`
    ),
    ...inside.filter((row) => !isDeeper(row)).map((row) => fileRow(site, row, below(row))),
  ];
}

/** Links to a folder and those above it. */
export function crumbs(site: Site, under: string): Markup {
  const parts = under.split("/").filter((part) => part !== "");
  const steps = parts.map((part, at) =>
    markup` / ${link(site, { list: "resources", under: `${parts.slice(0, at + 1).join("/")}/` }, part)}`
  );
  return markup`<nav class="crumbs" aria-label="Folders">${
    link(site, { list: "resources" }, "Files")
  }${steps}</nav>`;
}
