/**
 * A pinned source as an origin: exactly the copy that its lock file names, from the cache. Nothing is ever fetched here.
 */
import { describe } from "../../base/errors.ts";
import type { Access, GitRules } from "../../settings/plan/mod.ts";
import { findCopyFolder } from "../repositories/mod.ts";
import { diskTree, embeddedTree, joinPath } from "../tree/mod.ts";

type PinnedAccess = Extract<Access, { readonly via: "pinned" }>;

/** Opens what the cache has of a pinned source. */
export async function openPinned(
  shown: string,
  access: PinnedAccess,
  { git: rules, maxFile, now }: { readonly git?: GitRules; readonly maxFile: number; now(): number },
) {
  const { folder, subpath, facts } = await findCopy(access, rules);
  const tree = folder === undefined
    ? embeddedTree(shown, () => ({}), "")
    : diskTree(joinPath(folder, subpath ?? ""), { maxBytes: maxFile, within: folder, now });
  const isEmpty = subpath !== undefined && folder !== undefined && tree.list("").length === 0;
  const problem = access.pin === undefined
    ? "it is not pinned"
    : folder === undefined
    ? "it is not in the cache"
    : isEmpty
    ? `no folder ${subpath} in it`
    : undefined;
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
