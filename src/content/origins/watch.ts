/**
 * A hint that something changed in some folders, as soon as the system tells.
 *
 * Only the very folders are watched, not what lies below them. Systems forget events, send too many, or have no
 * watchers left: nothing is sure but what a look at the folders shows.
 */

/** More folders than that take long to watch, and leave too little for other programs. */
const MAX_FOLDERS = 2_000;

/** Calls back whenever something may have changed; returns how to stop that. */
export function watchFolders(folders: readonly string[], hint: () => void): () => void {
  if (folders.length === 0) return () => {};
  try {
    const watcher = Deno.watchFs(folders.slice(0, MAX_FOLDERS), { recursive: false });
    forward(watcher, hint);
    return () => watcher.close();
  } catch {
    // Too many watchers, or a folder that is gone by now.
    return () => {};
  }
}

async function forward(events: AsyncIterable<{ readonly kind: string }>, hint: () => void): Promise<void> {
  try {
    // Whoever only opened or closed a file changed nothing.
    for await (const { kind } of events) if (kind !== "access") hint();
  } catch {
    // A watcher that breaks gives no more hints.
  }
}
