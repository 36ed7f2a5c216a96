/**
 * Repositories at one commit. A pinned copy is that of the address with the commit as its ref, so it is fetched once
 * and never replaced.
 */
import { fail } from "../../base/errors.ts";
import { compareVersions } from "../../base/versions.ts";
import type { GitLocation } from "../../settings/locations/mod.ts";
import { type CachedCopy, cachePaths, findState } from "./cache.ts";
import { findAdvertised, isFixed, listTags } from "./fetching.ts";
import { checkGit, type Git, GitError, openGit } from "./git_program.ts";
import { makeStaging, openWorkFolder } from "./staging.ts";
import { updateCopy, type UpdateOptions } from "./update.ts";

export async function resolveCommit(repository: GitLocation, options: UpdateOptions): Promise<string> {
  if (isFixed(repository.ref)) return repository.ref!.toLowerCase();
  const commit = await asking(repository, options, (git, folder) => findAdvertised(git, repository, folder));
  // The abbreviated hash of a commit: only a fetch can tell.
  return commit ?? (await fetched(repository, { ...options, force: true })).commit;
}

/** The tag of the newest release, such as `v1.2.0`; undefined if there is none. Fails if the repository cannot be asked. */
export async function findRelease(
  repository: GitLocation,
  options: UpdateOptions,
): Promise<string | undefined> {
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

export async function fetchCommitCopy(
  repository: GitLocation,
  commit: string,
  options: UpdateOptions,
): Promise<CachedCopy> {
  const pinned = { ...repository, ref: commit };
  const { copy } = findState(await cachePaths(options.rules.cache, pinned), pinned);
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
