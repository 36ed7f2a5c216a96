import { attempt } from "./absence.ts";
import type { MenuItem } from "./model.ts";

export type Values = Readonly<Record<string, unknown>>;

/** Trimmed; undefined if empty, or if a person would not write it as text. */
export function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

export function asTexts(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map(asText).filter((text) => text !== undefined);
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asValues(value: unknown): Values {
  return isValues(value) ? value : {};
}

export function firstOf<T, R>(values: Iterable<T>, find: (value: T) => R | undefined): R | undefined {
  return Iterator.from(values).map((value) => find(value)).find((found) => found !== undefined);
}

export function countEach<T>(values: Iterable<T>): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

export function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

export function mapLeaves(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => mapLeaves(one, change));
  if (!isValues(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapLeaves(one, change)]));
}

export function pickFields<T>(
  values: Readonly<Record<string, T>>,
  isWanted: (key: string, value: T) => boolean,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => isWanted(key, value)));
}

/** More levels than anybody writes, and few enough for every recursive function. */
export const MAX_DEPTH = 100;

export const TOO_DEEP = `it is nested more than ${MAX_DEPTH} levels deep`;

export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  return typeof value === "object" && value !== null &&
    (levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)));
}

export function parseJson(text: string): unknown {
  const value: unknown = attempt(() => JSON.parse(text));
  return isTooDeep(value) ? undefined : value;
}

/** Unknown names stay, and so do those whose values would add more than `max` characters. */
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

export function menuItemOf(item: Values): MenuItem {
  return {
    code: asText(item["code"]) ?? "",
    label: asText(item["description"]) ?? "",
    target: asText(item["skill"]),
    prompt: asText(item["prompt"]),
  };
}

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function slug(name: string): string {
  if (SLUG.test(name)) return name;
  // The accent of a decomposed letter is none of both, and would split the word.
  return name.normalize().toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "");
}
