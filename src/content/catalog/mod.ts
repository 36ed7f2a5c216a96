/**
 * The master manifest: every record of every origin, and the views over it.
 *
 * Records are never merged or dropped. What shadows what is computed when somebody asks for the effective view.
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
    // Two roots of one origin may hold the same thing.
    return count === 1 ? key : `${key}#${count}`;
  };
  const entries = sources.flatMap(({ origin, inventory }, rank) =>
    inventory.items.map((item, position): Entry => ({
      ...item,
      key: keyOf(origin.id, item),
      origin,
      rank,
      position,
    }))
  );
  return { sources, entries };
}

/** What a user gets: of each thing the record of the best origin that has its file. */
export function effectiveEntries(manifest: Manifest): readonly Entry[] {
  return [...groupByThing(manifest).values()].map((group) => group[0]!);
}

/** Things that several origins hold, the effective record first. */
export function shadowedEntries(manifest: Manifest): readonly (readonly Entry[])[] {
  return [...groupByThing(manifest).values()].filter((group) => group.length > 1);
}

/** The records of the thing that an entry is one of: those with a file, the effective one first, and those without. */
export function sameThing(
  manifest: Manifest,
  entry: Entry,
): { readonly served: readonly Entry[]; readonly missing: readonly Entry[] } {
  const key = thingOf(entry);
  const entries = manifest.entries.filter((other) => thingOf(other) === key);
  return {
    served: groupByThing({ ...manifest, entries }).get(key) ?? [],
    missing: entries.filter(({ status }) => status === "no-file-found"),
  };
}

/** What is the same for all records of one thing. */
function thingOf({ module, kind, id }: Entry): string {
  return `${module}:${kind}:${id}`.toLowerCase();
}

/** Entries that lists show. */
export function visibleEntries(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => !isHidden(entry));
}

/** The records of one thing, by module, kind and id, in order of rank; records without a file are left out. */
function groupByThing(manifest: Manifest): Map<string, Entry[]> {
  const things = new Map<string, Entry[]>();
  for (const entry of manifest.entries) {
    if (entry.status === "no-file-found") continue;
    const thing = thingOf(entry);
    const group = things.get(thing);
    if (group === undefined) things.set(thing, [entry]);
    else group.push(entry);
  }
  // What only forwards counts when nothing else does, as for names.
  for (const group of things.values()) {
    if (group.length > 1) group.sort((a, b) => Number(isHidden(a)) - Number(isHidden(b)));
  }
  return things;
}
