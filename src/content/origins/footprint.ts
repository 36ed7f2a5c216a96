/** Whether reading a tree again would find the same, by one `stat` for each folder and file. */
import { attempt } from "../../base/absence.ts";
import { giveWay } from "../../base/work.ts";
import { LIMITS } from "../limits.ts";
import {
  baseName,
  isSettled,
  parentPath,
  realPath,
  type Stamp,
  stampBefore,
  type Tree,
  type TreeItem,
} from "../tree/mod.ts";

export interface Footprint {
  readonly tree: Tree;
  folders(): readonly string[];
  readsDiffer(): boolean;
  /** Checks the folders for names, and the files if asked to or if a folder gives reason to. */
  differs(
    options: {
      readonly files: boolean;
      readonly documents?: Documents;
    },
  ): Promise<boolean>;
}

/** Folders in which people and models write all the time, and where content could begin, but as a rule does not. */
export interface Documents {
  has(dir: string): boolean;
  isSame(): boolean;
}

interface Folder {
  /** As first listed: a later listing may show what was added after the inventory was taken. */
  items: readonly TreeItem[];
  mark?: string;
  readonly firstMark?: string;
}

interface File {
  readonly mark?: string;
  readonly isSettled: boolean;
}

/** File times may be this much coarser than the clock. */
const COARSE_MS = 50;

/** Where only whole seconds are known, a reported time may be this much later than the real one. */
const ROUNDED_MS = 1_000;

export function trackReads(tree: Tree, now: () => number): Footprint {
  const since = now();
  const folders = new Map<string, Folder>();
  const files = new Map<string, File>();
  let isDifferent = false;
  // A change around our start may not be what we read. A clock that is set back, or of another machine, says nothing.
  const isSince = (time: number) => time >= since - COARSE_MS && time <= now() + ROUNDED_MS;
  const mayBeNew = ({ time, changedBy }: Stamp) => now() < since || isSince(time) || isSince(changedBy);
  const noteFile = (path: string, stamp?: Stamp) => {
    const known = files.get(path)?.mark;
    if (known === undefined) {
      files.set(path, { mark: stamp?.mark, isSettled: stamp !== undefined && isSettled(stamp, now()) });
    } else if (stamp !== undefined && stamp.mark !== known) isDifferent = true;
  };

  return {
    tree: {
      ...tree,
      list: (dir) => {
        const items = tree.list(dir);
        if (!folders.has(dir)) {
          // What is missing, or another root, may come back with old times, as a folder that was moved away.
          const mayReturn = dir === "" || items.length === 0;
          folders.set(dir, { items, firstMark: mayReturn ? tree.stamp(dir)?.mark ?? "" : undefined });
        }
        return items;
      },
      stat: (path) => {
        const facts = tree.stat(path);
        if (facts !== undefined) noteFile(path);
        return facts;
      },
      read: (path) => {
        const bytes = tree.read(path);
        noteFile(path, stampBefore(bytes));
        return bytes;
      },
    },
    readsDiffer: () => isDifferent,
    folders: () =>
      folders.entries().filter(([, { items }]) => items.length > 0).map(([dir]) => dir).toArray(),
    differs: async ({ files: isForFiles, documents }) => {
      let checksFiles = isForFiles;
      let hasNewNames = false;
      for (const [dir, folder] of folders) {
        await giveWay();
        const stamp = tree.stamp(dir);
        const mark = stamp?.mark ?? "";
        if (folder.mark === mark) continue;
        const wasOther = folder.firstMark !== undefined && folder.firstMark !== mark;
        if (folder.mark !== undefined || wasOther || stamp === undefined || mayBeNew(stamp)) {
          const items = tree.list(dir);
          const isDocuments = documents?.has(dir) === true;
          // Names that were added and removed again, as where others work, are no change.
          if (!hasSameNames(items, folder.items)) {
            if (!isDocuments) return true;
            hasNewNames = true;
            folder.items = items;
          }
          // One file may have replaced another.
          checksFiles ||= !isDocuments;
        }
        // At the same coarse time a folder can change again without getting another mark.
        if (stamp === undefined || now() - Math.max(stamp.time, stamp.changedBy) > COARSE_MS) {
          folder.mark = mark;
        }
      }
      if (hasNewNames && !documents!.isSame()) return true;
      if (!checksFiles) return false;
      for (const [path, known] of files) {
        await giveWay();
        const stamp = tree.stamp(path);
        if (stamp === undefined || (known.mark !== undefined && known.mark !== stamp.mark)) return true;
        if (known.isSettled) continue;
        if (mayBeNew(stamp)) return true;
        files.set(path, { mark: stamp.mark, isSettled: true });
      }
      // It differed for a while.
      isDifferent = false;
      return false;
    },
  };
}

/** What is missing is looked for in the names around it: these tell cheaply when it appears. */
export function byListing(tree: Tree): Tree {
  const around = new Set<string>();
  const list = (dir: string): readonly TreeItem[] => {
    around.add(dir);
    if (dir === "" || tree.stamp(dir) !== undefined) return tree.list(dir);
    const isThere = list(parentPath(dir)).some(({ name }) => name === baseName(dir));
    return isThere ? tree.list(dir) : [];
  };
  const listAround = (path: string) => {
    const dir = parentPath(path);
    if (!around.has(dir)) list(dir);
  };
  return {
    ...tree,
    list,
    hasFile: (path) => {
      listAround(path);
      return tree.hasFile(path);
    },
    read: (path) => {
      listAround(path);
      return tree.read(path);
    },
  };
}

function hasSameNames(some: readonly TreeItem[], others: readonly TreeItem[]): boolean {
  return some.length === others.length &&
    some.every(({ name, isDirectory }, at) =>
      name === others[at]!.name && isDirectory === others[at]!.isDirectory
    );
}

/** Folders of databases are not watched: Deno opens and closes files that events name, which drops our locks. */
export function watchFolders(
  folders: readonly string[],
  hint: () => void,
  databases: readonly string[] = [],
): () => void {
  const avoided = new Set(databases.map(parentPath));
  const watched = folders.slice(0, LIMITS.live.watched).filter((folder) => {
    const real = realPath(folder)?.replaceAll("\\", "/");
    return real !== undefined && baseName(real) !== "_memory" && !avoided.has(real);
  });
  if (watched.length === 0) return () => {};
  const watcher = attempt(() => Deno.watchFs(watched, { recursive: false }));
  // No watchers left, or a folder was removed meanwhile.
  if (watcher === undefined) return () => {};
  forward(watcher, hint);
  return () => watcher.close();
}

async function forward(events: AsyncIterable<{ readonly kind: string }>, hint: () => void): Promise<void> {
  try {
    // Opening or closing a file changes nothing.
    for await (const { kind } of events) if (kind !== "access") hint();
  } catch {
    // A broken watcher gives no more hints.
  }
}
