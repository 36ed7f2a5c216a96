/**
 * The files behind an item: its own, those of others that its text names, and those that customize it.
 */
import { type Entry, isSupporting } from "../../../base/model.ts";
import { baseName } from "../../tree/mod.ts";
import { isBelow } from "../files/mounts.ts";
import { filesByName, filesOf, type ServedFile, servedFile, uriOf } from "../files/files.ts";
import { rawText } from "../files/reading.ts";
import { findFile } from "../files/references.ts";
import { useOf } from "../files/supporting.ts";
import { referencesAt } from "../health/closure.ts";
import { fileOf, type Library, perKey, perLibrary, type SourceFile, sourceOf } from "../library.ts";
import { customizationFiles } from "../values/customize.ts";

/** A file behind an item. */
export interface ItemFile {
  readonly uri: string;
  /** In bytes. */
  readonly size: number;
  /** In its source; missing for embedded files, which lie nowhere. */
  readonly path?: string;
  /** What it is for, if its name says so: `template`, `step`. */
  readonly use?: string;
  /** The id of its source, if the item has another one. */
  readonly origin?: string;
}

/** The files behind an item. */
export interface ItemFiles {
  readonly files: readonly ItemFile[];
  /** Supporting files outside its folder that its text names. */
  readonly uses: readonly ItemFile[];
  /** Later ones override. */
  readonly customizedIn: readonly ItemFile[];
}

export const itemFiles = perKey((library, entry: Entry): ItemFiles => {
  const describe = (file: ServedFile) => itemFile(library, entry, file);
  const applied = customizationFiles(library, entry).map(({ source, path }) => servedFile(source, path));
  return {
    files: filesOf(library, entry).map(describe),
    uses: usedFiles(library, entry).map(describe),
    customizedIn: applied.filter((file) => file !== undefined).map(describe),
  };
});

function itemFile(library: Library, entry: Entry, { uri, path, facts, source }: ServedFile): ItemFile {
  const use = useOf(uri);
  return {
    uri,
    size: facts.size,
    ...(source.origin.kind !== "package" && { path }),
    ...(use && { use }),
    ...(source !== sourceOf(library, entry) && { origin: source.origin.id }),
  };
}

/** Scripts are no texts: an activation says what to do instead of each. */
const SCRIPT = /\.py$/;
/** Twice as many as any item of BMAD names. */
const MAX_REFERENCES = 100;
/** Those that no file is called like are most likely missing, and to learn that takes a millisecond each. */
const MAX_UNKNOWN = 20;

function usedFiles(library: Library, entry: Entry): readonly ServedFile[] {
  const from = fileOf(library, entry);
  const isOwn = ({ source, path }: ServedFile) =>
    source === from.source && (entry.ownsFolder ? isBelow(path, entry.folder) : path === from.path);
  const references = [...referencesAt(uriOf(library, entry), rawText(library, entry))]
    .filter((reference) => !SCRIPT.test(reference));
  const { true: known = [], false: unknown = [] } = Object.groupBy(
    references.slice(0, MAX_REFERENCES),
    (reference) => isFileName(library, baseName(reference)) ? "true" : "false",
  );
  const found = [...known, ...unknown.slice(0, MAX_UNKNOWN)]
    .map((reference) => findFile(library, reference, from))
    .filter((file) => file !== undefined).filter((file) => !isOwn(file) && !isItem(library, file));
  return [...new Map(found.map((file) => [file.uri, file])).values()];
}

/** Whether a served file has this name, with whatever ending. */
function isFileName(library: Library, name: string): boolean {
  return stems(library).has(stemOf(name));
}

const stems = perLibrary((library): ReadonlySet<string> => new Set(filesByName(library).keys().map(stemOf)));

function stemOf(name: string): string {
  return name.normalize().replace(/\.\w+$/, "").toLowerCase();
}

/** Whether a file is that of an item by itself: an agent, a workflow, a task. */
function isItem(library: Library, file: SourceFile): boolean {
  return itemPaths(library).has(keyOf(library, file));
}

const itemPaths = perLibrary((library): ReadonlySet<string> =>
  new Set(
    library.effective.filter(({ kind }) => !isSupporting(kind))
      .map((entry) => keyOf(library, fileOf(library, entry))),
  )
);

function keyOf({ sources }: Library, { source, path }: SourceFile): string {
  return `${sources.indexOf(source)}:${path}`;
}
