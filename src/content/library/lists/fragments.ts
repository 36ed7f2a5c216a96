/**
 * Fragments: the pieces of knowledge that agents and workflows look things up in, apart from the steps they follow.
 *
 * An index such as `tea-index.csv` names the fragments beside it, with titles and tags. Where no index does, texts in
 * a folder for such things, and tables, are fragments of the thing that has them. Files are looked through when
 * somebody first asks: no start pays for it.
 */
import { shortName } from "../../../base/model.ts";
import { asText, parseCsv, parseFrontMatter, parseTable } from "../../parse.ts";
import { baseName, findText, joinPath, normalizePath, parentPath } from "../../tree/mod.ts";
import { listFiles, type ServedFile } from "../files/files.ts";
import { type Library, perLibrary } from "../library.ts";
import { SCHEME, uriAt } from "../files/mounts.ts";
import { slug } from "../../../base/values.ts";

/** One piece of knowledge. */
export interface Fragment {
  /** What it is about: `testarch`, else the short name of the thing or folder that has it. */
  readonly domain: string;
  /** Unique in its domain: `network-first`. */
  readonly id: string;
  /** The code of the module that it is served in. */
  readonly module: string;
  /** As an index has it; else the file has to tell. */
  readonly title?: string;
  /** As an index has it; else the file has to tell. */
  readonly about?: string;
  /** From an index, else empty. */
  readonly tags: readonly string[];
  /** How much an index thinks of it: `core`. */
  readonly tier?: string;
  /** Where its text is. */
  readonly file: ServedFile;
}

/** What the knowledge of an index is about, where its name and its folder do not say so in every generation. */
const INDEXED_DOMAINS: Readonly<Record<string, string>> = { tea: "testarch", qa: "gametest" };

/** A text in a folder for knowledge, or in a folder of that: module, what is above, the folder, category, stem. */
const TEXT =
  /^([^/]+)\/(?:(.+)\/)?(knowledge|data|resources|references|docs|types)\/(?:([^/]+)\/)?([^/]+)\.(?:md|csv|ya?ml|txt)$/i;
/** A table anywhere: module, folders, stem. */
const TABLE = /^([^/]+)\/(?:(.+)\/)?([^/]+)\.csv$/i;
/** What lies in such folders and is something else: parts of a workflow, examples, manifests. */
const OTHER_FOLDER = /\/(?:[^/]*steps?[^/]*|templates?|examples?|scripts)\//i;
const OTHER_FILE = /template|checklist|[-.]example$|-manifest$|-index$|-help$|^default-party$/i;
/** Folders that sort things, and so do not say what these are about. */
const SORTING = /^(?:assets|knowledge|data|resources|references|docs|types|workflows|tasks|agents|\d+-.*)$/i;

/** Every fragment, those of an index in its order; best origin first. */
export const fragmentsOf = perLibrary((library): readonly Fragment[] => {
  const files = listFiles(library);
  const byUri = new Map(files.map((file) => [file.uri, file]));
  const indexed = files.filter(({ uri }) => /-index\.csv$/i.test(uri)).flatMap((file) => rowsOf(file, byUri));
  const known = new Set(indexed.map(({ file }) => file.uri));
  const loose = looseFragments(library, files.filter(({ uri }) => !known.has(uri)));
  const found = new Map<string, Fragment>();
  for (const fragment of [...indexed, ...loose]) {
    const key = `${fragment.domain}/${fragment.id}`;
    if (!found.has(key)) found.set(key, fragment);
  }
  return [...found.values()];
});

