/**
 * The chapters of shared-context.md, each with all that is written in it.
 *
 * A chapter is a heading of the first or second level with everything below it; text before the first heading, or below
 * the title, is a chapter, too. Nothing is left out but comments and the fields that a template left open. Headings of
 * the kit are recognised in French and English; any other heading is a chapter of its own.
 */
import {
  bodyOf,
  type Line,
  plainWords,
  pointsIn,
  type Section,
  sectionsOf,
  tablesIn,
} from "../../base/markdown.ts";

/** How headings begin, in French and English, by topic. */
const TOPICS = {
  project: /^(?:projet|project)\b/,
  stack: /^(?:stack|tech|infrastructure)/,
  requests: /^(?:requetes|inter agent)/,
  agents: /^(?:equipe|agents|team)\b/,
  decisions: /^(?:decisions?|adrs?)\b/,
  architecture: /^(?:architecture|api|base de donnees|database)\b/,
  conventions: /^conventions?\b/,
  watchPoints: /^(?:points? (?:de vigilance|of attention|to watch)|watch points|pitfalls)/,
  others: /^/,
};
export type Topic = keyof typeof TOPICS;

export interface Chapter {
  /** Empty for a text before the first heading. */
  readonly heading: string;
  readonly topic: Topic;
  readonly lines: readonly Line[];
  /** All of it, with the headings below its own. */
  readonly text: string;
}

export type Row = Readonly<Record<string, string>>;

/** The chapters that say something. */
export function chaptersOf(text: string): readonly Chapter[] {
  const chapters: Section[][] = [];
  for (const section of sectionsOf(text)) {
    if (section.level <= 2) chapters.push([section]);
    else chapters.at(-1)!.push(section);
  }
  return chapters.map(chapterOf).filter(({ text }) => text !== "");
}

function chapterOf([first, ...below]: readonly Section[]): Chapter {
  const { heading, lines } = first!;
  const words = plainWords(heading);
  const filled = (lines: readonly Line[]) => lines.filter(({ text }) => !isUnfilled(text));
  const parts = [
    bodyOf(filled(lines)),
    ...below.map((section) => `${section.heading}\n${bodyOf(filled(section.lines))}`.trim()),
  ];
  return {
    heading,
    topic: (Object.keys(TOPICS) as Topic[]).find((topic) => TOPICS[topic].test(words))!,
    lines: filled([...lines, ...below.flatMap((section) => section.lines)]),
    text: parts.filter((part) => part !== "").join("\n\n"),
  };
}

const FIELD = /\{\{\w+\}\}/g;
/** What stands before a field: `- **Licence** :`, `| Cache |`. */
const LABEL = /^\s*(?:\|[^|]*\||(?:[-*+]\s+)?[^:：{|]*[:：])?/;

/** Whether a line holds a field that its template left open, and nothing else. */
export function isUnfilled(line: string): boolean {
  if (!line.includes("{{")) return false;
  const rest = line.replaceAll(FIELD, "");
  return rest !== line && !/[\p{L}\p{N}]/u.test(rest.replace(LABEL, ""));
}

const LABELLED = /^\s*(?:[-*+]\s+)?\*\*[^*]+\*\*/;

/** What a chapter says besides the facts about the project, or the table of agents, that are shown with others. */
export function withoutFacts(chapter: Chapter): Chapter {
  const { topic, lines } = chapter;
  if (topic === "project") {
    return { ...chapter, text: bodyOf(lines.filter(({ text, isCode }) => isCode || !LABELLED.test(text))) };
  }
  const isTable = topic === "agents" && lines.some(({ text }) => /^\s*\|/.test(text));
  return isTable ? { ...chapter, text: bodyOf(lines.filter(({ text }) => !/^\s*\|/.test(text))) } : chapter;
}

export function pointsOf(chapters: readonly Chapter[]): readonly string[] {
  return chapters.flatMap(({ lines }) => pointsIn(lines));
}

export function rowsOf(chapters: readonly Chapter[]): readonly Row[] {
  return chapters.flatMap(({ lines }) => tablesIn(lines));
}

/** The texts by heading; those of one heading together. */
export function textsOf(chapters: readonly Chapter[]): Row {
  const texts = Map.groupBy(chapters, ({ heading }) => heading);
  return Object.fromEntries(
    texts.entries().map(([heading, own]) => [heading, own.map(({ text }) => text).join("\n\n")]),
  );
}
