/** If a `.git` file names a folder elsewhere, a link has to lead back: an unpacked archive could name any. */
import { isTooWide, liesIn, type Place, resolvePath } from "../base/paths.ts";
import { splitLines } from "../base/text.ts";
import type { LookAt } from "./boundary.ts";

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

interface RepositoryDisk extends Pick<Place, "os">, Partial<Pick<Place, "home">> {
  readonly look: LookAt;
  findFolder?(path: string): string | undefined;
  readHead?(path: string): string | undefined;
  /** Those found before; several plans of a project ask. */
  readonly repositories?: Map<string, Found>;
}

/** More are no layout that anybody made by hand. */
export const MAX_LEVELS = 40;

type Found = Repository | RefusedRepository | undefined;

export function findRepository(folder: string, disk: RepositoryDisk): Found {
  const { repositories = new Map<string, Found>() } = disk;
  return repositories.getOrInsertComputed(folder, () => searchUpwards(folder, disk));
}

function searchUpwards(folder: string, disk: RepositoryDisk): Found {
  let top = folder;
  for (let level = 0; level < MAX_LEVELS; level++) {
    const found = repositoryAt(top, disk);
    if (found !== undefined) return found.reason === undefined ? ownOnly(folder, found, disk) : found;
    top = top.slice(0, top.lastIndexOf("/"));
    // A repository in the home folder has files of the user, not a project.
    if (isTooWide(top, { home: undefined, ...disk })) return undefined;
  }
  return undefined;
}

/** Undefined unless the folder is its top. */
export function repositoryAt(top: string, disk: RepositoryDisk): Found {
  const path = `${top}/.git`;
  const found = disk.look(path);
  if (found?.kind === "dead-link" || found !== undefined && found.real !== path) {
    return { path, reason: "is a link" };
  }
  if (found?.kind === "folder" && isRepository(path, disk)) return { top, common: path };
  return found?.kind === "file" ? followFile(top, disk) : undefined;
}

/** Anybody can make a repository above a project, so it has to be of the same user. */
function ownOnly(folder: string, repository: Repository, { look }: RepositoryDisk) {
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
    // Git keeps no link back of a repository elsewhere; one in its own worktree, or bare, is not that.
    const isOthers = gitDir.endsWith("/.git") || configValue(config, "core", "bare") === "true";
    return isOthers ? elsewhere : { top, common };
  }
  const back = readHead?.(`${gitDir}/gitdir`);
  const isOurs = back !== undefined && follow(back, gitDir) === path && liesIn(gitDir, `${common}/worktrees`);
  return isOurs ? { top, common, worktree: gitDir.slice(gitDir.lastIndexOf("/") + 1) } : elsewhere;
}

const SECTION = /^\s*\[\s*([\w.-]{1,80}(?: "[\w.-]{1,80}")?)\s*\]\s*/;
const ENTRY = /^\s*([A-Za-z][\w-]{0,80})\s*=\s*(\S.*)$/s;

/** Included files are not read. */
export function configValue(text: string, section: string, key: string): string | undefined {
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
