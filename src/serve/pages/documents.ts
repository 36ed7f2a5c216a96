/** The project's documents and memories. */
import type { ListedDocument, ProjectMemory, Story } from "../../app.ts";
import { recover } from "../../base/absence.ts";
import { BmadError, failMissing } from "../../base/errors.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { type Memory, MEMORY_TYPES, type MemoryType } from "../../base/model.ts";
import { oneLine, shorten } from "../../base/text.ts";
import { storiesIn } from "../board/mod.ts";
import {
  factList,
  head,
  line,
  link,
  linkedStory,
  linkTo,
  listSection,
  paged,
  place,
  proseOf,
  quiet,
  quietLine,
  rowList,
  searchForm,
  type Site,
  sizeText,
  tag,
  type View,
  withCount,
} from "./site.ts";

const TITLES: Readonly<Record<ListedDocument["role"], string>> = {
  brief: "Briefs",
  PRD: "Requirements",
  GDD: "Game design",
  spec: "Specifications",
  UX: "UX",
  architecture: "Architecture",
  decisions: "Decisions",
  epics: "Epics",
  story: "Stories",
  other: "Others",
};

export async function documentsPage(site: Site, from: number): Promise<View> {
  const documents = await (await site.project.app.project.work()).documents();
  const { items, pager } = paged(site, documents, from, { page: "documents" });
  const groups = [...Map.groupBy(items, ({ role }) => role)];
  return {
    title: "Documents",
    tab: "documents",
    body: [
      markup`<h1>${withCount("Documents", documents.length)}</h1>`,
      documents.length === 0 && quietLine("No documents yet. Workflows such as a PRD leave them."),
      groups.map(([role, some]) => listSection(TITLES[role], some.map((one) => documentRow(site, one)))),
      pager,
    ],
  };
}

export function documentRow(site: Site, { path, title, status, size, modified }: ListedDocument): Markup {
  const marks = status !== undefined && statusTag(status);
  return markup`${head(link(site, { doc: path }, title), modified !== undefined && dayOf(modified), marks)}
<p class="quiet">${place(path)} · ${sizeText(size)}</p>`;
}

export function statusTag(status: string): Markup {
  if (/^(?:done|complete|final|approved|accepted|ready)/i.test(status)) return tag(status, "good");
  return tag(status, /^(?:draft|in[- ]progress|wip|review)/i.test(status) ? "mark" : "");
}

