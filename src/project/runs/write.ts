/**
 * Writing new files inside the project, whole or not at all.
 *
 * A file is written beside its place under a name that nobody reads, and then given its own name in one step, which
 * fails when there is one by that name: nothing is ever overwritten, and nobody sees half a file, even when the program
 * is killed. Every folder on the way is resolved first; one that a link leads out of the project is not entered.
 */
import { BmadError, fail } from "../../base/errors.ts";
import { baseName, isInside, joinPath, parentPath } from "../../content/tree/mod.ts";
import type { ProjectFolder } from "./project_folder.ts";

/** What a killed program left behind is cleared away after so long. */
const STALE_MS = 3_600_000;
const UNFINISHED = ".unfinished";

/** Writes a file that is not there yet, and the folders it lies in; false when there is one by that name. */
export function writeNew(project: ProjectFolder, path: string, text: string, now: number): boolean {
  try {
    const folder = makeFolder(project.root, parentPath(path));
    clearLeftovers(project, parentPath(path), folder, now);
    const target = `${folder}/${baseName(path)}`;
    if (isThere(target)) return false;
    const draft = `${folder}/.${baseName(path)}.${crypto.randomUUID()}${UNFINISHED}`;
    try {
      writeDraft(draft, text);
      return publish(draft, target);
    } finally {
      removeIfThere(draft);
    }
  } catch (error) {
    if (error instanceof BmadError) throw error;
    return fail({ code: "not-allowed", what: `write ${path}`, hint: reasonOf(error) });
  }
}

/** Makes the folders of a path one by one, none of them outside the root; returns the real name of the last. */
function makeFolder(root: string, path: string): string {
  let folder = root;
  for (const name of path.split("/")) {
    const next = `${folder}/${name}`;
    const real = realPath(next) ?? (make(next), realPath(next));
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

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function writeDraft(path: string, text: string): void {
  using file = Deno.openSync(path, { write: true, createNew: true });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  file.syncDataSync();
}

/** Gives a file its name; false when another has it. */
function publish(draft: string, target: string): boolean {
  try {
    Deno.linkSync(draft, target);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    // Some disks know no second names. There two programs could both find the name free; the later one wins.
    if (isThere(target)) return false;
    Deno.renameSync(draft, target);
  }
  return true;
}

function clearLeftovers({ tree }: ProjectFolder, path: string, folder: string, now: number): void {
  for (const { name } of tree.list(path)) {
    if (!name.startsWith(".") || !name.endsWith(UNFINISHED)) continue;
    const { modified = now } = tree.stat(joinPath(path, name)) ?? {};
    if (now - modified > STALE_MS) removeIfThere(`${folder}/${name}`);
  }
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) {
    return "the program was started without the right to write there; a link may lead the folder out of the project";
  }
  return error instanceof Error ? error.message : String(error);
}
