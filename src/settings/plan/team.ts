/**
 * What a project shares with other worktrees of its repository, and who works in this one.
 *
 * Pure: it asks the disk through the functions it is given.
 */
import { MAX_OWNER, type WantedRights } from "../../base/model.ts";
import { liesIn } from "../../base/paths.ts";
import { oneLine, shorten } from "../../base/text.ts";
import {
  ACCOUNT_VARIABLES,
  GIT_USER_VARIABLES,
  gitEnvironment,
  type RefusedPath,
  resolveRight,
  type Settings,
} from "../mod.ts";
import type { GitRules } from "./origins.ts";
import { findRepository, gitUser, type RepositoryDisk } from "./repository.ts";

/** Who works on a project, and together with whom. */
export interface TeamPlan {
  /** Who works, unless a request says so: the name in git's configuration, or that of the user's account. */
  readonly who?: string;
  /** What all worktrees of the project's repository share; undefined without one. */
  readonly shared?: SharedPlan;
  /** Why claims, which the user wants shared with other clones, cannot be; completes "because …". */
  readonly unshared?: string;
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
  /** How claims are shared with other machines; undefined if they stay in this clone. */
  readonly remote?: RemotePlan;
}

/** How claims are shared with other clones of a repository. */
export interface RemotePlan {
  /** What git calls the repository that they are kept in. */
  readonly name: string;
  /** The top of the worktree, absolute and real. */
  readonly folder: string;
  /** How git may be run; undefined if it may not. */
  readonly git?: Pick<GitRules, "environment" | "timeout">;
  /** Why not; completes "others do not see it, because …". */
  readonly problem?: string;
}

/** What the plan asks of the disk and of the user's account. */
export interface TeamPlace extends RepositoryDisk {
  readonly home: string | undefined;
  env?(name: string): string | undefined;
}

const FOLDER = "bmad";

/** The settings that decide with whom claims are shared, and whether this start may run git. */
export interface Sharing {
  readonly settings: Pick<
    Settings,
    "claims" | "claimsRemote" | "allowGit" | "offline" | "readOnly" | "gitTimeout"
  >;
  readonly mayRunGit: boolean;
}

/** Plans what is shared; `root` is the project's folder, absolute and real. */
export function planTeam(root: string, sharing: Sharing, place: TeamPlace): TeamPlan {
  const found = findRepository(root, place);
  const repository = found?.reason === undefined ? found : undefined;
  const who = gitUser(repository, place) ??
    ACCOUNT_VARIABLES.map((name) => place.env?.(name)).find((name) => name?.trim());
  const named = who === undefined ? {} : { who: shorten(oneLine(who), MAX_OWNER) };
  const alone = sharing.settings.claims === "remote" ? { unshared: "no git repository can be used" } : {};
  const refuse = (path: string, reason: string): TeamPlan => ({
    ...named,
    ...alone,
    refused: [{ folder: liesIn(path, root) ? path.slice(root.length + 1) : path, reason }],
  });
  if (found?.reason !== undefined) return refuse(found.path, found.reason);
  if (repository === undefined) return { ...named, ...alone, refused: [] };
  const { common, top, worktree = "." } = repository;
  const path = `${common}/${FOLDER}`;
  const { reason } = resolveRight({ path, kind: "folder", isPlain: true }, place.look);
  if (reason !== undefined) return refuse(path, reason);
  const name = shorten(oneLine(worktree), MAX_OWNER);
  const shared = {
    common,
    folder: FOLDER,
    project: root.slice(top.length + 1),
    worktree: name,
    ...(sharing.settings.claims === "remote" && { remote: planRemote(top, sharing, place) }),
  };
  return { ...named, shared, refused: [] };
}

/** Whoever waits for a claim should not wait longer. */
const MAX_REMOTE_SECONDS = 10;

function planRemote(folder: string, { settings, mayRunGit }: Sharing, { env }: TeamPlace): RemotePlan {
  const { claimsRemote: name, allowGit, offline, readOnly, gitTimeout } = settings;
  const problem = offline
    ? "of --offline"
    : readOnly
    ? "of --read-only"
    : allowGit
    ? undefined
    : "git may not be run without --allow-git";
  if (problem !== undefined) return { name, folder, problem };
  if (!mayRunGit) return { name, folder };
  const environment = gitEnvironment({ env: (name) => env?.(name) }, GIT_USER_VARIABLES);
  return { name, folder, git: { environment, timeout: Math.min(gitTimeout, MAX_REMOTE_SECONDS) * 1_000 } };
}

/** The rights of the plan, for a start that changes the project's work, or keeps what it sees of other clones. */
export function teamRights(plan: TeamPlan | undefined, isWriting: boolean): WantedRights {
  const folders = plan?.shared === undefined ? [] : [`${plan.shared.common}/${plan.shared.folder}`];
  const isKept = plan?.shared?.remote?.git !== undefined;
  return { read: folders, write: isWriting || isKept ? folders : [], run: [], net: false };
}
