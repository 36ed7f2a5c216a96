/**
 * A hint that something changed in some folders, as soon as the system notices.
 *
 * Only these folders are watched, not those below them. Systems lose events, send too many, or run out of watchers: a
 * hint is only a reason to check, and without one a regular check finds the change.
 */

/** More folders than this take long to watch, and leave too few watchers for other programs. */
const MAX_FOLDERS = 2_000;

/** Calls back whenever something may have changed; returns a function that stops this. */
export function watchFolders(folders: readonly string[], hint: () => void): () => void {
  if (folders.length === 0) return () => {};
  try {
    const watcher = Deno.watchFs(folders.slice(0, MAX_FOLDERS), { recursive: false });
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
