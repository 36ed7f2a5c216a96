/**
 * What is in a tree: every BMAD root of every generation that we know, as plain data.
 *
 * Several generations may live in one tree; all are reported. A folder that is no BMAD root yields nothing: a
 * user's own files are never taken for content.
 */
import type { Inventory } from "../model.ts";
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
  const roots = findRoots(tree, shared);
  return roots.length === 0 ? NOTHING : (await import("./readers.ts")).readRoots(tree, roots, shared);
}

const NOTHING: Inventory = { roots: [], modules: [], items: [], mounts: [], diagnostics: [] };
