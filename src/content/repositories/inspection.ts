/** What the cache holds, for people who want to know or to free disk space. */
import { LIMITS } from "../limits.ts";
import { type GitLocation, hideCredentials, parseGitLocation } from "../../settings/locations/mod.ts";
import { Invalid } from "../../base/invalid.ts";
import { oneLine } from "../../base/text.ts";
import { type CachedCopy, cachePaths, copyAt, type CopyRecord, FAILED, type FailedFetch } from "./cache.ts";
import { failureFile, findState, lockFile, newestOf, readRecord, repositoryName, STAGING } from "./cache.ts";
import { entriesIn, foldersIn, folderSize, removeTree } from "./folders.ts";
import { tryLock } from "../../process/lock.ts";
import { makeStaging, sweep } from "./staging.ts";

export interface CachedRepository {
  readonly name: string;
  readonly copy: CachedCopy;
  readonly folders: readonly string[];
  readonly size: number;
  readonly failure?: FailedFetch;
}

export async function listCache(cache: string): Promise<readonly CachedRepository[]> {
  const copies = Map.groupBy(findCopies(cache, LIMITS.copies.levels), ({ record }) => nameOf(record));
  const found = await Promise.all(
    copies.entries().map(async ([name, all]): Promise<CachedRepository> => {
      const copy = newestOf(all.map(({ folder, record }) => copyAt(folder, record)))!;
      const folders = all.map(({ folder }) => folder);
      const sizes = await Promise.all(folders.map((folder) => folderSize(folder)));
      const size = sizes.reduce((a, b) => a + b);
      const location = locationOf(name);
      const failure = location && findState(await cachePaths(cache, location), location).failure;
      return { name, copy, folders, size, ...(failure === undefined ? {} : { failure }) };
    }),
  );
  return found.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** Returns false, and removes nothing, while the repository is being fetched. */
export async function clearCopies(cache: string, { name, folders }: CachedRepository): Promise<boolean> {
  const location = locationOf(name);
  const removeAll = () => Promise.all(folders.map(removeTree));
  if (location === undefined) {
    await removeAll();
    return true;
  }
  const paths = await cachePaths(cache, location);
  makeStaging(paths);
  const done = await tryLock(lockFile(paths), async () => {
    await sweep(paths);
    await removeAll();
    await removeTree(failureFile(paths));
  });
  return done !== undefined;
}

/** Forgets every failed fetch, so that the next start tries again. */
export async function clearFailures(cache: string): Promise<void> {
  const staging = `${cache}/${STAGING}`;
  for (const { name } of entriesIn(staging)) {
    if (name.endsWith(FAILED)) await removeTree(`${staging}/${name}`);
  }
}

type RecordedFolder = { readonly folder: string; readonly record: CopyRecord };

function findCopies(folder: string, depth: number): readonly RecordedFolder[] {
  if (depth === 0) return [];
  return foldersIn(folder).filter((name) => !name.startsWith(".")).flatMap((name) => {
    const inner = `${folder}/${name}`;
    const record = readRecord(inner);
    return record === undefined ? findCopies(inner, depth - 1) : [{ folder: inner, record }];
  });
}

function nameOf({ sourceUrl }: CopyRecord): string {
  const location = locationOf(sourceUrl);
  return location ? repositoryName(location) : oneLine(hideCredentials(sourceUrl));
}

function locationOf(address: string): GitLocation | undefined {
  const location = parseGitLocation(address);
  return location instanceof Invalid ? undefined : location;
}
