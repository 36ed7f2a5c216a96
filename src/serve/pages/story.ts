/**
 * The page of a story, also of one that is only planned: where it stands, what to do with it, and what proves it. The page
 * of an epic has its stories.
 */
import type {
  Detailed,
  DetailedStory,
  Epic,
  FindingFacts,
  ProjectWork,
  Row,
  Story,
  Task,
} from "../../app.ts";
import { counted } from "../../base/text.ts";
import { renderTime } from "../../base/work.ts";
import { epicName, stateTag, summaryOf } from "../board/mod.ts";
import { criteriaList, plain } from "./criteria.ts";
import { findingRow } from "./review.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { copyable, link, rowList, type Site, tag, type View } from "./site.ts";

/** The most rows of each part; the data of the commands has all. */
const MAX_ROWS = 100;

/** Pages execute nothing: they say what to say to a client. */
export const NO_CALLS: Parameters<ProjectWork["detail"]>[1] = { execute: () => "" };

/** A story or an epic by its name. */
export async function storyPage(site: Site, name: string): Promise<View> {
  const work = await site.project.app.work();
  const detailed = await work.detail(name, NO_CALLS);
  return detailed.story === undefined
    ? epicView(site, work, detailed)
    : storyView(site, work, detailed, detailed.story);
}

/** A link to the page of a story. */
export function storyLink(site: Site, { ref, title }: Pick<Story, "ref" | "title">): Markup {
  return markup`${link(site, { page: "board", story: ref }, title)} <span class="key">${ref}</span>`;
}

/** A link to the page of an epic; stories without one are in an epic without a name. */
export function epicLink(site: Site, work: Pick<ProjectWork, "epicName">, epic: Epic): Content {
  return epic.ref === ""
    ? epic.title
    : link(site, { page: "board", story: work.epicName(epic) }, epicName(epic));
}

function storyView(site: Site, work: ProjectWork, detailed: Detailed, told: DetailedStory): View {
  const { epic } = detailed;
  const { story, tasks, check, findings, history, times, trace, requirements, documents, step } = told;
  const { title, ref, claim, owner } = story;
  const { questions: waiting } = work.notesOf(story);
  return {
    title: `${title} (${ref})`,
    tab: "board",
    body: markup`<p class="crumbs">${link(site, { page: "board" }, "Board")} / ${
      epicLink(site, work, epic)
    }</p>
<h1>${title} <span class="key">${ref}</span></h1>
<p class="marks">${stateTag(story)} ${claim && tag(`held by ${claim.holder}`, "mark")} ${
      story.isFree && tag("free", "good")
    } ${story.findings !== undefined && tag(`${counted(story.findings, "finding")} open`, "warn")} ${
      story.stale && tag(`stale: ${story.stale.join(", ")}`, "warn")
    } ${waiting !== undefined && link(site, { page: "questions" }, tag(waiting, "mark"))}</p>
${
      step !== undefined &&
      sayCard(step.headline, step.say, step.story === undefined ? step.why : undefined)
    }
<div class="halves"><div>
${
      tasks.length > 0 && markup`<h2>Tasks <span class="count">${
        tasks.filter(({ isTicked }) => isTicked).length
      } of ${tasks.length}</span></h2>${taskLists(tasks)}`
    }
${
      section(
        "Acceptance criteria",
        story.criteria.length > 0 && criteriaList(story.criteria, trace.criteria),
      )
    }
<h2>What speaks against “done”</h2>
${againstDone(check)}
${section("Findings of reviews", findings.length > 0 && findingList(site, story, findings))}
</div><div>
<h2>Facts</h2>
<div class="card"><dl>${
      facts([
        ["Epic", epicLink(site, work, epic)],
        ["Holder", claim && `${claim.holder} until ${renderTime(Date.parse(claim.until))}`],
        ["Owner", owner],
        ["Builds on", links(site, story.after)],
        ["Waits for", links(site, story.waitsFor)],
        ["Blocked", story.reason],
        ["Open question", story.unknown],
        ["Note", story.note],
        ["Forced", story.forced && [story.forced.by, ...story.forced.reasons].filter(Boolean).join(": ")],
        ["Time in states", times],
      ])
    }</dl></div>
${
      section(
        "Documents",
        documents.length > 0 && rowList(documents.slice(0, MAX_ROWS).map((path) => documentLink(site, path))),
      )
    }
${section("Trace", traceList(site, requirements, trace))}
${section("History", history.length > 0 && rowList(history.toReversed().slice(0, MAX_ROWS).map(historyRow)))}
${
      section(
        "Where files disagree",
        story.drift.length > 0 &&
          rowList(
            story.drift.slice(0, MAX_ROWS).map(({ path, line, problem }) =>
              markup`${tag("drift", "warn")} ${problem} <span class="path quiet">${path}${
                line && `:${line}`
              }</span>`
            ),
          ),
      )
    }
</div></div>
${neighbours(site, work, detailed, "Stories")}`,
  };
}

/** What to do, and what to say for it. */
export function sayCard(headline: string, say: string | undefined, why?: string): Markup {
  return markup`<section class="card now"><h2>${headline}</h2>
${why !== undefined && markup`<p class="quiet">${why}</p>`}${
    say !== undefined && markup`<p><span class="quiet">Say in your client</span> ${copyable(say)}</p>`
  }</section>`;
}

function section(title: string, body: Content): Content {
  return body && markup`<h2>${title}</h2>${body}`;
}

function facts(rows: readonly (readonly [label: string, value: Content])[]): readonly Markup[] {
  return rows.flatMap(([label, value]) =>
    value === undefined || value === "" || value === false ? [] : [markup`<dt>${label}</dt><dd>${value}</dd>`]
  );
}

