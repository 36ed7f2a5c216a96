export { germanStem, partsOfCompound } from "./german.ts";
export { bareForms, isFiller, isFunctionWord, type Language, stemOf } from "./languages.ts";
export { languageOf, readWords } from "./recognize.ts";
export { spellOut, withoutAccents, wordsOf } from "./words.ts";
