/**
 * The languages of texts: which words say nothing in each, and what the forms of a word have in common.
 *
 * The rules only have to make the forms of a word equal (`tests`, `testing`, `tested`), not to find its root; a word of
 * unknown form stays as it is. Memory files hold stems: after a change here, older memories match fewer questions.
 */
import { ENGLISH } from "./english.ts";
import { FRENCH } from "./french.ts";
import { GERMAN } from "./german.ts";
import { DUTCH, ITALIAN, PORTUGUESE, SPANISH } from "./other_languages.ts";
import type { LanguageRules } from "./rules.ts";

/** A language whose function words are known. */
export type Language = "en" | "fr" | "de" | "es" | "pt" | "it" | "nl";

/** The rules of each. */
export const RULES: Readonly<Record<Language, LanguageRules>> = {
  en: ENGLISH,
  fr: FRENCH,
  de: GERMAN,
  es: SPANISH,
  pt: PORTUGUESE,
  it: ITALIAN,
  nl: DUTCH,
};

/** Whether a word holds sentences together. */
export function isFunctionWord(word: string, language: Language): boolean {
  return RULES[language].functionWords.has(word);
}

/** Whether a word says nothing about what somebody searches for. */
export function isFiller(word: string, language: Language): boolean {
  return isFunctionWord(word, language) || (RULES[language].fillers?.has(word) ?? false);
}

/** The common part of a word's forms. The endings of one language spoil the words of another. */
export function stemOf(word: string, language: Language): string {
  return (RULES[language].stem ?? ENGLISH.stem!)(word);
}

/** A word without the commonest endings of its language; none where stems are known. */
export function bareForms(word: string, language: Language): readonly string[] {
  const { endings } = RULES[language];
  return endings === undefined ? [] : [word.replace(endings, "")];
}
