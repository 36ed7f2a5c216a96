/** Every record of every origin. What is one item, and what overrides what, is computed on request. */
import { cachedWith } from "../../base/cache.ts";
import { GENERATIONS, NEWEST_FIRST, phaseCategory } from "../../base/generations.ts";
import {
  type Category,
  type Entry,
  hasKind,
  isHidden,
  type Item,
  type Manifest,
  NO_MODULE,
  shortName,
  type Source,
} from "../../base/model.ts";
import { layoutOf } from "../inventory/mod.ts";
import { isOwnModule, moduleNames, presentName } from "./aliases.ts";

export { isOwnModule, moduleNames, namesLeadingTo, otherNames, V4_PERSONAS } from "./aliases.ts";
export {
  findByName,
  isFormerName,
  lossNamed,
  nameNote,
  type NameOutcome,
  type NameQuery,
  readForm,
  resolveName,
} from "./names.ts";

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

/** An item's own source, better ones and the user's count, the best one most. */
function renamedIn(sources: readonly Source[]) {
  const rows = sources.flatMap(({ origin, inventory: { renamed = [] } }, rank) =>
    renamed.map(({ agent, ...names }) => ({ agent, names, rank, isUsers: origin.kind === "user" }))
  );
  if (rows.length === 0) return undefined;
  const byAgent = Map.groupBy(rows.toReversed(), ({ agent }) => agent);
  return ({ kind, generation, module, id }: Item, rank: number): Partial<Item> => {
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

/** What is a task in one generation is a workflow or a skill in the next. */
const WORK = ["workflow", "task", "tool", "skill"] as const;

function kinshipOf(item: Item): string {
  const { module, id, name } = item;
  // `tea` was once part of BMAD's own modules.
  const isOwn = isOwnModule(module) || module === "tea" ||
    (module === NO_MODULE && id.startsWith("bmad-"));
  const family = isOwn ? "" : module;
  const isWork = WORK.some((kind) => hasKind(item, kind));
  // A hand-written file may be named `bmad-prd.md`.
  const present = presentName(shortName(name));
  const kin = hasKind(item, "agent") ? `agent:${present}` : isWork ? `work:${present}` : `${item.kind}:${id}`;
  return `${family}:${kin}`.toLowerCase();
}

const itemsOf: (manifest: Manifest) => readonly (readonly Entry[])[] = cachedWith((manifest) => {
  const { entries } = manifest;
  const served = entries.filter(({ status }) => status !== "no-file-found");
  const kin = Map.groupBy(served.filter((entry) => !isHidden(entry)), kinshipOf);
  const items: Entry[][] = [];
  for (const records of kin.values()) {
    if (records.length === 1) items.push(records);
    else for (const group of byAuthor(manifest, records)) items.push(...splitKin(manifest, group));
  }
  const hidden = Map.groupBy(served.filter(isHidden), exactKey);
  // A shim counts only if nothing else has its name.
  const named = new Map<string, Entry[]>();
  if (hidden.size > 0) {
    for (const item of items) for (const entry of item) named.set(exactKey(entry), item);
  }
  for (const [key, shims] of hidden) {
    const item = named.get(key);
    if (item === undefined) items.push(shims);
    else item.push(...shims);
  }
  return items.sort(([a], [b]) => a!.rank - b!.rank || a!.position - b!.position);
});

function itemOf(manifest: Manifest, entry: Entry): readonly Entry[] | undefined {
  const { key, rank, position, file, status } = entry;
  // Supporting entries have a single record.
  const isListed = manifest.sources[rank]?.inventory.items[position]?.file === file;
  if (!isListed || status === "no-file-found") return undefined;
  return sharedItems(manifest).get(key) ?? [entry];
}

/** Most items have one record, and there may be thousands. */
const sharedItems = cachedWith((manifest: Manifest) =>
  new Map(
    itemsOf(manifest).filter((item) => item.length > 1)
      .flatMap((item) => item.map(({ key }) => [key, item] as const)),
  )
);

/** BMAD has moved items between its own modules; a hand-written record belongs to the module it was put into. */
function byAuthor(manifest: Manifest, kin: readonly Entry[]): readonly (readonly Entry[])[] {
  const moduleOf = ({ module }: Entry) => moduleNames(module).at(-1)!;
  const installed = new Set(kin.filter((entry) => !isAuthored(manifest, entry)).map(moduleOf));
  const joined = (entry: Entry) => !isAuthored(manifest, entry) || installed.has(moduleOf(entry));
  return [...Map.groupBy(kin, (entry) => joined(entry) ? "" : moduleOf(entry)).values()];
}

function splitKin(manifest: Manifest, kin: readonly Entry[]): Entry[][] {
  const ageOf = (entry: Entry) =>
    isHandWritten(manifest, entry) ? -1 : NEWEST_FIRST.indexOf(entry.generation);
  const sorted = kin.toSorted((a, b) => a.rank - b.rank || ageOf(a) - ageOf(b) || a.position - b.position);
  const best = sorted[0]!;
  const isBeside = ({ rank, generation }: Entry) => rank === best.rank && generation === best.generation;
  const items = [...Map.groupBy(sorted.filter(isBeside), exactKey).values()];
  for (const entry of sorted.filter((one) => !isBeside(one))) {
    (items.find(([head]) => head!.name === entry.name) ?? items[0]!).push(entry);
  }
  return items;
}

export function isAuthored(manifest: Manifest, entry: Entry): boolean {
  return entry.status === "not-in-manifest" || isHandWritten(manifest, entry);
}

/** A hand-written file overrides the installation beside it, in any format. */
function isHandWritten({ sources }: Manifest, { rank, generation, kind, isListed, file }: Entry): boolean {
  return sources[rank]!.inventory.roots.some((root) =>
    // An unlisted skill may lie in a root of any generation.
    (root.generation === generation || (kind === "skill" && !isListed)) &&
    layoutOf(root).is === "hand-written" && (root.path === "" || file.startsWith(`${root.path}/`))
  );
}

function exactKey({ module, kind, id }: Entry): string {
  return `${module}:${kind}:${id}`.toLowerCase();
}

/** By present name. Before 6.11 each workflow had one of four phases, which it keeps as its category. */
const FORMER: Readonly<Partial<Record<Category, readonly string[]>>> = {
  analysis: ["brainstorming", "deep-recon", "forge-idea", "prfaq", "product-brief"],
  planning: ["prd", "spec", "ux"],
  solutioning: ["architecture", "create-epics-and-stories"],
  implementation: ["correct-course", "sprint-planning"],
};

const BY_NAME: ReadonlyMap<string, Category> = new Map(
  Object.entries(FORMER).flatMap(([category, names]) =>
    names.map((name) => [name, category as Category] as const)
  ),
);

export function categoryOf({ phase, module, name }: Pick<Item, "phase" | "module" | "name">): Category {
  const isExact = phase !== undefined && /^\d/.test(phase);
  const former = !isExact && isOwnModule(module) ? BY_NAME.get(presentName(name)) : undefined;
  return former ?? phaseCategory(phase);
}
