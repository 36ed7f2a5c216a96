/**
 * What is in a tree: every BMAD root of every generation that we know, as plain data.
 *
 * Several generations may live in one tree; all are reported. A folder that is no BMAD root yields nothing: a
 * user's own files are never taken for content.
 */
import type { Diagnostic, Inventory, Item, TreeUse } from "../model.ts";
import { rememberLists, type Tree } from "../tree.ts";
import { findRoots } from "./roots.ts";

/** How a tree is to be read. */
export interface InventoryOptions {
  /** What the tree is to us; a project when nothing is said. */
  readonly use?: TreeUse;
}

/** Reads all that a tree holds. */
export async function readInventory(given: Tree, options: InventoryOptions = {}): Promise<Inventory> {
  const tree = rememberLists(given);
  const use = options.use ?? "project";
  // Most folders that we look in are not there.
  const roots = tree.list("").length === 0 ? [] : findRoots(tree, use);
  const inventory = roots.length === 0 ? NOTHING : (await import("./readers.ts")).readRoots(tree, roots, use);
  return { ...inventory, diagnostics: [...inventory.diagnostics, ...refusedLinks(tree)] };
}

/** An item with all that its file says, where only a manifest was read before. */
export async function completeItem<T extends Item>(tree: Tree, item: T): Promise<T> {
  return item.isBrief ? { ...item, ...(await import("./complete.ts")).completeFromFile(tree, item) } : item;
}

/** The links that were met so far and lead out of the tree. */
export function refusedLinks(tree: Tree): readonly Diagnostic[] {
  return tree.refused().map((path) => ({
    level: "warning",
    code: "link-refused",
    message: "left out: the link leads out of the folder that is served",
    path,
  }));
}

const NOTHING: Inventory = { roots: [], modules: [], items: [], mounts: [], diagnostics: [] };
