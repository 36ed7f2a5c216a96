/**
 * What stops an update before it is done: the caller, the timeout, or a repository that grows too large.
 */
import { onAbort, pause } from "../../base/work.ts";
import type { GitRules } from "../../settings/plan/mod.ts";
import { folderSize, removeTree } from "./folders.ts";
import { GitError, tooLarge } from "./git_program.ts";

/** How often an unfinished copy is measured, and the part of the time that measuring may take: one in this many. */
const MEASURE_MS = 500;
const MEASURE_SHARE = 10;

/** Starts the clock, and begins to measure what is fetched into a folder; at the end, the folder is removed. */
export function openLimits({ timeout, maxSize }: GitRules, folder: string, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const finished = new AbortController();
  const cancel = onAbort(signal, () => controller.abort(signal?.reason));
  const late = new GitError(`fetching took longer than the git timeout of ${timeout / 1_000} s`);
  const timer = setTimeout(() => controller.abort(late), timeout);
  const measure = async () => {
    if (await folderSize(folder, maxSize) > maxSize) controller.abort(tooLarge(maxSize));
  };
  const keepMeasuring = async () => {
    for (let wait = MEASURE_MS;;) {
      await pause(wait, finished.signal);
      if (finished.signal.aborted) return;
      const begun = performance.now();
      await measure();
      wait = Math.max(MEASURE_MS, MEASURE_SHARE * (performance.now() - begun));
    }
  };
  const measuring = keepMeasuring();
  return {
    /** Aborted with the reason: a `GitError`, or the caller's own. */
    signal: controller.signal,
    /** Measures the folder a last time, and throws if a limit was hit. */
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
