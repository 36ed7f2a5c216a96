/**
 * The project's documents: a list with the status of each, and each as a page with its contents.
 */
import type { ListedDocument, OpenedDocument } from "../../app.ts";
import { proseOf } from "./contents.ts";
import { type Markup, markup } from "../../base/markup.ts";
import { link, paged, rowList, type Site, sizeText, tag, type View } from "./site.ts";

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

/** Every document of the project. */
export async function documentsPage(site: Site, from: number): Promise<View> {
  const documents = await (await site.project.app.work()).documents();
  const { items, pager } = paged(site, documents, from, { page: "documents" });
  const groups = Map.groupBy(items, ({ role }) => role);
  return {
    title: "Documents",
    tab: "documents",
    body: markup`<h1>Documents <span class="count">${documents.length}</span></h1>
${
      documents.length === 0 &&
      markup`<p class="quiet">No documents yet. Workflows such as a PRD leave them.</p>`
    }${
      [...groups].map(([role, some]) =>
        markup`<h2>${TITLES[role]}</h2>${rowList(some.map((one) => documentRow(site, one)))}`
      )
    }${pager}`,
  };
}

/** A document in a list. */
export function documentRow(site: Site, { path, title, status, size, modified }: ListedDocument): Markup {
  return markup`<div class="head"><strong>${link(site, { doc: path }, title)}</strong>${
    status !== undefined && statusTag(status)
  }<span class="end">${modified !== undefined && dayOf(modified)}</span></div>
<p class="quiet"><span class="path">${path}</span> · ${sizeText(size)}</p>`;
}

/** What a document says about how far it is. */
export function statusTag(status: string): Markup {
  if (/^(?:done|complete|final|approved|accepted|ready)/i.test(status)) return tag(status, "good");
  return tag(status, /^(?:draft|in[- ]progress|wip|review)/i.test(status) ? "mark" : "");
}

/** One document, or its text as it is. */
export async function documentPage(site: Site, path: string, isRaw: boolean): Promise<View> {
  const { text, ...document } = await (await site.project.app.work()).document(path);
  const { role, title, status, modified, size, stories, previous, next } = document;
  return {
    title,
    tab: "documents",
    body: markup`<p class="crumbs">${link(site, { page: "documents" }, "Documents")} / ${TITLES[role]}</p>
<h1>${title}</h1>
<dl>
${status !== undefined && markup`<dt>Status</dt><dd>${statusTag(status)}</dd>`}
${modified !== undefined && markup`<dt>Changed</dt><dd>${dayOf(modified)}</dd>`}
<dt>File</dt><dd><span class="path">${path}</span> <span class="quiet">${sizeText(size)}</span></dd>
${stories.length > 0 && markup`<dt>Stories</dt><dd>${stories.map((story) => storyLink(site, story))}</dd>`}
</dl>
${
      isRaw
        ? markup`<p>${link(site, { doc: path }, "Show it as a page")}</p><pre dir="auto">${text}</pre>`
        : markup`<p>${link(site, { doc: path, raw: 1 }, "Show the text as it is")}</p>${await proseOf(text)}`
    }
<nav class="pager" aria-label="Documents">${
      previous && link(site, { doc: previous.path }, `← ${previous.title}`)
    }${link(site, { page: "documents" }, "All documents")}${
      next && link(site, { doc: next.path }, `${next.title} →`)
    }</nav>`,
  };
}

function storyLink(site: Site, { ref, title }: OpenedDocument["stories"][number]): Markup {
  return markup`<p>${link(site, { page: "board", story: ref }, [ref, " ", title])}</p>`;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
