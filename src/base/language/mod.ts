/**
 * Words and languages: all that searches of content, code, documents and memories know about them.
 *
 * A text becomes words (words.ts), whose language is recognized (recognize.ts) and whose forms are reduced to stems
 * (languages.ts, with a file of data for each language). The glossaries, with English for French and German words, are
 * loaded where an embedder is asked, because it knows English only.
 */
export { germanStem, partsOfCompound } from "./german.ts";
export { bareForms, isFiller, isFunctionWord, type Language, stemOf } from "./languages.ts";
export { languageOf, type Reading, readWords } from "./recognize.ts";
export { spellOut, wordsOf } from "./words.ts";
