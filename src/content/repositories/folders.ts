/**
 * Listing, measuring and removing folders of the cache, where anything may vanish at any time.
 */

/** The names of the folders in a folder; none when it is missing. */
export function foldersIn(folder: string): readonly string[] {
  return entriesIn(folder).filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
}

/** Everything in a folder; nothing when it is missing. */
export function entriesIn(folder: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Whether an error says that nothing is there, or nothing that we may see. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable;
}

/** Removes a folder with everything in it, or a file. What cannot be removed is left for the next time. */
export async function removeTree(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch {
    // A git that was killed may still have been writing.
  }
}

/** The unit in which file systems give out space. An empty file costs no less: its name and its dates. */
const BLOCK = 4_096;

/** The disk space that a file or folder of `bytes` bytes takes. */
export function diskSize(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK)) * BLOCK;
}

/**
 * The disk space that everything below a folder takes, in bytes; measuring stops beyond `enough`. Links count as
 * themselves; files that vanish meanwhile do not count. Asynchronous, because the files may be many and other work must
 * get its turn.
 */
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
