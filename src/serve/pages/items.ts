/** What is served: library, lists, search results, and the page of an item or a file. */
import { type ChainLink, type Fact, type Row, type State, withWords } from "../../app.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { type Item, type Memory, type MenuItem, type Persona, qualifiedName } from "../../base/model.ts";
import { counted } from "../../base/text.ts";
import { asText } from "../../base/values.ts";
import { findAll } from "../../handlers.ts";
import { stateTag } from "../board/mod.ts";
import { conflictsBody, issuesBody, knownConflicts } from "./about.ts";
import { memoryRow, statusTag } from "./documents.ts";
import {
  copyable,
  factCard,
  head,
  itemRow,
  KINDS,
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
  sayLine,
  searchForm,
  section,
  type Site,
  sizeText,
  tag,
  titleFor,
  titleOf,
  type View,
  withCount,
} from "./site.ts";

const MAX_AGENTS = 6;

export async function libraryPage(site: Site): Promise<View> {
  const { app } = site.project;
  const [conflicts, agents, counts] = await Promise.all([
    knownConflicts(site),
    app.list({ what: "agents" }),
    Promise.all(KINDS.map(async (kind) => ({ kind, count: (await app.list({ what: kind })).length }))),
  ]);
  const tiles = counts.filter(({ count }) => count > 0).map(({ kind, count }) =>
    markup`<li><a href="${linkTo(site, { list: kind })}"><b>${count}</b><span>${
      titleFor(kind)
    }</span></a></li>`
  );
  const all = agents.length > MAX_AGENTS &&
    markup`<p>${link(site, { list: "agents" }, `All ${counted(agents.length, "agent")}`)}</p>`;
  return {
    title: "Library",
    tab: "library",
    body: [
      markup`<h1>Library</h1>
<p>What is served to clients. ${link(site, { page: "about" }, "Sources, settings and issues")}</p>
<ul class="tiles">${tiles}</ul>`,
      section("Agents", agents.length > 0 && [await agentCards(site, agents.slice(0, MAX_AGENTS)), all]),
      section("In several sources", conflicts),
    ],
  };
}

async function agentCards(site: Site, rows: readonly Row[]): Promise<Markup> {
  const { app } = site.project;
  const card = async (row: Row) => {
    const { data } = await app.read(await app.resolve({ name: row.name }), undefined, { isLook: true });
    const { name, displayName, title, icon, role, description, origin, shadows, customized } =
      data as unknown as ItemData;
    const who = [displayName ?? name, title].filter(Boolean).join(", ");
    const marks = [
      shadows.length > 0 && tag(`overrides ${shadows.join(", ")}`, "mark"),
      customized.length > 0 && tag("customized", "mark"),
    ];
    return markup`<li class="card"><h3>${icon && markup`<span aria-hidden="true">${icon}</span> `}${
      link(site, { show: row.name }, who)
    }</h3>
<p>${role || description}</p>
<p class="quiet"><span class="path">${row.name}</span> ${tag(origin)} ${marks}</p>
<p class="say">${quiet("Say")} ${copyable(firstSentence(displayName ?? name))}</p></li>`;
  };
  return markup`<ul class="people">${await Promise.all(rows.map(card))}</ul>`;
}

function firstSentence(name: string): string {
  return `Talk to ${name} about this project.`;
}

interface ListQuery {
  readonly list: string;
  readonly from: number;
  readonly origin?: string;
  readonly under?: string;
  readonly find?: string;
}

export async function listPage(site: Site, query: ListQuery): Promise<View> {
  const { list } = query;
  const rows = await site.project.app.list({ what: list, origin: query.origin });
  return { title: titleFor(list), tab: list, body: await (BODIES[list] ?? itemsBody)(site, rows, query) };
}

type Body = (site: Site, rows: readonly Row[], query: ListQuery) => Content | Promise<Content>;

const BODIES: Readonly<Record<string, Body>> = {
  resources: filesBody,
  doctor: issuesBody,
  conflicts: conflictsBody,
};

