/**
 * Mounts: from a path in a tree to the name it is served under, and back.
 *
 * An inventory's mounts say which name space lies where: `bmm/bmad-prd` at `.claude/skills/bmad-prd`. The most
 * specific one counts. What no mount covers is not served.
 */
import type { Mount } from "../model.ts";
import { joinPath } from "../tree.ts";
import type { Holding } from "./library.ts";

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

/** The most specific mount that covers a path. */
export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.filter((mount) => isBelow(path, mount.path))
    .reduce<Mount | undefined>(
      (a, b) => (a === undefined || b.path.length > a.path.length ? b : a),
      undefined,
    );
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

/** The paths in a holding's tree that a served path can mean, those below a mount of its name first. */
export function pathsAt(holding: Holding, served: string): readonly string[] {
  // A path that names a thing by where it lies elsewhere: bmm/plan/bmad-prd/…, .claude/skills/bmad-prd/….
  const parts = served.split("/");
  const indirect = parts.flatMap((part, i) =>
    holding.inventory.mounts.filter((mount) => mount.at.endsWith(`/${part}`) || (i > 0 && mount.at === part))
      .map((mount) => joinPath(mount.path, parts.slice(i + 1).join("/")))
  );
  return [...directPaths(holding, served), ...indirect];
}

/** The paths in a holding's tree below the mounts that cover a served path, most specific mount first. */
export function directPaths(holding: Holding, served: string): readonly string[] {
  const mounts = holding.inventory.mounts.filter((mount) => isBelow(served, mount.at))
    .toSorted((a, b) => b.at.length - a.at.length);
  return mounts.flatMap((mount) => {
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
