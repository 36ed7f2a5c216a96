/**
 * Answers kept for the requests that follow.
 *
 * A library never changes, but a file that an answer quotes may be edited before the disk is looked at again. An answer
 * is therefore given again only if every file that it was made from was the same a moment ago.
 */
import { isRecentLook, type Recorded } from "../tree/mod.ts";
import { type Library, perLibrary } from "./library.ts";

/** As many as people work with at a time. */
const MAX_ANSWERS = 50;
/** A longer answer is rarely wanted twice, and costs more memory than time. */
const MAX_LENGTH = 64 << 10;

/** Answers to requests of one kind. A key tells apart all that can be asked of a library. */
export interface KeptAnswers<T> {
  /** Undefined if it is not there, or outdated. */
  find(library: Library, key: string): T | undefined;
  /** Keeps an answer, and returns it. */
  keep(library: Library, key: string, answer: Recorded<T>): T;
}

interface Kept<T> {
  readonly answer: Recorded<T>;
  /** When the look began that last found it current. */
  looked: number;
}

/** Where nothing is found, nothing is read; when something appears there, that is another library. */
const neverChanges = perLibrary(({ sources }) =>
  sources.every(({ tree, inventory: { roots } }) => roots.length === 0 || tree.stamp("") === undefined)
);

/** Opens the answers of a kind. */
export function keepAnswers<T>(lengthOf: (answer: T) => number): KeptAnswers<T> {
  const answersOf = perLibrary(() => new Map<string, Kept<T>>());
  return {
    find: (library, key) => {
      const kept = answersOf(library).get(key);
      if (kept === undefined) return undefined;
      if (!isRecentLook(kept.looked)) {
        const begun = performance.now();
        if (!kept.answer.isCurrent()) return undefined;
        kept.looked = begun;
      }
      return kept.answer.value;
    },
    keep: (library, key, answer) => {
      const answers = answersOf(library);
      answers.delete(key);
      const isKnown = answer.hasRead || neverChanges(library);
      if (isKnown && lengthOf(answer.value) <= MAX_LENGTH) answers.set(key, { answer, looked: -Infinity });
      if (answers.size > MAX_ANSWERS) answers.delete(answers.keys().next().value!);
      return answer.value;
    },
  };
}
