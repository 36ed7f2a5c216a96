/**
 * The library: what is served, the agents as people, and what several sources have.
 */
import { counted } from "../../base/text.ts";
import { knownConflicts } from "./issues.ts";
import { markup } from "../../base/markup.ts";
import { personCards } from "./people.ts";
import { KINDS, link, linkTo, listTitle, type Site, type View } from "./site.ts";

/** The most agents; their list has all. */
const MAX_PEOPLE = 6;

/** What is served, in numbers, and its agents. */
export async function libraryPage(site: Site): Promise<View> {
  const { app } = site.project;
  const [conflicts, agents, counts] = await Promise.all([
    knownConflicts(site),
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
        agents.length > MAX_PEOPLE &&
        markup`<p>${link(site, { list: "agents" }, `All ${counted(agents.length, "agent")}`)}</p>`
      }`
    }
<h2>In several sources</h2>
${conflicts}`,
  };
}
