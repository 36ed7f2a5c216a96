/**
 * What was read from a tree, kept for the requests that follow.
 *
 * One `stat` shows whether a file or folder is still the same, which is much cheaper than to resolve its name, open it
 * and read it. What is missing stays missing as long as the folder is the same in which it would have to appear. What
 * was written a moment ago is asked for again each time: it may change again without getting another time.
 */
import { fail } from "../../base/errors.ts";
import {
  isRecording,
  isSettled,
  noteRead,
  parentPath,
  type Stamp,
  stampBefore,
  type Tree,
  type TreeItem,
} from "../tree/mod.ts";

/** The most bytes of all cached files together; the oldest are dropped first. */
const MAX_BYTES = 4 << 20;
/** A larger file is rarely asked for twice. */
const MAX_FILE_BYTES = 256 << 10;
/** The most folders, and the most missing names, that are cached. */
const MAX_KNOWN = 10_000;
/** The most folders of a missing path that are looked up: a hostile text may name thousands. */
const MAX_LEVELS = 10;

interface Kept<T> {
  readonly mark: string;
  readonly value: T;
}

/** The reading half of a tree, with its results kept. */
export function keepReads(tree: Tree, now: () => number): Pick<Tree, "list" | "stat" | "hasFile" | "read"> {
  const lists = new Map<string, Kept<readonly TreeItem[]>>();
  const files = new Map<string, Kept<Uint8Array<ArrayBuffer>>>();
  /** Names that are missing in a folder that exists, each with the mark of that folder. */
  const missing = new Map<string, string>();
  let total = 0;

  const isReliable = (stamp: Stamp) => isSettled(stamp, now());
  /** The mark of what is there now, if it can be relied on. */
  const markOf = (path: string): string | undefined => {
    const stamp = tree.stamp(path);
    noteRead(tree, path, stamp, isReliable);
    if (stamp === undefined) keepMissing(path);
    return stamp !== undefined && isReliable(stamp) ? stamp.mark : undefined;
  };
  const keepMissing = (path: string, levels = MAX_LEVELS) => {
    const folder = parentPath(path);
    const stamp = tree.stamp(folder);
    if (stamp === undefined && folder !== "" && levels > 0) return keepMissing(folder, levels - 1);
    if (stamp !== undefined && isReliable(stamp) && missing.size < MAX_KNOWN) missing.set(path, stamp.mark);
  };
  /** Whether it, or a folder above it, was missing before and cannot have appeared since. */
  const isStillMissing = (path: string): boolean => {
    let name = path;
    while (name !== "" && !missing.has(name)) name = parentPath(name);
    if (name === "") return false;
    const folder = parentPath(name);
    const stamp = tree.stamp(folder);
    if (stamp?.mark !== missing.get(name)) return !missing.delete(name);
    noteRead(tree, folder, stamp, isReliable);
    return true;
  };
  const forget = (path: string) => {
    total -= files.get(path)?.value.length ?? 0;
    files.delete(path);
  };
  const keepFile = (path: string, kept: Kept<Uint8Array<ArrayBuffer>>) => {
    forget(path);
    if (kept.value.length > MAX_FILE_BYTES) return;
    files.set(path, kept);
    total += kept.value.length;
    for (const oldest of files.keys()) {
      if (total <= MAX_BYTES) break;
      forget(oldest);
    }
  };

  const readFirst = (path: string) => {
    try {
      return tree.read(path);
    } catch (error) {
      // That it cannot be read is noted, too.
      markOf(path);
      throw error;
    }
  };

  return {
    list: (dir) => {
      if (isStillMissing(dir)) return [];
      const mark = markOf(dir);
      const kept = lists.get(dir);
      if (kept !== undefined && kept.mark === mark) return kept.value;
      const value = tree.list(dir);
      if (mark !== undefined && lists.size < MAX_KNOWN) lists.set(dir, { mark, value });
      return value;
    },
    stat: (path) => {
      if (isStillMissing(path)) return undefined;
      if (isRecording()) markOf(path);
      return tree.stat(path) ?? void markOf(path);
    },
    hasFile: (path) => {
      const isThere = tree.hasFile(path);
      const about = isThere ? path : parentPath(path);
      if (isRecording()) noteRead(tree, about, tree.stamp(about), isReliable);
      return isThere;
    },
    read: (path) => {
      if (isStillMissing(path)) return fail({ code: "not-found", what: "file", name: path });
      const kept = files.get(path);
      if (kept !== undefined && kept.mark === markOf(path)) return kept.value;
      // What is read for the first time need not be measured before: opening it tells its state as well.
      const value = readFirst(path);
      const stamp = stampBefore(value);
      if (kept === undefined) noteRead(tree, path, stamp, isReliable);
      if (stamp !== undefined && isReliable(stamp)) keepFile(path, { mark: stamp.mark, value });
      return value;
    },
  };
}
