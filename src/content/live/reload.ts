/** Checking the disk, and replacing the snapshot when something has changed. */
import type { OriginPlan } from "../../settings/plan/mod.ts";
import { assumeChanged, type Change, compareLibraries, type Library, prepareFiles } from "../library/mod.ts";
import { once, yieldToEventLoop } from "../../base/work.ts";
import { watchFolders } from "../origins/mod.ts";
import { type CheckTimes, QUIET_MS, type Scope } from "./schedule.ts";
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
  /** Whether anybody listens. Otherwise nothing is compared or watched. */
  isHeard(): boolean;
  changed(change: Change): void;
  yieldNow(): Promise<void>;
  hinted(): void;
  /** A new snapshot is in place; more may have changed while it was read. */
  replaced(): void;
}

const NO_CHANGE: Change = {
  overview: false,
  entries: false,
  resources: false,
  touched: new Set(),
  diagnostics: [],
};

interface State {
  plans: readonly OriginPlan[];
  wanted: readonly OriginPlan[];
  snapshot?: Snapshot;
  /** The snapshot's library after its files were listed: what the next one is compared with. Only while heard. */
  baseline?: Library;
  check?: Promise<void>;
  /** Whether a request waits for that check, which must not give way to it then. */
  isAwaited: boolean;
  nextCheck?: Promise<void>;
  /** The last failure to read, so that the same one is reported once. */
  failure?: string;
  reloads: Reloads;
  unwatch(): void;
}

export function openReloader(reading: Reading, times: CheckTimes, audience: Audience) {
  const { config: { origins: plans, sourceLists } } = reading;
  const state: State = {
    plans,
    wanted: plans,
    reloads: { done: 0, failed: 0 },
    isAwaited: false,
    unwatch: () => {},
  };
  const readFirst = once(async () => {
    state.snapshot = await readSnapshot(reading, state.plans);
    times.reset();
  });
  const current = async (): Promise<Snapshot> => {
    if (state.snapshot === undefined) await readFirst();
    return state.snapshot!;
  };

  const check = async (scope: Scope, yieldNow: () => Promise<void>): Promise<void> => {
    const { clock, config } = reading;
    const old = await current();
    const begun = clock.now();
    const stale = new Set<string>();
    const files = scope === "files";
    for (const [at, { origin, footprint }] of old.origins.entries()) {
      const documents = documentsIn(old.openings[at]!, config);
      if (await footprint?.differs({ files, documents, yieldNow })) stale.add(origin.id);
    }
    readLists();
    times.record(scope, begun);
    const { plans, wanted } = state;
    if (wanted !== plans) {
      for (const { origin } of wanted.filter((plan) => !isPlanned(plan, plans))) stale.add(origin.id);
    }
    if (stale.size > 0 || wanted.length !== plans.length) return await replace(old, stale);
    state.plans = wanted;
  };

  /** Checks the disk, or waits for the check that is under way. Without `yieldNow`, a request waits for it. */
  const shareCheck = (scope: Scope, yieldNow?: () => Promise<void>): Promise<void> => {
    state.isAwaited ||= yieldNow === undefined;
    return state.check ??= check(scope, () => state.isAwaited || !yieldNow ? yieldToEventLoop() : yieldNow())
      .catch(reportFailure).finally(() => {
        state.check = undefined;
        state.isAwaited = false;
      });
  };

  /** A check of everything that has not begun yet: one under way may already be past what has changed. */
  const checkAgain = (): Promise<void> => {
    state.isAwaited ||= state.check !== undefined;
    return state.nextCheck ??= Promise.resolve(state.check).then(() => {
      state.nextCheck = undefined;
      return state.check === undefined ? shareCheck("files") : checkAgain();
    });
  };

  /** Listing the files with which later ones are compared can take seconds, and no request waits for it. */
  const checkHeard = async (scope: Scope): Promise<void> => {
    if (state.baseline !== undefined || !audience.isHeard()) {
      return await shareCheck(scope, audience.yieldNow);
    }
    const snapshot = await current();
    const library = await snapshot.library();
    await prepareFiles(library, audience.yieldNow);
    while (state.check !== undefined) await state.check;
    await shareCheck("files", audience.yieldNow);
    if (state.snapshot === snapshot && state.baseline === undefined) watch(snapshot, library);
  };

  const readLists = () => {
    if (sourceLists?.isChanged() !== true) return;
    try {
      state.wanted = sourceLists.plan();
    } catch (error) {
      reportFailure(error);
    }
  };

  const replace = async (old: Snapshot, stale: ReadonlySet<string>): Promise<void> => {
    const { wanted } = state;
    const next = await readSettled(reading, wanted, old, stale);
    const library = await next.library();
    const change = await changeSince(old, library);
    state.snapshot = next;
    state.plans = wanted;
    state.reloads = { ...state.reloads, done: state.reloads.done + 1 };
    state.failure = undefined;
    watch(next, library);
    audience.changed(change);
    audience.replaced();
  };

  const changeSince = async (old: Snapshot, library: Library): Promise<Change> => {
    if (!audience.isHeard()) return NO_CHANGE;
    await prepareFiles(library);
    return state.baseline === undefined
      ? await assumeChanged(old.opened, library, old.since - QUIET_MS)
      : await compareLibraries(state.baseline, library);
  };

  const watch = ({ origins }: Snapshot, library: Library) => {
    unwatch();
    // The listeners may have left meanwhile.
    if (!audience.isHeard()) return;
    state.baseline = library;
    state.unwatch = watchFolders(
      watchedFolders(library, origins),
      audience.hinted,
      reading.config.memory?.files,
    );
  };
  const unwatch = () => {
    state.unwatch();
    state.unwatch = () => {};
    state.baseline = undefined;
  };

  const reportFailure = (error: unknown) => {
    state.reloads = { ...state.reloads, failed: state.reloads.failed + 1 };
    const reason = error instanceof Error ? error.message : String(error);
    if (reason === state.failure) return;
    state.failure = reason;
    const message = `Cannot read what changed on disk, still serving the previous content: ${reason}`;
    audience.changed({ ...NO_CHANGE, diagnostics: [{ level: "error", code: "reload-failed", message }] });
  };

  return {
    current,
    check: shareCheck,
    checkAgain,
    checkHeard: (scope: Scope): Promise<void> => checkHeard(scope).catch(reportFailure),
    checked: async () => await state.check,
    reloads: () => state.reloads,
    unwatch,
  };
}

function isPlanned(plan: OriginPlan, plans: readonly OriginPlan[]): boolean {
  const known = plans.find(({ origin }) => origin.id === plan.origin.id);
  return JSON.stringify(known) === JSON.stringify(plan);
}
