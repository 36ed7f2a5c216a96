/**
 * Which files some work reads, to know later whether its result is still right.
 *
 * Reads of other requests meanwhile are recorded too: a result may then count as outdated too early, but never too late.
 */
import { parentPath } from "./paths.ts";
import type { Stamp, Tree } from "./tree.ts";

/** A result, and whether doing the work again would give the same. */
export interface Recorded<T> {
  readonly value: T;
  /** Whether anything was read that can change and tells when it does. */
  readonly hasRead: boolean;
  isCurrent(): boolean;
}

/** Work that reads more than this is not worth checking. */
const MAX_READS = 50;

/** What was read: by tree and path, the mark that it had. */
class Recording {
  readonly #marks = new Map<Tree, Map<string, string>>();
  #count = 0;
  #isReliable = true;

  note(tree: Tree, path: string, stamp: Stamp | undefined, isSettled: (stamp: Stamp) => boolean): void {
    if (!this.#isReliable) return;
    const marks = this.#marks.getOrInsertComputed(tree, () => new Map());
    if (marks.has(path)) return;
    if (stamp !== undefined) {
      marks.set(path, stamp.mark);
      this.#isReliable = isSettled(stamp) && ++this.#count <= MAX_READS;
    } else if (path !== "") {
      // The folder tells when it appears, and is much quicker to ask than what is missing.
      const folder = parentPath(path);
      this.note(tree, folder, tree.stamp(folder), isSettled);
    }
  }

  of<T>(value: T): Recorded<T> {
    return { value, hasRead: this.#count > 0, isCurrent: () => this.#isCurrent() };
  }

  #isCurrent(): boolean {
    if (!this.#isReliable) return false;
    for (const [tree, marks] of this.#marks) {
      for (const [path, mark] of marks) if (tree.stamp(path)?.mark !== mark) return false;
    }
    return true;
  }
}

const recordings = new Set<Recording>();

/** Notes a read for those who record. What is not settled may change again without getting another mark. */
export function noteRead(
  tree: Tree,
  path: string,
  stamp: Stamp | undefined,
  isSettled: (stamp: Stamp) => boolean,
): void {
  for (const recording of recordings) recording.note(tree, path, stamp, isSettled);
}

/** Whether anybody records. */
export function isRecording(): boolean {
  return recordings.size > 0;
}

/** Does some work and records what it reads. */
export async function recordReads<T>(work: () => Promise<T>): Promise<Recorded<T>> {
  const recording = new Recording();
  recordings.add(recording);
  try {
    return recording.of(await work());
  } finally {
    recordings.delete(recording);
  }
}

/** The same for work that is done at once. */
export function recordReadsNow<T>(work: () => T): Recorded<T> {
  const recording = new Recording();
  recordings.add(recording);
  try {
    return recording.of(work());
  } finally {
    recordings.delete(recording);
  }
}
