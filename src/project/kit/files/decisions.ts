/**
 * The decisions in decisions-log.md: headings with or without a date, dated points and rows of tables. Everything else
 * is kept as notes.
 */
import { bodyOf, type Line, type Section, sectionsOf, tablesIn } from "../../../base/markdown.ts";
import { newestFirst, takeDate } from "./records.ts";
import { noteOf, saysSomething } from "./chapters.ts";

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
      // A title introduces the log; below a chapter of dated items, text belongs to the chapter; other chapters hold more.
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
    const isArchitectural = /\[ARCH\]/i.test(title) || /\[ARCH\]/i.test(text);
    return { ...(date === undefined ? {} : { date }), title, text, isArchitectural };
  });
  return {
    /** The latest first; of the same day, the later one in the file; undated ones last. */
    decisions: decisions.reverse().sort(newestFirst),
    notes: notes.filter((note) => note !== "").join("\n\n"),
  };
}

const POINT = /^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+(.*)$/s;

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
  const items = points.map(({ head: { date, rest }, lines }): Draft => {
    return { date, title: rest, level: 7, parts: lines.map(({ text }) => text.trim()) };
  });
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
