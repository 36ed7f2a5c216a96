/**
 * A snippet: the part of a text that matches a search best, as one short line.
 */
import { BEFORE, EXCERPT, excerptAt } from "../../../base/matching.ts";
import { languageOf, stemOf, wordsOf } from "../../../base/language/mod.ts";

/** The part with the most different words of a search; undefined without a match. */
export function snippetOf(text: string, stems: ReadonlySet<string>): string | undefined {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const language = languageOf(line);
  const matches = [...line.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].flatMap((match) => {
    const found = wordsOf(match[0]).map((word) => stemOf(word, language)).find((stem) => stems.has(stem));
    return found === undefined ? [] : [{ at: match.index, stem: found }];
  });
  const countFrom = (from: number) =>
    new Set(matches.filter(({ at }) => at >= from && at < from + EXCERPT - BEFORE).map(({ stem }) => stem))
      .size;
  const [first] = matches.toSorted((a, b) => countFrom(b.at) - countFrom(a.at) || a.at - b.at);
  return first === undefined ? undefined : excerptAt(line, first.at);
}
