/**
 * How much a large installation holds, by its own account: manifest rows are counted, no file is looked for.
 *
 * A start only needs numbers. Checking tens of thousands of files would take most of its time; the first request that
 * needs the items themselves takes the full inventory.
 */
import { joinPath, type Tree } from "../tree/mod.ts";
import { MANIFESTS, readRows } from "./compiled.ts";
import { CONFIG_FOLDERS } from "./file_names.ts";
import type { FoundRoot } from "./roots.ts";

/** What the manifests of an installation list, in numbers. */
export interface Estimate {
  readonly agents: number;
  readonly workflows: number;
  readonly items: number;
  readonly modules: readonly string[];
}

/** No BMAD release has manifests a quarter as large; below this, a full inventory takes milliseconds. */
const LARGE_BYTES = 100_000;

/** Estimates a tree that is one large compiled installation; undefined for every other tree. */
export function estimateRoots(tree: Tree, roots: readonly FoundRoot[]): Estimate | undefined {
  const [root, ...others] = roots;
  if (root?.layout !== "compiled" || others.length > 0) return undefined;
  const config = CONFIG_FOLDERS.map((folder) => joinPath(root.path, folder))
    .find((folder) => tree.list(folder).length > 0);
  if (config === undefined) return undefined;
  const bytes = MANIFESTS.map(([name]) => tree.stat(joinPath(config, name))?.size ?? 0);
  if (bytes.reduce((sum, size) => sum + size) < LARGE_BYTES) return undefined;
  const files = new Set<string>();
  const modules = new Set<string>();
  let agents = 0;
  let workflows = 0;
  for (const { kind, file, text } of readRows(tree, config, root.path, [])) {
    if (files.has(file)) continue;
    files.add(file);
    modules.add(text("module") ?? "");
    if (kind === "agent") agents++;
    if (kind === "workflow") workflows++;
  }
  return { agents, workflows, items: files.size, modules: [...modules] };
}
