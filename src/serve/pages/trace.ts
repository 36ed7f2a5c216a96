/**
 * The trace: which epic and which stories each requirement leads to, as a table that people can read.
 */
import type { Trace, TracedRequirement } from "../../app.ts";
import { counted } from "../../base/text.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { stateTag } from "../board/mod.ts";
import { plain } from "./criteria.ts";
import { link, rowList, type Site, tag, type View } from "./site.ts";

/** The most requirements that a page shows; the others are counted. */
const MAX_ROWS = 1_000;
/** A table with more columns is not read. */
const MAX_EPICS = 30;

/** The requirements of a project by its epics. */
export async function tracePage(site: Site): Promise<View> {
  const { trace } = await (await site.project.app.work()).trace(undefined, true);
  const { requirements, stories } = trace;
  const covered = requirements.filter(({ by }) => by.length > 0).length;
  const missing = requirements.filter(({ isMissing }) => isMissing);
  const aimless = stories.filter((story) => story.requirements.length === 0);
  const stale = stories.filter(({ stale = [] }) => stale.length > 0);
  const untested = stories.flatMap(({ ref, criteria }) =>
    criteria.filter(({ tests }) => tests.length === 0).map((one) => ({ ref, ...one }))
  );
  return {
    title: "Trace",
    tab: "trace",
    body: markup`<h1>Trace</h1>
<p class="lead">${covered} of ${
      counted(requirements.length, "requirement is", "requirements are")
    } covered.</p>
${requirements.length > 0 && matrixOf(site, trace)}
${listOf("Not covered", missing.map(({ id, text }) => markup`<strong>${id}</strong> ${text}`))}
${
      listOf(
        "Stories without a requirement",
        aimless.map(({ ref, title }) => markup`${storyLink(site, ref)} ${title}`),
      )
    }
${
      listOf(
        "Criteria without a test",
        untested.map(({ ref, number, text }) => markup`${storyLink(site, ref)} AC${number} ${plain(text)}`),
      )
    }
${
      listOf(
        "Stale: the requirement has changed since the story began",
        stale.map(({ ref, title, stale }) =>
          markup`${storyLink(site, ref)} ${title} ${tag(stale!.join(", "), "warn")}`
        ),
      )
    }
${listOf("Not looked at", trace.unread)}`,
  };
}

function matrixOf(site: Site, { requirements, epics, stories }: Trace): Markup {
  const columns = epics.slice(0, MAX_EPICS);
  const hidden = requirements.length - MAX_ROWS;
  const row = (one: TracedRequirement) =>
    markup`<tr><th scope="row" title="${one.text}">${one.id}</th><td>${one.text}${
      one.isMissing && markup` ${tag("not covered", "bad")}`
    }</td>${
      columns.map(({ ref, requirements: own }) => {
        const direct = stories.filter(({ epic, ref: story }) => epic === ref && one.stories.includes(story));
        const cells: readonly Content[] = direct.map(({ ref, state }) =>
          markup`<span class="pair">${storyLink(site, ref)} ${stateTag({ state })}</span>`
        );
        return markup`<td>${cells.length > 0 ? cells : own.includes(one.id) && tag("epic", "mark")}</td>`;
      })
    }</tr>`;
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Requirements by epics"><table class="trace">
<thead><tr><th scope="col">Id</th><th scope="col">Requirement</th>${
    columns.map(({ ref, title }) =>
      markup`<th scope="col" title="${title}">${ref === "" ? title : `Epic ${ref}`}</th>`
    )
  }</tr></thead>
<tbody>${requirements.slice(0, MAX_ROWS).map(row)}</tbody></table></div>
${hidden > 0 && markup`<p class="quiet">${counted(hidden, "more requirement")}</p>`}`;
}

function storyLink(site: Site, ref: string): Markup {
  return link(site, { page: "board", story: ref }, ref);
}

function listOf(title: string, rows: readonly Content[]): Content {
  return rows.length > 0 && markup`<h2>${title}</h2>${rowList(rows.slice(0, MAX_ROWS))}`;
}
