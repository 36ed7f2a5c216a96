/**
 * The git repository that a project lies in, found by reading git's own files. No process is started.
 *
 * All worktrees of a clone share one common directory, and our records in it. Where a `.git` file says that this
 * directory lies elsewhere, git keeps a link back, which has to lead here: otherwise a folder that was unpacked from an
 * archive would decide in which repository we write.
 *
 * Pure: it asks the disk through the functions it is given.
 */
import { splitLines } from "../../base/text.ts";
import { type Context, liesIn, resolvePath } from "../../base/paths.ts";
import type { LookAt } from "../mod.ts";

/** A repository, as one of its worktrees sees it. */
export interface Repository {
  /** The top folder of the worktree, absolute and real. */
  readonly top: string;
  /** What all worktrees share, absolute and real. */
  readonly common: string;
  /** The name that git gives a linked worktree; undefined for the main one, and for a submodule. */
  readonly worktree?: string;
  readonly reason?: undefined;
}

/** Why the repository of a project is not used. */
export interface RefusedRepository {
  /** The `.git` that leads to it, absolute. */
  readonly path: string;
  /** Completes "it …". */
  readonly reason: string;
}

/** What the search asks of the disk. */
export interface RepositoryDisk {
  readonly os: Context["os"];
  readonly look: LookAt;
  /** The beginning of a plain file; undefined if there is none. */
  readHead?(path: string): string | undefined;
}

/** Finds the repository of a folder, given by its real name; undefined if it lies in none. */
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

/** What makes a folder a repository for git. */
function isRepository(folder: string, { look, readHead }: RepositoryDisk): boolean {
  return ["objects", "refs"].every((name) => look(`${folder}/${name}`)?.kind === "folder") &&
    /^(?:ref:|[0-9a-f]{40})/.test(readHead?.(`${folder}/HEAD`) ?? "");
}

/** The repository that a `.git` file leads to: of a linked worktree, of a submodule, or one that was put elsewhere. */
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
  { home, env, readHead }: {
    readonly home: string | undefined;
    env?(name: string): string | undefined;
    readHead?(path: string): string | undefined;
  },
): string | undefined {
  const settings = env?.("XDG_CONFIG_HOME") || home && `${home}/.config`;
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

/** The last value of a key in a file of git's configuration. */
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

/** A value without its quotes, escapes and comment. */
function unquote(text: string): string {
  let [value, isQuoted] = ["", false];
  for (const [part] of text.matchAll(/\\.|"|[^\\"]/gs)) {
    if (part === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (part === "#" || part === ";")) break;
    else value += part.length === 2 ? part.slice(1) : part;
  }
  return value.trim();
}
