/**
 * Git repositories as a source of content: their cached copies, and how those stay fresh.
 *
 * Looking into the cache is cheap and part of every start with a git origin. Everything that runs git, writes or removes
 * is loaded only when it is needed.
 */
import type { GitLocation } from "../../base/git_location.ts";
import { BmadError } from "../../base/errors.ts";
import type { Config, GitRules } from "../../settings/plan/mod.ts";
import { type CacheState, findState } from "./cache.ts";
import type { CachedRepository } from "./inspection.ts";
import { cachePaths } from "./paths.ts";
import type { Refresher, RefresherOptions } from "./refresher.ts";

export type { CachedCopy, CacheState, FailedFetch } from "./cache.ts";
export { repositoryName } from "./paths.ts";
export type { CachedRepository } from "./inspection.ts";
export type { Refresher, RefresherOptions, UpdatedCopy, UpdateRequest } from "./refresher.ts";
export type { Update } from "./update.ts";

/** The cached copies of some repositories. */
export interface Copies extends Pick<Refresher, "update"> {
  /**
   * Fetches in the background from now on, whenever a repository is due; returns a function that stops this. Failures
   * are noted beside the copies, and reported only where that is impossible.
   */
  keepFresh(report: (problem: string) => void): () => void;
  /** Settles when nothing is being fetched, or after a moment. */
  whenIdle(signal?: AbortSignal): Promise<void>;
  /** Throws an error again; says so where what was not found may still arrive. */
  rethrow(error: unknown): never;
}

/** How long a request waits at most for what is being fetched: less than any client waits for an answer. */
const MAX_WAIT_MS = 10_000;

/** The cached copies of a configuration's repositories. Without any, or offline, it does nothing and loads nothing. */
export function openCopies(
  { origins, git: rules }: Pick<Config, "origins" | "git">,
  hooks: Pick<RefresherOptions, "clock" | "progress" | "changed">,
): Copies {
  const repositories = origins.flatMap(({ access }) => access.via === "git" ? [access.repository] : []);
  let refresher: Refresher | undefined;
  const open = async (): Promise<Refresher | undefined> => {
    if (rules === undefined || rules.offline || repositories.length === 0) return undefined;
    const { openRefresher } = await import("./refresher.ts");
    return refresher ??= openRefresher({ repositories, rules, ...hooks });
  };
  return {
    update: async (request) => await (await open())?.update(request) ?? [],
    keepFresh: (report) => {
      let stop = () => {};
      let isOver = false;
      open().then((refresher) => {
        if (refresher !== undefined && !isOver) stop = refresher.start(report);
      });
      return () => {
        isOver = true;
        stop();
      };
    },
    whenIdle: async (signal) => await refresher?.whenIdle(MAX_WAIT_MS, signal),
    rethrow: (error) => {
      const coming = refresher?.fetching() ?? [];
      if (!(error instanceof BmadError) || error.failure.code !== "not-found" || coming.length === 0) {
        throw error;
      }
      const hint = `Still fetching ${coming.join(", ")}: try again in a moment`;
      throw new BmadError({ ...error.failure, hint: [error.failure.hint, hint].filter(Boolean).join(". ") });
    },
  };
}

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

/** Everything in the cache, with its size. */
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
