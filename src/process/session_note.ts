/**
 * Notes which sessions of clients have begun, so that something is done once in each of them.
 *
 * Several hooks may run at the same moment: the one that creates the note is the first. A note holds nothing but its
 * date, and its name is a hash, because a session's id is the client's.
 */

/** In the state folder. */
const FOLDER = "sessions";
const MAX_NOTES = 100;
/** A session that was left for this long is as good as a new one. */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;

/** Whether nobody has noted this session before. Where no note can be written, every session is new. */
export async function noteSession(
  stateFolder: string | undefined,
  session: string,
  now: number,
): Promise<boolean> {
  if (stateFolder === undefined) return true;
  const folder = `${stateFolder}/${FOLDER}`;
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    clearOld(folder, now);
    Deno.openSync(`${folder}/${await hashOf(session)}`, { write: true, createNew: true, mode: 0o600 })
      .close();
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.AlreadyExists);
  }
}

function clearOld(folder: string, now: number): void {
  const paths = Array.from(Deno.readDirSync(folder), ({ name }) => `${folder}/${name}`);
  if (paths.length <= MAX_NOTES) return;
  for (const path of paths) {
    const { mtime, isFile } = Deno.lstatSync(path);
    if (isFile && now - (mtime?.getTime() ?? 0) > MAX_AGE_MS) Deno.removeSync(path);
  }
}

async function hashOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(bytes).toHex().slice(0, 32);
}
