/** Loaded for terminals alone, with the width of every character. */
import { eastAsianWidth } from "get-east-asian-width";
import { oneLine } from "../../base/text.ts";
import type { Host } from "../../process/host.ts";
import type { Meaning, Painter } from "./style.ts";
import { charactersOf, wrap } from "./wrap.ts";

/** In columns: what readers see as one character may be several code points and take none, one or two. */
export function widthOf(text: string): number {
  return charactersOf(text).reduce((sum, character) => sum + columnsOf(character), 0);
}

export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let room = columns - 1;
  for (const character of charactersOf(text)) {
    room -= columnsOf(character);
    if (room < 0) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

export function padTo(text: string, columns: number, side: "left" | "right"): string {
  const spaces = " ".repeat(Math.max(0, columns - widthOf(text)));
  return side === "left" ? text + spaces : spaces + text;
}

function columnsOf(character: string): number {
  if (character.startsWith("\x1b") || INVISIBLE.test(character)) return 0;
  return EMOJI.test(character) ? 2 : eastAsianWidth(character.codePointAt(0)!);
}

const EMOJI = /^\p{RGI_Emoji}$/v;
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Mark}]+$/v;

export interface Column<T> {
  readonly heading: string;
  cell(row: T): string;
  readonly side?: "right";
  readonly isOptional?: boolean;
  readonly isWhole?: boolean;
  readonly isWrapped?: boolean;
  /** The width below which optional columns before it are left out. */
  readonly least?: number;
  meaning?(row: T): Meaning | undefined;
}

interface Drawing {
  readonly columns: number;
  readonly paint: Painter;
}

interface SizedColumn<T> extends Column<T> {
  readonly cells: readonly string[];
  readonly width: number;
}

const GAP = "  ";
const NARROW = 60;

const WIDE = 100;

const minWidth = <T>(screen: number, { isWrapped, least }: Partial<Column<T>> = {}) =>
  least ?? (isWrapped ? 24 : screen < NARROW ? 16 : screen < WIDE ? 24 : 40);

const BELOW = 2;

export function renderTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  drawing: Drawing,
): readonly string[] {
  const { columns: screen, paint } = drawing;
  const sized = columns.map((column): SizedColumn<T> => {
    const cells = rows.map((row) => oneLine(column.cell(row)));
    return { ...column, cells, width: Math.max(...[column.heading, ...cells].map(widthOf)) };
  });
  const filled = sized.filter(({ cells }, at) => at === 0 || cells.some((cell) => cell !== ""));
  const shown = cutWidest(leaveOut(filled, screen), screen);
  if (excess(shown, screen) > 0) return renderStacked(rows, shown, drawing);
  const before = shown.slice(0, -1);
  const last = shown.at(-1)!;
  const [lastWidth, indent] = [screen - widthBefore(shown), " ".repeat(widthBefore(shown))];
  const line = (texts: readonly string[], end: string, row?: T) =>
    [
      ...before.map((column, at) => {
        const cell = padTo(cutTo(texts[at]!, column.width), column.width, column.side ?? "left");
        return painted(paint, column, row, cell);
      }),
      painted(paint, last, row, last.side === "right" ? padTo(end, last.width, "right") : end),
    ].join(GAP).trimEnd();
  const headings = before.map(({ heading }) => heading);
  return [
    paint("heading", line(headings, last.heading)),
    ...rows.flatMap((row, at) => {
      const [first = "", ...more] = fitTo(last, last.cells[at]!, lastWidth);
      return [line(before.map(({ cells }) => cells[at]!), first, row), ...more.map((text) => indent + text)];
    }),
  ];
}

