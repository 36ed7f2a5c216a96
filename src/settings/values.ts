/**
 * What a row of a settings table is, and the ways in which values are understood.
 */
import { Invalid } from "../base/invalid.ts";
import type { Context } from "../base/paths.ts";

/** One row of the table. */
export interface Setting<T> {
  /** The long flag; undefined when the setting has none. */
  readonly flag?: string;
  /** What the flag's value is called in help; undefined for a flag without a value. */
  readonly value?: string;
  /** All values that fit, where they are few. */
  readonly values?: readonly string[];
  /** The variables that set it, best first. */
  readonly variables: readonly string[];
  /** Whether its value is not to be shown. */
  readonly isSecret?: true;
  /** Whether the user's and the project's settings files may hold it. */
  readonly files: "both" | "user" | "none";
  /** Counts when no flag, variable or file says otherwise. */
  readonly default: T;
  /** One or two sentences, as `--help` prints them. */
  readonly help: string;
  /** Turns what was written, once or several times, into a value. */
  parse(texts: readonly string[], context: Context): T | Invalid;
}

/** What counts when a value was written several times. */
export function last(texts: readonly string[]): string {
  return texts.at(-1) ?? "";
}

/** The words of lists with commas between them, each once. */
export function wordsIn(texts: readonly string[]): readonly string[] {
  const words = texts.flatMap((text) => text.split(",")).map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ""))];
}

/** A switch. */
export function yesOrNo(texts: readonly string[]): boolean | Invalid {
  const word = last(texts).toLowerCase();
  if (["true", "1", "yes", "on"].includes(word)) return true;
  return ["false", "0", "no", "off"].includes(word) ? false : new Invalid("it must be true or false");
}

/** One of a few words, in any case. */
export function oneOf<T extends string>(...allowed: readonly T[]): (texts: readonly string[]) => T | Invalid {
  return (texts) => {
    const found = allowed.find((value) => value === last(texts).toLowerCase());
    return found ?? new Invalid(`it must be one of ${allowed.join(", ")}`);
  };
}

/** A number in digits, within bounds. */
export function wholeNumber(min: number, max: number): (texts: readonly string[]) => number | Invalid {
  return (texts) => {
    const value = /^\d+$/.test(last(texts)) ? Number(last(texts)) : NaN;
    return value >= min && value <= max
      ? value
      : new Invalid(`it must be a whole number from ${min} to ${max}`);
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds, written as `90`, `90s`, `5m`, `24h` or `7d`. */
export function duration(min: number, max: number): (texts: readonly string[]) => number | Invalid {
  return (texts) => {
    const [, count, unit] = /^(\d{1,9})([smhd]?)$/.exec(last(texts).toLowerCase()) ?? [];
    const value = Number(count ?? NaN) * (UNITS[unit || "s"] ?? NaN);
    return value >= min && value <= max ? value : new Invalid(
      `it must be a number of seconds, or one with m, h or d behind it, from ${min} to ${max} seconds`,
    );
  };
}
