/** What a value was computed from: it is used again until any of that has changed, which every request checks once. */
import { LIMITS } from "../limits.ts";
import { parentPath } from "./paths.ts";
import type { Stamp, Tree } from "./tree.ts";

/** Counts the requests and the writes: what was checked before the last of them has to be checked again. */
let round = 0;

const asked = new Map<Tree, Map<string, string | undefined>>();

/** To be called when a request arrives, and after this program has written: the disk may have changed. */
export function expireChecks(): void {
  round++;
  asked.clear();
}

function markInRound(tree: Tree, path: string): string | undefined {
  return asked.getOrInsertComputed(tree, () => new Map())
    .getOrInsertComputed(path, () => tree.stamp(path)?.mark);
}

class Reads {
  readonly #marks = new Map<Tree, Map<string, string>>();
  #count = 0;
  /** False after something was read that may change again without getting another mark. */
  #isReliable = true;
  #checkedIn = round;

  note(tree: Tree, path: string, mark: string, isSettled: boolean): void {
    // What is not used again need not be compared.
    if (!this.#isReliable) return;
    const marks = this.#marks.getOrInsertComputed(tree, () => new Map());
    if (marks.has(path)) return;
    marks.set(path, mark);
    this.#isReliable &&= isSettled && ++this.#count <= LIMITS.tree.checkedReads;
  }

  add(other: Reads): void {
    this.#isReliable &&= other.#isReliable;
    if (!this.#isReliable) return;
    for (const [tree, marks] of other.#marks) {
      for (const [path, mark] of marks) this.note(tree, path, mark, true);
    }
  }

  isCurrent(): boolean {
    if (this.#checkedIn === round) return true;
    if (!this.#isReliable) return false;
    for (const [tree, marks] of this.#marks) {
      for (const [path, mark] of marks) if (markInRound(tree, path) !== mark) return false;
    }
    this.#checkedIn = round;
    return true;
  }
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
