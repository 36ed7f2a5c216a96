/** What the cache has. A copy appears complete and never changes. Names and records are those of `bmad-mcp-server`. */
import { isDenied, isMissing } from "../../base/absence.ts";
import { LIMITS } from "../limits.ts";
import type { GitRules, Pin, PinnedLocation } from "../../settings/plan/mod.ts";
import { type GitLocation, parseGitLocation } from "../../settings/locations/mod.ts";
import { Invalid } from "../../base/invalid.ts";
import { sha256 } from "../../base/text.ts";
import { asValues, type Values } from "../../base/values.ts";

export interface StagingPaths {
  readonly staging: string;
  readonly name: string;
}

export interface CachePaths extends StagingPaths {
  readonly cache: string;
  /** Where `bmad-mcp-server` keeps its copy, if that can be derived from the address. */
  readonly legacy?: string;
}

export const RECORD = ".bmad-cache.json";
export const STAGING = ".work";
export const FAILED = ".failed.json";

export function repositoryName({ url, ref }: Pick<GitLocation, "url" | "ref">): string {
  return `git+${url}${ref === undefined ? "" : `#${ref}`}`;
}

export async function cachePaths(cache: string, repository: GitLocation): Promise<CachePaths> {
  const { host, path, ref } = repository;
  const words = `${host}${path.replace(/\.git$/, "")}-${ref ?? "HEAD"}`;
  const readable = words.replaceAll(/[^\w.]+/g, "-").replaceAll(/^[.-]+|(?<![.-])[.-]+$/g, "").slice(0, 80);
  const hash = await sha256(repositoryName(repository));
  return {
    cache,
    staging: `${cache}/${STAGING}`,
    name: `${readable}~${hash.slice(0, 10)}`,
    legacy: legacyFolder(cache, repository),
  };
}

export function copyFolder({ cache, name }: CachePaths, commit: string): string {
  return `${cache}/${name}~${commit.slice(0, 12)}`;
}

export function failureFile({ staging, name }: CachePaths): string {
  return `${staging}/${name}${FAILED}`;
}

export function lockFile({ staging, name }: StagingPaths): string {
  return `${staging}/${name}.lock`;
}

/** `bmad-mcp-server` names folders by host, organization, repository and ref, and assumes the ref `main`. */
function legacyFolder(cache: string, { protocol, host, path, ref }: GitLocation): string | undefined {
  const [, organization, repository] = /^\/([^/]+)\/(.+?)(?:\.git)?$/.exec(path) ?? [];
  if (protocol === "file" || organization === undefined) return undefined;
  return `${cache}/${host}-${organization}-${repository}-${ref ?? "main"}`;
}

export type CachedCopy = ReturnType<typeof copyAt>;
type FailedFetch = NonNullable<ReturnType<typeof readFailure>>;

export interface CacheState {
  readonly copy?: CachedCopy;
  readonly failure?: FailedFetch;
  readonly mark: string;
}

/** Field by field as `bmad-mcp-server` writes it. */
export interface CopyRecord {
  /** Never with credentials. */
  readonly sourceUrl: string;
  readonly hash: string;
  readonly ref: string;
  readonly subpath: string;
  readonly lastPull: string;
  readonly currentCommit: string;
}

/** Call the result again to see the present state. */
export async function openState({ cache }: Pick<GitRules, "cache">, repository: GitLocation) {
  const paths = await cachePaths(cache, repository);
  return () => findState(paths, repository);
}

export function findState(paths: CachePaths, repository: GitLocation): CacheState {
  const copy = newestOf(copiesOf(paths, repository));
  const failure = readFailure(failureFile(paths));
  const isPast = failure !== undefined && copy !== undefined && copy.fetched > failure.time;
  return {
    copy,
    failure: isPast ? undefined : failure,
    mark: `${copy?.folder} ${copy?.fetched} ${failure?.time}`,
  };
}

export function copiesOf(paths: CachePaths, repository: GitLocation): readonly CachedCopy[] {
  const own = foldersIn(paths.cache).filter((name) => name.startsWith(`${paths.name}~`))
    .map((name) => `${paths.cache}/${name}`);
  return [...own, paths.legacy].flatMap((folder) => {
    const record = folder && readRecord(folder);
    return record && isOf(record, repository) ? [copyAt(folder, record)] : [];
  });
}

