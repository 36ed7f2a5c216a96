/**
 * A hint that something changed in some folders, as soon as the system notices.
 *
 * Only these folders are watched, not those below them. Systems lose events, send too many, or run out of watchers: a
 * hint is only a reason to check, and without one a regular check finds the change.
 *
 * Folders of memory databases are not watched: Deno opens and closes every file that an event names, which drops the
 * locks that this process has on it (`isDatabase`).
 */
import { baseName, parentPath, realPath } from "../tree/mod.ts";

/** More folders than this take long to watch, and leave too few watchers for other programs. */
const MAX_FOLDERS = 2_000;

/** What BMAD calls the folder in which a project keeps its memory. */
const MEMORY_FOLDER = "_memory";

/** Calls back whenever something may have changed; returns a function that stops this. */
export function watchFolders(
  folders: readonly string[],
  hint: () => void,
  databases: readonly string[] = [],
): () => void {
  const avoided = new Set(databases.map(parentPath));
  const watched = folders.slice(0, MAX_FOLDERS).filter((folder) => {
    const real = realPath(folder)?.replaceAll("\\", "/");
    return real !== undefined && baseName(real) !== MEMORY_FOLDER && !avoided.has(real);
  });
  if (watched.length === 0) return () => {};
  try {
    const watcher = Deno.watchFs(watched, { recursive: false });
    forward(watcher, hint);
    return () => watcher.close();
  } catch {
    // No watchers left, or a folder was removed meanwhile.
    return () => {};
  }
}

async function forward(events: AsyncIterable<{ readonly kind: string }>, hint: () => void): Promise<void> {
  try {
    // Opening or closing a file changes nothing.
    for await (const { kind } of events) if (kind !== "access") hint();
  } catch {
    // A broken watcher gives no more hints.
  }
}
