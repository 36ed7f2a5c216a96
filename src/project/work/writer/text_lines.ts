/**
 * The lines of a document that is changed by single lines: ends, byte order mark and all other lines stay.
 */
import { type Heading, type Line, readDocument, splitLines } from "../formats/mod.ts";

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

/** How an item of a list begins. */
export const BULLET = /^\s*(?:[-*+]|\d{1,4}[.)])\s+/;

/** Where the item of a list ends that begins on a line: below all that is indented deeper, and what goes on with it. */
export function endOfItem(lines: readonly Line[], line: number): number {
  const indentOf = (text: string) => text.length - text.trimStart().length;
  const own = indentOf(lines[line - 1]!.text);
  const isDeeper = (text: string) => text.trim() !== "" && indentOf(text) > own;
  let end = line;
  for (let at = line; at < lines.length; at++) {
    const { text } = lines[at]!;
    if (text.trim() === "") continue;
    const goesOn = at === end && !BULLET.test(text) && !/^\s{0,3}(?:#{1,6}\s|\||>|```|~~~|<!--)/.test(text);
    if (!isDeeper(text) && !goesOn) break;
    end = at + 1;
  }
  return end;
}

/** What a document says of its story besides its reviews, wherever it says so. */
export function factsOf(path: string, text: string): readonly unknown[] {
  const { status, owner, after, covers, criteria, boxes } = readDocument(path, text);
  return [status?.word, owner, after, covers, criteria, boxes.ticked, boxes.total];
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
