/** The library, kept in step with the disk. Requests finish on the snapshot that they began with. */
import type { Config } from "../../settings/plan/mod.ts";
import { BmadError } from "../../base/errors.ts";
import { type Clock, pause, type Retryable, type Work } from "../../base/work.ts";
import type { Change, Library, Opening } from "../library/mod.ts";
import { LIMITS } from "../limits.ts";
import { openCheckTimes, openReloader, openTicker, type Reloads, type Scope } from "./reload.ts";
import { expireChecks } from "../tree/mod.ts";
import { readsDiffer, readsUnfinished } from "./snapshot.ts";

export { openCheckTimes, openTicker, type Reloads, type Scope } from "./reload.ts";

/** Repeats work that read a file being written, or one newer than the library. */
export type Ask = <T>(work: Retryable<Library, T>) => Promise<T>;

export interface Live {
  survey(): Promise<readonly Opening[]>;
  readonly ask: Ask;
  reloads(): Reloads;
  check(): Promise<void>;
  /** Returns a function that stops this. Nothing is watched without a listener. */
  onChange(listener: (change: Change) => void): () => void;
}

export function openLive(config: Config, clock: Clock, progress?: Work["progress"]): Live {
  const listeners = new Set<(change: Change) => void>();
  const isHeard = () => listeners.size > 0;
  const times = openCheckTimes(clock);
  const reader = openReloader({ config, clock, progress }, times, {
    isHeard,
    changed: (change) => {
      if (isAnything(change)) listeners.forEach((listener) => listener(change));
    },
    hinted: () => ticker.hint(),
    replaced: () => ticker.hintAgain(),
  });
  const { current, check, checkAgain, checkHeard, checked, reloads, unwatch } = reader;
  const ticker = openTicker({ clock, times, isHeard, checked, check: checkHeard });

  const fresh = async () => {
    await current();
    const isDue = (scope: Scope) => times.isDue(scope, "request");
    if (isDue("folders")) await check(isDue("files") ? "files" : "folders");
    return await current();
  };
  return {
    survey: async () => await (await fresh()).survey(),
    ask: async (work) => {
      for (let pauses = 0, isReloaded = false;;) {
        expireChecks();
        const snapshot = await fresh();
        const library = await snapshot.library();
        const result = Promise.try(work, library);
        // Not even a failure counts if it came from a file that was being written.
        const [outcome] = await Promise.allSettled([result]);
        if (pauses++ < LIMITS.live.retries && readsUnfinished(library, clock)) {
          await pause(LIMITS.live.quietMs, undefined, clock);
          continue;
        }
        if (isReloaded || !(readsDiffer(snapshot) || isAboutMissing(outcome))) return await result;
        await checkAgain();
        isReloaded = true;
        if (await current() === snapshot) return await result;
      }
    },
    reloads,
    check: checkAgain,
    onChange: (listener) => {
      listeners.add(listener);
      if (listeners.size === 1) ticker.start();
      return () => {
        if (!listeners.delete(listener) || isHeard()) return;
        ticker.stop();
        unwatch();
      };
    },
  };
}

function isAboutMissing(outcome: PromiseSettledResult<unknown>): boolean {
  return outcome.status === "rejected" && outcome.reason instanceof BmadError &&
    outcome.reason.failure.code === "not-found";
}

function isAnything({ overview, entries, resources, touched, diagnostics }: Change): boolean {
  return overview || entries || resources || touched.size > 0 || diagnostics.length > 0;
}
