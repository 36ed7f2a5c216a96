/**
 * The lines of a document that is changed by single lines: ends, byte order mark and all other lines stay.
 */
import { type Heading, type Line, splitLines } from "../formats/mod.ts";

/** Where a section ends: after its last line that is not blank. */
export function endOfSection(lines: readonly Line[], outline: readonly Heading[], own: Heading): number {
  const next = outline.find(({ line, level }) => line > own.line && level <= own.level);
  return lastFilled(lines, next === undefined ? lines.length : next.line - 1);
}

/** How many lines are left of so many without the blank ones at their end. */
export function lastFilled(lines: readonly Line[], end: number): number {
  let at = end;
  while (at > 0 && lines[at - 1]!.text.trim() === "") at--;
  return at;
}

/** Adds lines below as many as `at` says. */
export function insert(lines: Line[], at: number, texts: readonly string[], end: string): void {
  const last = lines[at - 1];
  if (last !== undefined && last.end === "") last.end = end;
  lines.splice(at, 0, ...texts.map((text) => ({ text, end })));
}

const MARK = "\uFEFF";

/** The lines of a text, without its byte order mark. */
export function linesIn(text: string): Line[] {
  return splitLines(text.startsWith(MARK) ? text.slice(1) : text);
}

/** The text of lines that were changed, with the mark that it had before. */
export function joined(before: string, lines: readonly Line[]): string {
  return `${before.startsWith(MARK) ? MARK : ""}${lines.map(({ text, end }) => text + end).join("")}`;
}

/** How new lines end. */
export function endOf(lines: readonly Line[]): string {
  return lines[0]?.end || "\n";
}
