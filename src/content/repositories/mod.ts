/**
 * Repositories: the copies of them that are served, and how those are kept.
 *
 * To see what the cache has is cheap and part of every start that has a git origin. All that runs git, writes or
 * removes is loaded when it is needed.
 */
import type { GitLocation } from "../../base/git_location.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { type CacheState, findState, placeOf } from "./cache.ts";
import type { CachedRepository } from "./inspection.ts";

export { type CacheState, type Copy, type Failure, RECORD, repositoryName } from "./cache.ts";
export type { CachedRepository } from "./inspection.ts";
export { type Copies, openCopies } from "./copies.ts";
export type { Chosen, KeeperOptions, UpdatedCopy } from "./keeper.ts";
export type { Update } from "./upkeep.ts";

/** What the cache has of a repository; ask again to see what it has now. */
export async function openState(
  { cache }: Pick<GitRules, "cache">,
  repository: GitLocation,
): Promise<() => CacheState> {
  const place = await placeOf(cache, repository);
  return () => findState(place, repository);
}

/** Which git there is, as it names itself, or why none can be used. Asks git for its version and for nothing else. */
export async function findGit(
  repository: GitLocation,
  rules: GitRules,
  folder: string,
): Promise<{ readonly version?: string; readonly problem?: string }> {
  const { checkGit, openGit, Trouble } = await import("./git_program.ts");
  try {
    const git = openGit({ repository, rules, signal: AbortSignal.timeout(rules.timeout) });
    return { version: await checkGit(git, folder) };
  } catch (error) {
    if (error instanceof Trouble) return { problem: error.message };
    throw error;
  }
}

/** Everything that the cache holds, with its size. */
export async function listCache(cache: string): Promise<readonly CachedRepository[]> {
  return await (await import("./inspection.ts")).listCache(cache);
}

/** Forgets every attempt to fetch that failed, so that the next start tries again. */
export async function clearFailures(cache: string): Promise<void> {
  await (await import("./inspection.ts")).clearFailures(cache);
}

/** Removes all copies of a repository, unless somebody is just fetching it: then it returns false. */
export async function clearCopies(cache: string, cached: CachedRepository): Promise<boolean> {
  return await (await import("./inspection.ts")).clearCopies(cache, cached);
}
