/**
 * What French words mean in English, word by word.
 *
 * No translation: a list of words (bmad-embedded/memory/lexicon_fr.txt) and rules for their forms. That is enough to
 * find an English memory by a French question and the other way round, because word order hardly counts in a search.
 * What the list does not know stays as it is: names, identifiers and the many words that both languages share.
 */
import { isFunctionWord } from "./function_words.ts";

/** A list of French words, ready to be looked up. */
export interface Glossary {
  /** Names the list: another one gives other words for the same text. */
  readonly id: string;
  /** The words of a French text that say something, with their English. */
  glossesOf(text: string): readonly Gloss[];
}

/** A word or turn of phrase of a French text, and the English words for it. */
export interface Gloss {
  /** In small letters, as the text has it: `mots de passe`. */
  readonly french: string;
  /** The best one first; never empty: the French itself, if nothing else is known. */
  readonly english: readonly string[];
}

/** The words of a list with lines such as `mot de passe: password`; words for one thing are divided by commas. */
export function createGlossary(list: string): Glossary {
  /** By the word as it is written, and by its letters alone; of `marche` and `marché` the first has the letters. */
  const words = new Map<string, readonly string[]>();
  const plainWords = new Map<string, readonly string[]>();
  /** By the keys of their words, with spaces between. */
  const phrases = new Map<string, readonly string[]>();
  let longest = 1;
  for (const line of list.trim().split("\n")) {
    const [french = "", english = ""] = line.split(": ");
    const glosses = english.split(", ");
    const parts = wordsIn(french);
    if (parts.length > 1) {
      phrases.set(parts.map(keyOf).join(" "), glosses);
      longest = Math.max(longest, parts.length);
      continue;
    }
    words.set(french, glosses);
    const plain = withoutAccents(french);
    if (!plainWords.has(plain)) plainWords.set(plain, glosses);
  }

  /** The English of one word; none if the word says nothing. */
  function englishOf(word: string): readonly string[] | undefined {
    const found = words.get(word);
    if (found !== undefined) return found;
    const plain = withoutAccents(word);
    if (isFunctionWord(plain, "fr")) return undefined;
    const base = [plain, ...basesOf(plain)].find((form) => plainWords.has(form));
    return base === undefined ? [word] : plainWords.get(base);
  }

  return {
    id: `fr-${hashOf(list)}`,
    glossesOf(text) {
      const texts = wordsIn(text);
      const keys = texts.map(keyOf);
      const glosses: Gloss[] = [];
      for (let at = 0, count; at < texts.length; at += count) {
        const phraseOf = (count: number) => keys.slice(at, at + count).join(" ");
        count = Math.min(longest, texts.length - at);
        while (count > 1 && !phrases.has(phraseOf(count))) count--;
        const french = texts.slice(at, at + count).join(" ");
        const english = count > 1 ? phrases.get(phraseOf(count)) : englishOf(french);
        if (english !== undefined) glosses.push({ french, english });
      }
      return glosses;
    },
  };
}

/** Endings of forms, by the ending of the word that the list has; those of nouns and adjectives first. */
const FORMS: readonly (readonly [base: string, forms: string])[] = [
  ["", "s x e es"],
  ["al", "aux ale ales"],
  ["au", "aux"],
  ["ail", "aux"],
  ["el", "elle elles"],
  ["en", "enne ennes"],
  ["on", "onne onnes"],
  ["et", "ette ettes ete etes"],
  ["er", "ere eres"],
  ["if", "ive ives"],
  ["eux", "euse euses"],
  ["eur", "euse euses"],
  ["teur", "trice trices"],
  ["c", "que ques che ches"],
  [
    "er",
    "e es ons ez ent ee ees ant ante ants antes ait ais aient ions iez a as ai era erai eras erons erez eront erait " +
    "erais eraient erent eant eait eaient eons",
  ],
  ["yer", "ie ies ient iera ieront ierait"],
  ["eler", "elle elles ellent ellera elleront"],
  ["eter", "ette ettes ettent ettera etteront"],
  [
    "ir",
    "is it i ie ies issons issez issent issant issante issants issantes issait issaient ira irait iront iraient",
  ],
  ["re", "s ons ez ent ant ait aient u ue us ues ra ront rait raient"],
];
const ENDINGS = FORMS.flatMap(([base, forms]) => forms.split(" ").map((form) => ({ form, base })));
/** So much of a word is left without its ending, at least. */
const LEAST = 2;

/** What a word may be a form of, the likeliest first. */
function basesOf(word: string): readonly string[] {
  return ENDINGS.filter(({ form }) => word.endsWith(form) && word.length >= form.length + LEAST)
    .map(({ form, base }) => word.slice(0, word.length - form.length) + base);
}

function wordsIn(text: string): readonly string[] {
  return text.normalize("NFC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A word as phrases are compared: in the singular, without accents. */
function keyOf(word: string): string {
  const plain = withoutAccents(word);
  return plain.length > 3 ? plain.replace(/aux$/, "al").replace(/(?<=u)x$|s$/, "") : plain;
}

function withoutAccents(word: string): string {
  return word.replaceAll("œ", "oe").replaceAll("æ", "ae").normalize("NFKD").replaceAll(/\p{M}+/gu, "");
}

/** FNV-1a with 32 bits, in hexadecimal. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
