/**
 * The pages of one item and of one file: facts, the chain of sources, menu, files, and the text itself.
 */
import type { ChainLink, Fact } from "../../app.ts";
import { type MenuItem, qualifiedName } from "../../base/model.ts";
import { counted } from "../../base/text.ts";
import { proseOf } from "./contents.ts";
import { crumbs } from "./lists.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { firstSentence } from "./people.ts";
import { copyable, link, rowList, type Site, sizeText, tag, titleOf, type View } from "./site.ts";

/** Facts that the page shows elsewhere. */
const SHOWN = ["name", "who", "title", "description", "origin", "overrides", "overridden by"];
/** Those of an agent, whose persona has a section. */
const SHOWN_OF_AGENTS = [...SHOWN, "role", "menu", "customized"];

/** What is known of an item besides its facts. */
interface ItemData {
  readonly content: string;
  readonly displayName?: string;
  readonly title?: string;
  readonly icon?: string;
  readonly persona?: {
    readonly role?: string;
    readonly identity?: string;
    readonly communicationStyle?: string;
    readonly principles: readonly string[];
  };
  readonly menu?: readonly MenuItem[];
  readonly customized: readonly { readonly key: string; readonly was?: unknown }[];
}

/** An item; `origin` selects the version of one origin, even if another overrides it. */
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
    body: markup`<h1>${item.icon && markup`<span aria-hidden="true">${item.icon}</span> `}${title}</h1>
<p class="marks"><span class="path">${own}</span> ${tag(entry.origin.id)} ${
      item.customized.length > 0 && tag("customized", "mark")
    }</p>
<p class="lead">${entry.description}</p>
${
      isAgent &&
      markup`<p><span class="quiet">Say in your client</span> ${
        copyable(firstSentence(item.displayName ?? entry.name))
      }</p>
${personaSection(item)}${menuSection(site, item)}${customizedSection(sheet)}`
    }
<h2>Where it comes from</h2>
<ol class="rows card chain">${chain.map((record) => chainRow(site, own, record))}</ol>
<h2>Facts</h2>
<div class="card">${factList(site, sheet.filter(({ label }) => !shown.includes(label)))}</div>
<details class="card text"${!isAgent && markup` open`}><summary>Text of its file</summary>
<pre dir="auto">${item.content}</pre></details>`,
  };
}

/** Whether a customization has changed a value. */
function isChanged({ customized }: ItemData, key: string): boolean {
  return customized.some((one) => one.key.replace(/^agent\./, "") === key);
}

function personaSection(item: ItemData): Markup {
  const { role, identity, communicationStyle, principles } = item.persona!;
  const added = item.customized.find(({ key }) => key === "agent.principles")?.was;
  const usual = Array.isArray(added) ? added : principles;
  const rows: readonly (readonly [label: string, key: string, value: Content])[] = [
    ["Role", "role", role],
    ["Identity", "identity", identity],
    ["Style", "communication_style", communicationStyle],
    [
      "Principles",
      "principles",
      principles.length > 0 &&
      markup`<ul class="plain">${
        principles.map((one) =>
          markup`<li>${one}${!usual.includes(one) && markup` ${tag("customized", "mark")}`}</li>`
        )
      }</ul>`,
    ],
  ];
  const told = rows.filter(([, , value]) => value);
  return markup`${
    told.length > 0 && markup`<h2>Persona</h2>
<div class="card"><dl>${
      told.map(([label, key, value]) =>
        markup`<dt>${label}</dt><dd>${value}${
          key !== "principles" && isChanged(item, key) && markup` ${tag("customized", "mark")}`
        }</dd>`
      )
    }</dl></div>`
  }`;
}

