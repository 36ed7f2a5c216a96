/**
 * Whether what was written down for a setting fits, and what happens where it does not.
 */
import { fail } from "../base/errors.ts";
import { hideCredentials } from "../base/git_location.ts";
import type { Context } from "../base/paths.ts";
import { Invalid } from "../base/invalid.ts";
import { SETTINGS, type Settings } from "./settings.ts";

/** Does some work, or has something else in its place where a wrong setting is no reason to stop. */
export type Trying = <T>(work: () => T, otherwise: T) => T;

/** A value, and where it came from. */
export interface Valued<T> {
  readonly value: T;
  readonly from: string;
}

/** The value that some texts mean, or a failure that says what would fit. */
export function check<K extends keyof Settings>(
  key: K,
  texts: readonly string[],
  from: string,
  context: Context,
): Valued<Settings[K]> {
  const value = SETTINGS[key].parse(texts, context);
  if (!(value instanceof Invalid)) return { value, from };
  return fail({
    code: "invalid-config",
    setting: key,
    value: SETTINGS[key].isSecret ? "…" : hideCredentials(texts.join(", ")),
    source: from,
    problem: value.expected,
  });
}
