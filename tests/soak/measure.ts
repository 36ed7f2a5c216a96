/** What every measurement needs: the slowest of many, memory, and figures with their limits. */

/** The longest time of many, and what took it. */
export function openSlowest() {
  const slowest = { ms: 0, what: "" };
  const note = (ms: number, what: unknown) => {
    if (ms > slowest.ms) Object.assign(slowest, { ms, what: String(what) });
  };
  const time = async <T>(what: unknown, work: () => T | Promise<T>): Promise<T> => {
    const begun = performance.now();
    return await Promise.resolve(work()).finally(() => note(performance.now() - begun, what));
  };
  return { slowest, note, time };
}

/** A sentence of figures. Fails with it if a figure is above what it may be at most. */
export function atMost(
  text: string,
  ...figures: readonly (readonly [figure: number, most: number])[]
): string {
  if (figures.some(([figure, most]) => figure > most)) throw new Error(text);
  return text;
}

/** The value below which a share of all values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** In bytes; 0 if the system does not report it. */
export function residentMemory(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ?? [];
    return Number(kilobytes ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
