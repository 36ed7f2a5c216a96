/**
 * Fragments: the reference texts of agents and workflows, as opposed to the steps that they follow.
 *
 * An index such as `tea-index.csv` lists the fragments beside it, with titles and tags. Other fragments are the texts in
 * folders with a typical name, and tables; they belong to the item that contains them. Files are examined on first use,
 * not at the start.
 */
import { shortName } from "../../../base/model.ts";
import { asText, parseCsv, parseFrontMatter, parseTable } from "../../parse.ts";
import { baseName, findText, joinPath, normalizePath, parentPath } from "../../tree/mod.ts";
import { listFiles, type ServedFile } from "./files.ts";
import { kindOf } from "./supporting.ts";
import { type Library, perLibrary } from "../library.ts";
import { SCHEME, uriAt } from "./mounts.ts";
import { counted, splitLines } from "../../../base/text.ts";
import { slug } from "../../../base/values.ts";

export interface Fragment {
  /** Its subject: `testarch`, else the short name of the item or folder that contains it. */
  readonly domain: string;
  /** Unique in its domain: `network-first`. */
  readonly id: string;
  readonly module: string;
  /** From an index, like the next three. */
  readonly title?: string;
  readonly about?: string;
  readonly tags: readonly string[];
  /** Its importance: `core`. */
  readonly tier?: string;
  readonly file: ServedFile;
}

/** The domains of indexes whose names do not say it. */
const INDEXED_DOMAINS: Readonly<Record<string, string>> = { tea: "testarch", qa: "gametest" };

/** A text in a folder for knowledge, or one level below: module, path above, folder, category, stem. */
const TEXT =
  /^([^/]+)\/(?:(.+)\/)?(knowledge|data|resources|references|docs|types)\/(?:([^/]+)\/)?([^/]+)\.(?:md|csv|ya?ml|txt)$/i;
/** A table anywhere: module, path above, stem. */
const TABLE = /^([^/]+)\/(?:(.+)\/)?([^/]+)\.csv$/i;
/** Other files in such folders: parts of a workflow, examples, manifests. */
const OTHER_FOLDER = /\/(?:[^/]*steps?[^/]*|templates?|examples?|scripts)\//i;
const OTHER_FILE = /template|checklist|[-.]example$|-manifest$|-index$|-help$|^default-party$/i;
/** Folders whose names say nothing about the subject. */
const SORTING = /^(?:assets|knowledge|data|resources|references|docs|types|workflows|tasks|agents|\d+-.*)$/i;

/** Every fragment, highest priority first; those of an index in its order. */
export const fragmentsOf = perLibrary((library): readonly Fragment[] => {
  const files = listFiles(library);
  const byUri = new Map(files.map((file) => [file.uri, file]));
  const indexed = files.filter(({ uri }) => /-index\.csv$/i.test(uri)).flatMap((file) => rowsOf(file, byUri));
  const known = new Set(indexed.map(({ file }) => file.uri));
  const loose = looseFragments(library, files.filter(({ uri }) => !known.has(uri)));
  return firstBy([...indexed, ...loose], ({ domain, id }) => `${domain}/${id}`);
});

function firstBy(fragments: readonly Fragment[], keyOf: (fragment: Fragment) => string): readonly Fragment[] {
  return Map.groupBy(fragments, keyOf).values().map(([first]) => first!).toArray();
}

function rowsOf(index: ServedFile, byUri: ReadonlyMap<string, ServedFile>): readonly Fragment[] {
  const stem = baseName(index.path).replace(/-index\.csv$/i, "").toLowerCase();
  const domain = Object.hasOwn(INDEXED_DOMAINS, stem) ? INDEXED_DOMAINS[stem]! : stem;
  const { value: rows } = parseTable(findText(index.source.tree, index.path) ?? "");
  return rows.flatMap(({ id = "", name, description, tags = "", tier, fragment_file = "" }) => {
    const path = normalizePath(joinPath(parentPath(index.path), fragment_file));
    const file = path && byUri.get(uriAt(index.source, path));
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

function looseFragments(library: Library, files: readonly ServedFile[]): readonly Fragment[] {
  const modules = new Set(library.effective.map(({ module }) => module));
  const others = library.manifest.entries.filter(({ kind }) => kind !== "knowledge");
  const taken = new Set(others.map(({ rank, file }) => `${rank}:${file}`));
  return files.filter((file) => !taken.has(`${library.sources.indexOf(file.source)}:${file.path}`))
    .map(looseFragment).filter((fragment) => fragment !== undefined)
    .filter(({ module, file }) => modules.has(module) || kindOf(file.uri) === "knowledge");
}

/** Fragments without the copies that several skills of one module have. */
export function withoutCopies(fragments: readonly Fragment[]): readonly Fragment[] {
  return firstBy(fragments, ({ module, id, file }) => `${module}/${id} ${file.facts.size}`);
}

function looseFragment(file: ServedFile): Fragment | undefined {
  const path = servedPath(file);
  const isKnowledge = kindOf(file.uri) === "knowledge";
  const [, module, above, folder, category, stem] = TEXT.exec(path) ??
    (isKnowledge ? knowledgeParts(path) : tableParts(path));
  if (module === undefined || stem === undefined || /^readme$/i.test(stem)) return undefined;
  // A folder called knowledge has nothing else.
  const isOther = OTHER_FOLDER.test(path) || OTHER_FILE.test(stem);
  if (isOther && folder?.toLowerCase() !== "knowledge") return undefined;
  const owner = above?.split("/").findLast((part) => !SORTING.test(part)) ?? module;
  const domain = slug(shortName(category ?? owner, module));
  return { domain, id: slug(stem) || stem, module, tags: [], file };
}

/** The same for a text in a knowledge folder at the top of its root, or more than one level below such a folder. */
function knowledgeParts(path: string): readonly (string | undefined)[] {
  const folder = baseName(parentPath(path));
  const category = folder.toLowerCase() === "knowledge" ? undefined : folder;
  return [path, path.split("/")[0], undefined, "knowledge", category, baseName(path).replace(/\.\w+$/, "")];
}

function tableParts(path: string): readonly (string | undefined)[] {
  const [whole, module, above, stem] = TABLE.exec(path) ?? [];
  return [whole, module, above, undefined, undefined, stem];
}

function servedPath({ uri }: ServedFile): string {
  return decodeURIComponent(uri.slice(SCHEME.length));
}

const MAX_HEAD = 4_000;

/** The title of a fragment, which may be empty, and a line about it: from its index, else from the file. */
export function describeFragment({ title, about, file }: Fragment) {
  if (title !== undefined && title !== "") return { title, about: about ?? "" };
  const text = findText(file.source.tree, file.path) ?? "";
  if (file.mimeType === "text/csv") {
    const { value: [columns = [], ...rows] } = parseCsv(text);
    return { title: "", about: `table of ${counted(rows.length, "row")}: ${columns.join(", ")}` };
  }
  const start = text.slice(0, MAX_HEAD);
  const { value: head } = parseFrontMatter(start);
  const body = start.replace(/^\uFEFF?---\r?\n[^]*?\r?\n---\r?\n/, "").replaceAll(/<!--[^]*?(?:-->|$)/g, "");
  const lines = splitLines(body).map((line) => line.trim());
  // In YAML this is a comment, which serves as well.
  const heading = lines.find((line) => /^#+ /.test(line))?.replace(/^#+ /, "") ?? "";
  const prose = file.mimeType === "text/markdown"
    ? lines.find((line) => /^[\p{L}\p{N}*_"“]/u.test(line))
    : undefined;
  return { title: heading, about: asText(head["description"]) ?? prose ?? "" };
}
