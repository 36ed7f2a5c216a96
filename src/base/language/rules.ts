/** What is known of a language, as data, and what its rules are written with. */

/** All words are in lower case and without accents. */
export interface LanguageRules {
  readonly functionWords: ReadonlySet<string>;
  /** Further words that say nothing about what people search for. A memory may well be about `user` or `new`. */
  readonly fillers?: ReadonlySet<string>;
  readonly stem?: (word: string) => string;
  readonly endings?: RegExp;
}

export function wordsIn(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

const MAX_STEMS = 20_000;

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

export function cutEnding(word: string, endings: readonly Ending[]): string {
  for (const [ending, least, instead = ""] of endings) {
    const at = word.search(ending);
    if (at >= least) return word.slice(0, at) + instead;
  }
  return word;
}
