/**
 * The board: where the project stands, in columns, with owners, what waits for what, and where files disagree.
 */
import type { Board, ProjectWork } from "../../app.ts";
import { counted } from "../../base/text.ts";
import { canAct, DIALOGS, drawBoards, type Drawn, epicName, stateTag, summaryOf } from "../board/mod.ts";
import { EVENTS_PATH, versionOf } from "./live_board.ts";
import { type Markup, markup } from "./markup.ts";
import { link, linkTo, type Project, type Projects, rowList, type Site, tag, type View } from "./site.ts";

/** Where the board's script is. */
export const SCRIPT_PATH = "/board.js";

/** Where it sends actions. */
export const ACT_PATH = "/board/act";

/** The board of one project. */
export async function boardPage(site: Site): Promise<View> {
  const work = await site.project.app.work();
  const board = await work.ledgers();
  const all = site.projects.names.length > 1 &&
    markup`<p>${link(site, { page: "board", all: "" }, "The boards of all projects")}</p>`;
  return liveView(
    "Board",
    site,
    [drawnOf(site, work, board)],
    linkTo(site, {}, EVENTS_PATH),
    all || undefined,
  );
}

/** The boards of all projects of the server, on one page. */
export async function boardsPage(site: Site): Promise<View> {
  const boards = await Promise.all(
    withBoards(site.projects).map(async (project, at) => {
      const own = { ...site, project };
      const work = await project.app.work();
      return {
        ...drawnOf(own, work, await work.ledgers()),
        project: { name: project.name, href: linkTo(own, { page: "board" }) },
        // The first one has the ids of a page with a single board.
        ...(at > 0 && { prefix: `${project.name}-` }),
      };
    }),
  );
  return liveView("All boards", site, boards, `${EVENTS_PATH}?all`);
}

/** The projects that have a board. */
export function withBoards(projects: Projects): readonly Project[] {
  return projects.names.map((name) => projects.find(name)!).filter(({ app }) => app.config.kit !== undefined);
}

function drawnOf(site: Site, { notesOf }: Pick<ProjectWork, "notesOf">, board: Board): Drawn {
  return {
    board,
    notesOf,
    hrefOf: (story) => linkTo(site, { page: "board", story }),
    ...(canAct(site.project.app) && { acting: { url: linkTo(site, {}, ACT_PATH), proof: site.proof } }),
  };
}

/** A page that its script keeps current. */
function liveView(
  title: string,
  { project }: Site,
  boards: readonly Drawn[],
  events: string,
  more?: Markup,
): View {
  const version = versionOf(...boards.map(({ board }) => board));
  const who = project.app.config.team?.who;
  return {
    title,
    tab: "board",
    script: SCRIPT_PATH,
    body: markup`<div class="boardhead"><h1>${title}</h1><p id="live" class="quiet" role="status"></p></div>
${more}
${drawBoards(boards, { version, events, who })}
${boards.some(({ acting }) => acting !== undefined) && DIALOGS}`,
  };
}

/** A story or an epic in full, with what was done with it and how long that took. */
export async function storyPage(site: Site, name: string): Promise<View> {
  const { rows, data } = await (await site.project.app.work()).show(name);
  const [first, ...facts] = rows;
  const { ref, file } = data;
  // Of an epic, the first row says all.
  const title = first!.name === "title" ? `${ref}: ${first!.about}` : first!.about;
  return {
    title,
    tab: "board",
    body: markup`<h1>${title}</h1>
${rowList(facts.map(({ name, about }) => markup`<strong>${name}</strong> ${about}`))}
<p>${link(site, { page: "board" }, "Back to the board")}${
      typeof file === "string" &&
      markup` · ${link(site, { doc: file }, "Open its document")} · ${
        link(site, { page: "review", story: String(ref) }, "Its review")
      }`
    }</p>`,
  };
}

/** The board in short, for the first page; undefined where the project keeps none. */
export async function boardSummary(site: Site): Promise<Markup | undefined> {
  const { app } = site.project;
  if (app.config.kit === undefined) return undefined;
  const board = await (await app.work()).ledgers();
  if (board.epics.every(({ stories }) => stories.length === 0)) return undefined;
  const open = board.epics.filter(({ state }) => state !== "done");
  const drift = board.epics.flatMap((epic) => [...epic.drift, ...epic.stories.flatMap((one) => one.drift)]);
  return markup`${summaryOf(board.epics.flatMap(({ stories }) => stories))}
<ul class="rows card">${
    open.slice(0, MAX_EPICS).map((epic) =>
      markup`<li><div class="head"><strong>${epicName(epic)}</strong>${
        stateTag(epic)
      }<span class="end count">${
        epic.stories.filter(({ state }) => state === "done").length
      } of ${epic.stories.length} done</span></div></li>`
    )
  }</ul>
<p>${link(site, { page: "board" }, "Open the board")}${
    drift.length > 0 &&
    markup` ${tag(`${counted(drift.length, "contradiction")} between files`, "warn")}`
  }</p>`;
}

const MAX_EPICS = 6;