export function newestOf(copies: readonly CachedCopy[]): CachedCopy | undefined {
  return copies.toSorted((a, b) => b.fetched - a.fetched)[0];
}

export function copyAt(folder: string, record: CopyRecord) {
  return { folder, commit: record.currentCommit, fetched: Date.parse(record.lastPull) };
}

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

function readFailure(file: string) {
  const { time, problem, isLocal, tries = 1 } = readJson(file);
  if (typeof time !== "number" || typeof problem !== "string" || typeof tries !== "number") return undefined;
  // After a local failure, trying again costs nothing, as with a missing git.
  return { time, problem, isLocal: isLocal === true, tries };
}

const RETRY_MS = [1, 5, 25].map((minutes) => minutes * 60_000);

export function retryTime({ time, tries, isLocal }: FailedFetch, ttl: number): number {
  return time + Math.min(ttl, isLocal ? ttl : RETRY_MS[tries - 1] ?? ttl);
}

function readJson(file: string): Values {
  try {
    const { isFile, size } = Deno.lstatSync(file);
    // A repository may contain anything under this name, even a link.
    return isFile && size <= LIMITS.copies.recordBytes
      ? asValues(JSON.parse(Deno.readTextFileSync(file)))
      : {};
  } catch (error) {
    return error instanceof SyntaxError ? {} : ifAbsent(error, {});
  }
}

export type PackageLocation = Exclude<PinnedLocation, { readonly kind: "git" }>;

export function packageName(source: PackageLocation): string {
  const words = source.kind === "npm"
    ? `npm-${source.location.name}`
    : `file-${source.path.split("/").at(-1)}`;
  return words.replaceAll(/[^\w.]+/g, "-").slice(0, 80);
}

export function packageFolder(cache: string, source: PackageLocation, pin: Pin): string {
  return `${cache}/${packageName(source)}~${hashOf(pin).slice(0, 40)}`;
}

export function findPackage(cache: string, source: PackageLocation, pin: Pin): string | undefined {
  if (pin.integrity === undefined) return undefined;
  const folder = packageFolder(cache, source, pin);
  return readRecord(folder)?.currentCommit === hashOf(pin) ? folder : undefined;
}

export function pinnedName(source: PinnedLocation, pin: Pin): string {
  if (source.kind === "git") return repositoryName({ url: source.repository.url, ref: pin.commit });
  return source.kind === "npm" ? `npm:${source.location.name}@${pin.version}` : `file:${source.path}`;
}

/** As long a part of the hash as a record can hold. */
export function hashOf({ integrity = "" }: Pin): string {
  return Uint8Array.fromBase64(integrity.replace(/^sha512-/, "")).toHex().slice(0, 64);
}

export function foldersIn(folder: string): readonly string[] {
  return entriesIn(folder).filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
}

export function entriesIn(folder: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch (error) {
    return ifAbsent(error, []);
  }
}

function ifAbsent<T>(error: unknown, instead: T): T {
  if (isMissing(error) || isDenied(error)) return instead;
  throw error;
}

export async function removeTree(path: string): Promise<void> {
  // A git that was killed may still be writing.
  await Deno.remove(path, { recursive: true }).catch(() => {});
}

/** The unit of space in file systems. An empty file costs no less: its name and its dates. */
const BLOCK = 4_096;

export function diskSize(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK)) * BLOCK;
}

/** Stops measuring beyond `enough`. Links count as themselves. Asynchronous, because the files may be many. */
export async function folderSize(folder: string, enough = Infinity): Promise<number> {
  let size = 0;
  for (const { name, isDirectory } of entriesIn(folder)) {
    const path = `${folder}/${name}`;
    size += isDirectory
      ? diskSize(0) + await folderSize(path, enough - size)
      : diskSize((await Deno.lstat(path).catch((error) => ifAbsent(error, { size: 0 }))).size);
    if (size > enough) break;
  }
  return size;
}
