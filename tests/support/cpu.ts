/** How long work takes this thread, whatever else the machine does meanwhile. */
import assert from "node:assert/strict";
import process from "node:process";

/** In milliseconds, from now on. */
export function cpuClock(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}

export function cpuTime(work: () => unknown): number {
  const took = cpuClock();
  work();
  return took();
}

/**
 * Fails if the work takes longer than `limit` milliseconds five times in a row.
 *
 * The limit tells a hang from a slow machine; how fast something is, `bench/` measures.
 */
export function assertEnds(what: string, limit: number, work: () => unknown): void {
  const times: number[] = [];
  while (times.length < 5) {
    times.push(Math.round(cpuTime(work)));
    if (times.at(-1)! <= limit) return;
  }
  assert.fail(`${what} took ${times.join(", ")} ms`);
}
