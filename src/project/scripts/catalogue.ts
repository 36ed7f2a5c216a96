import { recover } from "../../base/absence.ts";
import { BmadError } from "../../base/errors.ts";
import { asText, isValues, parseJson, type Values } from "../../base/values.ts";
import { parseCsv } from "../../content/parse.ts";
import { LIMITS } from "../limits.ts";
import type { Argument, Given, Usage } from "./options.ts";
import {
  failed,
  isFile,
  printable,
  printed,
  readRaw,
  readText,
  refuse,
  type Script,
  ScriptError,
  type ScriptResult,
  type ScriptWorld,
} from "./script.ts";
import { countSorted, pythonJson, universalNewlines } from "./python.ts";

export type Row = Readonly<Record<string, string>>;

export type CatalogueFile = ReturnType<typeof openCatalogue>;

interface Catalogue {
  readonly name: string;
  readonly about: string;
  readonly noun: string;
  readonly file: string;
  readonly fields: readonly string[];
  readonly called: string;
  readonly shown: readonly string[];
  readonly random: Usage;
  readonly commands?: Usage["commands"];
  isWriter?(values: Given): boolean;
  add(rows: readonly Row[], extras: readonly Row[], world: ScriptWorld): readonly Row[];
  show?(rows: readonly Row[], file: CatalogueFile, isJson: boolean): ScriptResult;
  run?(values: Given, rows: readonly Row[], world: ScriptWorld): Promise<ScriptResult>;
}

const CATEGORY: Argument = { names: ["--category"], takes: "list", help: "Only this category" };

const LIST_PROBLEM =
  "`list` needs --category or --all. `categories` shows the categories, `random` draws from them.";

export function catalogueScript(catalogue: Catalogue): Script {
  const { name, about, fields, called, shown, random, commands, isWriter } = catalogue;
  return {
    name,
    usage: {
      about,
      needsSkill: true,
      args: [
        { names: ["--file"], help: "The catalogue; default: that of the skill" },
        { names: ["--extra"], help: "Further entries: a JSON list, or a file with one", isMultiline: true },
        { names: ["--json"], takes: "flag", help: "Print JSON instead of lines with tabs" },
      ],
      commands: {
        categories: { about: "Count the entries of each category" },
        list: {
          about: "List the entries of some categories",
          example: "--category NAME",
          args: [CATEGORY, { names: ["--all"], takes: "flag", help: "The whole catalogue" }],
        },
        show: {
          about: "Print whole entries by name",
          example: "NAME",
          args: [{ names: ["names"], takes: "some", help: "Names or numbers" }],
        },
        random: {
          ...random,
          args: [
            { names: ["-n"], isInteger: true, help: "How many; default: 1" },
            CATEGORY,
            ...random.args ?? [],
          ],
        },
        ...commands,
      },
    },
    isWriter,
    run: (values, world) => {
      const file = openCatalogue(world, values.one("file"), catalogue);
      const own = readCatalogue(file.text, fields);
      const extras = values.one("extra");
      const rows = extras ? catalogue.add(own, readExtras(extras, fields, world), world) : own;
      const isJson = values.has("json");
      const print = (found: readonly Values[], fields = shown) =>
        printed(`${rowsText(found, fields, isJson)}\n`);
      switch (values.command) {
        case "categories": {
          const counts = countSorted(rows.map(({ category }) => category!));
          return print(counts.map(([category, count]) => ({ category, count })), ["category", "count"]);
        }
        case "list":
          return values.has("category") || values.has("all")
            ? print(inCategories(rows, values))
            : refuse(LIST_PROBLEM);
        case "random": {
          const excluded = new Set(values.many("exclude").map((name) => name.trim().toLowerCase()));
          const pool = inCategories(rows, values).filter((row) => !excluded.has(row[called]!.toLowerCase()));
          const count = Math.max(0, Number(values.one("n") ?? 1));
          const drawn = pool.map((row) => ({ row, at: world.random() })).sort((a, b) => a.at - b.at).map((
            { row },
          ) => row);
          return pool.length === 0
            ? failed(1, `# no ${catalogue.noun}s match\n`)
            : print((values.has("spread") ? spread(drawn) : drawn).slice(0, count));
        }
        case "show": {
          const { found, missing } = findNamed(rows, values.many("names"), called);
          const stderr = missing.map((one) => `# not found: ${one}\n`).join("");
          if (found.length === 0) return failed(1, stderr);
          const result = catalogue.show?.(found, file, isJson) ?? print(found);
          return { ...result, stderr: stderr + result.stderr };
        }
        default:
          return catalogue.run!(values, rows, world);
      }
    },
  };
}

