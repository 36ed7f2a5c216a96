/**
 * Uses that outlive the process: one small JSON file. A draft is written first and then renamed; while it exists, no
 * other process writes.
 */
import { asValues, parseJson } from "../../base/values.ts";
import { pause } from "../../base/work.ts";
import { mergeUses, type Use, type Uses } from "./uses.ts";

const FILE = "uses.json";
const DRAFT = "uses.json.new";
const VERSION = 1;

const MAX_ITEMS = 500;
const MAX_NAME = 200;
/** A larger file is not ours. */
const MAX_BYTES = 262_144;
/** An older draft belongs to a process that ended. */
const ABANDONED_MS = 10_000;
const TRIES = 10, PAUSE_MS = 10;

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

/** Adds uses to the file and returns all of them; undefined if other processes kept writing. */
export async function addUses(folder: string, uses: Uses, now: number): Promise<Uses | undefined> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const path = `${folder}/${DRAFT}`;
  using draft = await openDraft(path, now);
  if (draft === undefined) return undefined;
  try {
    const all = latest(mergeUses(await readUses(folder, now), uses));
    const rows = Object.fromEntries([...all].map(([name, { count, last }]) => [name, [count, last]]));
    await new Blob([`${JSON.stringify({ version: VERSION, uses: rows })}\n`]).stream().pipeTo(draft.writable);
    await Deno.rename(path, `${folder}/${FILE}`);
    return all;
  } catch (error) {
    await Deno.remove(path).catch(() => {});
    throw error;
  }
}

/** Undefined while another process has the draft; an abandoned one is taken over. */
async function openDraft(path: string, now: number): Promise<Deno.FsFile | undefined> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
    const since = (await Deno.lstat(path).catch(() => undefined))?.mtime?.getTime();
    if (since !== undefined && now - since > ABANDONED_MS) await Deno.remove(path).catch(() => {});
    else await pause(PAUSE_MS);
  }
  return undefined;
}

function parseUses(text: string, now: number): Uses {
  const { version, uses } = asValues(parseJson(text));
  if (version !== VERSION) return new Map();
  const rows = Object.entries(asValues(uses)).flatMap(([name, row]): readonly (readonly [string, Use])[] => {
    const [count, last] = Array.isArray(row) ? row : [];
    const isValid = Number.isSafeInteger(count) && count > 0 && Number.isFinite(last);
    // A clock that was ahead must not keep an item at the top.
    return isValid ? [[name, { count, last: Math.min(last, now) }]] : [];
  });
  return latest(new Map(rows));
}

function latest(uses: Uses): Uses {
  const named = [...uses].filter(([name]) => name.length <= MAX_NAME);
  return new Map(named.sort(([, a], [, b]) => b.last - a.last).slice(0, MAX_ITEMS));
}
