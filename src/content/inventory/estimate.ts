/**
 * How much a large installation holds by its own account: its manifests are counted, no file is looked at.
 *
 * A start needs numbers only. With tens of thousands of things, to look whether each is there would be most of its
 * time; the first request that needs the things themselves takes the full inventory.
 */
import { joinPath, type Tree } from "../tree/mod.ts";
import { MANIFESTS, readRows } from "./compiled.ts";
import { CONFIG_FOLDERS, type FoundRoot } from "./roots.ts";

/** What manifests tell of, in numbers. */
export interface Estimate {
  /** Rows of agents. */
  readonly agents: number;
  /** Rows of workflows. */
  readonly workflows: number;
  /** All rows. */
  readonly things: number;
  /** The codes of the modules that the rows are of. */
  readonly modules: readonly string[];
}

/** No release of BMAD has manifests a quarter as large; below this a full inventory is a matter of milliseconds. */
const LARGE_BYTES = 100_000;

/** The numbers of a tree that is one large compiled installation; undefined for every other tree. */
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
  return { agents, workflows, things: files.size, modules: [...modules] };
}