function menuSection(site: Site, item: ItemData): Content {
  const { menu = [] } = item;
  return menu.length > 0 && markup`<h2>Menu</h2>
<div class="card"><table class="menu"><thead><tr><th scope="col">Code</th><th scope="col">What it does</th></tr></thead>
<tbody>${
    menu.map(({ code, label, target, prompt }) =>
      markup`<tr><td><kbd>${code}</kbd></td><td>${label}${
        isChanged(item, `menu.${code}`) && markup` ${tag("customized", "mark")}`
      }${
        prompt !== undefined &&
        markup`<details><summary class="quiet">Prompt</summary><p>${prompt}</p></details>`
      }${
        target !== undefined && markup`<p class="quiet">${
          target.includes("/")
            ? markup`<span class="path">${target}</span>`
            : link(site, { show: target }, markup`<span class="path">${target}</span>`)
        }</p>`
      }</td></tr>`
    )
  }</tbody></table></div>`;
}

function customizedSection(sheet: readonly Fact[]): Content {
  const rows = sheet.filter(({ label }) => label === "customized");
  return rows.length > 0 &&
    markup`<h2>Customized</h2>${rowList(rows.map(({ text }) => markup`${text}`))}`;
}

/** What the page calls the standing of a version, and its colour. */
const STANDINGS = {
  wins: ["used", "good"],
  overridden: ["overridden", ""],
  missing: ["missing", "bad"],
} as const;

function chainRow(site: Site, name: string, record: ChainLink): Markup {
  const { origin, standing, why, file, differing, isAsked } = record;
  const [word, colour] = STANDINGS[standing];
  const difference = differing === undefined
    ? ""
    : differing === 0
    ? "; its files are the same"
    : `; ${counted(differing, "file differs", "files differ")}`;
  return markup`<li class="${standing}"><div class="head"><strong>${
    isAsked || standing === "missing" ? origin.id : link(site, { show: name, origin: origin.id }, origin.id)
  }</strong>${tag(word, colour)}<span class="quiet">priority ${origin.priority}</span>${
    isAsked && markup`<span class="end">shown here</span>`
  }</div><p>${why}${difference}</p><p class="quiet"><span class="path">${origin.location}</span> › <span class="path">${file}</span></p></li>`;
}

function factList(site: Site, facts: readonly Fact[]): Markup {
  const groups = Map.groupBy(facts, ({ label }) => label);
  return markup`<dl>${
    [...groups].map(([label, values]) =>
      markup`<dt>${label}</dt>${values.map((fact) => markup`<dd>${valueOf(site, fact)}</dd>`)}`
    )
  }</dl>`;
}

function valueOf(site: Site, { label, text, uri, name }: Fact): Markup {
  if (uri !== undefined) {
    const facts = text.slice(uri.length);
    return markup`${link(site, { uri }, markup`<code>${uri}</code>`)}<span class="quiet">${facts}</span>`;
  }
  if (label !== "menu") return markup`${text}`;
  const [code = "", ...words] = text.split(" ");
  const sentence = words.join(" ");
  return markup`<kbd>${code}</kbd> ${name === undefined ? sentence : link(site, { show: name }, sentence)}`;
}

export async function filePage(site: Site, reference: string, isRaw: boolean): Promise<View> {
  const { app } = site.project;
  const { uri, mimeType, text, bytes } = await app.open(reference);
  const path = uri.replace(/^\w+:\/\//, "").split("#", 1)[0]!;
  const row = (await app.list({ what: "resources" })).find(({ name }) => name === uri);
  const { origin } = (row?.data ?? {}) as { readonly origin?: string };
  return {
    title: uri,
    tab: "resources",
    body: markup`${crumbs(site, path.slice(0, path.lastIndexOf("/") + 1))}
<h1>${path.slice(path.lastIndexOf("/") + 1)}</h1>
<p><code>${uri}</code> ${tag(mimeType)} ${tag(origin ?? "generated")} <span class="quiet">${
      row?.about ?? ""
    }</span></p>
${
      text === undefined
        ? markup`<p class="note">Binary file, ${sizeText(bytes?.length ?? 0)}</p>`
        : mimeType === "text/markdown" && !isRaw
        ? markup`<p>${link(site, { uri, raw: 1 }, "Show the text as it is")}</p>${await proseOf(text)}`
        : markup`<pre dir="auto">${text}</pre>`
    }`,
  };
}
