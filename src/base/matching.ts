/** Judges short-lived texts one by one: every word must be found. `ranking.ts` ranks a whole collection. */
import { splitLines } from "./text.ts";
import { isFiller, languageOf, stemOf, withoutAccents, wordsOf } from "./language/mod.ts";

export interface Field {
  readonly text: string;
  readonly weight: number;
  /** In a long text, a letter or a small number says nothing. */
  readonly isLong?: true;
}

export type Matcher = NonNullable<ReturnType<typeof openMatcher>>;

const MAX_REQUEST = 1_000;
const MAX_TERMS = 16;
const PHRASE = 2;
export const EXCERPT = 120;
export const BEFORE = 30;

export function openMatcher(request: string) {
  const words = [...new Set(wordsOf(request.slice(0, MAX_REQUEST)))];
  if (words.length === 0) return undefined;
  const language = languageOf(request.slice(0, MAX_REQUEST), words);
  const telling = words.filter((word) => !isFiller(word, language));
  const terms = (telling.length === 0 ? words : telling).slice(0, MAX_TERMS)
    .map((word) => ({ pattern: patternOf(word, stemOf(word, language)), isSmall: word.length < 3 }));
  const phrase = wordsOf(request.slice(0, MAX_REQUEST)).join(" ");
  return {
    /** 0 unless the fields have all of the words. The first field is the title. */
    score: (fields: readonly Field[]): number => {
      const folded = fields.map((field) => ({ ...field, text: foldCase(field.text) }));
      let score = 0;
      for (const { pattern, isSmall } of terms) {
        const best = Math.max(
          0,
          ...folded.filter(({ text, isLong }) => !(isSmall && isLong) && pattern.test(text))
            .map(({ weight }) => weight),
        );
        if (best === 0) return 0;
        score += best;
      }
      const title = wordsOf(fields[0]?.text.slice(0, MAX_REQUEST) ?? "").join(" ");
      return ` ${title} `.includes(` ${phrase} `) ? PHRASE * score : score;
    },
    excerpt: (text: string): string | undefined => {
      let best: { readonly line: string; readonly at: number; readonly count: number } | undefined;
      for (const raw of splitLines(text)) {
        const line = withoutMarks(raw);
        const folded = foldCase(line);
        const found = terms.map(({ pattern }) => pattern.exec(folded)?.index ?? -1).filter((at) => at >= 0);
        if (found.length > (best?.count ?? 0)) best = { line, at: Math.min(...found), count: found.length };
        if (found.length === terms.length) break;
      }
      // Folding may change the length of a line, which only moves the excerpt.
      return best && excerptAt(best.line, Math.min(best.at, best.line.length));
    },
  };
}

function withoutMarks(line: string): string {
  return line.replace(/^[\s>]*(?:#{1,6}\s+|(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)?/, "")
    .replaceAll(/\*\*|__|`|\|/g, " ").replaceAll(/\s+/g, " ").trim();
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function patternOf(word: string, stem: string): RegExp {
  const forms = [...new Set([word, stem])].filter(Boolean).join("|");
  if (UNSPACED.test(word)) return new RegExp(forms, "u");
  const end = word.length < 3 ? "(?![\\p{L}\\p{N}])" : "";
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${forms})${end}`, "u");
}

function foldCase(text: string): string {
  return (/^[\0-\x7f]*$/.test(text) ? text : withoutAccents(text)).toLowerCase();
}

export function excerptAt(line: string, at: number): string {
  if (line.length <= EXCERPT) return line;
  const from = Math.max(0, Math.min(at - BEFORE, line.length - EXCERPT));
  const begin = from === 0 ? 0 : Math.min(at, line.indexOf(" ", from) + 1 || at);
  const isEnd = begin + EXCERPT >= line.length;
  const most = line.slice(begin, begin + EXCERPT);
  const shown = isEnd ? most : most.slice(0, Math.max(most.lastIndexOf(" "), at - begin + 1));
  return `${begin === 0 ? "" : "…"}${shown}${isEnd ? "" : "…"}`;
}
