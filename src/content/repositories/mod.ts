/**
 * Git repositories as a source of content: their cached copies, and how those stay fresh.
 *
 * Looking into the cache is cheap and part of every start with a git origin. Everything that runs git, writes or removes
 * is loaded only when it is needed.
 */
import type { GitAnswer } from "./local_git.ts";
import type { GitLocation } from "../../base/git_location.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { type CacheState, findState } from "./cache.ts";
import type { CachedRepository } from "./inspection.ts";
import { cachePaths } from "./paths.ts";

export { type CachedCopy, type CacheState, type FailedFetch, retryTime } from "./cache.ts";
export { repositoryName } from "./paths.ts";
export type { CachedRepository } from "./inspection.ts";
export { type Copies, openCopies } from "./copies.ts";
export type { RefresherOptions, UpdatedCopy, UpdateRequest } from "./refresher.ts";
export type { GitAnswer } from "./local_git.ts";
export type { Update } from "./update.ts";

/** Looks up a repository in the cache; call the result again to see the present state. */
export async function openState(
  { cache }: Pick<GitRules, "cache">,
  repository: GitLocation,
): Promise<() => CacheState> {
  const paths = await cachePaths(cache, repository);
  return () => findState(paths, repository);
}

/** The installed git's version line, or why it cannot be used. Asks git for its version and nothing else. */
export async function findGit(
  repository: GitLocation,
  rules: GitRules,
  folder: string,
): Promise<{ readonly version?: string; readonly problem?: string }> {
  const { checkGit, GitError, openGit } = await import("./git_program.ts");
  try {
    const git = openGit({ repository, rules, signal: AbortSignal.timeout(rules.timeout) });
    return { version: await checkGit(git, folder) };
  } catch (error) {
    if (error instanceof GitError) return { problem: error.message };
    throw error;
  }
}

/** Everything in the cache, with its size, sorted by name. */
export async function listCache(cache: string): Promise<readonly CachedRepository[]> {
  return await (await import("./inspection.ts")).listCache(cache);
}

/** Forgets every failed fetch, so that the next start tries again. */
export async function clearFailures(cache: string): Promise<void> {
  await (await import("./inspection.ts")).clearFailures(cache);
}

/** Removes all copies of a repository. Returns false, and removes nothing, while somebody is fetching it. */
export async function clearCopies(cache: string, cached: CachedRepository): Promise<boolean> {
  return await (await import("./inspection.ts")).clearCopies(cache, cached);
}

/** Reads commits of the user's own repository with `git log`; git gets the variables and the time of the `rules`. */
export async function logCommits(
  folder: string,
  options: readonly string[],
  range: string,
  rules: Pick<GitRules, "environment" | "timeout"> & {
    readonly signal?: AbortSignal;
    readonly within: string;
  },
): Promise<GitAnswer> {
  return await (await import("./local_git.ts")).logCommits(folder, options, range, rules);
}
