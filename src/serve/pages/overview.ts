/**
 * The first page: what is served, where it comes from, issues, and what several sources have.
 */
import { type OriginFacts, originState, type Row } from "../../app.ts";
import type { Diagnostic } from "../../base/model.ts";
import { counted } from "../../base/text.ts";
import { boardSummary } from "./board.ts";
import { documentRow } from "./documents.ts";
import { type Markup, markup } from "./markup.ts";
import { personCards } from "./people.ts";
import { latestMemories } from "./remembered.ts";
import { KINDS, link, linkTo, listTitle, rowList, rowOf, type Site, tag, type View } from "./site.ts";

/** The most rows of a list that has its own page. */
const MAX_SHOWN = 8;

export async function overviewPage(site: Site): Promise<View> {
  const { app, name } = site.project;
  const [origins, diagnostics, overridden] = await Promise.all([
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
<p>${app.config.project ?? "No project: only content from other sources."}</p>
${await projectSection(site)}
<h2>Served</h2>
<ul class="tiles">${
      counts.filter(({ count }) => count > 0).map(({ kind, count }) =>
        markup`<li><a href="${linkTo(site, { list: kind })}"><b>${count}</b><span>${
          listTitle(kind)
        }</span></a></li>`
      )
    }</ul>
<h2>Sources, highest priority first</h2>
${rowList(origins.map((facts) => originRow(site, facts)))}
<h2>Issues</h2>
${
      diagnostics.length === 0
        ? markup`<p class="note good">No issues found. ${
          link(site, { list: "doctor" }, "Run a full scan")
        }</p>`
        : rowList(diagnostics.slice(0, MAX_SHOWN).map(diagnosticRow))
    }${viewAll(site, "doctor", diagnostics.length)}
<h2>In several sources</h2>
${
      rowList(
        overridden.slice(0, MAX_SHOWN).map((row) => rowOf(site, row)),
        "Nothing is in more than one source.",
      )
    }${viewAll(site, "conflicts", overridden.length)}`,
  };
}

/** Where the project stands, and what to do next. */
async function projectSection(site: Site): Promise<Markup | undefined> {
  const { app } = site.project;
  if (app.config.project === undefined) return undefined;
  const [summary, rows, documents, people, memories] = await Promise.all([
    boardSummary(site),
    app.list({ what: "next" }),
    latestDocuments(site),
    team(site),
    latestMemories(site),
  ]);
  const next = rows.filter(({ data }) => data["standing"] === "next");
  return markup`${
    next.length > 0 && markup`<h2>Next</h2>${rowList(next.map((row) => rowOf(site, nextRow(row))))}`
  }${summary && markup`<h2>Progress</h2>${summary}`}${documents}${people}${
    memories &&
    markup`<h2>Remembered</h2>${memories}<p>${link(site, { page: "memory" }, "All memories")}</p>`
  }`;
}

/** The heading says already that it is next. */
function nextRow({ why, ...row }: Row): Row {
  return why === undefined ? row : { ...row, about: why };
}

/** How many documents and agents the first page shows. */
const MAX_LATEST = 5, MAX_PEOPLE = 6;

async function latestDocuments(site: Site): Promise<Markup | undefined> {
  const { app } = site.project;
  if (app.config.kit === undefined) return undefined;
  const documents = await (await app.work()).documents();
  if (documents.length === 0) return undefined;
  const latest = documents.filter(({ role }) => role !== "story")
    .toSorted((a, b) => (b.modified ?? 0) - (a.modified ?? 0)).slice(0, MAX_LATEST);
  return markup`<h2>Documents</h2>${rowList(latest.map((one) => documentRow(site, one)))}<p>${
    link(site, { page: "documents" }, `All ${counted(documents.length, "document")}`)
  }</p>`;
}

async function team(site: Site): Promise<Markup | undefined> {
  const agents = await site.project.app.list({ what: "agents" });
  if (agents.length === 0) return undefined;
  return markup`<h2>Team</h2>${await personCards(site, agents.slice(0, MAX_PEOPLE))}${
    agents.length > MAX_PEOPLE &&
    markup`<p>${link(site, { list: "agents" }, `All ${counted(agents.length, "agent")}`)}</p>`
  }`;
}

function viewAll(site: Site, list: string, count: number): Markup | undefined {
  if (count <= MAX_SHOWN) return undefined;
  return markup`<p>${link(site, { list }, `View all ${count} (full scan)`)}</p>`;
}

const STATE_COLOURS = {
  ready: "good",
  standby: "",
  empty: "",
  missing: "",
  fetching: "warn",
  failed: "bad",
} as const;

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
    tag(state, STATE_COLOURS[state])
  }<span class="quiet">priority ${origin.priority}</span><span class="end">${
    things > 0 &&
    markup`${counted(things, "item")}, ${link(site, { list: "resources", origin: origin.id }, "files")}`
  }</span></div><p><span class="path">${origin.location}</span></p>${
    about !== "" && markup`<p class="quiet">${about}</p>`
  }`;
}

const LEVEL_COLOURS = { error: "bad", warning: "warn", info: "" } as const;

export function diagnosticRow({ level, origin, path, message, fix }: Diagnostic): Markup {
  return markup`<div class="head">${tag(level, LEVEL_COLOURS[level])}<span class="path">${
    [origin, path].filter(Boolean).join(": ")
  }</span></div><p>${message}</p>${fix !== undefined && markup`<p class="quiet">${fix}</p>`}`;
}
