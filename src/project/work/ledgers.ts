/**
 * One reading of the ledgers for all requests, as long as the disk says the same. Requests that come together share a
 * check that began after the last of them.
 */
import type { Clock } from "../../base/work.ts";
import { byListing, type Footprint, trackReads } from "../../content/origins/mod.ts";
import type { Tree } from "../../content/tree/mod.ts";
import { readBoard } from "./board/mod.ts";
import type { Board, BoardFolders } from "./formats/mod.ts";

interface Place {
  readonly tree: Tree;
  readonly folders: BoardFolders;
  clean(text: string): string;
  found?(): void;
}

interface Kept {
  readonly key: string;
  readonly board: Board;
  readonly footprint: Footprint;
}

export type Ledgers = ReturnType<typeof openLedgers>;

export function openLedgers({ now }: Pick<Clock, "now">) {
  let kept: Kept | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  let waiting: { readonly key: string; readonly board: Promise<Board> } | undefined;
  const look = async (key: string, { tree, folders, clean, found }: Place): Promise<Board> => {
    if (kept?.key === key && !await kept.footprint.differs({ files: true })) return kept.board;
    const footprint = trackReads(tree, now);
    const board = await readBoard(byListing(footprint.tree), folders, clean, found);
    kept = { key, board, footprint };
    return board;
  };
  return {
    /** Without our own records. */
    read: (place: Place): Promise<Board> => {
      const key = JSON.stringify([place.tree.location, place.folders]);
      if (waiting?.key === key) return waiting.board;
      const board = underWay.then(() => {
        if (waiting === own) waiting = undefined;
        return look(key, place);
      });
      const own = { key, board };
      waiting = own;
      underWay = board.catch(() => {});
      return board;
    },
  };
}
