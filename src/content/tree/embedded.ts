/** Embedded content. A binary's file system cannot tell the size of an open file, so nothing here uses `diskTree`. */
import { failMissing, failOutside } from "../../base/errors.ts";
import { cacheRecent } from "../../base/cache.ts";
import { tellRead } from "../../base/work.ts";
import { baseName, normalizePath, parentPath } from "./paths.ts";
import { byName, type Tree } from "./tree.ts";

export type PackFiles = Readonly<
  Record<string, Readonly<Record<string, readonly [hash: string, size: number]>>>
>;

/** Files are listed when that is first needed, not at the start. */
export function embeddedTree(location: string, readFiles: () => PackFiles, blobDir: string): Tree {
  let known: PackFiles | undefined;
  const files = () => known ??= readFiles();
  let folders: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  // Own keys only: "constructor" is a file name like any other.
  const namesIn = (dir: string) => Object.hasOwn(files(), dir) ? files()[dir]! : {};
  const find = (path: string): readonly [string, number] | undefined => {
    const clean = normalizePath(path);
    if (clean === undefined) return undefined;
    const names = namesIn(parentPath(clean));
    return Object.hasOwn(names, baseName(clean)) ? names[baseName(clean)] : undefined;
  };
  // Embedded files never change, and a few of them are read again and again.
  const recent = cacheRecent<Uint8Array<ArrayBuffer>>(64);
  return {
    location,
    list: (dir) => {
      const clean = normalizePath(dir);
      if (clean === undefined) return [];
      const inner = (folders ??= foldersOf(files())).get(clean) ?? [];
      const items = [...inner].map((name) => ({ name, isDirectory: true }));
      for (const name of Object.keys(namesIn(clean))) items.push({ name, isDirectory: false });
      return byName(items);
    },
    unlisted: () => [],
    stat: (path) => {
      const found = find(path);
      return found === undefined ? undefined : { size: found[1] };
    },
    hasFile: (path) => find(path) !== undefined,
    read: (path) => {
      const found = find(path);
      if (found !== undefined) tellRead(path, location);
      if (found !== undefined) return recent(found[0], () => Deno.readFileSync(`${blobDir}/${found[0]}`));
      if (normalizePath(path) === undefined) failOutside(path);
      return failMissing("file", path);
    },
    refused: () => [],
    unreadable: () => [],
    stamp: () => undefined,
    newestRead: () => 0,
  };
}

function foldersOf(files: PackFiles): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const dir of Object.keys(files)) {
    for (let at = dir; at !== ""; at = parentPath(at)) {
      folders.getOrInsertComputed(parentPath(at), () => new Set()).add(baseName(at));
    }
  }
  return folders;
}
