import { failField, failFile, failInput } from "../../base/errors.ts";
import { type Entry, qualifiedName, shortName } from "../../base/model.ts";
import type { Report } from "../../base/report.ts";
import { counted } from "../../base/text.ts";
import { type Clock, type Work, type WriteResult, writeResult } from "../../base/work.ts";
import { type Exported, exportEntry, type Library, validateSource } from "../../content/library/mod.ts";
import type { Ask } from "../../content/live/mod.ts";
import type { Config, ExportPlan, NewPlan } from "../../settings/plan/mod.ts";
import { resolveName } from "../../content/catalog/mod.ts";
import { asTexts, asValues, parseToml } from "../../content/parse.ts";
import { diskTree, findText, parentPath, walkFiles } from "../../content/tree/mod.ts";
import { type Output, refuseWrite, writeNew, writeOutput } from "../files/mod.ts";
import { type StartFiles, startFiles } from "./starts.ts";
import { zipSync } from "fflate";
import { isPortableName } from "../../base/paths.ts";

export type Authoring = ReturnType<typeof openAuthoring>;

interface AuthoringTools extends Work {
  readonly config: Config;
  readonly clock: Pick<Clock, "now">;
  readonly ask: Ask;
}

export function openAuthoring({ config, clock, ask, ...work }: AuthoringTools) {
  return {
    validate: () => {
      const { validation } = config;
      if (validation === undefined) failInput("Missing PATH");
      return ask((library) => report(library, validation.within, work));
    },
    create: async (): Promise<WriteResult<Report>> => {
      const { creating } = config;
      if (creating === undefined) failInput("Missing NAME");
      return createItem(await ask((library) => library), creating, clock.now());
    },
    export: async (entry: Entry) => {
      const { exporting } = config;
      if (exporting === undefined) failInput("Missing --to");
      const write = await ask((library) => prepareExport(library, entry, exporting, work));
      return write(clock.now());
    },
  };
}

async function report(library: Library, within: string, work: Work) {
  const { faults, items, files, generations } = await validateSource(library, within, work);
  const known = faults.filter((fault) => fault.known !== undefined).length;
  const count = faults.length - known;
  const checked = `${counted(items, "item")} in ${counted(files, "file")}`;
  const rest = known === 0 ? "" : `, ${counted(known, "known upstream fault")}`;
  return {
    rows: faults.map((fault) => {
      const { path, line, message, rule, fix, known: because } = fault;
      const name = line === undefined ? path : `${path}:${line}`;
      const about = because === undefined
        ? `${message} [${rule}]. ${fix}`
        : `known upstream (${because}): ${message}`;
      return { name: name || ".", about, data: { ...fault } };
    }),
    // Known upstream faults do not count.
    isClean: count === 0,
    summary: `${checked}: ${count === 0 ? "no faults" : counted(count, "fault")}${rest}`,
    data: {
      items: faults,
      total: faults.length,
      faults: count,
      known,
      checked: { items, files, generations },
    },
  };
}

