/**
 * Brings the cached copy of one repository up to date. It is put in place by one rename, so every copy is complete,
 * and the previous one stays for those who still read it. Only the holder of the lock changes anything. A failure is
 * recorded, so that no process retries too early.
 */
import type { Work } from "../../base/work.ts";
import type { GitLocation } from "../../settings/locations/mod.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import {
  type CachedCopy,
  type CachePaths,
  cachePaths,
  type CacheState,
  copiesOf,
  copyFolder,
  failureFile,
  findState,
  lockFile,
  repositoryName,
  retryTime,
} from "./cache.ts";
import { fetchFiles, isFixed } from "./fetching.ts";
import { removeTree } from "./folders.ts";
import { checkGit, GitError, openGit } from "./git_program.ts";
import { withLock } from "../../process/lock.ts";
import { makeStaging, openWorkFolder, sweep, writeRecord } from "./staging.ts";

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

/** When to fetch a repository next, in milliseconds since the epoch; never for a commit that we have. */
export function dueTime({ copy, failure }: CacheState, { ref }: GitLocation, ttl: number): number {
  if (copy !== undefined && isFixed(ref)) return Infinity;
  if (failure !== undefined && !failure.isLocal) return retryTime(failure, ttl);
  return copy === undefined ? 0 : copy.fetched + ttl;
}

export function isDue(state: CacheState, repository: GitLocation, ttl: number, now: number): boolean {
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
  const isNew = files !== undefined && !has(commit);
  await writeRecord(isNew ? files : target, `${folder}/record`, {
    sourceUrl: repositoryName(repository),
    ref: repository.ref ?? "HEAD",
    subpath: repository.subpath ?? "",
    lastPull: new Date(copy.fetched).toISOString(),
    currentCommit: commit,
  });
  if (isNew) {
    // A folder without a record is left over from a copy that was not completed.
    await removeTree(target);
    Deno.renameSync(files, target);
  }
  await removeTree(failureFile(paths));
  for (const other of own) {
    if (other.folder !== target && other.folder !== before?.folder) await removeTree(other.folder);
  }
  return { outcome: target === before?.folder ? "unchanged" : "fetched", copy };
}

/** Notes a failure for later starts. If even that fails, the program goes on. */
function noteFailure(paths: CachePaths, { copy, failure }: CacheState, error: unknown, time: number): Update {
  const problem = error instanceof Error ? error.message : String(error);
  const isLocal = error instanceof GitError && error.isLocal;
  const tries = 1 + (failure === undefined || failure.isLocal ? 0 : failure.tries);
  try {
    const draft = Deno.makeTempFileSync({ dir: paths.staging, prefix: `${paths.name}.draft-` });
    Deno.writeTextFileSync(draft, `${JSON.stringify({ time, problem, isLocal, tries })}\n`);
    Deno.renameSync(draft, failureFile(paths));
    return { outcome: "failed", copy, problem, isNoted: true };
  } catch {
    return { outcome: "failed", copy, problem, isNoted: false };
  }
}
