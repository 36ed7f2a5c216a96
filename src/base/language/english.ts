/** English: the words that say nothing, and the endings. */
import { createStemmer, cutEnding, type Ending, type LanguageRules, wordsIn } from "./rules.ts";

export const ENGLISH: LanguageRules = {
  functionWords: wordsIn(
    "a am an and are as at be been but by can could did do does for from had has have he her his how i if " +
      "in into is it its me my no not of on or our she should so than that the their them then there these " +
      "they this to was we were what when where which who why will with would you your",
  ),
  fillers: wordsIn(
    "about all any get give im just let lets like need new now please show some up us use user using want " +
      "whats",
  ),
  stem: createStemmer(englishStem),
};

const PLURALS: readonly Ending[] = [
  [/sses$/, 2, "ss"],
  [/ies$/, 2, "y"],
  [/(?<=[cs]h|[xz])es$/, 3],
  [/(?<![sui])s$/, 3],
];
const VERB_FORMS: readonly Ending[] = [
  [/ing$(?<=[aeiouy].*ing)/, 3],
  [/ed$(?<=[aeiouy].*ed)/, 3],
];
const ENGLISH_NOUNS: readonly Ending[] = [
  [/(?<=analy)(?:sis|ses?|ze?)$/, 5],
  [/i[sz]ations?$/, 3],
  [/ations?$/, 4],
  [/(?<=[st])ions?$/, 4],
  [/ators?$/, 4],
  [/ates?$/, 4],
  [/at$/, 4],
  [/i[sz]e?$/, 4],
  [/ments?$/, 4],
  [/ness$/, 4],
  [/ability$/, 4],
  [/able$/, 4],
  [/ive$/, 5],
  [/ally$/, 4],
  [/ly$/, 4],
  [/al$/, 5],
  [/ers?$/, 5],
  [/e$/, 3],
];

/** The common part of a word's forms. The rules only make forms equal (`tests`, `testing`), they do not find the root. */
function englishStem(word: string): string {
  const singular = cutEnding(word, PLURALS);
  const plain = cutEnding(singular, VERB_FORMS);
  // `planning` is from `plan`, but `pressing` from `press`.
  const single = plain === singular ? plain : plain.replace(/([bdgmnprt])\1$/, "$1");
  return withoutNounEndings(single).replace(/(?<=..)y$/, "i");
}

/** Endings pile up: `implementation` has two. */
function withoutNounEndings(word: string): string {
  const shorter = cutEnding(word, ENGLISH_NOUNS);
  return shorter === word ? word : withoutNounEndings(shorter);
}
