/**
 * What lists and manifests say of a record besides the item itself: who wrote it, where its file lies, who knows of it.
 *
 * Of what a manifest lists, the file may name another author: it is not opened for a list.
 */
import { cachedWith } from "../../base/cache.ts";
import type { Entry, Module } from "../../base/model.ts";
import { uriOf } from "./files/files.ts";
import { SCHEME } from "./files/mounts.ts";
import { type Library, sourceOf } from "./library.ts";

/** The facts of a record. */
export interface RecordFacts {
  /** As its own file says, else its module; empty if neither does. */
  readonly author: string;
  /** Who knows of it. Of what no manifest lists, only the disk does. */
  readonly source: "manifest" | "file-system" | "both";
}

export function recordFacts(library: Library, entry: Entry): RecordFacts {
  return { author: authorOf(library, entry), source: sourceName(entry) };
}

function authorOf(library: Library, entry: Entry): string {
  return entry.author ?? authorsIn(sourceOf(library, entry).inventory.modules).get(entry.module) ?? "";
}

const authorsIn = cachedWith((modules: readonly Module[]) =>
  new Map(modules.toReversed().flatMap(({ code, author }) => author ? [[code, author] as const] : []))
);

/**
 * Where the file of an entry lies, for a reader in the project: by its path there, elsewhere by its full path. What has
 * no file that this reader can open goes by its served path, below the usual folder.
 */
export function pathFromProject(library: Library, entry: Entry): string {
  const { origin, tree } = sourceOf(library, entry);
  if (origin.kind === "project") return entry.file;
  return origin.kind === "package" || library.isRemote
    ? uriOf(library, entry).replace(SCHEME, "_bmad/")
    : `${tree.location}/${entry.file}`;
}

function sourceName({ isListed, status }: Entry): RecordFacts["source"] {
  if (!isListed) return "file-system";
  return status === "no-file-found" ? "manifest" : "both";
}
