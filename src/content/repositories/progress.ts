/**
 * The progress of several fetches, as one number that only grows.
 */
import type { Work } from "../../base/work.ts";

/** The phases of git in order, and the percentage done when each begins and ends. */
const PHASES: Readonly<Record<string, readonly [from: number, to: number]>> = {
  "Counting objects": [0, 5],
  "Compressing objects": [5, 10],
  "Receiving objects": [10, 80],
  "Unpacking objects": [10, 80],
  "Resolving deltas": [80, 90],
  "Updating files": [90, 100],
};

/** Reports the progress of all fetches, out of 100 for each. */
export function joinProgress(report: Work["progress"]) {
  const percentages = new Map<string, number>();
  return {
    /** One fetch has done part of a phase, in git's own name for it. */
    advance: (name: string, part: number, phase: string) => {
      const [from, to] = PHASES[phase] ?? [0, 0];
      percentages.set(name, Math.max(from + part * (to - from), percentages.get(name) ?? 0));
      const { size } = percentages;
      const done = Math.floor(percentages.values().reduce((a, b) => a + b, 0));
      report?.(done, 100 * size, `Fetching ${size === 1 ? name : `${size} repositories`}`);
    },
    end: (name: string) => percentages.delete(name),
  };
}
