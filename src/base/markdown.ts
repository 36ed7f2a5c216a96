/** Markdown as the project-memory kit writes it. Comments are removed, and a heading in a code fence is an example. */
import { splitLines } from "./text.ts";

export interface Line {
  readonly text: string;
  readonly number: number;
  readonly isCode: boolean;
}

export interface Section {
  readonly level: number;
  readonly heading: string;
  readonly lines: readonly Line[];
}

const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;
const MAX_COLUMNS = 100;
const MAX_CELLS = 1_000_000;
export const POINT = /^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+(.*)$/s;
/** With another backtick in its line, it is code within a sentence. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

const SPECIAL = /<!--|```|~~~/;

export function isPlain(text: string): boolean {
  return !SPECIAL.test(text);
}

/** The first `above` lines are skipped, with what begins in them. */
export function linesOf(text: string, above = 0): readonly Line[] {
  const all = splitLines(text);
  if (isPlain(text)) {
    return all.map((raw, at) => ({ text: raw.trimEnd(), number: at + 1, isCode: false })).slice(above);
  }
  const lastEnd = all.findLastIndex((line) => line.includes("-->"));
  const lines: Line[] = [];
  let isComment = false;
  let fence: string | undefined;
  for (const [at, raw] of all.entries()) {
    const number = at + 1;
    if (number <= above) continue;
    if (fence === undefined && !isComment && !SPECIAL.test(raw)) {
      lines.push({ text: raw.trimEnd(), number, isCode: false });
    } else if (fence === undefined) {
      const { rest, isOpen } = withoutComments(raw, isComment, at < lastEnd);
      const wasComment = isComment;
      isComment = isOpen;
      // A line that is nothing but comment does not count.
      if (rest.trim() === "" && raw.trim() !== "") continue;
      fence = wasComment ? undefined : FENCE.exec(rest)?.[1];
      lines.push({ text: rest.trimEnd(), number, isCode: fence !== undefined });
    } else {
      lines.push({ text: raw, number, isCode: true });
      const end = FENCE.exec(raw)?.[1];
      const isEnd = end?.[0] === fence[0] && end!.length >= fence.length && raw.trim() === end;
      if (isEnd) fence = undefined;
    }
  }
  return lines;
}

/** A sign for a comment is text in a code span, and within a line if no comment ends below. */
function withoutComments(line: string, isInside: boolean, endsBelow: boolean) {
  let rest = "";
  let isOpen = isInside;
  const spans = codeSpansIn(line);
  for (let at = 0; at < line.length;) {
    const sign = isOpen ? "-->" : "<!--";
    const found = isOpen ? line.indexOf(sign, at) : signOutside(line, at, spans);
    const goesOn = !isOpen && found >= 0 && !line.includes("-->", found);
    if (goesOn && !endsBelow && line.slice(0, found).trim() !== "") {
      rest += line.slice(at);
      break;
    }
    if (!isOpen) rest += line.slice(at, found < 0 ? undefined : found);
    if (found < 0) break;
    isOpen = !isOpen;
    at = found + sign.length;
  }
  return { rest, isOpen };
}

/** -1 if no comment begins outside code spans. Spans before it are popped. */
function signOutside(line: string, from: number, spans: [start: number, end: number][]): number {
  let found = line.indexOf("<!--", from);
  while (found >= 0) {
    while (spans.length > 0 && (spans.at(-1)![1] <= found || spans.at(-1)![0] < from)) spans.pop();
    const [start, end] = spans.at(-1) ?? [Infinity, Infinity];
    if (found < start) return found;
    found = line.indexOf("<!--", end);
  }
  return found;
}

