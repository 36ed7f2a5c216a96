/** `analyze` and English words with the embedded glossaries, each of which is read when the first text needs it. */
import { createFrenchGlossary, type Glossary } from "../../../../base/language/french_glossary.ts";
import { createGermanGlossary } from "../../../../base/language/german_glossary.ts";
import type { Language } from "../../../../base/language/mod.ts";
import { MEMORY_FILES, memoryFile, unlessMissing } from "../files.ts";
import { type Analysis, analyze } from "./analysis.ts";

const [FRENCH, GERMAN] = MEMORY_FILES.lexicons;

/** Analyzes a text. */
export type Analyzer = (text: string) => Analysis;

/** The analyzer for the embedded content; without its word list, French texts stay French. */
export function openAnalyzer(contentDir: string): Analyzer {
  let glossary: Glossary | undefined;
  return (text) => analyze(text, () => glossary ??= createFrenchGlossary(readList(contentDir, FRENCH)));
}

/** Texts for an embedder that knows English only: a German one in English words, any other as it is. */
export function openEnglish(contentDir: string): (text: string, language: Language) => string {
  let glossary: ((text: string) => string) | undefined;
  return (text, language) =>
    language === "de" ? (glossary ??= createGermanGlossary(readList(contentDir, GERMAN)))(text) : text;
}

function readList(contentDir: string, name: string): string {
  return unlessMissing(() => Deno.readTextFileSync(memoryFile(contentDir, name))) ?? "";
}
