/** `brain.py`: techniques of brainstorming, by category, by name or at random, and as a page to choose from. */
import { brainPage, PAGE_TITLE } from "./brain_page.ts";
import { type CatalogueFile, catalogueScript, mergeExtras, type Row } from "./catalogue.ts";
import { printable, refuse } from "./program.ts";
import { pathText, pythonJson } from "./python.ts";
import { printed, type Script, type ScriptResult, type ScriptWorld } from "./script.ts";
import { openTarget, pageCalled } from "./targets.ts";

const SHOWN = ["category", "technique_name", "description"];

const catalogue: Script = catalogueScript({
  name: "brain.py",
  about: "Serves the techniques of brainstorming",
  noun: "technique",
  file: "assets/brain-methods.csv",
  fields: [...SHOWN, "detail", "provenance", "good_for", "audience"],
  called: "technique_name",
  shown: SHOWN,
  random: { about: "Draw entries at random", example: "-n 3" },
  commands: {
    html: {
      about: "Write a page to choose from",
      example: "--out FILE",
      args: [{ names: ["--out"], help: "The file of the page" }],
    },
  },
  isWriter: (values) => values.command === "html" && Boolean(values.one("out")),
  add: (rows, extras, world) =>
    isBefore611(world) ? [...rows, ...extras] : mergeExtras(rows, extras, "technique_name"),
  show,
  run: (values, rows, world) => writePage(values.one("out"), rows, world),
});

export const brain: Script = {
  ...catalogue,
  rules: (world) => isBefore611(world) ? "6.10.0" : undefined,
};

/** Whether the skill's own script is older than 6.11: additions replace nothing there. */
function isBefore611({ skill }: ScriptWorld): boolean {
  return !(skill?.read("scripts/brain.py")?.includes("merge_extra") ?? true);
}

/** Whole techniques, each with the file of its details. */
function show(rows: readonly Row[], file: CatalogueFile, isJson: boolean): ScriptResult {
  const complaints: string[] = [];
  const details = new Map<string, string | undefined>();
  const shown = printable(
    rows.values().map((row) => {
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

const PAGE = pageCalled(PAGE_TITLE, "BMad Method Brainstorming Selection");

async function writePage(
  out: string | undefined,
  rows: readonly Row[],
  { files, skill, signal }: ScriptWorld,
): Promise<ScriptResult> {
  if (!out) return refuse("`html` needs --out PATH: the page goes to a file, never to stdout.");
  const path = files.pathOf("out", out);
  openTarget(files, path, PAGE);
  const page = await brainPage(rows, skill?.read("assets/brain-icons.json"));
  await files.exclusively(() => files.replace(path, page, openTarget(files, path, PAGE)), signal);
  const categories = new Set(rows.map(({ category }) => category)).size;
  return printed(`wrote ${pathText(out)} (${rows.length} techniques, ${categories} categories)\n`);
}