export function createItem(library: Library, plan: NewPlan, now: number): WriteResult<Report> {
  const { root, kind, name, module } = plan;
  const tree = diskTree(root);
  const record = `${plan.folder}/bmod-${module}/bmod.toml`;
  const isMember = plan.form === "records" && kind !== "module" && tree.stat(record) !== undefined;
  // Of a record that exists, only the list of skills changes.
  const files = startFiles(plan).filter(([path]) => !isMember || !path.startsWith(`${parentPath(record)}/`));
  checkFree(library, plan, files);
  const meant = kind === "module" ? undefined : resolveName(library.effective, { name });
  const before = isMember ? findText(tree, record) ?? "" : undefined;
  const listed = before === undefined ? undefined : withMember(before, name, record);
  for (const [path, text] of files) {
    if (!writeNew(root, path, text, now)) refuseWrite(path, EXISTS);
  }
  if (listed !== undefined) {
    const path = `${root}/${record}`;
    writeOutput(new TextEncoder().encode(listed), {
      path,
      draft: `${path}.unfinished`,
      now,
      isForced: true,
    });
  }
  const id = kind === "module" && plan.form !== "v4" && plan.form !== "compiled" ? `${name}-start` : name;
  const paths = files.map(([path]) => path);
  const served = `${module}/${id}`;
  return writeResult({
    text: [
      `Created the ${kind} ${name} (served as ${served}):`,
      ...paths.map((path) => `  ${path}`),
      ...(listed === undefined ? [] : [`  ${record} (${name} added to its skills)`]),
      ...(meant?.outcome !== "found" ? [] : [
        `"${name}" also means ${qualifiedName(meant.entry)}. Ask for ${served} if you mean the new one.`,
      ]),
    ].join("\n"),
    data: {
      kind,
      name,
      module,
      served,
      form: plan.form,
      files: paths,
      changed: listed === undefined ? [] : [record],
    },
  });
}

function checkFree({ manifest }: Library, { root, kind, name }: NewPlan, files: StartFiles): void {
  const tree = diskTree(root);
  const taken = files.find(([path]) => tree.stat(path) !== undefined);
  if (taken !== undefined) refuseWrite(taken[0], EXISTS);
  if (kind === "module") return;
  const other = manifest.entries.filter(({ status }) => status !== "no-file-found")
    .find(({ id, module }) => id === name || shortName(id, module) === shortName(name));
  if (other === undefined) return;
  const problem = `"${name}" is already a name of ${qualifiedName(other)} (${other.origin.id})`;
  failInput(problem, "Choose another name");
}

const EXISTS = "it exists, and nothing is replaced";

function withMember(text: string, name: string, path: string): string {
  const skillsOf = (toml: string) => asTexts(asValues(parseToml(toml).value["bmod"])["skills"] ?? []);
  const before = skillsOf(text);
  if (before.includes(name)) return text;
  const open = /^skills[ \t]*=[ \t]*\[/m.exec(text);
  const end = open === null ? -1 : text.indexOf("]", open.index);
  const last = text.slice(0, end).trimEnd();
  const comma = /[[,]$/.test(last) ? "" : ",";
  const after = open === null || end < 0
    ? text.replace(/^\[bmod\][ \t]*$/m, (line) => `${line}\nskills = ["${name}"]`)
    : `${last}${comma}${comma === "" && last.endsWith("[") ? "" : " "}"${name}"${
      text.slice(last.length, end)
    }${text.slice(end)}`;
  const expected = [...before, name].join("\n");
  if (skillsOf(after).join("\n") === expected) return after;
  return failFile(path, `its list of skills cannot be changed; add "${name}" by hand`);
}

export async function prepareExport(
  library: Library,
  entry: Entry,
  { form, path, draft, isForced }: ExportPlan,
  work: Work,
): Promise<(now: number) => WriteResult<Report>> {
  const isBundle = form === "web-bundle";
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (!isPortableName(last)) refuseName(last, "use a name that is safe on every system");
  const name = isBundle ? last : skillName(form === "zip" ? last.replace(/\.zip$/i, "") : last);
  const exported = await exportEntry(library, entry, { form: isBundle ? form : "skill", name }, work);
  const output = packFiles(exported, form, name);
  return (now) => {
    writeOutput(output, { path, draft, now, isForced, isOwn: (folder) => isOwn(folder, exported.files) });
    return writeResult(reportOn(entry, form, path, exported, output));
  };
}

function skillName(name: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 64) return name;
  return refuseName(name, "use lower-case letters, digits and hyphens, at most 64 characters");
}

function refuseName(name: string, hint: string): never {
  return failField("--out", `"${name}" cannot be the name of an export`, hint);
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

/** An earlier export, and no file that the new one lacks, which the user may have added. */
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
