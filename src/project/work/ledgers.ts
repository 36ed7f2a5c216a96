/** One reading of the ledgers for all requests, as long as the disk says the same. */
import { type Clock, sharedRuns } from "../../base/work.ts";
import { byListing, type Footprint, trackReads } from "../../content/origins/mod.ts";
import type { Tree } from "../../content/tree/mod.ts";
import { type BoardWorld, readBoard, type Records } from "./board/mod.ts";
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

/** The board with our own records. */
export interface RecordedWorld extends BoardWorld {
  readonly records: Records;
}

export type Ledgers = ReturnType<typeof openLedgers>;

export function openLedgers({ now }: Pick<Clock, "now">) {
  let kept: Kept | undefined;
  let latest: RecordedWorld | undefined;
  const [readings, worlds] = [sharedRuns<Board>(), sharedRuns<RecordedWorld>()];
  const look = async (key: string, { tree, folders, clean, found }: Place): Promise<Board> => {
    if (kept?.key === key && !await kept.footprint.differs({ files: true })) return kept.board;
    const footprint = trackReads(tree, now);
    const board = await readBoard(byListing(footprint.tree), folders, clean, found);
    kept = { key, board, footprint };
    return board;
  };
  return {
    read: (place: Place): Promise<Board> => {
      const key = JSON.stringify([place.tree.location, place.folders]);
      return readings(key, () => look(key, place));
    },
    /** What `open` reads differs only by the key. */
    world: (key: string, open: () => Promise<RecordedWorld>): Promise<RecordedWorld> =>
      worlds(key, async () => latest = await open()),
    latestWorld: (): RecordedWorld | undefined => latest,
  };
}
