/**
 * The first page: what there is, where it comes from, what is wrong, and what several origins have.
 */
import { type OriginFacts, originState } from "../../app.ts";
import type { Diagnostic } from "../../base/model.ts";
import { type Markup, markup } from "./markup.ts";
import { counted, KINDS, link, linkTo, rowList, rowOf, type Site, tag, titleOf, type View } from "./site.ts";

/** How many of what has a page of its own are shown on the first one. */
const MOST_SHOWN = 8;

/** The view. */
export async function overviewOf(site: Site): Promise<View> {
  const { app, name } = site.project;
  const [origins, diagnostics, shadowed] = await Promise.all([
    app.origins(),
    app.diagnostics(),
    app.overridden(),
  ]);
  const counts = await Promise.all(
    KINDS.map(async (kind) => ({ kind, count: (await app.list({ what: kind })).length })),
  );
  return {
    title: "Overview",
    tab: "",
    body: markup`<h1>${name}</h1>
<p>${app.config.project ?? "No project: only what comes from elsewhere."}</p>
<ul class="tiles">${
      counts.filter(({ count }) => count > 0).map(({ kind, count }) =>
        markup`<li><a href="${linkTo(site, { list: kind })}"><b>${count}</b><span>${
          titleOf(kind)
        }</span></a></li>`
      )
    }</ul>
<h2>Origins, the best first</h2>
${rowList(origins.map((facts) => originRow(site, facts)))}
<h2>Diagnostics</h2>
${
      diagnostics.length === 0
        ? markup`<p class="note good">Nothing was found wrong on the way. ${
          link(site, { list: "doctor" }, "Look at every file")
        }</p>`
        : rowList(diagnostics.slice(0, MOST_SHOWN).map(diagnosticRow))
    }${more(site, "doctor", diagnostics.length)}
<h2>In several origins</h2>
${
      rowList(
        shadowed.slice(0, MOST_SHOWN).map((row) => rowOf(site, row)),
        "Each thing comes from one origin only.",
      )
    }${more(site, "conflicts", shadowed.length)}`,
  };
}

function more(site: Site, list: string, count: number): Markup | undefined {
  if (count <= MOST_SHOWN) return undefined;
  return markup`<p>${link(site, { list }, `All ${count}, and what only a look at every file shows`)}</p>`;
}

const MEANINGS = { ready: "good", empty: "", missing: "", fetching: "warn", failed: "bad" } as const;

function originRow(site: Site, facts: OriginFacts): Markup {
  const { origin, roots, things, copy, changed } = facts;
  const state = originState(facts);
  const layouts = [...new Set(roots.map((root) => `${root.layout} ${root.version ?? ""}`.trim()))];
  const about = [
    ...layouts,
    copy?.commit && `commit ${copy.commit.slice(0, 10)}`,
    changed !== undefined && `changed ${new Date(changed).toISOString().slice(0, 10)}`,
    copy?.problem,
  ].filter(Boolean).join(" · ");
  return markup`<div class="head"><strong>${origin.id}</strong>${
    tag(state, MEANINGS[state])
  }<span class="quiet">priority ${origin.priority}</span><span class="end">${
    things > 0 &&
    markup`${counted(things, "thing")}, ${link(site, { list: "resources", origin: origin.id }, "files")}`
  }</span></div><p><span class="path">${origin.location}</span></p>${
    about !== "" && markup`<p class="quiet">${about}</p>`
  }`;
}

const LEVELS = { error: "bad", warning: "warn", info: "" } as const;

/** Something that is wrong, and what mends it. */
export function diagnosticRow({ level, origin, path, message, fix }: Diagnostic): Markup {
  return markup`<div class="head">${tag(level, LEVELS[level])}<span class="path">${
    [origin, path].filter(Boolean).join(": ")
  }</span></div><p>${message}</p>${fix !== undefined && markup`<p class="quiet">${fix}</p>`}`;
}
