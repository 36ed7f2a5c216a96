/** What pages are built from. */
import type { App, Row } from "../../app.ts";
import { counted } from "../../base/text.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";

export interface Project {
  readonly name: string;
  readonly app: App;
}

export interface Projects<One extends Project = Project> {
  /** The first is the default. */
  readonly names: readonly string[];
  /** The default for null. */
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

/** Nothing without content. */
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

/** Facts without a value are left out. */
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

/** What people call an item: `Mary, Business Analyst`; undefined if it has only a name. */
export function titleOf({ data }: Pick<Row, "data">): string | undefined {
  const words = [data["displayName"], data["title"]].filter((word) =>
    typeof word === "string" && word !== ""
  );
  return words.length === 0 ? undefined : words.join(", ");
}

/** The script that can copy shows the button. */
export function copyable(text: string): Markup {
  return markup`<span class="copy"><code>${text}</code> <button type="button" data-copy="${text}" aria-label="${`Copy: ${text}`}" hidden>Copy</button></span>`;
}

export function sayLine(text: string): Markup {
  return markup`<p>${quiet("Say in your client")} ${copyable(text)}</p>`;
}

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

/** The parser is loaded with the first text. */
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
