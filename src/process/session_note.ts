/** Something is done once in each session of a client. Ids are kept as hashes. */
import { attempt } from "../base/absence.ts";
import { sha256 } from "../base/text.ts";

const FOLDER = "sessions";
const MAX_NOTES = 100;
/** A session that was left for this long is as good as a new one. */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;

/** False if the session was noted before. Where no note can be written, every session is new. */
export async function noteSession(stateFolder: string | undefined, session: string, now: number) {
  if (stateFolder === undefined) return true;
  const folder = `${stateFolder}/${FOLDER}`;
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    clearOld(folder, now);
    writeNote(`${folder}/${await hashOf(session)}`);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.AlreadyExists);
  }
}

export type NotedSession = NonNullable<Awaited<ReturnType<typeof findSession>>>;

export async function findSession(stateFolder: string | undefined, session: string) {
  const folder = `${stateFolder}/${FOLDER}`;
  const reminder = `${folder}/${await hashOf(`${session} end`)}`;
  const since = modified(`${folder}/${await hashOf(session)}`);
  return stateFolder === undefined || since === undefined || modified(reminder) !== undefined
    ? undefined
    : { since, reminder };
}

export function noteReminder({ reminder }: NotedSession): boolean {
  return attempt(() => writeNote(reminder)) === true;
}

export function isWrittenIn({ since }: NotedSession, path: string): boolean {
  return (modified(path) ?? 0) > since;
}

function writeNote(path: string): true {
  Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  return true;
}

function modified(path: string): number | undefined {
  return attempt(() => Deno.lstatSync(path).mtime?.getTime());
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
  return (await sha256(text)).slice(0, 32);
}
