/**
 * Which headings say something by themselves.
 *
 * A heading with nothing below it may be the whole statement (`## We use Postgres`), or a chapter of a template
 * that was not filled in (`## Conventions`).
 */
import { plainWords, type Section } from "../../../base/markdown.ts";

/** The words of the kit's own headings and titles, without accents. */
const WORDLESS = new Set(
  ("a adr adrs agent agents and api apprentissages architecture base board by cet change context contexte convention " +
    "connaitre conventions critical critiques custom d data database de decision decisions des donnees du entries entry equipe " +
    "echecs erreurs et export failure failures fields history important importantes in infrastructure inter into journal l la le " +
    "learned learnings lessons lire list log memoire memory micro minor musee museum museums notes of open partage pitfalls " +
    "points project projet records registre requests requetes s shared stack statistics statistiques stories team tech " +
    "technical technique technologies the to top vigilance watch").split(" "),
);
const FIELD = /\{\{\w+\}\}/g;

/** Whether a heading says more than which file or chapter it is; `names` are words that say nothing here. */
export function saysSomething(heading: string, names: readonly string[] = []): boolean {
  const words = plainWords(heading.replaceAll(FIELD, " ")).split(" ");
  return words.some((word) => word !== "" && !WORDLESS.has(word) && !names.includes(word));
}

/** What a section says that is kept as it is: its body, below its heading unless that is the title of a file. */
export function noteOf(
  { level, heading }: Pick<Section, "level" | "heading">,
  body: string,
  names: readonly string[] = [],
): string {
  const isTold = body === "" || level < 2 ? saysSomething(heading, names) : true;
  return [isTold ? heading : "", body].filter((part) => part !== "").join("\n");
}
