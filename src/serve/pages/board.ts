/** The board, and the stream of its versions: the script loads the page again when they differ. */
import type { App, Board, BoardState, ProjectWork } from "../../app.ts";
import { cachedWith } from "../../base/cache.ts";
import { type Content, markup } from "../../base/markup.ts";
import { hashText } from "../../base/text.ts";
import { type Clock, onAbort } from "../../base/work.ts";
import type { BoardEvent } from "../api/mod.ts";
import { canAct, DIALOGS, drawBoards, type Drawn } from "../board/mod.ts";
import type { Arrival } from "../listener/mod.ts";
import { refuse } from "../mcp/mod.ts";
import { link, linkTo, type Project, type Projects, quietLine, type Site, type View } from "./site.ts";

export const BOARD_SCRIPT_PATH = "/board.js";

export const ACT_PATH = "/board/act";

export const EVENTS_PATH = "/board/events";

export async function boardPage(site: Site): Promise<View> {
  const work = await site.project.app.project.work();
  const board = await work.ledgers();
  const all = site.projects.names.length > 1
    ? markup`<p>${link(site, { page: "board", all: "" }, "The boards of all projects")}</p>`
    : undefined;
  return liveView("Board", site, [drawnBoard(site, work, board)], linkTo(site, {}, EVENTS_PATH), all);
}

export async function boardsPage(site: Site): Promise<View> {
  const { projects } = site.project.app;
  if (projects === undefined) return await boardPage(site);
  const { askAll } = await import("../../projects.ts");
  const answers = await askAll(projects, async (app): Promise<Drawn | undefined> => {
    if (app.config.kit === undefined) return undefined;
    const own = { ...site, project: { name: app.config.name, app } };
    const work = await app.project.work();
    return {
      ...drawnBoard(own, work, await work.ledgers()),
      project: { name: app.config.name, href: linkTo(own, { page: "board" }) },
    };
  });
  // The first has a single board's ids.
  const boards = answers.flatMap(({ answer }) => answer ?? []).map((one, at) =>
    at === 0 ? one : { ...one, prefix: `${one.project!.name}-` }
  );
  const broken = answers.flatMap(({ project, problem }) =>
    problem === undefined ? [] : [quietLine(`${project}: ${problem}`)]
  );
  const events = boards.length > MAX_LIVE ? undefined : `${EVENTS_PATH}?all`;
  return liveView("All boards", site, boards, events, broken);
}

const MAX_LIVE = 20;

export function withBoards(projects: Projects): readonly Project[] {
  return projects.names.slice(0, MAX_LIVE).map((name) => projects.find(name)!).filter(({ app }) =>
    app.config.kit !== undefined
  );
}

function drawnBoard(site: Site, { notesOf, repairOf }: ProjectWork, board: Board): Drawn {
  return {
    board,
    notesOf,
    repairOf,
    hrefOf: (story) => linkTo(site, { page: "board", story }),
    ...(canAct(site.project.app) && { acting: { url: linkTo(site, {}, ACT_PATH), proof: site.proof } }),
  };
}

function liveView(
  title: string,
  { project }: Site,
  boards: readonly Drawn[],
  events: string | undefined,
  more?: Content,
): View {
  const version = versionOf(...boards.map(({ board }) => board));
  const { team, person } = project.app.config;
  return {
    title,
    tab: "board",
    script: BOARD_SCRIPT_PATH,
    body: [
      markup`<h1 class="sr">${title}</h1>`,
      drawBoards(boards, { version, events, who: team?.who, name: person?.name }),
      more,
      markup`<p id="live" class="quiet" role="status"></p>`,
      boards.some(({ acting }) => acting !== undefined) && DIALOGS,
    ],
  };
}

/** A large board takes a while, and many streams ask for the same. */
const boardVersion = cachedWith((board: Board) => hashText(JSON.stringify(board)).toString(36));

export function versionOf(...boards: readonly Board[]): string {
  return boards.map(boardVersion).join(".");
}

/** Proxies close silent connections. */
const BEAT_MS = 25_000;

export type BoardStreams = ReturnType<typeof openBoardStreams>;

export function openBoardStreams(
  { inAll, perClient }: { readonly inAll: number; readonly perClient: number },
  clock: Clock,
) {
  const closers = new Map<() => void, string>();
  const refusalOf = (peer: string): Response | undefined => {
    if (closers.size >= inAll) {
      return refuse(503, `Limit of ${inAll} open boards reached (--http-sessions): try again later`);
    }
    if (closers.values().filter((one) => one === peer).toArray().length < perClient) return undefined;
    const limit = `Limit of ${perClient} open boards of one client reached (--http-in-flight)`;
    return refuse(429, `${limit}: close one of them`, { "retry-after": "1" });
  };
  return {
    open: async (
      apps: readonly App[],
      { peer, ended }: Pick<Arrival, "peer" | "ended">,
      eventsOf?: (state: BoardState) => readonly BoardEvent[],
    ): Promise<Response> => {
      const refused = refusalOf(peer);
      if (refused !== undefined) return refused;
      const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
      const writer = writable.getWriter();
      const encoder = new TextEncoder();
      // Fails once the client has left.
      const send = (text: string) => void writer.write(encoder.encode(text)).catch(() => {});
      const watches: (() => void)[] = [];
      let [cancelBeat, isOpen] = [() => {}, true];
      const close = () => {
        if (!isOpen) return;
        isOpen = false;
        closers.delete(close);
        cancelBeat();
        watches.forEach((unwatch) => unwatch());
        writer.close().catch(() => {});
      };
      const beat = () => {
        send(":\n\n");
        cancelBeat = clock.after(BEAT_MS, beat);
      };
      closers.set(close, peer);
      onAbort(ended, close);
      try {
        const boards = new Map<App, Board>();
        for (const app of apps) {
          const unwatch = await (await app.project.work()).watch((state) => {
            for (const { event, data } of eventsOf?.(state) ?? []) {
              send(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
            }
            boards.set(app, state.board);
            if (eventsOf !== undefined || boards.size < apps.length) return;
            send(`event: board\ndata: ${versionOf(...apps.map((one) => boards.get(one)!))}\n\n`);
          });
          if (isOpen) watches.push(unwatch);
          else unwatch();
        }
      } catch (error) {
        close();
        throw error;
      }
      if (isOpen) cancelBeat = clock.after(BEAT_MS, beat);
      return new Response(readable, {
        headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
      });
    },
    close: (): void => closers.forEach((_, close) => close()),
  };
}
