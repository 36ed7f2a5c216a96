/** Files without room are read again by every search. */
import { isSettled, type Stamp } from "../../content/tree/mod.ts";
import { type Matcher, type OnMatch, readTerms, type Term, termAt } from "./code_terms.ts";

/** Valid while files stay as they are, and were not written when they were read. */
export function createFileCache<T>(onDrop: (known: T) => void) {
  const files = new Map<string, { readonly mark: string; readonly isSettled: boolean; readonly known: T }>();
  const drop = (path: string) => {
    const file = files.get(path);
    if (file !== undefined) onDrop(file.known);
    files.delete(path);
  };
  return {
    find(path: string, mark: string): T | undefined {
      const file = files.get(path);
      return file?.mark === mark && file.isSettled ? file.known : undefined;
    },
    latest: (path: string) => files.get(path)?.known,
    put: (path: string, stamp: Stamp, readAt: number, known: T) =>
      void files.set(path, { mark: stamp.mark, isSettled: isSettled(stamp, readAt), known }),
    drop,
    retain(paths: ReadonlySet<string>): void {
      for (const path of files.keys()) if (!paths.has(path)) drop(path);
    },
  };
}

interface CachedFile {
  readonly length: number | undefined;
  readonly terms: Uint32Array | undefined;
}

export type TermCache = ReturnType<typeof createTermCache>;

const MAX_BYTES = 64 << 20;
const BYTES_PER_FILE = 400;
const BYTES_PER_TERM = 120;
/** A file with more terms that no other file has is data, and would fill the cache with useless terms. */
const MAX_NEW_TERMS = 4_096;
const LINE_END = 0, LINE_END_NUMBER = 255;

export function createTermCache(maxBytes = MAX_BYTES) {
  const { find, put, drop, retain } = createFileCache<CachedFile>((file) => {
    bytes -= bytesOf(file);
    droppedBytes += bytesOf(file);
  });
  const ids = createTermIds();
  let draft = new Uint32Array(1 << 14);
  let bytes = 0, droppedBytes = 0, isFull = false;

  function idsOf(page: Uint8Array): Uint32Array | undefined {
    const known = ids.size();
    let count = 0, hasRoom = true;
    const append = (id: number) => {
      if (count === draft.length) draft = enlarged(draft, count);
      draft[count++] = id;
    };
    readTerms(page, {
      term(from, end, hash) {
        const id = ids.find(page, from, end, hash);
        if (id > 0) return append(id);
        isFull ||= bytes + BYTES_PER_TERM > maxBytes;
        hasRoom &&= !isFull && ids.size() - known < MAX_NEW_TERMS;
        if (!hasRoom) return;
        bytes += BYTES_PER_TERM;
        append(ids.add(page, from, end, hash));
      },
      lineEnd: () => append(LINE_END),
    });
    return hasRoom ? draft.slice(0, count) : undefined;
  }

  return {
    find,
    retain,
    add(path: string, stamp: Stamp, page: Uint8Array | undefined, readAt: number): CachedFile {
      drop(path);
      const terms = page === undefined || isFull ? undefined : idsOf(page);
      const file = { length: page?.length, terms };
      isFull ||= bytes + bytesOf(file) > maxBytes;
      if (isFull) return file;
      put(path, stamp, readAt, file);
      bytes += bytesOf(file);
      return file;
    },
    finder(matcher: Matcher): (terms: Uint32Array, onMatch: OnMatch) => void {
      let numbers = new Uint8Array([LINE_END_NUMBER]), known = 1;
      return (terms, onMatch) => {
        if (numbers.length < ids.size()) numbers = enlarged(numbers, ids.size());
        for (; known < ids.size(); known++) numbers[known] = matcher.match(ids.term(known));
        let line = 0;
        for (let at = 0; at < terms.length; at++) {
          const number = numbers[terms[at]!]!;
          if (number === 0) continue;
          if (number === LINE_END_NUMBER) line++;
          else onMatch(line, number - 1);
        }
      };
    },
    /** It is full, and to a good part with terms of files that have gone: a new one would hold more. */
    isStale: (): boolean => isFull && droppedBytes > maxBytes / 4,
  };
}

function bytesOf({ terms }: CachedFile): number {
  return BYTES_PER_FILE + (terms?.byteLength ?? 0);
}

function enlarged<T extends Uint8Array | Uint32Array>(array: T, length: number): T {
  const copy = new (array.constructor as new (length: number) => T)(length * 2);
  copy.set(array);
  return copy;
}

/** A hash table over the bytes of terms: a `Map` would need a string for each lookup, which takes twice as long. */
function createTermIds() {
  const terms: Term[] = [""], hashes: number[] = [0];
  /** Open addressing: each id is in the slot of its hash or in one after it. At least half of the slots are free. */
  let slots = new Uint32Array(1 << 12);
  let slot = 0;

  // The lower bits choose the slot; the upper ones depend on more of the term.
  const slotOf = (hash: number) => (hash ^ hash >>> 15) & slots.length - 1;

  return {
    size: () => terms.length,
    term: (id: number): Term => terms[id]!,
    find(text: Uint8Array, from: number, end: number, hash: number): number {
      for (slot = slotOf(hash); slots[slot] !== 0; slot = slot + 1 & slots.length - 1) {
        const id = slots[slot]!;
        if (hashes[id] === hash && isSame(terms[id]!, text, from, end)) return id;
      }
      return 0;
    },
    add(text: Uint8Array, from: number, end: number, hash: number): number {
      const id = terms.push(termAt(text, from, end)) - 1;
      hashes.push(hash);
      slots[slot] = id;
      if (id * 2 > slots.length) {
        slots = new Uint32Array(slots.length * 2);
        for (let id = 1; id < terms.length; id++) {
          for (slot = slotOf(hashes[id]!); slots[slot] !== 0;) slot = slot + 1 & slots.length - 1;
          slots[slot] = id;
        }
      }
      return id;
    },
  };
}

function isSame(term: Term, text: Uint8Array, from: number, end: number): boolean {
  if (term.length !== end - from) return false;
  for (let at = 0; at < term.length; at++) if (term.charCodeAt(at) !== text[from + at]) return false;
  return true;
}
