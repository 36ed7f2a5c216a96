/**
 * Which file a path means when only the item is known that is being followed, not the file that has the path: it is
 * matched by its end, in the folder of the item, then in its module, its source, and everywhere.
 */
import { GENERATIONS } from "../../../base/generations.ts";
import { type Entry, hasKind, qualifiedName } from "../../../base/model.ts";
import { baseName, findText, normalizePath, parentPath } from "../../tree/mod.ts";
import { filesByName, type ServedFile, uriOf } from "../files/files.ts";
import { isBelow, SCHEME, servedPath } from "../files/mounts.ts";
import { splitFragment } from "../files/reading.ts";
import { findFile, virtualPath } from "../files/references.ts";
import { fileOf, type Library, perKey, perLibrary, type SourceFile } from "../library.ts";
import { referencesIn } from "../health/closure.ts";
import { valueAt } from "../delivery/token_templates.ts";
import { fail } from "../../../base/errors.ts";
import { shorten } from "../../../base/text.ts";
import { LIMITS } from "../../limits.ts";
import { resolveValues } from "../values/customize.ts";

/** The URI of the only file that fits an item best, and the item. A path below the item's own name is a URI too. */
export function findItemPath(
  library: Library,
  reference: string,
  item?: Entry,
): { readonly uri: string; readonly of: Entry } | undefined {
  const of = reference.startsWith(SCHEME) ? itemIn(library, reference) : item;
  if (of === undefined) return undefined;
  const path = reference.replace(ITEM, "");
  const own = findInItem(library, path, of);
  if (own !== undefined) return { uri: own, of };
  const from = fileOf(library, of);
  const [name, fragment] = splitFragment(path);
  const [first, second] = rankItemPaths(library, name, of).map((file) => ({
    file,
    far: distance(file, from),
  }));
  // A bare name says too little to lead to another item.
  const isFound = first !== undefined && first.far > 0 && (second?.far ?? Infinity) > first.far &&
    pathTail(library, name, of).includes("/");
  return isFound ? { uri: uriWith(first.file, fragment), of } : undefined;
}

export function findInItem(library: Library, reference: string, entry: Entry): string | undefined {
  const [name, fragment] = splitFragment(reference);
  const from = fileOf(library, entry);
  const own = rankItemPaths(library, name, entry).filter((file) => distance(file, from) === 0);
  const [only, ...others] = own.length < 2
    ? own
    : own.filter(({ path }) => reachedBy(library, entry).has(path));
  return only !== undefined && others.length === 0 ? uriWith(only, fragment) : undefined;
}

const ITEM = /^bmad:\/\/(?:rendered\/)?([^/]+\/[^/]+)\//;

function itemIn({ effective }: Library, reference: string): Entry | undefined {
  const [, name = ""] = ITEM.exec(reference) ?? [];
  return effective.find((entry) => qualifiedName(entry) === name);
}

function uriWith({ uri }: ServedFile, fragment: string | undefined): string {
  return fragment === undefined ? uri : `${uri}#${fragment}`;
}

/** The name of the item that a file belongs to, if that is another one than `of`: the file's own paths start there. */
export function otherItem(library: Library, uri: string, of: Entry): string | undefined {
  const path = uri.replace(/^bmad:\/\/rendered\//, SCHEME);
  const folder = folderOf(path);
  const { byFolder, byName } = ownersOf(library);
  const folders = [...folder.matchAll(/\//g)].map(({ index }) => folder.slice(0, index + 1)).toReversed();
  const own = folders.find((folder) => byFolder.has(folder));
  // An installation may have a second copy of a skill, which no list names.
  const name = folders.map((folder) => baseName(folder.slice(0, -1))).find((name) => byName.has(name));
  const owners = own === undefined ? byName.get(name ?? "") ?? [] : byFolder.get(own)!;
  if (owners.some(({ folder, rank }) => folder === of.folder && rank === of.rank)) return undefined;
  const owner = owners.find((entry) => uriOf(library, entry) === path) ?? owners[0];
  return owner && qualifiedName(owner);
}

const ownersOf = perLibrary((library) => {
  const owners = library.effective.filter(({ generation }) => GENERATIONS[generation].hasItemFolders)
    .filter((entry) => entry.kind === "skill" || hasKind(entry, "workflow"));
  return {
    byFolder: Map.groupBy(owners, (entry) => folderOf(uriOf(library, entry))),
    byName: Map.groupBy(owners.filter(({ kind }) => kind === "skill"), ({ folder }) => baseName(folder)),
  };
});

export function rankItemPaths(library: Library, reference: string, entry: Entry): readonly ServedFile[] {
  const tail = pathTail(library, reference, entry);
  if (tail === "") return [];
  const from = fileOf(library, entry);
  return (filesByName(library).get(baseName(tail)) ?? []).filter(({ path }) =>
    `/${path}`.endsWith(`/${tail}`)
  )
    .toSorted((a, b) => distance(a, from) - distance(b, from));
}

/** What a path ends with, wherever it starts; empty for one that starts at the root. */
function pathTail(library: Library, reference: string, entry: Entry): string {
  const path = virtualPath(library, reference, fileOf(library, entry));
  return path === undefined || path.isAbsolute
    ? ""
    : normalizePath(path.relative.replace(/^(\.{1,2}\/)+/, "")) ?? "";
}

/** 0 for a file in the folder of `from`, then further away. */
function distance(file: SourceFile, from: SourceFile): number {
  const moduleOf = ({ source, path }: SourceFile) => servedPath(source.inventory.mounts, path).split("/")[0];
  if (file.source !== from.source) return 3;
  if (isBelow(file.path, parentPath(from.path))) return 0;
  return moduleOf(file) === moduleOf(from) ? 1 : 2;
}

const reachedBy = perKey((library, entry: Entry): ReadonlySet<string> => {
  const first = fileOf(library, entry);
  const reached = new Set([first.path]);
  for (const path of reached.values().take(LIMITS.files.reachedFiles)) {
    for (const reference of referencesIn(findText(first.source.tree, path) ?? "")) {
      const file = findFile(library, reference, { source: first.source, path });
      if (file !== undefined && distance(file, first) === 0) reached.add(file.path);
    }
  }
  return reached;
});

function folderOf(uri: string): string {
  return uri.slice(0, uri.lastIndexOf("/") + 1);
}

const VARIABLE = /^\{((?:workflow|agent)\.[\w.-]{1,80})\}/;
const { valueDepth: MAX_DEPTH, shownValue: MAX_VALUE } = LIMITS.files;

export function expandVariable(library: Library, reference: string, of: Entry): string | undefined {
  const { customization } = resolveValues(library, of);
  let path = reference;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const [spelled = "", name = ""] = VARIABLE.exec(path) ?? [];
    if (spelled === "") break;
    const value = valueAt(customization, name);
    if (value === undefined) return undefined;
    const isPath = typeof value === "string" && /[./]/.test(value) && !/\s/.test(value);
    if (!isPath) {
      const problem = `"${spelled}" is a value, not a file: ${shorten(JSON.stringify(value), MAX_VALUE)}`;
      return fail({ code: "invalid-input", problem });
    }
    path = value + path.slice(spelled.length);
  }
  return path === reference || VARIABLE.test(path) ? undefined : path;
}
