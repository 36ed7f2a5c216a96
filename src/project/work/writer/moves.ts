/** Tells other worktrees and clones how far a story is on this branch, and what earlier calls could not. */
import { recover } from "../../../base/absence.ts";
import { BmadError } from "../../../base/errors.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import type { SharedFiles } from "../../files/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type About,
  type BeginningRecord,
  BEGINNINGS_FILE,
  beginningsIn,
  type ClaimRecord,
  CLAIMS_FILE,
  claimsIn,
  isGone,
  type Move,
  MOVES_FILE,
  movesIn,
  recordedName,
  recordsBeside,
  type StoryMatch,
} from "../board/mod.ts";
import { nameOfHolder, type State } from "../formats/mod.ts";
import type { News, Untold, WriteContext } from "./write_context.ts";

export interface Telling {
  readonly news: News;
  /** Returns which claims are lost. */
  told(): readonly string[];
}

/** Under the repository's lock. Without a state, the story is as in each branch. */
export function recordMove(
  world: WriteContext,
  found: StoryMatch,
  { state, by }: { readonly state?: State; readonly by?: string | undefined },
): Telling {
  const { files: { shared }, now, remote } = world;
  if (shared === undefined) return untoldNews(world);
  const { branches, project, worktree, tree } = shared;
  const all = movesIn(tree);
  const { story, ledger } = recordedName(found);
  const move: Move | undefined = state && {
    ledger: joinPath(project, ledger),
    story,
    state,
    by,
    worktree,
    ...branches.current(),
    at: new Date(now()).toISOString(),
    ...(remote !== undefined && { isUntold: true }),
  };
  // Until other clones know what is over, it is kept.
  const kept = recordsBeside(all, found, project).filter((one) => remote || isLive(one, shared, now()));
  if (move !== undefined || kept.length < all.length) writeMoves(shared, move ? [...kept, move] : kept);
  return untoldNews(world, {
    ended: all.filter((one) => !kept.includes(one)).flatMap(({ commits = [] }) => commits),
    // It may be another clone's.
    ...(move === undefined && { givenUp: { ledger, story } }),
  });
}

/**
 * Under the repository's lock, before a claim: the commit at the first claim or start. What was given back before any
 * work begins again. Returns a new commit, for the journal.
 */
export function recordBeginning(
  { files: { shared }, now }: WriteContext,
  found: StoryMatch,
  { isHeld, isShared }: { readonly isHeld: boolean; readonly isShared: boolean },
): { readonly head?: string } {
  const { state, elsewhere } = found.story;
  const commit = isShared ? shared?.branches.commit() : undefined;
  if (shared === undefined || commit === undefined || state !== "backlog" && state !== "ready") return {};
  const all = beginningsIn(shared.tree);
  const isKnown = recordsBeside(all, found, shared.project).length < all.length;
  if (isKnown && (isHeld || elsewhere !== undefined)) return {};
  recordForLife(shared, found, { commit, at: new Date(now()).toISOString() });
  return { head: commit };
}

/** Under the repository's lock; elsewhere, only the journal has it. */
export function recordAccepted(
  { files: { shared }, now }: WriteContext,
  found: StoryMatch,
  accepted: readonly string[],
  isShared: boolean,
): void {
  if (shared === undefined || !isShared) return;
  const { began } = found.story;
  const at = new Date(now()).toISOString();
  recordForLife(shared, found, { at, accepted, ...(began !== undefined && { commit: began }) });
}

function recordForLife(
  { tree, project, replace }: SharedFiles,
  found: StoryMatch,
  record: Omit<BeginningRecord, keyof About> & { readonly at: string },
): void {
  const { story, ledger } = recordedName(found);
  const own = { ledger: joinPath(project, ledger), story, ...record };
  const stories = [...recordsBeside(beginningsIn(tree), found, project), own].slice(-LIMITS.moves.records);
  // The mark or claim stands, and the journal has it, too.
  recover(BmadError, () => replace(BEGINNINGS_FILE, `${JSON.stringify({ stories }, null, 2)}\n`));
}

function isLive(move: Move, { branches }: SharedFiles, now: number): boolean {
  return now - Date.parse(move.at) < LIMITS.moves.oldMs && !isGone(move, branches);
}

/** Moves and claims that no push has told yet, and moves that are over. */
export function untoldNews({ files: { shared }, remote, now }: WriteContext, more: News = {}): Telling {
  if (shared === undefined || remote === undefined) return { news: {}, told: () => [] };
  const { tree, project } = shared;
  const isKept = (one: Move) => isLive(one, shared, now());
  const over = movesIn(tree).filter((one) => !isKept(one)).flatMap(({ commits = [] }) => commits);
  const readClaims = () => claimsIn(tree, CLAIMS_FILE, now());
  const moves = untoldIn(() => movesIn(tree), (all) => writeMoves(shared, all));
  const claims = untoldIn(readClaims, (all) => shared.replace(CLAIMS_FILE, renderClaims(all)));
  const ended = [...more.ended ?? [], ...over];
  return {
    news: { ...more, moves: moves.untold.filter(isKept), claims: claims.untold, ended },
    told: () => {
      const own = new Set(readClaims().flatMap(({ commits = [] }) => commits));
      const others = remote.others((commit) => own.has(commit));
      const otherOn = ({ ledger, story }: About) =>
        others.find((one) => one.story === story && joinPath(project, one.ledger) === ledger);
      moves.settle(isKept);
      claims.settle((one) => otherOn(one) === undefined);
      const lost = claims.untold.flatMap((one) => otherOn(one) ?? []);
      return lost.map((one) =>
        `${nameOfHolder(one)} holds ${one.story}: other clones did not see that it was held here`
      );
    },
  };
}

function untoldIn<T extends About & Pick<Move, "commits" | "isUntold">>(
  read: () => readonly T[],
  write: (all: readonly T[]) => void,
) {
  const untold = read().filter(({ isUntold }) => isUntold).slice(-LIMITS.moves.untold);
  const isOf = (one: About) => ({ ledger, story }: About) => ledger === one.ledger && story === one.story;
  const change = (of: readonly About[], changed: (one: T) => T) =>
    write(read().map((one) => of.some(isOf(one)) ? changed(one) : one));
  return {
    untold: untold.map((about): Untold<T> => ({
      ...about,
      record: (commit) => change([about], (one) => ({ ...one, commits: [...one.commits ?? [], commit] })),
    })),
    settle: (isKept: (one: T) => boolean) => {
      if (!read().every(isKept)) write(read().filter(isKept));
      if (untold.length > 0) change(untold, (one) => ({ ...one, isUntold: undefined }));
    },
  };
}

function writeMoves({ replace }: SharedFiles, moves: readonly Move[]): void {
  replace(MOVES_FILE, `${JSON.stringify({ stories: moves.slice(-LIMITS.moves.records) }, null, 2)}\n`);
}

export function renderClaims(claims: readonly ClaimRecord[]): string {
  const text = `${JSON.stringify({ claims }, null, 2)}\n`;
  if (text.length <= LIMITS.claims.fileLength) return text;
  return renderClaims(claims.slice(Math.ceil(claims.length / 2)));
}
