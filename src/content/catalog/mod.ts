/**
 * The master manifest: every record of every origin, never merged or dropped. Which one overrides which is computed on
 * request.
 */
import { itemOf, itemsOf } from "./identity.ts";
import { GENERATIONS } from "../../base/generations.ts";
import { cachedWith } from "../../base/cache.ts";
import { type Entry, isHidden, type Item, type Manifest, type Source } from "../../base/model.ts";

export { namesLeadingTo, otherNames } from "./aliases.ts";
export { categoryOf } from "./identity.ts";
export { readForm } from "./names.ts";
export { isAuthored, isOwnModule, moduleNames } from "./identity.ts";
export {
  findByName,
  lossNamed,
  nameNote,
  type NameOutcome,
  type NameQuery,
  type Reading,
  resolveName,
} from "./names.ts";

/** Best origin first; `customize` gives each entry as it is served. */
export function buildManifest(
  sources: readonly Source[],
  customize: (entry: Entry) => Entry = (entry) => entry,
): Manifest {
  const used = new Map<string, number>();
  const keyOf = (id: string, item: Item) => {
    const key = `${id}:${item.module}:${item.kind}:${item.id}`;
    const count = (used.get(key) ?? 0) + 1;
    used.set(key, count);
    // Two roots of one origin may hold the same item.
    return count === 1 ? key : `${key}#${count}`;
  };
  const nameOf = renamedIn(sources);
  const entries: Entry[] = [];
  sources.forEach(({ origin, inventory }, rank) =>
    inventory.items.forEach((item, position) => {
      const entry = { ...item, key: keyOf(origin.id, item), origin, rank, position };
      entries.push(customize(nameOf === undefined ? entry : Object.assign(entry, nameOf(item, rank))));
    })
  );
  return { sources, entries };
}

/** The item's own source, better ones and the user's count, the best one most. */
function renamedIn(
  sources: readonly Source[],
): ((item: Item, rank: number) => Partial<Item>) | undefined {
  const rows = sources.flatMap(({ origin, inventory: { renamed = [] } }, rank) =>
    renamed.map(({ agent, ...names }) => ({ agent, names, rank, isUsers: origin.kind === "user" }))
  );
  if (rows.length === 0) return undefined;
  const byAgent = Map.groupBy(rows.toReversed(), ({ agent }) => agent);
  return ({ kind, generation, module, id }, rank) => {
    if (kind !== "agent" || !GENERATIONS[generation].compilesAgents) return {};
    const applying = (byAgent.get(`${module}-${id}`) ?? []).filter((row) => row.rank <= rank || row.isUsers);
    return Object.assign({}, ...applying.map(({ names }) => names));
  };
}

export function effectiveEntries(manifest: Manifest): readonly Entry[] {
  return itemsOf(manifest).map(([served]) => served!);
}

export function overriddenEntries(manifest: Manifest): readonly (readonly Entry[])[] {
  return itemsOf(manifest).filter((records) => records.length > 1);
}

export function servedFor(manifest: Manifest, entry: Entry): Entry {
  return itemOf(manifest, entry)?.[0] ?? entry;
}

export function recordsOf(manifest: Manifest, entry: Entry): Record<"served" | "missing", readonly Entry[]> {
  const served = itemOf(manifest, entry) ?? [];
  const same = [entry, ...served];
  const missing = missingOf(manifest).filter(({ module, kind, id }) =>
    same.some((one) => one.module === module && one.kind === kind && one.id === id)
  );
  return { served, missing };
}

export const missingOf: (manifest: Manifest) => readonly Entry[] = cachedWith(({ entries }) =>
  entries.filter(({ status }) => status === "no-file-found")
);

export function visibleEntries(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => !isHidden(entry));
}
