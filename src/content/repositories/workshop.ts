/**
 * The workshop of the cache: where copies are made before they are seen, and where locks and failures are kept.
 */
import { type CachePlace, entriesIn, foldersIn, isAbsent, WORKSHOP } from "./cache.ts";
import { ifFree } from "./lock.ts";

/** Makes the workshop, and the cache around it, for this user alone. */
export function makeWorkshop({ workshop }: Pick<CachePlace, "workshop">): void {
  Deno.mkdirSync(workshop, { recursive: true, mode: 0o700 });
}

/** The file that stands for the lock of a repository. */
export function lockFile({ workshop, name }: Pick<CachePlace, "workshop" | "name">): string {
  return `${workshop}/${name}.lock`;
}

/** Removes what an update of this repository left behind when it was killed. Only for who holds its lock. */
export async function sweep({ workshop, name }: Pick<CachePlace, "workshop" | "name">): Promise<void> {
  for (const { name: left } of entriesIn(workshop)) {
    const isLeft = left.startsWith(`${name}.tmp-`) || left.startsWith(`${name}.draft-`);
    if (isLeft) await removeTree(`${workshop}/${left}`);
  }
}

/** The same for every repository on which nobody is working. */
export async function sweepAll(cache: string): Promise<void> {
  const workshop = `${cache}/${WORKSHOP}`;
  const names = new Set(foldersIn(workshop).map((left) => left.replace(/\.tmp-.*$/, "")));
  for (const name of names) {
    await ifFree(lockFile({ workshop, name }), () => sweep({ workshop, name }));
  }
}

/** Removes a folder with all that is in it, or a file. What cannot be removed is left for the next time. */
export async function removeTree(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch {
    // A git that was ended may have been writing still.
  }
}

/**
 * The bytes of all files below a folder. Links count as themselves; what goes meanwhile does not count. There may be
 * very many files: others get their turn between them.
 */
export async function folderSize(folder: string): Promise<number> {
  let size = 0;
  for (const { name, isDirectory } of entriesIn(folder)) {
    const path = `${folder}/${name}`;
    size += isDirectory ? await folderSize(path) : await fileSize(path);
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
