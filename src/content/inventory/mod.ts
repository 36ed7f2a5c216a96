/**
 * What a tree holds: every BMAD root of every known generation, as plain data.
 *
 * Several generations may live in one tree; all are reported. A folder that is not a BMAD root yields nothing: a user's
 * own files never count as content. roots.ts has the table of layouts.
 */
import type { Diagnostic, Inventory, Item, TreeUse } from "../../base/model.ts";
import type { Values } from "../../base/values.ts";
import { cacheListings, type Tree } from "../tree/mod.ts";
import type { Estimate } from "./estimate.ts";
import type { HelpStep, ModuleHelp } from "./help_catalog.ts";
import type { NearItem } from "./near_items.ts";
import { findRoots, type FoundRoot } from "./roots.ts";

export type { Estimate } from "./estimate.ts";
export { AGENT_CHANGES } from "./file_names.ts";
export { hasRootName } from "./folders.ts";
export type { HelpStep, ModuleHelp } from "./help_catalog.ts";
export type { NearItem } from "./near_items.ts";
export { type AuthorFile, LAYOUT_NAMES, type LayoutFacts, type LayoutName, layoutOf } from "./roots.ts";

/** How to read a tree. */
export interface InventoryOptions {
  /** What the tree is to us; a project by default. */
  readonly use?: TreeUse;
}

/** Whether a project holds BMAD content. Looks only at names: no file is opened. */
export function holdsContent(tree: Tree): boolean {
  return findRoots(cacheListings(tree), "project").next().done === false;
}

/** Whether a tree has the roots of an inventory that was taken of it. Looks only at names, too. */
export function hasSameRoots(tree: Tree, use: TreeUse, { roots }: Inventory): boolean {
  const found = rootsIn(cacheListings(tree), use);
  return found.length === roots.length &&
    found.every(({ path, layout }) => roots.some((root) => root.path === path && root.layout === layout));
}

/** What a survey has listed and parsed of a large tree, until its inventory is read: that would take as long again. */
const surveyed = new WeakMap<Tree, Tree>();

/** Reads everything that a tree holds. */
export function readInventory(given: Tree, { use = "project" }: InventoryOptions = {}): Promise<Inventory> {
  const tree = surveyed.get(given) ?? cacheListings(given);
  surveyed.delete(given);
  return readFound(tree, rootsIn(tree, use), use);
}

/** Reads everything that a tree holds or, where its manifests tell enough for a start, only an estimate. */
export async function surveyTree(
  given: Tree,
  { use = "project" }: InventoryOptions = {},
): Promise<{ readonly inventory?: Inventory; readonly estimate?: Estimate }> {
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
  const inventory = roots.length === 0 ? NOTHING : (await import("./readers.ts")).readRoots(tree, roots, use);
  return { ...inventory, diagnostics: [...inventory.diagnostics, ...diagnoseRefusals(tree)] };
}

/** An item with everything that its file says, where only a manifest was read before. */
export async function completeItem<T extends Item>(tree: Tree, item: T): Promise<T> {
  return item.isBrief ? { ...item, ...(await import("./agent_file.ts")).completeFromFile(tree, item) } : item;
}

/** An agent as another text than that of its file describes it. */
export async function describedBy<T extends Item>(text: string, agent: T): Promise<T> {
  return { ...agent, ...(await import("./agent_file.ts")).completeFromText(text, agent) };
}

/** An agent's skill with the values of its `[agent]` table that are in force. */
export async function customizeAgent<T extends Item>(item: T, agent: Values): Promise<T> {
  return (await import("./skill.ts")).withAgentValues(item, agent);
}

/** One help catalogue from those of several modules, as an installer would write it; the first row of a skill counts. */
export async function joinHelp(catalogues: readonly ModuleHelp[]): Promise<string> {
  return (await import("./help_catalog.ts")).mergeHelp(catalogues);
}

/** The rows of a help catalogue as steps of a project, in the order of the file. */
export async function readSteps(catalogue: string): Promise<readonly HelpStep[]> {
  return (await import("./help_catalog.ts")).parseSteps(catalogue);
}

/** What was skipped so far: links that point out of the tree, and what the system does not let us read. */
export function diagnoseRefusals(tree: Tree): readonly Diagnostic[] {
  const skipped = (paths: readonly string[], code: Diagnostic["code"], why: string) =>
    paths.map((path): Diagnostic => ({ level: "warning", code, message: `skipped: ${why}`, path }));
  const links = skipped(tree.refused(), "link-refused", "the link points outside the served folder");
  const unreadable = skipped(tree.unreadable(), "unreadable", "this user may not read it");
  return [
    ...links,
    ...unreadable.map((each) => each.path === "" ? { ...each, level: "error" as const } : each),
  ];
}

/** Files that look like items and are none, each with the reason; undefined for each other file that was looked at. */
export async function findNearItems(
  tree: Tree,
  inventory: Inventory,
): Promise<Generator<NearItem | undefined>> {
  return (await import("./near_items.ts")).nearItems(cacheListings(tree), inventory);
}

/** Folders outside of BMAD's own that look like BMAD's, and that nothing serves. */
export async function findLeftFolders(tree: Tree, inventory: Inventory): Promise<readonly NearItem[]> {
  const { leftFolders } = await import("./near_items.ts");
  return leftFolders(cacheListings(tree), inventory);
}

const NOTHING: Inventory = { roots: [], modules: [], items: [], mounts: [], diagnostics: [] };
