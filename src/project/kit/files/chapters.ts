/**
 * The chapters of shared-context.md: headings of the first or second level, in French or English. Text before the first
 * heading is a chapter, too.
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
  readonly heading: string;
  readonly topic: Topic;
  readonly lines: readonly Line[];
  readonly text: string;
  readonly sections: readonly Section[];
}

export type Row = Readonly<Record<string, string>>;

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

export function isUnfilled(line: string): boolean {
  if (!line.includes("{{")) return false;
  const rest = line.replaceAll(FIELD, "");
  return rest !== line && !/[\p{L}\p{N}]/u.test(rest.replace(LABEL, ""));
}

export const LABELLED = /^\s*(?:[-*+]\s+)?\*\*[^*]+\*\*/;

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

export function textsOf(chapters: readonly Chapter[]): Row {
  const texts = Map.groupBy(chapters, ({ heading }) => heading);
  return Object.fromEntries(
    texts.entries().map(([heading, own]) => [heading, own.map(({ text }) => text).join("\n\n")]),
  );
}

/**
 * The words of the kit's own headings and titles, without accents. A heading with nothing below it may be the whole
 * statement (`## We use Postgres`), or was never filled in (`## Conventions`).
 */
const WORDLESS = new Set(
  ("a adr adrs agent agents and api apprentissages architecture base board by cet change context contexte convention " +
    "connaitre conventions critical critiques custom d data database de decision decisions des donnees du entries entry equipe " +
    "echecs erreurs et export failure failures fields history important importantes in infrastructure inter into journal l la le " +
    "learned learnings lessons lire list log memoire memory micro minor musee museum museums notes of open partage pitfalls " +
    "points project projet records registre requests requetes s shared stack statistics statistiques stories team tech " +
    "technical technique technologies the to top vigilance watch").split(" "),
);

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
