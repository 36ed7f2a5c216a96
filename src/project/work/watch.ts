/** One watch for all listeners: the system's hints make it fast, a check every second finds the rest. */
import { type Clock, sharedRuns } from "../../base/work.ts";
import type { Library } from "../../content/library/mod.ts";
import { type Ask, openCheckTimes, openTicker, type Scope } from "../../content/live/mod.ts";
import { byListing, type Footprint, trackReads, watchFolders } from "../../content/origins/mod.ts";
import { joinPath, type Tree } from "../../content/tree/mod.ts";
import type { Board } from "./formats/mod.ts";

interface BoardSource {
  readonly ask: Ask;
  read(library: Library, track: (tree: Tree) => Tree): Promise<Board>;
  /** Changes with what worktrees tell each other, and with this one's commit. */
  sharedMark?(): string | undefined;
  /** In milliseconds; then the board is read again in any case. */
  readonly maxAge?: number;
}

export type BoardWatch = ReturnType<typeof openBoardWatch>;

interface Listener {
  readonly changed: (board: Board, before: Board | undefined) => void;
  readonly source: BoardSource;
  last?: Board;
}

interface Snapshot {
  readonly library: Library;
  readonly board: Board;
  readonly text: string;
  readonly footprint: Footprint;
  readonly location: string;
  readonly expires: number;
  readonly sharedMark?: string;
}

export function openBoardWatch(clock: Clock) {
  const listeners = new Set<Listener>();
  const times = openCheckTimes(clock);
  let seen: Snapshot | undefined;
  let unwatch = () => {};
  const runs = sharedRuns<void>();
  const isHeard = () => listeners.size > 0;

  const isSame = async ({ sharedMark }: BoardSource, library: Library, scope: Scope): Promise<boolean> =>
    seen !== undefined && seen.library === library && clock.now() < seen.expires &&
    seen.sharedMark === sharedMark?.() && !await seen.footprint.differs({ files: scope === "files" });

  const look = async (scope: Scope): Promise<void> => {
    const [first] = listeners;
    if (first === undefined) return;
    const { source } = first;
    const begun = clock.now();
    const next = await source.ask(async (library) =>
      await isSame(source, library, scope) ? undefined : await readTracked(library, source, clock.now)
    );
    if (next !== undefined) {
      seen = seen?.text === next.text ? { ...next, board: seen.board } : next;
      unwatch();
      const { footprint, location } = next;
      unwatch = watchFolders(footprint.folders().map((folder) => joinPath(location, folder)), ticker.hint);
    }
    times.record(scope, begun);
    if (!isHeard()) return forget();
    for (const listener of [...listeners]) {
      const { last } = listener;
      if (last === seen!.board) continue;
      listener.last = seen!.board;
      listener.changed(seen!.board, last);
    }
  };
  const check = (scope: Scope): Promise<void> => runs(scope, () => look(scope));
  const forget = () => {
    unwatch();
    unwatch = () => {};
    seen = undefined;
  };
  const ticker = openTicker({
    clock,
    times,
    isHeard,
    // One run begins after the other.
    checked: () => Promise.resolve(),
    check: (scope) => check(scope).catch(() => {}),
  });

  return {
    /** Now and on each change; returns a function that ends it. Fails if the first reading does. */
    listen: async (changed: Listener["changed"], source: BoardSource): Promise<() => void> => {
      const listener: Listener = { changed, source };
      if (!isHeard()) ticker.start();
      listeners.add(listener);
      const end = () => {
        if (!listeners.delete(listener) || isHeard()) return;
        ticker.stop();
        forget();
      };
      try {
        await check("files");
      } catch (error) {
        end();
        throw error;
      }
      return end;
    },
  };
}

async function readTracked(
  library: Library,
  { read, sharedMark, maxAge = Infinity }: BoardSource,
  now: () => number,
): Promise<Snapshot> {
  const mark = sharedMark?.();
  let tracked: Pick<Snapshot, "footprint" | "location"> | undefined;
  const board = await read(library, (tree) => {
    const footprint = trackReads(tree, now);
    tracked = { footprint, location: tree.location };
    return byListing(footprint.tree);
  });
  const ends = board.epics.flatMap(({ stories }) =>
    stories.flatMap(({ claim }) => claim === undefined ? [] : Date.parse(claim.until))
  );
  const expires = ends.reduce((first, end) => Math.min(first, end), now() + maxAge);
  return { library, board, text: JSON.stringify(board), expires, sharedMark: mark, ...tracked! };
}
