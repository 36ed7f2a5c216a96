/**
 * Who holds which story: claims, which expire, as a project, a repository's worktrees and other clones record them.
 * Anyone can have written these files: what is not a claim is left out, and no claim holds a story for ever.
 */
import { MAX_OWNER } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import { asText, asTexts, asValues, parseJson, type Values } from "../../../base/values.ts";
import { isSeatId, type Seat } from "../../../base/work.ts";
import { findText, joinPath, type Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import type { Claim } from "../formats/mod.ts";
import type { About } from "./find.ts";

export const CLAIMS_FILE = "claims.json";

/** In the shared file. No linked worktree has such a name. */
export const MAIN_WORKTREE = ".";

export interface ClaimRecord extends About, Claim {
  /** A push whose answer was lost may have arrived. */
  readonly commits?: readonly string[];
  /** Not known to have reached other clones. */
  readonly isUntold?: true;
  readonly at?: string;
  readonly seat?: ClaimSeat;
}

/** With the name that people see: several of one client are numbered. */
export interface ClaimSeat extends Pick<Seat, "id" | "isHeld" | "token"> {
  readonly name: string;
}

/** Its ledger is relative to the top of the worktree. */
export interface SharedClaim extends Omit<ClaimRecord, "place" | "isLeft" | "active"> {
  readonly worktree: string;
}

export interface RecordsPlace {
  readonly tree: Tree;
  readonly folder: string;
  readonly journal?: string;
  readonly shared?: { readonly tree: Tree; readonly project: string; readonly worktree: string };
  /** `isOwn` recognizes commits of this clone. */
  readonly others?: (isOwn: (commit: string) => boolean) => readonly ClaimRecord[];
  /** Whoever asks, and the last sign of a seat here; undefined if it has ended. */
  readonly seat?: Pick<Seat, "id">;
  readonly findSeat?: (seat: ClaimSeat) => number | undefined;
}

/** Without expired ones. Of several on one story, the last, which most can see, counts. */
export function readClaims(
  { tree, folder, shared, others = () => [], seat: asking, findSeat }: RecordsPlace,
  now: number,
  clean?: (text: string) => string,
): readonly ClaimRecord[] {
  const placed = ({ worktree, ...claim }: SharedClaim): ClaimRecord => {
    const isHere = worktree === (shared?.worktree ?? MAIN_WORKTREE);
    const { seat, at } = claim;
    if (seat === undefined) {
      if (isHere && asking === undefined) return claim;
      // An earlier version wrote neither seat nor time.
      const hasLeft = isSilent(at, now) || isHere && at === undefined;
      return { ...claim, place: isHere ? TERMINAL : nameOfWorktree(worktree), ...(hasLeft && LEFT) };
    }
    if (seat.id === asking?.id) return claim;
    const sign = findSeat?.(seat);
    const place = isHere ? seat.name : `${seat.name}, ${nameOfWorktree(worktree)}`;
    if (sign === undefined) return { ...claim, ...(!isHere && { place }), ...LEFT };
    return { ...claim, place, active: new Date(sign).toISOString() };
  };
  const own = claimsIn(tree, joinPath(folder, CLAIMS_FILE), now, clean);
  const here = own.map((one) => placed({ ...one, worktree: shared?.worktree ?? MAIN_WORKTREE }));
  if (shared === undefined) return here;
  const all = claimsIn(shared.tree, CLAIMS_FILE, now, clean);
  const ours = all.flatMap((claim) => {
    const ledger = ledgerIn(shared.project, claim);
    return ledger === undefined ? [] : [placed({ ...claim, ledger })];
  });
  const commits = new Set([...own, ...all].flatMap(({ commits = [] }) => commits));
  return [...here, ...ours, ...others((commit) => commits.has(commit))];
}

const TERMINAL = "the terminal";

export const LEFT = { isLeft: true } as const;

/** A worktree's terminal, and another machine's seat, give no other sign than claims. */
export function isSilent(at: string | undefined, now: number): boolean {
  return at !== undefined && now - Date.parse(at) > LIMITS.claims.silenceMs;
}

export function listIn(tree: Tree, path: string, key: string, most: number): readonly Values[] {
  const all = asValues(parseJson(findText(tree, path) ?? ""))[key];
  return (Array.isArray(all) ? all : []).slice(-most).map(asValues);
}

/** None ends later than one made when the file last changed, whatever a clock or a person wrote. */
export function claimsIn(
  tree: Tree,
  path: string,
  now: number,
  clean = (text: string): string => text,
): readonly SharedClaim[] {
  const latest = Math.min(now, tree.stamp(path)?.changedBy ?? now) + LIMITS.claims.longestMs;
  return listIn(tree, path, "claims", LIMITS.claims.records).flatMap((values) => {
    const claim = parseClaim({ worktree: MAIN_WORKTREE, ...values }, latest);
    const commits = asTexts(values["commits"] ?? values["commit"]).slice(-LIMITS.claims.commits);
    if (claim === undefined || Date.parse(claim.until) <= now) return [];
    const isUntold = values["isUntold"] === true && { isUntold: true as const };
    return [{ ...claim, by: clean(claim.by), ...(commits.length > 0 && { commits }), ...isUntold }];
  });
}

export function parseClaim(value: unknown, latest: number): SharedClaim | undefined {
  const values = asValues(value);
  const text = (key: string, max: number) => shorten(asText(values[key]) ?? "", max);
  const [ledger, story] = [text("ledger", LIMITS.claims.path), text("story", LIMITS.claims.path)];
  const [by, worktree] = [text("by", MAX_OWNER), text("worktree", MAX_OWNER)];
  const end = Math.min(Date.parse(asText(values["until"]) ?? ""), latest);
  if (!ledger || !story || !by || !worktree || Number.isNaN(end)) return undefined;
  const at = Date.parse(asText(values["at"]) ?? "");
  const seat = seatIn(values["seat"]);
  return {
    ledger,
    story,
    by,
    worktree,
    until: new Date(end).toISOString(),
    ...(!Number.isNaN(at) && { at: new Date(Math.min(at, end)).toISOString() }),
    ...(seat && { seat }),
  };
}

function seatIn(value: unknown): ClaimSeat | undefined {
  const { id, name, isHeld, token } = asValues(value);
  if (typeof id !== "string" || !isSeatId(id) || typeof name !== "string") return undefined;
  return {
    id,
    name: shorten(name, MAX_OWNER),
    ...(isHeld === true && { isHeld }),
    ...(typeof token === "string" && { token: shorten(token, MAX_OWNER) }),
  };
}

/** Undefined if it is about another project. */
export function ledgerIn(project: string, { ledger }: Pick<About, "ledger">): string | undefined {
  const base = project === "" ? "" : `${project}/`;
  return ledger.startsWith(base) ? ledger.slice(base.length) : undefined;
}

export function nameOfWorktree(worktree: string): string {
  return worktree === MAIN_WORKTREE ? "the main worktree" : `worktree ${worktree}`;
}
