/**
 * Served files: which there are, and the one URI of each.
 *
 * `bmad://bmm/bmad-prd/SKILL.md` names the file by module, thing and path, wherever it lies on disk. Each
 * source's mounts say where that is; sources come in order, so a project's file shadows the same path of a lower
 * origin.
 */
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { baseName, type FileFacts, walkFiles } from "../../tree/mod.ts";
import { type Library, type LibrarySource, perLibrary, sourceOf } from "../library.ts";
import { isUnserved, SCHEME, uriAt } from "./mounts.ts";

/** A file that is served. */
export interface ServedFile {
  /** The one canonical URI: `bmad://bmm/bmad-prd/SKILL.md`. */
  readonly uri: string;
  /** By the name's ending: `text/markdown`; `text/plain` for endings we do not know. */
  readonly mimeType: string;
  /** The origin that it is read from. */
  readonly source: LibrarySource;
  /** The path in the source's tree. */
  readonly path: string;
  /** Its size and, on disk, its age. */
  readonly facts: FileFacts;
}

/** The files of a library, and which origins have more of them than may be listed. */
interface FileList {
  readonly files: readonly ServedFile[];
  /** The files of each URI that several origins have. */
  readonly shadowed: ReadonlyMap<string, readonly ServedFile[]>;
  readonly cut: readonly LibrarySource[];
}

/** Every served file, each under its canonical URI, best origin first; of each origin as many as may be listed. */
export function listFiles(library: Library): readonly ServedFile[] {
  return fileList(library).files;
}

/** The files of each URI that several origins have, best origin first. */
export function overriddenFiles(library: Library): ReadonlyMap<string, readonly ServedFile[]> {
  return fileList(library).shadowed;
}

/** The served files by their names alone. */
export const filesByName = perLibrary((library) =>
  Map.groupBy(listFiles(library), ({ path }) => baseName(path))
);

/** The origins whose files are not all listed, because they are too many. */
export function truncatedSources(library: Library): readonly LibrarySource[] {
  return fileList(library).cut;
}

const fileList = perLibrary((library): FileList => {
  const files: ServedFile[] = [];
  const cut: LibrarySource[] = [];
  for (const source of library.sources) {
    const paths = [...takeFirst(mountedFiles(source), library.maxFiles + 1)];
    if (paths.length > library.maxFiles) cut.push(source);
    for (const path of paths.slice(0, library.maxFiles)) {
      const file = servedFile(source, path);
      if (file !== undefined) files.push(file);
    }
  }
  const byUri = Map.groupBy(files, ({ uri }) => uri);
  const shadowed = new Map(byUri.entries().filter(([, same]) => same.length > 1));
  return { files: byUri.values().map(([best]) => best!).toArray(), shadowed, cut };
});

/** The path of every file below the mounts of a source, each once. */
function* mountedFiles({ tree, inventory: { mounts } }: LibrarySource): Generator<string> {
  const inner = new Set(mounts.map((mount) => mount.path));
  const skip = (path: string) => isUnserved(baseName(path)) || inner.has(path);
  for (const path of inner) {
    // A mount may also be a single file.
    if (path !== "" && tree.stat(path) !== undefined) yield path;
    else yield* walkFiles(tree, path, skip);
  }
}

function* takeFirst<T>(values: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const value of values) {
    if (taken++ >= count) return;
    yield value;
  }
}

/** The files of one thing: its whole folder, or its one file. */
export function filesOf(library: Library, entry: Entry): readonly ServedFile[] {
  const source = sourceOf(library, entry);
  const paths = entry.ownsFolder
    ? walkFiles(source.tree, entry.folder, (path) => isUnserved(baseName(path)))
    : [entry.file];
  return [...paths].map((path) => servedFile(source, path)).filter((file) => file !== undefined);
}

/** The URI of an entry's first file. */
export function uriOf(library: Library, entry: Entry): string {
  return uriAt(sourceOf(library, entry).inventory.mounts, entry.file);
}

/** The `bmad://` form of a thing's own folder, for telling a model how to open what a text refers to. */
export function folderUri(entry: Entry): string {
  return `${SCHEME}${qualifiedName(entry)}/`;
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown",
  yaml: "application/x-yaml",
  yml: "application/x-yaml",
  json: "application/json",
  xml: "application/xml",
  csv: "text/csv",
  toml: "application/toml",
  html: "text/html",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  pdf: "application/pdf",
};

/** The MIME type of a file, by its name. */
export function mimeTypeOf(path: string): string {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(MIME_TYPES, ending) ? MIME_TYPES[ending]! : "text/plain";
}

/** The file at a path of a source; undefined when there is none. */
export function servedFile(source: LibrarySource, path: string): ServedFile | undefined {
  const facts = source.tree.stat(path);
  if (facts === undefined) return undefined;
  return { uri: uriAt(source.inventory.mounts, path), mimeType: mimeTypeOf(path), source, path, facts };
}
