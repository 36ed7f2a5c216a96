/**
 * What a project shares with other worktrees of its repository, and who works in this one.
 *
 * Pure: it asks the disk through the functions it is given.
 */
import { MAX_OWNER, type WantedRights } from "../../base/model.ts";
import { liesIn } from "../../base/paths.ts";
import { oneLine, shorten } from "../../base/text.ts";
import { ACCOUNT_VARIABLES, type RefusedPath, resolveRight } from "../mod.ts";
import { findRepository, gitUser, type RepositoryDisk } from "./repository.ts";

/** Who works on a project, and together with whom. */
export interface TeamPlan {
  /** Who works, unless a request says so: the name in git's configuration, or that of the user's account. */
  readonly who?: string;
  /** What all worktrees of the project's repository share; undefined without one. */
  readonly shared?: SharedPlan;
  /** What is shared in no case. */
  readonly refused: readonly RefusedPath[];
}

/** Our records in the common directory of a repository, and which worktree this is. */
export interface SharedPlan {
  /** The common directory, absolute and real. Nothing in it is ours but one folder. */
  readonly common: string;
  /** The name of that folder. */
  readonly folder: string;
  /** The project's folder, relative to the top of the worktree; empty for the top. */
  readonly project: string;
  /** The name that git gives this worktree; a dot for the main one. */
  readonly worktree: string;
}

/** What the plan asks of the disk and of the user's account. */
export interface TeamPlace extends RepositoryDisk {
  readonly home: string | undefined;
  env?(name: string): string | undefined;
}

const FOLDER = "bmad";

/** Plans what is shared; `root` is the project's folder, absolute and real. */
export function planTeam(root: string, place: TeamPlace): TeamPlan {
  const found = findRepository(root, place);
  const repository = found?.reason === undefined ? found : undefined;
  const who = gitUser(repository, place) ??
    ACCOUNT_VARIABLES.map((name) => place.env?.(name)).find((name) => name?.trim());
  const named = who === undefined ? {} : { who: shorten(oneLine(who), MAX_OWNER) };
  const refuse = (path: string, reason: string): TeamPlan => ({
    ...named,
    refused: [{ folder: liesIn(path, root) ? path.slice(root.length + 1) : path, reason }],
  });
  if (found?.reason !== undefined) return refuse(found.path, found.reason);
  if (repository === undefined) return { ...named, refused: [] };
  const { common, top, worktree = "." } = repository;
  const path = `${common}/${FOLDER}`;
  const { reason } = resolveRight({ path, kind: "folder", isPlain: true }, place.look);
  if (reason !== undefined) return refuse(path, reason);
  const name = shorten(oneLine(worktree), MAX_OWNER);
  const shared = { common, folder: FOLDER, project: root.slice(top.length + 1), worktree: name };
  return { ...named, shared, refused: [] };
}

/** The rights of the plan, for a start that changes the project's work or only reads it. */
export function teamRights(plan: TeamPlan | undefined, isWriting: boolean): WantedRights {
  const folders = plan?.shared === undefined ? [] : [`${plan.shared.common}/${plan.shared.folder}`];
  return { read: folders, write: isWriting ? folders : [], run: [], net: false };
}