/** The fragments that an index names and somebody has. */
function rowsOf(index: ServedFile, byUri: ReadonlyMap<string, ServedFile>): readonly Fragment[] {
  const stem = baseName(index.path).replace(/-index\.csv$/i, "").toLowerCase();
  const domain = Object.hasOwn(INDEXED_DOMAINS, stem) ? INDEXED_DOMAINS[stem]! : stem;
  const { value: rows } = parseTable(findText(index.source.tree, index.path) ?? "");
  return rows.flatMap(({ id = "", name, description, tags = "", tier, fragment_file = "" }) => {
    const path = normalizePath(joinPath(parentPath(index.path), fragment_file));
    const file = path && byUri.get(uriAt(index.source.inventory.mounts, path));
    if (id === "" || !file) return [];
    return [{
      domain,
      id: id.toLowerCase(),
      module: servedPath(index).split("/")[0]!,
      title: name,
      about: description,
      tags: tags.split(",").map((tag) => tag.trim()).filter((tag) => tag !== ""),
      tier,
      file,
    }];
  });
}

/** The fragments that no index names. */
function looseFragments(library: Library, files: readonly ServedFile[]): readonly Fragment[] {
  const modules = new Set(library.effective.map(({ module }) => module));
  const others = new Set(
    library.manifest.entries.filter(({ kind }) => kind !== "knowledge").map(({ rank, file }) =>
      `${rank}:${file}`
    ),
  );
  return files.filter((file) => !others.has(`${library.sources.indexOf(file.source)}:${file.path}`))
    .map(looseFragment).filter((fragment) => fragment !== undefined)
    .filter(({ module }) => modules.has(module));
}

/** Fragments without those that are a copy of an earlier one, as skills of one module carry them. */
export function withoutCopies(fragments: readonly Fragment[]): readonly Fragment[] {
  const first = new Map<string, Fragment>();
  for (const fragment of fragments) {
    const key = `${fragment.module}/${fragment.id} ${fragment.file.facts.size}`;
    if (!first.has(key)) first.set(key, fragment);
  }
  return [...first.values()];
}

function looseFragment(file: ServedFile): Fragment | undefined {
  const path = servedPath(file);
  const [, module, above, folder, category, stem] = TEXT.exec(path) ?? tableParts(path);
  if (module === undefined || stem === undefined) return undefined;
  if (/^readme$/i.test(stem)) return undefined;
  // A folder called knowledge holds nothing else.
  const isElse = OTHER_FOLDER.test(path) || OTHER_FILE.test(stem);
  if (isElse && folder?.toLowerCase() !== "knowledge") return undefined;
  const owner = above?.split("/").findLast((part) => !SORTING.test(part)) ?? module;
  return {
    domain: slug(shortName(category ?? owner, module)),
    id: slug(stem) || stem,
    module,
    tags: [],
    file,
  };
}

function tableParts(path: string): readonly (string | undefined)[] {
  const [whole, module, above, stem] = TABLE.exec(path) ?? [];
  return [whole, module, above, undefined, undefined, stem];
}

function servedPath({ uri }: ServedFile): string {
  return decodeURIComponent(uri.slice(SCHEME.length));
}

/** As far as a file is looked through for what it says of itself. */
const BEGINNING = 4_000;

/** The title of a fragment, if it has one, and a line about it: from its index, else from the file. */
export function describeFragment({ title, about, file }: Fragment): {
  readonly title: string;
  readonly about: string;
} {
  if (title !== undefined && title !== "") return { title, about: about ?? "" };
  const text = findText(file.source.tree, file.path) ?? "";
  if (file.mimeType === "text/csv") {
    const { value: [columns = [], ...rows] } = parseCsv(text);
    return { title: "", about: `table of ${rows.length} rows: ${columns.join(", ")}` };
  }
  const start = text.slice(0, BEGINNING);
  const { value: head } = parseFrontMatter(start);
  const body = start.replace(/^\uFEFF?---\r?\n[^]*?\r?\n---\r?\n/, "").replaceAll(/<!--[^]*?-->/g, "");
  const lines = body.split(/\r?\n/).map((line) => line.trim());
  // In YAML it is a comment, which says the same.
  const heading = lines.find((line) => /^#+ /.test(line))?.replace(/^#+ /, "") ?? "";
  const prose = file.mimeType === "text/markdown"
    ? lines.find((line) => /^[\p{L}\p{N}*_"“]/u.test(line))
    : undefined;
  return { title: heading, about: asText(head["description"]) ?? prose ?? "" };
}
