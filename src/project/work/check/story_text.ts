/**
 * The text of a story file as a check reads it: its boxes, criteria, listed files and statuses, each with its line.
 *
 * The board counts boxes; a check has to say which one is open, and which section it is in. People write these sections
 * as lists, numbered lists, tables and paragraphs, and in their own language.
 */
import { splitLines } from "../../../base/text.ts";
import { type Line, linesOf } from "../../../base/markdown.ts";
import { asText, type Values } from "../../../base/values.ts";
import { normalizeText, parseDocumentFront } from "../../../content/parse.ts";
import { type Role, roleOf } from "./roles.ts";

/** A box of a list or of a table. */
export interface Box {
  readonly line: number;
  readonly text: string;
  readonly isTicked: boolean;
  /** The heading above it; empty without one. */
  readonly heading: string;
  readonly role?: Role;
}

/** A line in a section that plays a part. */
export interface RoleLine {
  readonly line: number;
  readonly text: string;
  /** The words before it that group lines: `Deleted files`. */
  readonly label: string;
}

/** One file about a story. */
export interface StoryText {
  readonly path: string;
  readonly fields: Values;
  readonly boxes: readonly Box[];
  /** The lines of each role, without headings and blank lines. */
  readonly lines: ReadonlyMap<Role, readonly RoleLine[]>;
  /** The line of the first heading of each role. */
  readonly headings: ReadonlyMap<Role, number>;
  /** Its sections, by their headings in lower case: the line of each, and whether anything is written there. */
  readonly sections: ReadonlyMap<string, { readonly line: number; readonly isFilled: boolean }>;
  /** What it says of its own state, in front matter and text. */
  readonly statuses: readonly { readonly word: string; readonly line: number }[];
}

const HEADING = /^(#{1,6})\s+(\S.*)$/;
/** `**Acceptance Criteria:**` alone on its line. */
const LABEL = /^\s{0,3}(?:[-*+]\s+)?(?:\*\*|__)([^*_]{1,80})(?:\*\*|__):?$/;
const BOX = /^\s*(?:>\s?)?(?:[-*+]|\d{1,4}[.)])\s+\[([ xX])\](?:\s(.*))?$/;
const CELL = /^(?:\[([ xX])\]|([☐☑✅]))$/u;
const STATUS = /^\s{0,3}(?:[-*+]\s+)?(?:\*\*|__)?status(?:\*\*|__)?\s*:(?:\*\*|__)?\s+(\S.*)$/i;
/** More than any story has. */
const MAX_BOXES = 5_000;
const MAX_LINES = 5_000;

