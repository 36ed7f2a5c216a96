/**
 * The board page, kept current: a stream of its versions, and the script that follows the stream.
 *
 * The page is whole without the script. The script loads it again when the version differs, and takes over the part that
 * changes; it runs nothing that comes from there.
 */
import type { App, Board } from "../../app.ts";
import { hashText } from "../../base/text.ts";
import { type Clock, onAbort } from "../../base/work.ts";
import { refuse } from "../mcp/mod.ts";

/** A board is the same as long as its version is. */
export function versionOf(board: Board): string {
  return hashText(JSON.stringify(board)).toString(36);
}

/** Where the stream is. */
export const EVENTS_PATH = "/board/events";

/** So often a line is sent that says nothing: proxies close a connection without any. */
const BEAT_MS = 25_000;

/** The streams of all boards that are open in browsers. */
export interface BoardStreams {
  /** Opens a stream of versions: the first at once, another one with every change. */
  open(app: App, ended: AbortSignal): Promise<Response>;
  close(): void;
}

/** No streams yet; there may be `limit` at a time. */
export function openBoardStreams(limit: number, clock: Clock): BoardStreams {
  const closers = new Set<() => void>();
  let count = 0;
  return {
    open: async (app, ended) => {
      if (count >= limit) {
        return refuse(503, `Limit of ${limit} open boards reached (--http-sessions): try again later`);
      }
      count++;
      const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
      const writer = writable.getWriter();
      const encoder = new TextEncoder();
      // Nobody reads it any longer.
      const send = (text: string) => void writer.write(encoder.encode(text)).catch(() => {});
      let [unwatch, cancelBeat, isOpen] = [() => {}, () => {}, true];
      const close = () => {
        if (!isOpen) return;
        isOpen = false;
        count--;
        closers.delete(close);
        cancelBeat();
        unwatch();
        writer.close().catch(() => {});
      };
      const beat = () => {
        send(":\n\n");
        cancelBeat = clock.after(BEAT_MS, beat);
      };
      closers.add(close);
      onAbort(ended, close);
      try {
        const end = await (await app.work()).watch(({ board }) =>
          send(`event: board\ndata: ${versionOf(board)}\n\n`)
        );
        if (isOpen) unwatch = end;
        else end();
      } catch (error) {
        close();
        throw error;
      }
      if (isOpen) cancelBeat = clock.after(BEAT_MS, beat);
      return new Response(readable, {
        headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
      });
    },
    close: () => closers.forEach((close) => close()),
  };
}

/** What the browser runs. Epics stay open or closed, and what has the focus keeps it. */
export const BOARD_SCRIPT = `"use strict";
const find = (root) => root.querySelector("#board");
const told = document.querySelector("#live");
let wanted = find(document).dataset.version, isLoading = false;
const load = async () => {
  while (wanted !== find(document).dataset.version) {
    const version = wanted;
    const answer = await fetch(location.pathname + location.search);
    const next = answer.ok && find(new DOMParser().parseFromString(await answer.text(), "text/html"));
    if (!next) { told.textContent = "Cannot load the board. Reload the page."; return; }
    for (const epic of next.querySelectorAll("details[id]")) {
      const old = document.getElementById(epic.id);
      if (old) epic.open = old.open;
    }
    const focus = document.activeElement.closest("details[id]")?.id;
    const changed = next.dataset.version;
    find(document).replaceWith(document.adoptNode(next));
    document.getElementById(focus)?.querySelector("summary").focus();
    told.textContent = "Updated at " + new Date().toLocaleTimeString() + ".";
    if (wanted === version) wanted = changed;
  }
};
const events = new EventSource(find(document).dataset.events);
events.addEventListener("board", async ({ data }) => {
  wanted = data;
  if (!told.textContent || !told.textContent.startsWith("Updated")) told.textContent = "Updates by itself.";
  if (isLoading) return;
  isLoading = true;
  try { await load(); } catch { told.textContent = "Cannot reach the server."; } finally { isLoading = false; }
});
events.addEventListener("error", () => { told.textContent = "Connection lost: reload the page if it stays so."; });
`;
