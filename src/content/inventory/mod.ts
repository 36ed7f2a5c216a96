/** What a tree holds: every BMAD root of every known generation, as plain data. */
import type { Diagnostic, Inventory, Item, TreeUse } from "../../base/model.ts";
import type { Values } from "../../base/values.ts";
import { lazy } from "../../base/work.ts";
import { cacheListings, type Tree } from "../tree/mod.ts";
import { findRoots, type FoundRoot, layoutOf } from "./roots.ts";

export type { Estimate } from "./estimate.ts";
export { AGENT_CHANGES, hasRootName, HELP_FILE, V3_FILE } from "./folders.ts";
export type { HelpStep } from "./help_catalog.ts";
export { LAYOUT_NAMES, type LayoutFacts, type LayoutName, layoutOf } from "./roots.ts";

export function holdsContent(tree: Tree): boolean {
  return findRoots(cacheListings(tree), "project").next().done === false;
}

export function hasSameRoots(tree: Tree, use: TreeUse, { roots }: Inventory): boolean {
  const found = rootsIn(cacheListings(tree), use);
  return found.length === roots.length &&
    found.every(({ path, layout }) => roots.some((root) => root.path === path && root.layout === layout));
}

/** What installers listed, if none of it is here: its skills were in a client's folder, which this copy lacks. */
export function lostItems({ roots, items }: Inventory): readonly Item[] {
  if (!roots.some((root) => layoutOf(root).manifests === "skills")) return [];
  // The other generations have no list of all their items.
  const own = items.filter(({ isListed, generation }) => isListed || !["v6", "skills"].includes(generation));
  return own.every(({ status }) => status === "no-file-found") ? own : [];
}

/** Listings of a large tree that was only surveyed: reading its inventory would take as long again without them. */
const surveyed = new WeakMap<Tree, Tree>();

export function readInventory(given: Tree, use: TreeUse = "project"): Promise<Inventory> {
  const tree = surveyed.get(given) ?? cacheListings(given);
  surveyed.delete(given);
  return readFound(tree, rootsIn(tree, use), use);
}

export async function surveyTree(given: Tree, use: TreeUse = "project") {
  const tree = cacheListings(given);
  const roots = rootsIn(tree, use);
  const estimate = roots.length > 0 && (await import("./estimate.ts")).estimateRoots(tree, roots);
  if (!estimate) return { inventory: await readFound(tree, roots, use) };
  if (!estimate.isSmall) surveyed.set(given, tree);
  return { estimate };
}

function rootsIn(tree: Tree, use: TreeUse): readonly FoundRoot[] {
  // Most folders that we look for do not exist.
  return tree.list("").length === 0 ? [] : [...findRoots(tree, use)];
}

async function readFound(tree: Tree, roots: readonly FoundRoot[], use: TreeUse): Promise<Inventory> {
  const inventory = roots.length === 0
    ? NO_CONTENT
    : (await import("./readers.ts")).readRoots(tree, roots, use);
  return { ...inventory, diagnostics: [...inventory.diagnostics, ...diagnoseRefusals(tree)] };
}

export async function completeItem<T extends Item>(tree: Tree, item: T): Promise<T> {
  return item.isBrief ? { ...item, ...(await import("./agent_file.ts")).completeFromFile(tree, item) } : item;
}

export async function describedBy<T extends Item>(text: string, agent: T): Promise<T> {
  return { ...agent, ...(await import("./agent_file.ts")).completeFromText(text, agent) };
}

export async function customizeAgent<T extends Item>(item: T, agent: Values): Promise<T> {
  return (await import("./skill.ts")).withAgentValues(item, agent);
}

export const joinHelp = lazy(async () => (await import("./help_catalog.ts")).mergeHelp);
export const readSteps = lazy(async () => (await import("./help_catalog.ts")).parseSteps);

export const findNearItems = lazy(async () => (await import("./near_items.ts")).nearItems);
export const findLeftFolders = lazy(async () => (await import("./near_items.ts")).leftFolders);

export function diagnoseRefusals(tree: Tree): readonly Diagnostic[] {
  const skipped = (paths: readonly string[], code: Diagnostic["code"], why: string) =>
    paths.map((path): Diagnostic => {
      const level = path === "" ? "error" : "warning";
      return { level, code, message: `skipped: ${why}`, path };
    });
  return [
    ...skipped(tree.refused(), "link-refused", "the link points outside the served folder"),
    ...skipped(tree.unreadable(), "unreadable", "this user may not read it"),
  ];
}

export const NO_CONTENT: Inventory = { roots: [], modules: [], items: [], mounts: [], diagnostics: [] };
