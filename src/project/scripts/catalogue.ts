/**
 * A catalogue of methods: a CSV file of a skill or of the project, and the user's additions to it.
 *
 * `pick_methods.py` and `brain.py` serve one each, in the same way.
 */
import { BmadError } from "../../base/errors.ts";
import { isValues, parseJson, type Values } from "../../base/values.ts";
import { parseCsv } from "../../content/parse.ts";
import type { Argument, Given, Usage } from "./options.ts";
import { isFile, printable, readRaw, refuseExcess, ScriptError, stop } from "./program.ts";
import { pythonJson, pythonRepr, universalNewlines } from "./python.ts";
import type { ScriptWorld } from "./script.ts";

/** A method; every field that its catalogue has is a text. */
export type Row = Readonly<Record<string, string>>;

export const FILE: Argument = { names: ["--file"], help: "The catalogue; default: that of the skill" };
export const JSON_FLAG: Argument = {
  names: ["--json"],
  takes: "flag",
  help: "Print JSON instead of lines with tabs",
};
export const CATEGORY: Argument = {
  names: ["--category"],
  takes: "list",
  help: "Only this category; repeatable",
};
export const COUNT: Argument = { names: ["-n"], isInteger: true, help: "How many; default: 1" };

/** The commands that both scripts have alike. */
export const CATEGORIES: Usage = { about: "Count the entries of each category" };
export const LIST: Usage = {
  about: "List the entries of some categories",
  example: "--category NAME",
  args: [CATEGORY, { names: ["--all"], takes: "flag", help: "The whole catalogue" }],
};
export const LIST_REFUSED =
  "error: `list` needs --category or --all. `categories` shows the categories, `random` draws from them.\n";

/** A catalogue, and how files beside it are read. */
export interface CatalogueFile {
  readonly text: string;
  /** Undefined if there is no such file, or none that may be read. */
  beside(path: string): string | undefined;
}

/** The file that `--file` names, or the skill's own. */
export function openCatalogue(
  world: ScriptWorld,
  given: string | undefined,
  own: string,
): CatalogueFile | undefined {
  const read = (path: string) =>
    given === undefined ? world.skill?.read(path) : isFile(world, path) ? readRaw(world, path) : undefined;
  const file = given ?? own;
  const text = read(file);
  if (text === undefined) return undefined;
  return {
    text,
    beside: (path) => {
      const name = path.startsWith("/") ? path : `${file.slice(0, file.lastIndexOf("/") + 1)}${path}`;
      try {
        const found = read(name);
        return found === undefined ? undefined : universalNewlines(found);
      } catch (error) {
        // The catalogue named it, not the caller: one outside the project is as good as missing.
        if (error instanceof BmadError) return undefined;
        throw error;
      }
    },
  };
}

/** A short row has a cell for every column of the header. */
const MAX_CELLS = 100_000;

/** The rows of a catalogue with exactly these fields; white space around the `raw` ones stays. */
export function readCatalogue(text: string, fields: readonly string[], raw: readonly string[] = []): Row[] {
  const { value: table, isLimit } = parseCsv(text);
  const [header = [], ...rows] = table;
  if (isLimit || table.length * header.length > MAX_CELLS) {
    refuseExcess(`the catalogue has more than ${MAX_CELLS} cells. Remove rows or columns`);
  }
  const columns = fields.map((field) => [field, header.lastIndexOf(field)] as const);
  return rows.map((row) =>
    Object.fromEntries(columns.map(([field, at]) => {
      const value = row[at] ?? "";
      return [field, raw.includes(field) ? value : value.trim()];
    }))
  );
}

/** The user's additions from JSON. */
export function readExtras(
  json: string,
  textOf: (item: Values, field: string) => string,
  fields: readonly string[],
): readonly Row[] {
  const items = parseJson(json.replace(/^\uFEFF/, ""));
  if (!Array.isArray(items)) return stop("--extra must be a JSON array of objects");
  return items.map((item: unknown) => {
    if (!isValues(item)) return stop(`each --extra entry must be a JSON object, got: ${pythonRepr(item)}`);
    return Object.fromEntries(fields.map((field) => [field, textOf(item, field).trim()]));
  });
}

/** Why the additions cannot be used. */
export function extraProblem(error: unknown): string {
  if (error instanceof ScriptError) return `error: could not read --extra: ${error.message}\n`;
  throw error;
}

/** Puts the additions over the rows of the same name, and the others at the end. */
export function mergeExtras(
  rows: readonly Row[],
  extras: readonly Row[],
  name: string,
  replace: (row: Row, extra: Row) => Row,
): Row[] {
  const merged = [...rows];
  const places = new Map(merged.map((row, at) => [row[name]!.toLowerCase(), at]));
  for (const extra of extras) {
    const key = extra[name]!.toLowerCase();
    const at = places.get(key);
    if (at !== undefined) merged[at] = replace(merged[at]!, extra);
    else {
      places.set(key, merged.length);
      merged.push(extra);
    }
  }
  return merged;
}

/** The categories with their counts, in order. */
export function countCategories(rows: readonly Row[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { category } of rows) counts.set(category!, (counts.get(category!) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a < b ? -1 : 1);
}

export function categoriesText(rows: readonly Row[], isJson: boolean): string {
  const counts = countCategories(rows);
  return isJson
    ? pythonJson(counts.map(([category, count]) => ({ category, count })))
    : counts.map(([category, count]) => `${category}\t${count}`).join("\n");
}

/** Rows as lines, their fields between tabs, or as JSON. */
export function rowsText(rows: readonly Row[], fields: readonly string[], isJson: boolean): string {
  // A name may be asked for many times.
  const lines = printable(rows.values().map((row) => fields.map((field) => row[field]).join("\t")));
  return isJson
    ? pythonJson(rows.map((row) => Object.fromEntries(fields.map((field) => [field, row[field]]))))
    : lines.join("\n");
}

/** The rows of the categories that `--category` names; all of them without it. */
export function inCategories(rows: readonly Row[], values: Given): readonly Row[] {
  const wanted = new Set(values.many("category").map((category) => category.toLowerCase()));
  return wanted.size === 0 ? rows : rows.filter(({ category }) => wanted.has(category!.toLowerCase()));
}

/** How many `-n` asks for, as far as there are so many. */
export function wantedCount(values: Given, available: number): number {
  return Math.min(Math.max(0, Number(values.one("n") ?? 1)), available);
}

/** The items in random order. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const order = [...items];
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order;
}
