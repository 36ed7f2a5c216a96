/**
 * Mounts: from a path in a tree to its served path, and back.
 *
 * An inventory's mounts map served paths to folders: `bmm/bmad-prd` is at `.claude/skills/bmad-prd`. The most specific
 * mount counts. A path without a mount is not served.
 */
import { cachedWith } from "../../../base/cache.ts";
import type { Mount } from "../../../base/model.ts";
import { baseName, isUnserved, joinPath, parentPath } from "../../tree/mod.ts";
import type { LibrarySource } from "../library.ts";

export const SCHEME = "bmad://";

/** Whether a path is served: it has a mount, and no unserved folder below it. */
export function isServed(mounts: readonly Mount[], path: string): boolean {
  const mount = path === "" ? undefined : mountOf(mounts, path);
  return mount !== undefined && !path.slice(mount.path.length).split("/").some(isUnserved);
}

/** Mounts by what is looked up: an installation has one for each skill. */
const indexOf = cachedWith((mounts: readonly Mount[]) => ({
  // Of two mounts with the same path the first counts.
  byPath: new Map(mounts.toReversed().map((mount) => [mount.path, mount])),
  byName: Map.groupBy(mounts, ({ at }) => at),
  byLastPart: Map.groupBy(mounts, ({ at }) => baseName(at)),
}));

/** A path and the folders above it, up to the root, which is "". */
function* upwards(path: string): Generator<string> {
  for (let at = path; at !== ""; at = parentPath(at)) yield at;
  yield "";
}

export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  const { byPath } = indexOf(mounts);
  for (const folder of upwards(path)) {
    const mount = byPath.get(folder);
    if (mount !== undefined) return mount;
  }
  return undefined;
}

export function servedPath(mounts: readonly Mount[], path: string): string {
  const mount = mountOf(mounts, path) ?? { at: "", path: "" };
  return joinPath(mount.at, mount.path === "" ? path : path.slice(mount.path.length + 1));
}

const PLAIN = /^[\w./-]*$/;

export function uriAt(mounts: readonly Mount[], path: string): string {
  const served = servedPath(mounts, path);
  // Nearly every path is spelled so already.
  return SCHEME + (PLAIN.test(served) ? served : served.split("/").map(encodeURIComponent).join("/"));
}

/** The paths in a source's tree that a served path can mean, those below its own mounts first. */
export function pathsAt(source: LibrarySource, served: string): readonly string[] {
  const { byLastPart } = indexOf(source.inventory.mounts);
  // A path may name an item by its location in another layout: bmm/plan/bmad-prd/…, .claude/skills/bmad-prd/….
  const parts = served.split("/");
  // Not by its last part: the `config.yaml` of another module is another file.
  const indirect = parts.slice(0, -1).flatMap((part, i) =>
    (byLastPart.get(part) ?? []).filter((mount) => mount.at !== part || i > 0)
      .map((mount) => joinPath(mount.path, parts.slice(i + 1).join("/")))
  );
  return [...directPaths(source, served), ...indirect];
}

/** The paths in a source's tree below the mounts of a served path, the most specific mount first. */
export function directPaths(source: LibrarySource, served: string): readonly string[] {
  const { byName } = indexOf(source.inventory.mounts);
  return [...upwards(served)].flatMap((name) => byName.get(name) ?? []).flatMap((mount) => {
    const path = joinPath(mount.path, mount.at === "" ? served : served.slice(mount.at.length + 1));
    // Before 6.0.0-alpha.17 the folder was called `_cfg`.
    return mount.at === "" && served.startsWith("_config/")
      ? [path, joinPath(mount.path, served.replace("_config/", "_cfg/"))]
      : [path];
  });
}

export function isBelow(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}
