/**
 * Which records are the same item, whatever its id, module or generation.
 *
 * `architect` of 6.0 and `bmad-agent-architect` of 6.12 are one agent; `core`, `toolbox` and `core-tools` are one module.
 * Lists, prompts, tools, the roster, search and conflicts all group records with the functions here.
 */
import { presentName } from "./aliases.ts";
import { cachedWith } from "../../base/cache.ts";
import { CORE_MODULES, NEWEST_FIRST } from "../../base/generations.ts";
import {
  type Entry,
  isHidden,
  isOf,
  type Item,
  type Manifest,
  NO_MODULE,
  shortName,
} from "../../base/model.ts";
import { layoutOf } from "../inventory/mod.ts";

/** BMAD's own modules, each by the names that generations gave it, the present one last. */
const OWN_MODULES: readonly (readonly string[])[] = [
  ["bmad-core", "bmad-agent", "common"],
  CORE_MODULES,
  ["bmm", "method"],
];
/** Modules that were once part of BMAD's own. */
const FORMER_PARTS: readonly string[] = ["tea"];

const OWN_NAMES: ReadonlySet<string> = new Set(OWN_MODULES.flat());

/** Whether a module is one of BMAD's own, under any of its names. */
export function isOwnModule(code: string): boolean {
  return OWN_NAMES.has(code.toLowerCase());
}

/** Every name of the module with this code: `core` is also `toolbox`. */
export function moduleNames(code: string): readonly string[] {
  const word = code.trim().toLowerCase();
  return OWN_MODULES.find((names) => names.includes(word)) ?? [word];
}

/** What is a task in one generation is a workflow or a skill in the next. */
const WORK = ["workflow", "task", "tool", "skill"] as const;

/** The same for all records that may be one item. */
function kinshipOf(item: Item): string {
  const { module, id, name } = item;
  const isOwn = isOwnModule(module) || FORMER_PARTS.includes(module) ||
    (module === NO_MODULE && id.startsWith("bmad-"));
  const family = isOwn ? "" : module;
  const isWork = WORK.some((kind) => isOf(item, kind));
  // A file that somebody wrote may be named `bmad-prd.md`.
  const present = presentName(shortName(name));
  // Other kinds, such as templates, were never renamed.
  const kin = isOf(item, "agent") ? `agent:${present}` : isWork ? `work:${present}` : `${item.kind}:${id}`;
  return `${family}:${kin}`.toLowerCase();
}

/** The records of each item with a file: the one that is served first, then those that it overrides. */
export const itemsOf: (manifest: Manifest) => readonly (readonly Entry[])[] = cachedWith((manifest) => {
  const { entries } = manifest;
  const served = entries.filter(({ status }) => status !== "no-file-found");
  const kin = Map.groupBy(served.filter((entry) => !isHidden(entry)), kinshipOf);
  const items: Entry[][] = [];
  for (const records of kin.values()) {
    if (records.length === 1) items.push(records);
    else for (const group of byAuthor(manifest, records)) items.push(...splitKin(manifest, group));
  }
  const hidden = Map.groupBy(served.filter(isHidden), exactKey);
  // A shim counts only if nothing else has its name, as in name lookups.
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

/** The item of an entry, if the entry has a file. */
export function itemOf(manifest: Manifest, entry: Entry): readonly Entry[] | undefined {
  const { key, rank, position, file, status } = entry;
  // What is found beside the items of the manifest has no other record.
  const isListed = manifest.sources[rank]?.inventory.items[position]?.file === file;
  if (!isListed || status === "no-file-found") return undefined;
  return sharedItems(manifest).get(key) ?? [entry];
}

/** The items with several records: most have one, and there may be thousands. */
const sharedItems = cachedWith((manifest: Manifest) =>
  new Map(
    itemsOf(manifest).filter((item) => item.length > 1)
      .flatMap((item) => item.map(({ key }) => [key, item] as const)),
  )
);

/**
 * BMAD has moved items between its own modules, so its records are one item whatever their module. A record that
 * somebody wrote by hand is an item of the module that it was put into.
 */
function byAuthor(manifest: Manifest, kin: readonly Entry[]): readonly (readonly Entry[])[] {
  const moduleOf = ({ module }: Entry) => moduleNames(module).at(-1)!;
  const installed = new Set(kin.filter((entry) => !isAuthored(manifest, entry)).map(moduleOf));
  const joined = (entry: Entry) => !isAuthored(manifest, entry) || installed.has(moduleOf(entry));
  return [...Map.groupBy(kin, (entry) => joined(entry) ? "" : moduleOf(entry)).values()];
}

/** Records that may be one item, split into items: one installation may have several that were later joined. */
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

/** Whether somebody wrote it by hand, in a root of their own or into an installation. */
export function isAuthored(manifest: Manifest, entry: Entry): boolean {
  return entry.status === "not-in-manifest" || isHandWritten(manifest, entry);
}

/** A hand-written file beside an installation is meant to override it, in any format. */
function isHandWritten({ sources }: Manifest, { rank, generation, kind, isListed, file }: Entry): boolean {
  return sources[rank]!.inventory.roots.some((root) =>
    // A skill that no manifest lists may lie in a root of any generation.
    (root.generation === generation || (kind === "skill" && !isListed)) &&
    layoutOf(root).is === "hand-written" && (root.path === "" || file.startsWith(`${root.path}/`))
  );
}

function exactKey({ module, kind, id }: Entry): string {
  return `${module}:${kind}:${id}`.toLowerCase();
}
