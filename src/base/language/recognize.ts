/** The language of a text by its function words; ambiguous ones (`die`, `war`) count only among their own. */
import { isFiller, isFunctionWord, type Language, RULES } from "./languages.ts";
import { wordsIn } from "./rules.ts";
import { wordsOf } from "./words.ts";

const AMBIGUOUS_FRENCH = wordsIn("a as aura car ci eu m mais ni sera t ta te ton");
/** Short words that mean nothing in English, not even as an abbreviation. */
const CERTAIN = wordsIn("auf bei een el gli het ich ist nao que uma una und vom von wer wie wir zum zur");
/** Short words that mean something in English only as a name or an abbreviation. */
const LIKELY = wordsIn("aus bis che das dat del dem den der ein las los sie zij");
/** Long words that mean something in English. */
const UNCERTAIN = wordsIn(
  "algo alle allen also come door dove onder over para pode quali todo todos uber want word",
);

const SIGNS: readonly (readonly [sign: RegExp, language: Language, weight: number])[] = [
  [/[¿¡]/, "es", 2],
  [/ñ/i, "es", 1],
  [/ß/, "de", 1],
  [/[äöü]/i, "de", 0.5],
  [/[ãõ]/i, "pt", 1],
];
/** The weight of a word that may also be English. */
const DOUBTFUL = 0.3;
/** The bonus for two words of a language that the likely one lacks. */
const TOGETHER = 0.4;
/** Less than this, and a text is English or French; less than that, and its doubtful words count after all. */
const LEAST = 0.4, SURE = 0.9;
const MAX_SAMPLE = 20_000, MAX_WORDS = 4_000;

const LANGUAGES = Object.keys(RULES) as readonly Language[];
const WEIGHTS = new Map(
  LANGUAGES.flatMap((language) => [...RULES[language].functionWords, ...RULES[language].fillers ?? []])
    .map((word) => [word, weightsOf(word)]),
);

function weightsOf(word: string) {
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

/** Their stems are known, too, so each of their function words counts fully. */
function isKnown(language: Language): boolean {
  return language === "en" || language === "fr";
}

function isCertain(word: string): boolean {
  return (word.length > 3 ? !UNCERTAIN.has(word) : CERTAIN.has(word)) &&
    LANGUAGES.some((language) => !isKnown(language) && isFunctionWord(word, language));
}

export function languageOf(text: string, words = wordsOf(text.slice(0, MAX_SAMPLE))): Language {
  return weigh(text, words).language;
}

/** All words of a French text are left to its glossary. */
export function readWords(text: string, words: readonly string[]) {
  const { language, score } = weigh(text, words);
  if (language === "fr") return { language, told: words };
  const isTold = (word: string) => !isCertain(word) && (score < SURE || !isFunctionWord(word, language));
  return { language, told: words.filter(isTold) };
}

function weigh(text: string, words: readonly string[]) {
  const found = words.slice(0, MAX_WORDS).flatMap((word) => WEIGHTS.get(word) ?? []);
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

/** A short text may have no such words; then accents decide. */
function isFrench(text: string, found: readonly ReturnType<typeof weightsOf>[]): boolean {
  if (found.reduce((sum, { balance }) => sum + balance, 0) > 0) return true;
  const hasEnglish = found.some(({ having, balance }) => balance < 0 || having.includes("en"));
  return !hasEnglish && /[àâçèéêëîïôùûœ]/i.test(text.normalize("NFC"));
}
