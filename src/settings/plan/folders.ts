/**
 * Folders that files of a project name, checked before anything may be written to them.
 *
 * Pure: it asks the disk through the one function it is given.
 */
import { type Context, liesIn, resolvePath } from "../../base/paths.ts";

/** The folders of an installation, newest first. */
export const BASES = ["_bmad", ".bmad", "bmad"];

/** A folder that a file of the configuration names. */
export interface NamedFolder {
  readonly key: string;
  readonly folder: string;
}

/** What a check asks of the disk. */
interface Disk {
  readonly os: Context["os"];
  /** A folder with its links resolved; undefined if it does not exist. */
  findFolder(path: string): string | undefined;
}

/** Folders without those inside another. */
export function outermost(folders: readonly string[]): readonly string[] {
  const all = [...new Set(folders)];
  return all.filter((folder) => !all.some((other) => other !== folder && liesIn(folder, other)));
}

/** What has to be granted for a folder: of one that does not exist, its first missing parent, because we create it. */
export function grantFor(folder: string, root: string, findFolder: Disk["findFolder"]): string {
  let first = folder;
  for (let at = folder; findFolder(at) === undefined && liesIn(at, root); at = parentOf(at)) first = at;
  return first;
}

function parentOf(folder: string): string {
  return folder.slice(0, folder.lastIndexOf("/"));
}

/** A folder of the configuration: where it is, or why it is not written to. */
export function checkFolder(
  root: string,
  given: string,
  { findFolder, os }: Disk,
): { readonly real?: string; readonly reason?: string } {
  const plain = (path: string) => resolvePath(path, { base: root, home: undefined, os });
  const folder = plain(given.replace(/^\{project-root\}\/?/, "./"));
  const refuse = (reason: string) => ({ reason });
  if (/[{}~]/.test(given.replace(/^\{project-root\}/, ""))) return refuse("has a placeholder");
  if (!liesIn(folder, root)) return refuse("is outside the project");
  if (folder === root) return refuse("is the whole project");
  const real = plain(realFolder(folder, root, findFolder));
  if (!liesIn(real, root) || real === root) return refuse("leads out of the project");
  const own = real.slice(root.length + 1).split("/");
  if (
    own.some((name) => /^\.(?!(?:bmad-work|runs)$)|^node_modules$/i.test(name)) ||
    BASES.includes(own[0]!.toLowerCase())
  ) {
    return refuse("belongs to a program, not to documents");
  }
  return { real };
}

/** A folder with its links resolved, as far as it exists. */
function realFolder(folder: string, root: string, findFolder: Disk["findFolder"]): string {
  for (let head = folder; liesIn(head, root); head = parentOf(head)) {
    const real = findFolder(head);
    if (real !== undefined) return real + folder.slice(head.length);
  }
  return folder;
}

const SECTION = /^\s*\[([^\]]{1,80})\]/;
const ENTRY = /^\s*([A-Za-z_]{1,40})\s*[:=]\s*(?:"([^"]*)"|'([^']*)'|([^\s#"'][^#]*))/;

/** The values of some keys in the lines of a TOML or YAML file. */
export function* entriesIn(
  text: string,
  keys: readonly string[],
): Iterable<NamedFolder & { readonly section: string }> {
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    if (line.length > 1_000) continue;
    section = SECTION.exec(line)?.[1]?.trim() ?? section;
    const [, key = "", double, single, plain] = ENTRY.exec(line) ?? [];
    const folder = double ?? single ?? plain?.trim();
    if (keys.includes(key) && folder) yield { section, key, folder: folder.replace(/(?<!\/)\/+$/, "") };
  }
}