async function itemsBody(site: Site, rows: readonly Row[], query: ListQuery): Promise<Content> {
  const { list, origin, from } = query;
  const { items, pager } = paged(site, rows, from, { list, origin });
  // A module's page shows its files.
  const nameOf = ({ name }: Row) =>
    list === "modules" ? link(site, { list: "resources", under: `${name}/` }, name) : undefined;
  return [
    markup`<h1>${withCount(titleFor(list), rows.length)}</h1>`,
    origin !== undefined && markup`<p>Only from ${origin}. ${link(site, { list }, "Show all")}</p>`,
    list === "agents"
      ? await agentCards(site, items)
      : rowList(items.map((row) => itemRow(site, row, originTag(row), nameOf(row)))),
    pager,
  ];
}

function originTag({ data: { origin } }: Row): Content {
  return typeof origin === "string" && origin !== "" && tag(origin);
}

const MAX_FOUND = 20;

export async function searchPage(site: Site, words: string): Promise<View> {
  const found = await findAll(site.project.app, { words });
  const files = await found.files();
  const allFiles = link(site, { list: "resources", find: words }, `All ${files.length} files`);
  const groups: [
    title: string,
    rows: readonly Row[],
    show: (row: Row, site: Site) => Content,
    all?: Content,
  ][] = [
    ["Stories", found.stories, (row, site) => foundStory(site, row)],
    ["Documents", found.documents, (row, site) => foundDocument(site, row)],
    ["Memories", found.memories, ({ data }, site) => memoryRow(site, data as unknown as Memory)],
    ["Agents, workflows and more", found.items, (row, site) => itemRow(site, row, originTag(row))],
    ["Files", files, (row) => fileRow(site, row), allFiles],
  ];
  if (found.isItemMeant) groups.unshift(...groups.splice(3, 1));
  const count = groups.reduce((sum, [, rows]) => sum + rows.length, 0);
  return {
    title: `Search: ${words}`,
    body: [
      markup`<h1>${withCount(`“${words}”`, count)}</h1>`,
      found.problem !== undefined &&
      markup`<p class="note bad">Memories were not searched: ${found.problem}</p>`,
      count === 0 && quietLine("Nothing has all of these words. Try fewer or other words."),
      groups.map(([title, rows, show, all]) => {
        const hidden = rows.length - MAX_FOUND;
        const more = hidden > 0 && quietLine(all ?? `${hidden} more. Add a word to find them.`);
        const shown = rows.length > 0 &&
          [rowList(rows.slice(0, MAX_FOUND).map((row) => show(row, siteOf(site, row)))), more];
        return section(withCount(title, rows.length), shown);
      }),
    ],
  };
}

/** Of the row's project, where there are several. */
function siteOf(site: Site, { data: { project } }: Row): Site {
  return typeof project === "string" ? { ...site, project: { ...site.project, name: project } } : site;
}

function foundStory(site: Site, { name, about, data }: Row): Content {
  const ref = asText(data["ref"]) ?? name;
  const title = [
    markup`<span class="count">${name}</span><strong>${linkedStory(site, ref, about)}</strong>`,
  ];
  return [line([title, stateTag({ state: data["state"] as State })], asText(data["epic"])), excerpt(data)];
}

function foundDocument(site: Site, { name, about, data }: Row): Content {
  const status = asText(data["status"]);
  const changed = asText(data["changed"])?.slice(0, 10);
  return [head(link(site, { doc: name }, about), changed, status && statusTag(status)), excerpt(data)];
}

function excerpt({ snippet }: Row["data"]): Content {
  return snippet !== undefined && quietLine(asText(snippet));
}

function fileRow(site: Site, row: Row, name = row.name): Markup {
  const { size } = row.data as { readonly size?: number };
  const about = size === undefined ? row.about : sizeText(size);
  return line(link(site, { uri: row.name }, markup`<code>${name}</code>`), [about, " ", originTag(row)]);
}

const SCHEME = "bmad://";

