/**
 * The cache of repositories: where the copy of each one is, which copy counts, and what became of the last attempt.
 *
 * A copy is a folder that comes into its place whole, by one rename, and is not changed afterwards; the record in it
 * says what it is of and when it was fetched. Of several copies of one repository the one that was fetched last
 * counts. Folder and record are those of `bmad-mcp-server`, whose copies are served as well. Here things are only
 * read: upkeep.ts makes and removes them.
 */
import { type GitLocation, parseGitLocation } from "../../base/git_location.ts";
import { Invalid } from "../../base/invalid.ts";

/** A copy that can be served. */
export interface Copy {
  /** Absolute. */
  readonly folder: string;
  /** The whole hash of the commit that was checked out. */
  readonly commit: string;
  /** When it was last found to be what the repository has, in milliseconds since the epoch. */
  readonly fetched: number;
}

/** An attempt to fetch that failed. */
export interface Failure {
  /** In milliseconds since the epoch. */
  readonly time: number;
  /** What git or the system said, in one line. */
  readonly problem: string;
  /** Whether the repository has no part in it: git is missing. Then it costs nothing to try again. */
  readonly isLocal: boolean;
}

/** What the cache has of one repository. */
export interface CacheState {
  /** The copy that counts. */
  readonly copy?: Copy;
  /** The last attempt, where it failed. */
  readonly failure?: Failure;
  /** The same as long as nothing has changed. */
  readonly mark: string;
}

/** Where the things of one repository are; all paths are absolute. */
export interface CachePlace {
  /** The folder of the whole cache. */
  readonly cache: string;
  /** The folder for what is no copy: locks, failures, and copies in the making. */
  readonly workshop: string;
  /** What the names of all its things begin with. */
  readonly name: string;
  /** Where `bmad-mcp-server` keeps a copy of it; undefined where that cannot be told. */
  readonly former?: string;
}

/** The record in a copy, field by field as `bmad-mcp-server` writes it. */
export interface CopyRecord {
  /** The address, never with credentials. */
  readonly sourceUrl: string;
  /** The SHA-256 of the address. */
  readonly hash: string;
  /** `HEAD` where the address names none. */
  readonly ref: string;
  /** That of the address which it was fetched for; copies are always whole. */
  readonly subpath: string;
  /** In the form of ISO 8601. */
  readonly lastPull: string;
  readonly currentCommit: string;
}

/** The name of the record in a copy. */
export const RECORD = ".bmad-cache.json";

/** The name of the workshop in the cache. */
export const WORKSHOP = ".work";

/** The address of a whole repository in one state, without a folder in it: what two locations share a copy by. */
export function repositoryName({ url, ref }: Pick<GitLocation, "url" | "ref">): string {
  return `git+${url}${ref === undefined ? "" : `#${ref}`}`;
}

/** Where the things of a repository are. */
export async function placeOf(cache: string, repository: GitLocation): Promise<CachePlace> {
  const { host, path, ref } = repository;
  const words = `${host}${path.replace(/\.git$/, "")}-${ref ?? "HEAD"}`;
  const readable = words.replaceAll(/[^\w.]+/g, "-").replaceAll(/^[.-]+|[.-]+$/g, "").slice(0, 80);
  const hash = await sha256(repositoryName(repository));
  return {
    cache,
    workshop: `${cache}/${WORKSHOP}`,
    name: `${readable}~${hash.slice(0, 10)}`,
    former: formerFolder(cache, repository),
  };
}

/** The folder for a commit of a repository. */
export function copyFolder({ cache, name }: CachePlace, commit: string): string {
  return `${cache}/${name}~${commit.slice(0, 12)}`;
}

/** How the names of such files end. */
export const FAILED = ".failed.json";

/** The file that holds what became of the last attempt, if it failed. */
export function failureFile({ workshop, name }: CachePlace): string {
  return `${workshop}/${name}${FAILED}`;
}

