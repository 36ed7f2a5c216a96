/**
 * The master manifest: every record of every origin, and the views over it.
 *
 * Records are never merged or dropped. Which record overrides which is computed when somebody asks for the effective
 * view. Pure: reading the records is left to the inventory.
 */
import { type Entry, isHidden, type Item, type Manifest, type Source } from "../../base/model.ts";

export { namesLeadingTo } from "./aliases.ts";
export { type Lookup, type NameOutcome, type NameQuery, type Reading, resolveName } from "./names.ts";

/** Joins inventories, best origin first, into one manifest. */
export function buildManifest(sources: readonly Source[]): Manifest {
  const used = new Map<string, number>();
  const keyOf = (id: string, item: Item) => {
    const key = `${id}:${item.module}:${item.kind}:${item.id}`;
    const count = (used.get(key) ?? 0) + 1;
    used.set(key, count);
    // Two roots of one origin may hold the same item.
    return count === 1 ? key : `${key}#${count}`;
  };
  const entries = sources.flatMap(({ origin, inventory }, rank) =>
    inventory.items.map((item, position) => ({
      ...item,
      key: keyOf(origin.id, item),
      origin,
      rank,
      position,
    }))
  );
  return { sources, entries };
}

/** What a user gets: of each item, the record of the best origin that has its file. */
export function effectiveEntries(manifest: Manifest): readonly Entry[] {
  return [...groupByItem(manifest).values()].map((group) => group[0]!);
}

/** The records of each item that several origins hold: the effective one first, then those that it overrides. */
export function overriddenEntries(manifest: Manifest): readonly (readonly Entry[])[] {
  return [...groupByItem(manifest).values()].filter((group) => group.length > 1);
}

/** All records of an entry's item: those with a file, the effective one first, and those without. */
export function recordsOf(manifest: Manifest, entry: Entry): Record<"served" | "missing", readonly Entry[]> {
  const key = itemKey(entry);
  const entries = manifest.entries.filter((other) => itemKey(other) === key);
  return {
    served: groupByItem({ ...manifest, entries }).get(key) ?? [],
    missing: entries.filter(({ status }) => status === "no-file-found"),
  };
}

/** Entries that lists show. */
export function visibleEntries(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => !isHidden(entry));
}

/** The same for all records of one item. */
function itemKey({ module, kind, id }: Entry): string {
  return `${module}:${kind}:${id}`.toLowerCase();
}

/** The records of each item in order of rank; records without a file are left out. */
function groupByItem(manifest: Manifest): Map<string, Entry[]> {
  const groups = Map.groupBy(manifest.entries.filter(({ status }) => status !== "no-file-found"), itemKey);
  // A shim counts only when nothing else has the name, as in name lookups.
  for (const group of groups.values()) {
    if (group.length > 1) group.sort((a, b) => Number(isHidden(a)) - Number(isHidden(b)));
  }
  return groups;
}
