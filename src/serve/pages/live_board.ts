/**
 * The stream of a board's versions, by which its page stays current: the script loads the page again when they differ.
 */
import type { App, Board } from "../../app.ts";
import { hashText } from "../../base/text.ts";
import { type Clock, onAbort } from "../../base/work.ts";
import type { Arrival } from "../listener/mod.ts";
import { refuse } from "../mcp/mod.ts";

/** The versions of boards that are still in use: a large one takes a while, and many streams ask for the same. */
const versions = new WeakMap<Board, string>();

/** Boards are the same as long as their version is. */
export function versionOf(...boards: readonly Board[]): string {
  return boards.map((board) => {
    const known = versions.get(board) ?? hashText(JSON.stringify(board)).toString(36);
    versions.set(board, known);
    return known;
  }).join(".");
}

/** Where the stream is. */
export const EVENTS_PATH = "/board/events";

/** So often a line is sent that says nothing: proxies close a connection without any. */
const BEAT_MS = 25_000;

/** The streams of all boards that are open in browsers. */
export interface BoardStreams {
  /** Opens a stream of versions, of one board or of several: the first at once, another one with every change. */
  open(apps: readonly App[], from: Pick<Arrival, "peer" | "ended">): Promise<Response>;
  close(): void;
}

/** How many streams there may be at a time. */
export interface StreamLimits {
  readonly inAll: number;
  readonly perClient: number;
}

/** No streams yet. */
export function openBoardStreams({ inAll, perClient }: StreamLimits, clock: Clock): BoardStreams {
  /** Whose stream each function closes. */
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
    open: async (apps, { peer, ended }) => {
      const refused = refusalOf(peer);
      if (refused !== undefined) return refused;
      const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
      const writer = writable.getWriter();
      const encoder = new TextEncoder();
      // It fails once the client has left.
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
          const unwatch = await (await app.work()).watch(({ board }) => {
            boards.set(app, board);
            if (boards.size < apps.length) return;
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
    close: () => closers.forEach((_, close) => close()),
  };
}
