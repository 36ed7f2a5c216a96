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
} from "../../../base/markdown.ts";
import { saysSomething } from "./headings.ts";

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
  /** What is below its own heading, and below each heading in it, without fields that a template left open. */
  readonly sections: readonly Section[];
}

export type Row = Readonly<Record<string, string>>;

/** The chapters that say something. */
export function chaptersOf(text: string): readonly Chapter[] {
  const chapters: Section[][] = [];
  for (const section of sectionsOf(text)) {
    if (section.level <= 2) chapters.push([section]);
    else chapters.at(-1)!.push(section);
  }
  return chapters.map(chapterOf).filter(({ heading, text }) => text !== "" || saysSomething(heading));
}

function chapterOf(written: readonly Section[]): Chapter {
  const sections = written.map((section) => ({
    ...section,
    lines: section.lines.filter(({ text }) => !isUnfilled(text)),
  }));
  const { heading } = sections[0]!;
  const words = plainWords(heading);
  return {
    heading,
    topic: (Object.keys(TOPICS) as Topic[]).find((topic) => TOPICS[topic].test(words))!,
    lines: sections.flatMap(({ lines }) => lines),
    text: textFrom(sections),
    sections,
  };
}

/** The lines of a chapter below the headings in it. */
function textFrom(
  [first, ...below]: readonly Section[],
  isTold: (line: Line) => boolean = () => true,
): string {
  const bodyIn = ({ lines }: Section) => bodyOf(lines.filter(isTold));
  const parts = below.map((section) =>
    `${"#".repeat(section.level)} ${section.heading}\n${bodyIn(section)}`.trim()
  );
  return [bodyIn(first!), ...parts].filter((part) => part !== "").join("\n\n");
}

const FIELD = /\{\{\w+\}\}/g;
/** What precedes a field: `- **Licence** :`, `| Cache |`. */
const LABEL = /^(?:\s*\|[^|]*\||[^:：{|]*[:：]|\s*)/;

/** Whether a line holds a field that its template left open, and nothing else. */
export function isUnfilled(line: string): boolean {
  if (!line.includes("{{")) return false;
  const rest = line.replaceAll(FIELD, "");
  return rest !== line && !/[\p{L}\p{N}]/u.test(rest.replace(LABEL, ""));
}

/** A line such as `- **Name** : Herbier`. */
export const LABELLED = /^\s*(?:[-*+]\s+)?\*\*[^*]+\*\*/;

/** What a chapter says besides the facts about the project, or the table of agents, that are shown with others. */
export function withoutFacts(chapter: Chapter, isAgent: (row: Row) => boolean): Chapter {
  const { topic, lines, sections } = chapter;
  const rest = (isFact: (text: string) => boolean): Chapter => ({
    ...chapter,
    text: textFrom(sections, ({ text, isCode }) => isCode || !isFact(text)),
  });
  if (topic === "project") return rest((text) => LABELLED.test(text));
  const rows = topic === "agents" ? tablesIn(lines) : [];
  return rows.length > 0 && rows.every(isAgent) ? rest((text) => /^\s*\|/.test(text)) : chapter;
}

/** The parts of a chapter whose own heading fits, as chapters. */
export function partsOf(
  { topic, sections: [, ...below] }: Chapter,
  fits: (heading: string) => boolean,
): readonly Chapter[] {
  return below.flatMap((section, at) => {
    if (!fits(section.heading)) return [];
    let end = at + 1;
    while (end < below.length && below[end]!.level > section.level) end++;
    const sections = below.slice(at, end);
    const lines = sections.flatMap((one) => one.lines);
    return [{ heading: section.heading, topic, lines, text: textFrom(sections), sections }];
  });
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
