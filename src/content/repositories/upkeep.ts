/**
 * Keeping the copy of a repository up to date.
 *
 * A copy is made in the workshop and comes into its place by one rename, with its record in it: whatever happens on the
 * way, what can be seen in the cache is whole. The copy before it stays until the next time, for those who still read
 * it. Only who holds the repository's lock changes anything. A failure is written down, so that nobody tries again
 * before its time.
 */
import type { Work } from "../../base/work.ts";
import type { GitLocation } from "../../base/git_location.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import {
  type CachePlace,
  type CacheState,
  copiesAt,
  type Copy,
  copyFolder,
  type CopyRecord,
  failureFile,
  findState,
  isAbsent,
  placeOf,
  RECORD,
  repositoryName,
  sha256,
} from "./cache.ts";
import { fetchFiles, isFixed } from "./fetching.ts";
import { checkGit, openGit, Trouble } from "./git_program.ts";
import { withLock } from "./lock.ts";
import { folderSize, lockFile, makeWorkshop, removeTree, sweep } from "./workshop.ts";

/** What an update needs to know beside the repository. */
export interface UpdateOptions extends Work {
  /** Where copies are kept, and within which limits they are fetched. */
  readonly rules: GitRules;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whether to fetch also what is not due. */
  readonly force?: boolean;
}

/** What an update came to. */
export type Update =
  | { readonly outcome: "fetched" | "unchanged" | "not-due"; readonly copy: Copy | undefined }
  | {
    readonly outcome: "failed";
    readonly copy: Copy | undefined;
    readonly problem: string;
    /** Whether it could be written down: otherwise nobody will know of it but the caller. */
    readonly isNoted: boolean;
  };

