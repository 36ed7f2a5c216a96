/** The served files by URI. A file in the project overrides the same URI of a source with lower priority. */
import { type Entry, qualifiedName } from "../../../base/model.ts";
import { giveWay } from "../../../base/work.ts";
import { baseName, type FileFacts, isUnserved, spelledOnDisk, walkFiles } from "../../tree/mod.ts";
import { type Library, type LibrarySource, perLibrary, sourceOf } from "../library.ts";
import { SCHEME, uriAt } from "./mounts.ts";

export interface ServedFile {
  readonly uri: string;
  readonly mimeType: string;
  readonly source: LibrarySource;
  readonly path: string;
  readonly facts: FileFacts;
}

export function listFiles(library: Library): readonly ServedFile[] {
  return fileList(library).files;
}

export const filesByName = perLibrary((library) =>
  Map.groupBy(listFiles(library), ({ path }) => baseName(path))
);

interface FileList {
  readonly files: readonly ServedFile[];
  readonly overridden: ReadonlyMap<string, readonly ServedFile[]>;
  readonly truncated: readonly LibrarySource[];
}

/** Lists a portion of a library's files: undefined until all are listed. Each caller that needs more continues it. */
const listPortion = perLibrary((library) => {
  const steps = gatherFiles(library);
  let list: FileList | undefined;
  return () => list ??= steps.next().value || undefined;
});

export function fileList(library: Library): FileList {
  const next = listPortion(library);
  for (;;) {
    const list = next();
    if (list !== undefined) return list;
  }
}

export async function prepareFiles(library: Library): Promise<void> {
  while (listPortion(library)() === undefined) await giveWay();
}

/** Listing this many files takes a millisecond: a request that arrives meanwhile needs several turns. */
const PORTION = 25;

function* gatherFiles(library: Library): Generator<void, FileList> {
  const files: ServedFile[] = [];
  const truncated: LibrarySource[] = [];
  for (const source of library.sources) {
    let count = 0;
    for (const path of mountedFiles(source)) {
      if (++count > library.maxFiles) {
        truncated.push(source);
        break;
      }
      if (count % PORTION === 0) yield;
      const file = servedFile(source, path);
      if (file !== undefined) files.push(file);
    }
  }
  const byUri = Map.groupBy(files, ({ uri }) => uri);
  const overridden = new Map(byUri.entries().filter(([, same]) => same.length > 1));
  return { files: byUri.values().map(([first]) => first!).toArray(), overridden, truncated };
}

function* mountedFiles({ tree, inventory: { mounts } }: LibrarySource): Generator<string> {
  const inner = new Set(mounts.map((mount) => mount.path));
  const skip = (path: string) => isUnserved(baseName(path)) || inner.has(path);
  for (const path of inner) {
    // A mount may also be a single file.
    if (path !== "" && tree.stat(path) !== undefined) yield path;
    else yield* walkFiles(tree, path, skip);
  }
}

export function filesOf(library: Library, entry: Entry): readonly ServedFile[] {
  const source = sourceOf(library, entry);
  const { ownsFolder, folder, file } = entry;
  const skip = (path: string) => isUnserved(baseName(path));
  const paths = ownsFolder ? [...walkFiles(source.tree, folder, skip)] : [file];
  return paths.flatMap((path) => servedFile(source, path) ?? []);
}

export function ownFile(library: Library, entry: Entry, path: string): ServedFile | undefined {
  const source = sourceOf(library, entry);
  // By listings: those are kept, and to learn from the system that a file is missing takes ten times as long.
  const own = path.split("/").some(isUnserved) ? undefined : spelledOnDisk(source.tree, path, entry.folder);
  return own === undefined ? undefined : servedFile(source, own);
}

export function uriOf(library: Library, entry: Entry): string {
  return uriAt(sourceOf(library, entry), entry.file);
}

export function folderUri(entry: Entry): string {
  return `${SCHEME}${qualifiedName(entry)}/`;
}

export function stemOf(path: string): string {
  return baseName(path).replace(/\.\w+$/, "").toLowerCase();
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

export function mimeTypeOf(path: string): string {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(MIME_TYPES, extension) ? MIME_TYPES[extension]! : "text/plain";
}

export function servedFile(source: LibrarySource, path: string): ServedFile | undefined {
  const facts = source.tree.stat(path);
  if (facts === undefined) return undefined;
  return { uri: uriAt(source, path), mimeType: mimeTypeOf(path), source, path, facts };
}
