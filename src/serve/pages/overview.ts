/** The first page answers "what now?". */
import type { Board, Projects, ProjectWork, Story, WorkStep } from "../../app.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { counted } from "../../base/text.ts";
import { undecided } from "../../handlers.ts";
import { doneIn, epicName, stateTag, storiesIn, summaryOf } from "../board/mod.ts";
import { documentRow, latestMemories } from "./documents.ts";
import {
  copyable,
  head,
  link,
  linkedStory,
  linkTo,
  listSection,
  place,
  quiet,
  quietLine,
  rowList,
  sayLine,
  section,
  type Site,
  tag,
  type View,
  withCount,
} from "./site.ts";
import { epicLink, heldRow, NO_CALLS } from "./stories.ts";

const MAX_SHOWN = 5;
const MAX_PROJECTS = 50;

export async function overviewPage(site: Site): Promise<View> {
  const { app, name } = site.project;
  const all = undecided(app);
  if (all !== undefined) {
    const projects = await projectList(site, all);
    return overview([markup`<h1>${name}</h1>`, projects, quietLine(place(app.config.project!))]);
  }
  if (app.config.kit === undefined) return withoutProject(site);
  const work = await app.project.work();
  const [board, next, documents, memories, { standIn }] = await Promise.all([
    work.ledgers(),
    work.next(NO_CALLS),
    latestDocuments(site, work),
    latestMemories(site),
    app.overview(),
  ]);
  const { next: steps, held } = next.data as unknown as {
    readonly next: readonly WorkStep[];
    readonly held: readonly Story[];
  };
  const [first, ...others] = steps;
  return overview([
    markup`<h1>${name}</h1>`,
    first !== undefined && nowCard(site, board, first),
    listSection(
      "Or",
      others.map(({ headline, say }) =>
        markup`<strong>${headline}</strong>${say !== undefined && markup`<p>${copyable(say)}</p>`}`
      ),
    ),
    waitingQuestions(site, board),
    progress(site, work, board),
    listSection("At work", held.map((one) => heldRow(site, one)), MAX_SHOWN),
    app.projects && await projectList(site, app.projects),
    documents,
    section(
      "Decisions and memories",
      memories && [memories, markup`<p>${link(site, { page: "memory" }, "All memories")}</p>`],
    ),
    standIn !== undefined && quietLine(`${standIn}.`),
    app.config.project !== undefined && quietLine(place(app.config.project)),
  ]);
}

const overview = (body: Content): View => ({ title: "Overview", tab: "", body });

/** With its progress, what is next, and what waits. */
async function projectList(site: Site, { names, ...projects }: Projects): Promise<Content> {
  const { askAll } = await import("../../projects.ts");
  const first = names.slice(0, MAX_PROJECTS);
  const answers = await askAll({ ...projects, names: first }, async (app) => {
    if (app.config.kit === undefined) return { end: "no work", waits: [] };
    const work = await app.project.work();
    const [board, { data }] = await Promise.all([work.ledgers(), work.next(NO_CALLS)]);
    const [step] = data["next"] as readonly WorkStep[];
    const stories = storiesIn(board).filter(({ state }) => state !== "dropped");
    const held = (data["held"] as readonly Story[]).length;
    const { length: asked } = board.questions;
    return {
      end: `${doneIn(stories)} of ${counted(stories.length, "story", "stories")} done`,
      waits: [
        step?.headline,
        asked > 0 && counted(asked, "question waits", "questions wait"),
        held > 0 && `${held} at work`,
      ],
    };
  });
  const rows = answers.map(({ project, answer, problem }) => [
    head(link({ ...site, project: { ...site.project, name: project } }, {}, project), answer?.end),
    quietLine(problem ?? answer?.waits.filter(Boolean).join(" · ")),
  ]);
  const more = names.length - first.length;
  return section(withCount("Projects", names.length), [
    rowList(rows),
    more > 0 && quietLine(`${more} more.`),
    markup`<p>${link(site, { page: "board", all: "" }, "The boards of all projects")}</p>`,
  ]);
}

