/** Repositories and packages as sources. Whatever runs git, writes or removes is loaded only when it is needed. */
import { LIMITS } from "../limits.ts";
import type { GitLocation } from "../../settings/locations/mod.ts";
import { lazy } from "../../base/work.ts";
import {
  type Config,
  GIT_SECONDS,
  type GitRules,
  NO_ANSWER,
  type Pin,
  type PinnedLocation,
} from "../../settings/plan/mod.ts";
import { recover } from "../../base/absence.ts";
import { BmadError } from "../../base/errors.ts";
import type { Refresher, RefresherOptions, UpdatedCopy, UpdateRequest } from "./update.ts";
import { findPackage, openState } from "./cache.ts";
import type { ReachablePlan, RemoteRefs } from "./remote_refs.ts";

export { type CacheState, openState, pinnedName, repositoryName, retryTime } from "./cache.ts";
export type { GitAnswer, LocalChange } from "./local_git.ts";
export type { RefChange, RemoteRef, RemoteRefs } from "./remote_refs.ts";
export type { CachedRepository } from "./staging.ts";
export type { UpdatedCopy, UpdateOptions, UpdateRequest } from "./update.ts";

export async function findCopyFolder(rules: Pick<GitRules, "cache">, source: PinnedLocation, pin: Pin) {
  if (source.kind !== "git") return findPackage(rules.cache, source, pin);
  if (pin.commit === undefined) return undefined;
  return (await openState(rules, { ...source.repository, ref: pin.commit }))().copy?.folder;
}

export const fetchPackage = lazy(async () => (await import("./packages.ts")).fetchPackage);

const update = () => import("./update.ts");
export const resolveCommit = lazy(async () => (await update()).resolveCommit);
export const findRelease = lazy(async () => (await update()).findRelease);
export const fetchCommitCopy = lazy(async () => (await update()).fetchCommitCopy);

const staging = () => import("./staging.ts");
export const listCache = lazy(async () => (await staging()).listCache);
export const clearFailures = lazy(async () => (await staging()).clearFailures);
export const clearCopies = lazy(async () => (await staging()).clearCopies);

const localGit = () => import("./local_git.ts");
export const logCommits = lazy(async () => (await localGit()).logCommits);
export const diffSizes = lazy(async () => (await localGit()).diffSizes);
export const listChanges = lazy(async () => (await localGit()).listChanges);
export const showFiles = lazy(async () => (await localGit()).showFiles);

export async function findGit(
  repository: GitLocation,
  rules: GitRules,
  folder: string,
): Promise<{ readonly version?: string; readonly problem?: string }> {
  const { checkGit, GitError, openGit } = await import("./git_program.ts");
  const git = openGit({ repository, rules, signal: AbortSignal.timeout(GIT_SECONDS.local * 1_000) });
  const ask = async () => ({ version: await checkGit(git, folder) });
  const silence = { problem: `${NO_ANSWER} within ${GIT_SECONDS.local} seconds` };
  return await recover(DOMException, () => recover(GitError, ask, asProblem), () => silence);
}

const asProblem = ({ message: problem }: Error) => ({ problem });

/** The prefixes end with a slash; the plan limits the time. */
export async function withRemoteRefs<T>(
  plan: ReachablePlan,
  prefixes: readonly string[],
  work: (refs: RemoteRefs) => Promise<T>,
  signal?: AbortSignal,
): Promise<{ readonly value: T } | { readonly problem: string }> {
  const { openRemoteRefs } = await import("./remote_refs.ts");
  const { GitError } = await import("./git_program.ts");
  const refs = openRemoteRefs(plan, prefixes, signal);
  return await recover(GitError, async () => ({ value: await work(refs) }), asProblem);
}

export type Copies = ReturnType<typeof openCopies>;

/** Without any repository, or offline, this does nothing and loads nothing. */
export function openCopies(
  { origins, git: rules }: Pick<Config, "origins" | "git">,
  hooks: Pick<RefresherOptions, "clock" | "progress" | "changed">,
) {
  const repositories = origins.flatMap(({ access }) => access.via === "git" ? [access.repository] : []);
  let refresher: Refresher | undefined;
  const open = async (): Promise<Refresher | undefined> => {
    if (rules === undefined || rules.offline || repositories.length === 0) return undefined;
    return refresher ??= (await update()).openRefresher({ repositories, rules, ...hooks });
  };
  return {
    update: async (request?: UpdateRequest): Promise<readonly UpdatedCopy[]> =>
      await (await open())?.update(request) ?? [],
    /** Only failures that cannot be noted are reported. */
    keepFresh: (report: (problem: string) => void): () => void => {
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
    whenIdle: async (signal?: AbortSignal): Promise<void> =>
      await refresher?.whenIdle(LIMITS.copies.waitMs, signal),
    rethrow: (error: unknown): never => {
      const coming = refresher?.fetching() ?? [];
      if (!(error instanceof BmadError) || error.failure.code !== "not-found" || coming.length === 0) {
        throw error;
      }
      const hint = `Still fetching ${coming.join(", ")}: try again in a moment`;
      throw new BmadError({ ...error.failure, hint: [error.failure.hint, hint].filter(Boolean).join(". ") });
    },
  };
}
