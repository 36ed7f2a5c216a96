/**
 * Keeping several repositories fresh: once, or in the background for as long as somebody serves them.
 *
 * Each repository is fetched on its own, so that a slow one delays no other. In the background, a repository is fetched
 * when it is due and not before, whatever the result of the last fetch.
 */
import { type Clock, onAbort, type Work } from "../../base/work.ts";
import type { GitLocation } from "../../base/git_location.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { findState } from "./cache.ts";
import { sweepAll } from "./folders.ts";
import { cachePaths, repositoryName } from "./paths.ts";
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

/** Keeps repositories fresh. */
export interface Refresher {
  /** Fetches the repositories that are due, or those the request selects. Throws only when it is aborted. */
  update(request?: UpdateRequest): Promise<readonly UpdatedCopy[]>;
  /**
   * Fetches in the background from now on, whenever a repository is due. `report` hears of failures that could not be
   * noted. Returns a function that stops this, and whatever is being fetched.
   */
  start(report: (problem: string) => void): () => void;
  fetching(): readonly string[];
  /** Settles when nothing is being fetched, or after so many milliseconds. */
  whenIdle(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The update of one repository. */
export interface UpdatedCopy {
  readonly location: string;
  readonly update: Update;
}

/** Which repositories to fetch. */
export interface UpdateRequest {
  readonly force?: boolean;
  /** Selects repositories; all by default. */
  only?(repository: GitLocation): boolean;
  readonly signal?: AbortSignal;
}

/** The delay of the first background fetch, because the start comes first. */
const FIRST_MS = 500;
/** The shortest pause between two rounds, whatever a clock says. */
const MIN_PAUSE_MS = 60_000;
/** The longest one, after which copies that somebody deleted are noticed. */
const MAX_PAUSE_MS = 600_000;

/** Prepares to keep repositories fresh; nothing is fetched yet. */
export function openRefresher(options: RefresherOptions): Refresher {
  const { rules, clock, changed } = options;
  const repositories = oneForEachCopy(options.repositories);
  const running = new Map<string, Promise<unknown>>();
  const progress = joinProgress(options.progress);

  const updateOne = async (repository: GitLocation, { force, signal }: UpdateRequest) => {
    const { shown } = repository;
    const advance: Work["progress"] = (done, total, phase) => progress.advance(shown, done / total, phase);
    const options = { force, signal, rules, now: clock.now, progress: advance };
    const update = await updateCopy(repository, options);
    if (update.outcome !== "not-due") await changed?.();
    return { location: shown, update };
  };
  const update: Refresher["update"] = async (request = {}) => {
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
interface Rounds
  extends Pick<RefresherOptions, "repositories" | "rules" | "clock">, Pick<Refresher, "update"> {
  /** By address: what is being fetched, or will be in the first round. */
  readonly running: Map<string, Promise<unknown>>;
  report(problem: string): void;
}

/** Fetches in rounds until the returned function is called. */
function startRounds({ repositories, rules, clock, running, update, report }: Rounds): () => void {
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
      const ms = await pauseBefore(repositories, rules, clock.now);
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
async function pauseBefore(repositories: readonly GitLocation[], rules: GitRules, now: () => number) {
  const times = await Promise.all(repositories.map(async (repository) => {
    const { failure, ...state } = await stateOf(repository, rules);
    // A problem of this machine is retried by the next process, not by this one.
    const past = failure && { failure: { ...failure, isLocal: false } };
    return dueTime({ ...state, ...past }, repository, rules.ttl);
  }));
  return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, Math.min(...times) - now()));
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

/** Joins the progress of several fetches into one number that only grows, out of 100 for each. */
function joinProgress(report: Work["progress"]) {
  const percentages = new Map<string, number>();
  return {
    /** One fetch has done part of a phase. */
    advance(name: string, part: number, phase: string): void {
      const [from, to] = PHASES[phase] ?? [0, 0];
      percentages.set(name, Math.max(from + part * (to - from), percentages.get(name) ?? 0));
      const { size } = percentages;
      const done = Math.floor(percentages.values().reduce((a, b) => a + b, 0));
      report?.(done, 100 * size, `Fetching ${size === 1 ? name : `${size} repositories`}`);
    },
    end: (name: string) => percentages.delete(name),
  };
}
