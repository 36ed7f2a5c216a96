/** Mounts: from a path in a tree to its served path, and back. The most specific one counts. */
import { cachedWith } from "../../../base/cache.ts";
import { type Inventory, MEMORY_TYPES, type Mount, type Root, ROOT_NAMES } from "../../../base/model.ts";
import { baseName, isUnserved, joinPath, parentPath, type Tree } from "../../tree/mod.ts";

export const SCHEME = "bmad://";

interface Mounted {
  readonly inventory: Pick<Inventory, "mounts" | "roots">;
  readonly tree: Pick<Tree, "hasFile">;
}

export function isServed(mounts: readonly Mount[], path: string): boolean {
  const mount = path === "" ? undefined : findMount(mounts, path);
  return mount !== undefined && !path.slice(mount.path.length).split("/").some(isUnserved);
}

/** Mounts by what is looked up: an installation has one for each skill. Names are composed, however they are written. */
const indexOf = cachedWith((mounts: readonly Mount[]) => ({
  // Of two mounts with the same path the first counts.
  byPath: new Map(mounts.toReversed().map((mount) => [mount.path, mount])),
  byName: Map.groupBy(mounts, ({ at }) => at.normalize()),
  byLastPart: Map.groupBy(mounts, ({ at }) => baseName(at).normalize()),
}));

function* upwards(path: string): Generator<string> {
  for (let at = path; at !== ""; at = parentPath(at)) yield at;
  yield "";
}

export function findMount(mounts: readonly Mount[], path: string): Mount | undefined {
  const { byPath } = indexOf(mounts);
  for (const folder of upwards(path)) {
    const mount = byPath.get(folder);
    if (mount !== undefined) return mount;
  }
  return undefined;
}

export function servedPath(mounts: readonly Mount[], path: string): string {
  const mount = findMount(mounts, path) ?? { at: "", path: "" };
  return joinPath(mount.at, mount.path === "" ? path : path.slice(mount.path.length + 1));
}

const PLAIN = /^[\w./-]*$/;

const GENERATED = new RegExp(
  "^(?:manifest|manifests/(?:agent|workflow|task|tool|skill)s|roster(?:/(?:agents|personas|parties(?:/.+)?))?|" +
    `config/current|scripts|rendered/.+|board|memory/(?:${MEMORY_TYPES.join("|")}))$`,
  "s",
);

export function isReserved(served: string): boolean {
  return GENERATED.test(served);
}

/**
 * It names the BMAD folder where the served path alone would mean something else: the first of several files with that
 * path, or something generated. The sources of a module share the URIs of their installation.
 */
export function uriAt(source: Mounted, path: string): string {
  const { mounts } = source.inventory;
  const served = servedPath(mounts, path);
  const first = directPaths(source, served).find((other) =>
    other === path || (isServed(mounts, other) && source.tree.hasFile(other))
  );
  const isFirst = first === undefined || first === path ||
    (bmadFolderOf(source, path) === undefined && findRoot(source, path) !== findRoot(source, first));
  const spelled = isFirst && !isReserved(served) ? served : pathWithFolder(source, path) ?? served;
  // Nearly every path is spelled so already.
  return SCHEME + (PLAIN.test(spelled) ? spelled : spelled.split("/").map(encodeURIComponent).join("/"));
}

function pathWithFolder(source: Mounted, path: string): string | undefined {
  const root = findRoot(source, path);
  if (root === undefined || ROOT_NAMES.includes(root)) return root && path;
  // A folder that was named may be such a folder itself, or have another name.
  return joinPath(ROOT_NAMES[0]!, root === "" ? path : path.slice(root.length + 1));
}

function findRoot({ inventory: { roots } }: Mounted, path: string): string | undefined {
  return roots.find((root) => isBelow(path, root.path))?.path;
}

export function moduleAt({ source, path }: { readonly source: Mounted; readonly path: string }): string {
  return servedPath(source.inventory.mounts, path).split("/")[0]!;
}

export function innerRoot({ inventory: { roots } }: Pick<Mounted, "inventory">, path: string) {
  return roots.filter((root) => isBelow(path, root.path)).toSorted((a, b) =>
    b.path.length - a.path.length
  )[0];
}

export function exactPaths({ inventory: { roots } }: Mounted, path: string): readonly string[] {
  return [...new Set(roots.map((root) => joinPath(root.path, path)))];
}

/** Undefined if the path is in none of several BMAD folders, or there is only one. */
export function bmadFolderOf({ inventory: { roots } }: Mounted, path: string): string | undefined {
  const folders = bmadFolders(roots);
  return folders.length < 2 ? undefined : folders.find((folder) => isBelow(path, folder));
}

const bmadFolders = cachedWith((roots: readonly Root[]) =>
  [...new Set(roots.map(({ path }) => path))].filter((path) => ROOT_NAMES.includes(path))
);

/** Those below its own mounts first. */
export function pathsAt(source: Mounted, served: string): readonly string[] {
  const { byLastPart } = indexOf(source.inventory.mounts);
  // A path may name an item by its location in another layout: bmm/plan/bmad-prd/…, .claude/skills/bmad-prd/….
  const parts = served.split("/");
  // Not by its last part: the `config.yaml` of another module is another file.
  const indirect = parts.slice(0, -1).flatMap((part, i) =>
    (byLastPart.get(part.normalize()) ?? []).filter((mount) => mount.at !== part || i > 0)
      .map((mount) => joinPath(mount.path, parts.slice(i + 1).join("/")))
  );
  return [...directPaths(source, served), ...indirect];
}

export function directPaths(source: Mounted, served: string): readonly string[] {
  const { byName } = indexOf(source.inventory.mounts);
  return [...upwards(served)].flatMap((name) =>
    (byName.get(name.normalize()) ?? []).flatMap((mount) => {
      const path = joinPath(mount.path, name === "" ? served : served.slice(name.length + 1));
      // Before 6.0.0-alpha.17 the folder was called `_cfg`.
      return name === "" && served.startsWith("_config/")
        ? [path, joinPath(mount.path, served.replace("_config/", "_cfg/"))]
        : [path];
    })
  );
}

export function isBelow(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}
