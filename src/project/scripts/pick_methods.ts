/** `pick_methods.py`: methods of elicitation, by category, by name or at random. */
import {
  CATEGORIES,
  categoriesText,
  CATEGORY,
  COUNT,
  extraProblem,
  FILE,
  inCategories,
  JSON_FLAG,
  LIST,
  LIST_REFUSED,
  mergeExtras,
  openCatalogue,
  readCatalogue,
  readExtras,
  type Row,
  rowsText,
  shuffled,
  wantedCount,
} from "./catalogue.ts";
import { readText, scriptOf } from "./program.ts";
import { isTrue, pythonText } from "./python.ts";
import { failed, printed, type Script, type ScriptWorld } from "./script.ts";

const FIELDS = ["num", "category", "method_name", "description", "output_pattern"];

/** `pick_methods.py [--file F] [--extra JSON] [--json] COMMAND …`. */
export const pickMethods: Script = scriptOf({
  name: "pick_methods.py",
  usage: {
    about: "Serves the methods of elicitation",
    args: [
      FILE,
      {
        names: ["--extra"],
        help: "Further methods: a JSON list, or a file with one",
        isMultiline: true,
      },
      JSON_FLAG,
    ],
    commands: {
      categories: CATEGORIES,
      list: LIST,
      show: {
        about: "Print whole entries by name",
        example: "NAME",
        args: [{ names: ["names"], takes: "some", help: "Names or numbers" }],
      },
      random: {
        about: "Draw entries at random",
        example: "-n 5 --spread",
        args: [
          COUNT,
          CATEGORY,
          { names: ["--exclude"], takes: "list", help: "Not this method; repeatable" },
          { names: ["--spread"], takes: "flag", help: "From as many categories as possible" },
        ],
      },
    },
  },
  run: (values, world) => {
    const file = openCatalogue(world, values.one("file"), "assets/methods.csv");
    if (file === undefined) {
      return failed(2, `error: method file not found: ${values.one("file") ?? "assets/methods.csv"}\n`);
    }
    let rows: readonly Row[] = readCatalogue(file.text, FIELDS);
    const extra = values.one("extra");
    if (extra) {
      try {
        rows = withExtras(rows, extra, world);
      } catch (error) {
        return failed(2, extraProblem(error));
      }
    }
    const isJson = values.has("json");
    const print = (found: readonly Row[]) => printed(`${rowsText(found, FIELDS, isJson)}\n`);
    switch (values.command) {
      case "categories":
        return printed(`${categoriesText(rows, isJson)}\n`);
      case "list":
        if (!values.has("category") && !values.has("all")) return failed(2, LIST_REFUSED);
        return print(inCategories(rows, values));
      case "show": {
        const { found, missing } = find(rows, values.many("names"));
        const stderr = missing.map((name) => `# not found: ${name}\n`).join("");
        return found.length === 0 ? failed(1, stderr) : { ...print(found), stderr };
      }
      default: {
        const excluded = new Set(values.many("exclude").map((name) => name.trim().toLowerCase()));
        const pool = inCategories(rows, values).filter(({ method_name }) =>
          !excluded.has(method_name!.toLowerCase())
        );
        if (pool.length === 0) return failed(1, "# no methods match\n");
        const order = shuffled(pool, world.random);
        return print(
          (values.has("spread") ? spread(order) : order).slice(0, wantedCount(values, pool.length)),
        );
      }
    }
  },
});

/** `--extra`: JSON, or a file with it. A row that replaces another takes its number; new ones get the next. */
function withExtras(rows: readonly Row[], given: string, world: ScriptWorld): readonly Row[] {
  const json = given.trimStart().startsWith("[") ? given : readText(world, given);
  const merged = mergeExtras(
    rows,
    readExtras(json, (item, field) => isTrue(item[field]) ? pythonText(item[field]) : "", FIELDS),
    "method_name",
    (row, extra) => ({ ...extra, num: extra.num || row.num! }),
  );
  const numbers = merged.filter(({ num }) => /^\d{1,15}$/.test(num!)).map(({ num }) => Number(num));
  let next = numbers.reduce((highest, one) => Math.max(highest, one), 0) + 1;
  return merged.map((row) => row.num === "" ? { ...row, num: String(next++) } : row);
}

/** The methods of these names or numbers, in their order. */
function find(rows: readonly Row[], names: readonly string[]) {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    byKey.set(row.method_name!.toLowerCase(), row);
    if (row.num !== "" && !byKey.has(row.num!)) byKey.set(row.num!, row);
  }
  const lookUp = (name: string) => byKey.get(name.trim().toLowerCase());
  return {
    found: names.map(lookUp).filter((row) => row !== undefined),
    missing: names.filter((name) => lookUp(name) === undefined),
  };
}

/** One method of each category, then a second of each, and so on. */
function spread(rows: readonly Row[]): readonly Row[] {
  const rounds: Row[][] = [];
  const seen = new Map<string, number>();
  for (const row of rows) {
    const round = seen.get(row.category!) ?? 0;
    seen.set(row.category!, round + 1);
    (rounds[round] ??= []).push(row);
  }
  return rounds.flat();
}