function filesBody(site: Site, rows: readonly Row[], { under = "", find = "", from, origin }: ListQuery) {
  const inside = rows.filter(({ name }) => name.startsWith(SCHEME + under));
  const target = { list: "resources", under: under || undefined, find: find || undefined, origin };
  const matching = find === "" ? undefined : withWords(inside, find);
  const entries = matching?.map((row) => fileRow(site, row)) ?? folderRows(site, inside, under, target);
  const { items, pager } = paged(site, entries, from, target);
  return [
    markup`<h1>${withCount("Files", matching?.length ?? inside.length)}</h1>`,
    crumbs(site, under),
    searchForm(site, {
      name: "find",
      value: find,
      placeholder: "Part of a file or folder name",
      label: "Find files",
      hidden: { list: "resources", under: under || undefined },
    }),
    markup`<h2>${matching === undefined ? under || "All files" : `With “${find}”`}</h2>`,
    rowList(items, "No such file."),
    pager,
  ];
}

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
    ...[...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, files]) => {
      const linked = link(site, { ...target, under: `${under}${name}/` }, markup`<code>${name}/</code>`);
      return line(linked, counted(files.length, "file"));
    }),
    ...inside.filter((row) => !isDeeper(row)).map((row) => fileRow(site, row, below(row))),
  ];
}

function crumbs(site: Site, under: string): Markup {
  const parts = under.split("/").filter((part) => part !== "");
  const steps = parts.map((part, at) =>
    markup` / ${link(site, { list: "resources", under: `${parts.slice(0, at + 1).join("/")}/` }, part)}`
  );
  const all = link(site, { list: "resources" }, "Files");
  return markup`<nav class="crumbs" aria-label="Folders">${all}${steps}</nav>`;
}

const SHOWN = ["name", "who", "title", "description", "origin", "overrides", "overridden by"];
const SHOWN_OF_AGENTS = [...SHOWN, "role", "menu", "customized"];

interface ItemData extends Pick<Item, "name" | "displayName" | "title" | "icon" | "description"> {
  readonly role?: string;
  readonly origin: string;
  readonly shadows: readonly string[];
  readonly customized: readonly { readonly key: string; readonly was?: unknown }[];
  readonly persona?: Pick<Persona, "role" | "identity" | "communicationStyle" | "principles">;
  readonly menu?: readonly MenuItem[];
  readonly content: string;
}

const CUSTOMIZED: Markup = tag("customized", "mark");

/** `origin` selects its version, even if another overrides it. */
export async function entryPage(site: Site, name: string, origin?: string): Promise<View> {
  const { app } = site.project;
  const entry = await app.resolve({ name, origin });
  const { sheet, chain, data } = await app.read(entry, name);
  const item = data as unknown as ItemData;
  const own = qualifiedName(entry);
  const isAgent = item.persona !== undefined;
  const title = titleOf({ data }) ?? entry.name;
  const shown = isAgent ? SHOWN_OF_AGENTS : SHOWN;
  return {
    title,
    tab: "library",
    body: [
      markup`<h1>${item.icon && markup`<span aria-hidden="true">${item.icon}</span> `}${title}</h1>
<p class="marks">${place(own)} ${tag(entry.origin.id)} ${item.customized.length > 0 && CUSTOMIZED}</p>
<p class="lead">${entry.description}</p>`,
      isAgent && [
        sayLine(firstSentence(item.displayName ?? entry.name)),
        personaSection(item),
        menuSection(site, item),
        listSection(
          "Customized",
          sheet.filter(({ label }) => label === "customized").map(({ text }) => text),
        ),
      ],
      section(
        "Where it comes from",
        markup`<ol class="rows card chain">${chain.map((record) => chainRow(site, own, record))}</ol>`,
      ),
      section(
        "Facts",
        markup`<div class="card">${
          sheetList(site, sheet.filter(({ label }) => !shown.includes(label)))
        }</div>`,
      ),
      markup`<details class="card text"${!isAgent && markup` open`}><summary>Text of its file</summary>
<pre dir="auto">${item.content}</pre></details>`,
    ],
  };
}

function isChanged({ customized }: ItemData, key: string): boolean {
  return customized.some((one) => one.key.replace(/^agent\./, "") === key);
}

function personaSection(item: ItemData): Content {
  const { role, identity, communicationStyle, principles } = item.persona!;
  const previous = item.customized.find(({ key }) => key === "agent.principles")?.was;
  const usual = Array.isArray(previous) ? previous : principles;
  const marked = (key: string, value?: string): Content =>
    value && [value, isChanged(item, key) && [" ", CUSTOMIZED]];
  const points = principles.map((one) => markup`<li>${one}${!usual.includes(one) && [" ", CUSTOMIZED]}</li>`);
  return factCard("Persona", [
    ["Role", marked("role", role)],
    ["Identity", marked("identity", identity)],
    ["Style", marked("communication_style", communicationStyle)],
    ["Principles", points.length > 0 && markup`<ul class="plain">${points}</ul>`],
  ]);
}

