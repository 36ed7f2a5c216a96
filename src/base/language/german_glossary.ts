/** By a word list; a compound is understood by its parts. */
import { germanStem, partsOfCompound } from "./german.ts";
import { isFiller } from "./languages.ts";
import { wordsOf } from "./words.ts";

export function createGermanGlossary(list: string): (text: string) => string {
  const lines = list.trim().split("\n").map((line) => line.split(": "));
  const known = new Map(lines.map(([german = "", english = ""]) => [germanStem(german), english]));
  const englishOf = (word: string): string => {
    const stem = germanStem(word);
    if (known.has(stem)) return known.get(stem)!;
    const parts = partsOfCompound(stem, (part) => known.has(part));
    return parts.length === 0 ? word : parts.map((part) => known.get(part)!).join(" ");
  };
  return (text) => wordsOf(text).filter((word) => !isFiller(word, "de")).map(englishOf).join(" ");
}
