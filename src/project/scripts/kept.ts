/**
 * What files said, kept between two calls with the state in which the files were: few of the many files of a project
 * change meanwhile, and one `stat` shows whether one did.
 */
import { isSettled, type Tree } from "../../content/tree/mod.ts";

/** What a file said, and how long the text is that it was made of. */
export interface Told<T> {
  readonly value: T;
  readonly size: number;
}

/** Reads a file, unless what it said about something is known. */
export type Keep = <T>(what: string, path: string, read: () => Told<T>) => T;

const KEPT = new Map<string, { readonly mark: string; readonly value: unknown }>();
/** The most characters of all cached texts together; what was read from them takes no more space than they do. */
const MAX_SIZE = 16 << 20;
/** What is known of a file takes some room, even if it is empty. */
const MIN_SIZE = 1 << 10;

let total = 0;

/** Keeps what the files of a tree say; `now` is the time of the call. */
export function keepingFor(tree: Tree, now: number): Keep {
  return <T>(what: string, path: string, read: () => Told<T>): T => {
    const stamp = tree.stamp(path);
    if (stamp === undefined || !isSettled(stamp, now)) return read().value;
    const { mark } = stamp;
    const key = `${what} ${tree.location}/${path}`;
    const kept = KEPT.get(key);
    if (kept?.mark === mark) return kept.value as T;
    const { value, size } = read();
    total += size + MIN_SIZE;
    if (total > MAX_SIZE) {
      KEPT.clear();
      total = size + MIN_SIZE;
    }
    if (total <= MAX_SIZE) KEPT.set(key, { mark, value });
    return value;
  };
}
