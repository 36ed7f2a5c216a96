/** `pick_methods.py`: methods of elicitation, by category, by name or at random. */
import { catalogueScript, mergeExtras, type Row } from "./catalogue.ts";
import type { Script } from "./script.ts";

const FIELDS = ["num", "category", "method_name", "description", "output_pattern"];

export const pickMethods: Script = catalogueScript({
  name: "pick_methods.py",
  about: "Serves the methods of elicitation",
  noun: "method",
  file: "assets/methods.csv",
  fields: FIELDS,
  called: "method_name",
  shown: FIELDS,
  random: {
    about: "Draw entries at random",
    example: "-n 5 --spread",
    args: [
      { names: ["--exclude"], takes: "list", help: "Not this method" },
      { names: ["--spread"], takes: "flag", help: "From as many categories as possible" },
    ],
  },
  // A row that replaces another takes its number, unless it has its own.
  add: (rows, extras) =>
    numbered(
      mergeExtras(rows, extras, "method_name", (row, extra) => ({ ...extra, num: extra.num || row.num! })),
    ),
});

/** New rows get the next numbers. */
function numbered(rows: readonly Row[]): readonly Row[] {
  const numbers = rows.filter(({ num }) => /^\d{1,15}$/.test(num!)).map(({ num }) => Number(num));
  let next = numbers.reduce((highest, one) => Math.max(highest, one), 0) + 1;
  return rows.map((row) => row.num === "" ? { ...row, num: String(next++) } : row);
}
