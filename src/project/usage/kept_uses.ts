/**
 * Uses that outlive the process: one small JSON file in a folder of its own.
 *
 * The file holds names of things, counts and times, and nothing of what a user wrote. It is written beside its place
 * and renamed, so that nobody ever reads half of it; while the draft is there, no other process writes. Whatever is
 * wrong with the file, what can be read of it counts.
 */
import { mergeUses, type Use, type Uses } from "./uses.ts";

const FILE = "uses.json";
const DRAFT = "uses.json.new";
const VERSION = 1;

/** More things than anybody uses; those that were used longest ago are forgotten. */
const MOST = 500;
/** A file that is larger is not ours. */
const MAX_BYTES = 262_144;
/** No name of a thing is longer. */
const MAX_NAME = 200;
/** A draft that is older was left behind by a process that ended. */
const LEFT_BEHIND_MS = 10_000;
/** How often, and how many milliseconds apart, it is tried to be the one who writes. */
const TRIES = 10;
const PAUSE_MS = 10;

/** What was kept; nothing when there is no file, or none that makes sense. */
export async function readUses(folder: string, now: number): Promise<Uses> {
  try {
    const path = `${folder}/${FILE}`;
    const { isFile, size } = await Deno.lstat(path);
    return isFile && size <= MAX_BYTES ? parseUses(await Deno.readTextFile(path), now) : new Map();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Map();
    throw error;
  }
}

/** Adds uses to what is kept, and returns all of it; undefined when others were writing all the time. */
export async function addUses(folder: string, uses: Uses, now: number): Promise<Uses | undefined> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = await openDraft(`${folder}/${DRAFT}`, now);
  if (draft === undefined) return undefined;
  try {
    const kept = newest(mergeUses(await readUses(folder, now), uses));
    const rows = Object.fromEntries([...kept].map(([name, { count, last }]) => [name, [count, last]]));
    const writer = draft.writable.getWriter();
    await writer.write(new TextEncoder().encode(`${JSON.stringify({ version: VERSION, uses: rows })}\n`));
    await writer.close();
    await Deno.rename(`${folder}/${DRAFT}`, `${folder}/${FILE}`);
    return kept;
  } catch (error) {
    await Deno.remove(`${folder}/${DRAFT}`).catch(() => {});
    throw error;
  }
}

/** The draft, if nobody else has one; one that was left behind is taken over. */
async function openDraft(path: string, now: number): Promise<Deno.FsFile | undefined> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
    const since = (await Deno.lstat(path).catch(() => undefined))?.mtime?.getTime();
    if (since !== undefined && now - since > LEFT_BEHIND_MS) await Deno.remove(path).catch(() => {});
    else await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return undefined;
}

/** The uses in a file's text, without rows that make no sense. */
function parseUses(text: string, now: number): Uses {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new Map();
  }
  const { version, uses } = (value ?? {}) as { readonly version?: unknown; readonly uses?: unknown };
  if (version !== VERSION || typeof uses !== "object" || uses === null) return new Map();
  const rows = Object.entries(uses).flatMap(([name, row]): readonly (readonly [string, Use])[] => {
    const [count, last] = Array.isArray(row) ? row : [];
    const isSound = Number.isSafeInteger(count) && count > 0 && Number.isFinite(last) &&
      name.length <= MAX_NAME;
    // A clock that was ahead must not keep a thing at the top.
    return isSound ? [[name, { count, last: Math.min(last, now) }]] : [];
  });
  return newest(new Map(rows));
}

/** The most that is kept, the latest used first. */
function newest(uses: Uses): Uses {
  return new Map(
    [...uses].filter(([name]) => name.length <= MAX_NAME).sort(([, a], [, b]) => b.last - a.last)
      .slice(0, MOST),
  );
}
