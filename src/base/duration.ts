/** A human-readable duration. */

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [365 * 86_400_000, "year"],
  [30 * 86_400_000, "month"],
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
];

/** The largest whole unit: `3 days`. */
export function renderDuration(ms: number): string {
  const [size, name] = UNITS.find(([size]) => ms >= size) ?? [1_000, "second"];
  const count = Math.max(0, Math.floor(ms / size));
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
