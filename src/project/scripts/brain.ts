/** `brain.py`: techniques of brainstorming, by category, by name or at random, and as a page to choose from. */
import type { Values } from "../../base/values.ts";
import { brainPage } from "./brain_page.ts";
import {
  type CatalogueFile,
  CATEGORIES,
  categoriesText,
  CATEGORY,
  COUNT,
  countCategories,
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
import { isFile, printable, readText, scriptOf } from "./program.ts";
import { isTrue, pathText, pythonJson, pythonText } from "./python.ts";
import { failed, printed, type Script, type ScriptResult, type ScriptWorld } from "./script.ts";

const SHOWN = ["category", "technique_name", "description"];
const FIELDS = [...SHOWN, "detail", "provenance", "good_for", "audience"];

/** `brain.py [--file F] [--extra FILE] [--json] COMMAND …`. */
export const brain: Script = scriptOf({
  name: "brain.py",
  usage: {
    about: "Serves the techniques of brainstorming",
    args: [FILE, { names: ["--extra"], help: "A JSON file with further techniques" }, JSON_FLAG],
    commands: {
      categories: CATEGORIES,
      list: LIST,
      show: {
        about: "Print whole entries by name",
        example: "NAME",
        args: [{ names: ["names"], takes: "some", help: "Names" }],
      },
      random: { about: "Draw entries at random", example: "-n 3", args: [CATEGORY, COUNT] },
      html: {
        about: "Write a page to choose from",
        example: "--out FILE",
        args: [{ names: ["--out"], help: "The file of the page" }],
      },
    },
  },
  isWriter: (values) => values.command === "html" && Boolean(values.one("out")),
  run: (values, world) => {
    const file = openCatalogue(world, values.one("file"), "assets/brain-methods.csv");
    if (file === undefined) {
      const path = values.one("file") ?? "assets/brain-methods.csv";
      return failed(2, `error: technique file not found: ${path}\n`);
    }
    const isOld = isBefore611(world);
    let rows: readonly Row[] = readCatalogue(file.text, FIELDS, isOld ? SHOWN : []);
    const extra = values.one("extra");
    if (extra !== undefined) {
      if (!isFile(world, extra)) return failed(2, `error: --extra file not found: ${extra}\n`);
      try {
        const extras = readExtras(readText(world, extra), extraText, FIELDS);
        rows = isOld
          ? [...rows, ...extras]
          : mergeExtras(rows, extras, "technique_name", (_, replacement) => replacement);
      } catch (error) {
        return failed(isOld ? 1 : 2, extraProblem(error));
      }
    }
    const isJson = values.has("json");
    switch (values.command) {
      case "categories":
        return printed(`${categoriesText(rows, isJson)}\n`);
      case "list":
        if (!values.has("category") && !values.has("all")) return failed(2, LIST_REFUSED);
        return printed(`${rowsText(inCategories(rows, values), SHOWN, isJson)}\n`);
      case "show":
        return show(rows, values.many("names"), file, isJson);
      case "random": {
        const pool = inCategories(rows, values);
        if (pool.length === 0) return failed(1, "# no techniques match\n");
        const picks = shuffled(pool, world.random).slice(0, wantedCount(values, pool.length));
        return printed(`${rowsText(picks, SHOWN, isJson)}\n`);
      }
      default:
        return writePage(values.one("out"), rows, world);
    }
  },
});

/** Whether the skill's own script is older than 6.11: additions replace nothing there, and broken ones end with status 1. */
function isBefore611({ skill }: ScriptWorld): boolean {
  return !(skill?.read("scripts/brain.py")?.includes("merge_extra") ?? true);
}

/** The first three fields have no default: a null is the text `None`. */
function extraText(item: Values, field: string): string {
  const value = item[field];
  return value === undefined || !SHOWN.includes(field) && !isTrue(value) ? "" : pythonText(value);
}

/** Whole techniques, each with the file of its details. */
function show(
  rows: readonly Row[],
  names: readonly string[],
  file: CatalogueFile,
  isJson: boolean,
): ScriptResult {
  const byName = new Map(rows.map((row) => [row.technique_name!.toLowerCase(), row]));
  const complaints: string[] = [];
  const found: Row[] = [];
  for (const name of names) {
    const row = byName.get(name.trim().toLowerCase());
    if (row === undefined) complaints.push(`# not found: ${name}\n`);
    else found.push(row);
  }
  if (found.length === 0) return failed(1, complaints.join(""));
  const details = new Map<string, string | undefined>();
  const shown = printable(
    found.values().map((row) => {
      const { technique_name, category, description, detail: path } = row;
      const text = path ? details.getOrInsertComputed(path, () => file.beside(path)) : undefined;
      if (path && text === undefined) {
        complaints.push(`# detail file not found for ${technique_name}: ${path}\n`);
      }
      const detail = (text ?? "").trim();
      if (isJson) {
        return pythonJson({ category, technique_name, description, ...detail === "" ? {} : { detail } });
      }
      return `## ${technique_name}  [${category}]\n${description}${detail === "" ? "" : `\n\n${detail}`}`;
    }),
  );
  const stdout = isJson ? `[${shown.join(", ")}]` : shown.join("\n\n");
  return { status: 0, stdout: `${stdout}\n`, stderr: complaints.join("") };
}

async function writePage(
  out: string | undefined,
  rows: readonly Row[],
  { files, skill, signal }: ScriptWorld,
): Promise<ScriptResult> {
  if (!out) return failed(2, "error: `html` needs --out PATH: the page goes to a file, never to stdout.\n");
  const path = files.pathOf("out", out);
  files.checkTarget(path);
  const page = await brainPage(rows, skill?.read("assets/brain-icons.json"));
  await files.exclusively(() => files.replace(path, page, files.find(path)), signal);
  const categories = countCategories(rows).length;
  return printed(`wrote ${pathText(out)} (${rows.length} techniques, ${categories} categories)\n`);
}
