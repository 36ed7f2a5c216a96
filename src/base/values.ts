/**
 * Unknown values, as parsers return them, read as texts, lists and maps.
 *
 * Pure and without packages, so that code that needs no parser does not load one.
 */
import type { MenuItem } from "./model.ts";

/** A map of unknown values. */
export type Values = Readonly<Record<string, unknown>>;

/** A value as text, if a person would write it as text; trimmed, undefined if empty. */
export function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** A value as a list of texts; one text is a list of one. */
export function asTexts(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map(asText).filter((text) => text !== undefined);
}

/** A value as a map; empty if it is not one. */
export function asValues(value: unknown): Values {
  return isValues(value) ? value : {};
}

/** How often each value occurs, in the order in which they come. */
export function countEach<T>(values: Iterable<T>): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Whether a value is a map. */
export function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** More levels than anybody writes, and few enough for every function that calls itself for each of them. */
export const MAX_DEPTH = 100;

/** What is wrong with a value of more levels. */
export const TOO_DEEP = `it is nested more than ${MAX_DEPTH} levels deep`;

/** Whether a value, which has no cycles, has more levels than that. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  return typeof value === "object" && value !== null &&
    (levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)));
}

/** Undefined for a text that is not JSON, or is nested too deeply. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/**
 * Replaces the names in a text, which are the first group of `pattern`; unknown names stay, and so do those whose values
 * would add more than `max` characters. Values that hold each other's names would double with each of them.
 */
export function fillNames(
  text: string,
  pattern: RegExp,
  valueOf: (name: string) => string | undefined,
  max = 10_000,
): string {
  let left = max;
  return text.replaceAll(pattern, (whole: string, name: string) => {
    const value = valueOf(name);
    left -= value?.length ?? 0;
    return value === undefined || left < 0 ? whole : value;
  });
}

/** A menu item as `customize.toml` spells it. */
export function menuItemOf(item: Values): MenuItem {
  return {
    code: asText(item["code"]) ?? "",
    label: asText(item["description"]) ?? "",
    target: asText(item["skill"]),
    prompt: asText(item["prompt"]),
  };
}

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** `Meal Prep & Nutrition Plan` → `meal-prep-nutrition-plan`. Empty for a name without letters and digits. */
export function slug(name: string): string {
  if (SLUG.test(name)) return name;
  // The accent of a decomposed letter is none of both, and would split the word.
  return name.normalize().toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "");
}
