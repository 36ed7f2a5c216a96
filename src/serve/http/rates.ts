/**
 * How many requests per minute each person may send. What one has not used for a while can be used at once.
 */
import type { Clock } from "../../base/work.ts";

const MINUTE = 60_000;
/** Those who have asked longest ago are forgotten, which gives them no more than a minute's requests. */
const MAX_NAMES = 10_000;

/** Nobody has asked yet. */
export function openRates(perMinute: number, { now }: Pick<Clock, "now">) {
  /** How many requests each had left, and when that was. */
  const names = new Map<string, { readonly left: number; readonly at: number }>();
  return {
    /** Counts requests: 0 if they may pass, else after how many milliseconds they may. */
    take: (name: string, count = 1): number => {
      const at = now();
      const before = names.get(name) ?? { left: perMinute, at };
      const left = Math.min(perMinute, before.left + (at - before.at) * perMinute / MINUTE);
      if (left < count) return Math.ceil((count - left) * MINUTE / perMinute);
      names.delete(name);
      names.set(name, { left: left - count, at });
      if (names.size > MAX_NAMES) names.delete(names.keys().next().value!);
      return 0;
    },
  };
}
