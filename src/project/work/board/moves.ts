/**
 * Which state a story has reached on another branch. Statuses lie in files, files on branches: a mark also tells all
 * worktrees, and with `claims = "remote"` all clones, until the files there say the same.
 */
import { MAX_OWNER } from "../../../base/model.ts";
import { shorten } from "../../../base/text.ts";
import { asText, asTexts, asValues } from "../../../base/values.ts";
import type { Tree } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import { type Elsewhere, isBehind, type State, stateOf } from "../formats/mod.ts";
import { ledgerIn, listIn, MAIN_WORKTREE, nameOfWorktree } from "./claims.ts";
import type { About } from "./find.ts";

export const MOVES_FILE = "stories.json";

interface Standpoint {
  readonly branch?: string;
  readonly head?: string;
}

/** Its ledger is relative to the top of the worktree. */
export interface Move extends About, Standpoint {
  readonly state: State;
  readonly by?: string;
  readonly worktree: string;
  readonly at: string;
  readonly commits?: readonly string[];
  readonly isUntold?: true;
}

export interface MovedStory extends About, Elsewhere {
  readonly state: State;
}

export interface MovesPlace {
  readonly shared?: {
    readonly tree: Tree;
    readonly project: string;
    readonly worktree: string;
    readonly branches: Branches;
  };
  readonly otherMoves?: (isOwn: (commit: string) => boolean) => readonly MovedStory[];
}

interface Branches {
  current(): Standpoint;
  /** In the clone or its view of a remote; undefined if that cannot be told. */
  has(branch: string): boolean | undefined;
  renamed(branch: string): string | undefined;
}

/** By its present name; undefined if it is gone. */
function presentBranch({ branch }: Move, branches: Branches): string | undefined {
  return branch === undefined || branches.has(branch) !== false ? branch : branches.renamed(branch);
}

export function isGone(move: Move, branches: Branches): boolean {
  return move.branch !== undefined && presentBranch(move, branches) === undefined;
}

export function readMoves({ shared, otherMoves }: MovesPlace, clean = (text: string) => text) {
  if (shared === undefined) return [];
  const all = movesIn(shared.tree);
  const here = all.length === 0 ? {} : shared.branches.current();
  const commits = new Set(all.flatMap(({ commits = [] }) => commits));
  const ours = all.flatMap((move): readonly MovedStory[] => {
    const { head, worktree, story, state, by } = move;
    const branch = presentBranch(move, shared.branches);
    const ledger = ledgerIn(shared.project, move);
    // In one worktree, on one branch, the file itself says it.
    const isHere = worktree === shared.worktree && branch === here.branch && (branch ?? head) !== undefined &&
      (branch !== undefined || head === here.head);
    if (ledger === undefined || isHere || isGone(move, shared.branches)) return [];
    const on = placeOfMove({ branch, head }) ?? nameOfWorktree(worktree);
    return [{ ledger, story, state, on: clean(on), ...(by && { by: clean(by) }) }];
  });
  return [...ours, ...otherMoves?.((commit) => commits.has(commit)) ?? []];
}

export function placeOfMove({ branch, head }: Standpoint): string | undefined {
  return branch !== undefined ? `branch ${branch}` : head && `commit ${head.slice(0, 9)}`;
}

export function movesIn(tree: Tree): readonly Move[] {
  return listIn(tree, MOVES_FILE, "stories", LIMITS.moves.records).flatMap((one) => parseMove(one) ?? []);
}

export function parseMove(value: unknown): Move | undefined {
  const values = asValues(value);
  const text = (key: string, max: number) => shorten(asText(values[key]) ?? "", max) || undefined;
  const [ledger, story] = [text("ledger", LIMITS.claims.path), text("story", LIMITS.claims.path)];
  const state = stateOf(text("state", MAX_OWNER) ?? "");
  const at = Date.parse(text("at", MAX_OWNER) ?? "");
  if (ledger === undefined || story === undefined || state === undefined || Number.isNaN(at)) {
    return undefined;
  }
  const commits = asTexts(values["commits"]).slice(-LIMITS.claims.commits);
  return {
    ledger,
    story,
    state,
    by: text("by", MAX_OWNER),
    worktree: text("worktree", MAX_OWNER) ?? MAIN_WORKTREE,
    branch: text("branch", LIMITS.claims.path),
    head: text("head", MAX_OWNER),
    at: new Date(at).toISOString(),
    ...(commits.length > 0 && { commits }),
    ...(values["isUntold"] === true && { isUntold: true }),
  };
}

/** The furthest that it has come; undefined if it is as far here. */
export function elsewhereOf(moves: readonly MovedStory[], state: State): Elsewhere | undefined {
  const [first, ...others] = moves.filter((one) => isBehind(state, one.state));
  if (first === undefined) return undefined;
  const { ledger: _, story: __, ...elsewhere } = others.reduce(
    (one, other) => isBehind(one.state, other.state) ? other : one,
    first,
  );
  return elsewhere;
}
