/**
 * Tables for a terminal: a heading, aligned columns, and nothing wider than the screen.
 *
 * Where room is short, columns that can be done without are left out, then the last and the widest are cut; what a
 * person will want to copy, such as a path, never is.
 */
import { oneLine } from "../../base/text.ts";
import type { Painter } from "./style.ts";
import { cutTo, padTo, widthOf } from "./width.ts";

/** One column of a table. */
export interface Column<T> {
  readonly heading: string;
  cell(row: T): string;
  /** Which side its texts are set to; numbers are set right. */
  readonly side?: "right";
  /** Whether it is left out where there is little room. */
  readonly isOptional?: boolean;
  /** Whether its texts must be seen as a whole, however long. */
  readonly isWhole?: boolean;
}

/** How a table is drawn. */
export interface Drawing {
  /** The columns of the terminal. */
  readonly columns: number;
  readonly paint: Painter;
}

/** A column with the width of its widest text. */
interface Sized {
  readonly width: number;
}

const GAP = "  ";
/** On a screen of fewer columns, such as a half of a small one, a name and a few words are all there is room for. */
const NARROW = 60;

/** The least that a text which may be cut is given. */
const leastOn = (room: number) => room < NARROW ? 8 : 24;

/** The lines of a table, its heading first. */
export function renderTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { columns: room, paint }: Drawing,
): readonly string[] {
  const all = columns.map((column) => {
    const cells = rows.map((row) => oneLine(column.cell(row)));
    return { ...column, cells, width: Math.max(...[column.heading, ...cells].map(widthOf)) };
  });
  // A column in which nothing stands tells nothing.
  const told = all.filter(({ cells }, at) => at === 0 || cells.some((cell) => cell !== ""));
  let kept = told;
  while (lackOf(kept, room) > 0) {
    const [between, isNarrow] = [kept.length - 1, room < NARROW];
    const last = kept.findLastIndex(({ isOptional }, at) =>
      isOptional || (isNarrow && at > 0 && at < between)
    );
    if (last < 0) break;
    kept = kept.filter((_, at) => at !== last);
  }
  // Then the widest that may be cut gives way, as far as it says anything when cut.
  const widest = kept.slice(0, -1).filter(({ isWhole, side }) => !isWhole && side === undefined)
    .toSorted((a, b) => b.width - a.width)[0];
  const least = leastOn(room);
  // A name that is cut could not be typed: where it stands alone with a few words, it stays whole.
  const isWhole = widest === undefined || (room < NARROW && kept.length === 2);
  const cut = isWhole ? Infinity : Math.max(least, widest.width - lackOf(kept, room));
  kept = kept.map((column) => column === widest ? { ...column, width: Math.min(column.width, cut) } : column);
  const rest = Math.max(least, room - widthBefore(kept));
  const line = (texts: readonly string[]) =>
    texts.map((text, at) => {
      const { side, width, isWhole } = kept[at]!;
      const isLast = at === texts.length - 1 && side === undefined;
      const seen = isWhole ? text : cutTo(text, isLast ? rest : width);
      return isLast ? seen : padTo(seen, width, side === "right" ? "right" : "left");
    }).join(GAP).trimEnd();
  return [
    paint("heading", line(kept.map(({ heading }) => heading))),
    ...rows.map((_, at) => line(kept.map(({ cells }) => cells[at]!))),
  ];
}

/** The columns that stand before the last one. */
function widthBefore(columns: readonly Sized[]): number {
  return columns.slice(0, -1).reduce((sum, { width }) => sum + width + GAP.length, 0);
}

/** How many columns too few there are for the last one to say anything. */
function lackOf(columns: readonly Sized[], room: number): number {
  return Math.min(leastOn(room), columns.at(-1)!.width) - (room - widthBefore(columns));
}
