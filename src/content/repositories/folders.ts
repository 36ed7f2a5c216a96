/** Listing, measuring and removing folders of the cache, where anything may vanish at any time. */
import { isDenied, isMissing } from "../../base/absence.ts";

export function foldersIn(folder: string): readonly string[] {
  return entriesIn(folder).filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
}

export function entriesIn(folder: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

export function isAbsent(error: unknown): boolean {
  return isMissing(error) || isDenied(error);
}

export async function removeTree(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch {
    // A git that was killed may still have been writing.
  }
}

/** The unit in which file systems give out space. An empty file costs no less: its name and its dates. */
const BLOCK = 4_096;

export function diskSize(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK)) * BLOCK;
}

/** Stops measuring beyond `enough`. Links count as themselves. Asynchronous, because the files may be many. */
export async function folderSize(folder: string, enough = Infinity): Promise<number> {
  let size = 0;
  for (const { name, isDirectory } of entriesIn(folder)) {
    const path = `${folder}/${name}`;
    size += isDirectory
      ? diskSize(0) + await folderSize(path, enough - size)
      : diskSize(await fileSize(path));
    if (size > enough) break;
  }
  return size;
}

async function fileSize(path: string): Promise<number> {
  try {
    return (await Deno.lstat(path)).size;
  } catch (error) {
    if (isAbsent(error)) return 0;
    throw error;
  }
}
