/**
 * What is in a tree: every BMAD root of every generation that we know, as plain data.
 *
 * Several generations may live in one tree; all are reported. A folder that is no BMAD root yields nothing: a
 * user's own files are never taken for content.
 */
import type { Diagnostic, Inventory, Item, TreeUse } from "../../base/model.ts";
import { cacheListings, type Tree } from "../tree/mod.ts";
import type { Estimate } from "./estimate.ts";
import type { HelpStep, ModuleHelp } from "./help_catalog.ts";
import { findRoots, type FoundRoot, holdsRoot } from "./roots.ts";

export type { Estimate } from "./estimate.ts";
export type { HelpStep, ModuleHelp } from "./help_catalog.ts";

/** How a tree is to be read. */
export interface InventoryOptions {
  /** What the tree is to us; a project when nothing is said. */
  readonly use?: TreeUse;
}

/** Whether a project holds BMAD content. Only names are looked at: no file is opened. */
export function holdsContent(tree: Tree): boolean {
  return holdsRoot(cacheListings(tree), "project");
}

/** Reads all that a tree holds. */
export function readInventory(given: Tree, options: InventoryOptions = {}): Promise<Inventory> {
  const tree = cacheListings(given);
  const use = options.use ?? "project";
  return readFound(tree, findAny(tree, use), use);
}

/** Reads all that a tree holds or, where it is so large that a start would take long, only how much it tells of. */
export async function surveyTree(
  given: Tree,
  { use = "project" }: InventoryOptions = {},
): Promise<{ readonly inventory?: Inventory; readonly estimate?: Estimate }> {
  const tree = cacheListings(given);
  const roots = findAny(tree, use);
  const estimate = roots.length === 0
    ? undefined
    : (await import("./estimate.ts")).estimateRoots(tree, roots);
  return estimate === undefined ? { inventory: await readFound(tree, roots, use) } : { estimate };
}

function findAny(tree: Tree, use: TreeUse): readonly FoundRoot[] {
  // Most folders that we look in are not there.
  return tree.list("").length === 0 ? [] : findRoots(tree, use);
}

async function readFound(tree: Tree, roots: readonly FoundRoot[], use: TreeUse): Promise<Inventory> {
  const inventory = roots.length === 0 ? NOTHING : (await import("./readers.ts")).readRoots(tree, roots, use);
  return { ...inventory, diagnostics: [...inventory.diagnostics, ...leftOut(tree)] };
}

/** An item with all that its file says, where only a manifest was read before. */
export async function completeItem<T extends Item>(tree: Tree, item: T): Promise<T> {
  return item.isBrief ? { ...item, ...(await import("./complete.ts")).completeFromFile(tree, item) } : item;
}

/** One help catalogue of several modules' own, as an installer would write it; the first to tell of a skill counts. */
export async function joinHelp(catalogues: readonly ModuleHelp[]): Promise<string> {
  return (await import("./help_catalog.ts")).mergeHelp(catalogues);
}

/** The rows of a help catalogue as steps on a project's way, in the order of the file. */
export async function readSteps(catalogue: string): Promise<readonly HelpStep[]> {
  return (await import("./help_catalog.ts")).parseSteps(catalogue);
}

/** What was met so far and left out: links that lead out of the tree, and what the system does not let us read. */
export function leftOut(tree: Tree): readonly Diagnostic[] {
  const links = tree.refused().map((path): Diagnostic => ({
    level: "warning",
    code: "link-refused",
    message: "left out: the link leads out of the folder that is served",
    path,
  }));
  const unreadable = tree.unreadable().map((path): Diagnostic => ({
    level: path === "" ? "error" : "warning",
    code: "unreadable",
    message: "left out: the system does not let this user read it",
    path,
  }));
  return [...links, ...unreadable];
}

const NOTHING: Inventory = { roots: [], modules: [], items: [], mounts: [], diagnostics: [] };
