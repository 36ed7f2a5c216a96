/**
 * The terms of a text, as both searches (content and memory) compare them: lower case, no accents, no endings.
 *
 * The rules are few on purpose. They only have to make the forms of a word equal (`tests`, `testing`, `tested`), not to
 * find its root; a word of unknown form stays as it is. The endings of one language spoil the words of another, so each
 * text is treated as either English or French.
 */

/** Words around what people search for. If a query has nothing else, they count after all. */
const ENGLISH_FILLERS = new Set(
  ("a about all am an and any are as at be been but by can could did do does for from get give had has have " +
    "how i if im in into is it its just let lets like me my need new now of on or our please should show so some " +
    "than that the their them then there these they this to up us use user using want was we were what whats when " +
    "where which who why will with would you your")
    .split(" "),
);
const FRENCH_FILLERS = new Set(
  ("ai aide aider au aux avec besoin c ce ces cet cette comment d dans de des dois dont du elle en est et etre faire " +
    "faut il ils j je l la le les leur lui ma me mes moi mon n ne nos notre nous on ou par pas peut peux plait pour " +
    "qu que quel quelle quels quelles qui quoi s sa sans se ses si son sont sur svp tu un une veut veux voudrais vos " +
    "votre vous y")
    .split(" "),
);

/** A language whose endings are known. */
export type Language = "en" | "fr";

/** The words of a text, in lower case and without accents; `bmad-prd` is two. */
export function wordsOf(text: string): readonly string[] {
  if (/^[a-z0-9]+$/i.test(text)) return [text.toLowerCase()];
  const plain = text.normalize("NFKD").replaceAll(/\p{M}+/gu, "").toLowerCase();
  // `let's` is one word; a French article before an apostrophe is a word by itself.
  return plain.replaceAll(/(?<=\p{L}\p{L})['’](?=[a-z]{1,2}\b)/gu, "").match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** French if more of the filler words are French, else English. */
export function languageOf(words: readonly string[]): Language {
  let balance = 0;
  for (const word of words) balance += Number(FRENCH_FILLERS.has(word)) - Number(ENGLISH_FILLERS.has(word));
  return balance > 0 ? "fr" : "en";
}

/** Whether a word says nothing about the subject. */
export function isFiller(word: string, language: Language): boolean {
  return (language === "fr" ? FRENCH_FILLERS : ENGLISH_FILLERS).has(word);
}

/** Texts repeat the same few words; when the cache is full, it starts over. */
const MOST_KNOWN = 20_000;
const known: Readonly<Record<Language, Map<string, string>>> = { en: new Map(), fr: new Map() };

/** The common part of a word's forms. */
export function stemOf(word: string, language: Language): string {
  if (word.length < 4) return word;
  const stems = known[language];
  let stem = stems.get(word);
  if (stem === undefined) {
    stem = /[^a-z]/.test(word) ? word : language === "fr" ? frenchStem(word) : englishStem(word);
    if (stems.size === MOST_KNOWN) stems.clear();
    stems.set(word, stem);
  }
  return stem;
}

/** An ending to cut, how many letters must remain, and what replaces it. */
type Ending = readonly [ending: RegExp, least: number, instead?: string];

const PLURALS: readonly Ending[] = [
  [/sses$/, 2, "ss"],
  [/ies$/, 2, "y"],
  [/(?<=[cs]h|[xz])es$/, 3],
  [/(?<![sui])s$/, 3],
];
const VERB_FORMS: readonly Ending[] = [
  [/(?<=[aeiouy].*)ing$/, 3],
  [/(?<=[aeiouy].*)ed$/, 3],
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
const FRENCH_ENDINGS: readonly Ending[] = [
  [/(?:is)?ation$/, 3],
  [/(?:at)?(?:eur|rice)$/, 4],
  [/e?ment$/, 4],
  [/(?:ee?|er|ez|ent|ant|ait|aient)$/, 3],
  [/i[rt]$/, 4],
];

function englishStem(word: string): string {
  const singular = cut(word, PLURALS);
  const plain = cut(singular, VERB_FORMS);
  // `planning` is from `plan`, but `pressing` from `press`.
  const single = plain === singular ? plain : plain.replace(/([bdgmnprt])\1$/, "$1");
  return withoutNounEndings(single).replace(/(?<=..)y$/, "i");
}

/** Endings pile up: `implementation` has two. */
function withoutNounEndings(word: string): string {
  const shorter = cut(word, ENGLISH_NOUNS);
  return shorter === word ? word : withoutNounEndings(shorter);
}

function frenchStem(word: string): string {
  const singular = word.replace(/aux$/, "al").replace(/(?<=...)[sx]$/, "");
  return cut(singular, FRENCH_ENDINGS).replace(/([lnt])\1$/, "$1");
}

function cut(word: string, endings: readonly Ending[]): string {
  for (const [ending, least, instead = ""] of endings) {
    const at = word.search(ending);
    if (at >= least) return word.slice(0, at) + instead;
  }
  return word;
}
