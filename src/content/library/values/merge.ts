import { isValues, mapLeaves, type Values } from "../../../base/values.ts";

/**
 * Scalars replace, tables merge, lists of tables that all have a `code` (else an `id`) replace by that key and append
 * new ones, all other lists append. Nothing is ever removed. An invalid key is refused.
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

/** Later ones override: tables merge, everything else is replaced. */
export function mergeTables(...layers: readonly Values[]): Values {
  const merged = new Map<string, unknown>();
  for (const [key, value] of layers.flatMap((values) => Object.entries(values))) {
    const old = merged.get(key);
    merged.set(key, isValues(old) && isValues(value) ? mergeTables(old, value) : value);
  }
  return Object.fromEntries(merged);
}

/** The first one that all items of a list have counts. */
export const KEYS = ["code", "id"];

function mergeLists(base: readonly unknown[], over: readonly unknown[], refuse: (reason: string) => void) {
  const all = [...base, ...over];
  const key = KEYS.find((key) => haveKey(all, key));
  if (key === undefined || all.length === 0) return all;
  const keyOf = (item: unknown) => (item as Values)[key];
  checkKey(all, key, refuse);
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

function haveKey(items: readonly unknown[], key: string): items is readonly Values[] {
  return items.every((item) => isValues(item) && Object.hasOwn(item, key));
}

function checkKey(items: readonly unknown[], key: string, refuse: (reason: string) => void): void {
  if (!haveKey(items, key)) return;
  const invalid = items.map((item) => item[key]).find((value) => typeof value !== "string" || value === "");
  if (invalid !== undefined) {
    refuse(`expected text as \`${key}\` of a list item, got ${JSON.stringify(invalid)}`);
  }
}

/** Refuses a key that would make a merge with a valid document fail, whichever key that merge goes by. */
export function checkKeys(values: Values, refuse: (reason: string) => void): void {
  for (const value of Object.values(values)) {
    if (isValues(value)) checkKeys(value, refuse);
    else if (Array.isArray(value)) { for (const key of KEYS) checkKey(value, key, refuse); }
  }
}

/** Refuses what would replace a table of the base by something else. */
export function checkTables(base: Values, over: Values, refuse: (reason: string) => void): void {
  for (const [key, value] of Object.entries(over)) {
    const old = Object.hasOwn(base, key) ? base[key] : undefined;
    if (!isValues(old)) continue;
    if (isValues(value)) checkTables(old, value, refuse);
    else refuse(`expected a table as \`${key}\``);
  }
}

export function mapTexts(value: unknown, replace: (text: string) => string): unknown {
  return mapLeaves(value, (leaf) => typeof leaf === "string" ? replace(leaf) : leaf);
}

export function asTables(value: unknown, max = Infinity): readonly Values[] {
  return Array.isArray(value) ? value.slice(0, max).filter(isValues) : [];
}
