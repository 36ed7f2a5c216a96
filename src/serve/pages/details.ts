/**
 * The pages of one item and of one file: facts, the chain of sources, menu, files, and the text itself.
 */
import type { ChainLink, Fact } from "../../app.ts";
import { qualifiedName } from "../../base/model.ts";
import { counted } from "../../base/text.ts";
import { proseOf } from "./contents.ts";
import { crumbs } from "./lists.ts";
import { type Markup, markup } from "./markup.ts";
import { link, type Site, sizeText, tag, type View } from "./site.ts";

/** Facts that the page shows elsewhere. */
const SHOWN = ["name", "who", "title", "description", "origin", "overrides", "overridden by"];

/** An item; `origin` selects the version of one origin, even if another overrides it. */
export async function entryPage(site: Site, name: string, origin?: string): Promise<View> {
  const { app } = site.project;
  const entry = await app.resolve({ name, origin });
  const { sheet, chain, data } = await app.read(entry, name);
  // Not through `app.raw`, which would count as another use.
  const { content } = data as { readonly content: string };
  const own = qualifiedName(entry);
  const persona = sheet.find(({ label }) => label === "who" || label === "title")?.text;
  return {
    title: own,
    body: markup`<h1>${own}</h1>
${persona !== undefined && markup`<p>${persona}</p>`}<p class="lead">${entry.description}</p>
<h2>Where it comes from</h2>
<ol class="rows card chain">${chain.map((record) => chainRow(site, own, record))}</ol>
<h2>Facts</h2>
<div class="card">${factList(site, sheet.filter(({ label }) => !SHOWN.includes(label)))}</div>
<h2>Text</h2>
<pre dir="auto">${content}</pre>`,
  };
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
