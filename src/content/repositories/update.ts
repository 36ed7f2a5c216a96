/** Only the holder of the lock changes cached copies; a failure is recorded for everyone. */
import { attempt } from "../../base/absence.ts";
import { fail } from "../../base/errors.ts";
import { compareVersions } from "../../base/versions.ts";
import { type Clock, onAbort, type Work } from "../../base/work.ts";
import type { GitLocation } from "../../settings/locations/mod.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { type CachedCopy, type CachePaths, cachePaths, type CacheState, copiesOf } from "./cache.ts";
import { copyFolder, failureFile, findState, lockFile, openState, removeTree } from "./cache.ts";
import { repositoryName, retryTime } from "./cache.ts";
import { LIMITS } from "../limits.ts";
import { fetchFiles, findAdvertised, isFixed, listTags } from "./fetching.ts";
import { checkGit, type Git, GitError, openGit } from "./git_program.ts";
import { withLock } from "../../process/lock.ts";
import { makeStaging, openWorkFolder, placeCopy, sweep, sweepAll, writeRecord } from "./staging.ts";

export interface UpdateOptions extends Work {
  readonly rules: GitRules;
  now(): number;
  readonly force?: boolean;
}

/** Where a failure could not be noted, only the caller knows of it. */
export type Update =
  & { readonly copy: CachedCopy | undefined }
  & (
    | { readonly outcome: "fetched" | "unchanged" | "not-due" }
    | { readonly outcome: "failed"; readonly problem: string; readonly isNoted: boolean }
  );

/** Throws only when it is aborted. */
export async function updateCopy(repository: GitLocation, options: UpdateOptions): Promise<Update> {
  const { rules, now, force } = options;
  const paths = await cachePaths(rules.cache, repository);
  const state = findState(paths, repository);
  if (!force && !isDue(state, repository, rules.ttl, now())) return { outcome: "not-due", copy: state.copy };
  try {
    makeStaging(paths);
    return await withLock(lockFile(paths), options.signal, (hasWaited) => {
      // While we waited, another process may have done it, or failed to.
      const present = hasWaited ? findState(paths, repository) : state;
      if (present.mark !== state.mark) return Promise.resolve(outcomeOf(present));
      return updateLocked(paths, repository, present.copy, options);
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    return noteFailure(paths, state, error, now());
  }
}

function outcomeOf({ copy, failure }: CacheState): Update {
  if (failure !== undefined) return { outcome: "failed", copy, problem: failure.problem, isNoted: true };
  return { outcome: "fetched", copy };
}

function dueTime({ copy, failure }: CacheState, { ref }: GitLocation, ttl: number): number {
  if (copy !== undefined && isFixed(ref)) return Infinity;
  if (failure !== undefined && !failure.isLocal) return retryTime(failure, ttl);
  return copy === undefined ? 0 : copy.fetched + ttl;
}

function isDue(state: CacheState, repository: GitLocation, ttl: number, now: number): boolean {
  const due = dueTime(state, repository, ttl);
  // A time in the future comes from a clock that was wrong.
  return due <= now || (due !== Infinity && due > now + ttl);
}

async function updateLocked(
  paths: CachePaths,
  repository: GitLocation,
  before: CachedCopy | undefined,
  { rules, now, progress, signal }: UpdateOptions,
): Promise<Update> {
  await sweep(paths);
  await using limits = openWorkFolder(rules, paths, signal);
  const { folder } = limits;
  const git = openGit({ repository, rules, signal: limits.signal, progress });
  await checkGit(git, folder);
  // A copy that another program maintains is served, but never touched.
  const own = copiesOf(paths, repository).filter((copy) => copy.folder !== paths.legacy);
  const has = (commit: string) => own.some((copy) => copy.folder === copyFolder(paths, commit));
  const { commit, files } = await fetchFiles(git, repository, { folder, maxSize: rules.maxSize, has });
  await limits.check();
  const target = copyFolder(paths, commit);
  // Even if the clock was set back, the copy fetched last must count.
  const copy = { folder: target, commit, fetched: Math.max(now(), (before?.fetched ?? 0) + 1) };
  const record = {
    sourceUrl: repositoryName(repository),
    ref: repository.ref ?? "HEAD",
    subpath: repository.subpath ?? "",
    lastPull: new Date(copy.fetched).toISOString(),
    currentCommit: commit,
  };
  const draft = `${folder}/record`;
  if (files === undefined || has(commit)) await writeRecord(target, draft, record);
  else await placeCopy(files, target, draft, record);
  await removeTree(failureFile(paths));
  for (const other of own) {
    if (other.folder !== target && other.folder !== before?.folder) await removeTree(other.folder);
  }
  return { outcome: target === before?.folder ? "unchanged" : "fetched", copy };
}

function noteFailure(paths: CachePaths, { copy, failure }: CacheState, error: unknown, time: number): Update {
  const problem = error instanceof Error ? error.message : String(error);
  const isLocal = error instanceof GitError && error.isLocal;
  const tries = 1 + (failure === undefined || failure.isLocal ? 0 : failure.tries);
  const isNoted = attempt(() => {
    const draft = Deno.makeTempFileSync({ dir: paths.staging, prefix: `${paths.name}.draft-` });
    Deno.writeTextFileSync(draft, `${JSON.stringify({ time, problem, isLocal, tries })}\n`);
    Deno.renameSync(draft, failureFile(paths));
    return true;
  }) ?? false;
  return { outcome: "failed", copy, problem, isNoted };
}

export async function resolveCommit(repository: GitLocation, options: UpdateOptions): Promise<string> {
  if (isFixed(repository.ref)) return repository.ref!.toLowerCase();
  const commit = await asking(repository, options, (git, folder) => findAdvertised(git, repository, folder));
  // The abbreviated hash of a commit: only a fetch can tell.
  return commit ?? (await fetched(repository, { ...options, force: true })).commit;
}

/** The tag of the newest release, such as `v1.2.0`. Fails if the repository cannot be asked. */
export async function findRelease(repository: GitLocation, options: UpdateOptions) {
  const tags = await asking(repository, options, (git, folder) => listTags(git, repository, folder));
  return tags.filter((tag) => /^v?\d+(?:\.\d+)+$/.test(tag)).sort(compareVersions).at(-1);
}

async function asking<T>(
  repository: GitLocation,
  options: UpdateOptions,
  ask: (git: Git, folder: string) => Promise<T>,
): Promise<T> {
  refuseOffline(repository, options);
  const { rules, signal } = options;
  const paths = await cachePaths(rules.cache, repository);
  makeStaging(paths);
  await using limits = openWorkFolder(rules, paths, signal);
  const { folder } = limits;
  try {
    const git = openGit({ repository, rules, signal: limits.signal });
    await checkGit(git, folder);
    return await ask(git, folder);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof GitError)) throw error;
    return unavailable(repository, error.message);
  }
}

