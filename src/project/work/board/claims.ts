/**
 * Who holds which story: claims, which expire, as a project, the worktrees of a repository and other clones record them.
 * Anyone can have written these files: what is not a claim is left out, and no claim holds a story for ever.
 */
import { MAX_OWNER } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import { asText, asValues, parseJson } from "../../../base/values.ts";
import { findText, joinPath, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { Claim } from "../formats/mod.ts";
import type { About } from "./find.ts";

export const CLAIMS_FILE = "claims.json";

/** In the shared file. No linked worktree has such a name. */
export const MAIN_WORKTREE = ".";

export interface ClaimRecord extends About, Claim {
  /** The commit that tells other clones of it. */
  readonly commit?: string;
}

/** As worktrees and clones share it: its ledger is relative to the top of the worktree. */
export interface SharedClaim extends Omit<ClaimRecord, "place"> {
  readonly worktree: string;
}

interface SharedRecords {
  readonly tree: Tree;
  readonly project: string;
  readonly worktree: string;
}

export interface RecordsPlace {
  readonly tree: Tree;
  readonly folder: string;
  readonly journal?: string;
  readonly shared?: SharedRecords;
  /** Of other clones; `isOwn` recognizes commits that this clone has made. */
  readonly others?: (isOwn: (commit: string) => boolean) => readonly ClaimRecord[];
}

/** Without expired ones. Of several on one story, the last one, which most can see, counts. */
export function readClaims(
  { tree, folder, shared, others = () => [] }: RecordsPlace,
  now: number,
  clean?: (text: string) => string,
): readonly ClaimRecord[] {
  const own = claimsIn(tree, joinPath(folder, CLAIMS_FILE), now, clean).map(({ worktree: _, ...one }) => one);
  if (shared === undefined) return own;
  const all = claimsIn(shared.tree, CLAIMS_FILE, now, clean);
  const here = all.flatMap(({ worktree, ...claim }) => {
    const ledger = ledgerIn(shared.project, claim);
    const place = worktree === shared.worktree ? undefined : nameOfWorktree(worktree);
    return ledger === undefined ? [] : [{ ...claim, ledger, ...(place && { place }) }];
  });
  const commits = new Set([...own, ...all].map(({ commit }) => commit));
  return [...own, ...here, ...others((commit) => commits.has(commit))];
}

/** None ends later than one made when the file last changed, whatever a wrong clock or a person wrote. */
export function claimsIn(
  tree: Tree,
  path: string,
  now: number,
  clean = (text: string): string => text,
): readonly SharedClaim[] {
  const { claims } = asValues(parseJson(findText(tree, path) ?? ""));
  const latest = Math.min(now, tree.stamp(path)?.changedBy ?? now) + LIMITS.claims.longestMs;
  return (Array.isArray(claims) ? claims : []).slice(-LIMITS.claims.records).flatMap((one) => {
    const values = asValues(one);
    const claim = parseClaim({ worktree: MAIN_WORKTREE, ...values }, latest);
    const commit = asText(values["commit"]);
    if (claim === undefined || Date.parse(claim.until) <= now) return [];
    return [{ ...claim, by: clean(claim.by), ...(commit && { commit }) }];
  });
}

export function parseClaim(value: unknown, latest: number): SharedClaim | undefined {
  const values = asValues(value);
  const text = (key: string, max: number) => shorten(asText(values[key]) ?? "", max);
  const [ledger, story] = [text("ledger", LIMITS.claims.path), text("story", LIMITS.claims.path)];
  const [by, worktree] = [text("by", MAX_OWNER), text("worktree", MAX_OWNER)];
  const end = Math.min(Date.parse(asText(values["until"]) ?? ""), latest);
  if (!ledger || !story || !by || !worktree || Number.isNaN(end)) return undefined;
  return { ledger, story, by, worktree, until: new Date(end).toISOString() };
}

/** Relative to the project; undefined if it is about another project of the repository. */
export function ledgerIn(project: string, { ledger }: Pick<About, "ledger">): string | undefined {
  const base = project === "" ? "" : `${project}/`;
  return ledger.startsWith(base) ? ledger.slice(base.length) : undefined;
}

export function nameOfWorktree(worktree: string): string {
  return worktree === MAIN_WORKTREE ? "the main worktree" : `worktree ${worktree}`;
}
