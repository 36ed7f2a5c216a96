/**
 * The review of a story: what to look at, what is open and settled, and whether another pass is due.
 */
import type { FindingFacts, Story } from "../../app.ts";
import { counted } from "../../base/text.ts";
import { stateTag } from "../board/mod.ts";
import { criteriaList } from "./criteria.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { link, MAX_ROWS, rowList, type Site, tag, type View } from "./site.ts";

/** The stories that are in review or have open findings. */
export async function reviewsPage(site: Site): Promise<View> {
  const work = await site.project.app.work();
  const stories = (await work.ledgers()).epics.flatMap((epic) => epic.stories)
    .filter(({ state, findings }) => state === "review" || findings !== undefined);
  const shown = stories.slice(0, MAX_ROWS);
  const row = ({ ref, title, state, findings }: Story) =>
    markup`<div class="head"><strong>${
      link(site, { page: "review", story: ref }, title)
    }</strong><span class="key">${ref}</span>${state === "review" && stateTag({ state })}${
      findings !== undefined && tag(`${counted(findings, "finding")} open`, "warn")
    }<span class="end">${link(site, { page: "board", story: ref }, "Story")}</span></div>`;
  return {
    title: "Reviews",
    tab: "review",
    body: markup`<h1>Reviews <span class="count">${stories.length}</span></h1>
<p>Stories that are in review or have open findings.</p>
${rowList(shown.map(row), "No story is in review, and no finding is open.")}${
      stories.length > shown.length &&
      markup`<p class="quiet">${counted(stories.length - shown.length, "more story", "more stories")}</p>`
    }`,
  };
}

/** What a reviewer of a story needs. */
export async function reviewPage(site: Site, story: string): Promise<View> {
  const { packet } = await (await site.project.app.work()).review(story, { review: () => "", force: "" });
  const { title, state, file, diff, criteria, passes, open, settled, isOver, advice } = packet;
  const { size, uncommitted } = diff;
  return {
    title: `Review of ${title}`,
    tab: "review",
    body: markup`<h1>Review of ${title}</h1>
<p class="lead">${stateTag({ state })} ${
      tag(isOver ? "may end here" : "a pass is due", isOver ? "good" : "warn")
    }</p>
<p>${advice}</p>
<h2>Diff</h2>
<p>${diff.command === undefined ? diff.from : markup`<code>${diff.command}</code> ${diff.from}`}${
      size !== undefined &&
      markup`: ${counted(size.files, "file")}, ${size.added} lines added, ${size.deleted} deleted`
    }</p>
${
      uncommitted.length > 0 &&
      markup`<p class="quiet">Not committed: ${uncommitted.slice(0, 20).join(", ")}</p>`
    }
${criteria.length > 0 && markup`<h2>Criteria</h2>${criteriaList(criteria)}`}
${listOf("Open", open.map(findingRow))}
${listOf("Settled", settled.map(findingRow))}
${
      listOf(
        "Passes",
        passes.map(({ number, heading, findings }) =>
          markup`<strong>${number}</strong> ${heading} <span class="quiet">${
            counted(findings, "finding")
          }</span>`
        ),
      )
    }
<p>${link(site, { page: "board", story }, "Back to the story")} · ${
      link(site, { doc: file }, "Open its document")
    }</p>`,
  };
}

/** A finding with how grave it is and what became of it. */
export function findingRow({ id, severity, text, file, verdict, reason, isOpen }: FindingFacts): Markup {
  const outcome = isOpen ? tag("open", "warn") : tag(verdict ?? "noted", verdict === "fixed" ? "good" : "");
  const weight = tag(severity ?? "no severity", severity === undefined ? "" : SEVERITIES[severity]);
  return markup`${outcome} ${weight} ${text} <span class="quiet">${
    [isOpen && verdict, reason, file, id].filter(Boolean).join(" · ")
  }</span>`;
}

const SEVERITIES = { high: "bad", medium: "warn", low: "" } as const;

function listOf(title: string, rows: readonly Content[]): Content {
  return rows.length > 0 && markup`<h2>${title}</h2>${rowList(rows)}`;
}