/** The copy of the address with the commit as its ref: fetched once, and never replaced. */
export async function fetchCommitCopy(repository: GitLocation, commit: string, options: UpdateOptions) {
  const pinned = { ...repository, ref: commit };
  const { copy } = (await openState(options.rules, pinned))();
  return copy ?? await fetched(pinned, { ...options, force: true });
}

async function fetched(repository: GitLocation, options: UpdateOptions): Promise<CachedCopy> {
  refuseOffline(repository, options);
  const update = await updateCopy(repository, options);
  if (update.outcome !== "failed" && update.copy !== undefined) return update.copy;
  return unavailable(repository, update.outcome === "failed" ? update.problem : "no copy");
}

function refuseOffline(repository: GitLocation, { rules }: UpdateOptions): void {
  if (rules.offline) unavailable(repository, "fetching is disabled by offline mode");
}

function unavailable({ shown }: GitLocation, reason: string): never {
  return fail({ code: "origin-unavailable", origin: shown, reason });
}

export interface RefresherOptions {
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
      const state = (await openState(rules, repository))();
      // A problem of this machine is retried by the next process, not by this one.
      return state.failure?.isLocal
        ? retryTime(state.failure, rules.ttl)
        : dueTime(state, repository, rules.ttl);
    }));
    const { minPauseMs, maxPauseMs } = LIMITS.copies;
    return Math.min(maxPauseMs, Math.max(minPauseMs, Math.min(...times) - clock.now()));
  };
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
    // What is due counts as being fetched before the first round, so that requests can wait for it.
    for (const repository of repositories) {
      openState(rules, repository).then((look) => {
        const isComing = !isBegun && isDue(look(), repository, rules.ttl, clock.now());
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

/** Folders of one repository need one copy; a location with credentials fetches it for all. */
function oneForEachCopy(locations: readonly GitLocation[]): readonly GitLocation[] {
  const secretLast = locations.toSorted((a, b) => Number(!!a.credentials) - Number(!!b.credentials));
  return new Map(secretLast.map((one) => [repositoryName(one), one])).values().toArray();
}

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
