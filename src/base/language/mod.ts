/**
 * Words and languages: all that searches of content, code, documents and memories know about them.
 *
 * A text becomes words (words.ts), whose language is recognized (recognize.ts) and whose forms are reduced to stems
 * (languages.ts, with a file of data for each language). The glossaries give English words for French and German ones
 * to the embedder, which knows English only.
 */
export { germanStem, partsOfCompound } from "./german.ts";
export { bareForms, isFiller, isFunctionWord, type Language, stemOf } from "./languages.ts";
export { languageOf, type Reading, readWords } from "./recognize.ts";
export { spellOut, withoutAccents, wordsOf } from "./words.ts";
