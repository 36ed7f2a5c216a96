/** Tells the other worktrees, and clones, how far a story has come on this branch. */
import { fail } from "../../../base/errors.ts";
import { findText, joinPath } from "../../../content/tree/mod.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Move,
  MOVES_FILE,
  movesIn,
  recordedName,
  recordsBeside,
  type StoryMatch,
} from "../board/mod.ts";
import type { State } from "../formats/mod.ts";
import type { News, WriteContext } from "./write_context.ts";

/** To be called under the lock of the repository. Without a state, the story is as it is in each branch. */
export function recordMove(
  { files: { shared }, now, remote }: WriteContext,
  found: StoryMatch,
  { state, by }: { readonly state?: State; readonly by?: string | undefined },
): { readonly news: News; readonly told: () => void } {
  if (shared === undefined) return { news: {}, told: () => {} };
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
  const kept = recordsBeside(all, found, project).filter(({ branch, at }) =>
    now() - Date.parse(at) < LIMITS.moves.oldMs && (branch === undefined || branches.has(branch) !== false)
  );
  // It may be another clone's.
  const givenUp = move === undefined && remote !== undefined ? { ledger, story } : undefined;
  if (move === undefined && kept.length === all.length) {
    return { news: { ...(givenUp && { givenUp }) }, told: () => {} };
  }
  let stored = move === undefined ? kept : [...kept, move];
  const write = (next: readonly Move[]) => {
    const before = findText(tree, MOVES_FILE);
    if (before === undefined && tree.stamp(MOVES_FILE) !== undefined) {
      const hint = `${tree.location}/${MOVES_FILE} cannot be read: it is too large, or no text. Delete it`;
      fail({ code: "not-allowed", what: "tell other worktrees", hint });
    }
    stored = next.slice(-LIMITS.moves.records);
    shared.replace(MOVES_FILE, `${JSON.stringify({ stories: stored }, null, 2)}\n`, before);
  };
  write(stored);
  if (remote === undefined) return { news: {}, told: () => {} };
  const untold = stored.filter(({ isUntold }) => isUntold).slice(-LIMITS.moves.untold);
  const changed = (about: Move, change: (one: Move) => Move) =>
    write(stored.map((one) => one.ledger === about.ledger && one.story === about.story ? change(one) : one));
  return {
    news: {
      moves: untold.map((one) => ({
        ...one,
        record: (commit) =>
          changed(one, ({ commits = [], ...rest }) => ({
            ...rest,
            commits: [...commits, commit].slice(-LIMITS.claims.commits),
          })),
      })),
      ...(givenUp && { givenUp }),
      ended: all.filter((one) => !kept.includes(one)).flatMap(({ commits = [] }) => commits),
    },
    told: () => untold.forEach((one) => changed(one, ({ isUntold: _, ...rest }) => rest)),
  };
}
