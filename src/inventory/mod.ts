/**
 * What is in a tree: every BMAD root of every generation that we know, as plain data.
 *
 * Several generations may live in one tree; all are reported. A folder that is no BMAD root yields nothing: a
 * user's own files are never taken for content.
 */
import type { Diagnostic, Inventory } from "../model.ts";
import type { Tree } from "../tree.ts";
import { findRoots } from "./roots.ts";

/** How a tree is to be read. */
export interface InventoryOptions {
  /** Whether the tree is a folder of skills that others put theirs into as well. */
  readonly shared?: boolean;
}

/** Reads all that a tree holds. */
export async function readInventory(tree: Tree, options: InventoryOptions = {}): Promise<Inventory> {
  const shared = options.shared ?? false;
  // Most folders that we look in are not there.
  const roots = tree.list("").length === 0 ? [] : findRoots(tree, shared);
  const inventory = roots.length === 0
    ? NOTHING
    : (await import("./readers.ts")).readRoots(tree, roots, shared);
  return { ...inventory, diagnostics: [...inventory.diagnostics, ...refusedLinks(tree)] };
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
