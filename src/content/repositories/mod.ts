/**
 * Git repositories as a source of content: their cached copies, and how those stay fresh.
 *
 * Looking into the cache is cheap and part of every start with a git origin. Everything that runs git, writes or removes
 * is loaded only when it is needed.
 */
import type { GitAnswer, LocalOptions } from "./local_git.ts";
import type { GitLocation } from "../../settings/locations/mod.ts";
import { once } from "../../base/work.ts";
import type { GitRules, Pin, PinnedLocation } from "../../settings/plan/mod.ts";
import { type CachedCopy, type CacheState, findState } from "./cache.ts";
import type { CachedRepository } from "./inspection.ts";
import type { PackageLocation } from "./package_copies.ts";
import type { ReachablePlan, RemoteRefs } from "./remote_refs.ts";
import { cachePaths } from "./paths.ts";
import type { UpdateOptions } from "./update.ts";

export { type CachedCopy, type CacheState, type FailedFetch, retryTime } from "./cache.ts";
export type { PackageLocation } from "./package_copies.ts";
export { repositoryName, sha256 } from "./paths.ts";
export type { CachedRepository } from "./inspection.ts";
export { type Copies, openCopies } from "./copies.ts";
export type { RefresherOptions, UpdatedCopy, UpdateRequest } from "./refresher.ts";
export type { GitAnswer, LocalOptions } from "./local_git.ts";
export type { ReachablePlan, RefChange, RemoteRef, RemoteRefs } from "./remote_refs.ts";
export type { Update, UpdateOptions } from "./update.ts";

/** Looks up a repository in the cache; call the result again to see the present state. */
export async function openState(
  { cache }: Pick<GitRules, "cache">,
  repository: GitLocation,
): Promise<() => CacheState> {
  const paths = await cachePaths(cache, repository);
  return () => findState(paths, repository);
}

/** A repository at a commit, which is what a pin means. */
export function atCommit(repository: GitLocation, commit: string): GitLocation {
  return { ...repository, ref: commit };
}

/** The commit that an address means now. Fails if the repository cannot be asked. */
export async function resolveCommit(repository: GitLocation, options: UpdateOptions): Promise<string> {
  return await (await import("./pinning.ts")).resolveCommit(repository, options);
}

/** The tag of the newest release of a repository; undefined if there is none. Fails if the repository cannot be asked. */
export async function findRelease(
  repository: GitLocation,
  options: UpdateOptions,
): Promise<string | undefined> {
  return await (await import("./pinning.ts")).findRelease(repository, options);
}

/** The copy of a repository at a commit, fetched if the cache does not have it. */
export async function fetchCommitCopy(
  repository: GitLocation,
  commit: string,
  options: UpdateOptions,
): Promise<CachedCopy> {
  return await (await import("./pinning.ts")).fetchCommitCopy(atCommit(repository, commit), options);
}

/** The folder of the copy that a pin means; undefined if the cache does not have it. */
export async function findPackage(
  cache: string,
  source: PackageLocation,
  pin: Pin,
): Promise<string | undefined> {
  return (await import("./package_copies.ts")).findPackage(cache, source, pin);
}

/** The folder of the copy of a pinned source; undefined if it is not cached. */
export async function findCopyFolder(
  rules: Pick<GitRules, "cache">,
  source: PinnedLocation,
  pin: Pin,
): Promise<string | undefined> {
  if (source.kind !== "git") return await findPackage(rules.cache, source, pin);
  if (pin.commit === undefined) return undefined;
  return (await openState(rules, atCommit(source.repository, pin.commit)))().copy?.folder;
}

/** What a pinned source is called in the cache. */
export async function pinnedName(source: PinnedLocation, pin: Pin): Promise<string> {
  return (await import("./package_copies.ts")).pinnedName(source, pin);
}

/** The package that a location means now, or the pinned one, with its copy in the cache. Fails if it cannot be had. */
export async function fetchPackage(
  source: PackageLocation,
  pinned: Pin | undefined,
  options: UpdateOptions,
): Promise<Pin> {
  return await (await import("./packages.ts")).fetchPackage(source, pinned, options);
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

/** Removes all copies of a repository. Returns false, and removes nothing, while it is being fetched. */
export async function clearCopies(cache: string, cached: CachedRepository): Promise<boolean> {
  return await (await import("./inspection.ts")).clearCopies(cache, cached);
}

/** Reads commits of the user's own repository with `git log`. */
export async function logCommits(
  folder: string,
  options: readonly string[],
  range: string,
  limits: LocalOptions,
): Promise<GitAnswer> {
  return await (await loadLocalGit()).logCommits(folder, options, range, limits);
}

/** Counts the lines that the user's own repository has gained and lost since a commit. */
export async function diffSizes(folder: string, from: string, limits: LocalOptions): Promise<GitAnswer> {
  return await (await loadLocalGit()).diffSizes(folder, from, limits);
}

/** Reads files of the user's own repository as they were once; undefined if one of them cannot be read. */
export async function showFiles(
  folder: string,
  names: readonly string[],
  limits: LocalOptions,
): Promise<readonly string[] | undefined> {
  return await (await loadLocalGit()).showFiles(folder, names, limits);
}

const loadLocalGit = once(() => import("./local_git.ts"));

/** Works with small notes in a remote repository, within the time of the plan; tells why if that is impossible. */
export async function withRemoteRefs<T>(
  plan: ReachablePlan,
  prefix: string,
  work: (refs: RemoteRefs) => Promise<T>,
  signal?: AbortSignal,
): Promise<{ readonly value: T } | { readonly problem: string }> {
  return await (await import("./remote_refs.ts")).withRemoteRefs(plan, prefix, work, signal);
}