/** Fetches a repository if it is time. Fails only when it was called off. */
export async function updateCopy(repository: GitLocation, options: UpdateOptions): Promise<Update> {
  const { rules, now, force } = options;
  const place = await placeOf(rules.cache, repository);
  const state = findState(place, repository);
  if (!force && !isDue(state, repository, rules.ttl, now())) return { outcome: "not-due", copy: state.copy };
  try {
    makeWorkshop(place);
    return await withLock(lockFile(place), options.signal, (hasWaited) => {
      // Another process may have done it while we waited, or failed to.
      const present = hasWaited ? findState(place, repository) : state;
      if (present.mark !== state.mark) return Promise.resolve(outcomeOf(present));
      return updateLocked(place, repository, present.copy, options);
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    return noteFailure(place, state, error, now());
  }
}

/** What another process came to. */
function outcomeOf({ copy, failure }: CacheState): Update {
  if (failure !== undefined) return { outcome: "failed", copy, problem: failure.problem, isNoted: true };
  return { outcome: "fetched", copy };
}

/** When a repository is to be fetched next, in milliseconds since the epoch; never for a commit that is there. */
export function dueTime({ copy, failure }: CacheState, { ref }: GitLocation, ttl: number): number {
  if (copy !== undefined && isFixed(ref)) return Infinity;
  const last = Math.max(copy?.fetched ?? 0, failure === undefined || failure.isLocal ? 0 : failure.time);
  return last === 0 ? 0 : last + ttl;
}

/** Whether it is time to fetch a repository. */
export function isDue(state: CacheState, repository: GitLocation, ttl: number, now: number): boolean {
  const due = dueTime(state, repository, ttl);
  // A time from the future is from a clock that was wrong.
  return due <= now || (due !== Infinity && due > now + ttl);
}

async function updateLocked(
  place: CachePlace,
  repository: GitLocation,
  before: Copy | undefined,
  { rules, now, progress, signal }: UpdateOptions,
): Promise<Update> {
  await sweep(place);
  using limits = openLimits(rules, signal);
  const folder = Deno.makeTempDirSync({ dir: place.workshop, prefix: `${place.name}.tmp-` });
  await using _ = { [Symbol.asyncDispose]: () => removeTree(folder) };
  limits.watch(folder);
  const git = openGit({ repository, rules, signal: limits.signal, progress });
  await checkGit(git, folder);
  // What another program keeps up is served, and never touched.
  const own = copiesAt(place, repository).filter((copy) => copy.folder !== place.former);
  const has = (commit: string) => own.some((copy) => copy.folder === copyFolder(place, commit));
  const { commit, files } = await fetchFiles(git, repository, folder, has);
  await limits.check();
  const target = copyFolder(place, commit);
  // Also where clocks go backwards, the last one that was fetched counts.
  const copy = { folder: target, commit, fetched: Math.max(now(), (before?.fetched ?? 0) + 1) };
  const isNew = files !== undefined && !has(commit);
  await writeRecord(isNew ? files : target, `${folder}/record`, repository, copy);
  if (isNew) {
    // A folder without a record is a ruin.
    await removeTree(target);
    Deno.renameSync(files, target);
  }
  removeFile(failureFile(place));
  for (const other of own) {
    if (other.folder !== target && other.folder !== before?.folder) await removeTree(other.folder);
  }
  return { outcome: target === before?.folder ? "unchanged" : "fetched", copy };
}

/** Writes the record of a copy, over whatever the repository itself has under that name: a file, a folder, a link. */
async function writeRecord(
  folder: string,
  draft: string,
  repository: GitLocation,
  { commit, fetched }: Copy,
): Promise<void> {
  const sourceUrl = repositoryName(repository);
  const record: CopyRecord = {
    sourceUrl,
    hash: await sha256(sourceUrl),
    ref: repository.ref ?? "HEAD",
    subpath: repository.subpath ?? "",
    lastPull: new Date(fetched).toISOString(),
    currentCommit: commit,
  };
  Deno.writeTextFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { createNew: true });
  const file = `${folder}/${RECORD}`;
  // A rename takes the place of a file or a link, never of what the link leads to.
  if (isFolder(file)) await removeTree(file);
  Deno.renameSync(draft, file);
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Writes a failure down. Also when that cannot be done, the program goes on. */
function noteFailure(place: CachePlace, { copy }: CacheState, error: unknown, time: number): Update {
  const problem = error instanceof Error ? error.message : String(error);
  const isLocal = error instanceof Trouble && error.isLocal;
  try {
    const draft = Deno.makeTempFileSync({ dir: place.workshop, prefix: `${place.name}.draft-` });
    Deno.writeTextFileSync(draft, `${JSON.stringify({ time, problem, isLocal })}\n`);
    Deno.renameSync(draft, failureFile(place));
    return { outcome: "failed", copy, problem, isNoted: true };
  } catch {
    // A disk that is full, or not ours to write.
    return { outcome: "failed", copy, problem, isNoted: false };
  }
}

function removeFile(file: string): void {
  try {
    Deno.removeSync(file);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** What ends an update before it is done. */
interface Limits extends Disposable {
  readonly signal: AbortSignal;
  /** From now on a folder is measured. */
  watch(folder: string): void;
  /** Measures it once more. */
  check(): Promise<void>;
}

/** How often a copy in the making is measured, and how small a part of the time that takes at most. */
const MEASURE_MS = 500;
const MEASURE_SHARE = 10;

function openLimits({ timeout, maxSize }: GitRules, called: AbortSignal | undefined): Limits {
  const controller = new AbortController();
  const callOff = () => controller.abort(called?.reason);
  if (called?.aborted) callOff();
  called?.addEventListener("abort", callOff);
  const late = new Trouble(`it took longer than ${timeout / 1_000} s (--git-timeout)`);
  const timer = setTimeout(() => controller.abort(late), timeout);
  let watched = "";
  let measuring: ReturnType<typeof setTimeout> | undefined;
  const measure = async () => {
    if (await folderSize(watched) <= maxSize) return;
    controller.abort(new Trouble(`it has more than ${maxSize} bytes (--git-max-size)`));
  };
  const keepMeasuring = (pause: number) => {
    measuring = setTimeout(async () => {
      const begun = performance.now();
      await measure();
      if (measuring !== undefined) {
        keepMeasuring(Math.max(MEASURE_MS, MEASURE_SHARE * (performance.now() - begun)));
      }
    }, pause);
  };
  return {
    signal: controller.signal,
    watch: (folder) => {
      watched = folder;
      keepMeasuring(MEASURE_MS);
    },
    check: async () => {
      await measure();
      controller.signal.throwIfAborted();
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      clearTimeout(measuring);
      measuring = undefined;
      called?.removeEventListener("abort", callOff);
    },
  };
}
