/**
 * Is a given value valid for its setting? If not, the failure names setting, value, source and what was expected.
 */
import { fail } from "../base/errors.ts";
import { hideCredentials } from "../base/git_location.ts";
import type { Context } from "../base/paths.ts";
import { Invalid } from "../base/invalid.ts";
import { SETTINGS, type Settings } from "./settings.ts";

/** Does some work, or returns a fallback where an invalid setting is no reason to stop. */
export type Trying = <T>(work: () => T, otherwise: T) => T;

/** A value with its provenance. */
export interface Valued<T> {
  readonly value: T;
  readonly from: string;
}

/** Parses the texts given for a setting, or fails. */
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
