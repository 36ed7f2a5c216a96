/**
 * What lies in a BMAD folder and is served by nothing, each with the reason.
 *
 * A folder that is left out as a whole is one row. What cannot be read, links that lead out and skills without a
 * description are issues, and reported as such.
 */
import { openTurns } from "../../../base/work.ts";
import { findLeftFolders, hasRootName, layoutOf } from "../../inventory/mod.ts";
import { baseName, joinPath, whyUnserved } from "../../tree/mod.ts";
import { isServed } from "../files/mounts.ts";
import { hasSteppedBack, type Library, type LibrarySource } from "../library.ts";

/** A file or folder that nothing serves. */
export interface Unserved {
  /** The id of its source. */
  readonly origin: string;
  /** In the source's tree. */
  readonly path: string;
  /** A clause: `it is hidden`. */
  readonly reason: string;
}

/** More than anybody reads. */
const MAX_ROWS = 1_000;
const MAX_FOLDERS = 10_000;

/** Everything in the BMAD folders of a library that is not served. */
export async function findUnserved(library: Library): Promise<readonly Unserved[]> {
  const giveWay = openTurns();
  const found: Unserved[] = [];
  const sources = library.sources.filter(({ origin }, rank) =>
    origin.kind !== "package" && !hasSteppedBack(library, rank)
  );
  for (const source of sources) {
    const report = (path: string, reason: string) => found.push({ origin: source.origin.id, path, reason });
    for (const left of await findLeftFolders(source.tree, source.inventory)) report(left.path, left.reason);
    const folders = bmadFolders(source);
    for (const { name, isDirectory } of source.tree.list("")) {
      if (!isDirectory && hasRootName(source.tree, name)) report(name, "it is a file, and must be a folder");
    }
    for (const { name, reason } of source.tree.unlisted("")) {
      if (hasRootName(source.tree, name)) report(name, reason);
    }
    for (let count = 0; folders.length > 0 && found.length < MAX_ROWS && count < MAX_FOLDERS; count++) {
      await giveWay();
      const folder = folders.pop()!;
      for (const { name, isDirectory } of source.tree.list(folder)) {
        const path = joinPath(folder, name);
        const reason = whyNotServed(source, path, isDirectory);
        if (reason !== undefined) report(path, reason);
        else if (isDirectory) folders.push(path);
      }
      for (const { name, reason } of source.tree.unlisted(folder)) report(joinPath(folder, name), reason);
    }
  }
  return found;
}

/** The folders of a source that are BMAD's: its roots, and those with a name of a root. */
function bmadFolders({ tree, inventory }: LibrarySource): string[] {
  if (hasRootName(tree, "")) return [""];
  const named = tree.list("").filter(({ name, isDirectory }) => isDirectory && hasRootName(tree, name));
  // Skills share their folder with those of others.
  const roots = inventory.roots.filter((root) =>
    root.path !== "" && root.generation !== "flat" && layoutOf(root).is !== "loose skills"
  );
  return [...new Set([...named.map(({ name }) => name), ...roots.map(({ path }) => path)])];
}

function whyNotServed(
  { inventory: { mounts } }: LibrarySource,
  path: string,
  isFolder: boolean,
): string | undefined {
  // A module may have any name.
  if (isServed(mounts, path)) return undefined;
  const isMounted = isFolder && mounts.some((mount) => mount.path.startsWith(`${path}/`));
  return whyUnserved(baseName(path)) ?? (isMounted ? undefined : FOREIGN);
}

const FOREIGN =
  "its folder holds no agents, workflows, tasks, skills or settings, and may be the project's own";
