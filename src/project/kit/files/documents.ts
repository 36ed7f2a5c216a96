/**
 * The chapters of shared-context.md: headings of the first or second level in French or English. Decisions in
 * decisions-log.md: headings, dated points and rows of tables; everything else is kept as notes.
 */
import {
  bodyOf,
  type Line,
  plainWords,
  POINT,
  pointsIn,
  type Section,
  sectionsOf,
  tablesIn,
} from "../../../base/markdown.ts";
import { newestFirst, takeDate } from "./records.ts";

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

function textFrom([first, ...below]: readonly Section[], isTold: (line: Line) => boolean = () => true) {
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

export function partsOf({ topic, sections: [, ...below] }: Chapter, fits: (heading: string) => boolean) {
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
 * Words of the kit's own headings, without accents. A heading with nothing below it may be the whole statement (`## We
 * use Postgres`), or was never filled in (`## Conventions`).
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

export function noteOf(
  { level, heading }: Pick<Section, "level" | "heading">,
  body: string,
  names: readonly string[] = [],
): string {
  const isTold = body === "" || level < 2 ? saysSomething(heading, names) : true;
  return [isTold ? heading : "", body].filter((part) => part !== "").join("\n");
}

export interface Decision {
  readonly date?: string;
  readonly title: string;
  readonly text: string;
  readonly isArchitectural: boolean;
  readonly source?: "memory";
}

interface Draft {
  readonly date?: string;
  readonly title: string;
  readonly level: number;
  readonly parts: string[];
}

export function readDecisions(text: string, names: readonly string[] = []) {
  const drafts: Draft[] = [];
  const notes: string[] = [];
  let open: Draft | undefined;
  const sections = sectionsOf(text);
  for (const [at, section] of sections.entries()) {
    const { level, heading } = section;
    const { date, rest } = takeDate(heading);
    if (level >= 1 && date !== undefined) {
      open = { date, title: rest, level, parts: [bodyOf(section.lines)] };
      drafts.push(open);
    } else if (open !== undefined && level > open.level) {
      open.parts.push(`${heading}\n${bodyOf(section.lines)}`);
    } else {
      const { items, others } = itemsIn(section);
      const body = bodyOf(others);
      // A title introduces the log; text beside dated items belongs to their chapter; other chapters hold more.
      const holdsMore = body === "" && (sections[at + 1]?.level ?? 0) > level;
      const isNote = level < 2 || items.length > 0 || holdsMore;
      const isDecision = !isNote && (body !== "" || saysSomething(heading));
      open = isDecision ? { title: heading, level, parts: [body] } : undefined;
      if (open !== undefined) drafts.push(open);
      else notes.push(noteOf(section, body, names));
      drafts.push(...items);
    }
  }
  const decisions = drafts.map(({ date, title, parts }): Decision => {
    const text = parts.filter((part) => part.trim() !== "").join("\n\n");
    return { ...(date && { date }), title, text, isArchitectural: /\[ARCH\]/i.test(`${title}\n${text}`) };
  });
  return {
    /** The latest first; of the same day, the later one in the file; undated ones last. */
    decisions: decisions.reverse().sort(newestFirst),
    notes: notes.filter((note) => note !== "").join("\n\n"),
  };
}

/** The points of lists that `headOf` takes, each with the lines that belong to it, and all other lines. */
export function splitPoints<T>(lines: readonly Line[], headOf: (point: string) => T | null | undefined) {
  const points: { readonly head: T; readonly lines: Line[] }[] = [];
  const others: Line[] = [];
  let isOpen = false;
  for (const line of lines) {
    const [, point] = line.isCode ? [] : POINT.exec(line.text) ?? [];
    const head = headOf(point ?? "") ?? undefined;
    // Indented lines, and those that follow at once, belong to the point.
    const goesOn: boolean = isOpen && line.text.trim() !== "" &&
      (point === undefined || /^\s/.test(line.text));
    if (head !== undefined) points.push({ head, lines: [] });
    else if (goesOn) points.at(-1)!.lines.push(line);
    else others.push(line);
    isOpen = head !== undefined || goesOn;
  }
  return { points, others };
}

function findDate(text: string) {
  const { date, rest } = takeDate(text);
  return date === undefined ? undefined : { date, rest };
}

function itemsIn({ lines }: Section): { readonly items: readonly Draft[]; readonly others: readonly Line[] } {
  const { points, others } = splitPoints(lines, findDate);
  const items = points.map(({ head: { date, rest }, lines }) => ({
    date,
    title: rest,
    level: 7,
    parts: lines.map(({ text }) => text.trim()),
  }));
  const rows = tablesIn(others).map((row) => Object.values(row));
  const dated = rows.flatMap((cells): readonly Draft[] => {
    const at = cells.findIndex((cell) => findDate(cell) !== undefined);
    if (at < 0) return [];
    const { date, rest } = findDate(cells[at]!)!;
    const told = [rest, ...cells.toSpliced(at, 1)].filter((cell) => cell !== "");
    return [{ date, title: told.join(" — "), level: 7, parts: [] }];
  });
  if (rows.length === 0 || dated.length < rows.length) return { items, others };
  return { items: [...items, ...dated], others: others.filter(({ text }) => !/^\s*\|/.test(text)) };
}
