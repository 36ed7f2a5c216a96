/**
 * Mounts: from a path in a tree to the name it is served under, and back.
 *
 * An inventory's mounts say which name space lies where: `bmm/bmad-prd` at `.claude/skills/bmad-prd`. The most
 * specific one counts. What no mount covers is not served.
 */
import type { Mount } from "../../../base/model.ts";
import { baseName, joinPath, parentPath } from "../../tree/mod.ts";
import type { LibrarySource } from "../library.ts";

export const SCHEME = "bmad://";

/** Names that lie among content without being content. */
export function isUnserved(name: string): boolean {
  return name.startsWith(".") || name === "__pycache__" || name === "node_modules" || name === "tests" ||
    name === "render" || name.endsWith(".pyc");
}

/** Whether a path may be served: a mount covers it, and below the mount it leads through nothing unserved. */
export function isServed(mounts: readonly Mount[], path: string): boolean {
  const mount = path === "" ? undefined : mountOf(mounts, path);
  return mount !== undefined && !path.slice(mount.path.length).split("/").some(isUnserved);
}

/** Mounts by what is looked up: an installation has one for each of its skills. */
interface MountIndex {
  readonly byPath: ReadonlyMap<string, Mount>;
  readonly byName: ReadonlyMap<string, readonly Mount[]>;
  /** By the last part of the name that they are served under. */
  readonly byLastPart: ReadonlyMap<string, readonly Mount[]>;
}

const INDEXES = new WeakMap<readonly Mount[], MountIndex>();

function indexOf(mounts: readonly Mount[]): MountIndex {
  const known = INDEXES.get(mounts) ?? {
    // Of two at the same path the first counts.
    byPath: new Map(mounts.toReversed().map((mount) => [mount.path, mount])),
    byName: Map.groupBy(mounts, ({ at }) => at),
    byLastPart: Map.groupBy(mounts, ({ at }) => baseName(at)),
  };
  INDEXES.set(mounts, known);
  return known;
}

/** A path and the folders above it, up to the top, which is "". */
function* upwards(path: string): Generator<string> {
  for (let at = path; at !== ""; at = parentPath(at)) yield at;
  yield "";
}

/** The most specific mount that covers a path. */
export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  const { byPath } = indexOf(mounts);
  return upwards(path).map((folder) => byPath.get(folder)).find((mount) => mount !== undefined);
}

/** What a path in a tree is served under: the most specific mount gives the name. */
export function servedPath(mounts: readonly Mount[], path: string): string {
  const mount = mountOf(mounts, path) ?? { at: "", path: "" };
  return joinPath(mount.at, mount.path === "" ? path : path.slice(mount.path.length + 1));
}

/** The URI of a path in a tree. */
export function uriAt(mounts: readonly Mount[], path: string): string {
  return SCHEME + servedPath(mounts, path).split("/").map(encodeURIComponent).join("/");
}

/** The paths in a source's tree that a served path can mean, those below a mount of its name first. */
export function pathsAt(source: LibrarySource, served: string): readonly string[] {
  const { byLastPart } = indexOf(source.inventory.mounts);
  // A path that names a thing by where it lies elsewhere: bmm/plan/bmad-prd/…, .claude/skills/bmad-prd/….
  const parts = served.split("/");
  const indirect = parts.flatMap((part, i) =>
    (byLastPart.get(part) ?? []).filter((mount) => mount.at !== part || i > 0)
      .map((mount) => joinPath(mount.path, parts.slice(i + 1).join("/")))
  );
  return [...directPaths(source, served), ...indirect];
}

/** The paths in a source's tree below the mounts that cover a served path, most specific mount first. */
export function directPaths(source: LibrarySource, served: string): readonly string[] {
  const { byName } = indexOf(source.inventory.mounts);
  return [...upwards(served)].flatMap((name) => byName.get(name) ?? []).flatMap((mount) => {
    const path = joinPath(mount.path, mount.at === "" ? served : served.slice(mount.at.length + 1));
    // Before 6.0.0-alpha.17 the folder of the manifests was `_cfg`.
    return mount.at === "" && served.startsWith("_config/")
      ? [path, joinPath(mount.path, served.replace("_config/", "_cfg/"))]
      : [path];
  });
}

/** Whether a path is a folder or lies below it. */
export function isBelow(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}
