/**
 * The library, kept up with the disk.
 *
 * A library is one moment's picture and never changes. Here it is looked at whether that picture still holds, and
 * a new one is put in its place when it does not: when a request comes and the last look is a second old, and as
 * long as anybody listens also by a clock and when the system hints at a change. Requests that are under way end
 * on the library they began with.
 */
import type { Config } from "../settings/plan/mod.ts";
import { type Clock, once, pause, type Work } from "../base/work.ts";
import {
  type Change,
  compareLibraries,
  type Library,
  listFiles,
  type Opening,
  openLibrary,
  surveyOrigins,
  suspectLibrary,
} from "./library/mod.ts";
import type { Diagnostic, Origin } from "../base/model.ts";
import { type OpenOrigin, openOrigins, watchFolders } from "./origins/mod.ts";
import { joinPath, parentPath } from "./tree/mod.ts";

/** The library of the present moment. */
export interface Live {
  /** The origins, looked into just so far that their contents can be counted. */
  surveyed(): Promise<readonly Opening[]>;
  /** Does some work on the library; again, if a file that it read was being written. */
  ask<T>(work: (library: Library) => T | Promise<T>): Promise<T>;
  /** How often what had changed was read anew so far, and how often that failed. */
  reloads(): Reloads;
  /** Looks at once whether anything has changed. When it settles, that is served. */
  look(): Promise<void>;
  /** Calls back on every change from now on; returns how to end that. Only while somebody listens is anything watched. */
  onChange(listener: (change: Change) => void): () => void;
}

/** How often the content was read anew. */
export interface Reloads {
  /** What was read is served. */
  readonly done: number;
  /** What was there before is served. */
  readonly failed: number;
}

/** How soon after somebody begins to listen it is first looked: the start comes first. */
const FIRST_MS = 500;
/** How often it is looked whether anything changed. */
const CHECK_MS = 1_000;
/** A file is taken for finished when nothing was written for so long. */
const QUIET_MS = 100;
/** What makes no sense and is younger than this may be half written. */
const RECENT_MS = 1_000;
/** How often a file that may be half written is waited for. */
const TRIES = 3;
/** Between two looks at least so many times as long as one takes: when nothing is to be done, at requests, at hints. */
const SHARES = { idle: 100, request: 10, hint: 3 } as const;

/** A look that seems to have taken longer was interrupted: the machine slept. */
const MOST_COST_MS = 10_000;

/** What was read at one time. */
interface Edition {
  /** When the reading began. */
  readonly since: number;
  readonly origins: readonly OpenOrigin[];
  readonly openings: readonly Opening[];
  library(): Promise<Library>;
  /** The library, once it was opened. */
  opened?: Library;
  /** The same, once its files were listed and nothing had changed by then: what a later one can be compared with. */
  baseline?: Library;
}