export async function documentPage(site: Site, path: string, isRaw: boolean): Promise<View> {
  const { text, ...document } = await (await site.project.app.project.work()).document(path);
  const { role, title, status, modified, size, stories, previous, next } = document;
  const all = (words: string) => link(site, { page: "documents" }, words);
  return {
    title,
    tab: "documents",
    body: [
      markup`<p class="crumbs">${all("Documents")} / ${TITLES[role]}</p>
<h1>${title}</h1>`,
      factList([
        ["Status", status !== undefined && statusTag(status)],
        ["Changed", modified !== undefined && dayOf(modified)],
        ["File", [place(path), " ", quiet(sizeText(size))]],
        ["Stories", storyLines(site, stories)],
      ]),
      isRaw
        ? markup`<p>${link(site, { doc: path }, "Show it as a page")}</p><pre dir="auto">${text}</pre>`
        : markup`<p>${link(site, { doc: path, raw: 1 }, "Show the text as it is")}</p>${await proseOf(text)}`,
      markup`<nav class="pager" aria-label="Documents">${
        previous && link(site, { doc: previous.path }, `← ${previous.title}`)
      }${all("All documents")}${next && link(site, { doc: next.path }, `${next.title} →`)}</nav>`,
    ],
  };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

interface MemoryQuery {
  readonly id?: string;
  readonly type?: string;
  readonly find?: string;
  readonly from: number;
}

export async function memoryPage(site: Site, query: MemoryQuery): Promise<View> {
  const memory = await site.project.app.project.memory();
  const { id } = query;
  const body = id === undefined
    ? await listBody(site, memory, query)
    : await oneBody(site, memory, { ...query, id });
  return { title: "Memory", tab: "memory", body };
}

async function listBody(site: Site, memory: ProjectMemory, query: MemoryQuery): Promise<Content> {
  const { type, find = "", from } = query;
  return await recover(BmadError, async () => {
    const found = await memory.found(find, {});
    const chosen = type === undefined ? found : found.filter((one) => one.type === type);
    const counts = Map.groupBy(found, (one) => one.type);
    const target = { page: "memory", type, find: find || undefined };
    const { items, pager } = paged(site, chosen, from, target);
    const chip = (one: string | undefined, words: string, count: number) =>
      markup`<a href="${linkTo(site, { ...target, type: one })}"${
        one === type && markup` aria-current="page"`
      }>${withCount(words, count)}</a>`;
    const chips = MEMORY_TYPES.filter((one) => counts.has(one) || one === type)
      .map((one) => chip(one, NAMES[one][0], counts.get(one)?.length ?? 0));
    return [
      markup`<h1>${withCount("Memory", chosen.length)}</h1>
<p>What agents were told to remember${find === "" ? ", the newest first" : `, with “${find}”`}.</p>`,
      searchForm(site, {
        action: "/memory",
        name: "find",
        value: find,
        placeholder: "Words",
        label: "Find memories",
        form: "Memories",
        hidden: { type },
      }),
      markup`<nav class="projects chips" aria-label="Types">${
        chip(undefined, "All", found.length)
      }${chips}</nav>`,
      rowList(
        items.map((one) => memoryRow(site, one)),
        find === ""
          ? "Nothing yet. Tell an agent what to remember, or: bmad-mcp memory remember TEXT"
          : "No memory has all of these words.",
      ),
      pager,
    ];
  }, ({ message }) => markup`<h1>Memory</h1><p class="note bad">${message}</p>`);
}

const NAMES: Readonly<Record<MemoryType, readonly [all: string, one: string]>> = {
  "shared-context": ["Shared context", "Shared context"],
  decisions: ["Decisions", "Decision"],
  "agent-learnings": ["Learnings", "Learning"],
  failures: ["Failures", "Failure"],
  stories: ["Stories", "Story"],
};

const MAX_TEXT = 240, MAX_STORIES = 10, MAX_LATEST = 5;

export function memoryRow(
  site: Site,
  { id, type, agent, text, createdAt }: Pick<Memory, "id" | "type" | "agent" | "text" | "createdAt">,
): Markup {
  const linked = link(site, { page: "memory", type, id }, shorten(oneLine(text), MAX_TEXT));
  const about = [NAMES[type][1], agent, createdAt.slice(0, 10)].join(" · ");
  return markup`${line(markup`<span>${linked}</span>`)}${quietLine(about)}`;
}

async function oneBody(
  site: Site,
  memory: ProjectMemory,
  { id, type }: MemoryQuery & { readonly id: string },
): Promise<Content> {
  const all = await memory.found("", { type });
  const at = all.findIndex((one) => one.id === id);
  if (at < 0) return failMissing("memory", id.slice(0, 60));
  const { text, agent, tags, project, createdAt, ...one } = all[at]!;
  const stories = await namedStories(site, [text, ...tags].join(" "));
  const [newer, older] = [all[at - 1], all[at + 1]];
  const list = (words: string, ofType?: MemoryType) => link(site, { page: "memory", type: ofType }, words);
  const step = (to: Memory, words: string) => link(site, { page: "memory", type: to.type, id: to.id }, words);
  return [
    markup`<p class="crumbs">${list("Memory")} / ${list(NAMES[one.type][0], one.type)}</p>
<h1>${NAMES[one.type][1]}</h1>`,
    await proseOf(text),
    factList([
      ["When", createdAt.slice(0, 16).replace("T", " ")],
      ["From", [agent, quiet(` in ${project}`)]],
      ["Tags", tags.map((word) => [tag(word), " "])],
      ["Stories", storyLines(site, stories)],
      ["Id", markup`<code>${id}</code>`],
    ]),
    markup`<nav class="pager" aria-label="Memories">${newer && step(newer, "← Newer")}${
      list("All memories")
    }${older && step(older, "Older →")}</nav>`,
  ];
}

function storyLines(site: Site, stories: readonly Pick<Story, "ref" | "title">[]): Content {
  return stories.map(({ ref, title }) => markup`<p>${linkedStory(site, ref, `${ref} ${title}`)}</p>`);
}

async function namedStories({ project: { app } }: Site, text: string): Promise<readonly Story[]> {
  if (app.config.kit === undefined) return [];
  const words = (text.match(/[\p{L}\p{N}._-]+/gu) ?? []).map((word) => word.replace(/\.$/, ""));
  const names = new Set(words.flatMap((name) => [name, name.replaceAll(".", "-")]));
  if (names.size === 0) return [];
  return storiesIn(await (await app.project.work()).ledgers())
    .filter(({ ref, key }) => names.has(ref) || names.has(key)).slice(0, MAX_STORIES);
}

export async function latestMemories(site: Site): Promise<Markup | undefined> {
  const { app } = site.project;
  if (!app.config.hasMemoryResources) return undefined;
  return await recover(BmadError, async () => {
    const latest = (await (await app.project.memory()).found("", {})).slice(0, MAX_LATEST);
    return latest.length === 0 ? undefined : rowList(latest.map((one) => memoryRow(site, one)));
  }, ({ message }) => markup`<p class="note bad">${message}</p>`);
}
