/** `analyze` with the embedded glossary, which is read when the first French text arrives. */
import { createGlossary, type Glossary } from "../../../../base/language/french_glossary.ts";
import { MEMORY_FILES, memoryFile, unlessMissing } from "../files.ts";
import { type Analysis, analyze } from "./analysis.ts";

/** Analyzes a text. */
export type Analyzer = (text: string) => Analysis;

/** The analyzer for the embedded content; without its word list, French texts stay French. */
export function openAnalyzer(contentDir: string): Analyzer {
  let glossary: Glossary | undefined;
  const path = memoryFile(contentDir, MEMORY_FILES.lexicon);
  const open = () => createGlossary(unlessMissing(() => Deno.readTextFileSync(path)) ?? "");
  return (text) => analyze(text, () => glossary ??= open());
}
