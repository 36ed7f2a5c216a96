import { MAX_OWNER } from "../../base/model.ts";
import { liesIn } from "../../base/paths.ts";
import { oneLine, shorten, splitLines } from "../../base/text.ts";
import { type Seat, seatId } from "../../base/work.ts";
import {
  ACCOUNT_VARIABLES,
  configValue,
  findRepository,
  GIT_USER_VARIABLES,
  gitEnvironment,
  type Repository,
  resolveRight,
  SESSION_VARIABLES,
} from "../mod.ts";
import type { Claims, Start } from "./choice.ts";
import { GIT_SECONDS, type GitRules } from "./content.ts";
import type { WorkPlan } from "./work.ts";

export interface TeamPlan extends Claims {
  /** Git's name for the user, or the account's, unless a request says so. */
  readonly who?: string;
  readonly seat?: Seat;
  readonly shared?: SharedPlan;
  /** Completes "because …". */
  readonly unshared?: string;
}

export interface SharedPlan {
  /** Absolute and real. Nothing in it is ours but one folder. */
  readonly common: string;
  readonly folder: string;
  readonly project: string;
  /** A dot for the main one. */
  readonly worktree: string;
  /** Says where this worktree stands. */
  readonly head: string;
  readonly remote?: RemotePlan;
  /** Whether a line of an earlier version remains: if the merge driver fails, git takes our side. */
  readonly mergesAsBefore?: true;
}

export interface RemotePlan {
  readonly name: string;
  readonly folder: string;
  readonly git?: Pick<GitRules, "environment" | "timeout">;
  readonly problem?: string;
}

const FOLDER = "bmad";

export function planTeam(start: Start, root: string, work: WorkPlan | undefined): TeamPlan {
  const { env, look } = start;
  const isRemote = start.settings.claims === "remote";
  const found = findRepository(root, start);
  const repository = found?.reason === undefined ? found : undefined;
  const who = gitUser(repository, start) ?? ACCOUNT_VARIABLES.map(env).find((name) => name?.trim());
  const isShared = start.invocation.name === "serve" && start.settings.http !== undefined;
  const seat = isShared ? undefined : seatIn(start);
  const named = {
    ...(who !== undefined && { who: shorten(oneLine(who), MAX_OWNER) }),
    ...(seat !== undefined && { seat }),
  };
  const alone = isRemote ? { unshared: "no git repository can be used" } : {};
  const refuse = (path: string, reason: string): TeamPlan => ({
    ...named,
    ...alone,
    refused: [{ folder: liesIn(path, root) ? path.slice(root.length + 1) : path, reason }],
  });
  if (found?.reason !== undefined) return refuse(found.path, found.reason);
  if (repository === undefined) return { ...named, ...alone };
  const { common, top, worktree = "." } = repository;
  const path = `${common}/${FOLDER}`;
  const { reason } = resolveRight({ path, kind: "folder", isPlain: true }, look);
  if (reason !== undefined) return refuse(path, reason);
  const shared: SharedPlan = {
    common,
    folder: FOLDER,
    project: root.slice(top.length + 1),
    worktree: shorten(oneLine(worktree), MAX_OWNER),
    head: repository.worktree === undefined ? "HEAD" : `worktrees/${worktree}/HEAD`,
    ...(start.invocation.name === "doctor" && mergesAsBefore(common, start)),
    ...(isRemote && { remote: planRemote(start, repository, work?.git !== undefined) }),
  };
  // A start that shares claims keeps what it sees of other clones.
  const isKept = work !== undefined && work.writable.length > 0 || shared.remote?.git !== undefined;
  const facts = ["HEAD", "worktrees", "refs", "packed-refs", "logs"].flatMap((name) => {
    const { real } = resolveRight({ path: `${common}/${name}`, isPlain: true }, look);
    return real ?? [];
  });
  return { ...named, shared, rights: { read: [path, ...facts], write: isKept ? [path] : [] } };
}

function seatIn({ env }: Pick<Start, "env">): Seat | undefined {
  for (const [variable, client] of Object.entries(SESSION_VARIABLES)) {
    const value = env(variable)?.trim() ?? "";
    const id = seatId(value);
    if (id !== "") return { id, client: client ?? shorten(oneLine(value), MAX_OWNER) };
  }
  return undefined;
}

function mergesAsBefore(common: string, { readHead }: Start): Pick<SharedPlan, "mergesAsBefore"> {
  const driver = configValue(readHead?.(`${common}/config`) ?? "", 'merge "bmad-ledger"', "driver");
  return driver !== undefined && !driver.includes("git merge-file") ? { mergesAsBefore: true } : {};
}

function planRemote(start: Start, { top: folder, common }: Repository, mayRunGit: boolean): RemotePlan {
  const { claimsRemote: name, allowGit, offline, readOnly, gitTimeout } = start.settings;
  const problem = offline
    ? "of --offline"
    : readOnly
    ? "of --read-only"
    : !allowGit
    ? "git may not be run without --allow-git"
    : lacksRemote(start.readHead?.(`${common}/config`), name)
    ? `this clone has no remote ${name}`
    : undefined;
  if (problem !== undefined) return { name, folder, problem };
  if (!mayRunGit) return { name, folder };
  const environment = gitEnvironment(start, GIT_USER_VARIABLES);
  return { name, folder, git: { environment, timeout: Math.min(gitTimeout, GIT_SECONDS.remote) * 1_000 } };
}

/** What git's configuration includes is not read. */
function lacksRemote(config: string | undefined, name: string): boolean {
  const sections = splitLines(config ?? "").map((line) => line.trim().toLowerCase());
  return config !== undefined && !sections.includes(`[remote "${name.toLowerCase()}"]`) &&
    !sections.some((line) => line.startsWith("[include"));
}

/** The project's configuration, then the user's. Included files are not read. */
export function gitUser(
  repository: Repository | undefined,
  { home, env, readHead }: Pick<Start, "home" | "env" | "readHead">,
): string | undefined {
  const settings = env("XDG_CONFIG_HOME") || home && `${home}/.config`;
  const files = [
    repository && `${repository.common}/config`,
    home && `${home}/.gitconfig`,
    settings && `${settings}/git/config`,
  ];
  for (const file of files) {
    const name = file && configValue(readHead?.(file) ?? "", "user", "name");
    if (name) return name;
  }
  return undefined;
}
