/** Tells other worktrees and clones how far a story is on this branch. */
import { expectFailure } from "../../../base/errors.ts";
import { joinPath } from "../../../content/tree/mod.ts";
import type { SharedFiles } from "../../files/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type About,
  type BeginningRecord,
  BEGINNINGS_FILE,
  beginningsIn,
  isGone,
  type Move,
  MOVES_FILE,
  movesIn,
  recordedName,
  recordsBeside,
  type StoryMatch,
} from "../board/mod.ts";
import type { State } from "../formats/mod.ts";
import type { News, WriteContext } from "./write_context.ts";

export interface Telling {
  readonly news: News;
  told(): void;
}

/** Under the repository's lock. Without a state, the story is as in each branch. */
export function recordMove(
  world: WriteContext,
  found: StoryMatch,
  { state, by }: { readonly state?: State; readonly by?: string | undefined },
): Telling {
  const { files: { shared }, now, remote } = world;
  if (shared === undefined) return untoldMoves(world);
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
  const kept = recordsBeside(all, found, project).filter((one) =>
    now() - Date.parse(one.at) < LIMITS.moves.oldMs && !isGone(one, branches)
  );
  if (move !== undefined || kept.length < all.length) writeMoves(shared, move ? [...kept, move] : kept);
  return untoldMoves(world, {
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
  try {
    const stories = [...recordsBeside(beginningsIn(tree), found, project), own].slice(-LIMITS.moves.records);
    replace(BEGINNINGS_FILE, `${JSON.stringify({ stories }, null, 2)}\n`);
  } catch (error) {
    // The mark or claim stands, and the journal has it, too.
    expectFailure(error);
  }
}

export function untoldMoves({ files: { shared }, remote }: WriteContext, more: News = {}): Telling {
  if (shared === undefined || remote === undefined) return { news: {}, told: () => {} };
  const untold = movesIn(shared.tree).filter(({ isUntold }) => isUntold).slice(-LIMITS.moves.untold);
  const change = (about: Move, changed: (one: Move) => Move) =>
    writeMoves(
      shared,
      movesIn(shared.tree).map((one) =>
        one.ledger === about.ledger && one.story === about.story ? changed(one) : one
      ),
    );
  return {
    news: {
      ...more,
      moves: untold.map((one) => ({
        ...one,
        record: (commit) =>
          change(one, ({ commits = [], ...rest }) => ({
            ...rest,
            commits: [...commits, commit].slice(-LIMITS.claims.commits),
          })),
      })),
    },
    told: () => untold.forEach((one) => change(one, ({ isUntold: _, ...rest }) => rest)),
  };
}

function writeMoves({ replace }: SharedFiles, moves: readonly Move[]): void {
  replace(MOVES_FILE, `${JSON.stringify({ stories: moves.slice(-LIMITS.moves.records) }, null, 2)}\n`);
}