/** For narrow screens: the last column below the others, so that nothing is lost. */
function renderStacked<T>(
  rows: readonly T[],
  columns: readonly SizedColumn<T>[],
  { columns: screen, paint }: Drawing,
): readonly string[] {
  const before = columns.slice(0, -1);
  const last = columns.at(-1)!;
  const below = " ".repeat(BELOW);
  const rest = (texts: readonly string[]) => texts.slice(1).filter((text) => text !== "").join(GAP);
  const heads = rows.map((row, at) => before.map((column) => painted(paint, column, row, column.cells[at]!)));
  // All rows look alike: if one does not fit, the others have two lines as well.
  const isLong = heads.some((texts) => widthOf(texts[0] + GAP + rest(texts)) > screen);
  const join = (texts: readonly string[], isApart: boolean) => {
    const [first = ""] = texts;
    const more = rest(texts);
    if (!isApart) return wrap(more === "" ? first : first + GAP + more, screen, widthOf);
    const wrapped = more === "" ? [] : wrap(more, screen - BELOW, widthOf);
    return [...wrap(first, screen, widthOf), ...wrapped.map((text) => below + text)];
  };
  return [
    ...join(columns.map(({ heading }) => heading), false).map((line) => paint("heading", line)),
    ...heads.flatMap((head, at) => [
      ...join(head, isLong),
      ...fitTo(last, last.cells[at]!, screen - BELOW).filter((text) => text !== "")
        .map((text) => below + text),
    ]),
  ];
}

function fitTo<T>({ isWhole, isWrapped }: Column<T>, text: string, width: number): readonly string[] {
  return isWhole || isWrapped ? wrap(text, width, widthOf) : [cutTo(text, width)];
}

function painted<T>(paint: Painter, column: Column<T>, row: T | undefined, text: string): string {
  const meaning = row === undefined ? undefined : column.meaning?.(row);
  return meaning === undefined ? text : paint(meaning, text);
}

function leaveOut<T>(columns: readonly SizedColumn<T>[], screen: number): readonly SizedColumn<T>[] {
  let left = columns;
  while (excess(left, screen) > 0) {
    const last = left.findLastIndex(({ isOptional }) => isOptional);
    if (last < 0) break;
    left = left.toSpliced(last, 1);
  }
  return left;
}

/** Cuts the widest column that may be cut, except for the last. On a narrow screen, a name that is cut says nothing. */
function cutWidest<T>(columns: readonly SizedColumn<T>[], screen: number): readonly SizedColumn<T>[] {
  const widest = columns.slice(0, -1).filter(({ isWhole, side }) => !isWhole && side === undefined)
    .toSorted((a, b) => b.width - a.width)[0];
  if (widest === undefined || screen < NARROW) return columns;
  const width = Math.min(widest.width, Math.max(minWidth(screen), widest.width - excess(columns, screen)));
  const cut = columns.map((column) => column === widest ? { ...column, width } : column);
  return excess(cut, screen) > 0 ? columns : cut;
}

function widthBefore<T>(columns: readonly SizedColumn<T>[]): number {
  return columns.slice(0, -1).reduce((sum, { width }) => sum + width + GAP.length, 0);
}

function excess<T>(columns: readonly SizedColumn<T>[], screen: number): number {
  const last = columns.at(-1)!;
  return Math.min(minWidth(screen, last), last.width) - (screen - widthBefore(columns));
}

/** What may be folded; programs want every byte of the rest. */
export interface Folded {
  readonly out: boolean;
  readonly err: boolean;
}

/** Fits output to the screen, cutting nothing off. A command on several lines still works when pasted. */
export function fitted<T extends Pick<Host, "columns" | "os" | "terminal" | "writeOut" | "writeErr">>(
  host: T,
  { out, err }: Folded,
): T {
  const { columns, os } = host;
  if (columns === undefined) return host;
  const folded = (write: (text: string) => void) => (text: string) => write(fold(text, columns, os));
  return {
    ...host,
    writeOut: out && host.terminal.stdout ? folded(host.writeOut) : host.writeOut,
    writeErr: err && host.terminal.stderr ? folded(host.writeErr) : host.writeErr,
  };
}

export function fold(text: string, columns: number, os: Host["os"] = "linux"): string {
  return text.split("\n").flatMap((line) => foldLine(line, columns, os)).join("\n");
}

