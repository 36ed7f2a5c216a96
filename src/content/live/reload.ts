/** When to check the disk, and replacing a snapshot that has changed. The more a check costs, the rarer it becomes. */
import type { OriginPlan } from "../../settings/plan/mod.ts";
import { assumeChanged, type Change, compareLibraries, type Library, prepareFiles } from "../library/mod.ts";
import { type Clock, once, waitAside } from "../../base/work.ts";
import { LIMITS } from "../limits.ts";
import { watchFolders } from "../origins/mod.ts";
import {
  documentsIn,
  type Reading,
  readSettled,
  readSnapshot,
  type Snapshot,
  watchedFolders,
} from "./snapshot.ts";

export interface Reloads {
  readonly done: number;
  readonly failed: number;
}

interface Audience {
  /** Otherwise nothing is compared or watched. */
  isHeard(): boolean;
  changed(change: Change): void;
  hinted(): void;
  replaced(): void;
}

const NO_CHANGE: Change = {
  overview: false,
  entries: false,
  resources: false,
  touched: new Set(),
  diagnostics: [],
};

export function openReloader(reading: Reading, times: CheckTimes, audience: Audience) {
  const { clock, config } = reading;
  let plans = config.origins;
  let wanted = plans;
  let present: Snapshot | undefined;
  /** After its files were listed, to compare the next snapshot with. Only while heard. */
  let baseline: Library | undefined;
  let running: Promise<void> | undefined;
  /** Whether a request waits for that check, which must not give way to it then. */
  let nextCheck: Promise<void> | undefined;
  let reloads: Reloads = { done: 0, failed: 0 };
  let failure: string | undefined;
  let stopWatching = () => {};

  const readFirst = once(async () => {
    present = await readSnapshot(reading, plans);
    times.reset();
  });
  const current = async (): Promise<Snapshot> => {
    if (present === undefined) await readFirst();
    return present!;
  };

  const check = async (scope: Scope): Promise<void> => {
    const old = await current();
    const begun = clock.now();
    const stale = new Set<string>();
    const files = scope === "files";
    for (const [at, { origin, footprint }] of old.origins.entries()) {
      const documents = documentsIn(old.openings[at]!, config);
      if (await footprint?.differs({ files, documents })) stale.add(origin.id);
    }
    readLists();
    times.record(scope, begun);
    if (wanted !== plans) {
      for (const { origin } of wanted.filter((plan) => !isPlanned(plan, plans))) stale.add(origin.id);
    }
    if (stale.size > 0 || wanted.length !== plans.length) return await replace(old, stale);
    plans = wanted;
  };

  /** Joins the check that is under way, which does not give way to a request that waits for it. */
  const shareCheck = (scope: Scope): Promise<void> =>
    waitAside(running ??= check(scope).catch(reportFailure).finally(() => running = undefined));

  /** One that has not begun yet: one under way may already be past what has changed. */
  const checkAgain = (): Promise<void> =>
    waitAside(
      nextCheck ??= Promise.resolve(running).then(() => {
        nextCheck = undefined;
        return running === undefined ? shareCheck("files") : checkAgain();
      }),
    );

  /** Listing the files can take seconds, and no request waits for it. */
  const checkHeard = async (scope: Scope): Promise<void> => {
    if (baseline !== undefined || !audience.isHeard()) {
      return await shareCheck(scope);
    }
    const snapshot = await current();
    const library = await snapshot.library();
    await prepareFiles(library);
    while (running !== undefined) await running;
    await shareCheck("files");
    if (present === snapshot && baseline === undefined) watch(snapshot, library);
  };

  const readLists = () => {
    if (config.sourceLists?.isChanged() !== true) return;
    try {
      wanted = config.sourceLists.plan();
    } catch (error) {
      reportFailure(error);
    }
  };

  const replace = async (old: Snapshot, stale: ReadonlySet<string>): Promise<void> => {
    const nextPlans = wanted;
    const next = await readSettled(reading, nextPlans, old, stale);
    const library = await next.library();
    const change = await changeSince(old, library);
    present = next;
    plans = nextPlans;
    reloads = { ...reloads, done: reloads.done + 1 };
    failure = undefined;
    watch(next, library);
    audience.changed(change);
    audience.replaced();
  };

  const changeSince = async (old: Snapshot, library: Library): Promise<Change> => {
    if (!audience.isHeard()) return NO_CHANGE;
    await prepareFiles(library);
    return baseline === undefined
      ? await assumeChanged(old.opened, library, old.since - LIMITS.live.quietMs)
      : await compareLibraries(baseline, library);
  };

  const watch = ({ origins }: Snapshot, library: Library) => {
    unwatch();
    // The listeners may have left meanwhile.
    if (!audience.isHeard()) return;
    baseline = library;
    stopWatching = watchFolders(watchedFolders(library, origins), audience.hinted, config.memory?.files);
  };
  const unwatch = () => {
    stopWatching();
    stopWatching = () => {};
    baseline = undefined;
  };

  const reportFailure = (error: unknown) => {
    reloads = { ...reloads, failed: reloads.failed + 1 };
    const reason = error instanceof Error ? error.message : String(error);
    if (reason === failure) return;
    failure = reason;
    const message = `Cannot read what changed on disk, still serving the previous content: ${reason}`;
    audience.changed({ ...NO_CHANGE, diagnostics: [{ level: "error", code: "reload-failed", message }] });
  };

  return {
    current,
    check: shareCheck,
    checkAgain,
    checkHeard: (scope: Scope): Promise<void> => checkHeard(scope).catch(reportFailure),
    checked: async () => await running,
    reloads: () => reloads,
    unwatch,
  };
}

