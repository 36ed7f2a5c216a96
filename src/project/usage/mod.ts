/** A faulty file of uses never costs an answer. */
import { qualifiedName } from "../../base/model.ts";
import { asValues, parseJson } from "../../base/values.ts";
import { type Clock, once, pause } from "../../base/work.ts";
import { LIMITS } from "../limits.ts";

interface Usable {
  readonly module: string;
  readonly id: string;
}

export type Usage = ReturnType<typeof openUsage>;

interface UsageOptions extends Pick<Clock, "now"> {
  readonly folder?: string;
  readonly isAdding?: boolean;
  warn?(text: string): void;
}

export function openUsage({ now, folder, isAdding = false, warn }: UsageOptions) {
  let uses = new Map<string, Use>();
  let unsaved = new Map<string, Use>();
  /** One at a time, so that a process never waits for its own draft. */
  let saving: Promise<void> = Promise.resolve();
  let rankedAt: number | undefined;

  const withFile = async (work: (folder: string) => Promise<void>): Promise<void> => {
    if (folder === undefined) return;
    try {
      await work(folder);
    } catch (error) {
      warn?.(`Cannot remember usage: ${error instanceof Error ? error.message : error}`);
      warn = undefined;
    }
  };
  const open = once(() =>
    withFile(async (folder) => {
      uses = mergeUses(await readUses(folder, now()), unsaved);
    })
  );
  const save = () =>
    withFile(async (folder) => {
      const adding = unsaved;
      unsaved = new Map();
      let saved: Uses | undefined;
      try {
        saved = await addUses(folder, adding, now());
      } finally {
        // What could not be added goes along with the next use.
        if (saved === undefined) unsaved = mergeUses(adding, unsaved);
        else uses = mergeUses(saved, unsaved);
      }
    });

  return {
    async note(used: Usable): Promise<void> {
      await open();
      for (const counted of [uses, unsaved]) addUse(counted, useKey(used), { count: 1, last: now() });
      if (isAdding) await (saving = saving.then(save));
    },
    async lookup() {
      await open();
      return (usable: Usable) => uses.get(useKey(usable));
    },
    /** A continued list keeps the order of its first page, although uses fade. */
    async ranking({ isContinued = false }: { readonly isContinued?: boolean } = {}) {
      await open();
      if (!isContinued || rankedAt === undefined) rankedAt = now();
      const at = rankedAt;
      return <T>(
        items: readonly T[],
        usableOf: (item: T) => Usable | undefined,
        boostOf?: (item: T) => number,
      ): readonly T[] => {
        if (uses.size === 0 && boostOf === undefined) return items;
        const useOf = (usable: Usable | undefined) =>
          usable && uses.size > 0 ? uses.get(useKey(usable)) : undefined;
        return rankByUse(items, (item) => useOf(usableOf(item)), at, boostOf);
      };
    },
  };
}

function useKey(used: Usable): string {
  return qualifiedName(used).toLowerCase();
}

export interface Use {
  readonly count: number;
  readonly last: number;
}

type Uses = ReadonlyMap<string, Use>;

function mergeUses(some: Uses, others: Uses): Map<string, Use> {
  const merged = new Map(some);
  for (const [key, use] of others) addUse(merged, key, use);
  return merged;
}

function addUse(uses: Map<string, Use>, key: string, { count, last }: Use): void {
  const use = uses.get(key);
  uses.set(key, { count: count + (use?.count ?? 0), last: Math.max(last, use?.last ?? 0) });
}

const FADING_MS = 15 * 60_000;
const MANY = 100;
const SHARES = { recency: 0.4, frequency: 0.3, position: 0.2 } as const;

export function scoreOf(
  use: Use | undefined,
  now: number,
  { position, total }: { readonly position: number; readonly total: number },
  boost = 0,
): number {
  // If the clock was set back, a use counts as being from now.
  const recency = use === undefined ? 0 : Math.exp(-Math.max(0, now - use.last) / FADING_MS);
  const frequency = use === undefined ? 0 : Math.min(1, Math.log2(use.count + 1) / Math.log2(MANY + 1));
  const early = total < 2 ? 1 : 1 - position / (total - 1);
  return SHARES.recency * recency + SHARES.frequency * frequency + SHARES.position * early + boost;
}

/** Items of equal score keep their order. There may be thousands: they are merged with the few that were used. */
export function rankByUse<T>(
  items: readonly T[],
  useOf: (item: T) => Use | undefined,
  now: number,
  boostOf: (item: T) => number = () => 0,
): readonly T[] {
  const total = items.length;
  const scoreAt = (position: number, use?: Use, boost?: number) =>
    scoreOf(use, now, { position, total }, boost);
  const plain: number[] = [];
  const moved: { readonly at: number; readonly score: number }[] = [];
  items.forEach((item, at) => {
    const [use, boost] = [useOf(item), boostOf(item)];
    if (use === undefined && boost === 0) plain.push(at);
    else moved.push({ at, score: scoreAt(at, use, boost) });
  });
  if (moved.length === 0) return items;
  moved.sort((a, b) => b.score - a.score);
  const ranked: T[] = [];
  let next = 0;
  for (const { at, score } of moved) {
    const isAbove = (other: number) => scoreAt(other) > score || (scoreAt(other) === score && other < at);
    while (next < plain.length && isAbove(plain[next]!)) ranked.push(items[plain[next++]!]!);
    ranked.push(items[at]!);
  }
  return [...ranked, ...plain.slice(next).map((at) => items[at]!)];
}

const FILE = "uses.json";
const DRAFT = "uses.json.new";
const VERSION = 1;

export async function readUses(folder: string, now: number): Promise<Uses> {
  try {
    const path = `${folder}/${FILE}`;
    const { isFile, size } = await Deno.lstat(path);
    return isFile && size <= LIMITS.usage.fileBytes
      ? parseUses(await Deno.readTextFile(path), now)
      : new Map();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Map();
    throw error;
  }
}

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
  for (let tries = 0; tries < LIMITS.usage.draftTries; tries++) {
    try {
      return await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
    const since = (await Deno.lstat(path).catch(() => undefined))?.mtime?.getTime();
    if (since !== undefined && now - since > LIMITS.usage.draftAgeMs) await Deno.remove(path).catch(() => {});
    else await pause(LIMITS.usage.draftPollMs);
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
  const named = [...uses].filter(([name]) => name.length <= LIMITS.usage.nameChars);
  return new Map(named.sort(([, a], [, b]) => b.last - a.last).slice(0, LIMITS.usage.items));
}