function menuSection(site: Site, item: ItemData): Content {
  const rows = (item.menu ?? []).map(({ code, label, target, prompt }) => {
    const path = target !== undefined && place(target);
    const leadsTo = target === undefined || target.includes("/") ? path : link(site, { show: target }, path);
    return markup`<tr><td><kbd>${code}</kbd></td><td>${label}${
      isChanged(item, `menu.${code}`) && [" ", CUSTOMIZED]
    }${
      prompt !== undefined &&
      markup`<details><summary class="quiet">Prompt</summary><p>${prompt}</p></details>`
    }${leadsTo && quietLine(leadsTo)}</td></tr>`;
  });
  return section(
    "Menu",
    rows.length > 0 &&
      markup`<div class="card"><table class="menu"><thead><tr><th scope="col">Code</th><th scope="col">What it does</th></tr></thead>
<tbody>${rows}</tbody></table></div>`,
  );
}

const STANDINGS = {
  wins: ["used", "good"],
  overridden: ["overridden", ""],
  missing: ["missing", "bad"],
} as const;

function chainRow(site: Site, name: string, record: ChainLink): Markup {
  const { origin, standing, why, file, differing, isAsked } = record;
  const hasPage = !isAsked && standing !== "missing";
  const title = hasPage ? link(site, { show: name, origin: origin.id }, origin.id) : origin.id;
  const [word, colour] = STANDINGS[standing];
  const marks = [tag(word, colour), quiet(`priority ${origin.priority}`)];
  const difference = differing === 0
    ? "; its files are the same"
    : differing !== undefined && `; ${counted(differing, "file differs", "files differ")}`;
  return markup`<li class="${standing}">${
    line([markup`<strong>${title}</strong>`, marks], isAsked && "shown here")
  }<p>${why}${difference}</p>${quietLine([place(origin.location), " › ", place(file)])}</li>`;
}

function sheetList(site: Site, facts: readonly Fact[]): Markup {
  const groups = [...Map.groupBy(facts, ({ label }) => label)].map(([label, values]) =>
    markup`<dt>${label}</dt>${values.map((fact) => markup`<dd>${factValue(site, fact)}</dd>`)}`
  );
  return markup`<dl>${groups}</dl>`;
}

function factValue(site: Site, { label, text, uri, name }: Fact): Content {
  if (uri !== undefined) {
    return [link(site, { uri }, markup`<code>${uri}</code>`), quiet(text.slice(uri.length))];
  }
  if (label !== "menu") return text;
  const [code = "", ...words] = text.split(" ");
  const sentence = words.join(" ");
  return markup`<kbd>${code}</kbd> ${name === undefined ? sentence : link(site, { show: name }, sentence)}`;
}

export async function filePage(site: Site, reference: string, isRaw: boolean): Promise<View> {
  const { app } = site.project;
  const { uri, mimeType, text, bytes } = await app.open(reference);
  const path = uri.replace(/^\w+:\/\//, "").split("#", 1)[0]!;
  const nameAt = path.lastIndexOf("/") + 1;
  const row = (await app.list({ what: "resources" })).find(({ name }) => name === uri);
  const { origin } = (row?.data ?? {}) as { readonly origin?: string };
  return {
    title: uri,
    tab: "resources",
    body: [
      crumbs(site, path.slice(0, nameAt)),
      markup`<h1>${path.slice(nameAt)}</h1>
<p><code>${uri}</code> ${tag(mimeType)} ${tag(origin ?? "generated")} ${quiet(row?.about)}</p>`,
      text === undefined
        ? markup`<p class="note">Binary file, ${sizeText(bytes?.length ?? 0)}</p>`
        : mimeType === "text/markdown" && !isRaw
        ? markup`<p>${link(site, { uri, raw: 1 }, "Show the text as it is")}</p>${await proseOf(text)}`
        : markup`<pre dir="auto">${text}</pre>`,
    ],
  };
}
