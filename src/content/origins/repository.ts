/**
 * A git repository as an origin: the copy that the cache has of it, and what to report where it has none.
 *
 * Nothing is fetched here. The copy served is the one that counts now, in a folder of its own: when another copy
 * replaces it, the footprint reports a change, and requests under way go on reading the old one.
 */
import type { GitLocation } from "../../settings/locations/mod.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { renderTime } from "../../base/work.ts";
import { describe } from "../../base/errors.ts";
import type { Diagnostic } from "../../base/model.ts";
import { type CacheState, openState, retryTime } from "../repositories/mod.ts";
import { diskTree, embeddedTree, joinPath, type Tree } from "../tree/mod.ts";

/** Opens what the cache has of a repository. */
export async function openRepository(
  repository: GitLocation,
  { git: rules, maxFile, now }: { readonly git?: GitRules; readonly maxFile: number; now(): number },
) {
  const look = rules === undefined ? () => NOT_CACHED : await openState(rules, repository);
  const state = look();
  const { copy } = state;
  const tree = copy === undefined
    ? embeddedTree(repository.shown, () => ({}), "")
    : diskTree(joinPath(copy.folder, repository.subpath ?? ""), {
      maxBytes: maxFile,
      within: copy.folder,
      now,
    });
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
  const retry = failure === undefined || rules.offline
    ? undefined
    : `Next attempt ${
      failure.isLocal ? "at the next start" : `after ${renderTime(retryTime(failure, rules.ttl))}`
    }`;
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
