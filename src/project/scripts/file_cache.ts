/**
 * What scripts read from files, cached between two calls together with the state of each file: of the many files of a
 * project few change meanwhile, and one `stat` shows whether one did.
 */
import { isSettled, type Tree } from "../../content/tree/mod.ts";

/** A value, and how long the text is that it was read from. */
export interface FileValue<T> {
  readonly value: T;
  readonly size: number;
}

/** Reads a file, unless the value of this kind is cached for it. */
export type CachedRead = <T>(kind: string, path: string, read: () => FileValue<T>) => T;

const CACHE = new Map<string, { readonly mark: string; readonly value: unknown }>();
/** In characters of all texts together; a value takes no more room than its text. */
const MAX_SIZE = 16 << 20;
/** An entry takes some room, even if the file is empty. */
const MIN_SIZE = 1 << 10;

let total = 0;

/** Caches what is read from the files of a tree; `now` is the time of the call. */
export function cacheFiles(tree: Tree, now: number): CachedRead {
  return <T>(kind: string, path: string, read: () => FileValue<T>): T => {
    const stamp = tree.stamp(path);
    if (stamp === undefined || !isSettled(stamp, now)) return read().value;
    const { mark } = stamp;
    const key = `${kind} ${tree.location}/${path}`;
    const cached = CACHE.get(key);
    if (cached?.mark === mark) return cached.value as T;
    const { value, size } = read();
    total += size + MIN_SIZE;
    if (total > MAX_SIZE) {
      CACHE.clear();
      total = size + MIN_SIZE;
    }
    if (total <= MAX_SIZE) CACHE.set(key, { mark, value });
    return value;
  };
}