function openCatalogue(world: ScriptWorld, given: string | undefined, { file: own, noun }: Catalogue) {
  const read = (path: string) =>
    given === undefined ? world.skill?.read(path) : isFile(world, path) ? readRaw(world, path) : undefined;
  const file = given ?? own;
  const text = read(file);
  if (text === undefined) return refuse(`${noun} file not found: ${file}`);
  return {
    text,
    beside: (path: string) => {
      const name = path.startsWith("/") ? path : `${file.slice(0, file.lastIndexOf("/") + 1)}${path}`;
      // The catalogue named it, not the caller: one outside the project is as good as missing.
      const found = recover(BmadError, () => read(name));
      return found === undefined ? undefined : universalNewlines(found);
    },
  };
}

function readCatalogue(text: string, fields: readonly string[]): readonly Row[] {
  const { value: table, isLimit } = parseCsv(text);
  const [header = [], ...rows] = table;
  if (isLimit || table.length * header.length > LIMITS.scripts.cells) {
    refuse(`the catalogue has more than ${LIMITS.scripts.cells} cells. Remove rows or columns`);
  }
  const columns = fields.map((field) => [field, header.lastIndexOf(field)] as const);
  return rows.map((row) => Object.fromEntries(columns.map(([field, at]) => [field, (row[at] ?? "").trim()])));
}

function readExtras(given: string, fields: readonly string[], world: ScriptWorld): readonly Row[] {
  const readFile = () =>
    recover(
      ScriptError,
      () => readText(world, given).replace(/^\uFEFF/, ""),
      ({ message }) => refuse(`could not read --extra: ${message}`),
    );
  const items = parseJson(given.trimStart().startsWith("[") ? given : readFile());
  if (!Array.isArray(items) || !items.every(isValues)) {
    return refuse("could not read --extra: it must be a JSON list of objects");
  }
  return items.map((item) => Object.fromEntries(fields.map((field) => [field, asText(item[field]) ?? ""])));
}

export function mergeExtras(
  rows: readonly Row[],
  extras: readonly Row[],
  called: string,
  replace = (_: Row, extra: Row): Row => extra,
): readonly Row[] {
  const merged = [...rows];
  const places = new Map(merged.map((row, at) => [row[called]!.toLowerCase(), at]));
  for (const extra of extras) {
    const at = places.getOrInsert(extra[called]!.toLowerCase(), merged.length);
    merged[at] = merged[at] === undefined ? extra : replace(merged[at], extra);
  }
  return merged;
}

function rowsText(rows: readonly Values[], fields: readonly string[], isJson: boolean): string {
  // A name may be asked for many times.
  const lines = printable(rows.values().map((row) => fields.map((field) => row[field]).join("\t")));
  return isJson
    ? pythonJson(rows.map((row) => Object.fromEntries(fields.map((field) => [field, row[field]]))))
    : lines.join("\n");
}

function inCategories(rows: readonly Row[], values: Given): readonly Row[] {
  const wanted = new Set(values.many("category").map((category) => category.toLowerCase()));
  return wanted.size === 0 ? rows : rows.filter(({ category }) => wanted.has(category!.toLowerCase()));
}

function spread(rows: readonly Row[]): readonly Row[] {
  const groups = [...Map.groupBy(rows, ({ category }) => category!).values()];
  const rounds = Math.max(0, ...groups.map((group) => group.length));
  return Array.from(
    { length: rounds },
    (_, round) => groups.flatMap((group) => group.slice(round, round + 1)),
  ).flat();
}

function findNamed(rows: readonly Row[], names: readonly string[], called: string) {
  const byName = new Map(rows.map((row) => [row[called]!.toLowerCase(), row]));
  for (const row of rows) if (row["num"]) byName.getOrInsert(row["num"], row);
  const lookUp = (name: string) => byName.get(name.trim().toLowerCase());
  return {
    found: names.map(lookUp).filter((row) => row !== undefined),
    missing: names.filter((name) => lookUp(name) === undefined),
  };
}

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

function numbered(rows: readonly Row[]): readonly Row[] {
  const numbers = rows.filter(({ num }) => /^\d{1,15}$/.test(num!)).map(({ num }) => Number(num));
  let next = numbers.reduce((highest, one) => Math.max(highest, one), 0) + 1;
  return rows.map((row) => row.num === "" ? { ...row, num: String(next++) } : row);
}
