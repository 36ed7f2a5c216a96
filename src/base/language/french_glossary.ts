/** English words for those of a French text, for searches: a word list and rules for endings. */
import { isFunctionWord } from "./languages.ts";
import { withoutAccents } from "./words.ts";

export type Glossary = (text: string) => ReturnType<typeof glossesIn>;

interface Lexicon {
  readonly words: Map<string, readonly string[]>;
  /** By the word without accents; `marche` and `marché` collide, and the first one wins. */
  readonly plainWords: Map<string, readonly string[]>;
  readonly phrases: Map<string, readonly string[]>;
  longest: number;
}

export function createFrenchGlossary(list: string): Glossary {
  const lexicon = parseLexicon(list);
  return (text) => glossesIn(lexicon, text);
}

function parseLexicon(list: string): Lexicon {
  const lexicon: Lexicon = { words: new Map(), plainWords: new Map(), phrases: new Map(), longest: 1 };
  for (const line of list.trim().split("\n")) {
    const [french = "", english = ""] = line.split(": ");
    const glosses = english.split(", ");
    const parts = wordsIn(french);
    if (parts.length > 1) {
      lexicon.phrases.set(parts.map(keyOf).join(" "), glosses);
      lexicon.longest = Math.max(lexicon.longest, parts.length);
      continue;
    }
    lexicon.words.set(french, glosses);
    const plain = plainOf(french);
    if (!lexicon.plainWords.has(plain)) lexicon.plainWords.set(plain, glosses);
  }
  return lexicon;
}

function glossesIn(lexicon: Lexicon, text: string) {
  const { phrases, longest } = lexicon;
  const words = wordsIn(text);
  const keys = words.map(keyOf);
  const glosses: { readonly french: string; readonly english: readonly string[] }[] = [];
  for (let at = 0, count; at < words.length; at += count) {
    const phraseOf = (count: number) => keys.slice(at, at + count).join(" ");
    count = Math.min(longest, words.length - at);
    while (count > 1 && !phrases.has(phraseOf(count))) count--;
    const french = words.slice(at, at + count).join(" ");
    const english = count > 1 ? phrases.get(phraseOf(count)) : englishOf(lexicon, french);
    if (english !== undefined) glosses.push({ french, english });
  }
  return glosses;
}

function englishOf({ words, plainWords }: Lexicon, word: string): readonly string[] | undefined {
  const exact = words.get(word);
  if (exact !== undefined) return exact;
  const plain = plainOf(word);
  if (isFunctionWord(plain, "fr")) return undefined;
  const base = [plain, ...basesOf(plain)].find((form) => plainWords.has(form));
  return base === undefined ? [word] : plainWords.get(base);
}

/** By the ending of the listed word; nouns and adjectives before verbs. */
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
  ["er", "e es ons ez ent ee ees ant ante ants antes ait ais aient ions iez a as ai era erai eras erons"],
  ["er", "erez eront erait erais eraient erent eant eait eaient eons"],
  ["yer", "ie ies ient iera ieront ierait"],
  ["eler", "elle elles ellent ellera elleront"],
  ["eter", "ette ettes ettent ettera etteront"],
  ["ir", "is it i ie ies issons issez issent issant issante issants issantes issait issaient"],
  ["ir", "ira irait iront iraient"],
  ["re", "s ons ez ent ant ait aient u ue us ues ra ront rait raient"],
];
const ENDINGS = FORMS.flatMap(([base, forms]) => forms.split(" ").map((form) => ({ form, base })));
const MIN_REMAINDER = 2;

function basesOf(word: string): readonly string[] {
  return ENDINGS.filter(({ form }) => word.endsWith(form) && word.length >= form.length + MIN_REMAINDER)
    .map(({ form, base }) => word.slice(0, word.length - form.length) + base);
}

function wordsIn(text: string): readonly string[] {
  return text.normalize("NFC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function keyOf(word: string): string {
  const plain = plainOf(word);
  return plain.length > 3 ? plain.replace(/aux$/, "al").replace(/(?<=u)x$|s$/, "") : plain;
}

function plainOf(word: string): string {
  return withoutAccents(word.replaceAll("œ", "oe").replaceAll("æ", "ae"));
}
