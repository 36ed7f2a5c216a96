/**
 * Folders that files of a project name, checked before anything may be written to them.
 *
 * Pure: it asks the disk through the one function it is given.
 */
import { splitLines } from "../../base/text.ts";
import { type Context, liesIn, resolvePath } from "../../base/paths.ts";
import { type LookAt, type PlannedPath, resolveRight } from "../mod.ts";

/** A folder that a file of the configuration names. */
export interface NamedFolder {
  readonly key: string;
  readonly folder: string;
}

/** What a check asks of the disk. */
interface Disk {
  readonly os: Context["os"];
  readonly look: LookAt;
}

/** Folders without those inside another. */
export function outermost(folders: readonly string[]): readonly string[] {
  const all = [...new Set(folders)];
  return all.filter((folder) => !all.some((other) => other !== folder && liesIn(folder, other)));
}

/** What is planned for a folder that a project's configuration names. */
export function checkFolder(root: string, given: string, { look, os }: Disk): PlannedPath {
  const path = resolvePath(given.replace(/^\{project-root\}\/?/, "./"), { base: root, home: undefined, os });
  if (/[{}~]/.test(given.replace(/^\{project-root\}/, ""))) return { reason: "has a placeholder" };
  if (!liesIn(path, root)) return { reason: "is outside the project" };
  if (path === root) return { reason: "is the whole project" };
  return resolveRight({ path, kind: "folder", within: { root, holds: "documents" } }, look);
}

const SECTION = /^\s*\[([^\]]{1,80})\]/;
const ENTRY = /^\s*([A-Za-z_]{1,40})\s*[:=]\s*(?:"([^"]*)"|'([^']*)'|([^\s#"'][^#]*))/;

/** The values of some keys in the lines of a TOML or YAML file. */
export function* entriesIn(
  text: string,
  keys: readonly string[],
): Iterable<NamedFolder & { readonly section: string }> {
  let section = "";
  for (const line of splitLines(text)) {
    if (line.length > 1_000) continue;
    section = SECTION.exec(line)?.[1]?.trim() ?? section;
    const [, key = "", double, single, plain] = ENTRY.exec(line) ?? [];
    const folder = double ?? single ?? plain?.trim();
    if (keys.includes(key) && folder) yield { section, key, folder: folder.replace(/(?<!\/)\/+$/, "") };
  }
}
