/**
 * The pages of lists: items of a kind, search results, and files.
 */
import { type Memory, type Row, type State, withWords } from "../../app.ts";
import { counted } from "../../base/text.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { stateTag } from "../board/mod.ts";
import { statusTag } from "./documents.ts";
import { conflictsBody, issuesBody } from "./issues.ts";
import { personCards } from "./people.ts";
import { memoryRow } from "./remembered.ts";
import {
  link,
  listTitle,
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
  if (list === "doctor") return { title, tab: list, body: await issuesBody(site, rows) };
  if (list === "conflicts") return { title, tab: list, body: await conflictsBody(site, rows) };
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
  // A module has no page of its own: its files are shown.
  const name = list === "modules"
    ? link(site, { list: "resources", under: `${row.name}/` }, row.name)
    : undefined;
  return rowOf(site, row, originTag(row), name);
}

function originTag({ data: { origin } }: Row): Content {
  return typeof origin === "string" && origin !== "" && tag(origin);
}

/** How many rows of each group a page of results shows. */
const MAX_FOUND = 20;

/** Search results: the project's own first, then items and files. */
export async function searchPage(site: Site, words: string): Promise<View> {
  const { app } = site.project;
  const found = await app.find({ words });
  const files = await found.files();
  const groups: readonly Group[] = [
    { title: "Stories", rows: found.stories, show: (row) => foundStory(site, row) },
    { title: "Documents", rows: found.documents, show: (row) => foundDocument(site, row) },
    {
      title: "Memories",
      rows: found.memories,
      show: ({ data }) => memoryRow(site, data as unknown as Memory),
    },
    {
      title: "Agents, workflows and more",
      rows: found.items,
      show: (row) => rowOf(site, row, originTag(row)),
    },
    {
      title: "Files",
      rows: files,
      show: (row) => fileRow(site, row),
      all: files.length > MAX_FOUND &&
        link(site, { list: "resources", find: words }, `All ${files.length} files`),
    },
  ];
  const filled = groups.filter(({ rows }) => rows.length > 0);
  const count = filled.reduce((sum, { rows }) => sum + rows.length, 0);
  return {
    title: `Search: ${words}`,
    body: markup`<h1>“${words}” <span class="count">${count}</span></h1>
${found.problem !== undefined && markup`<p class="note bad">Memories were not searched: ${found.problem}</p>`}
${
      filled.length === 0
        ? markup`<p class="quiet">Nothing has all of these words. Try fewer or other words.</p>`
        : filled.map(groupOf)
    }`,
  };
}

/** One kind of results. */
interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
  show(row: Row): Markup;
  /** A link to all of them. */
  readonly all?: Content;
}

function groupOf({ title, rows, show, all }: Group): Markup {
  const hidden = rows.length - MAX_FOUND;
  return markup`<h2>${title} <span class="count">${rows.length}</span></h2>
${rowList(rows.slice(0, MAX_FOUND).map(show))}${
    hidden > 0 && markup`<p class="quiet">${all || `${hidden} more. Add a word to find them.`}</p>`
  }`;
}

function foundStory(site: Site, { name, about, data }: Row): Markup {
  return markup`<div class="head"><span class="count">${name}</span><strong>${
    link(site, { page: "board", story: name }, about)
  }</strong>${stateTag({ state: data["state"] as State })}<span class="end">${
    textIn(data["epic"])
  }</span></div>${excerpt(data)}`;
}

function foundDocument(site: Site, { name, about, data }: Row): Markup {
  return markup`<div class="head"><strong>${link(site, { doc: name }, about)}</strong>${
    data["status"] !== undefined && statusTag(textIn(data["status"]))
  }<span class="end">${textIn(data["changed"]).slice(0, 10)}</span></div>${excerpt(data)}`;
}

function excerpt({ snippet }: Row["data"]): Content {
  return snippet !== undefined && markup`<p class="quiet">${textIn(snippet)}</p>`;
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
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