/** Opens the library of a configuration. Nothing is read before somebody asks. `progress` is told of long readings. */
export function openLive(config: Config, clock: Clock, progress?: Work["progress"]): Live {
  const reading: Reading = { config, clock, progress };
  const listeners = new Set<(change: Change) => void>();
  const emit = (change: Change) => {
    if (isAnything(change)) { for (const listener of listeners) listener(change); }
  };

  let edition: Edition | undefined;
  const reloads = { done: 0, failed: 0 };
  const looked = { folders: 0, files: 0 };
  const first = once(async () => {
    edition = await readEdition(reading);
    looked.folders = looked.files = clock.now();
    return edition;
  });
  const current = async () => edition ?? await first();

  /** How long the last look at each took. */
  const cost = { folders: 0, files: 0 };
  const isDue = (what: "folders" | "files", share: number) => {
    const age = clock.now() - looked[what];
    // A clock that was set back says nothing about the last look.
    return age < 0 || age >= Math.max(CHECK_MS, share * cost[what]);
  };

  const look = async (files: boolean): Promise<void> => {
    const old = await current();
    const unseen = listeners.size > 0 && old.baseline === undefined ? await old.library() : undefined;
    if (unseen !== undefined) listFiles(unseen);
    const begun = clock.now();
    const stale = new Set<string>();
    for (const { origin, footprint } of old.origins) {
      if (await footprint?.differs({ files: files || unseen !== undefined })) stale.add(origin.id);
    }
    looked.folders = clock.now();
    if (files) looked.files = looked.folders;
    cost[files ? "files" : "folders"] = Math.min(looked.folders - begun, MOST_COST_MS);
    if (stale.size > 0) await replace(old, stale);
    else if (unseen !== undefined) watch(old, unseen);
  };

  const replace = async (old: Edition, stale: ReadonlySet<string>): Promise<void> => {
    const next = await readSettled(reading, old, stale);
    const library = await next.library();
    const change = listeners.size === 0
      ? NO_CHANGE
      : old.baseline === undefined
      ? await suspectLibrary(old.opened, library, old.since - QUIET_MS)
      : await compareLibraries(old.baseline, library);
    edition = next;
    reloads.done++;
    trouble = undefined;
    watch(next, library);
    emit(change);
    // More may have come while we read.
    isHinted = false;
    hint();
  };

  let trouble: string | undefined;
  /** Tells of a failure to read, but not of the same one again and again. */
  const report = (error: unknown) => {
    reloads.failed++;
    const reason = error instanceof Error ? error.message : String(error);
    if (reason === trouble) return;
    trouble = reason;
    emit({ ...NO_CHANGE, diagnostics: [reloadFailed(reason)] });
  };

  let looking: Promise<void> | undefined;
  const refresh = (files: boolean): Promise<void> =>
    looking ??= look(files).catch(report).finally(() => looking = undefined);

  let unwatch = () => {};
  const watch = (read: Edition, library: Library) => {
    unwatch();
    // Whoever listened may be gone by now.
    const isWanted = listeners.size > 0;
    read.baseline = isWanted ? library : undefined;
    unwatch = isWanted ? watchFolders(foldersOf(library, read.origins), hint) : () => {};
  };
  const stop = () => {
    callOff();
    unwatch();
    unwatch = () => {};
    // What changes while nobody listens is compared with nothing.
    if (edition !== undefined) edition.baseline = undefined;
  };

  let callOff = () => {};
  let isTicking = false;
  let isHinted = false;
  const schedule = (ms: number) => {
    callOff();
    callOff = clock.after(ms, tick);
  };
  const scheduleNext = () =>
    schedule(
      isHinted
        ? Math.max(QUIET_MS, SHARES.hint * cost.files)
        : Math.max(CHECK_MS, SHARES.idle * cost.folders),
    );
  const hint = () => {
    if (isHinted || listeners.size === 0) return;
    isHinted = true;
    if (!isTicking) scheduleNext();
  };
  const tick = async () => {
    isTicking = true;
    // A look that a request has begun may be past what the hint is about.
    await looking;
    const files = isHinted || isDue("files", SHARES.idle);
    isHinted = false;
    await refresh(files);
    isTicking = false;
    if (listeners.size > 0) scheduleNext();
  };

  const fresh = async (): Promise<Edition> => {
    await current();
    if (isDue("folders", SHARES.request)) await refresh(isDue("files", SHARES.request));
    return current();
  };

  return {
    surveyed: async () => (await fresh()).openings,
    ask: async (work) => {
      for (let tries = 0;; tries++) {
        const library = await (await fresh()).library();
        const outcome = await settle(() => work(library));
        const isHalf = library.holdings.some(({ tree }) => isWithin(QUIET_MS, tree.newestRead(), clock));
        if (!isHalf || tries === TRIES) return outcome();
        await pause(QUIET_MS, undefined, clock);
      }
    },
    reloads: () => ({ ...reloads }),
    look: async () => {
      // A look that is under way may be past what has changed.
      await looking;
      await refresh(false);
    },
    onChange: (listener) => {
      listeners.add(listener);
      if (listeners.size === 1 && !isTicking) schedule(FIRST_MS);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stop();
      };
    },
  };
}

const NO_CHANGE: Change = {
  tools: false,
  prompts: false,
  resources: false,
  touched: new Set(),
  diagnostics: [],
};

