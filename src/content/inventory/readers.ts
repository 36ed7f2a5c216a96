/**
 * The readers of all layouts, and the reading of found roots into one inventory.
 *
 * This file and its imports bring in the parsers; mod.ts loads it only when a root was found.
 */
import type { Diagnostic, Inventory, Item, Mount, Root, TreeUse } from "../../base/model.ts";
import { compareVersions } from "../../base/versions.ts";
import { baseName, type Tree } from "../tree/mod.ts";
import { withAuthor } from "./authors.ts";
import { compiled } from "./compiled.ts";
import { contentsOf, hasRootName } from "./folders.ts";
import { flatSkills } from "./flat_skills.ts";
import { handWritten } from "./hand_written.ts";
import { installedSkills } from "./installed_skills.ts";
import type { Reader } from "./layout.ts";
import { looseSkills } from "./loose_skills.ts";
import { plugin } from "./plugin.ts";
import { withoutReplaced } from "./replaced.ts";
import { type FoundRoot, type LayoutName, layoutOf } from "./roots.ts";
import { sourceModules } from "./source_modules.ts";
import { sourceTree } from "./source_tree.ts";
import { v3 } from "./v3.ts";
import { v4 } from "./v4.ts";

/** The reader of each layout in the table of roots.ts. */
const READERS: Readonly<Record<LayoutName, Reader>> = {
  "installed skills": installedSkills,
  "flat skills": flatSkills,
  "compiled": compiled,
  "source tree": sourceTree,
  "source modules": sourceModules,
  "v4": v4,
  "v3": v3,
  "hand-written": handWritten,
  "plugin": plugin,
  "loose skills": looseSkills,
};

export function readRoots(tree: Tree, roots: readonly FoundRoot[], use: TreeUse): Inventory {
  const read = withoutReplaced(newestFirst(roots.map(({ path, layout }) => {
    const findings = READERS[layout](tree, path, use);
    const { generation } = layoutOf({ layout });
    return { findings, root: { path, layout, generation, version: findings.version } };
  })));
  const mounts = read.flatMap(({ findings }) => findings.mounts);
  const renamed = read.flatMap(({ findings }) => findings.renamed ?? []);
  return {
    roots: read.map(({ root }) => root),
    modules: read.flatMap(({ root, findings: { modules, mounts } }) =>
      modules.map((module) => withAuthor(tree, root, mounts, module))
    ),
    items: oncePerFile(read.map(({ findings }) => findings.items)),
    mounts: [...mounts, ...otherMounts(tree, roots, mounts)],
    ...(renamed.length > 0 && { renamed }),
    // Two readers of one root report the same fault of its manifest.
    diagnostics: read.flatMap(({ findings }) => findings.diagnostics).filter((one, at, all) =>
      all.findIndex((other) => isSame(one, other)) === at
    ),
  };
}

/** Mounts what else lies in a root with a BMAD name: `templates`, `prompts`, modules without items, single files. */
function otherMounts(tree: Tree, roots: readonly FoundRoot[], mounts: readonly Mount[]): readonly Mount[] {
  // An installation is mounted as a whole.
  const isMounted = (root: string) => mounts.some(({ at, path }) => at === "" && path === root);
  return [...new Set(roots.map(({ path }) => path))].filter((root) =>
    hasRootName(tree, root) && !isMounted(root)
  )
    .flatMap((root) => contentsOf(tree, root).map((path) => ({ at: baseName(path), path })));
}

/** The items of all readers. What a reader takes that another one has read before is the same item. */
function oncePerFile(readers: readonly (readonly Item[])[]): Item[] {
  const taken = new Set<string>();
  return readers.flatMap((items) => {
    const own = items.filter(({ file }) => !taken.has(file));
    for (const { file } of own) taken.add(file);
    return own;
  });
}

function isSame(a: Diagnostic, b: Diagnostic): boolean {
  return a.code === b.code && a.path === b.path && a.message === b.message;
}

/** Of several installations under names of their own the newest comes first; all other roots keep their order. */
function newestFirst<T extends { readonly root: Root }>(read: readonly T[]): readonly T[] {
  const isSorted = ({ root }: T) => layoutOf(root).isFreelyNamed;
  const sorted = read.filter(isSorted).sort((a, b) => compareVersions(b.root.version, a.root.version))
    .values();
  return read.map((each) => isSorted(each) ? sorted.next().value! : each);
}
