/**
 * What is kept of a project's files from one search to the next: the words of each, as numbers, line by line.
 *
 * Kept in memory alone, up to a bound; what has no room is read again by every search. A file that is another one now,
 * by what its folder says of it, counts as unknown. Which files there are, and reading them, is left to others.
 */
import type { Stamp } from "../../content/tree/mod.ts";
import type { Matcher, OnMatch } from "./matches.ts";
import { readWords } from "./name_parts.ts";
import { createWordNumbers } from "./word_numbers.ts";

/** What is known of a file. */
export interface KeptFile {
  readonly mark: string;
  /** Of its page, in bytes; undefined when it has none that can be searched. */
  readonly length: number | undefined;
  /** The numbers of its words, with `LINE_END` after each line; undefined when there was no room for them. */
  readonly words: Uint32Array | undefined;
}

/** A place to keep files in. */
export interface Shelf {
  /** What is known of a file; undefined when it may have changed. */
  find(path: string, mark: string): KeptFile | undefined;
  /** Takes in a file whose page was read at a time, after its stamp had been taken. */
  keep(
    path: string,
    stamp: Pick<Stamp, "mark" | "time">,
    page: Uint8Array | undefined,
    readAt: number,
  ): KeptFile;
  /** Drops the files that are not among these. */
  retain(paths: ReadonlySet<string>): void;
  /** Tells of matches in the words of files, in order. */
  finder(matcher: Matcher): (words: Uint32Array, onMatch: OnMatch) => void;
  /** Whether so much of it is about files of the past that it is better to begin anew. */
  isWorn(): boolean;
}

/** In bytes, as we count them. */
export const MOST_KEPT = 64 << 20;
/** What a file and a word cost beside their own length. */
const FILE_BYTES = 400;
const WORD_BYTES = 120;
/** A file with more words that no other had is data: it would fill the shelf with what nobody asks for. */
const MOST_NEW = 4_096;
/** Times of files are only so exact: what was written again right after it was read may look the same. */
const GRAIN_MS = 2_000;

/** The number that stands for the end of a line, and in its place a stem that no search has. */
const LINE_END = 0, AT_LINE_END = 255;

/** An empty shelf. */
export function createShelf(most = MOST_KEPT): Shelf {
  const files = new Map<string, KeptFile & { readonly isSettled: boolean }>();
  const numbers = createWordNumbers();
  let draft = new Uint32Array(1 << 14);
  let bytes = 0, dropped = 0, isFull = false;

  /** The numbers of a page's words; undefined when there is no room for them. */
  function numbersOf(page: Uint8Array): Uint32Array | undefined {
    const known = numbers.size();
    let count = 0, hasRoom = true;
    const put = (number: number) => {
      if (count === draft.length) draft = longer(draft, count);
      draft[count++] = number;
    };
    readWords(page, {
      word(from, end, hash) {
        const number = numbers.find(page, from, end, hash);
        if (number > 0) return put(number);
        isFull ||= bytes + WORD_BYTES > most;
        hasRoom &&= !isFull && numbers.size() - known < MOST_NEW;
        if (!hasRoom) return;
        bytes += WORD_BYTES;
        put(numbers.add(page, from, end, hash));
      },
      lineEnd: () => put(LINE_END),
    });
    return hasRoom ? draft.slice(0, count) : undefined;
  }

  function drop(path: string): void {
    const file = files.get(path);
    if (file === undefined) return;
    files.delete(path);
    bytes -= bytesOf(file);
    dropped += bytesOf(file);
  }

  return {
    find(path, mark) {
      const file = files.get(path);
      return file?.mark === mark && file.isSettled ? file : undefined;
    },
    keep(path, { mark, time }, page, readAt) {
      drop(path);
      const file = {
        mark,
        isSettled: time + GRAIN_MS < readAt,
        length: page?.length,
        words: page === undefined || isFull ? undefined : numbersOf(page),
      };
      isFull ||= bytes + bytesOf(file) > most;
      if (!isFull) {
        files.set(path, file);
        bytes += bytesOf(file);
      }
      return file;
    },
    retain(paths) {
      for (const path of files.keys()) if (!paths.has(path)) drop(path);
    },
    finder(matcher) {
      /** What each number stands for, as far as they are known. */
      let places = new Uint8Array([AT_LINE_END]), known = 1;
      return (words, onMatch) => {
        if (places.length < numbers.size()) places = longer(places, numbers.size());
        for (; known < numbers.size(); known++) places[known] = matcher.placeOf(numbers.word(known));
        findAmong(words, places, onMatch);
      };
    },
    isWorn: () => isFull && dropped > most / 4,
  };
}

function findAmong(words: Uint32Array, places: Uint8Array, onMatch: OnMatch): void {
  let line = 0;
  for (let at = 0; at < words.length; at++) {
    const place = places[words[at]!]!;
    // Nearly all are none, so that is asked first.
    if (place === 0) continue;
    if (place === AT_LINE_END) line++;
    else onMatch(line, place - 1);
  }
}

function bytesOf({ words }: KeptFile): number {
  return FILE_BYTES + (words?.byteLength ?? 0);
}

/** The same numbers, with room for twice as many as there must be. */
function longer<T extends Uint8Array | Uint32Array>(numbers: T, least: number): T {
  const copy = new (numbers.constructor as new (length: number) => T)(least * 2);
  copy.set(numbers);
  return copy;
}
