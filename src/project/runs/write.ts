/**
 * Writes new files inside the project, whole or not at all.
 *
 * A file is written under a hidden name and then linked to its own, which fails if that exists: nothing is ever
 * overwritten, and nobody sees half a file, even if the program is killed. Every folder on the way is resolved first;
 * a link that leads out of the project is not followed.
 */
import { BmadError, fail } from "../../base/errors.ts";
import { baseName, isInside, joinPath, parentPath } from "../../content/tree/mod.ts";
import type { ProjectFolder } from "./project_folder.ts";

/** Drafts that a killed program left behind are deleted after an hour. */
const STALE_MS = 3_600_000;
const UNFINISHED = ".unfinished";

/** Writes a new file and the folders it lies in; false if the file exists. */
export function writeNew(project: ProjectFolder, path: string, text: string, now: number): boolean {
  try {
    const folder = makeFolder(project.root, parentPath(path));
    deleteStaleDrafts(project, parentPath(path), folder, now);
    const target = `${folder}/${baseName(path)}`;
    if (exists(target)) return false;
    const draft = `${folder}/.${baseName(path)}.${crypto.randomUUID()}${UNFINISHED}`;
    try {
      writeDraft(draft, text);
      return publish(draft, target);
    } finally {
      ifFound(() => Deno.removeSync(draft));
    }
  } catch (error) {
    if (error instanceof BmadError) throw error;
    return fail({ code: "not-allowed", what: `write ${path}`, hint: reasonOf(error) });
  }
}

/** Makes the folders of a path one by one, none outside the root. Returns the last one with its links resolved. */
function makeFolder(root: string, path: string): string {
  let folder = root;
  for (const name of path.split("/")) {
    const next = `${folder}/${name}`;
    const resolve = () => ifFound(() => Deno.realPathSync(next));
    const real = resolve() ?? (make(next), resolve());
    if (real === undefined || !isInside(real, root)) fail({ code: "outside-root", path });
    folder = real;
  }
  return folder;
}

function make(folder: string): void {
  try {
    Deno.mkdirSync(folder);
  } catch (error) {
    // Another program may have been faster.
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

function exists(path: string): boolean {
  return ifFound(() => Deno.lstatSync(path)) !== undefined;
}

function ifFound<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function writeDraft(path: string, text: string): void {
  using file = Deno.openSync(path, { write: true, createNew: true });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  file.syncDataSync();
}

/** Gives a draft its name; false if another file has it. */
function publish(draft: string, target: string): boolean {
  try {
    Deno.linkSync(draft, target);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    // Some disks have no hard links. There, two programs can both find the name free; the later one wins.
    if (exists(target)) return false;
    Deno.renameSync(draft, target);
  }
  return true;
}

function deleteStaleDrafts({ tree }: ProjectFolder, path: string, folder: string, now: number): void {
  for (const { name } of tree.list(path)) {
    if (!name.startsWith(".") || !name.endsWith(UNFINISHED)) continue;
    const { modified = now } = tree.stat(joinPath(path, name)) ?? {};
    if (now - modified > STALE_MS) ifFound(() => Deno.removeSync(`${folder}/${name}`));
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) {
    return "the program may not write there; a link may lead the folder out of the project";
  }
  return error instanceof Error ? error.message : String(error);
}