/** Reads a file about a story. */
export function readStoryText(path: string, text: string): StoryText {
  const clean = normalizeText(text);
  const { value: fields } = parseDocumentFront(clean);
  const all = linesOf(clean);
  const end = endOfFrontMatter(clean);
  const body = end === 0 ? all : all.filter(({ number }) => number > end);
  const boxes: Box[] = [];
  const lines = new Map<Role, RoleLine[]>();
  const headings = new Map<Role, number>();
  const sections = new Map<string, { readonly line: number; isFilled: boolean }>();
  let section: { isFilled: boolean } | undefined;
  /** The open headings, outermost first: a section has the role of the one around it, unless it has its own. */
  let open: { readonly level: number; readonly heading: string; readonly role?: Role }[] = [];
  let label: { readonly text: string; readonly role?: Role } | undefined;
  const statuses: { word: string; line: number }[] = [];
  const word = asText(fields["status"]);
  if (word !== undefined) statuses.push({ word, line: lineOfStatus(all, end) });
  for (const line of body) {
    if (line.isCode || line.text.trim() === "") continue;
    const [, signs, heading] = line.text.startsWith("#") ? HEADING.exec(line.text) ?? [] : [];
    if (signs !== undefined) {
      const level = signs.length;
      open = open.filter((one) => one.level < level);
      const own = level === 1 ? undefined : roleOf(heading!);
      const role = own ?? open.at(-1)?.role;
      open.push({ level, heading: heading!, role });
      label = undefined;
      if (own !== undefined) headings.getOrInsert(own, line.number);
      if (level === 2) {
        section = sections.getOrInsert(heading!.trim().toLowerCase(), { line: line.number, isFilled: false });
      }
      // A criterion may be a heading of its own.
      if (role !== undefined && own === undefined) addLine(lines, role, line, heading!, "");
      continue;
    }
    if (section !== undefined && isWritten(line.text)) section.isFilled = true;
    const [, labelled] = line.text.length < 200 ? LABEL.exec(line.text) ?? [] : [];
    if (labelled !== undefined) {
      const role = roleOf(labelled);
      label = { text: labelled, role };
      if (role !== undefined) headings.getOrInsert(role, line.number);
      continue;
    }
    const { heading: at = "", role: around } = open.at(-1) ?? {};
    const role = label?.role ?? around;
    if (role !== undefined) addLine(lines, role, line, line.text, label?.text ?? at);
    for (const box of boxesOf(line)) {
      if (boxes.length < MAX_BOXES) boxes.push({ ...box, heading: label?.text ?? at, role });
    }
    const own = role === "status" ? line.text : sections.size === 0 ? STATUS.exec(line.text)?.[1] : undefined;
    if (own !== undefined && statuses.length < 3) {
      statuses.push({ word: own.replaceAll(/[*_`]/g, "").trim(), line: line.number });
    }
  }
  return { path, fields, boxes, lines, headings, sections, statuses };
}

/** What a template has where something is to be written: a sign, a variable, a label, a word such as "TBD". */
const PLACEHOLDER =
  /^\W*(?:add acceptance criteria|tbd\b|todo\b|n\/a\b|none\b)|\{\{|\bPRECONDITION\b|^[\s\d.*()[\]|:-]*(?:…|\.\.\.)?$/i;

/** Whether a person or an agent wrote a line, and not the template. */
export function isWritten(line: string): boolean {
  return !PLACEHOLDER.test(line.slice(0, 2_000).replace(/^\s*(?:[-*+]|\d{1,4}[.):])\s*/, ""));
}

function addLine(lines: Map<Role, RoleLine[]>, role: Role, { number }: Line, text: string, label: string) {
  const own = lines.getOrInsertComputed(role, () => []);
  if (own.length < MAX_LINES) own.push({ line: number, text: text.trim().slice(0, 2_000), label });
}

/** The boxes of a line: one of a list, or those of a table's row. */
function boxesOf({ text, number }: Line): readonly Pick<Box, "line" | "text" | "isTicked">[] {
  if (text.trimStart().startsWith("|")) {
    const cells = cellsIn(text);
    const about = cells.filter((one) => !CELL.test(one)).join(" ");
    return cells.flatMap((cell) => {
      const [, sign, picture] = CELL.exec(cell) ?? [];
      if (sign === undefined && picture === undefined) return [];
      return [{ line: number, text: about, isTicked: sign === undefined ? picture !== "☐" : sign !== " " }];
    });
  }
  const [whole, sign, about = ""] = text.includes("[") ? BOX.exec(text) ?? [] : [];
  return whole === undefined ? [] : [{ line: number, text: about, isTicked: sign !== " " }];
}

/** The cells of a table's row. */
export function cellsIn(text: string): readonly string[] {
  return text.trim().slice(0, 10_000).replace(/^\|/, "").replace(/\|$/, "").split("|").map((cell) =>
    cell.trim()
  );
}

/** The number of the last line of the front matter; 0 without any. */
function endOfFrontMatter(text: string): number {
  if (!text.startsWith("---\n")) return 0;
  const close = text.indexOf("\n---", 3);
  return close < 0 ? 0 : splitLines(text.slice(0, close + 1)).length;
}

function lineOfStatus(lines: readonly Line[], end: number): number {
  return lines.find(({ text, number }) => number < end && /^["']?status["']?\s*:/.test(text))?.number ?? 1;
}
