/** What is known of a language, as data, and what its rules are written with. */

/** The rules of a language. All words are in lower case and without accents. */
export interface LanguageRules {
  /** Words that hold a sentence together and say nothing about its subject. */
  readonly functionWords: ReadonlySet<string>;
  /** Further words that say nothing about what people search for. A memory may well be about `user` or `new`. */
  readonly fillers?: ReadonlySet<string>;
  /** The common part of a word's forms; without it, words are treated as English. */
  readonly stem?: (word: string) => string;
  /** The endings of plurals, cases and the commonest verb forms; four letters stay. */
  readonly endings?: RegExp;
}

/** The words of a list that is separated by spaces. */
export function wordsIn(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/** Texts repeat the same few words; when the cache is full, it starts over. */
const MAX_STEMS = 20_000;

/** A rule that applies to words of four Latin letters or more, and remembers its results. */
export function createStemmer(cut: (word: string) => string): (word: string) => string {
  const known = new Map<string, string>();
  return (word) => {
    if (word.length < 4) return word;
    let stem = known.get(word);
    if (stem === undefined) {
      stem = /[^a-z]/.test(word) ? word : cut(word);
      if (known.size === MAX_STEMS) known.clear();
      known.set(word, stem);
    }
    return stem;
  };
}

/** An ending to cut, how many letters must remain, and what replaces it. */
export type Ending = readonly [ending: RegExp, least: number, instead?: string];

/** The word without the first of these endings that it has. */
export function cutEnding(word: string, endings: readonly Ending[]): string {
  for (const [ending, least, instead = ""] of endings) {
    const at = word.search(ending);
    if (at >= least) return word.slice(0, at) + instead;
  }
  return word;
}