function reloadFailed(reason: string): Diagnostic {
  const message = `what changed on disk could not be read, and what was there before is served: ${reason}`;
  return { level: "error", code: "reload-failed", message };
}

function isAnything({ tools, prompts, resources, touched, diagnostics }: Change): boolean {
  return tools || prompts || resources || touched.size > 0 || diagnostics.length > 0;
}

/** What is read, and with what. */
interface Reading {
  readonly config: Config;
  readonly clock: Clock;
  readonly progress: Work["progress"];
}

/** Reads every origin, of an edition before only those that are stale. */
async function readEdition(
  { config, clock, progress }: Reading,
  old?: Edition,
  stale: ReadonlySet<string> = new Set(),
): Promise<Edition> {
  const since = clock.now();
  const { project, settings: { maxFile, maxFiles } } = config;
  const isKept = ({ id }: Origin) => old !== undefined && !stale.has(id);
  const { origins, diagnostics } = await openOrigins(config.origins, {
    maxFile,
    git: config.git,
    now: clock.now,
    reuse: (origin) => isKept(origin) ? old?.origins.find((open) => open.origin.id === origin.id) : undefined,
  });
  const openings = await surveyOrigins(
    origins.map((open) => old?.openings.find(({ tree }) => tree === open.tree) ?? open),
  );
  const kept = old?.opened?.holdings.filter(({ origin }) => isKept(origin)) ?? [];
  const known = new Map(kept.map(({ tree, inventory }) => [tree, inventory]));
  const ready = openings.map((opening) => ({
    ...opening,
    inventory: opening.inventory ?? known.get(opening.tree),
  }));
  return makeEdition({ since, origins, openings }, ready, { project, maxFiles, diagnostics, progress });
}

/** Apart from the reading, so that no edition keeps the one before it: functions of one scope hold all that it knows. */
function makeEdition(
  facts: Pick<Edition, "since" | "origins" | "openings">,
  ready: readonly Opening[],
  options: Parameters<typeof openLibrary>[1],
): Edition {
  const edition: Edition = {
    ...facts,
    library: once(async () => edition.opened = await openLibrary(ready, options)),
  };
  return edition;
}

/** The same, but not while files are being written: then what was read before is kept for a moment longer. */
async function readSettled(
  reading: Reading,
  old: Edition,
  stale: ReadonlySet<string>,
): Promise<Edition> {
  for (let tries = 0;; tries++) {
    const { clock } = reading;
    const read = await readEdition(reading, old, stale);
    const { holdings } = await read.library();
    const isHalf = holdings.filter(({ origin }) => stale.has(origin.id)).some(({ tree, inventory }) =>
      isWithin(QUIET_MS, tree.newestRead(), clock) ||
      inventory.diagnostics.some(({ path }) =>
        path !== undefined && isWithin(RECENT_MS, tree.stamp(path)?.time ?? 0, clock)
      )
    );
    if (!isHalf || tries === TRIES) return read;
    await pause(QUIET_MS, undefined, clock);
  }
}

/** The folders in which a change matters: those of BMAD roots and skills, and those in which new ones would appear. */
function foldersOf({ holdings }: Library, origins: readonly OpenOrigin[]): readonly string[] {
  return holdings.flatMap(({ tree, inventory: { mounts, roots } }) => {
    const tops = new Set([...mounts, ...roots].map(({ path }) => path));
    const isCovered = (folder: string): boolean =>
      tops.has(folder) || (folder !== "" && isCovered(parentPath(folder)));
    const listed = origins.find((origin) => origin.tree === tree)?.footprint?.folders() ?? [];
    return listed.filter((folder) => folder === "" || isCovered(folder))
      .map((folder) => joinPath(tree.location, folder));
  });
}

/** Whether a time is one of the last so many milliseconds. */
function isWithin(ms: number, time: number, clock: Clock): boolean {
  const age = clock.now() - time;
  return age >= 0 && age < ms;
}

/** Work that was done: what it gave, or what it threw. */
async function settle<T>(work: () => T | Promise<T>): Promise<() => T> {
  try {
    const value = await work();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
