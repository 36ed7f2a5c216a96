/**
 * Tables for a terminal: a heading, aligned columns, and no line wider than the screen.
 *
 * If space is short, optional columns are left out, then the widest and the last are cut; what a person will want to
 * copy, such as a path, never is. A last column of sentences is wrapped instead.
 */
import { oneLine } from "../../base/text.ts";
import type { Painter } from "./style.ts";
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

/** The minimum width of a text that is cut. */
const minWidth = (screen: number) => screen < NARROW ? 8 : 24;

/** The lines of a table, its heading first. */
export function renderTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { columns: screen, paint }: Drawing,
): readonly string[] {
  const sized = columns.map((column): SizedColumn<T> => {
    const cells = rows.map((row) => oneLine(column.cell(row)));
    return { ...column, cells, width: Math.max(...[column.heading, ...cells].map(widthOf)) };
  });
  const filled = sized.filter(({ cells }, at) => at === 0 || cells.some((cell) => cell !== ""));
  const shown = cutWidest(leaveOut(filled, screen), screen);
  const lastWidth = Math.max(minWidth(screen), screen - widthBefore(shown));
  const isWrapped = shown.at(-1)!.isWrapped === true;
  const line = (texts: readonly string[]) =>
    texts.map((text, at) => {
      const { side = "left", width, isWhole } = shown[at]!;
      const isLast = at === texts.length - 1 && side === "left";
      const cut = isWhole || (isLast && isWrapped) ? text : cutTo(text, isLast ? lastWidth : width);
      return isLast ? cut : padTo(cut, width, side);
    }).join(GAP).trimEnd();
  return [
    paint("heading", line(shown.map(({ heading }) => heading))),
    ...rows.flatMap((_, at) => {
      const texts = shown.map(({ cells }) => cells[at]!);
      if (!isWrapped) return [line(texts)];
      const [first = "", ...more] = wrap(texts.at(-1)!, lastWidth, widthOf);
      const indent = " ".repeat(widthBefore(shown));
      return [line([...texts.slice(0, -1), first]), ...more.map((text) => indent + text)];
    }),
  ];
}

/** Leaves out optional columns, the last one first, until the rest fits; on a narrow screen all but two may go. */
function leaveOut<T>(columns: readonly SizedColumn<T>[], screen: number): readonly SizedColumn<T>[] {
  let left = columns;
  while (excess(left, screen) > 0) {
    const last = left.findLastIndex(({ isOptional }, at) =>
      isOptional || (screen < NARROW && at > 0 && at < left.length - 1)
    );
    if (last < 0) break;
    left = left.toSpliced(last, 1);
  }
  return left;
}

/** Cuts the widest column that may be cut, except for the last. */
function cutWidest<T>(columns: readonly SizedColumn<T>[], screen: number): readonly SizedColumn<T>[] {
  const widest = columns.slice(0, -1).filter(({ isWhole, side }) => !isWhole && side === undefined)
    .toSorted((a, b) => b.width - a.width)[0];
  // A name that is cut could not be typed: beside a few words only, it stays whole.
  if (widest === undefined || (screen < NARROW && columns.length === 2)) return columns;
  const width = Math.min(widest.width, Math.max(minWidth(screen), widest.width - excess(columns, screen)));
  return columns.map((column) => column === widest ? { ...column, width } : column);
}

/** The width of all columns before the last. */
function widthBefore<T>(columns: readonly SizedColumn<T>[]): number {
  return columns.slice(0, -1).reduce((sum, { width }) => sum + width + GAP.length, 0);
}

/** How much too wide the columns are for the last one to show its minimum. */
function excess<T>(columns: readonly SizedColumn<T>[], screen: number): number {
  return Math.min(minWidth(screen), columns.at(-1)!.width) - (screen - widthBefore(columns));
}
