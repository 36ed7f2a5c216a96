/**
 * `bmad-mcp board --watch`: the board, kept current until Ctrl-C.
 *
 * A terminal shows the table and is redrawn; a pipe gets one line for each change, with --json one object.
 */
import type { App, BoardReport, BoardState, Report } from "../../app.ts";
import { renderTime } from "../../base/work.ts";
import type { Host } from "../../process/host.ts";
import { escapeControls, oneLine, splitLines } from "../../base/text.ts";
import { asItems } from "./output.ts";

/** The cursor to the upper left corner, and everything below it and above the screen erased. */
const CLEAR = "\x1b[H\x1b[2J\x1b[3J";

/** Shows every state of the board until a signal arrives, and returns the exit code; `draw` prints the table. */
export async function watchBoard(
  host: Host,
  app: App,
  { json, draw }: { readonly json: boolean; draw(report: BoardReport): Promise<void> },
): Promise<number> {
  const stop = Promise.withResolvers<number>();
  let drawn: Promise<unknown> = Promise.resolve();
  const redraw = async (state: BoardState) => {
    host.writeOut(CLEAR);
    await draw(state.report());
    host.writeErr(`Last change ${renderTime(host.now())}. Ctrl-C stops.\n`);
  };
  const print = (state: BoardState) => {
    const at = new Date(host.now()).toISOString();
    for (const { text, data } of state.isFirst ? [summaryOf(state)] : state.changes()) {
      host.writeOut(
        json ? `${escapeControls(JSON.stringify({ at, ...data }))}\n` : `${at} ${oneLine(text)}\n`,
      );
    }
  };
  const end = await (await app.work()).watch((state) => {
    drawn = drawn.then(() => host.terminal.stdout && !json ? redraw(state) : print(state)).catch(stop.reject);
  });
  host.onStop(stop.resolve);
  return await stop.promise.finally(end);
}

/** What a reader knows before the first change. */
function summaryOf({ report }: BoardState): Report {
  const { text, data } = report();
  return { text: splitLines(text)[0]!, data: { board: asItems(data, "epics") } };
}