function codeSpansIn(line: string): [start: number, end: number][] {
  const runs = Array.from(line.matchAll(/`+/g), ({ 0: { length }, index }) => ({ index, length }));
  const last = new Map(runs.map(({ length }, at) => [length, at]));
  const spans: [number, number][] = [];
  for (let at = 0; at < runs.length; at++) {
    const { index, length } = runs[at]!;
    if (last.get(length) === at) continue;
    do at++; while (runs[at]!.length !== length);
    spans.push([index, runs[at]!.index + length]);
  }
  return spans.reverse();
}

export function sectionsOf(text: string): readonly Section[] {
  const sections: (Section & { lines: Line[] })[] = [{ level: 0, heading: "", lines: [] }];
  for (const line of linesOf(text)) {
    const own = sections.at(-1)!.lines;
    const [, signs, heading] = line.isCode ? [] : /^ {0,3}(#{1,6})\s+(.*)$/s.exec(line.text) ?? [];
    if (signs !== undefined) {
      sections.push({ level: signs.length, heading: heading!.replace(/ #+$/, ""), lines: [] });
    } else if (isUnderline(line, own)) {
      sections.push({ level: line.text.includes("=") ? 1 : 2, heading: own.pop()!.text.trim(), lines: [] });
    } else own.push(line);
  }
  return sections;
}

const UNDERLINE = /^ {0,3}(?:={2,}|-{3,})\s*$/;
const NO_HEADING = /^(?:\s*$|\s*[|>+*-]|\s*\d{1,9}[.)]\s| {4}|\t)/;
const LONGEST_HEADING = 200;

/** A paragraph of several lines is not a heading but stands above a rule. */
function isUnderline(line: Line, before: readonly Line[]): boolean {
  if (line.isCode || !UNDERLINE.test(line.text)) return false;
  const heading = before.at(-1), above = before.at(-2);
  return heading !== undefined && !heading.isCode && heading.text.length <= LONGEST_HEADING &&
    !NO_HEADING.test(heading.text) && (above === undefined || above.isCode || above.text.trim() === "");
}

export function bodyOf(lines: readonly Line[]): string {
  return lines.filter(({ text, isCode }) => isCode || !RULE.test(text))
    .map(({ text }) => text).join("\n").replaceAll(/\n{3,}/g, "\n\n").trim();
}

export function tablesIn(lines: readonly Line[]): readonly Readonly<Record<string, string>>[] {
  const rows: Record<string, string>[] = [];
  let header: readonly string[] | undefined;
  for (const { text, isCode } of lines) {
    if (isCode || !/^\s*\|/.test(text)) {
      header = undefined;
      continue;
    }
    const cells = cellsOf(text);
    if (cells.every((cell) => /^:?-+:?$/.test(cell))) continue;
    if (header === undefined) header = cells.slice(0, MAX_COLUMNS);
    else if (rows.length * header.length < MAX_CELLS && !cells.every((cell) => cell === "")) {
      rows.push(Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ""])));
    }
  }
  return rows;
}

function cellsOf(line: string): readonly string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

export function pointsIn(lines: readonly Line[]): readonly string[] {
  const points: string[] = [];
  let isOpen = false;
  for (const { text, isCode } of lines) {
    const [, point] = isCode ? [] : POINT.exec(text) ?? [];
    const goesOn: boolean = isOpen && /^\s{2,}\S/.test(text);
    if (point !== undefined) points.push(point);
    else if (goesOn) points.push(`${points.pop()}\n${text.trim()}`);
    isOpen = point !== undefined || goesOn;
  }
  return points.map((point) => point.trim()).filter((point) => point !== "");
}

export function blocksIn(lines: readonly Line[]): readonly string[] {
  const blocks: string[] = [];
  let open: "point" | "text" | undefined;
  for (const [at, { text, isCode }] of lines.entries()) {
    const [, point] = isCode ? [] : POINT.exec(text) ?? [];
    const isRow = !isCode && /^\s*\|/.test(text);
    if (isRow) {
      const next = lines[at + 1]?.text ?? "";
      const isHead = next.includes("-") && /^[\s|:-]+$/.test(next);
      const cells = cellsOf(text).filter((cell) => !/^:?-*:?$/.test(cell));
      if (!isHead && cells.length > 0) blocks.push(cells.join(" — "));
      open = undefined;
    } else if (point !== undefined) {
      blocks.push(point);
      open = "point";
    } else if (!isCode && (text.trim() === "" || RULE.test(text))) {
      if (open === "text" || !/^\s{2,}\S/.test(lines[at + 1]?.text ?? "")) open = undefined;
    } else if (open === undefined) {
      blocks.push(text.trim());
      open = "text";
    } else blocks.push(`${blocks.pop()}\n${isCode ? text : text.trim()}`);
  }
  return blocks.map((block) => block.trim()).filter((block) => block !== "");
}

export function labelsIn(lines: readonly Line[]): readonly (readonly [label: string, value: string])[] {
  const found: [string, string][] = [];
  for (const { text, isCode } of lines) {
    const [, label, value] = isCode ? [] : /^\s*(?:[-*+]\s+)?\*\*([^*]+)\*\*\s*:?\s*(.*)$/s.exec(text) ?? [];
    const last = found.at(-1);
    if (label !== undefined) found.push([label.replace(/:$/, "").trim(), value!]);
    else if (last !== undefined && text.trim() !== "" && !RULE.test(text)) last[1] += `\n${text}`;
  }
  return found.map(([label, value]) => [label, value.trim()]);
}

export function plainWords(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}+/gu, "").toLowerCase().match(/[\p{L}\p{N}]+/gu)?.join(
    " ",
  ) ?? "";
}
