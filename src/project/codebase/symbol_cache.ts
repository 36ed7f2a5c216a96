/**
 * The symbols of a project's files, kept from one search to the next, with their words as numbers.
 *
 * Bounded; an entry counts only while the stamp of its file stays the same.
 */
import { isFiller, wordsOf } from "../../base/language/mod.ts";
import { isSettled, type Stamp } from "../../content/tree/mod.ts";
import { type CodeSymbol, symbolsOf } from "./symbols.ts";

export interface IndexedSymbol extends CodeSymbol {
  /** Ids of its distinct words. */
  readonly words: readonly number[];
}

interface CachedSymbols {
  readonly mark: string;
  readonly isSettled: boolean;
  readonly symbols: readonly IndexedSymbol[];
}

export type SymbolCache = ReturnType<typeof createSymbolCache>;

/** Of all files together: about 20 MB. Files beyond that are found by their words only. */
const MAX_SYMBOLS = 40_000, MAX_WORDS = 20_000;
const MAX_WORD = 40;

export function createSymbolCache() {
  const files = new Map<string, CachedSymbols>();
  const ids = new Map<string, number>();
  let count = 0;

  function idsOf(text: string): readonly number[] {
    const found = new Set<number>();
    for (const word of meaningfulWords(text)) {
      if (ids.size < MAX_WORDS && !ids.has(word)) ids.set(word, ids.size);
      const id = ids.get(word);
      if (id !== undefined) found.add(id);
    }
    return [...found];
  }

  function drop(path: string): void {
    count -= files.get(path)?.symbols.length ?? 0;
    files.delete(path);
  }

  return {
    /** Whether the symbols of a file are unknown, or may have changed. */
    lacks(path: string, mark: string): boolean {
      const file = files.get(path);
      return count < MAX_SYMBOLS && !(file?.mark === mark && file.isSettled);
    },
    /** Adds a file whose page (its path, then its text) was read at a time, after its stamp. */
    add(
      path: string,
      stamp: Stamp,
      page: Uint8Array | undefined,
      readAt: number,
    ): void {
      drop(path);
      const text = page === undefined ? "" : new TextDecoder().decode(page.subarray(page.indexOf(10) + 1));
      const symbols = symbolsOf(path, text).map((symbol) => ({ ...symbol, words: idsOf(symbol.text) }));
      files.set(path, { mark: stamp.mark, isSettled: isSettled(stamp, readAt), symbols });
      count += symbols.length;
    },
    symbolsIn: (path: string): readonly IndexedSymbol[] => files.get(path)?.symbols ?? [],
    /** All words so far; their ids are their places. */
    words: (): readonly string[] => [...ids.keys()],
    retain(paths: ReadonlySet<string>): void {
      for (const path of files.keys()) if (!paths.has(path)) drop(path);
    },
  };
}

/** The words of an English text that say something about its subject, each once. */
export function meaningfulWords(text: string): ReadonlySet<string> {
  const words = wordsOf(text).filter((word) => word.length > 1 && word.length <= MAX_WORD);
  return new Set(words.filter((word) => !isFiller(word, "en")));
}
