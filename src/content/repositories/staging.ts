/** Where copies are prepared within limits before they appear, and what the cache holds. */
import { LIMITS } from "../limits.ts";
import { unlessMissing } from "../../base/absence.ts";
import { reportRefusal } from "../../base/errors.ts";
import { Invalid } from "../../base/invalid.ts";
import { oneLine, sha256 } from "../../base/text.ts";
import { onAbort, pause } from "../../base/work.ts";
import { tryLock } from "../../process/lock.ts";
import { type GitLocation, hideCredentials, parseGitLocation } from "../../settings/locations/mod.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { cachePaths, copyAt, type CopyRecord, FAILED } from "./cache.ts";
import { entriesIn, failureFile, findState, foldersIn, folderSize, lockFile, newestOf } from "./cache.ts";
import { readRecord, RECORD, removeTree, repositoryName, STAGING, type StagingPaths } from "./cache.ts";
import { GitError, tooLarge } from "./git_program.ts";

export function makeStaging({ staging }: Pick<StagingPaths, "staging">): void {
  reportRefusal(staging, () => Deno.mkdirSync(staging, { recursive: true, mode: 0o700 }));
}

/** What a killed update left behind. The caller must hold the repository's lock. */
export async function sweep({ staging, name }: StagingPaths): Promise<void> {
  for (const { name: left } of entriesIn(staging)) {
    const isOurs = left.startsWith(`${name}.tmp-`) || left.startsWith(`${name}.draft-`);
    if (isOurs) await removeTree(`${staging}/${left}`);
  }
}

export async function sweepAll(cache: string): Promise<void> {
  const staging = `${cache}/${STAGING}`;
  const names = new Set(foldersIn(staging).map((left) => left.split(".tmp-", 1)[0]!));
  for (const name of names) {
    await tryLock(lockFile({ staging, name }), () => sweep({ staging, name }));
  }
}

export function openWorkFolder(
  { timeout, maxSize }: GitRules,
  { staging, name }: StagingPaths,
  signal: AbortSignal | undefined,
) {
  const folder = Deno.makeTempDirSync({ dir: staging, prefix: `${name}.tmp-` });
  const controller = new AbortController();
  const finished = new AbortController();
  const cancel = onAbort(signal, () => controller.abort(signal?.reason));
  const late = new GitError(`fetching took longer than the git timeout of ${timeout / 1_000} s`);
  const timer = setTimeout(() => controller.abort(late), timeout);
  const measure = async () => {
    if (await folderSize(folder, maxSize) > maxSize) controller.abort(tooLarge(maxSize));
  };
  const keepMeasuring = async () => {
    const { measureMs, measureShare } = LIMITS.copies;
    for (let wait: number = measureMs;;) {
      await pause(wait, finished.signal);
      if (finished.signal.aborted) return;
      const begun = performance.now();
      await measure();
      wait = Math.max(measureMs, measureShare * (performance.now() - begun));
    }
  };
  const measuring = keepMeasuring();
  return {
    folder,
    signal: controller.signal,
    check: async () => {
      await measure();
      controller.signal.throwIfAborted();
    },
    [Symbol.asyncDispose]: async () => {
      finished.abort();
      clearTimeout(timer);
      cancel();
      await measuring;
      await removeTree(folder);
    },
  };
}

export async function placeCopy(
  files: string,
  target: string,
  draft: string,
  facts: Omit<CopyRecord, "hash">,
): Promise<void> {
  await writeRecord(files, draft, facts);
  // A folder without a record is left over from a copy that was not completed.
  await removeTree(target);
  Deno.renameSync(files, target);
}

/** Replaces whatever the content itself has under that name: a file, a folder, a link. */
export async function writeRecord(
  folder: string,
  draft: string,
  { sourceUrl, ...facts }: Omit<CopyRecord, "hash">,
): Promise<void> {
  const record: CopyRecord = { sourceUrl, hash: await sha256(sourceUrl), ...facts };
  Deno.writeTextFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { createNew: true });
  const file = `${folder}/${RECORD}`;
  // A rename replaces a file or a link, never its target. The disk may ignore case in names.
  if (unlessMissing(() => Deno.lstatSync(file))?.isDirectory) await removeTree(file);
  Deno.renameSync(draft, file);
}

export type CachedRepository = Awaited<ReturnType<typeof listCache>>[number];

export async function listCache(cache: string) {
  const copies = Map.groupBy(findCopies(cache, LIMITS.copies.levels), ({ record }) => nameOf(record));
  const found = await Promise.all(
    copies.entries().map(async ([name, all]) => {
      const copy = newestOf(all.map(({ folder, record }) => copyAt(folder, record)))!;
      const folders = all.map(({ folder }) => folder);
      const sizes = await Promise.all(folders.map((folder) => folderSize(folder)));
      const size = sizes.reduce((a, b) => a + b);
      const location = locationOf(name);
      const failure = location && findState(await cachePaths(cache, location), location).failure;
      return { name, copy, folders, size, failure };
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
