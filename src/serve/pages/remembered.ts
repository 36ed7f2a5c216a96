/**
 * What the project's agents remember: lists by type and words, and a page for each memory.
 */
import type { Memory, ProjectMemory, Story } from "../../app.ts";
import { BmadError, fail } from "../../base/errors.ts";
import { MEMORY_TYPES, type MemoryType } from "../../base/model.ts";
import { oneLine, shorten } from "../../base/text.ts";
import { proseOf } from "./contents.ts";
import { type Markup, markup } from "../../base/markup.ts";
import { link, linkTo, paged, projectField, rowList, type Site, tag, type View } from "./site.ts";

/** Whether the project keeps memories that this server may read. */
export function hasMemory({ project: { app: { config } } }: Site): boolean {
  return config.hasMemoryResources;
}

/** Which memories a page shows. */
export interface MemoryQuery {
  /** The one with this id; several types may share it. */
  readonly id?: string;
  readonly type?: string;
  readonly find?: string;
  readonly from: number;
}

/** The memories of a type, with some words, or one of them. */
export async function memoryPage(site: Site, query: MemoryQuery): Promise<View> {
  const memory = await site.project.app.memory();
  const body = query.id === undefined
    ? await listBody(site, memory, query)
    : await oneBody(site, memory, { ...query, id: query.id });
  return { title: "Memory", tab: "memory", body };
}

async function listBody(site: Site, memory: ProjectMemory, query: MemoryQuery): Promise<Markup> {
  const { type, find = "", from } = query;
  try {
    const found = await memory.found(find, {});
    const chosen = type === undefined ? found : found.filter((one) => one.type === type);
    const counts = Map.groupBy(found, (one) => one.type);
    const target = { page: "memory", type, find: find || undefined };
    const { items, pager } = paged(site, chosen, from, target);
    const current = (one?: string) => one === type && markup` aria-current="page"`;
    const chip = (one: string | undefined, words: string, count: number) =>
      markup`<a href="${linkTo(site, { ...target, type: one })}"${
        current(one)
      }>${words} <span class="count">${count}</span></a>`;
    return markup`<h1>Memory <span class="count">${chosen.length}</span></h1>
<p>What agents were told to remember${find === "" ? ", the newest first" : `, with “${find}”`}.</p>
<form action="/memory" role="search" aria-label="Memories">${projectField(site)}${
      type !== undefined && markup`<input type="hidden" name="type" value="${type}">`
    }<input type="search" name="find" value="${find}" placeholder="Words" aria-label="Find memories"><button>Find</button></form>
<nav class="projects chips" aria-label="Types">${chip(undefined, "All", found.length)}${
      MEMORY_TYPES.filter((one) => counts.has(one) || one === type)
        .map((one) => chip(one, NAMES[one][0], counts.get(one)?.length ?? 0))
    }</nav>
${
      rowList(
        items.map((one) => memoryRow(site, one)),
        find === "" ? "Nothing yet." : "No memory has all of these words.",
      )
    }${pager}`;
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return markup`<h1>Memory</h1><p class="note bad">${error.message}</p>`;
  }
}

/** What memories of a type are called, and one of them. */
const NAMES: Readonly<Record<MemoryType, readonly [all: string, one: string]>> = {
  "shared-context": ["Shared context", "Shared context"],
  decisions: ["Decisions", "Decision"],
  "agent-learnings": ["Learnings", "Learning"],
  failures: ["Failures", "Failure"],
  stories: ["Stories", "Story"],
};

/** A memory in a list. */
export function memoryRow(
  site: Site,
  { id, type, agent, text, createdAt }: Pick<Memory, "id" | "type" | "agent" | "text" | "createdAt">,
): Markup {
  return markup`<div class="head"><span>${
    link(site, { page: "memory", type, id }, shorten(oneLine(text), MAX_TEXT))
  }</span></div><p class="quiet">${[NAMES[type][1], agent, createdAt.slice(0, 10)].join(" · ")}</p>`;
}

/** Of a memory in a list. */
const MAX_TEXT = 240;

/** One memory, with the stories that it names. */
async function oneBody(
  site: Site,
  memory: ProjectMemory,
  { id, type }: MemoryQuery & { readonly id: string },
): Promise<Markup> {
  const all = await memory.found("", { type });
  const at = all.findIndex((one) => one.id === id);
  if (at < 0) return fail({ code: "not-found", what: "memory", name: id.slice(0, 60) });
  const { text, agent, tags, project, createdAt, ...one } = all[at]!;
  const stories = await storiesIn(site, [text, ...tags].join(" "));
  const [newer, older] = [all[at - 1], all[at + 1]];
  const step = (to: Memory, words: string) => link(site, { page: "memory", type: to.type, id: to.id }, words);
  return markup`<p class="crumbs">${link(site, { page: "memory" }, "Memory")} / ${
    link(site, { page: "memory", type: one.type }, NAMES[one.type][0])
  }</p>
<h1>${NAMES[one.type][1]}</h1>
${await proseOf(text)}
<dl>
<dt>When</dt><dd>${createdAt.slice(0, 16).replace("T", " ")}</dd>
<dt>From</dt><dd>${agent}<span class="quiet"> in ${project}</span></dd>
${tags.length > 0 && markup`<dt>Tags</dt><dd>${tags.map((tagged) => markup`${tag(tagged)} `)}</dd>`}
${
    stories.length > 0 &&
    markup`<dt>Stories</dt><dd>${
      stories.map(({ ref, title }) =>
        markup`<p>${link(site, { page: "board", story: ref }, `${ref} ${title}`)}</p>`
      )
    }</dd>`
  }
<dt>Id</dt><dd><code>${id}</code></dd>
</dl>
<nav class="pager" aria-label="Memories">${newer && step(newer, "← Newer")}${
    link(site, { page: "memory" }, "All memories")
  }${older && step(older, "Older →")}</nav>`;
}

/** The most stories that the page of a memory names. */
const MAX_STORIES = 10;

/** The stories that a text names by their references or keys. */
async function storiesIn({ project: { app } }: Site, text: string): Promise<readonly Story[]> {
  if (app.config.kit === undefined) return [];
  const words = (text.match(/[\p{L}\p{N}._-]+/gu) ?? []).map((word) => word.replace(/\.$/, ""));
  const names = new Set(words.flatMap((name) => [name, name.replaceAll(".", "-")]));
  if (names.size === 0) return [];
  const { epics } = await (await app.work()).ledgers();
  return epics.flatMap(({ stories }) => stories)
    .filter(({ ref, key }) => names.has(ref) || names.has(key)).slice(0, MAX_STORIES);
}

/** How many of the latest the first page shows. */
const MAX_LATEST = 5;

/** The latest memories, for the first page; undefined without any. */
export async function latestMemories(site: Site): Promise<Markup | undefined> {
  if (!hasMemory(site)) return undefined;
  try {
    const latest = (await (await site.project.app.memory()).found("", {})).slice(0, MAX_LATEST);
    return latest.length === 0
      ? undefined
      : markup`<ul class="rows card">${
        latest.map((memory) => markup`<li>${memoryRow(site, memory)}</li>`)
      }</ul>`;
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return markup`<p class="note bad">${error.message}</p>`;
  }
}
