/** What a story asks its project's documents for: ids, references, and weighted terms. */
import { splitLines } from "../../../base/text.ts";
import { slug } from "../../../base/values.ts";
import { linesOf } from "../../../base/markdown.ts";
import { isFiller, type Language, languageOf, wordsOf } from "../../../base/language/mod.ts";
import { normalizeText } from "../../../content/parse.ts";
import { LIMITS } from "../../limits.ts";
import type { StoryMatch } from "../board/mod.ts";
import { countTerms, idsIn } from "./pieces.ts";

export interface Reference {
  /** As written; documents are compared from their end. */
  readonly path: string;
  /** The heading as a slug; undefined for the whole document. */
  readonly anchor?: string;
}

export interface Query {
  readonly ids: ReadonlySet<string>;
  readonly references: readonly Reference[];
  readonly terms: ReadonlyMap<string, number>;
  readonly summary: string;
  /** The embedder knows English only. */
  readonly isEnglish: boolean;
  readonly language: Language;
}

/** `[Source: docs/architecture.md#Data Model]`, `prd.md#users`. */
const REFERENCE = /([\w./-]{1,200}\.md)(?:#([^\]\)\n,;"`|]{1,120}))?/g;
/** From here on, a story file records what was done. */
const RECORD =
  /^#{1,6}\s+(?:dev agent record|change log|qa results|senior developer|review|file list|debug log)/i;

export function queryOf({ story, epic }: StoryMatch, text: string): Query {
  const lines = linesOf(normalizeText(text.slice(0, LIMITS.context.storyText)));
  const end = lines.findIndex(({ text, isCode }) => !isCode && RECORD.test(text));
  const body = (end < 0 ? lines : lines.slice(0, end)).map((line) => line.text).join("\n");
  const language = languageOf([story.title, ...story.criteria, body].join("\n"));
  const terms = countTerms(story.title, language, 3);
  for (const criterion of story.criteria) countTerms(criterion, language, 2, terms);
  countTerms(body.replaceAll(REFERENCE, " "), language, 1, terms);
  countTerms(epic.title, language, 0.5, terms);
  // The tenth occurrence of a word adds little.
  const weights = new Map(Array.from(terms, ([term, count]) => [term, Math.min(3, Math.sqrt(count))]));
  const lead = splitLines(body).map((line) => line.trim())
    .filter((line) => line.length > 20 && !/^(?:#|status\s*:|\||---)/i.test(line))
    .map((line) => line.replace(/^as an? [^,]{1,60}, i want(?: to)? /i, "")).join(" ");
  const summary = `${story.title}. ${lead || story.criteria.join(" ")}`.slice(0, LIMITS.context.summary);
  return {
    ids: new Set([...story.covers, ...idsIn(splitLines(body), [])]),
    references: referencesIn(body),
    terms: weights,
    summary,
    isEnglish: isEnglish(summary),
    language,
  };
}

/** About a third of English words are fillers; few words of other languages look like them. */
function isEnglish(text: string): boolean {
  const words = wordsOf(text);
  return words.filter((word) => isFiller(word, "en")).length >= 0.15 * words.length;
}

function referencesIn(text: string): readonly Reference[] {
  return text.matchAll(REFERENCE).take(LIMITS.context.references).map(([, path, anchor]) => ({
    path: path!.replace(/^(?:\.{0,2}\/)+/, ""),
    ...(anchor && { anchor: slug(anchor.replaceAll("%20", " ")) }),
  })).toArray();
}
