/**
 * The first page answers "what now?": the story in hand or the next step, how far the project is, and what is new.
 */
import type { Board, ProjectWork, WorkStep } from "../../app.ts";
import { counted } from "../../base/text.ts";
import { doneIn, epicName, stateTag, summaryOf } from "../board/mod.ts";
import { documentRow } from "./documents.ts";
import { type Content, type Markup, markup } from "../../base/markup.ts";
import { latestMemories } from "./remembered.ts";
import { copyable, link, linkTo, rowList, type Site, tag, type View } from "./site.ts";
import { epicLink, NO_CALLS, storyLink } from "./story.ts";

/** How many documents, epics and stories of others the page shows. */
const MAX_SHOWN = 5;

export async function overviewPage(site: Site): Promise<View> {
  const { app, name } = site.project;
  if (app.config.kit === undefined) return noProject(site);
  const work = await app.work();
  const [board, next, documents, memories] = await Promise.all([
    work.ledgers(),
    work.next(NO_CALLS),
    latestDocuments(site, work),
    latestMemories(site),
  ]);
  const { next: steps, held } = next.data as unknown as {
    readonly next: readonly WorkStep[];
    readonly held: readonly Held[];
  };
  const [first, ...others] = steps;
  return {
    title: "Overview",
    tab: "",
    body: markup`<h1>${name}</h1>
${first !== undefined && nowCard(site, board, first)}
${others.length > 0 && markup`<h2>Or</h2>${rowList(others.map(otherStep))}`}${waitingQuestions(site, board)}
${progress(site, work, board)}
${
      held.length > 0 && markup`<h2>At work</h2>${
        rowList(
          held.slice(0, MAX_SHOWN).map((one) =>
            markup`<div class="head"><strong>${storyLink(site, one)}</strong>${
              stateTag(one)
            }<span class="end">${one.claim ? `held by ${one.claim.holder}` : one.owner}</span></div>`
          ),
        )
      }`
    }${documents}${
      memories &&
      markup`<h2>Decisions and memories</h2>${memories}<p>${
        link(site, { page: "memory" }, "All memories")
      }</p>`
    }
<p class="quiet"><span class="path">${app.config.project}</span></p>`,
  };
}

/** A story that somebody works on. */
type Held = Pick<Board["epics"][number]["stories"][number], "ref" | "title" | "state" | "owner" | "claim">;

/** Questions to people that wait for an answer. */
function waitingQuestions(site: Site, { questions }: Board): Content {
  return questions.length > 0 &&
    markup`<h2>${counted(questions.length, "question waits", "questions wait")} for an answer</h2>${
      rowList(
        questions.slice(0, MAX_SHOWN).map(({ text, story, to }) =>
          markup`<div class="head"><strong>${
            link(site, { page: "questions" }, text)
          }</strong><span class="end">${[story, to && `to ${to}`].filter(Boolean).join(" · ")}</span></div>`
        ),
      )
    }<p>${link(site, { page: "questions" }, "Answer")}</p>`;
}

/** The story in hand, or the next step. */
function nowCard(site: Site, { epics }: Board, { headline, say, why, story, is }: WorkStep): Markup {
  const epic = epics.find(({ stories }) =>
    stories.some(({ key, ledger }) => key === story?.key && ledger === story.ledger)
  );
  const notes: readonly (string | false | undefined)[] = [
    epic !== undefined && epic.ref !== "" && epicName(epic),
    story !== undefined && story.boxes.total > 0 &&
    `${story.boxes.ticked} of ${counted(story.boxes.total, "box", "boxes")} ticked`,
    story?.claim && `held by ${story.claim.holder}`,
  ];
  return markup`<section class="card now" aria-label="What now?"><p class="label">What now?</p>
<h2>${headline}</h2>
${
    story !== undefined &&
    markup`<p class="marks">${stateTag(story)} <span class="key">${story.ref}</span> <span class="quiet">${
      notes.filter(Boolean).join(" · ")
    }</span></p>`
  }${say !== undefined && markup`<p><span class="quiet">Say in your client</span> ${copyable(say)}</p>`}<p>${
    story === undefined
      ? is === "next" ? undefined : link(site, { page: "board" }, "Open the board")
      : link(site, { page: "board", story: story.ref }, "Open the story")
  }</p>
<details><summary class="quiet">Why</summary><p class="quiet">${why}</p></details></section>`;
}

function otherStep({ headline, say }: WorkStep): Markup {
  return markup`<strong>${headline}</strong>${say !== undefined && markup`<p>${copyable(say)}</p>`}`;
}

/** How far the project is; the words lead to the board. */
function progress(site: Site, work: ProjectWork, board: Board): Content {
  if (board.epics.every(({ stories }) => stories.length === 0)) return undefined;
  const open = board.epics.filter(({ state }) => state !== "done");
  const drift = board.epics.flatMap((epic) => [...epic.drift, ...epic.stories.flatMap((one) => one.drift)]);
  const toBoard = (mark: Markup) => markup`<a href="${linkTo(site, { page: "board" })}">${mark}</a>`;
  return markup`<h2>Progress</h2>${summaryOf(board.epics.flatMap(({ stories }) => stories), toBoard)}
${
    open.length > 0 && rowList(
      open.slice(0, MAX_SHOWN).map((epic) =>
        markup`<div class="head"><strong>${epicLink(site, work, epic)}</strong>${
          stateTag(epic)
        }<span class="end count">${doneIn(epic.stories)} of ${epic.stories.length} done</span></div>`
      ),
    )
  }
<p>${link(site, { page: "board" }, "Open the board")}${
    drift.length > 0 && markup` ${tag(`${counted(drift.length, "contradiction")} between files`, "warn")}`
  }</p>`;
}

async function latestDocuments(site: Site, work: ProjectWork): Promise<Content> {
  const documents = await work.documents();
  const latest = documents.filter(({ role }) => role !== "story")
    .toSorted((a, b) => (b.modified ?? 0) - (a.modified ?? 0)).slice(0, MAX_SHOWN);
  return documents.length > 0 &&
    markup`<h2>Documents</h2>${
      rowList(latest.map((one) => documentRow(site, one)), "Only stories so far.")
    }<p>${link(site, { page: "documents" }, `All ${counted(documents.length, "document")}`)}</p>`;
}

/** Without a project, only what is served can be looked at. */
function noProject(site: Site): View {
  return {
    title: "Overview",
    tab: "",
    body: markup`<h1>No project</h1>
<p>This server shows no project: start it in the folder of one, or name one with --project.</p>
<ul class="tiles large"><li><a href="${
      linkTo(site, { page: "library" })
    }"><b>Library</b><span>Agents, workflows and files that are served</span></a></li><li><a href="${
      linkTo(site, { page: "connect" })
    }"><b>Connect</b><span>How to connect a client to this server</span></a></li></ul>`,
  };
}
