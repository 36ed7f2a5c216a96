/** The embedder knows nothing but English. */
import { createFrenchGlossary, type Glossary } from "../../../../base/language/french_glossary.ts";
import {
  bareForms,
  isFunctionWord,
  type Language,
  readWords,
  spellOut,
  stemOf,
  wordsOf,
} from "../../../../base/language/mod.ts";
import { createGermanGlossary } from "../../../../base/language/german_glossary.ts";
import { unlessMissing } from "../../../../base/absence.ts";
import { MEMORY_FILES, memoryFile } from "../files.ts";

/** Stems consist of letters and digits only, so they are safe inside a query language. */
export interface Analysis {
  readonly language: Language;
  readonly isUnderstood: boolean;
  readonly terms: readonly string[];
  /** The English stems of everything its words may mean, or its words without endings; empty for an English text. */
  readonly gloss: readonly string[];
  readonly english: string;
  /** Its meaningful words and phrases in lower case, each with every stem that matches it in either language. */
  readonly parts: readonly { readonly text: string; readonly stems: ReadonlySet<string> }[];
}

/** As English, which it may be taken for elsewhere, and without the endings of its own language. */
function analyzeWords(text: string, words: readonly string[], language: Language): Analysis {
  const parts = words.filter((word) => !isFunctionWord(word, "en"))
    .map((word) => ({ text: word, stems: new Set([stemOf(word, "en"), ...bareForms(word, language)]) }));
  return {
    language,
    isUnderstood: language === "en",
    terms: stemAll(words, "en"),
    gloss: parts.flatMap(({ stems }) => [...stems].slice(1)),
    english: text,
    parts,
  };
}

function analyzeFrench(text: string, words: readonly string[], glossesOf: Glossary): Analysis {
  const glosses = glossesOf(text).map(({ french, english }) => ({
    french,
    best: english[0]!,
    stems: english.flatMap((word) => stemAll(wordsOf(word), "en")),
  }));
  return {
    language: "fr",
    isUnderstood: true,
    terms: stemAll(words, "fr"),
    gloss: glosses.flatMap(({ stems }) => stems),
    english: glosses.map(({ best }) => best).join(" ") || text,
    parts: glosses.map(({ french, stems }) => ({
      text: french,
      stems: new Set([...stemAll(wordsOf(french), "fr"), ...stems]),
    })),
  };
}

export function sharedWords(question: Analysis, text: Analysis): readonly string[] {
  const known = new Set([...text.terms, ...text.gloss]);
  const shared = question.parts.filter(({ stems }) => !stems.isDisjointFrom(known));
  return [...new Set(shared.map((part) => part.text))];
}

const MAX_STEMS = 32;
/** Words of one letter say nothing, except in scripts where a letter is a syllable or a word. */
const SEARCHED = /^(?:[\p{L}\p{N}]{2,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])$/u;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u;
/** Alphabets in which the end of a word changes with its role, and how much of a word stays. */
const INFLECTED = /^[\p{Script=Cyrillic}\p{Script=Greek}]{5,}$/u;

/** Each stem with the word of the question it comes from; its own language first. */
export function stemsOf({ terms, parts }: Analysis): ReadonlyMap<string, string> {
  const own = new Set(terms.flatMap(codeStems));
  const all = parts.flatMap(({ text, stems }) => [...stems].map((stem) => [stem, text] as const))
    .flatMap(([stem, text]) => codeStems(stem).map((each) => [each, text] as const))
    .filter(([stem]) => SEARCHED.test(stem));
  const sorted = [...all.filter(([stem]) => own.has(stem)), ...all.filter(([stem]) => !own.has(stem))];
  return new Map(sorted.slice(0, MAX_STEMS));
}

function codeStems(stem: string): readonly string[] {
  if (/^[a-z0-9]*$/.test(stem)) return [stem];
  if (INFLECTED.test(stem)) return [stem.slice(0, stem.length > 7 ? -2 : -1)];
  if (!UNSPACED.test(stem) || [...stem].length < 3) return [stem];
  const characters = [...stem];
  return characters.slice(1).map((character, at) => characters[at]! + character);
}

function stemAll(words: readonly string[], language: Language): readonly string[] {
  return words.filter((word) => !isFunctionWord(word, language)).map((word) => stemOf(word, language));
}

const [FRENCH, GERMAN] = MEMORY_FILES.lexicons;

export type Analyzer = (text: string) => Analysis;

export function openAnalyzer(contentDir: string): Analyzer {
  let glossary: Glossary | undefined;
  return (text) => {
    const words = wordsOf(spellOut(text));
    const { language, told } = readWords(text, words);
    if (language !== "fr") return analyzeWords(text, told, language);
    glossary ??= createFrenchGlossary(readList(contentDir, FRENCH));
    return analyzeFrench(text, words, glossary);
  };
}

/** A German text in English words, any other as it is: the embedder knows English only. */
export function openEnglish(contentDir: string): (text: string, language: Language) => string {
  let glossary: ((text: string) => string) | undefined;
  return (text, language) =>
    language === "de" ? (glossary ??= createGermanGlossary(readList(contentDir, GERMAN)))(text) : text;
}

function readList(contentDir: string, name: string): string {
  return unlessMissing(() => Deno.readTextFileSync(memoryFile(contentDir, name))) ?? "";
}
