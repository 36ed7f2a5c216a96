/**
 * Sources of which the cache has copies: git repositories, and pinned sources at exactly the copy of their lock file.
 * Nothing is fetched here. When another copy of a repository replaces the served one, the footprint reports a change, and
 * requests under way go on reading the old one.
 */
import type { GitLocation } from "../../settings/locations/mod.ts";
import type { Access, GitRules } from "../../settings/plan/mod.ts";
import { renderTime } from "../../base/time.ts";
import { describe } from "../../base/errors.ts";
import type { Diagnostic } from "../../base/model.ts";
import { type CacheState, findCopyFolder, openState, retryTime } from "../repositories/mod.ts";
import { diskTree, embeddedTree, joinPath, type Tree } from "../tree/mod.ts";

export interface CopyOptions {
  readonly git?: GitRules;
  readonly maxFile: number;
  now(): number;
}

function copyTree(
  shown: string,
  folder: string | undefined,
  subpath: string | undefined,
  { maxFile, now }: CopyOptions,
): Tree {
  if (folder === undefined) return embeddedTree(shown, () => ({}), "");
  return diskTree(joinPath(folder, subpath ?? ""), { maxBytes: maxFile, within: folder, now });
}

export async function openRepository(repository: GitLocation, options: CopyOptions) {
  const { git: rules } = options;
  const look = rules === undefined ? () => NOT_CACHED : await openState(rules, repository);
  const state = look();
  const { copy } = state;
  const tree = copyTree(repository.shown, copy?.folder, repository.subpath, options);
  const diagnostics = diagnose(repository, state, tree, rules);
  const problem = diagnostics.find(({ level }) => level !== "info")?.message;
  return {
    tree,
    // A copy never changes; it is replaced by another one.
    footprint: {
      tree,
      folders: () => [],
      readsDiffer: () => false,
      differs: () => Promise.resolve(look().mark !== state.mark),
    },
    copy: {
      ...(copy && { commit: copy.commit, fetched: new Date(copy.fetched).toISOString() }),
      ...(problem && { problem }),
    },
    diagnostics,
  };
}

const NOT_CACHED: CacheState = { mark: "" };

function diagnose(
  { shown, subpath }: GitLocation,
  { copy, failure }: CacheState,
  tree: Tree,
  rules: GitRules | undefined,
): readonly Diagnostic[] {
  const unavailable = (reason: string, hint?: string): Diagnostic => ({
    level: "error",
    code: "origin-unavailable",
    message: describe({ code: "origin-unavailable", origin: shown, reason, hint }),
  });
  if (rules === undefined) {
    const fix = "Configure a folder for the git cache";
    return [{ ...unavailable("no folder can hold a copy of it"), fix }];
  }
  const next = failure &&
    (failure.isLocal ? "at the next start" : `after ${renderTime(retryTime(failure, rules.ttl))}`);
  const retry = next === undefined || rules.offline ? undefined : `Next attempt ${next}`;
  if (copy === undefined) {
    if (failure !== undefined) return [unavailable(failure.problem, retry)];
    if (rules.offline) return [unavailable("not cached, and fetching is disabled by offline mode")];
    const message = `Fetching ${shown}: its content appears once it has arrived`;
    return [{ level: "info", code: "being-fetched", message }];
  }
  const found: Diagnostic[] = [];
  if (failure !== undefined) {
    const message = `Cannot fetch ${shown}, serving the copy from ${renderTime(copy.fetched)}: ` +
      failure.problem + (retry === undefined ? "" : `. ${retry}`);
    found.push({ level: "warning", code: "old-copy", message });
  }
  if (subpath !== undefined && tree.list("").length === 0) {
    found.push(unavailable(`no folder ${subpath} in commit ${copy.commit.slice(0, 10)}`));
  }
  return found;
}

type PinnedAccess = Extract<Access, { readonly via: "pinned" }>;

export async function openPinned(shown: string, access: PinnedAccess, options: CopyOptions) {
  const { folder, subpath, facts } = await findCopy(access, options.git);
  const tree = copyTree(shown, folder, subpath, options);
  const problemOf = () => {
    if (access.pin === undefined) return "it is not pinned";
    if (folder === undefined) return "it is not in the cache";
    return subpath !== undefined && tree.list("").length === 0 ? `no folder ${subpath} in it` : undefined;
  };
  const problem = problemOf();
  if (problem === undefined) return { tree, copy: facts };
  const message = describe({ code: "origin-unavailable", origin: shown, reason: problem });
  return {
    tree,
    copy: { ...facts, problem },
    diagnostics: [{ level: "error", code: "origin-unavailable", message } as const],
  };
}

async function findCopy({ source, pin }: PinnedAccess, rules: GitRules | undefined) {
  if (pin === undefined || rules === undefined) return { facts: {} };
  const folder = await findCopyFolder(rules, source, pin);
  if (source.kind === "git") {
    return { folder, subpath: source.repository.subpath, facts: { commit: pin.commit } };
  }
  const subpath = source.kind === "npm" ? source.location.subpath : undefined;
  return { folder, subpath, facts: { version: pin.version ?? pin.integrity?.slice(0, 17) } };
}
