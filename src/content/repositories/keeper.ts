/**
 * Keeping several repositories up to date: now, or in the background for as long as somebody serves them.
 *
 * Each repository is fetched by itself, so that a slow one holds up no other. In the background one is fetched when
 * its time has come and not before, whatever came of the last attempt.
 */
import type { Clock, Work } from "../../base/work.ts";
import type { GitLocation } from "../../base/git_location.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { findState, placeOf, repositoryName } from "./cache.ts";
import { dueTime, isDue, type Update, updateCopy } from "./upkeep.ts";
import { sweepAll } from "./workshop.ts";

/** What is kept, and how. */
export interface KeeperOptions {
  /** Also several folders of one repository. */
  readonly repositories: readonly GitLocation[];
  /** Where copies are kept, and within which limits they are fetched. */
  readonly rules: GitRules;
  /** The time, as a value. */
  readonly clock: Clock;
  /** Told how far the fetching of all of them is, in hundredths. */
  readonly progress?: Work["progress"];
  /** Told when the copy of a repository may be another one; until it settles, that counts as under way. */
  changed?(): Promise<void>;
}

/** Keeps repositories up to date. */
export interface Keeper {
  /** Fetches those that are due, or all that are chosen. Fails only when it is called off. */
  update(chosen?: Chosen): Promise<readonly UpdatedCopy[]>;
  /**
   * Does so from now on, whenever one is due; returns how to end that, and what is being fetched. `report` is told of
   * trouble that could not be written down.
   */
  keep(report: (problem: string) => void): () => void;
  /** The addresses that are being fetched. */
  underWay(): readonly string[];
  /** Settles when nothing is being fetched any more, or after so many milliseconds. */
  settled(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What was done for the copy of a repository. */
export interface UpdatedCopy {
  /** Its address, as people see it. */
  readonly location: string;
  /** What came of it. */
  readonly update: Update;
}

/** Which repositories are fetched. */
export interface Chosen {
  /** Whether also those that are not due. */
  readonly force?: boolean;
  /** Only those for which it holds. */
  only?(repository: GitLocation): boolean;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** The start comes first. */
const FIRST_MS = 500;
/** Not more often, whatever a clock says. */
const LEAST_MS = 60_000;
/** What somebody has removed from the cache is missed after so long. */
const MOST_MS = 600_000;

/** A keeper that has not begun. */
export function openKeeper({ repositories, rules, clock, progress, changed }: KeeperOptions): Keeper {
  // Several folders of one repository need one copy; whoever has credentials for it gets it for all.
  const secretLast = repositories.toSorted((a, b) => (a.credentials ? 1 : 0) - (b.credentials ? 1 : 0));
  const all = new Map(secretLast.map((one) => [repositoryName(one), one])).values().toArray();
  const running = new Map<string, Promise<unknown>>();

  const shares = new Map<string, number>();
  const advance = (shown: string, share: number) => {
    shares.set(shown, Math.max(share, shares.get(shown) ?? 0));
    const what = shares.size === 1 ? shown : `${shares.size} repositories`;
    progress?.(Math.floor(shares.values().reduce((a, b) => a + b, 0)), 100 * shares.size, `Fetching ${what}`);
  };

  const updateOne = async (repository: GitLocation, { force, signal }: Chosen): Promise<UpdatedCopy> => {
    const { shown } = repository;
    const update = await updateCopy(repository, {
      force,
      signal,
      rules,
      now: clock.now,
      progress: (done, total, phase) => advance(shown, shareOf(done / total, phase)),
    });
    if (update.outcome !== "not-due") await changed?.();
    return { location: shown, update };
  };
  const update: Keeper["update"] = async (chosen = {}) => {
    const swept = sweepAll(rules.cache);
    return await Promise.all(
      all.filter((one) => chosen.only?.(one) ?? true).map((repository) => {
        const { shown } = repository;
        const work = swept.then(() => updateOne(repository, chosen)).finally(() => {
          running.delete(shown);
          shares.delete(shown);
        });
        running.set(shown, work.catch(() => {}));
        return work;
      }),
    );
  };
  const stateOf = async (repository: GitLocation) =>
    findState(await placeOf(rules.cache, repository), repository);
  /** How long until one is due. */
  const wait = async () => {
    const times = await Promise.all(all.map(async (repository) => {
      const { failure, ...state } = await stateOf(repository);
      // What is wrong with this machine is tried anew by the next process, not by this one.
      const past = failure && { failure: { ...failure, isLocal: false } };
      return dueTime({ ...state, ...past }, repository, rules.ttl);
    }));
    return Math.min(MOST_MS, Math.max(LEAST_MS, Math.min(...times) - clock.now()));
  };
  return {
    update,
    keep: (report) => {
      const ending = new AbortController();
      const first = Promise.withResolvers<void>();
      let isBegun = false;
      const round = async () => {
        isBegun = true;
        first.resolve();
        try {
          for (const { location, update: came } of await update({ signal: ending.signal })) {
            if (came.outcome === "failed" && !came.isNoted) {
              report(`Cannot fetch ${location}: ${came.problem}`);
            }
          }
          const ms = await wait();
          if (!ending.signal.aborted) callOff = clock.after(ms, round);
        } catch (error) {
          if (!ending.signal.aborted) throw error;
        }
      };
      let callOff = clock.after(FIRST_MS, round);
      // What is due counts as under way before it has begun: who asks for it now may wait.
      for (const repository of all) {
        stateOf(repository).then((state) => {
          const isComing = !isBegun && isDue(state, repository, rules.ttl, clock.now());
          if (isComing) running.set(repository.shown, first.promise);
        });
      }
      return () => {
        isBegun = true;
        callOff();
        ending.abort();
        for (const [shown, work] of running) if (work === first.promise) running.delete(shown);
        first.resolve();
      };
    },
    underWay: () => [...running.keys()],
    settled: async (ms, signal) => {
      const over = Promise.withResolvers<void>();
      let isOver = false;
      const end = () => {
        isOver = true;
        over.resolve();
      };
      const callOff = clock.after(ms, end);
      signal?.addEventListener("abort", end);
      while (running.size > 0 && !isOver) await Promise.race([Promise.all(running.values()), over.promise]);
      callOff();
      signal?.removeEventListener("abort", end);
    },
  };
}

/** What git does one after the other, in its own words, and how much of the whole is done when it begins and ends. */
const PHASES: Readonly<Record<string, readonly [from: number, to: number]>> = {
  "Counting objects": [0, 5],
  "Compressing objects": [5, 10],
  "Receiving objects": [10, 80],
  "Unpacking objects": [10, 80],
  "Resolving deltas": [80, 90],
  "Updating files": [90, 100],
};

function shareOf(part: number, phase: string): number {
  const [from, to] = PHASES[phase] ?? [0, 0];
  return from + part * (to - from);
}
