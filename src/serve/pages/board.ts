/**
 * The board: where the project stands, in columns, with owners, what waits for what, and where files disagree.
 */
import type { Board, ProjectWork } from "../../app.ts";
import { canAct, DIALOGS, drawBoards, type Drawn } from "../board/mod.ts";
import { EVENTS_PATH, versionOf } from "./live_board.ts";
import { type Markup, markup } from "../../base/markup.ts";
import { link, linkTo, type Project, type Projects, type Site, type View } from "./site.ts";

/** Where the board's script is. */
export const BOARD_SCRIPT_PATH = "/board.js";

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
  const { team, person } = project.app.config;
  return {
    title,
    tab: "board",
    script: BOARD_SCRIPT_PATH,
    body: markup`<div class="boardhead"><h1>${title}</h1><p id="live" class="quiet" role="status"></p></div>
${more}
${drawBoards(boards, { version, events, who: team?.who, name: person?.name })}
${boards.some(({ acting }) => acting !== undefined) && DIALOGS}`,
  };
}
