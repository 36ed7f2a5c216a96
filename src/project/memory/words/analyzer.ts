/** `analyze` with the glossary that is embedded, which is read when the first French text comes. */
import { MEMORY_FILES, memoryFile } from "../files.ts";
import { type Analysis, analyze } from "./analysis.ts";
import { createGlossary, type Glossary } from "./glossary.ts";

/** What takes texts apart. */
export type Analyzer = (text: string) => Analysis;

/** The analyzer for the embedded content; where the list of words is missing, French texts stay French. */
export function openAnalyzer(contentDir: string): Analyzer {
  let glossary: Glossary | undefined;
  return (text) => analyze(text, () => glossary ??= createGlossary(readLexicon(contentDir)));
}

function readLexicon(contentDir: string): string {
  try {
    return Deno.readTextFileSync(memoryFile(contentDir, MEMORY_FILES.lexicon));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
