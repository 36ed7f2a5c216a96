/**
 * A text as memory compares it: the stems of its words, and in English what is embedded.
 *
 * Each text is taken for English or French, whichever its small words say. Of a French one the English words are
 * given as well (glossary.ts): the embedder knows English alone, and teams write in both. Texts in other languages go
 * through as English ones do: they are found by words that are the same.
 */
import { isFiller, type Language, languageOf, stemOf, wordsOf } from "../../../base/terms.ts";
import { isFunctionWord } from "./function_words.ts";
import type { Glossary } from "./glossary.ts";

/** What a text comes to. Stems consist of letters and digits alone, so they need no care inside a query language. */
export interface Analysis {
  /** The one whose endings were cut from its words. */
  readonly language: Language;
  /** The stems of its words in its own language, as often as they occur. */
  readonly terms: readonly string[];
  /** The English stems of all that its words may mean; empty for an English text. */
  readonly gloss: readonly string[];
  /** What is embedded: the text, or, of a French one, the best English word for each of its words. */
  readonly english: string;
  /** Names the list that the English words are from, when they are: with another list, vectors are to be made anew. */
  readonly lexicon?: string;
  /** The words of the text that say something, or turns of phrase, with all stems that they are found by. */
  readonly parts: readonly Part[];
}

/** A word or a turn of phrase of a text. */
export interface Part {
  /** In small letters: `mots de passe`. */
  readonly text: string;
  /** Those of its own words and of what they mean in English. */
  readonly stems: ReadonlySet<string>;
}

/** Takes a text apart; the glossary is asked for when a French text comes, and not before. */
export function analyze(text: string, glossary: () => Glossary): Analysis {
  const words = wordsOf(spelledOut(text));
  return isFrench(text, words) ? frenchAnalysis(text, words, glossary()) : englishAnalysis(text, words);
}

function englishAnalysis(text: string, words: readonly string[]): Analysis {
  const parts = words.map((word) => ({ text: word, stems: new Set(stemsOf([word], "en")) }));
  return {
    language: "en",
    terms: stemsOf(words, "en"),
    gloss: [],
    english: text,
    parts: parts.filter(({ stems }) => stems.size > 0),
  };
}

function frenchAnalysis(text: string, words: readonly string[], { id, glossesOf }: Glossary): Analysis {
  const glosses = glossesOf(text).map(({ french, english }) => ({
    french,
    best: english[0]!,
    stems: english.flatMap((word) => stemsOf(wordsOf(word), "en")),
  }));
  return {
    language: "fr",
    terms: stemsOf(words, "fr"),
    gloss: glosses.flatMap(({ stems }) => stems),
    english: glosses.map(({ best }) => best).join(" ") || text,
    lexicon: id,
    parts: glosses.map(({ french, stems }) => ({
      text: french,
      stems: new Set([...stemsOf(wordsOf(french), "fr"), ...stems]),
    })),
  };
}

/** Which words of one text are in the other one too, also by their meaning: `jetons` for `token`. */
export function sharedWords(asked: Analysis, found: Analysis): readonly string[] {
  const known = new Set([...found.terms, ...found.gloss]);
  const shared = asked.parts.filter(({ stems }) => !stems.isDisjointFrom(known));
  return [...new Set(shared.map(({ text }) => text))];
}

function stemsOf(words: readonly string[], language: Language): readonly string[] {
  return words.filter((word) => !isFunctionWord(word, language)).map((word) => stemOf(word, language));
}

/** A few words may have no small one among them; then accents tell. */
function isFrench(text: string, words: readonly string[]): boolean {
  if (languageOf(words) === "fr") return true;
  return /[àâçèéêëîïôùûœ]/i.test(text.normalize("NFC")) && !words.some((word) => isFiller(word, "en"));
}

/** `getUserById`, `OrderService`; not `GitHub` and `macOS`, whose parts are no words by themselves. */
const IDENTIFIER = /\b(?:\p{Ll}{2,}(?:\p{Lu}[\p{Ll}\p{N}]+)+|\p{L}\p{Ll}{3,}(?:\p{Lu}\p{Ll}{3,})+)/gu;

/** A text with the parts of identifiers after them: `getUserById get User By Id`. */
function spelledOut(text: string): string {
  const parts = (name: string) => name.replaceAll(/(?<=\p{Ll}|\p{N})(?=\p{Lu})/gu, " ");
  return text.replaceAll(IDENTIFIER, (name) => `${name} ${parts(name)}`);
}
