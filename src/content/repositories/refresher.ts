/**
 * Keeping repositories fresh, once or in the background. Each is fetched on its own, so that a slow one delays no
 * other, and only when it is due.
 */
import { type Clock, onAbort, type Work } from "../../base/work.ts";
import type { GitLocation } from "../../settings/locations/mod.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { cachePaths, findState, repositoryName, retryTime } from "./cache.ts";
import { LIMITS } from "../limits.ts";
import { sweepAll } from "./staging.ts";
import { dueTime, isDue, type Update, updateCopy } from "./update.ts";

export interface RefresherOptions {
  /** May name several folders of one repository. */
  readonly repositories: readonly GitLocation[];
  readonly rules: GitRules;
  readonly clock: Clock;
  readonly progress?: Work["progress"];
  changed?(): Promise<void>;
}

export type Refresher = ReturnType<typeof openRefresher>;

export interface UpdatedCopy {
  readonly location: string;
  readonly update: Update;
}

export interface UpdateRequest {
  readonly force?: boolean;
  only?(repository: GitLocation): boolean;
  readonly signal?: AbortSignal;
}

export function openRefresher(options: RefresherOptions) {
  const { rules, clock, changed } = options;
  const repositories = oneForEachCopy(options.repositories);
  /** By address: what is being fetched, or will be in the first round. */
  const running = new Map<string, Promise<unknown>>();
  const progress = joinProgress(options.progress);

  const updateOne = async (repository: GitLocation, request: UpdateRequest): Promise<UpdatedCopy> => {
    const { shown } = repository;
    const update = await updateCopy(repository, {
      ...request,
      rules,
      now: clock.now,
      progress: (done, total, phase) => progress.advance(shown, done / total, phase),
    });
    if (update.outcome !== "not-due") await changed?.();
    return { location: shown, update };
  };
  const update = async (request: UpdateRequest = {}): Promise<readonly UpdatedCopy[]> => {
    const swept = sweepAll(rules.cache);
    const selected = repositories.filter((one) => request.only?.(one) ?? true);
    return await Promise.all(selected.map((repository) => {
      const { shown } = repository;
      const work = swept.then(() => updateOne(repository, request)).finally(() => {
        running.delete(shown);
        progress.end(shown);
      });
      running.set(shown, work.catch(() => {}));
      return work;
    }));
  };
  const pauseMs = async (): Promise<number> => {
    const times = await Promise.all(repositories.map(async (repository) => {
      const state = await stateOf(repository, rules);
      // A problem of this machine is retried by the next process, not by this one.
      return state.failure?.isLocal
        ? retryTime(state.failure, rules.ttl)
        : dueTime(state, repository, rules.ttl);
    }));
    const { minPauseMs, maxPauseMs } = LIMITS.copies;
    return Math.min(maxPauseMs, Math.max(minPauseMs, Math.min(...times) - clock.now()));
  };
  /** Returns a function that stops this and whatever is being fetched. Reports failures that were not noted. */
  const start = (report: (problem: string) => void) => {
    const stopping = new AbortController();
    const firstRound = Promise.withResolvers<void>();
    let isBegun = false;
    const round = async () => {
      isBegun = true;
      firstRound.resolve();
      try {
        for (const { location, update: result } of await update({ signal: stopping.signal })) {
          if (result.outcome === "failed" && !result.isNoted) {
            report(`Cannot fetch ${location}: ${result.problem}`);
          }
        }
        const ms = await pauseMs();
        if (!stopping.signal.aborted) cancelTimer = clock.after(ms, round);
      } catch (error) {
        if (!stopping.signal.aborted) throw error;
      }
    };
    let cancelTimer = clock.after(LIMITS.copies.firstMs, round);
    // A repository that is due counts as being fetched before the first round, so that requests can wait for it.
    for (const repository of repositories) {
      stateOf(repository, rules).then((state) => {
        const isComing = !isBegun && isDue(state, repository, rules.ttl, clock.now());
        if (isComing) running.set(repository.shown, firstRound.promise);
      });
    }
    return () => {
      isBegun = true;
      cancelTimer();
      stopping.abort();
      for (const [shown, work] of running) if (work === firstRound.promise) running.delete(shown);
      firstRound.resolve();
    };
  };
  return {
    update,
    start,
    fetching: (): readonly string[] => [...running.keys()],
    whenIdle: async (ms: number, signal?: AbortSignal): Promise<void> => {
      const { promise: over, resolve } = Promise.withResolvers<"over">();
      const cancelTimer = clock.after(ms, () => resolve("over"));
      const cancelListener = onAbort(signal, () => resolve("over"));
      while (running.size > 0) {
        if (await Promise.race([Promise.all(running.values()), over]) === "over") break;
      }
      cancelTimer();
      cancelListener();
    },
  };
}

/** Several folders of one repository need one copy; a location with credentials fetches it for all. */
function oneForEachCopy(locations: readonly GitLocation[]): readonly GitLocation[] {
  const secretLast = locations.toSorted((a, b) => (a.credentials ? 1 : 0) - (b.credentials ? 1 : 0));
  return new Map(secretLast.map((one) => [repositoryName(one), one])).values().toArray();
}

async function stateOf(repository: GitLocation, { cache }: GitRules) {
  return findState(await cachePaths(cache, repository), repository);
}

/** The phases of git in order, and the percentage done when each begins and ends. */
const PHASES: Readonly<Record<string, readonly [from: number, to: number]>> = {
  "Counting objects": [0, 5],
  "Compressing objects": [5, 10],
  "Receiving objects": [10, 80],
  "Unpacking objects": [10, 80],
  "Resolving deltas": [80, 90],
  "Updating files": [90, 100],
};

function joinProgress(report: Work["progress"]) {
  const percentages = new Map<string, number>();
  return {
    advance: (name: string, part: number, phase: string) => {
      const [from, to] = PHASES[phase] ?? [0, 0];
      percentages.set(name, Math.max(from + part * (to - from), percentages.get(name) ?? 0));
      const { size } = percentages;
      const done = Math.floor(percentages.values().reduce((a, b) => a + b, 0));
      report?.(done, 100 * size, `Fetching ${size === 1 ? name : `${size} repositories`}`);
    },
    end: (name: string) => percentages.delete(name),
  };
}
