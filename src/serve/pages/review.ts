/**
 * The review of a story: what to look at, what is open and settled, and whether another pass is due.
 */
import type { FindingFacts } from "../../app.ts";
import { counted } from "../../base/text.ts";
import { type Content, type Markup, markup } from "./markup.ts";
import { link, rowList, type Site, tag, type View } from "./site.ts";

/** What a reviewer of a story needs. */
export async function reviewPage(site: Site, story: string): Promise<View> {
  const { packet } = await (await site.project.app.work()).review(story, { review: () => "", force: "" });
  const { title, state, file, diff, criteria, passes, open, settled, isOver, advice } = packet;
  const { size, uncommitted } = diff;
  return {
    title: `Review of ${title}`,
    tab: "board",
    body: markup`<h1>Review of ${title}</h1>
<p class="lead">${tag(state, "mark")} ${
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
${listOf("Criteria", criteria)}
${listOf("Open", open.map(openRow))}
${listOf("Settled", settled.map(settledRow))}
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

function openRow({ id, severity, text, file, verdict }: FindingFacts): Markup {
  return markup`${
    tag(severity ?? "no severity", severity === "high" ? "bad" : severity === "low" ? "" : "warn")
  } ${text} <span class="quiet">${[file, verdict, id].filter(Boolean).join(" · ")}</span>`;
}

function settledRow({ id, text, file, verdict, reason }: FindingFacts): Markup {
  return markup`${tag(verdict ?? "noted", verdict === "fixed" ? "good" : "")} ${text} <span class="quiet">${
    [reason, file, id].filter(Boolean).join(" · ")
  }</span>`;
}

function listOf(title: string, rows: readonly Content[]): Content {
  return rows.length > 0 && markup`<h2>${title}</h2>${rowList(rows)}`;
}
