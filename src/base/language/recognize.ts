/**
 * The language of a text, as its function words suggest it.
 *
 * Many of them mean something in another language (`die`, `war`, `van`) or as an abbreviation (`AI`, `OS`): those say
 * nothing only where the words around them are of their language.
 */
import { isFiller, isFunctionWord, type Language, RULES } from "./languages.ts";
import { wordsIn } from "./rules.ts";
import { wordsOf } from "./words.ts";

/** French words that mean something in English or in other languages. */
const AMBIGUOUS_FRENCH = wordsIn("a as aura car ci eu m mais ni sera t ta te ton");
/** Short words that mean nothing in English, not even as an abbreviation. */
const CERTAIN = wordsIn("auf bei een el gli het ich ist nao que uma una und vom von wer wie wir zum zur");
/** Short words that mean something in English only as a name or an abbreviation. */
const LIKELY = wordsIn("aus bis che das dat del dem den der ein las los sie zij");
/** Long words that mean something in English. */
const UNCERTAIN = wordsIn(
  "algo alle allen also come door dove onder over para pode quali todo todos uber want word",
);

/** What letters and signs say of the language. */
const SIGNS: readonly (readonly [sign: RegExp, language: Language, weight: number])[] = [
  [/[¿¡]/, "es", 2],
  [/ñ/i, "es", 1],
  [/ß/, "de", 1],
  [/[äöü]/i, "de", 0.5],
  [/[ãõ]/i, "pt", 1],
];
/** How much a word that may mean something in English says of another language. */
const DOUBTFUL = 0.3;
/** What two words of a language add that the likely one does not have. */
const TOGETHER = 0.4;
/** Less than this, and a text is English or French; less than that, and its doubtful words count after all. */
const LEAST = 0.4, SURE = 0.9;
/** A longer text is judged by its beginning: so many characters, or words. */
const MAX_SAMPLE = 20_000, MAX_WORDS = 4_000;

/** What a word suggests. */
interface Evidence {
  /** The languages that have it, and how much it says of each. */
  readonly having: readonly Language[];
  readonly weights: readonly number[];
  /** 1 for French, -1 for English, 0 if it does not tell them apart. */
  readonly balance: number;
}

const LANGUAGES = Object.keys(RULES) as readonly Language[];
const EVIDENCE: ReadonlyMap<string, Evidence> = new Map(
  LANGUAGES.flatMap((language) => [...RULES[language].functionWords, ...RULES[language].fillers ?? []])
    .map((word) => [word, evidenceOf(word)]),
);

function evidenceOf(word: string): Evidence {
  const having = LANGUAGES.filter((language) => isFunctionWord(word, language));
  const weightIn = (language: Language) =>
    isKnown(language) || isCertain(word) ? 1 : LIKELY.has(word) ? 2 * DOUBTFUL : DOUBTFUL;
  const isFrench = isFiller(word, "fr") && !AMBIGUOUS_FRENCH.has(word);
  return {
    having,
    weights: having.map((language) => weightIn(language) / having.length),
    balance: Number(isFrench) - Number(isFiller(word, "en")),
  };
}

/** Whether the stems of a language are known, too: then each of its function words counts fully. */
function isKnown(language: Language): boolean {
  return language === "en" || language === "fr";
}

/** Whether a word is a function word of the other languages, and nothing else in English or French. */
function isCertain(word: string): boolean {
  return (word.length > 3 ? !UNCERTAIN.has(word) : CERTAIN.has(word)) &&
    LANGUAGES.some((language) => !isKnown(language) && isFunctionWord(word, language));
}

/** The language of a text; English if nothing suggests another. */
export function languageOf(text: string, words = wordsOf(text.slice(0, MAX_SAMPLE))): Language {
  return weigh(text, words).language;
}

/** The language of a text, and its words that say something. */
export interface Reading {
  readonly language: Language;
  readonly told: readonly string[];
}

/** Reads the words of a text; of a French one, all of them are left to its glossary. */
export function readWords(text: string, words: readonly string[]): Reading {
  const { language, score } = weigh(text, words);
  if (language === "fr") return { language, told: words };
  const isTold = (word: string) => !isCertain(word) && (score < SURE || !isFunctionWord(word, language));
  return { language, told: words.filter(isTold) };
}

/** The language that the function words of a text suggest most, and how much they do. */
function weigh(text: string, words: readonly string[]) {
  const found: Evidence[] = [];
  for (const word of words.slice(0, MAX_WORDS)) {
    const evidence = EVIDENCE.get(word);
    if (evidence !== undefined) found.push(evidence);
  }
  const likely = isFrench(text, found) ? "fr" : "en";
  const scores: Record<Language, number> = { en: 0, fr: 0, de: 0, es: 0, pt: 0, it: 0, nl: 0 };
  for (const { having, weights } of found) {
    for (let at = 0; at < having.length; at++) scores[having[at]!] += weights[at]!;
  }
  for (const [sign, language, weight] of SIGNS) if (sign.test(text)) scores[language] += weight;
  const foreign = [...new Set(found)].filter(({ having }) => !having.includes(likely));
  for (const language of LANGUAGES) {
    if (foreign.filter(({ having }) => having.includes(language)).length > 1) scores[language] += TOGETHER;
  }
  const known = Math.max(scores.en, scores.fr);
  const others = LANGUAGES.filter((language) => scores[language] >= LEAST && scores[language] > known);
  const language = others.sort((a, b) => scores[b] - scores[a])[0] ?? likely;
  return { language, score: scores[language] };
}

/** Whether more of the words that say nothing are French. A short text may have none at all; then accents decide. */
function isFrench(text: string, found: readonly Evidence[]): boolean {
  if (found.reduce((sum, { balance }) => sum + balance, 0) > 0) return true;
  const hasEnglish = found.some(({ having, balance }) => balance < 0 || having.includes("en"));
  return !hasEnglish && /[àâçèéêëîïôùûœ]/i.test(text.normalize("NFC"));
}