/** The SHA-256 of a text, in hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
}

/** What the cache has of a repository. */
export function findState(place: CachePlace, repository: GitLocation): CacheState {
  const copies = copiesAt(place, repository);
  const copy = copies.reduce<Copy | undefined>(
    (best, one) => best === undefined || one.fetched > best.fetched ? one : best,
    undefined,
  );
  const failure = readFailure(failureFile(place));
  const isPast = failure !== undefined && copy !== undefined && copy.fetched > failure.time;
  return {
    ...(copy === undefined ? {} : { copy }),
    ...(failure === undefined || isPast ? {} : { failure }),
    mark: `${copy?.folder} ${copy?.fetched} ${failure?.time}`,
  };
}

/** Every copy of a repository, in no order. */
export function copiesAt(place: CachePlace, repository: GitLocation): readonly Copy[] {
  const own = foldersIn(place.cache).filter((name) => name.startsWith(`${place.name}~`))
    .map((name) => `${place.cache}/${name}`);
  return [...own, ...(place.former === undefined ? [] : [place.former])].flatMap((folder) => {
    const record = readRecord(folder);
    return record !== undefined && isOf(record, repository) ? [copyOf(folder, record)] : [];
  });
}

/** The copy that a folder with a record is. */
export function copyOf(folder: string, record: CopyRecord): Copy {
  return { folder, commit: record.currentCommit, fetched: Date.parse(record.lastPull) };
}

/** The record in a folder; undefined when there is none that makes sense. */
export function readRecord(folder: string): CopyRecord | undefined {
  const { sourceUrl, hash, ref, subpath, lastPull, currentCommit } = readJson(`${folder}/${RECORD}`);
  const isWhole = [sourceUrl, ref, lastPull, currentCommit].every((field) => typeof field === "string");
  if (!isWhole || !/^[0-9a-f]{40,64}$/.test(currentCommit as string)) return undefined;
  if (Number.isNaN(Date.parse(lastPull as string))) return undefined;
  return { sourceUrl, hash, ref, subpath, lastPull, currentCommit } as CopyRecord;
}

/** The names of the folders in a folder; none when there is no such folder. */
export function foldersIn(folder: string): readonly string[] {
  return entriesIn(folder).filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
}

/** All that is in a folder; nothing when there is no such folder. */
export function entriesIn(folder: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Whether an error says that there is nothing, or nothing for us. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
    error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable;
}

/** `bmad-mcp-server` names folders by host, organization, repository and ref, which it took to be `main`. */
function formerFolder(cache: string, { protocol, host, path, ref }: GitLocation): string | undefined {
  const [, organization, repository] = /^\/([^/]+)\/(.+?)(?:\.git)?$/.exec(path) ?? [];
  if (protocol === "file" || organization === undefined) return undefined;
  return `${cache}/${host}-${organization}-${repository}-${ref ?? "main"}`;
}

function isOf({ sourceUrl }: CopyRecord, { url, ref }: GitLocation): boolean {
  const source = parseGitLocation(sourceUrl);
  return !(source instanceof Invalid) && source.url === url && source.ref === ref;
}

function readFailure(file: string): Failure | undefined {
  const { time, problem, isLocal } = readJson(file);
  return typeof time === "number" && typeof problem === "string"
    ? { time, problem, isLocal: isLocal === true }
    : undefined;
}

/** More than anybody writes into a record. */
const MAX_BYTES = 65_536;

function readJson(file: string): Readonly<Record<string, unknown>> {
  try {
    const { isFile, size } = Deno.lstatSync(file);
    // A repository may hold anything under this name, also a link.
    const value: unknown = isFile && size <= MAX_BYTES ? JSON.parse(Deno.readTextFileSync(file)) : undefined;
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  } catch (error) {
    if (isAbsent(error) || error instanceof SyntaxError) return {};
    throw error;
  }
}
