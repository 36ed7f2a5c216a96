/**
 * What lies in the cache, for people who want to know or to make room.
 *
 * A folder counts as a copy when it has a record; nothing else is ever shown or removed.
 */
import { type GitLocation, hideCredentials, parseGitLocation } from "../../base/git_location.ts";
import { Invalid } from "../../base/invalid.ts";
import {
  type Copy,
  copyOf,
  type CopyRecord,
  entriesIn,
  FAILED,
  type Failure,
  failureFile,
  findState,
  foldersIn,
  placeOf,
  readRecord,
  repositoryName,
  WORKSHOP,
} from "./cache.ts";
import { ifFree } from "./lock.ts";
import { folderSize, lockFile, makeWorkshop, removeTree, sweep } from "./workshop.ts";

/** One repository of which the cache has copies. */
export interface CachedRepository {
  /** Its address, with the ref and without a folder in it, as people see it. */
  readonly name: string;
  /** The copy that counts. */
  readonly copy: Copy;
  /** All of its copies: that one, and mostly the one before it. */
  readonly folders: readonly string[];
  /** The bytes of all copies. */
  readonly size: number;
  /** The last attempt to fetch it, where that failed. */
  readonly failure?: Failure;
}

/** Refs and organizations with slashes in them made folders in folders in former times. */
const MAX_DEPTH = 4;

/** Everything that the cache holds, by name. */
export async function listCache(cache: string): Promise<readonly CachedRepository[]> {
  const copies = Map.groupBy(findCopies(cache, MAX_DEPTH), ({ record }) => nameOf(record));
  const found = await Promise.all(
    copies.entries().map(async ([name, all]): Promise<CachedRepository> => {
      const [copy] = all.map(({ folder, record }) => copyOf(folder, record)).sort((a, b) =>
        b.fetched - a.fetched
      );
      const folders = all.map(({ folder }) => folder);
      const sizes = await Promise.all(folders.map(folderSize));
      const size = sizes.reduce((sum, one) => sum + one, 0);
      const location = locationOf(name);
      const failure = location && findState(await placeOf(cache, location), location).failure;
      return { name, copy: copy!, folders, size, ...(failure === undefined ? {} : { failure }) };
    }),
  );
  return found.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** Removes all copies of a repository, unless somebody is just fetching it: then it returns false. */
export async function clearCopies(cache: string, { name, folders }: CachedRepository): Promise<boolean> {
  const location = locationOf(name);
  const place = location && await placeOf(cache, location);
  const removeAll = () => Promise.all(folders.map(removeTree));
  if (place === undefined) {
    await removeAll();
    return true;
  }
  makeWorkshop(place);
  const done = await ifFree(lockFile(place), async () => {
    await sweep(place);
    await removeAll();
    await removeTree(failureFile(place));
  });
  return done !== undefined;
}

/** Forgets every attempt that failed, so that the next start tries again. */
export async function clearFailures(cache: string): Promise<void> {
  const workshop = `${cache}/${WORKSHOP}`;
  for (const { name } of entriesIn(workshop)) {
    if (name.endsWith(FAILED)) await removeTree(`${workshop}/${name}`);
  }
}

interface Found {
  readonly folder: string;
  readonly record: CopyRecord;
}

function findCopies(folder: string, depth: number): readonly Found[] {
  if (depth === 0) return [];
  return foldersIn(folder).filter((name) => !name.startsWith(".")).flatMap((name) => {
    const inner = `${folder}/${name}`;
    const record = readRecord(inner);
    return record === undefined ? findCopies(inner, depth - 1) : [{ folder: inner, record }];
  });
}

/** The address of the whole repository, as we write it where we understand it. */
function nameOf({ sourceUrl }: CopyRecord): string {
  const location = locationOf(sourceUrl);
  if (location === undefined) return hideCredentials(sourceUrl).replaceAll(/\p{C}/gu, "?");
  return repositoryName(location);
}

function locationOf(address: string): GitLocation | undefined {
  const location = parseGitLocation(address);
  return location instanceof Invalid ? undefined : location;
}
