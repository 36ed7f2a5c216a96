/**
 * What the commands for authors work on, settled while the whole disk can still be seen.
 *
 * `validate` reads the folder that it is given, and the embedded packs that modules build on: nothing of the user's.
 * `export` writes one file or folder, under another name beside it first.
 */
import { fail } from "../../base/errors.ts";
import { isOwnFolder, type Place, resolvePath } from "../../base/paths.ts";
import { slug } from "../../base/values.ts";
import type { Invocation, Settings } from "../mod.ts";
import { type OriginPlan, planOrigins } from "./origins.ts";
import { type OutputDisk, type OutputPlan, planOutput } from "./output.ts";

/** What `validate` looks at. */
export interface ValidationPlan {
  /** The folder to read, absolute and real. */
  readonly root: string;
  /** The part of it that was asked for; empty for all of it. */
  readonly within: string;
  /** The only folder of the root that counts, besides records; all of them if it is undefined. */
  readonly only?: string;
}

/** What the plan asks of the disk. */
interface Disk {
  findFolder(path: string): string | undefined;
  readHead?(path: string): string | undefined;
}

/** Plans what `validate` looks at; undefined for any other command. */
export function planValidation(
  { name, operands: [given = ""] }: Invocation,
  { cwd, home, os }: Place,
  { findFolder, readHead }: Disk,
): ValidationPlan | undefined {
  if (name !== "validate") return undefined;
  const path = resolvePath(given, { base: cwd, home, os }).replace(/(?<!\/)\/+$/, "") || "/";
  const folder = findFolder(path);
  if (folder === undefined) {
    const file = readHead?.(path) === undefined ? undefined : findFolder(parentOf(path));
    if (file === undefined) return fail({ code: "not-found", what: "folder", name: given });
    const name = path.slice(path.lastIndexOf("/") + 1);
    return name === "SKILL.md" ? skillPlan(file) : filePlan(`${file.replaceAll("\\", "/")}/${name}`);
  }
  return readHead?.(`${folder}/SKILL.md`) === undefined ? { root: folder, within: "" } : skillPlan(folder);
}

/** A skill is read as one of the folder that it lies in. */
function skillPlan(folder: string): ValidationPlan {
  const path = folder.replaceAll("\\", "/");
  const name = path.slice(path.lastIndexOf("/") + 1);
  return { root: parentOf(path), within: name, only: name };
}

/** The folders of a module in which items lie. */
const PARTS = /\/(?:agents|agent-teams|checklists|data|tasks|teams|templates|tools|workflows)\//;

/** A file is read as one of its module. */
function filePlan(path: string): ValidationPlan {
  const at = PARTS.exec(path)?.index ?? path.lastIndexOf("/");
  return { root: path.slice(0, at), within: path.slice(at + 1) };
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** The origins of a check: what is checked, the folders that the user names beside it, and both packs. */
export function validationOrigins(
  { root, only }: ValidationPlan,
  settings: Settings,
  place: Place,
  realName: (path: string) => string,
): readonly OriginPlan[] {
  const options = { pathsFromProject: false, isPackChosen: true, pins: new Map<string, never>(), realName };
  const named = planOrigins({ ...settings, mode: "strict", roots: [] }, place, undefined, options);
  const packs = (["latest", "v4"] as const).flatMap((pack) =>
    planOrigins({ ...settings, mode: "auto", paths: [], roots: [], pack }, place, undefined, options)
      .filter(({ origin }) => origin.kind === "package")
  );
  const own: OriginPlan = {
    origin: { id: "cli", kind: "cli", priority: 1, location: root },
    access: { via: "folder", path: root, ...(only && { only }) },
  };
  return [own, ...named, ...packs].map((plan, at) => ({
    ...plan,
    origin: { ...plan.origin, id: at === 0 ? "cli" : `${plan.origin.kind}-${at + 1}` },
  }));
}

const EXPORT_FORMS = ["zip", "web-bundle", "skill"] as const;

/** What `export` writes. */
export interface ExportPlan extends OutputPlan {
  readonly form: "zip" | "web-bundle" | "skill";
}

const ENDINGS: Readonly<Record<ExportPlan["form"], string>> = { zip: ".zip", "web-bundle": ".md", skill: "" };

/** Plans what `export` writes; undefined for any other command. */
export function planExport(
  { name, operands: [item = ""], options }: Invocation,
  place: Place,
  disk: OutputDisk,
  { readOnly }: Pick<Settings, "readOnly">,
): ExportPlan | undefined {
  if (name !== "export") return undefined;
  if (readOnly) {
    fail({ code: "not-allowed", what: "export", hint: "--read-only is set" });
  }
  const form = EXPORT_FORMS.find((form) => form === options.to);
  if (form === undefined) {
    const problem = options.to === undefined ? "Missing --to" : `Unknown form "${options.to}"`;
    return fail({
      code: "invalid-input",
      problem,
      hint: `Use --to ${EXPORT_FORMS.join("|")}`,
    });
  }
  if (options.out === undefined && isOwnFolder(place.cwd, { ...place, ...disk })) {
    const problem = "Missing --out: the working folder holds bmad-mcp itself";
    return fail({ code: "invalid-input", problem, hint: "Name the file or folder to write: --out PATH" });
  }
  const own = `${slug(item.slice(item.lastIndexOf("/") + 1)) || "export"}${ENDINGS[form]}`;
  const output = planOutput(options.out ?? own, options.force !== undefined, place, disk);
  return { form, ...output };
}
