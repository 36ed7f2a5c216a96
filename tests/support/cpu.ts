/**
 * How long work takes, whatever else the machine does meanwhile.
 */
import process from "node:process";

/** The milliseconds of processor time that synchronous work takes on this thread. */
export function cpuTime(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
