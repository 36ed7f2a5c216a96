/**
 * How documents override each other: BMAD's structural rules.
 */
import { isValues, type Values } from "../../../base/values.ts";

/**
 * Merges one document into another: scalars replace, tables merge, lists of tables that all have a `code` (else an `id`)
 * replace by that key and append new ones, all other lists append. Nothing is ever removed. An invalid key is refused.
 */
export function mergeStructural(
  base: Values,
  over: Values,
  refuse: (reason: string) => void = () => {},
): Values {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const old = merged.get(key);
    if (isValues(old) && isValues(value)) merged.set(key, mergeStructural(old, value, refuse));
    else if (Array.isArray(old) && Array.isArray(value)) merged.set(key, mergeLists(old, value, refuse));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

function mergeLists(
  base: readonly unknown[],
  over: readonly unknown[],
  refuse: (reason: string) => void,
): readonly unknown[] {
  const all = [...base, ...over];
  const key = ["code", "id"].find((key) => all.every((item) => isValues(item) && Object.hasOwn(item, key)));
  if (key === undefined || all.length === 0) return all;
  const keyOf = (item: unknown) => (item as Values)[key];
  const invalid = all.map(keyOf).find((value) => typeof value !== "string" || value === "");
  if (invalid !== undefined) {
    refuse(`expected text as \`${key}\` of a list item, got ${JSON.stringify(invalid)}`);
  }
  // Duplicates in the base stay; an override replaces the last one.
  const merged = [...base];
  const at = new Map(base.map((item, index) => [keyOf(item), index]));
  for (const item of over) {
    const index = at.get(keyOf(item)) ?? merged.length;
    at.set(keyOf(item), index);
    merged[index] = item;
  }
  return merged;
}
