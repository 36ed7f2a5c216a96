/**
 * Tables for a terminal: a heading, aligned columns, and no line wider than the screen.
 *
 * If space is short, optional columns are left out, then the widest and the last are cut; what a person will want to
 * copy, such as a path, and sentences are wrapped instead. If that is not enough, the last column goes below the others.
 */
import { oneLine } from "../../base/text.ts";
import type { Meaning, Painter } from "./style.ts";
import { cutTo, padTo, widthOf } from "./width.ts";
import { wrap } from "./wrap.ts";

/** One column of a table. */
export interface Column<T> {
  readonly heading: string;
  cell(row: T): string;
  /** Numbers are aligned to the right. */
  readonly side?: "right";
  /** Whether it is left out if space is short. */
  readonly isOptional?: boolean;
  /** Whether its texts are never cut. */
  readonly isWhole?: boolean;
  /** Whether its texts go on below, each under its beginning; for the last column. */
  readonly isWrapped?: boolean;
  /** What its text means in a row, for its colour. */
  meaning?(row: T): Meaning | undefined;
}

/** How a table is drawn. */
export interface Drawing {
  /** The width of the terminal. */
  readonly columns: number;
  readonly paint: Painter;
}

/** A column with its texts and the width of the widest. */
interface SizedColumn<T> extends Column<T> {
  readonly cells: readonly string[];
  readonly width: number;
}

const GAP = "  ";
/** A narrower screen has space for a name and a few words only. */
const NARROW = 60;

/** The minimum width of a last column; a narrower one goes below the others. Sentences need more than a name. */
const minWidth = <T>(screen: number, { isWrapped }: Partial<Column<T>> = {}) =>
  screen < NARROW && !isWrapped ? 16 : 24;

/** How far a column below the others is indented. */
const BELOW = 2;

/** The lines of a table, its heading first. */
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

/** The same where space is short: the last column below the others, so that nothing of them is lost. */
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

/** The lines of a text in the last column: one that is cut, or all of it. */
function fitTo<T>({ isWhole, isWrapped }: Column<T>, text: string, width: number): readonly string[] {
  return isWhole || isWrapped ? wrap(text, width, widthOf) : [cutTo(text, width)];
}

function painted<T>(paint: Painter, column: Column<T>, row: T | undefined, text: string): string {
  const meaning = row === undefined ? undefined : column.meaning?.(row);
  return meaning === undefined ? text : paint(meaning, text);
}

/** Leaves out optional columns, the last one first, until the rest fits. */
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

/** The width of all columns before the last. */
function widthBefore<T>(columns: readonly SizedColumn<T>[]): number {
  return columns.slice(0, -1).reduce((sum, { width }) => sum + width + GAP.length, 0);
}

/** How much too wide the columns are for the last one to show its minimum. */
function excess<T>(columns: readonly SizedColumn<T>[], screen: number): number {
  const last = columns.at(-1)!;
  return Math.min(minWidth(screen, last), last.width) - (screen - widthBefore(columns));
}
