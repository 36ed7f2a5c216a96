/**
 * What the cache has of a repository: the copy to serve, and whether the last fetch failed.
 *
 * A copy is a folder that appears complete, by one rename, and never changes afterwards; its record says what it is a
 * copy of and when it was fetched. Of several copies of one repository, the one fetched last counts. This file only
 * reads: update.ts creates and removes copies.
 */
import { type GitLocation, parseGitLocation } from "../../settings/locations/mod.ts";
import { Invalid } from "../../base/invalid.ts";
import { foldersIn, isAbsent } from "./folders.ts";
import { type CachePaths, failureFile, RECORD } from "./paths.ts";

/** A copy of a repository that can be served. */
export interface CachedCopy {
  /** Absolute. */
  readonly folder: string;
  readonly commit: string;
  /** When it was last known to match the repository, in milliseconds since the epoch. */
  readonly fetched: number;
}

/** A fetch that failed. */
export interface FailedFetch {
  /** In milliseconds since the epoch. */
  readonly time: number;
  /** The message of git or the system, on one line. */
  readonly problem: string;
  /** Whether the cause is this machine, for example a missing git. Then trying again costs nothing. */
  readonly isLocal: boolean;
  /** How many fetches in a row have failed, this one included. */
  readonly tries: number;
}

/** What the cache has of one repository. */
export interface CacheState {
  readonly copy?: CachedCopy;
  /** The last fetch, if it failed. */
  readonly failure?: FailedFetch;
  /** Equal as long as nothing has changed. */
  readonly mark: string;
}

/** The record in a copy, field by field as `bmad-mcp-server` writes it. */
export interface CopyRecord {
  /** The address, never with credentials. */
  readonly sourceUrl: string;
  readonly hash: string;
  /** `HEAD` where the address names none. */
  readonly ref: string;
  /** The folder in the address that was fetched; the copy is always complete. */
  readonly subpath: string;
  /** In ISO 8601. */
  readonly lastPull: string;
  readonly currentCommit: string;
}

export function findState(paths: CachePaths, repository: GitLocation): CacheState {
  const copy = newestOf(copiesOf(paths, repository));
  const failure = readFailure(failureFile(paths));
  const isPast = failure !== undefined && copy !== undefined && copy.fetched > failure.time;
  return {
    ...(copy === undefined ? {} : { copy }),
    ...(failure === undefined || isPast ? {} : { failure }),
    mark: `${copy?.folder} ${copy?.fetched} ${failure?.time}`,
  };
}

/** Every copy of a repository, in no order. */
export function copiesOf(paths: CachePaths, repository: GitLocation): readonly CachedCopy[] {
  const own = foldersIn(paths.cache).filter((name) => name.startsWith(`${paths.name}~`))
    .map((name) => `${paths.cache}/${name}`);
  return [...own, ...(paths.legacy === undefined ? [] : [paths.legacy])].flatMap((folder) => {
    const record = readRecord(folder);
    return record !== undefined && isOf(record, repository) ? [copyAt(folder, record)] : [];
  });
}

export function newestOf(copies: readonly CachedCopy[]): CachedCopy | undefined {
  return copies.toSorted((a, b) => b.fetched - a.fetched)[0];
}

export function copyAt(folder: string, record: CopyRecord): CachedCopy {
  return { folder, commit: record.currentCommit, fetched: Date.parse(record.lastPull) };
}

/** The record in a folder; undefined when it is missing or invalid. */
export function readRecord(folder: string): CopyRecord | undefined {
  const { sourceUrl, hash, ref, subpath, lastPull, currentCommit } = readJson(`${folder}/${RECORD}`);
  const isComplete = [sourceUrl, ref, lastPull, currentCommit].every((field) => typeof field === "string");
  if (!isComplete || !/^[0-9a-f]{40,64}$/.test(currentCommit as string)) return undefined;
  if (Number.isNaN(Date.parse(lastPull as string))) return undefined;
  return { sourceUrl, hash, ref, subpath, lastPull, currentCommit } as CopyRecord;
}

function isOf({ sourceUrl }: CopyRecord, { url, ref }: GitLocation): boolean {
  const source = parseGitLocation(sourceUrl);
  return !(source instanceof Invalid) && source.url === url && source.ref === ref;
}

function readFailure(file: string): FailedFetch | undefined {
  const { time, problem, isLocal, tries } = readJson(file);
  return typeof time === "number" && typeof problem === "string"
    ? { time, problem, isLocal: isLocal === true, tries: Number.isSafeInteger(tries) ? tries as number : 1 }
    : undefined;
}

const MINUTE_MS = 60_000;
const RETRY_MS = [MINUTE_MS, 5 * MINUTE_MS, 25 * MINUTE_MS];

/** When a failed fetch is tried again: soon at first, in case the network was down, then at most once per TTL. */
export function retryTime({ time, tries, isLocal }: FailedFetch, ttl: number): number {
  return time + Math.min(ttl, isLocal ? ttl : RETRY_MS[tries - 1] ?? ttl);
}

/** Far more than any record holds. */
const MAX_BYTES = 65_536;

function readJson(file: string): Readonly<Record<string, unknown>> {
  try {
    const { isFile, size } = Deno.lstatSync(file);
    // A repository may contain anything under this name, even a link.
    const value: unknown = isFile && size <= MAX_BYTES ? JSON.parse(Deno.readTextFileSync(file)) : undefined;
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  } catch (error) {
    if (isAbsent(error) || error instanceof SyntaxError) return {};
    throw error;
  }
}
