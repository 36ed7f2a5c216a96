/**
 * A snippet: the part of a text that matches a search best, as one short line.
 */
import { languageOf, stemOf, wordsOf } from "../../../base/language/mod.ts";

/** In characters: enough for a sentence. */
const WIDTH = 120;
/** How much of that comes before the first match. */
const BEFORE = 30;

/** The part with the most different words of a search; undefined without a match. */
export function snippetOf(text: string, stems: ReadonlySet<string>): string | undefined {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const language = languageOf(line);
  const matches = [...line.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].flatMap((match) => {
    const found = wordsOf(match[0]).map((word) => stemOf(word, language)).find((stem) => stems.has(stem));
    return found === undefined ? [] : [{ at: match.index, stem: found }];
  });
  const countFrom = (from: number) =>
    new Set(matches.filter(({ at }) => at >= from && at < from + WIDTH - BEFORE).map(({ stem }) => stem))
      .size;
  const [first] = matches.toSorted((a, b) => countFrom(b.at) - countFrom(a.at) || a.at - b.at);
  return first === undefined ? undefined : excerpt(line, first.at);
}

/** A part of a line around a position, cut between words. */
function excerpt(line: string, at: number): string {
  if (line.length <= WIDTH) return line;
  const from = Math.max(0, Math.min(at - BEFORE, line.length - WIDTH));
  const begin = from === 0 ? 0 : Math.min(at, line.indexOf(" ", from) + 1 || at);
  const most = line.slice(begin, begin + WIDTH);
  const isEnd = begin + WIDTH >= line.length;
  const shown = isEnd ? most : most.slice(0, Math.max(most.lastIndexOf(" "), at - begin + 1));
  return `${begin === 0 ? "" : "…"}${shown}${isEnd ? "" : "…"}`;
}
