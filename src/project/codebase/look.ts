/**
 * One look through a project's files, as they are now.
 *
 * Bounded in files, bytes and time, with turns for others on the way; it ends when nobody waits any more. What earlier
 * ones have put on the shelf spares it reading the files that are the same. What the best files say is left to others.
 */
import type { Tree } from "../../content/tree/mod.ts";
import { codePaths } from "./files.ts";
import type { RulesReader } from "./ignore_rules.ts";
import { createMatcher, findMatches } from "./matches.ts";
import { pageAt } from "./pages.ts";
import { createScan, type Scan } from "./search.ts";
import type { KeptFile, Shelf } from "./shelf.ts";

/** Who waits. */
export interface CodeWatch {
  /** Aborted when nobody waits any more. */
  readonly signal?: AbortSignal;
  /** Told how many files are done, out of how many. */
  progress?(done: number, total: number, phase: string): void;
}

/** The limits of one search. */
export const CODE_LIMITS = {
  files: 50_000,
  /** In bytes. */
  text: 256 << 20,
  milliseconds: 20_000,
  /** Of these, what it may take to learn which files there are. */
  listing: 10_000,
  /** Of an answer. */
  hits: 50,
  usualHits: 10,
  query: 2_000,
} as const;

/** Larger files are made by programs. */
export const MOST_FILE_BYTES = 1 << 20;
/** After so many milliseconds others have their turn. */
const TURN_MS = 50;

/** Where to look, and for what. */
export interface Looking {
  readonly tree: Tree;
  /** A folder or file in it. */
  readonly path: string;
  readonly stems: readonly string[];
  readonly shelf: Shelf;
  readonly rulesIn: RulesReader;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** How far a search came. */
export interface Look {
  readonly scan: Scan;
  /** How many files have been looked through. */
  readonly files: number;
  /** Whether these are all. */
  readonly isWhole: boolean;
}

/** Looks through the files at or below a path. */
export async function lookThrough(looking: Looking, watch: CodeWatch): Promise<Look> {
  const { tree, stems, shelf, now } = looking;
  const since = now(), isOver = (ms: number) => now() - since > ms;
  const turns = createTurns(watch, now);

  const paths = new Set<string>();
  let isWhole = true;
  for (const some of codePaths(tree, looking.path, looking.rulesIn)) {
    for (const path of some) paths.add(path);
    isWhole = paths.size <= CODE_LIMITS.files && !isOver(CODE_LIMITS.listing);
    if (!isWhole) break;
    if (turns.isDue()) await turns.pause();
  }
  if (isWhole && looking.path === "") shelf.retain(paths);

  const matcher = createMatcher(stems), findKept = shelf.finder(matcher), scan = createScan(stems.length);
  let files = 0, done = 0, size = 0;
  for (const path of paths) {
    if (done === CODE_LIMITS.files || size > CODE_LIMITS.text || isOver(CODE_LIMITS.milliseconds)) {
      return { scan, files, isWhole: false };
    }
    if (turns.isDue()) await turns.pause(done, paths.size);
    done++;
    const stamp = tree.stamp(path);
    if (stamp === undefined) continue;
    const known = shelf.find(path, stamp.mark), readAt = now();
    const page = known === undefined || isToRead(known) ? pageAt(tree, path) : undefined;
    const { length, words } = known ?? shelf.keep(path, stamp, page, readAt);
    if (length === undefined) continue;
    files++;
    size += length;
    if (words !== undefined) scan.add(path, length, (onMatch) => findKept(words, onMatch));
    else if (page !== undefined) scan.add(path, length, (onMatch) => findMatches(page, matcher, onMatch));
  }
  return { scan, files, isWhole };
}

/** Whether a file has a text of which no words are kept. */
function isToRead({ length, words }: KeptFile): boolean {
  return length !== undefined && words === undefined;
}

/** Lets others have their turn now and then, and throws when nobody waits any more. */
function createTurns({ signal, progress }: CodeWatch, now: () => number) {
  let since = now();
  return {
    isDue: () => now() - since > TURN_MS,
    async pause(done?: number, total = 0): Promise<void> {
      // Before all files are known, there is nothing to tell.
      if (done !== undefined) progress?.(done, total, "searching");
      await new Promise((resolve) => setTimeout(resolve));
      signal?.throwIfAborted();
      since = now();
    },
  };
}
