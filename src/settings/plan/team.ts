/**
 * The git repository of a project, by git's own files, and who works in it. If a `.git` file says that the common
 * directory lies elsewhere, a link has to lead back: otherwise an unpacked archive would decide in which repository we
 * write.
 */
import { MAX_OWNER } from "../../base/model.ts";
import { liesIn, resolvePath } from "../../base/paths.ts";
import { oneLine, shorten, splitLines } from "../../base/text.ts";
import { ACCOUNT_VARIABLES, GIT_USER_VARIABLES, gitEnvironment, resolveRight } from "../mod.ts";
import type { Claims, Start } from "./choice.ts";
import type { GitRules } from "./content.ts";
import type { WorkPlan } from "./work.ts";

export interface TeamPlan extends Claims {
  /** Who works, unless a request says so: the name in git's configuration, or that of the user's account. */
  readonly who?: string;
  readonly shared?: SharedPlan;
  /** Why claims, which the user wants shared with other clones, cannot be; completes "because …". */
  readonly unshared?: string;
}

export interface SharedPlan {
  /** The common directory, absolute and real. Nothing in it is ours but one folder. */
  readonly common: string;
  readonly folder: string;
  readonly project: string;
  /** The name that git gives this worktree; a dot for the main one. */
  readonly worktree: string;
  readonly remote?: RemotePlan;
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
  const named = who === undefined ? {} : { who: shorten(oneLine(who), MAX_OWNER) };
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
    ...(isRemote && { remote: planRemote(start, top, work?.git !== undefined) }),
  };
  // A start that shares claims keeps what it sees of other clones.
  const isKept = work !== undefined && work.writable.length > 0 || shared.remote?.git !== undefined;
  return { ...named, shared, rights: { read: [path], write: isKept ? [path] : [] } };
}

/** Whoever waits for a claim should not wait longer. */
const MAX_REMOTE_SECONDS = 10;

function planRemote(start: Start, folder: string, mayRunGit: boolean): RemotePlan {
  const { claimsRemote: name, allowGit, offline, readOnly, gitTimeout } = start.settings;
  const problem = offline
    ? "of --offline"
    : readOnly
    ? "of --read-only"
    : allowGit
    ? undefined
    : "git may not be run without --allow-git";
  if (problem !== undefined) return { name, folder, problem };
  if (!mayRunGit) return { name, folder };
  const environment = gitEnvironment(start, GIT_USER_VARIABLES);
  return { name, folder, git: { environment, timeout: Math.min(gitTimeout, MAX_REMOTE_SECONDS) * 1_000 } };
}

export interface Repository {
  readonly top: string;
  readonly common: string;
  readonly worktree?: string;
  readonly reason?: undefined;
}

interface RefusedRepository {
  readonly path: string;
  readonly reason: string;
}

type RepositoryDisk = Pick<Start, "os" | "look" | "readHead">;

export function findRepository(
  folder: string,
  disk: RepositoryDisk,
): Repository | RefusedRepository | undefined {
  for (let top = folder;; top = top.slice(0, top.lastIndexOf("/"))) {
    const path = `${top}/.git`;
    const found = disk.look(path);
    if (found?.kind === "dead-link" || found !== undefined && found.real !== path) {
      return { path, reason: "is a link" };
    }
    if (found?.kind === "folder" && isRepository(path, disk)) {
      return ownOnly(folder, { top, common: path }, disk);
    }
    if (found?.kind === "file") {
      const led = followFile(top, disk);
      return led.reason === undefined ? ownOnly(folder, led, disk) : led;
    }
    if (!top.includes("/")) return undefined;
  }
}

/** Anybody can make a repository above a project, as in a folder for all users: it has to be of the same user. */
function ownOnly(
  folder: string,
  repository: Repository,
  { look }: RepositoryDisk,
): Repository | RefusedRepository {
  const [own, other] = [folder, repository.common].map((path) => look(path)?.owner?.uid);
  return own === other
    ? repository
    : { path: `${repository.top}/.git`, reason: "belongs to another user than the project" };
}

function isRepository(folder: string, { look, readHead }: RepositoryDisk): boolean {
  return ["objects", "refs"].every((name) => look(`${folder}/${name}`)?.kind === "folder") &&
    /^(?:ref:|[0-9a-f]{40})/.test(readHead?.(`${folder}/HEAD`) ?? "");
}

function followFile(top: string, disk: RepositoryDisk): Repository | RefusedRepository {
  const path = `${top}/.git`;
  const { look, readHead, os } = disk;
  const follow = (given: string, base: string) =>
    look(resolvePath(given.trim(), { base, home: undefined, os }))?.real;
  const [first = ""] = splitLines(readHead?.(path) ?? "");
  const gitDir = first.startsWith("gitdir:") ? follow(first.slice("gitdir:".length), top) : undefined;
  if (gitDir === undefined) return { path, reason: "leads to no repository" };
  const shared = readHead?.(`${gitDir}/commondir`);
  const common = shared === undefined ? gitDir : follow(shared, gitDir);
  if (common === undefined || !isRepository(common, disk)) return { path, reason: "leads to no repository" };
  const elsewhere: RefusedRepository = { path, reason: "leads to a repository that knows another worktree" };
  if (common === gitDir) {
    const config = readHead?.(`${gitDir}/config`) ?? "";
    const back = configValue(config, "core", "worktree");
    if (back !== undefined) return follow(back, gitDir) === top ? { top, common } : elsewhere;
    // Of a repository that lies elsewhere, git keeps no link back; but one in a worktree of its own, or a bare one, is not that.
    const isOthers = gitDir.endsWith("/.git") || configValue(config, "core", "bare") === "true";
    return isOthers ? elsewhere : { top, common };
  }
  const back = readHead?.(`${gitDir}/gitdir`);
  const isOurs = back !== undefined && follow(back, gitDir) === path && liesIn(gitDir, `${common}/worktrees`);
  return isOurs ? { top, common, worktree: gitDir.slice(gitDir.lastIndexOf("/") + 1) } : elsewhere;
}

/** The name in git's configuration: the project's, then the user's. Included files are not read. */
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

const SECTION = /^\s*\[\s*([\w.-]{1,80})\s*\]\s*/;
const ENTRY = /^\s*([A-Za-z][\w-]{0,80})\s*=\s*(\S.*)$/s;

function configValue(text: string, section: string, key: string): string | undefined {
  let isInSection = false;
  let value: string | undefined;
  for (const line of splitLines(text)) {
    if (line.length > 1_000) continue;
    const header = SECTION.exec(line);
    if (line.trimStart().startsWith("[")) isInSection = header?.[1]?.toLowerCase() === section;
    const [, name, rest] = ENTRY.exec(header === null ? line : line.slice(header[0].length)) ?? [];
    if (isInSection && name?.toLowerCase() === key) value = unquote(rest!);
  }
  return value;
}

function unquote(text: string): string {
  let [value, isQuoted] = ["", false];
  for (const [part] of text.matchAll(/\\.|"|[^\\"]/gs)) {
    if (part === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (part === "#" || part === ";")) break;
    else value += part.length === 2 ? part.slice(1) : part;
  }
  return value.trim();
}
