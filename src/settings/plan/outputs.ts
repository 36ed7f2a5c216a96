/** Files are written under another name beside them first. */
import { failInput, failMissing, forbid } from "../../base/errors.ts";
import { isOwnFolder, resolvePath } from "../../base/paths.ts";
import { slug } from "../../base/values.ts";
import { resolveRight } from "../mod.ts";
import { type Claims, planFolder, refusedOf, type Start } from "./choice.ts";
import type { ProjectKit } from "./kit.ts";

interface OutputPlan extends Claims {
  readonly path: string;
  readonly draft: string;
  readonly isForced: boolean;
}

function planOutput(named: string, start: Start): OutputPlan {
  const { findFolder, look, within, invocation: { options } } = start;
  const given = resolvePath(named, start.context).replace(/(?<!\/)\/+$/, "") || "/";
  const parent = given.slice(0, given.lastIndexOf("/")) || "/";
  const folder = findFolder(parent) ?? failMissing("folder", parent);
  const name = given.slice(given.lastIndexOf("/") + 1);
  const path = `${folder.replace(/\/$/, "")}/${name}`;
  const files = [path, `${path}.unfinished`];
  for (const file of files) {
    const { reason } = resolveRight({ path: file, isPlain: true, ...within(given) }, look);
    if (reason !== undefined) forbid(`write ${file}`, `it ${reason}`);
  }
  const rights = { read: files, write: files };
  return { path, draft: files[1]!, isForced: options.force !== undefined, rights };
}

const ENDINGS = { zip: ".zip", "web-bundle": ".md", skill: "" } as const;
const EXPORT_FORMS = ["zip", "web-bundle", "skill"] as const;

export interface ExportPlan extends OutputPlan {
  readonly form: keyof typeof ENDINGS;
}

export function planExport(start: Start): ExportPlan | undefined {
  const { invocation: { name, operands: [item = ""], options }, settings: { readOnly } } = start;
  if (name !== "export") return undefined;
  if (readOnly) forbid("export", "--read-only is set");
  const form = EXPORT_FORMS.find((form) => form === options.to);
  if (form === undefined) {
    const problem = options.to === undefined ? "Missing --to" : `Unknown form "${options.to}"`;
    return failInput(problem, `Use --to ${EXPORT_FORMS.join("|")}`);
  }
  if (options.out === undefined && isOwnFolder(start.cwd, start)) {
    const problem = "Missing --out: the working folder holds bmad-mcp itself";
    return failInput(problem, "Name the file or folder to write: --out PATH");
  }
  const own = `${slug(item.slice(item.lastIndexOf("/") + 1)) || "export"}${ENDINGS[form]}`;
  return { form, ...planOutput(options.out ?? own, start) };
}

export interface BackupPlan extends Claims {
  readonly folder: string;
  readonly writable?: string;
  readonly output?: OutputPlan;
  readonly isForced: boolean;
}

const STREAM = "-";

export function planBackup(start: Start, { root, base }: ProjectKit): BackupPlan | undefined {
  const { name, operands: [action, file = STREAM], options } = start.invocation;
  if (name !== "memory" || (action !== "backup" && action !== "restore")) return undefined;
  const folder = `${base}/_memory`;
  const plan = { folder, isForced: options.force !== undefined };
  if (action === "backup" && file === STREAM) return plan;
  if (start.settings.readOnly) {
    forbid(`memory ${action}`, "--read-only is set");
  }
  if (action === "backup") {
    const output = planOutput(file, start);
    return { ...plan, output, rights: output.rights };
  }
  const written = planFolder(root, folder, "content", start);
  return written.real === undefined
    ? { ...plan, refused: refusedOf([written]) }
    : { ...plan, writable: written.real, rights: { write: [written.grant] } };
}
