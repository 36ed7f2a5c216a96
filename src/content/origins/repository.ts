/**
 * A repository as an origin: the copy of it that the cache has, and what is to be said where there is none.
 *
 * Nothing is fetched here. What is served is the copy that counts at this moment, by a name that stays its own: when
 * another one takes its place, the footprint tells, and requests under way go on reading the old one.
 */
import type { GitLocation } from "../../base/git_location.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { describe } from "../../base/errors.ts";
import type { CopyFacts, Diagnostic } from "../../base/model.ts";
import { type CacheState, openState } from "../repositories/mod.ts";
import { diskTree, embeddedTree, joinPath, type Tree } from "../tree/mod.ts";
import type { Footprint } from "./footprint.ts";

/** A repository, as far as there is a copy of it. */
export interface OpenRepository {
  readonly tree: Tree;
  readonly footprint: Footprint;
  readonly copy: CopyFacts;
  readonly diagnostics: readonly Diagnostic[];
}

/** Opens what the cache has of a repository. */
export async function openRepository(
  repository: GitLocation,
  { rules, maxFile }: { readonly rules: GitRules | undefined; readonly maxFile: number },
): Promise<OpenRepository> {
  const look = rules === undefined ? () => NOTHING : await openState(rules, repository);
  const state = look();
  const { copy } = state;
  const tree = copy === undefined
    ? embeddedTree(repository.shown, () => ({}), "")
    : diskTree(joinPath(copy.folder, repository.subpath ?? ""), { maxBytes: maxFile, within: copy.folder });
  const diagnostics = findTrouble(repository, state, tree, rules);
  const problem = diagnostics.find(({ level }) => level !== "info")?.message;
  return {
    tree,
    footprint: {
      tree,
      folders: () => [],
      // A copy never changes; another one takes its place.
      differs: () => Promise.resolve(look().mark !== state.mark),
    },
    copy: {
      ...(copy === undefined ? {} : { commit: copy.commit, fetched: new Date(copy.fetched).toISOString() }),
      ...(problem === undefined ? {} : { problem }),
    },
    diagnostics,
  };
}

const NOTHING: CacheState = { mark: "" };

function findTrouble(
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
    return [unavailable("there is no home folder to keep a copy in", "Name another one with --git-cache")];
  }
  const again = failure === undefined || rules.offline
    ? undefined
    : `It is tried again ${
      failure.isLocal ? "at the next start" : `after ${timeOf(failure.time + rules.ttl)}`
    }, ` +
      "or now with: bmad-mcp cache update";
  if (copy === undefined) {
    if (failure !== undefined) return [unavailable(failure.problem, again)];
    if (rules.offline) return [unavailable("there is no copy of it, and --offline forbids to fetch one")];
    const message = `${shown} is being fetched: what it holds comes when it is there`;
    return [{ level: "info", code: "being-fetched", message }];
  }
  const found: Diagnostic[] = [];
  if (failure !== undefined) {
    const message =
      `${shown} could not be fetched again, and the copy of ${timeOf(copy.fetched)} is served: ` +
      failure.problem + (again === undefined ? "" : `. ${again}`);
    found.push({ level: "warning", code: "old-copy", message });
  }
  if (subpath !== undefined && tree.list("").length === 0) {
    const commit = copy.commit.slice(0, 10);
    found.push(unavailable(`the repository has no folder ${subpath} in commit ${commit}`));
  }
  return found;
}

/** A time as people read it. */
function timeOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