function waitingQuestions(site: Site, { questions }: Board): Content {
  const all = (words: string) => link(site, { page: "questions" }, words);
  const rows = questions.slice(0, MAX_SHOWN).map(({ text, story, to }) =>
    head(all(text), [story, to && `to ${to}`].filter(Boolean).join(" · "))
  );
  return section(
    `${counted(questions.length, "question waits", "questions wait")} for an answer`,
    rows.length > 0 && [rowList(rows), markup`<p>${all("Answer")}</p>`],
  );
}

function nowCard(site: Site, { epics }: Board, { headline, say, why, story, is }: WorkStep): Markup {
  const epic = epics.find(({ stories }) =>
    stories.some(({ key, ledger }) => key === story?.key && ledger === story.ledger)
  );
  const notes = [
    epic !== undefined && epic.ref !== "" && epicName(epic),
    story !== undefined && story.boxes.total > 0 &&
    `${story.boxes.ticked} of ${counted(story.boxes.total, "box", "boxes")} ticked`,
    story?.claim && `held by ${story.claim.holder}`,
  ].filter(Boolean).join(" · ");
  const marks = story !== undefined &&
    markup`<p class="marks">${stateTag(story)} <span class="key">${story.ref}</span> ${quiet(notes)}</p>`;
  const onward = story !== undefined
    ? linkedStory(site, story.ref, "Open the story")
    : is !== "next" && link(site, { page: "board" }, "Open the board");
  return markup`<section class="card now" aria-label="What now?"><p class="label">What now?</p>
<h2>${headline}</h2>
${marks}${say !== undefined && sayLine(say)}<p>${onward}</p>
<details><summary class="quiet">Why</summary>${quietLine(why)}</details></section>`;
}

function progress(site: Site, work: ProjectWork, board: Board): Content {
  const stories = storiesIn(board);
  if (stories.length === 0) return undefined;
  const open = board.epics.filter(({ state }) => state !== "done").slice(0, MAX_SHOWN);
  const drift = [...board.epics, ...stories].flatMap((one) => one.drift);
  const toBoard = (mark: Markup) => markup`<a href="${linkTo(site, { page: "board" })}">${mark}</a>`;
  const epicRow = (epic: Board["epics"][number]) =>
    markup`<div class="head"><strong>${epicLink(site, work, epic)}</strong>${
      stateTag(epic)
    }<span class="end count">${doneIn(epic.stories)} of ${epic.stories.length} done</span></div>`;
  return section("Progress", [
    summaryOf(stories, toBoard),
    open.length > 0 && rowList(open.map(epicRow)),
    markup`<p>${link(site, { page: "board" }, "Open the board")}${
      drift.length > 0 && [" ", tag(`drift in ${counted(drift.length, "place")}`, "warn")]
    }</p>`,
  ]);
}

async function latestDocuments(site: Site, work: ProjectWork): Promise<Content> {
  const documents = await work.documents();
  const latest = documents.filter(({ role }) => role !== "story")
    .toSorted((a, b) => (b.modified ?? 0) - (a.modified ?? 0)).slice(0, MAX_SHOWN);
  const all = link(site, { page: "documents" }, `All ${counted(documents.length, "document")}`);
  const rows = rowList(latest.map((one) => documentRow(site, one)), "Only stories so far.");
  return section("Documents", documents.length > 0 && [rows, markup`<p>${all}</p>`]);
}

function withoutProject(site: Site): View {
  const tile = (page: string, title: string, about: string) =>
    markup`<li><a href="${linkTo(site, { page })}"><b>${title}</b><span>${about}</span></a></li>`;
  return overview(
    markup`<h1>No project</h1>
<p>This server shows no project: start it in the folder of one, or name one with --project.</p>
<ul class="tiles large">${tile("library", "Library", "Agents, workflows and files that are served")}${
      tile("connect", "Connect", "How to connect a client to this server")
    }</ul>`,
  );
}