/** Stories and epics by what a story calls them. */
function links(site: Site, refs: readonly string[]): Content {
  return refs.length > 0 &&
    refs.map((ref, at) => markup`${at > 0 && ", "}${link(site, { page: "board", story: ref }, ref)}`);
}

function taskLists(tasks: readonly Task[]): readonly Markup[] {
  const groups = Map.groupBy(tasks, ({ heading }) => heading);
  return [...groups].map(([heading, some]) =>
    markup`${groups.size > 1 && heading !== "" && markup`<h3>${heading}</h3>`}<ul class="boxes card">${
      some.map(({ text, isTicked, isOptional }) =>
        markup`<li${isTicked && markup` class="ticked"`}><span role="img" aria-label="${
          isTicked ? "done" : "to do"
        }">${isTicked ? "☑" : "☐"}</span> <span>${plain(text)}${
          isOptional && markup` ${tag("optional")}`
        }</span></li>`
      )
    }</ul>`
  );
}

function againstDone({ standing, rows, unchecked }: DetailedStory["check"]): Markup {
  return markup`<p>${standing}</p>
${
    rows.length > 0 && rowList(
      rows.slice(0, MAX_ROWS).map(({ name, about, data }) =>
        markup`${about}<p class="quiet">${String(data["fix"] ?? "")} <span class="path">${name}</span></p>`
      ),
    )
  }${
    unchecked.length > 0 &&
    markup`<details><summary class="quiet">Not checked</summary><ul>${
      unchecked.slice(0, MAX_ROWS).map((one) => markup`<li>${one}</li>`)
    }</ul></details>`
  }`;
}

function findingList(site: Site, { ref }: Story, findings: readonly FindingFacts[]): Markup {
  return markup`${rowList(findings.slice(0, MAX_ROWS).map(findingRow))}
<p>${link(site, { page: "review", story: ref }, "The review of this story")}</p>`;
}

function documentLink(site: Site, path: string): Markup {
  return markup`${
    link(site, { doc: path }, path.slice(path.lastIndexOf("/") + 1))
  }<p class="path quiet">${path}</p>`;
}

function traceList(
  site: Site,
  requirements: DetailedStory["requirements"],
  { tests, commits }: DetailedStory["trace"],
): Content {
  const rows: readonly Content[] = [
    ...requirements.slice(0, MAX_ROWS).map(({ id, text }) => markup`<strong>${id}</strong> ${text}`),
    ...tests.map((test) => markup`${tag("test")} <span class="path">${test}</span>`),
    ...commits.map(({ id, subject }) => markup`${tag("commit")} <code>${id}</code> ${subject}`),
  ];
  return rows.length > 0 &&
    markup`${rowList(rows)}<p>${link(site, { page: "trace" }, "The trace of all requirements")}</p>`;
}

function historyRow({ data }: Row): Markup {
  return markup`${String(data["what"])} <span class="quiet">${String(data["time"])}</span>`;
}

function neighbours(site: Site, work: ProjectWork, { previous, next }: Detailed, label: string): Content {
  const step = (one: Story | Epic, before: string, after: string) => {
    const name = "key" in one ? one.ref : work.epicName(one);
    const title = "key" in one ? `${one.ref} ${one.title}` : epicName(one);
    return link(site, { page: "board", story: name }, `${before}${title}${after}`);
  };
  return (previous ?? next) &&
    markup`<nav class="pager ends" aria-label="${label}"><span>${
      previous && step(previous, "← ", "")
    }</span><span>${next && step(next, "", " →")}</span></nav>`;
}

function epicView(site: Site, work: ProjectWork, detailed: Detailed): View {
  const { epic } = detailed;
  const { owner, waitsFor, covers, retrospective, stories, drift } = epic;
  return {
    title: epicName(epic),
    tab: "board",
    body: markup`<p class="crumbs">${link(site, { page: "board" }, "Board")}</p>
<h1>${epicName(epic)}</h1>
<p class="marks">${stateTag(epic)}</p>
${summaryOf(epic.stories)}
<h2>Stories <span class="count">${stories.length}</span></h2>
${rowList(stories.slice(0, MAX_STORIES).map((story) => storyRow(site, work, story)), "None yet.")}
<h2>Facts</h2>
<div class="card"><dl>${
      facts([
        ["Owner", owner],
        ["Waits for", waitsFor.join(", ")],
        ["Requirements", covers.join(", ")],
        ["Retrospective", retrospective],
        ["Document", epic.file !== undefined && /\.md$/i.test(epic.file) && documentLink(site, epic.file)],
        ["Ledger", markup`<span class="path">${epic.ledger}</span>`],
      ])
    }</dl></div>
${
      section(
        "Where files disagree",
        drift.length > 0 &&
          rowList(
            drift.slice(0, MAX_ROWS).map(({ path, problem }) =>
              markup`${problem} <span class="path quiet">${path}</span>`
            ),
          ),
      )
    }
${neighbours(site, work, detailed, "Epics")}`,
  };
}

const MAX_STORIES = 500;

/** A story in a list. */
export function storyRow(site: Site, work: Pick<ProjectWork, "notesOf">, story: Story): Markup {
  const { claim, owner } = story;
  const notes = Object.values({ ...work.notesOf(story), owner: undefined, claim: undefined }).filter(Boolean);
  return markup`<div class="head"><strong>${storyLink(site, story)}</strong>${
    stateTag(story)
  }<span class="end">${claim ? `held by ${claim.holder}` : owner}</span></div>${
    notes.length > 0 && markup`<p class="quiet">${notes.join(" · ")}</p>`
  }`;
}
