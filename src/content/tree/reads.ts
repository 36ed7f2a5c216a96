/** What a value was computed from: it is used until any of that has changed, which each request checks once. */
import { LIMITS } from "../limits.ts";
import { parentPath } from "./paths.ts";
import type { Stamp, Tree } from "./tree.ts";

/** Counts the requests and the writes: what was checked before the last of them has to be checked again. */
let round = 0;

/** The round of this program's last write: what it changed is known at once, also where it is a mention. */
let wroteIn = 0;

/** Mentions, such as the size of a file that an agent's menu names, are looked at this often. */
const MENTIONS_MS = 1000;

/** Kept from round to round, as a new table for each request would be half of what a call allocates here. */
const asked = new WeakMap<Tree, Map<string, { readonly round: number; readonly mark: string | undefined }>>();

/** When a request arrives: the disk may have changed. */
export function expireChecks(): void {
  round++;
}

export function currentRound(): number {
  return round;
}

/** After this program has written. */
export function expireAll(): void {
  expireChecks();
  wroteIn = round;
}

function markInRound(tree: Tree, path: string): string | undefined {
  const marks = asked.getOrInsertComputed(tree, () => new Map());
  const known = marks.get(path);
  if (known?.round === round) return known.mark;
  const mark = tree.stamp(path)?.mark;
  marks.set(path, { round, mark });
  return mark;
}

type Marks = Map<Tree, Map<string, string>>;

class Reads {
  readonly #delivered: Marks = new Map();
  readonly #mentioned: Marks = new Map();
  #mentions = 0;
  #count = 0;
  /** False after something was read that may change again without getting another mark. */
  #isReliable = true;
  #checkedIn = round;
  #mentionsAt = performance.now();

  /** What is noted until `work` ends is only mentioned in the value. */
  mention<T>(work: () => T): T {
    this.#mentions++;
    try {
      return work();
    } finally {
      this.#mentions--;
    }
  }

  note(tree: Tree, path: string, mark: string, isSettled: boolean): void {
    this.#noteIn(this.#mentions > 0 ? this.#mentioned : this.#delivered, tree, path, mark, isSettled);
  }

  #noteIn(kept: Marks, tree: Tree, path: string, mark: string, isSettled: boolean): void {
    // What is not used again need not be compared.
    if (!this.#isReliable) return;
    const marks = kept.getOrInsertComputed(tree, () => new Map());
    if (marks.has(path)) return;
    marks.set(path, mark);
    this.#isReliable &&= isSettled && ++this.#count <= LIMITS.tree.checkedReads;
  }

  add(other: Reads): void {
    this.#isReliable &&= other.#isReliable;
    if (!this.#isReliable) return;
    for (const [tree, marks] of other.#delivered) {
      for (const [path, mark] of marks) this.note(tree, path, mark, true);
    }
    for (const [tree, marks] of other.#mentioned) {
      for (const [path, mark] of marks) this.#noteIn(this.#mentioned, tree, path, mark, true);
    }
  }

  isCurrent(): boolean {
    if (this.#checkedIn === round) return true;
    if (!this.#isReliable || !areUnchanged(this.#delivered)) return false;
    if (this.#checkedIn < wroteIn || performance.now() - this.#mentionsAt >= MENTIONS_MS) {
      if (!areUnchanged(this.#mentioned)) return false;
      this.#mentionsAt = performance.now();
    }
    this.#checkedIn = round;
    return true;
  }
}

function areUnchanged(kept: Marks): boolean {
  for (const [tree, marks] of kept) {
    for (const [path, mark] of marks) if (markInRound(tree, path) !== mark) return false;
  }
  return true;
}

export interface Recorded<T> {
  readonly value: T;
  readonly reads: Reads;
}

const recordings = new Set<Reads>();

export function isRecording(): boolean {
  return recordings.size > 0;
}

/** What is read meanwhile for others is recorded, too: the value then expires too early, but never too late. */
export function recordReads<T>(work: () => T): Recorded<T> {
  const reads = new Reads();
  recordings.add(reads);
  const end = () => recordings.delete(reads);
  let value: T | undefined;
  try {
    value = work();
    return { value, reads };
  } finally {
    if (value instanceof Promise) value.then(end, end);
    else end();
  }
}

/** What an answer only mentions is looked at once in a while. What is computed inside for others is checked as they need. */
export function mentioning<T>(work: () => T): T {
  return recordings.values().reduce<() => T>((inner, reads) => () => reads.mention(inner), work)();
}

export function noteReads(reads: Reads): void {
  for (const recording of recordings) recording.add(reads);
}

export function noteRead(
  tree: Tree,
  path: string,
  stamp: Stamp | undefined,
  isSettled: (stamp: Stamp) => boolean,
): void {
  for (let levels = 0; stamp === undefined && path !== "" && levels < LIMITS.tree.missingLevels; levels++) {
    // The folder tells when it appears, and is much quicker to ask than what is missing.
    path = parentPath(path);
    stamp = tree.stamp(path);
  }
  // Only a reload finds a root that appears: to ask for it takes as long as ten files.
  if (stamp === undefined && path === "") return;
  const isReliable = stamp !== undefined && isSettled(stamp);
  for (const recording of recordings) recording.note(tree, path, stamp?.mark ?? "", isReliable);
}
