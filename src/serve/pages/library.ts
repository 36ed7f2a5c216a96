/**
 * The library: what is served, the agents as people, and what several sources have.
 */
import { counted } from "../../base/text.ts";
import { type Content, markup } from "./markup.ts";
import { personCards } from "./people.ts";
import { KINDS, link, linkTo, listTitle, rowList, rowOf, type Site, type View } from "./site.ts";

/** The most rows of a list that has its own page. */
const MAX_SHOWN = 8;
const MAX_PEOPLE = 6;

/** What is served, in numbers, and its agents. */
export async function libraryPage(site: Site): Promise<View> {
  const { app } = site.project;
  const [overridden, agents, counts] = await Promise.all([
    app.overridden(),
    app.list({ what: "agents" }),
    Promise.all(KINDS.map(async (kind) => ({ kind, count: (await app.list({ what: kind })).length }))),
  ]);
  return {
    title: "Library",
    tab: "library",
    body: markup`<h1>Library</h1>
<p>What is served to clients. ${link(site, { page: "about" }, "Sources, settings and issues")}</p>
<ul class="tiles">${
      counts.filter(({ count }) => count > 0).map(({ kind, count }) =>
        markup`<li><a href="${linkTo(site, { list: kind })}"><b>${count}</b><span>${
          listTitle(kind)
        }</span></a></li>`
      )
    }</ul>
${
      agents.length > 0 &&
      markup`<h2>Agents</h2>${await personCards(site, agents.slice(0, MAX_PEOPLE))}${
        viewAll(site, "agents", agents.length, MAX_PEOPLE, `All ${counted(agents.length, "agent")}`)
      }`
    }
<h2>In several sources</h2>
${
      rowList(
        overridden.slice(0, MAX_SHOWN).map((row) => rowOf(site, row)),
        "Nothing is in more than one source.",
      )
    }${
      viewAll(site, "conflicts", overridden.length, MAX_SHOWN, `View all ${overridden.length} (full scan)`)
    }`,
  };
}

function viewAll(site: Site, list: string, count: number, shown: number, words: string): Content {
  return count > shown && markup`<p>${link(site, { list }, words)}</p>`;
}
