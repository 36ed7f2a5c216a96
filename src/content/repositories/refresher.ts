/**
 * Keeping several repositories fresh: once, or in the background while they are served.
 *
 * Each repository is fetched on its own, so that a slow one delays no other. In the background, a repository is fetched
 * when it is due and not before, whatever the result of the last fetch.
 */
import { type Clock, onAbort, type Work } from "../../base/work.ts";
import type { GitLocation } from "../../settings/locations/mod.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { findState, retryTime } from "./cache.ts";
import { cachePaths, repositoryName } from "./paths.ts";
import { joinProgress } from "./progress.ts";
import { sweepAll } from "./staging.ts";
import { dueTime, isDue, type Update, updateCopy } from "./update.ts";

/** Which repositories are kept fresh, and how. */
export interface RefresherOptions {
  /** May name several folders of one repository. */
  readonly repositories: readonly GitLocation[];
  readonly rules: GitRules;
  readonly clock: Clock;
  /** Hears the progress of all fetches together, in percent. */
  readonly progress?: Work["progress"];
  /** Called when a repository may have another copy; the fetch counts as running until it settles. */
  changed?(): Promise<void>;
}

export interface Refresher {
  /** Fetches the repositories that are due, or those the request selects. Throws only when it is aborted. */
  update(request?: UpdateRequest): Promise<readonly UpdatedCopy[]>;
  /**
   * Fetches in the background from now on, whenever a repository is due. `report` hears of failures that could not be
   * noted. Returns a function that stops this, and whatever is being fetched.
   */
  start(report: (problem: string) => void): () => void;
  fetching(): readonly string[];
  /** Settles when nothing is being fetched, or after `ms` milliseconds. */
  whenIdle(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The update of one repository. */
export interface UpdatedCopy {
  /** Its address, as people see it. */
  readonly location: string;
  readonly update: Update;
}

/** Which repositories to fetch. */
export interface UpdateRequest {
  /** Whether to fetch even fresh ones. */
  readonly force?: boolean;
  /** Selects repositories; all by default. */
  only?(repository: GitLocation): boolean;
  readonly signal?: AbortSignal;
}

/** The delay of the first background fetch, because the start comes first. */
const FIRST_MS = 500;
/** The shortest pause between two rounds, whatever a clock says. */
const MIN_PAUSE_MS = 60_000;
/** The longest one, after which deleted copies are noticed. */
const MAX_PAUSE_MS = 600_000;

/** Prepares to keep repositories fresh; nothing is fetched yet. */
export function openRefresher(options: RefresherOptions): Refresher {
  const { rules, clock, changed } = options;
  const repositories = oneForEachCopy(options.repositories);
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
  return {
    update,
    start: (report) => startRounds({ repositories, rules, clock, running, update, report }),
    fetching: () => [...running.keys()],
    whenIdle: async (ms, signal) => {
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

/** What the background work shares with its refresher. */
interface Rounds extends Pick<RefresherOptions, "repositories" | "rules" | "clock"> {
  /** By address: what is being fetched, or will be in the first round. */
  readonly running: Map<string, Promise<unknown>>;
  readonly update: Refresher["update"];
  report(problem: string): void;
}

/** Fetches in rounds until the returned function is called. */
function startRounds(rounds: Rounds): () => void {
  const { repositories, rules, clock, running, update, report } = rounds;
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
      const ms = await pauseBefore(rounds);
      if (!stopping.signal.aborted) cancelTimer = clock.after(ms, round);
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  };
  let cancelTimer = clock.after(FIRST_MS, round);
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
}

/** How long until the next repository is due. */
async function pauseBefore({ repositories, rules, clock }: Rounds): Promise<number> {
  const times = await Promise.all(repositories.map(async (repository) => {
    const state = await stateOf(repository, rules);
    // A problem of this machine is retried by the next process, not by this one.
    return state.failure?.isLocal
      ? retryTime(state.failure, rules.ttl)
      : dueTime(state, repository, rules.ttl);
  }));
  return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, Math.min(...times) - clock.now()));
}

async function stateOf(repository: GitLocation, { cache }: GitRules) {
  return findState(await cachePaths(cache, repository), repository);
}
