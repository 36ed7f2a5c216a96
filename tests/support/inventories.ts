/** Inventories of small trees, and what tests compare of them. */
import assert from "node:assert/strict";
import { readInventory } from "../../src/content/inventory/mod.ts";
import type { Inventory, Item, TreeUse } from "../../src/base/model.ts";
import { diskTree } from "../../src/content/tree/mod.ts";
import { type TreeFile, withTree } from "./trees.ts";

export type Files = Readonly<Record<string, TreeFile>>;

export function inventoryOf(files: Files, use?: TreeUse): Promise<Inventory> {
  return withTree(files, (dir) => readInventory(diskTree(dir), use));
}

export function below(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

export const skill = (id: string, more = "") =>
  `---\nname: ${id}\ndescription: Does ${id}.\n${more}---\n\nBody.\n`;

export const namesOf = ({ items }: Inventory) =>
  items.map(({ module, kind, id }) => `${module}/${kind}/${id}`);
export const filesOf = ({ items }: Inventory) => items.map(({ file }) => file);
export const rootsOf = ({ roots }: Inventory) => roots.map(({ path, layout }) => `${layout}: ${path}`);
export const troubleOf = ({ diagnostics }: Inventory) =>
  diagnostics.map(({ code, path }) => `${code} ${path}`).sort();

export function itemOf({ items }: Inventory, id: string): Item {
  return items.find((item) => item.id === id) ?? assert.fail(`there is no ${id}`);
}