const PLAIN = /^[ -~]*$/;

const JSON_LINE = /^\s*(?:[{}[\]]+,?|"(?:[^"\\]|\\.)*"(?:: .*)?,?)$/;

/** What precedes the text of an item; what is wrapped goes on below the text. */
// deno-lint-ignore no-control-regex
const LEAD = /^(?:\s|\x1b\[[\d;]*m)*(?:(?:[-*•✓!✗·]|\d+\.)(?:\x1b\[[\d;]*m)? )?/;

const BEFORE_COMMAND =
  // deno-lint-ignore no-control-regex
  /(?:^\s*|:(?:\x1b\[\d{1,3}m)? )(?=(?:bmad-mcp|git|npx|npm|deno|sudo|chown|chmod|mkdir|mv|rm|claude) )/;

/** The name of the program before a line of its log is not a command. */
const LOG_LINE = /^bmad-mcp (?:error|warn|info|debug): /;

function foldLine(line: string, columns: number, os: Host["os"]): readonly string[] {
  const fits = PLAIN.test(line) ? line.length <= columns : widthOf(line) <= columns;
  if (fits || JSON_LINE.test(line)) return [line];
  const before = LOG_LINE.test(line) ? null : BEFORE_COMMAND.exec(line);
  if (before === null) return wrapLine(line, columns);
  const about = line.slice(0, before.index + before[0].length);
  const command = line.slice(about.length);
  if (!isAlone(about, command)) return wrapLine(line, columns);
  const head = about.trim() === "" ? [] : wrapLine(about.trimEnd(), columns);
  const indent = `${/^\s*/.exec(about)![0]}${head.length === 0 ? "" : "  "}`;
  // Other shells go on in other ways: there the terminal itself breaks the line.
  return [...head, ...(os === "windows" ? [indent + command] : continued(command, columns, indent))];
}

function isAlone(about: string, command: string): boolean {
  return !/Usage: $/.test(about) && !/[.?!:,] |[.)`]$/.test(command.replaceAll(/"[^"]*"|'[^']*'/g, "x"));
}

/** Stands for a space at which no line is broken, such as one in a command between backticks. */
const TIED = "\u{F0000}";

function wrapLine(line: string, columns: number): readonly string[] {
  const [lead] = LEAD.exec(line)!;
  const width = Math.min(widthOf(lead), Math.floor(columns / 2));
  const room = columns - width;
  const text = line.slice(lead.length).replaceAll(
    /`[^`]+`/g,
    (code) => widthOf(code) <= room ? code.replaceAll(" ", TIED) : code,
  );
  return wrap(text, room, widthOf)
    .map((part, at) => (at === 0 ? lead : " ".repeat(width)) + part.replaceAll(TIED, " "));
}

/** Breaks a command with backslashes, which are letters in single quotes: those end before and begin again. */
function continued(command: string, columns: number, lead: string, quote = ""): readonly string[] {
  if (widthOf(lead + command) <= columns) return [lead + command];
  let [at, width, open] = [0, widthOf(lead), quote];
  let best = { at: command.length, rank: -1, open };
  for (const character of charactersOf(command)) {
    at += character.length;
    width += widthOf(character);
    if (width > columns - MARK) break;
    if (open === "" && /["']/.test(character)) open = character;
    else if (character === open) open = "";
    const rank = character === " " ? 2 : character === "/" ? 1 : 0;
    if (rank >= best.rank) best = { at, rank, open };
  }
  const line = command.slice(0, best.at);
  const isQuoted = best.open === "'";
  // What is in quotes has no indent, which would be a part of it.
  const indent = best.open === "" && line.endsWith(" ") ? "  " : isQuoted ? "'" : "";
  if (best.at === command.length) return [lead + line];
  const mark = isQuoted ? "'\\" : "\\";
  return [lead + line + mark, ...continued(command.slice(best.at), columns, indent, best.open)];
}

const MARK = 2;
