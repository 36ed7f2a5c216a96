/** An export: an agent or a workflow with everything it leads to, for products without MCP. */
import { zipSync } from "fflate";
import { fail } from "../../base/errors.ts";
import { type Entry, qualifiedName } from "../../base/model.ts";
import { isPortableName } from "../../base/paths.ts";
import type { Report } from "../../base/report.ts";
import { counted } from "../../base/text.ts";
import { type Work, type WriteResult, writeResult } from "../../base/work.ts";
import { diskTree, findText, walkFiles } from "../../content/tree/mod.ts";
import { type Exported, exportEntry, type Library } from "../../content/library/mod.ts";
import type { ExportPlan } from "../../settings/plan/mod.ts";
import { type Output, writeOutput } from "../files/mod.ts";

export async function prepareExport(
  library: Library,
  entry: Entry,
  { form, path, draft, isForced }: ExportPlan,
  work: Work,
): Promise<() => WriteResult<Report>> {
  const isBundle = form === "web-bundle";
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (!isPortableName(last)) refuseName(last, "use a name that is safe on every system");
  const name = isBundle ? last : skillName(form === "zip" ? last.replace(/\.zip$/i, "") : last);
  const exported = await exportEntry(library, entry, { form: isBundle ? form : "skill", name }, work);
  const output = packFiles(exported, form, name);
  return () => {
    writeOutput(output, { path, draft, isForced, isOwn: (folder) => isOwn(folder, exported.files) });
    return writeResult(reportOn(entry, form, path, exported, output));
  };
}

function skillName(name: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 64) return name;
  return refuseName(name, "use lower-case letters, digits and hyphens, at most 64 characters");
}

function refuseName(name: string, hint: string): never {
  return fail({
    code: "invalid-input",
    field: "--out",
    problem: `"${name}" cannot be the name of an export`,
    hint,
  });
}

/** The earliest time in a zip file: the same content gives the same bytes. */
const MTIME = new Date(1980, 0, 1);

function packFiles({ files }: Exported, form: ExportPlan["form"], name: string): Output {
  if (form === "skill") return files;
  const [first] = files.values();
  if (form === "web-bundle") return first!;
  const sorted = [...files].toSorted(([a], [b]) => a < b ? -1 : 1);
  const entries = sorted.map(([path, bytes]) => [`${name}/${path}`, bytes] as const);
  return zipSync(Object.fromEntries(entries), { mtime: MTIME, level: 6 }) as Uint8Array<ArrayBuffer>;
}

/** Whether a folder holds an earlier export, and no file that the new one lacks, which the user may have added. */
function isOwn(folder: string, files: Exported["files"]): boolean {
  const tree = diskTree(folder);
  return [...walkFiles(tree, "", () => false)].every((path) => files.has(path)) &&
    /^metadata:\n[ ]+generator: bmad-mcp export$/m.test(findText(tree, "SKILL.md") ?? "");
}

function reportOn(
  entry: Entry,
  form: ExportPlan["form"],
  path: string,
  { files, leftOut }: Exported,
  output: Output,
): Report {
  const bytes = output instanceof Uint8Array
    ? output.length
    : output.values().reduce((sum, each) => sum + each.length, 0);
  const name = qualifiedName(entry);
  const size = `${Math.max(1, Math.round(bytes / 1_024))} KB`;
  const holds = form === "web-bundle" ? size : `${counted(files.size, "file")}, ${size}`;
  const lost = leftOut.map(({ name, why }) => `Left out: ${name} (${why})`);
  return {
    text: [`Exported ${name} to ${path} (${holds})`, ...lost].join("\n"),
    data: { name, form, path, bytes, files: [...files.keys()], leftOut },
  };
}