function isPlanned(plan: OriginPlan, plans: readonly OriginPlan[]): boolean {
  const known = plans.find(({ origin }) => origin.id === plan.origin.id);
  return JSON.stringify(known) === JSON.stringify(plan);
}

/** Folders show what was added and removed. Files cost more, and also show what was edited. */
export type Scope = "folders" | "files";

/** The start comes first. */
const FIRST_MS = 500;
const CHECK_MS = 1_000;
const SPACING = { idle: 100, request: 10, hint: 3 } as const;
/** A check that seems to have cost more was interrupted: the machine slept. */
const MAX_COST_MS = 10_000;

type CheckTimes = ReturnType<typeof openCheckTimes>;

export function openCheckTimes({ now }: Clock) {
  const last = { folders: 0, files: 0 };
  const cost = { folders: 0, files: 0 };
  return {
    reset: (): void => {
      last.folders = last.files = now();
    },
    record: (scope: Scope, begun: number): void => {
      last.folders = now();
      if (scope === "files") last.files = last.folders;
      cost[scope] = Math.min(last.folders - begun, MAX_COST_MS);
    },
    isDue: (scope: Scope, reason: "request" | "idle"): boolean => {
      const age = now() - last[scope];
      // After the clock was set back, the age of the last check is unknown.
      return age < 0 || age >= Math.max(CHECK_MS, SPACING[reason] * cost[scope]);
    },
    delay: (reason: "hint" | "idle"): number =>
      reason === "hint"
        ? Math.max(LIMITS.live.quietMs, SPACING.hint * cost.files)
        : Math.max(CHECK_MS, SPACING.idle * cost.folders),
  };
}

interface TickerOptions {
  readonly clock: Clock;
  readonly times: CheckTimes;
  isHeard(): boolean;
  checked(): Promise<void>;
  check(scope: Scope): Promise<void>;
}

export function openTicker({ clock, times, isHeard, checked, check }: TickerOptions) {
  let cancelTimer = () => {};
  let isTicking = false;
  let isHinted = false;
  const schedule = (ms: number) => {
    cancelTimer();
    cancelTimer = clock.after(ms, tick);
  };
  const scheduleNext = () => schedule(times.delay(isHinted ? "hint" : "idle"));
  const tick = async () => {
    isTicking = true;
    // A check that a request started may already be past what the hint is about.
    await checked();
    const scope = isHinted || times.isDue("files", "idle") ? "files" : "folders";
    isHinted = false;
    await check(scope);
    isTicking = false;
    if (isHeard()) scheduleNext();
  };
  const hint = () => {
    if (isHinted || !isHeard()) return;
    isHinted = true;
    if (!isTicking) scheduleNext();
  };
  return {
    start: (): void => {
      if (!isTicking) schedule(FIRST_MS);
    },
    stop: (): void => cancelTimer(),
    hint,
    /** The same, and counted from now even if a check is already planned. */
    hintAgain: (): void => {
      isHinted = false;
      hint();
    },
  };
}
