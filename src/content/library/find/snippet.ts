/**
 * The place in a text where the words of a search stand, as one short line.
 */
import { languageOf, stemOf, wordsOf } from "../../../base/terms.ts";

/** Characters that are shown: enough for a sentence, too few for a paragraph. */
const WIDTH = 120;
/** How much of them comes before the first of the words. */
const BEFORE = 30;

/** Where most of the words stand closest together; undefined when none does. */
export function snippetOf(text: string, stems: ReadonlySet<string>): string | undefined {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const language = languageOf(wordsOf(line));
  const places = [...line.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].flatMap((match) => {
    const found = wordsOf(match[0]).map((word) => stemOf(word, language)).find((stem) => stems.has(stem));
    return found === undefined ? [] : [{ at: match.index, stem: found }];
  });
  const richness = (from: number) =>
    new Set(places.filter(({ at }) => at >= from && at < from + WIDTH - BEFORE).map(({ stem }) => stem)).size;
  const [first] = places.toSorted((a, b) => richness(b.at) - richness(a.at) || a.at - b.at);
  return first === undefined ? undefined : excerpt(line, first.at);
}

/** A piece of a line around a place, cut between words. */
function excerpt(line: string, at: number): string {
  if (line.length <= WIDTH) return line;
  const from = Math.max(0, Math.min(at - BEFORE, line.length - WIDTH));
  const begin = from === 0 ? 0 : Math.min(at, line.indexOf(" ", from) + 1 || at);
  const most = line.slice(begin, begin + WIDTH);
  const isEnd = begin + WIDTH >= line.length;
  const shown = isEnd ? most : most.slice(0, Math.max(most.lastIndexOf(" "), at - begin + 1));
  return `${begin === 0 ? "" : "…"}${shown}${isEnd ? "" : "…"}`;
}
